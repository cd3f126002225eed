"""Which type has a value that has one of two?"""

from __future__ import annotations

import numpy as np

from ..ir.types import (
    Array,
    Dim,
    ListOf,
    Opaque,
    Optional,
    Scalar,
    TupleOf,
    Type,
    dtype_of,
    kind_of,
    list_of,
    of_arguments,
    rank_of,
)

NOTHING = Opaque("nothing")  # the type of the elements of a list that has none yet
ORDER = ("bool", "int", "float", "complex")


class ShapeChange(Exception):
    """The structure of a value changes in a way that has no static description."""


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
        return list_of(join(a.element, b.element))
    if isinstance(a, TupleOf) and isinstance(b, TupleOf) and len(a.items) == len(b.items):
        return TupleOf(tuple(map(join, a.items, b.items)))
    if (
        isinstance(a, (Scalar, Array))
        and isinstance(b, (Scalar, Array))
        and "other" not in (kind_of(a), kind_of(b))
    ):
        return _join_numbers(a, b)
    if isinstance(a, Opaque) and isinstance(b, Opaque):
        return Opaque()
    raise ShapeChange(f"it is {a} on one path and {b} on another")


def is_none(type: Type) -> bool:
    return isinstance(type, Opaque) and type.name == "None"


def _join_sizes(a: Type, b: Type) -> Type:
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.size != b.size:
        return Scalar(a.kind, a.dtype)
    return a


def _join_numbers(a: Scalar | Array, b: Scalar | Array) -> Type:
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        kind = max(a.kind, b.kind, key=ORDER.index)
        if a.dtype is None and b.dtype is None:
            return Scalar(kind)
        typed = [t for t in (a, b) if t.dtype is not None]
        if len(typed) == 1 and typed[0].kind == kind and typed[0].dtype in (np.float64, np.complex128):
            return Scalar(kind)  # perhaps Python's own, whose division raises
        if len(typed) == 1 and typed[0].kind == kind:
            return typed[0] if typed[0].kind != "int" else Scalar(kind, typed[0].dtype)
        return Scalar(kind, np.result_type(dtype_of(a), dtype_of(b)))
    arrays = [t for t in (a, b) if isinstance(t, Array)]
    if len(arrays) == 1 and isinstance(a if arrays[0] is b else b, Scalar):
        number = a if arrays[0] is b else b
        dtype = (
            arrays[0].dtype
            if ORDER.index(number.kind) <= ORDER.index(arrays[0].kind)
            else np.result_type(dtype_of(a), dtype_of(b))
        )
        return Array(dtype, None)
    dtype = np.result_type(dtype_of(a), dtype_of(b))
    if rank_of(a) is None or rank_of(a) != rank_of(b):
        return Array(dtype, None)
    shape = tuple(x if x == y else Dim.fresh() for x, y in zip(*(t.shape or () for t in arrays), strict=True))
    return Array(dtype, shape)


def join_carried(old: Type, found: Type, own: set[Dim]) -> Type:
    """The join of what a loop carries with what a pass leaves.

    A length that changes gets a symbol of its own, once (``own``): it stands for the length in any pass.
    """
    joined = join(old, found)
    if (
        not isinstance(joined, Array)
        or not isinstance(old, Array)
        or joined.shape is None
        or old.shape is None
    ):
        return joined
    dims = []
    for before, after in zip(old.shape, joined.shape, strict=True):
        if before != after and before not in own:
            before = Dim.fresh()
            own.add(before)
        dims.append(before)
    return Array(joined.dtype, tuple(dims))


def renewed(type: Type, first: Type | None) -> Type:
    """The type of a value after a loop: lengths that the loop may have changed are other unknown ones."""
    if isinstance(type, ListOf):
        return list_of(type.element)
    if isinstance(type, Optional):
        return Optional(renewed(type.value, first.value if isinstance(first, Optional) else first))
    if isinstance(type, TupleOf):
        return TupleOf(tuple([renewed(t, None) for t in type.items]))
    if not isinstance(type, Array) or type.shape is None:
        return type
    before = (
        first.shape
        if isinstance(first, Array) and first.shape is not None and first.ndim == type.ndim
        else None
    )
    return Array(
        type.dtype,
        tuple(
            d
            if isinstance(d, int) or of_arguments(d) or before is not None and before[i] == d
            else Dim.fresh()
            for i, d in enumerate(type.shape)
        ),
    )


def join_lists(a: Type, b: Type) -> Type:
    """Lists of no element yet have the other's type."""
    assert isinstance(a, ListOf) and isinstance(b, ListOf)
    if a.element == NOTHING:
        return list_of(b.element)
    return a if b.element == NOTHING else list_of(join(a.element, b.element))
