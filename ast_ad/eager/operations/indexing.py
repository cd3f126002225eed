"""What do ``x[index]`` and ``x[index] = value`` mean? Integers, slices and None give views, step by step.

Lists, masks and tensors pick elements; they are applied to the view that the rest of the index gives.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.torch import views as torch_views
from ..dispatch import Operation, apply, inplace
from ..dtypes import scalar_name
from ..state import state
from ..surface import attach, function, method
from ..tensor import Tensor
from ..viewing import look, restrided
from .dimensions import axis_of
from .writing import FILL_TENSOR, as_number, copy_, fits

SELECT = Operation(operator.getitem, "SelectBackward0")
SLICE = Operation(operator.getitem, "SliceBackward0")
UNSQUEEZE = Operation(operator.getitem, "UnsqueezeBackward0")
ALIAS = Operation(torch_views.same, "AliasBackward0")
INDEX = Operation(operator.getitem, "IndexBackward0", ("self", "indices"))
INDEX_PUT = Operation(helpers.setitem, "IndexPutBackward0", ("self", "indices", "values"))
INDEX_ADD = Operation(helpers.add_at, "IndexPutBackward0", ("self", "indices", "values"))
ALL = slice(None)
PLAIN = {int, type(None)}
BASIC = {int, slice, type(None), type(Ellipsis)}
SEEN: Any = object()  # a dimension that a mask before it covers


# ----- one dimension


def select_at(t: Tensor, axis: int, i: int) -> Any:
    """The slice of ``t`` at place ``i`` of ``axis``, without the axis."""
    n = t._array.shape[axis]
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for dimension {axis} with size {n}")
    return look(SELECT, t, (ALL,) * axis + (i, ...))


def slice_at(t: Tensor, axis: int, part: slice) -> Any:
    """``start:stop:step`` of one axis."""
    return look(SLICE, t, (ALL,) * axis + (part, ...))


def unsqueeze_at(t: Tensor, axis: int) -> Any:
    """A new axis of length 1."""
    x = t._array
    step = x.shape[axis] * x.strides[axis] if axis < x.ndim else x.itemsize
    shape, strides = (*x.shape[:axis], 1, *x.shape[axis:]), (*x.strides[:axis], step, *x.strides[axis:])
    array = restrided(x, shape, strides)  # NumPy's own way gives the new axis a stride of 0
    return look(UNSQUEEZE, t, (ALL,) * axis + (None, ...), array=array)


@function()
def select(input: Tensor, dim: int, index: int) -> Any:
    """The slice at ``index`` of a dimension, as a view without that dimension.

    Shapes: ``dim=0``: ``(n, ...) -> (...)``.
    """
    if input._array.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis, i = axis_of(input._array.ndim, dim), int(index)
    n = input._array.shape[axis]
    if not -n <= i < n:
        raise IndexError(
            f"select(): index {i} out of range for tensor of size {list(input._array.shape)} at dimension "
            f"{axis}"
        )
    return select_at(input, axis, i)


@function()
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Any:
    """``length`` slices from ``start`` on, along a dimension, as a view.

    Shapes: ``dim=0``: ``(n, ...) -> (length, ...)``.
    """
    if input._array.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    axis, start = axis_of(input._array.ndim, dim), int(start)
    n = input._array.shape[axis]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return slice_at(input, axis, slice(start, start + length))


# ----- the parts of an index


def _listed(index: Any) -> tuple[Any, ...]:
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and any(
        i is None or i is Ellipsis or isinstance(i, (slice, list, tuple, Tensor, np.ndarray)) for i in index
    ):
        return tuple(index)
    return (index,)


def _number(part: Any) -> Any:
    """The integer that a part is, or None."""
    kind = part.__class__
    if kind is int:
        return part
    if kind is bool or part is None or isinstance(part, (slice, list, tuple)) or part is Ellipsis:
        return None
    array = part._array if isinstance(part, Tensor) else part
    if isinstance(array, (np.ndarray, np.generic)):
        return (
            int(array) if array.ndim == 0 and array.dtype.kind in "iu" and array.dtype != np.uint8 else None
        )
    return operator.index(part) if hasattr(part, "__index__") else None


def _picker(part: Any) -> np.ndarray:
    """The array behind a list, mask or tensor of an index."""
    array = part._array.copy() if isinstance(part, Tensor) else np.asarray(_plain(part))
    if array.size == 0 and not isinstance(part, (Tensor, np.ndarray)):
        array = array.astype(np.int64)
    if array.dtype == np.uint8:
        array = array.astype(bool)
    if array.dtype.kind not in "iub":
        if isinstance(part, (list, tuple)) and array.dtype.kind == "f":
            return array.astype(np.int64)
        if isinstance(part, (Tensor, np.ndarray, list, tuple)) and array.dtype.kind in "fc":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if array.dtype.kind in "US":
            raise TypeError(f"new(): invalid data type '{type(part).__name__}'")
        raise IndexError(
            f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
            f"indices (got {type(part).__name__})"
        )
    return array


def _plain(part: Any) -> Any:
    if isinstance(part, (list, tuple)):
        return [_plain(item) for item in part]
    return part._array if isinstance(part, Tensor) else part


def _bounds(part: slice) -> slice:
    """A slice of plain integers."""
    start, stop, step = part.start, part.stop, part.step
    if step is None and start.__class__ in PLAIN and stop.__class__ in PLAIN:
        return part
    start, stop, step = (
        None if p is None else int(p._array) if isinstance(p, Tensor) else operator.index(p)
        for p in (start, stop, step)
    )
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step is not None and step < 0 and not state.rules:
        raise ValueError("step must be greater than zero")
    return slice(start, stop, step)


def _located(t: Tensor, index: Any, keep: bool) -> tuple[Any, tuple[Any, ...] | None]:
    """The view that the basic parts of an index give, and the subscript that is left for it, if any.

    ``keep``: a lone full slice is a view of its own.
    """
    parts = [p if p.__class__ in BASIC or (n := _number(p)) is None else n for p in _listed(index)]
    if len(parts) == 1 and isinstance(parts[0], slice) and keep and t._array.ndim:
        return slice_at(t, 0, _bounds(parts[0])), None
    pickers = {i: _picker(p) for i, p in enumerate(parts) if p.__class__ not in BASIC}
    free = _free_dimensions(t._array.ndim, parts, pickers)
    view, axis = t, 0
    left: list[Any] = []
    for i, part in enumerate(parts):
        if i in pickers:
            picker = pickers[i]
            if picker.ndim == 0 and picker.dtype == bool:
                view, picker = unsqueeze_at(view, axis), picker[None]
            left += (
                [ALL] * (axis - len(left)) + [picker] + [SEEN] * (picker.ndim - 1 if _is_mask(picker) else 0)
            )
            axis = len(left)
        elif part.__class__ is int:
            view = select_at(view, axis, part)
        elif part is None:
            view, axis = unsqueeze_at(view, axis), axis + 1
        elif part is Ellipsis:
            axis += free
        else:
            bounds = _bounds(part)
            if not _is_full(bounds, view._array.shape[axis]):
                view = slice_at(view, axis, bounds)
            axis += 1
    return view, _subscript(view._array.shape, left) if pickers else None


def _is_mask(picker: np.ndarray) -> bool:
    return bool(picker.dtype == bool)


def _is_full(part: slice, n: int) -> bool:
    return part.start in (None, 0) and part.step in (None, 1) and (part.stop is None or part.stop >= n)


def _free_dimensions(ndim: int, parts: list[Any], pickers: dict[int, np.ndarray]) -> int:
    """How many dimensions an Ellipsis stands for.

    Raises:
        IndexError: the index names more dimensions than there are.
    """
    used = sum(part.__class__ in (int, slice) for part in parts)
    used += sum(p.ndim if _is_mask(p) else 1 for p in pickers.values())
    if used <= ndim:
        return ndim - used
    if ndim == 0 and len(parts) == 1 and parts[0].__class__ is int:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
            "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        )
    if ndim == 0 and len(parts) == 1 and isinstance(parts[0], slice):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    raise IndexError(f"too many indices for tensor of dimension {ndim}")


def _subscript(shape: tuple[int, ...], left: list[Any]) -> tuple[Any, ...]:
    """A subscript of full slices and integer arrays, which fit together and into ``shape``.

    Raises:
        IndexError: they don't.
    """
    found: list[Any] = []
    for axis, picker in enumerate(left):
        if picker is ALL:
            found.append(ALL)
        elif picker is not SEEN:
            found += _places(picker, shape, axis) if _is_mask(picker) else [picker]
    arrays = [p for p in found if p is not ALL]
    try:
        np.broadcast_shapes(*[p.shape for p in arrays])
    except ValueError:
        said = ", ".join(str(list(p.shape)) for p in arrays)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {said}"
        ) from None
    which = 0
    for picker, n in zip(found, shape, strict=False):
        if picker is ALL:
            continue
        outside = (picker < -n) | (picker >= n)
        if outside.any():
            wrong = picker[outside].flat[0]
            raise IndexError(f"index {wrong} is out of bounds for dimension {which} with size {n}")
        which += 1
    return tuple(found)


def _places(mask: np.ndarray, shape: tuple[int, ...], axis: int) -> list[Any]:
    """A mask at ``axis`` as an integer array for each of its dimensions."""
    for k, n in enumerate(mask.shape):
        if shape[axis + k] != n:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {k} does not match the shape of the "
                f"indexed tensor {list(shape)} at index {axis + k}"
            )
    return list(np.nonzero(mask))


# ----- reading and writing


def getitem(self: Tensor, index: Any) -> Any:
    """``self[index]``: a view, or a copy where the index holds a list, a mask or a tensor."""
    if index.__class__ is int and self._array.ndim:
        return select_at(self, 0, index)
    view, subscript = _located(self, index, True)
    if subscript is not None:
        found = apply(INDEX, (view, subscript))
        if not found._array.flags.c_contiguous:
            found._array = np.ascontiguousarray(found._array)
        return found
    return look(ALIAS, self) if view is self else view


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """``self[index] = value``, in place."""
    view, subscript = _located(self, index, False)
    if subscript is None:
        _assign(view, value)
        return
    if not isinstance(value, Tensor):
        value = Tensor._of(as_number(value, self._array.dtype))
    put_at(view, subscript, value, False)


def _assign(view: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        if isinstance(value, np.ndarray) and value.ndim:
            raise TypeError(f"can't assign a numpy.ndarray to a {view.type()}")
        value = Tensor._of(as_number(value, view._array.dtype))
    if value._array.ndim == 0 and view._array.ndim:
        inplace(FILL_TENSOR, view, value)
        return
    if value._array.shape != view._array.shape:
        value = value.view(_without_ones(value._array.shape)).expand(view._array.shape)
    copy_(view, value)


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape from its first length on that is not 1."""
    first = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return shape[first:]


