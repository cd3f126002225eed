"""How is a tensor given other memory? ``set_``, ``resize_``, ``as_strided_`` in place; pieces as copies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...rules.torch import views as torch_views
from ..dispatch import Operation
from ..dtypes import as_numpy, cpp_name, get_default_dtype
from ..metadata import contiguous_format
from ..state import state
from ..surface import function, method
from ..tensor import Tensor
from ..views import check_inference, check_inplace
from .creation import finished, shape_from
from .layout import elements_of, strided_look
from .pieces import chunk, reshaped_in_place, split, split_with_sizes

UNSAFE_SPLIT = Operation(torch_views.pieces, "UnsafeSplitBackward0")
UNSAFE_SPLIT_SIZES = Operation(torch_views.pieces, "UnsafeSplitWithSizesBackward0")
AS_STRIDED_IN_PLACE = Operation(torch_views.at_places, "AsStridedBackward1")


@method()
def as_strided_(
    self: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """``as_strided`` in place."""
    array, own, step = strided_look(self, size, stride, storage_offset)
    return reshaped_in_place(AS_STRIDED_IN_PLACE, self, array, own, from_base=step)


@function(method=False)
def empty_strided(
    size: Sequence[int],
    stride: Sequence[int],
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of zeros with these strides, counted in elements.

    >>> empty_strided((2, 2), (1, 3)).stride()
    (1, 3)
    """
    shape, steps = tuple(map(int, size)), tuple(map(int, stride))
    if len(shape) != len(steps):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})"
        )
    if min(steps, default=0) < 0:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(steps)}"
        )
    kind = np.dtype(as_numpy(dtype if dtype is not None else get_default_dtype()))
    needed = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    bytes_ = tuple(s * kind.itemsize for s in steps)
    return finished(np.lib.stride_tricks.as_strided(np.zeros(needed, kind), shape, bytes_), requires_grad)


def _takes(t: Tensor, array: np.ndarray) -> Tensor:
    """Let ``t`` show another array from now on."""
    t._array = array
    t._version_counter[0] += 1
    t._accumulator = None
    if t._view is not None:
        t._view.origin = None  # the way from the base leads here no more
    return t


@method()
def resize_(self: Tensor, *size: Any, memory_format: Any = contiguous_format) -> Tensor:
    """Another shape in place: of the elements in memory, in their order; new ones are zeros.

    Raises:
        RuntimeError: the tensor requires grad.
    """
    if self.requires_grad and not state.inference:
        raise RuntimeError("cannot resize variables that require grad")
    check_inference(self)
    shape = shape_from(size)
    if min(shape, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if shape == self._array.shape:
        return self
    n, held = math.prod(shape), elements_of(self)
    if n > held.size:
        held = np.concatenate([held, np.zeros(n - held.size, held.dtype)])
    return _takes(self, held[:n].reshape(shape))


@method()
def resize_as_(self: Tensor, the_template: Tensor, memory_format: Any = contiguous_format) -> Tensor:
    """``resize_`` to the shape of another tensor."""
    found: Tensor = resize_(self, the_template._array.shape)
    return found


@method()
def set_(
    self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None
) -> Tensor:
    """Let the tensor look at the memory of ``source``, in place; at nothing without a source.

    Raises:
        RuntimeError: another dtype, or the change would have to be recorded.
    """
    if state.grad and self.requires_grad:
        check_inplace(self)
        raise RuntimeError("the derivative for 'set_' is not implemented: detach() the tensor before")
    check_inference(self)
    if source is None:
        return _takes(self, np.zeros(0, self._array.dtype))
    if source._array.dtype != self._array.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {cpp_name(source._array.dtype).lower()} to a tensor of type "
            f"{cpp_name(self._array.dtype).lower()}"
        )
    if size is None:
        return _takes(self, source._array)
    shape = tuple(size)
    steps = tuple(stride) if stride is not None else [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    return _takes(self, strided_look(source, shape, steps, storage_offset)[0])


@function(method=False)
def is_inference(input: Tensor) -> bool:
    """Whether the tensor was made in inference mode."""
    return input._inference


# ----- pieces that may be changed in place, since they are copies and no views


def _separate(parts: tuple[Any, ...], op: Operation) -> tuple[Any, ...]:
    for part in parts:
        part._array, part._view, part._version_counter = part._array.copy(), None, [0]
        if part._node is not None:
            part._node.__class__ = op.node
    return parts


@function()
def unsafe_split(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Any, ...]:
    """``split`` into copies."""
    return _separate(split(input, split_size, dim), UNSAFE_SPLIT)


@function()
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Any, ...]:
    """``split_with_sizes`` into copies."""
    return _separate(split_with_sizes(input, split_sizes, dim), UNSAFE_SPLIT_SIZES)


@function()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """``chunk`` into copies."""
    return _separate(chunk(input, chunks, dim), UNSAFE_SPLIT)
