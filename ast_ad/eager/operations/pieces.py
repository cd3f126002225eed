"""How is a tensor taken apart? Into several views at once, diagonals, windows, real and imaginary parts."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...rules.torch import shapes as torch_shapes, views as torch_views
from ..dispatch import Operation
from ..dtypes import scalar_name
from ..recording import make_node
from ..state import state
from ..surface import function, method
from ..tensor import Tensor
from ..viewing import fresh, look, look_several
from ..views import check_inference, check_inplace, move_retain, steps_of
from .dimensions import axis_of
from .indexing import select_at, slice_at

UNBIND = Operation(torch_views.unbound, "UnbindBackward0")
SPLIT = Operation(torch_views.pieces, "SplitBackward0")
SPLIT_SIZES = Operation(torch_views.pieces, "SplitWithSizesBackward0")
DIAGONAL = Operation(np.diagonal, "DiagonalBackward0")
DIAGONAL_COPY = Operation(np.diagonal, "DiagonalBackward0_copy")
DIAG_EMBED = Operation(torch_shapes.diag_embed, "DiagEmbedBackward0")
UNFOLD = Operation(torch_shapes.unfold, "UnfoldBackward0")
AS_REAL = Operation(torch_views.as_real, "ViewAsRealBackward0")
AS_COMPLEX = Operation(torch_views.as_complex, "ViewAsComplexBackward0")


# ----- several views


@function()
def unbind(input: Tensor, dim: int = 0) -> tuple[Any, ...]:
    """The slices along a dimension, as views: ``(2, ...) -> (...), (...)``."""
    if input._array.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    axis = axis_of(input._array.ndim, dim)
    before = (slice(None),) * axis
    steps = [(operator.getitem, ((*before, i, ...),)) for i in range(input._array.shape[axis])]
    return look_several(UNBIND, input, (axis,), steps)


def _cut(op: Operation, t: Tensor, sizes: Sequence[int], axis: int) -> tuple[Any, ...]:
    before, start, steps = (slice(None),) * axis, 0, []
    for n in sizes:
        steps.append((operator.getitem, ((*before, slice(start, start + n), ...),)))
        start += n
    return look_several(op, t, (tuple(sizes), axis), steps)


def _equal_parts(t: Tensor, size: int, axis: int) -> tuple[Any, ...]:
    n = t._array.shape[axis]
    if size == 0:
        return _cut(SPLIT, t, [0], axis)
    return _cut(SPLIT, t, [min(size, n - i) for i in range(0, n, size)] or [0], axis)


@function()
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Consecutive pieces of a length, or of the lengths in a list, as views.

    Shapes: ``split_size_or_sections=3``: ``(5, ...) -> (3, ...), (2, ...)``.
    """
    if isinstance(split_size_or_sections, (list, tuple)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    if tensor._array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis, size = axis_of(tensor._array.ndim, dim), int(split_size_or_sections)
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    n = tensor._array.shape[axis]
    if size == 0 and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    return _equal_parts(tensor, size, axis)


@function()
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Any, ...]:
    """Consecutive pieces of the given lengths, as views.

    Shapes: ``split_sizes=(2, 3)``: ``(5, ...) -> (2, ...), (3, ...)``.
    """
    if input._array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis, sizes = axis_of(input._array.ndim, dim), [int(n) for n in split_sizes]
    n = input._array.shape[axis]
    if any(s < 0 for s in sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={sizes}"
        )
    if sum(sizes) != n:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension "
            f"{axis}), but got split_sizes={sizes}"
        )
    return _cut(SPLIT_SIZES, input, sizes, axis)


