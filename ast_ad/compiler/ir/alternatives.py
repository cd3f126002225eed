"""Which types may a value have whose type depends on the path taken?

``total = 0`` before a loop that adds floats is an int if the loop has no turn. Its derivative is that of the
widest type; but what NumPy makes of it (``np.full(3, total)``), and what the program asks about it
(``isinstance(total, int)``), differs. The join of two types keeps both in ``among``, and what follows from
the type is worked out for each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .dims import symbols
from .ops import UNKNOWN, Arg, Lit, Var, map_arg, variables
from .types import (
    KINDS,
    Array,
    DictOf,
    Dim,
    ListOf,
    Optional,
    Scalar,
    TupleOf,
    Type,
    dtype_of,
    rank_of,
)

MOST = 64  # combinations of types that are looked at
MOST_PATHS = 4  # joins of paths behind one length that is asked for


class TooMany(Exception):
    """Raised where there are more combinations of types than are looked at."""


def one_of(widest: Scalar | Array, types: Iterable[Type]) -> Scalar | Array:
    """The type that can hold the others, which keeps them in mind where they differ.

    >>> is_mixed(one_of(Scalar("float"), (Scalar("int"), Scalar("float"))))
    True
    >>> is_mixed(one_of(Scalar("int"), (Scalar("int"), Scalar("int"))))
    False
    """
    types, found = list(types), set[Any]()
    for type in types:
        if isinstance(type, (Scalar, Array)):
            found |= type.among or {_single(type)}
    if isinstance(widest, Array):  # NumPy's numbers are arrays without axes to what is computed with them
        found = {t if not isinstance(t, Scalar) or t.dtype is None else t.dtype for t in found}
    among = frozenset(found) if found - {_single(widest)} else frozenset()
    if isinstance(widest, Array):
        return replace(widest, among=among, either=_either(types) if widest.shape is None else frozenset())
    return replace(widest, among=among)


ANY = Dim.symbol(("any length",), least=0)
MOST_KINDS = 8  # numbers and arrays of which a value may be one


def _either(types: Iterable[Type]) -> frozenset[Any]:
    """The numbers and arrays of which what has one of the types is one; none where that is not known."""
    found: set[Any] = set()
    for type in types:
        if isinstance(type, Array) and type.shape is None:
            if not type.either:
                return frozenset()
            found |= type.either
        else:
            found.update(map(_bare, alternatives(type)))
    return frozenset(found) if len(found) <= MOST_KINDS else frozenset()


def _bare(type: Type) -> Type:
    """A number's or an array's type without what is known of its size or lengths."""
    if isinstance(type, Scalar):
        return Scalar(type.kind, type.dtype)
    assert isinstance(type, Array) and type.shape is not None
    return Array(type.dtype, (ANY,) * len(type.shape))


def _single(type: Scalar | Array) -> Any:
    return type.dtype if isinstance(type, Array) else Scalar(type.kind, type.dtype)


def wide_enough(a: Scalar | Array, b: Scalar | Array) -> Scalar | Array:
    """A type that can hold values of two, whichever of its types each of them has.

    >>> wide_enough(Scalar("float"), Scalar("float", np.dtype("float32")))
    Scalar(kind='float', dtype=dtype('float32'), size=None)
    """
    singles = [t for type in (a, b) for t in type.among or (_single(type),)]
    plain = [t.kind for t in singles if isinstance(t, Scalar) and t.dtype is None]
    typed = [t.dtype if isinstance(t, Scalar) else t for t in singles]
    dtypes = [dtype for dtype in typed if dtype is not None]
    kind = max([a.kind, b.kind], key=KINDS.index)
    dtype = _dtype_with(plain, dtypes, kind)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        alone = plain and (dtype is None or dtype == dtype_of(Scalar(kind)))
        return Scalar(kind) if alone else Scalar(kind, dtype)  # perhaps Python's own, whose division raises
    assert dtype is not None
    arrays = [t for t in (a, b) if isinstance(t, Array)]
    if len(arrays) == 1 or rank_of(a) is None or rank_of(a) != rank_of(b):
        return Array(dtype, None)
    shape = tuple(
        x if x == y else _either_length(x, y) for x, y in zip(*(t.shape or () for t in arrays), strict=True)
    )
    return Array(dtype, shape)


def _either_length(a: Dim | int | None, b: Dim | int | None) -> Dim:
    if a is None or b is None or not (_is_told(a, MOST_PATHS) and _is_told(b, MOST_PATHS)):
        return Dim.fresh()
    [(fresh, _)] = Dim.fresh().terms
    return Dim.symbol((*fresh.key, (a, b)), least=0)


def symbols_behind(length: Dim | int) -> Iterator[Any]:
    """The symbols that a length is made of; of one that is one of two, by the path taken, those of both."""
    for atom in symbols(length):
        if isinstance(atom.key, tuple) and atom.key[0] == "fresh" and len(atom.key) > 2:
            for one in atom.key[2]:
                yield from symbols_behind(one)
        else:
            yield atom


def _is_told(length: Dim | int, joins: int) -> bool:
    """Whether arguments tell a length, by so many joins of paths at most."""
    return all(
        isinstance(key := atom.key, tuple)
        and (
            key[0] in ("arg", "outside")
            or key[0] == "fresh"
            and len(key) > 2
            and joins > 0
            and all(_is_told(part, joins - 1) for part in key[2])
        )
        for atom in symbols(length)
    )


def _dtype_with(plain: list[str], dtypes: list[np.dtype], kind: str) -> np.dtype | None:
    """The dtype that holds all: Python's numbers leave one of their kind as it is. None: there is none."""
    if not dtypes:
        return None
    dtype = np.result_type(*dtypes)
    if plain and dtype.kind not in {"bool": "b", "int": "iu", "float": "f", "complex": "c"}[kind]:
        dtype = np.result_type(dtype, dtype_of(Scalar(kind)))
    return dtype


