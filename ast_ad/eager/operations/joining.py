"""How are tensors joined, repeated and turned around? Into new memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...rules.torch import indexing as torch_indexing, shapes as torch_shapes, views as torch_views
from ..dispatch import Operation, apply
from ..dtypes import promote_types
from ..memory_formats import is_in_format
from ..metadata import channels_last, contiguous_format
from ..surface import function
from ..tensor import Tensor
from ..viewing import fresh
from .creation import empty
from .dimensions import axis_of
from .pieces import atleast_2d, atleast_3d
from .shapes import expand, reshape

CAT = Operation(np.concatenate, "CatBackward0", ("tensors",))
STACK = Operation(np.stack, "StackBackward0", ("tensors",))
FLIP = Operation(np.flip, "FlipBackward0")
ROLL = Operation(np.roll, "RollBackward0")
ROT90 = Operation(np.rot90, "Rot90Backward0")
REPEAT = Operation(torch_views.repeated, "RepeatBackward0")
TRIL = Operation(np.tril, "TrilBackward0")
TRIU = Operation(np.triu, "TriuBackward0")
BLOCK_DIAG = Operation(torch_shapes.block_diag, "BlockDiagBackward0", ("tensors",))
INDEX_SELECT = Operation(torch_indexing.index_select, "IndexSelectBackward0", ("self", "dim", "index"))


# ----- joined


def _listed(name: str, tensors: Any, empty: Exception) -> list[Tensor]:
    given = list(tensors)
    if not given:
        raise empty
    for i, t in enumerate(given):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    return _of_one_dtype(given)


def _of_one_dtype(tensors: list[Tensor]) -> list[Tensor]:
    dtype = tensors[0].dtype
    if all(t._array.dtype is tensors[0]._array.dtype for t in tensors):
        return tensors
    for t in tensors[1:]:
        dtype = promote_types(dtype, t.dtype)
    return [t.to(dtype) for t in tensors]


@function("cat", "concat", "concatenate", method=False)
def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Any:
    """Tensors one after another along a dimension.

    Shapes: ``(a, ...), (b, ...) -> (a + b, ...)``; ``dim=-1``: ``(..., a), (..., b) -> (..., a + b)``.

    Raises:
        RuntimeError: they differ in another dimension.
    """
    given = _listed("cat", tensors, ValueError("torch.cat(): expected a non-empty list of Tensors"))
    dim = dim if axis is None else axis
    for i, t in enumerate(given):
        if t._array.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    used = [t for t in given if t._array.shape != (0,)] or given
    first = used[0]._array.shape
    along = axis_of(len(first), dim)
    for i, t in enumerate(used):
        shape = t._array.shape
        if len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}"
            )
        for k, (n, m) in enumerate(zip(first, shape, strict=True)):
            if k != along and n != m:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {along}. Expected size {n} but got "
                    f"size {m} for tensor number {i} in the list."
                )
    found = apply(CAT, (used, along))
    if not (found._array.flags.c_contiguous or is_in_format(found._array, channels_last)):
        found._array = np.ascontiguousarray(found._array)
    return found


@function(method=False)
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Any:
    """Tensors of one shape along a new dimension.

    Shapes: ``(...), (...) -> (2, ...)``; ``dim=-1``: ``(...), (...) -> (..., 2)``.
    """
    given = _listed("stack", tensors, RuntimeError("stack expects a non-empty TensorList"))
    first = given[0]._array.shape
    for i, t in enumerate(given):
        if t._array.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(t._array.shape)} at entry {i}"
            )
    return apply(STACK, (given, axis_of(len(first) + 1, dim)))


@function(method=False)
def hstack(tensors: Sequence[Tensor]) -> Any:
    """Tensors side by side: along the second dimension, vectors along their only one.

    Shapes: ``(n, a, ...), (n, b, ...) -> (n, a + b, ...)``, ``(a), (b) -> (a + b)``.
    """
    given = [t if t._array.ndim else reshape(t, 1) for t in tensors]
    return cat(given, 0 if given and given[0]._array.ndim == 1 else 1)


@function("vstack", "row_stack", method=False)
def vstack(tensors: Sequence[Tensor]) -> Any:
    """Tensors below each other: along the first dimension.

    Shapes: ``(a, n, ...), (b, n, ...) -> (a + b, n, ...)``, ``(n), (n) -> (2, n)``.
    """
    return cat(atleast_2d(list(tensors)), 0)


@function(method=False)
def dstack(tensors: Sequence[Tensor]) -> Any:
    """Tensors behind each other: along the third dimension.

    Shapes: ``(m, n, a), (m, n, b) -> (m, n, a + b)``, ``(n), (n) -> (1, n, 2)``.
    """
    return cat(atleast_3d(list(tensors)), 2)


@function(method=False)
def column_stack(tensors: Sequence[Tensor]) -> Any:
    """Tensors side by side, vectors as columns: ``(n), (n, k) -> (n, 1 + k)``."""
    return hstack([reshape(t, (t._array.size, 1)) if t._array.ndim <= 1 else t for t in tensors])


@function(method=False)
def block_diag(*tensors: Tensor) -> Any:
    """The matrix with the given matrices along its diagonal: ``(a, b), (c, d) -> (a + c, b + d)``."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    return apply(BLOCK_DIAG, tuple(_of_one_dtype(list(given))))


