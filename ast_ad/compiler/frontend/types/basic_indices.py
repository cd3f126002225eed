"""What type has an item, a slice or a reshaped array, when the index is basic?"""

from __future__ import annotations

import numpy as np

from ...ir.alternatives import alternatives, is_mixed, united, widest
from ...ir.ops import Arg, Lit, Seq, Slice, Var
from ...ir.spans import reshaped as reshaped_lengths, sliced
from ...ir.types import (
    KIND_OF,
    Array,
    Dim,
    ListOf,
    Opaque,
    Scalar,
    TupleOf,
    Type,
    dtype_of,
    element_of,
    kind_of,
)
from .dummies import InferenceError, int_size, plain_type


def index_type(base: Arg, index: Arg) -> Type | None:
    """The type of ``base[index]`` for basic indices; None where another way must find it."""
    type = plain_type(base)
    if isinstance(type, TupleOf) and isinstance(index, Lit) and isinstance(index.value, int):
        return type.items[index.value]
    if isinstance(type, ListOf):
        return type if isinstance(index, Slice) else element_of(type)
    if not isinstance(type, Array) or type.shape is None:
        return None
    if is_mixed(type):
        found = [index_type(Var(t), index) for t in (widest(type), *alternatives(type))]
        return united(found[0], found[1:]) if all(found) else None
    parts = index.items if isinstance(index, Seq) and index.kind is tuple else (index,)
    parts = tuple(map(_as_slice, parts))
    if not all(is_basic(p) for p in parts):
        return None
    consumed = sum(1 for p in parts if not (isinstance(p, Lit) and (p.value is None or p.value is Ellipsis)))
    if consumed > len(type.shape):
        raise InferenceError(f"too many indices: array is {len(type.shape)}-dimensional")
    dims = list(type.shape)
    out: list[Dim | int] = []
    for part in without_ellipsis(parts, len(dims) - consumed):
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


def chosen_type(base: Arg, mask: Arg) -> Type | None:
    """The type of ``base[mask]`` of booleans, or None: as long as whatever else the same ones choose.

    One boolean chooses, too: all of the array or nothing.

    >>> x, y, mask = (Var(Array(np.dtype(t), (3,))) for t in (float, float, bool))
    >>> chosen_type(x, mask) == chosen_type(y, mask), chosen_type(x, y)
    (True, None)
    """
    type = plain_type(base)
    if not isinstance(mask, Var) or not isinstance(type, Array) or is_mixed(type) or is_mixed(mask.type):
        return None
    if type.shape is None or kind_of(mask.type) != "bool":
        return None
    rank = len(mask.type.shape or ()) if isinstance(mask.type, Array) else 0
    if rank > len(type.shape):
        return None
    mask.chooses = mask.chooses or Dim.fresh()
    return Array(type.dtype, (mask.chooses, *type.shape[rank:]))


def without_ellipsis(parts: tuple[Arg, ...], missing: int) -> list[Arg]:
    """The index with full slices where it has an ellipsis; what is ``missing`` at its end is left out."""
    full = Slice(Lit(None), Lit(None), Lit(None))
    out: list[Arg] = []
    for part in parts:
        out += [full] * missing if isinstance(part, Lit) and part.value is Ellipsis else [part]
    return out


def _as_slice(part: Arg) -> Arg:
    """A slice object as the slice that it is."""
    if not (isinstance(part, Lit) and isinstance(part.value, slice)):
        return part
    return Slice(Lit(part.value.start), Lit(part.value.stop), Lit(part.value.step))


def is_basic(part: Arg) -> bool:
    if isinstance(part, Slice):
        return True
    if isinstance(part, Lit):
        return (
            part.value is None
            or part.value is Ellipsis
            or (isinstance(part.value, (int, np.integer)) and not isinstance(part.value, bool))
        )
    return isinstance(part, Var) and any(
        isinstance(type, Scalar) and type.kind == "int" for type in alternatives(part.type)
    )


def _sliced(dim: Dim | int, part: Slice) -> Dim | int:
    bounds = [int_size(p) for p in (part.start, part.stop, part.step)]
    return Dim.fresh() if ... in bounds or 0 in bounds[2:] else sliced(dim, *bounds)


def reshaped(type: Type, shape: Arg) -> Type | None:
    parts = shape.items if isinstance(shape, Seq) else (shape,)
    if not isinstance(type, (Array, Scalar)) or not all(
        isinstance(p, (Var, Lit)) and is_basic(p) for p in parts
    ):
        return None
    known = type.shape if isinstance(type, Array) else ()
    dims = reshaped_lengths((Dim.fresh(),) if known is None else known, [int_size(p) for p in parts])
    return Array(dtype_of(type), tuple(Dim.fresh() if n is None else n for n in dims))  # type: ignore[arg-type]
