"""Which type has a value that has one of two?"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace

from ...ir.alternatives import one_of, wide_enough
from ...ir.ops import Span
from ...ir.types import (
    ANY_KEY,
    KINDS,
    NOTHING,
    Array,
    DictOf,
    Dim,
    ListOf,
    Opaque,
    Optional,
    Record,
    Reference,
    Scalar,
    TupleOf,
    Type,
    dict_of,
    dtype_of,
    is_none,
    kind_of,
    list_of,
    of_arguments,
    rank_of,
)


class ShapeChange(Exception):
    """The structure of a value changes in a way that has no static description.

    ``types``: two that have no common one, if that is why; ``span``: the statement where that is so.
    """

    types: tuple[Type, Type] | None = None
    span: Span | None = None

    def among(self, one: str) -> str:
        """The reason, where ``one`` of a container's elements is unlike another."""
        if self.types is None:
            return str(self)
        return f"{one} is {self.types[0]} and another one is {self.types[1]}"


def join(a: Type, b: Type) -> Type:
    """The type of a value that has one of two types.

    Raises
    ------
    ShapeChange
        if no type describes both.
    """
    if a == b:
        return _join_sizes(a, b)
    if is_none(a) or is_none(b):
        other = b if is_none(a) else a
        return other if isinstance(other, Optional) else Optional(other)
    if isinstance(a, Optional) or isinstance(b, Optional):
        inner = join(a.value if isinstance(a, Optional) else a, b.value if isinstance(b, Optional) else b)
        return Optional(inner)
    if isinstance(a, ListOf) and isinstance(b, ListOf):
        return join_lists(a, b)
    if isinstance(a, DictOf) and isinstance(b, DictOf):
        return join_dicts(a, b)
    if isinstance(a, Reference) and isinstance(b, Reference) and a.items == b.items:
        return replace(a, places=a.places | b.places)
    if isinstance(a, Reference) or isinstance(b, Reference):
        raise ShapeChange("it is an array on one path only, or another kind of reference")
    if isinstance(a, TupleOf) and isinstance(b, TupleOf) and len(a.items) == len(b.items):
        if isinstance(a, Record) and isinstance(b, Record) and (a.cls, a.names) == (b.cls, b.names):
            return replace(a, items=tuple(map(join, a.items, b.items)))
        if any(isinstance(one, Record) and one.names is not None for one in (a, b)):
            raise ShapeChange("it is a dict or an object of one class, or of another")
        return TupleOf(tuple(map(join, a.items, b.items)))
    if (
        isinstance(a, (Scalar, Array))
        and isinstance(b, (Scalar, Array))
        and "other" not in (kind_of(a), kind_of(b))
    ):
        return _join_numbers(a, b)
    if isinstance(a, Opaque) and isinstance(b, Opaque):
        return Opaque()
    change = ShapeChange(f"it is {a} on one path and {b} on another")
    change.types = a, b
    raise change


def have_join(types: Iterable[Type]) -> bool:
    """Whether there is a type of what has one of these."""
    try:
        functools.reduce(join, types)
    except ShapeChange:
        return False
    return True


def _join_sizes(a: Type, b: Type) -> Type:
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.size != b.size:
        return replace(a, size=None)
    return a


def _join_numbers(a: Scalar | Array, b: Scalar | Array) -> Type:
    return one_of(wide_enough(a, b), (a, b))


def join_carried(old: Type, found: Type, own: set[Dim]) -> Type:
    """The join of what a loop carries with what a pass leaves.

    A length that changes gets a symbol of its own, once (``own``): it stands for the length in any pass.
    """
    return carried(join(old, found), old, own)