@function(method=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]:
    """Each vector stretched along the dimensions of the others, as views: ``(m), (n) -> (m, n), (m, n)``."""
    given = list(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else list(tensors)
    if any(t._array.ndim > 1 for t in given):
        raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list")
    if len({t._array.dtype for t in given}) > 1:
        raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    n = len(given)
    places = list(range(n))
    if indexing == "xy" and n >= 2:
        places[:2] = 1, 0
    sizes = [given[i]._array.size for i in places]  # for two vectors swapping is its own inverse
    grids = []
    for t, place in zip(given, places, strict=True):
        grids.append(expand(t.view((1,) * place + (-1,) + (1,) * (n - place - 1)), sizes))
    return tuple(grids)


@function(method=False)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Any:
    """The combinations of ``r`` elements of a vector, one a row: ``(n) -> (n * (n - 1) // 2, 2)``."""
    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return empty(0, dtype=input.dtype)
    places = torch_shapes.combination_places(input._array.size, r, with_replacement)
    values: Any = input
    return stack([values[column] for column in places.T], 1)


@function(method=False)
def cartesian_prod(*tensors: Tensor) -> Any:
    """All tuples with one element of each vector, one a row: ``(m), (n) -> (m * n, 2)``."""
    for t in tensors:
        if t._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t._array.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([grid.flatten() for grid in meshgrid(*tensors, indexing="ij")], 1)


# ----- turned around


def _axes(dims: Any, ndim: int) -> tuple[int, ...]:
    if isinstance(dims, int):
        dims = (dims,)
    given = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    axes = tuple(axis_of(ndim, d) for d in given)
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    return axes


@function()
def flip(input: Tensor, *axes: Any, dims: Any = ()) -> Any:
    """A copy with the order along the given dimensions reversed: ``(...) -> (...)``."""
    axes = _axes(axes or dims, input._array.ndim)
    return fresh(FLIP, input, axes if input._array.ndim else (), order="K")


@function()
def fliplr(input: Tensor) -> Any:
    """A copy with the columns in reverse order: ``(...) -> (...)``."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@function()
def flipud(input: Tensor) -> Any:
    """A copy with the rows in reverse order: ``(...) -> (...)``."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


@function()
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Any:
    """A copy whose elements are moved along dimensions; what leaves one end comes in at the other.

    Shapes: ``(...) -> (...)``.
    """
    by = tuple(shifts) if isinstance(shifts, (tuple, list)) else (int(shifts),)
    if dims is None or dims == ():
        if len(by) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:0")
        return fresh(ROLL, input, by[0], None)
    given = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    if len(by) != len(given):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(given)}")
    return fresh(ROLL, input, by, tuple(axis_of(input._array.ndim, d) for d in given))