def put_at(t: Tensor, subscript: Any, value: Tensor, accumulate: bool) -> Tensor:
    """Write the elements of ``value`` to the places that ``subscript`` names, in place."""
    if value._array.dtype != t._array.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{scalar_name(t._array.dtype)} for the destination and "
            f"{scalar_name(value._array.dtype)} for the source."
        )
    wanted, given = t._array[subscript].shape, value._array.shape
    if given and given[0] == 1:
        value = value.view(_without_ones(given))
    if not fits(value._array.shape, wanted):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing result of "
            f"shape {list(wanted)}"
        )
    return inplace(INDEX_ADD if accumulate else INDEX_PUT, t, subscript, value)


def _named(t: Tensor, indices: Any) -> tuple[Any, ...]:
    left: list[Any] = []
    for part in indices:
        if part is None:
            left.append(ALL)
            continue
        picker = _picker(part)
        left += [picker] + [SEEN] * (picker.ndim - 1 if _is_mask(picker) else 0)
    return _subscript(t._array.shape, left)


@method()
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write ``values`` to the places that a tuple of index tensors names; ``accumulate`` adds them."""
    return put_at(self, _named(self, indices), values, accumulate)


@function()
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of ``input`` with ``values`` at the places that a tuple of index tensors names."""
    subscript = _named(input, indices)
    return apply(INDEX_ADD if accumulate else INDEX_PUT, (input, subscript, values))


attach("__getitem__", getitem)
attach("__setitem__", setitem)