def carried(type: Type, before: Type | None, own: set[Dim]) -> Type:
    """The type of a carried value at the start of any pass, where ``before`` was that in the first one.

    What a pass calls a length, as its own index, is another number when the next one finds the value.
    """
    if isinstance(type, Optional):
        return Optional(carried(type.value, before.value if isinstance(before, Optional) else before, own))
    if isinstance(type, TupleOf):
        firsts = before.items if isinstance(before, TupleOf) else [None] * len(type.items)
        return replace(type, items=tuple(carried(t, b, own) for t, b in zip(type.items, firsts, strict=True)))
    if isinstance(type, Scalar):
        same = isinstance(before, Scalar) and before.size == type.size
        return type if same or _of_any_pass(type.size) else replace(type, size=None)
    if not isinstance(type, Array) or type.shape is None:
        return type
    first = before.shape if isinstance(before, Array) and before.ndim == type.ndim else None
    dims: list[Dim | int] = []
    for i, dim in enumerate(type.shape):
        known = None if first is None else first[i]
        if known is None and not _of_any_pass(dim) or known not in (None, dim) and known not in own:
            known = Dim.fresh()
            own.add(known)
        dims.append(dim if known is None else known)
    return replace(type, shape=tuple(dims))


def _of_any_pass(length: Dim | int | None) -> bool:
    return not isinstance(length, Dim) or of_arguments(length)


def renewed(type: Type, first: Type | None) -> Type:
    """The type of a value after a loop: lengths that the loop may have changed are other unknown ones."""
    if isinstance(type, ListOf):
        return list_of(type.element)
    if isinstance(type, DictOf):
        return dict_of(type.key, type.element)
    if isinstance(type, Optional):
        return Optional(renewed(type.value, first.value if isinstance(first, Optional) else first))
    if isinstance(type, TupleOf):
        return replace(type, items=tuple([renewed(t, None) for t in type.items]))
    if not isinstance(type, Array) or type.shape is None:
        return type
    before = (
        first.shape
        if isinstance(first, Array) and first.shape is not None and first.ndim == type.ndim
        else None
    )
    dims = (
        d if isinstance(d, int) or of_arguments(d) or before is not None and before[i] == d else Dim.fresh()
        for i, d in enumerate(type.shape)
    )
    return replace(type, shape=tuple(dims))


def of_last(type: Type, last: Type, first: Type | None) -> Type:
    """The type of what a loop that runs leaves: of the types among which it was, those of the last pass.

    It holds what the loop begins with, too (``first``), which the value is for all stages behind this one.
    """
    if first is not None and is_narrower(last, first):
        return type
    if isinstance(type, Scalar) and isinstance(last, Scalar):
        return replace(last, size=None)
    if isinstance(type, Array) and isinstance(last, Array):
        either = last.either or type.either if type.shape is None else frozenset()
        return Array(last.dtype, type.shape, last.among, either)
    return type


def is_narrower(a: Type, b: Type) -> bool:
    """Whether numbers of one type can't hold those of another."""
    kinds = [kind_of(t) for t in (a, b)]
    return "other" not in kinds and KINDS.index(kinds[0]) < KINDS.index(kinds[1])


def join_lists(a: Type, b: Type) -> ListOf:
    """Lists of no element yet have the other's type."""
    assert isinstance(a, ListOf) and isinstance(b, ListOf)
    if a.element == NOTHING:
        return list_of(b.element)
    return a if b.element == NOTHING else list_of(join(a.element, b.element))


def join_dicts(a: DictOf, b: DictOf) -> DictOf:
    """Dicts of no entry yet have the other's type.

    Equal keys of other types are one key, but look otherwise: of keys of several types nothing is known.

    Raises
    ------
    ShapeChange
        if no type describes both.
    """
    keys = [key for key in (a.key, b.key) if key != NOTHING]
    element = join_lists(ListOf(a.element), ListOf(b.element))
    assert isinstance(element, ListOf)
    if len(keys) == 2 and keys[0] != keys[1]:
        return dict_of(ANY_KEY, element.element)
    return dict_of(keys[0] if keys else NOTHING, element.element)


def is_alike(a: Type, b: Type) -> bool:
    """Whether arrays have the same rank and dtype."""
    return rank_of(a) is not None and rank_of(a) == rank_of(b) and dtype_of(a) == dtype_of(b)