def is_mixed(type: Type) -> bool:
    """Whether the dtype, or Python's class, of a value or of an element depends on the path taken."""
    if isinstance(type, Optional):
        return is_mixed(type.value)
    if isinstance(type, (ListOf, DictOf)):
        return is_mixed(type.element)
    if isinstance(type, TupleOf):
        return any(map(is_mixed, type.items))
    return isinstance(type, (Scalar, Array)) and bool(type.among)


def has_ranks(type: Type) -> bool:
    """Whether it is known of which numbers and arrays, of several ranks, a value is one."""
    if isinstance(type, Optional):
        return has_ranks(type.value)
    return isinstance(type, Array) and type.shape is None and bool(type.either)


def is_open(type: Type) -> bool:
    """Whether a value's type depends on the path taken, and is known to be one of several."""
    return is_mixed(type) or has_ranks(type)


def types_of(type: Type) -> tuple[Type, ...]:
    """The types of which a value has one: as ``alternatives``, and of each rank.

    >>> float, vector = Scalar("float"), Array(np.dtype("float64"), (3,))
    >>> [rank_of(t) for t in types_of(one_of(wide_enough(float, vector), (float, vector)))]
    [0, 1]
    """
    if not has_ranks(type):
        return alternatives(type)
    if isinstance(type, Optional):
        return tuple(map(Optional, types_of(type.value)))
    assert isinstance(type, Array)
    return tuple(map(_renewed, sorted(type.either, key=lambda t: (rank_of(t), repr(t)))))


def _renewed(type: Type) -> Type:
    """A type whose lengths nothing is known of, each for itself."""
    if isinstance(type, Array) and type.shape is not None:
        return Array(type.dtype, tuple(Dim.fresh() for _ in type.shape))
    return type


def common(types: Iterable[Type]) -> Scalar | Array:
    """The type of a value that has one of the types, of numbers and arrays."""
    found = [t for t in types if isinstance(t, (Scalar, Array))]
    wide = found[0]
    for type in found[1:]:
        wide = wide_enough(wide, type) if type != wide else wide
    sizes = {type.size if isinstance(type, Scalar) else None for type in found}
    result = one_of(wide, found)
    return (
        replace(result, size=sizes.pop() if len(sizes) == 1 else None)
        if isinstance(result, Scalar)
        else result
    )


