"""What is a tensor with a part of it replaced, or cut to another size?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.torch import indexing as torch_indexing, views as torch_views
from ..dispatch import Operation, apply, inplace
from ..surface import function, method
from ..tensor import Tensor
from ..viewing import fresh, look
from .creation import shape_from
from .dimensions import axis_of
from .indexing import ALIAS, narrow, slice_at
from .joining import TRIL, TRIU
from .pieces import diag_embed
from .shapes import reshape

SELECT_SCATTER = Operation(torch_indexing.select_scatter, "SelectScatterBackward0", ("self", "src"))
SLICE_SCATTER = Operation(torch_indexing.slice_scatter, "SliceScatterBackward0", ("self", "src"))
FILL = Operation(torch_views.filled, "FillBackward0")
DIAGONAL_SCATTER = Operation(torch_indexing.diagonal_scatter, "DiagonalScatterBackward0", ("self", "src"))


# ----- copies with a part replaced


def _check_part(src: Tensor, part: tuple[int, ...]) -> None:
    if src._array.shape != part:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._array.shape)}, "
            f"slice size = {list(part)}"
        )


@function()
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Any:
    """A copy with ``src`` as its slice at ``index`` of a dimension.

    Shapes: ``dim=0``: ``(n, ...), (...) -> (n, ...)``.
    """
    if not input._array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = axis_of(input._array.ndim, dim)
    _check_part(src, input._array.shape[:axis] + input._array.shape[axis + 1 :])
    return apply(SELECT_SCATTER, (input, src, axis, int(index)))


@function()
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """A copy with ``src`` as its slices ``start:end:step`` of a dimension."""
    axis = axis_of(input._array.ndim, dim)
    part = (slice(None),) * axis + (slice(start, end, step),)
    _check_part(src, input._array[part].shape)
    return apply(SLICE_SCATTER, (input, src, axis, start, end, step))


@function()
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A copy with ``src`` as its diagonal: ``(m, n), (min(m, n)) -> (m, n)``."""
    a, b = axis_of(input._array.ndim, dim1), axis_of(input._array.ndim, dim2)
    _check_part(src, np.diagonal(input._array, offset, a, b).shape)
    return apply(DIAGONAL_SCATTER, (input, src, offset, a, b))


@function()
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None
) -> Any:
    """A copy with ``src`` as the elements that ``as_strided`` would show."""
    copy = input.clone()
    part = copy.as_strided(size, stride, storage_offset)
    _check_part(src, part._array.shape)
    part.copy_(src)
    return copy


@function()
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Any:
    """``narrow`` as a copy."""
    return narrow(input, dim, start, length).clone()


@function()
def diagflat(input: Tensor, offset: int = 0) -> Any:
    """The diagonal matrix of all elements: ``(n) -> (n, n)``."""
    return diag_embed(reshape(input, -1), offset)


@function()
def fill(input: Tensor, value: Any) -> Any:
    """A copy with a number at every place."""
    return input.clone().fill_(value) if isinstance(value, Tensor) else fresh(FILL, input, value)


# ----- in place


@method()
def tril_(self: Tensor, diagonal: int = 0) -> Tensor:
    """Zeros above a diagonal, in place."""
    if self._array.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return inplace(TRIL, self, diagonal)


@method()
def triu_(self: Tensor, diagonal: int = 0) -> Tensor:
    """Zeros below a diagonal, in place."""
    if self._array.ndim < 2:
        raise RuntimeError("triu: input tensor must have at least 2 dimensions")
    return inplace(TRIU, self, diagonal)


@method()
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """A number at every place of the main diagonal, in place."""
    x = self._array
    if x.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if x.ndim > 2 and len(set(x.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    steps = self.stride()
    step, start = sum(steps), self.storage_offset()
    self.as_strided((min(x.shape),), (step,), start).fill_(fill_value)
    if wrap and x.ndim == 2 and x.shape[0] > x.shape[1] + 1:
        below = slice_at(self, 0, slice(x.shape[1] + 1, None))
        fill_diagonal_(below, fill_value, wrap)
    return self


@method()
def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """``callable`` of every element, one by one, in place; nothing is recorded."""
    if self.requires_grad:
        raise RuntimeError(
            "Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead."
        )
    for place in np.ndindex(self._array.shape):
        self._array[place] = callable(self._array[place].item())
    return self


# ----- as something else


@method()
def sum_to_size(self: Tensor, *size: Any) -> Any:
    """The sum over what makes the tensor wider than ``size``."""
    shape, own = shape_from(size), self._array.shape
    extra = len(own) - len(shape)
    if extra < 0 or any(n not in (1, m) for n, m in zip(shape, own[extra:], strict=True)):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(own)}}}.")
    stretched = [extra + i for i, n in enumerate(shape) if n == 1 and own[extra + i] != 1]
    dims = (*range(extra), *stretched)
    return reshape(self.sum(dims, keepdim=True), shape) if extra else self.sum(dims, True) if dims else self


@method()
def as_subclass(self: Tensor, cls: Any) -> Any:
    """The tensor as an instance of a subclass of ``Tensor``, with its history."""
    found = look(ALIAS, self)
    made = cls._of(found._array)
    for name in ("_version_counter", "_view", "_node", "_nr", "_requires_grad", "_inference"):
        setattr(made, name, getattr(found, name))
    return made


# ----- the in-place methods that are functions of the package too


@function("fill_", method=False)
def _fill(input: Tensor, value: Any) -> Tensor:
    """``input.fill_(value)``."""
    return input.fill_(value)


@function("zero_", method=False)
def _zero(input: Tensor) -> Tensor:
    """``input.zero_()``."""
    return input.zero_()


@function("detach", method=False)
def _detach(input: Tensor) -> Any:
    """``input.detach()``."""
    return input.detach()


@function("detach_", method=False)
def _detach_in_place(input: Tensor) -> Any:
    """``input.detach_()``."""
    return input.detach_()


@function("index_put_", method=False)
def _index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """``input.index_put_(indices, values, accumulate)``."""
    return input.index_put_(indices, values, accumulate)


@function("is_signed", method=False)
def _is_signed(input: Tensor) -> bool:
    """Whether the elements may be negative."""
    return input._array.dtype.kind in "ifc"