@function()
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Any:
    """A copy turned by ``k`` right angles in the plane of two dimensions: ``(m, n, ...) -> (n, m, ...)``."""
    n = input._array.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if n < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {n}")
    a, b = axis_of(n, dims[0]), axis_of(n, dims[1])
    if a == b:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    return fresh(ROT90, input, k, (a, b), order="K")


@function()
def tril(input: Tensor, diagonal: int = 0) -> Any:
    """A copy with zeros above a diagonal: ``(...) -> (...)``."""
    if input._array.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return fresh(TRIL, input, diagonal)


@function()
def triu(input: Tensor, diagonal: int = 0) -> Any:
    """A copy with zeros below a diagonal: ``(...) -> (...)``."""
    if input._array.ndim < 2:
        raise RuntimeError("triu: input tensor must have at least 2 dimensions")
    return fresh(TRIU, input, diagonal)


# ----- repeated


def _counts(given: Any) -> tuple[int, ...]:
    counts = given[0] if len(given) == 1 and not isinstance(given[0], int) else given
    return tuple(int(n) for n in counts)


@function("repeat", method=True)
def repeat(self: Tensor, *counts: Any, repeats: Any = ()) -> Any:
    """A copy with the whole repeated along each dimension.

    Shapes: ``repeats=(2, 3)``: ``(m, n) -> (2 * m, 3 * n)``, ``(n) -> (2, 3 * n)``.
    """
    counts = _counts(counts or (repeats,))
    if len(counts) < self._array.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    if any(n < 0 for n in counts):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(counts)}: {list(counts)}")
    return fresh(REPEAT, self, counts)


@function()
def tile(input: Tensor, *counts: Any, dims: Any = ()) -> Any:
    """``repeat``, with 1 for the first dimensions where fewer counts are given.

    Shapes: ``dims=(3,)``: ``(m, n) -> (m, 3 * n)``.
    """
    counts = _counts(counts or (dims,))
    return repeat(input, (1,) * (input._array.ndim - len(counts)) + counts)


@function()
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    """A copy in which each slice along a dimension is repeated, so many times or each as often as it says.

    Shapes: ``repeats=2``: ``(m, n) -> (2 * m * n)``, ``dim=0``: ``(m, n) -> (2 * m, n)``.
    """
    if repeats is None:
        _check_total(output_size, int(input._array.sum()))
        return Tensor._of(np.repeat(np.arange(input._array.size), input._array))
    t = reshape(input, -1) if dim is None else input
    axis = axis_of(t._array.ndim, 0 if dim is None else dim)
    n = t._array.shape[axis]
    if not isinstance(repeats, Tensor):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        _check_total(output_size, n * repeats)
        shape = t._array.shape
        wide = expand(t.unsqueeze(axis + 1), (*shape[: axis + 1], repeats, *shape[axis + 1 :]))
        return wide.clone(memory_format=contiguous_format).flatten(axis, axis + 1)
    if repeats._array.dtype.kind not in "iu":
        raise RuntimeError("repeats has to be Long or Int tensor")
    if (repeats._array < 0).any():
        raise RuntimeError("repeats can not be negative")
    if repeats._array.size == 1:
        return repeat_interleave(input, int(repeats._array.item()), dim, output_size=output_size)
    if repeats._array.size != n:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats._array.size} and input.size({axis}) = {n}"
        )
    _check_total(output_size, int(repeats._array.sum()))
    return apply(INDEX_SELECT, (t, axis, np.repeat(np.arange(n), repeats._array)))


def _check_total(output_size: int | None, total: int) -> None:
    if output_size is not None and output_size != total:
        raise RuntimeError(
            f"repeat_interleave: output_size is {output_size}, but the repeats amount to {total}"
        )