def alternatives(type: Type) -> tuple[Type, ...]:
    """The types of which a value has one."""
    if not is_mixed(type):
        return (type,)
    if isinstance(type, Optional):
        return tuple(map(Optional, alternatives(type.value)))
    if isinstance(type, ListOf):  # its elements may differ: then their common type is the widest
        return (*map(ListOf, alternatives(type.element)), ListOf(widest(type.element)))
    if isinstance(type, DictOf):
        return (widest(type),)
    if isinstance(type, TupleOf):
        return tuple(map(TupleOf, itertools.product(*map(alternatives, type.items))))
    assert isinstance(type, (Scalar, Array))
    return tuple(t if isinstance(t, Scalar) else Array(t, _shape(type)) for t in sorted(type.among, key=str))


def _shape(type: Scalar | Array) -> Any:
    return type.shape if isinstance(type, Array) else ()


def widest(type: Type) -> Type:
    """The type that can hold all of them, as if it were the only one."""
    if isinstance(type, Optional):
        return Optional(widest(type.value))
    if isinstance(type, (ListOf, DictOf)):
        return replace(type, element=widest(type.element))
    if isinstance(type, TupleOf):
        return replace(type, items=tuple(map(widest, type.items)))
    return replace(type, among=frozenset()) if isinstance(type, (Scalar, Array)) else type


def choices(
    args: tuple[Arg, ...], kwargs: dict[str, Arg], absent: bool = True
) -> Iterator[tuple[tuple[Arg, ...], dict[str, Arg]]]:
    """The arguments with each combination of their types; ``absent``: what may be None is that, too.

    Raises
    ------
    TooMany
        if there are more than 64.
    """
    given = dict.fromkeys(variables(*args, *kwargs.values()))
    table: dict[Var, list[Arg]] = {
        v: [_retyped(v, t) for t in types_of(v.type)] for v in given if is_open(v.type)
    }
    for var in given:
        if absent and isinstance(var.type, Optional):
            there = [v.type.value for v in table.get(var, [var]) if isinstance(v.type, Optional)]  # type: ignore[union-attr]
            table[var] = [*(_retyped(var, type) for type in there), Lit(None)]
    if np.prod([len(found) for found in table.values()], dtype=float) > MOST:
        raise TooMany
    for found in itertools.product(*table.values()):
        chosen = dict(zip(table, found, strict=True))

        def choice(var: Var, chosen: dict[Var, Arg] = chosen) -> Arg:
            return chosen.get(var, var)

        yield tuple(map_arg(choice, a) for a in args), {k: map_arg(choice, v) for k, v in kwargs.items()}


def _retyped(var: Var, type: Type) -> Var:
    other = Var(type, var.hint)
    if var.known is not UNKNOWN:
        other.known = var.known
    return other


def united(result: Any, found: list[Any]) -> Any:
    """The type of what has one of the types found; ``result`` is that of the widest arguments."""
    if isinstance(result, (list, tuple)):
        if not all(isinstance(f, (list, tuple)) and len(f) == len(result) for f in found):
            return result
        items = [united(r, [f[i] for f in found]) for i, r in enumerate(result)]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    if isinstance(result, ListOf):
        return replace(
            result, element=united(result.element, [f.element for f in found if isinstance(f, ListOf)])
        )
    if isinstance(result, (Scalar, Array)) and found:
        return one_of(_widened(result, found), found)
    return result


def _widened(result: Scalar | Array, found: list[Any]) -> Scalar | Array:
    """Python's number leaves float32 as it is where NumPy's does not: the widest argument says too little."""
    wide = result
    for type in found:
        if isinstance(type, (Scalar, Array)):
            wide = wide_enough(wide, type)
    if isinstance(result, Array):
        return replace(result, dtype=dtype_of(wide) or result.dtype)
    return wide if isinstance(wide, Scalar) else result