@function()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """At most so many pieces of equal length (the last may be shorter), as views.

    Shapes: ``chunks=2``: ``(5, ...) -> (3, ...), (2, ...)``.
    """
    if input._array.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    axis = axis_of(input._array.ndim, dim)
    n = input._array.shape[axis]
    if n == 0:
        return _cut(SPLIT_SIZES, input, [0] * chunks, axis)
    return _equal_parts(input, -(-n // chunks), axis)


@function()
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Pieces that end at given places, or so many of nearly equal length, as views.

    Shapes: ``indices_or_sections=2``: ``(5, ...) -> (3, ...), (2, ...)``.
    """
    if input._array.ndim == 0:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    axis, given = axis_of(input._array.ndim, dim), indices_or_sections
    if isinstance(given, Tensor):
        if given._array.dtype != np.int64:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                + scalar_name(given._array.dtype)
            )
        given = given.tolist()
    n = input._array.shape[axis]
    if isinstance(given, int):
        if given <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {given}")
        ends = list(np.cumsum([n // given + (i < n % given) for i in range(given)]))
        starts = [0, *ends[:-1]]
    else:
        starts, ends = [0, *given], [*given, n]
    return tuple(slice_at(input, axis, slice(int(a), int(b))) for a, b in zip(starts, ends, strict=True))


def _splitter(name: str, least: int, axis: int) -> Any:
    def cut(input: Tensor, indices_or_sections: Any) -> tuple[Any, ...]:
        ndim, along = input._array.ndim, 0 if name == "hsplit" and input._array.ndim == 1 else axis
        if ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                f"{ndim} dimensions!"
            )
        n = input._array.shape[along]
        if isinstance(indices_or_sections, int) and (indices_or_sections == 0 or n % indices_or_sections):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {along}, but the size of the dimension {n} "
                f"is not divisible by the split_size {indices_or_sections}!"
            )
        return tensor_split(input, indices_or_sections, along)

    cut.__name__, cut.__doc__ = name, f"``tensor_split`` along dimension {axis}."
    return function(name)(cut)


hsplit, vsplit, dsplit = _splitter("hsplit", 1, 1), _splitter("vsplit", 2, 0), _splitter("dsplit", 3, 2)


# ----- diagonals and windows


@function()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A diagonal of each matrix, as a view with the diagonal along the last dimension.

    Shapes: ``(m, n, ...) -> (..., min(m, n))``.
    """
    return _diagonal(DIAGONAL, input, offset, dim1, dim2)


def _diagonal(op: Operation, t: Tensor, offset: int, dim1: int, dim2: int) -> Any:
    a, b = axis_of(t._array.ndim, dim1), axis_of(t._array.ndim, dim2)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    if op is DIAGONAL_COPY:
        return fresh(op, t, offset, a, b)
    array = np.diagonal(t._array, offset, a, b)
    array.flags.writeable = t._array.flags.writeable
    return look(op, t, offset, a, b, array=array)


@function()
def diag(input: Tensor, diagonal: int = 0) -> Any:
    """The diagonal of a matrix, as a copy; the diagonal matrix of a vector.

    Shapes: ``(m, n) -> (min(m, n))``, ``(n) -> (n, n)``.
    """
    if input._array.ndim == 1:
        return diag_embed(input, diagonal)
    if input._array.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")
    return _diagonal(DIAGONAL_COPY, input, diagonal, 0, 1)


@function()
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the last dimension of ``input`` on a diagonal: ``(..., n) -> (..., n, n)``."""
    n = input._array.ndim + 1
    a, b = axis_of(n, dim1), axis_of(n, dim2)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return fresh(DIAG_EMBED, input, offset, a, b)


@method()
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Any:
    """The windows of a length along a dimension, as a view with their elements along a new last dimension.

    Shapes: ``dimension=-1``: ``(..., n) -> (..., (n - size) // step + 1, size)``.
    """
    x = self._array
    axis = axis_of(x.ndim, dimension)
    n = x.shape[axis] if x.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    stride = x.strides[axis] if x.ndim else x.itemsize
    count = (n - size) // step + 1
    shape = (*x.shape[:axis], *((count,) if x.ndim else ()), *x.shape[axis + 1 :], size)
    strides = (*x.strides[:axis], *((stride * step,) if x.ndim else ()), *x.strides[axis + 1 :], stride)
    array = np.lib.stride_tricks.as_strided(x, shape, strides)
    return look(UNFOLD, self, axis, size, step, array=array)


# ----- complex numbers


@function()
def view_as_real(input: Tensor) -> Any:
    """Complex numbers as pairs along a new last dimension, as a view: ``(...) -> (..., 2)``."""
    if input._array.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return look(AS_REAL, input)


@function()
def view_as_complex(input: Tensor) -> Any:
    """Pairs along the last dimension as complex numbers, as a view: ``(..., 2) -> (...)``."""
    from ..dtypes import scalar_name

    x = input._array
    if x.dtype.kind != "f":
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
            f"scalar type: {scalar_name(x.dtype)}"
        )
    if x.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if x.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if x.strides[-1] != x.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % (2 * x.itemsize) for s in x.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return look(AS_COMPLEX, input)


def _part(t: Tensor, i: int) -> Any:
    pairs = view_as_real(t)
    return select_at(pairs, pairs._array.ndim - 1, i)


@function("real", method=False)
def real(input: Tensor) -> Any:
    """The real parts, as a view; of a real tensor itself."""
    return _part(input, 0) if input._array.dtype.kind == "c" else input


@function("imag", method=False)
def imag(input: Tensor) -> Any:
    """The imaginary parts, as a view."""
    if input._array.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return _part(input, 1)


def _write_real(self: Tensor, value: Any) -> None:
    real(self).copy_(value)


def _write_imag(self: Tensor, value: Any) -> None:
    imag(self).copy_(value)


Tensor.real = property(real, _write_real)  # type: ignore[attr-defined]
Tensor.imag = property(imag, _write_imag)  # type: ignore[attr-defined]


# ----- at least so many dimensions


def _at_least(n: int) -> Any:
    def raised(*tensors: Any) -> Any:
        given = tensors[0] if len(tensors) == 1 else tensors
        if isinstance(given, (list, tuple)):
            return tuple(_raised(t, n) for t in given)
        return _raised(given, n)

    raised.__name__, raised.__doc__ = f"atleast_{n}d", f"Tensors with at least {n} dimensions."
    return function(f"atleast_{n}d", method=False)(raised)


def _raised(t: Tensor, n: int) -> Any:
    ndim = t._array.ndim
    if ndim == 0:
        return t.reshape((1,) * n)
    if ndim == 1 and n > 1:
        t = t.unsqueeze(0)
    return t.unsqueeze(-1) if n == 3 and ndim < 3 else t


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)


@function(method=False)
def unravel_index(indices: Tensor, shape: Any) -> tuple[Any, ...]:
    """The coordinates of flat places in a tensor of a shape, one tensor for each dimension."""
    sizes = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    return tuple(Tensor._of(part) for part in np.unravel_index(indices._array, sizes))


# ----- another shape in place


def reshaped_in_place(
    op: Operation, t: Tensor, array: np.ndarray, *args: Any, from_base: Any = None
) -> Tensor:
    """Let ``t`` itself be the view ``op.fn(t, *args)`` of its memory.

    ``from_base``: the step from the base of a view to it, where that is not one more step.
    """
    recorded = state.grad and t.requires_grad
    if recorded:
        check_inplace(t)
    check_inference(t)
    node = None
    if recorded and t._array.dtype.kind in "fc":
        active = (True, *(False,) * len(args))
        node = make_node(op, (t, *args), (t._array, *args), array, {}, active, None)
    before, t._array = t._array, array
    t._version_counter[0] += 1
    if t._view is not None:
        t._view.steps = (from_base,) if from_base else (*steps_of(t._view, before), (op.fn, args))
        t._view.origin = t._view.base._array
    if node is not None:
        if t._view is not None:  # else the history is derived anew from that of the base, along the new steps
            t._view.version = t._version_counter[0]
        move_retain(t, node)
        t._node, t._nr, t._requires_grad = node, 0, True
    return t


def _op(fn: Any, name: str) -> Operation:
    return Operation(fn, name)


SQUEEZES = [_op(np.reshape, f"SqueezeBackward{i}") for i in (3, 4, 5)]
UNSQUEEZE_IN_PLACE = _op(np.reshape, "UnsqueezeBackward1")
T_IN_PLACE, TRANSPOSE_IN_PLACE = _op(np.transpose, "TBackward1"), _op(np.swapaxes, "TransposeBackward1")


@method()
def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """``squeeze`` in place."""
    view = self.detach().squeeze(*(() if dim is None else (dim,)))._array
    op = SQUEEZES[0 if dim is None else 2 if isinstance(dim, (tuple, list)) else 1]
    return reshaped_in_place(op, self, view, view.shape)


@method()
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """``unsqueeze`` in place."""
    view = self.detach().unsqueeze(dim)._array
    return reshaped_in_place(UNSQUEEZE_IN_PLACE, self, view, view.shape)


@method()
def t_(self: Tensor) -> Tensor:
    """``t`` in place."""
    return reshaped_in_place(T_IN_PLACE, self, self.detach().t()._array)


@method("transpose_", "swapaxes_", "swapdims_")
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """``transpose`` in place."""
    n = self._array.ndim
    a, b = axis_of(n, dim0), axis_of(n, dim1)
    return (
        reshaped_in_place(TRANSPOSE_IN_PLACE, self, np.swapaxes(self._array, a, b), a, b) if n else t_(self)
    )
