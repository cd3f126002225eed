"""What type has an item, a slice or a reshaped array, when the index is basic?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.ops import Arg, Lit, Seq, Slice, Var
from ..ir.types import (
    KIND_OF,
    Array,
    Dim,
    ListOf,
    Opaque,
    Scalar,
    TupleOf,
    Type,
    dtype_of,
)
from .dummies import InferenceError, int_size, int_value, plain_type


def index_type(base: Arg, index: Arg) -> Type | None:
    """The type of ``base[index]`` for basic indices; None where another way must find it."""
    type = plain_type(base)
    if isinstance(type, TupleOf) and isinstance(index, Lit) and isinstance(index.value, int):
        return type.items[index.value]
    if isinstance(type, ListOf):
        return type if isinstance(index, Slice) else type.element
    if not isinstance(type, Array) or type.shape is None:
        return None
    parts = index.items if isinstance(index, Seq) and index.kind is tuple else (index,)
    if not all(is_basic(p) for p in parts):
        return None
    consumed = sum(1 for p in parts if not (isinstance(p, Lit) and (p.value is None or p.value is Ellipsis)))
    if consumed > len(type.shape):
        raise InferenceError(f"too many indices: array is {len(type.shape)}-dimensional")
    dims = list(type.shape)
    out: list[Dim | int] = []
    for part in _without_ellipsis(parts, len(dims) - consumed):
        if isinstance(part, Lit) and part.value is None:
            out.append(1)
        elif isinstance(part, Slice):
            out.append(_sliced(dims.pop(0), part))
        else:
            dims.pop(0)
    shape = (*out, *dims)
    keeps_array = any(isinstance(p, Lit) and p.value is Ellipsis for p in parts)
    if not shape and not keeps_array:
        return Scalar(KIND_OF[type.dtype.kind], type.dtype) if type.dtype.kind in KIND_OF else Opaque()
    return Array(type.dtype, shape)


def _without_ellipsis(parts: tuple[Arg, ...], missing: int) -> list[Arg]:
    full = Slice(Lit(None), Lit(None), Lit(None))
    out: list[Arg] = []
    for part in parts:
        out += [full] * missing if isinstance(part, Lit) and part.value is Ellipsis else [part]
    return out


def is_basic(part: Arg) -> bool:
    if isinstance(part, Slice):
        return True
    if isinstance(part, Lit):
        return (
            part.value is None
            or part.value is Ellipsis
            or (isinstance(part.value, (int, np.integer)) and not isinstance(part.value, bool))
        )
    return isinstance(part, Var) and isinstance(part.type, Scalar) and part.type.kind == "int"


def _sliced(dim: Dim | int, part: Slice) -> Dim | int:
    start, stop, step = (int_value(p) for p in (part.start, part.stop, part.step))
    if all(x is None or isinstance(x, int) for x in (start, stop, step)):
        if isinstance(dim, int):
            return len(range(*slice(start, stop, step).indices(dim)))
        if start in (None, 0) and stop is None and step in (None, 1, -1):
            return dim
        if step in (None, 1) and (start is None or start >= 0) and (stop is None or stop < 0):
            return dim - (start or 0) + (stop or 0)
        if isinstance(dim, Dim) and all(-dim.least <= n <= dim.least for n in (start or 0, stop or 0)):
            fixed = range(*slice(start, stop, step).indices(dim.least))
            if len(fixed) == len(range(*slice(start, stop, step).indices(dim.least + 1))):
                return len(fixed)  # the same for this length and all above
    if part.start is not None and start in (None, 0) and step in (None, 1) and stop == dim:
        return dim
    keys = tuple(_bound_key(p) for p in (part.start, part.stop, part.step))
    return Dim.symbol(("slice", dim, *keys))


def _bound_key(part: Arg) -> Any:
    value = int_value(part)
    return ("var", part.id) if value is ... and isinstance(part, Var) else value


def reshaped(type: Type, shape: Arg) -> Type | None:
    parts = shape.items if isinstance(shape, Seq) else (shape,)
    if not isinstance(type, (Array, Scalar)) or not all(
        isinstance(p, (Var, Lit)) and is_basic(p) for p in parts
    ):
        return None
    dims = [int_size(p) for p in parts]
    if -1 in dims:
        rest = type.shape[0] if len(dims) == 1 and isinstance(type, Array) and type.ndim == 1 else None  # type: ignore[index]
        dims[dims.index(-1)] = rest if rest is not None else Dim.fresh()
    return Array(dtype_of(type), tuple(dims))  # type: ignore[arg-type]
