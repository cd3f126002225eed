"""Which indices, and sources of what is written, fit a tensor? NumPy would broadcast or cast them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import scalar_name
from ..tensor import Tensor
from .dimensions import axis_of
from .pointwise import require_tensor

WHOLE = np.dtype(np.int64), np.dtype(np.int32)


def check_long(name: str, index: Any, position: int = 2) -> None:
    """Refuse an index that is no tensor of 64-bit integers."""
    require_tensor(name.rstrip("_"), index, "index", position)
    if index._array.dtype != np.int64:
        raise RuntimeError(
            f"{name}(): Expected a long tensor for index, but got {scalar_name(index._array.dtype)}"
        )


# ----- a place for each element


def places_along(name: str, input: Tensor, dim: int, index: Any) -> int:
    """The dimension in which ``index`` names places; an index without elements may be of any shape."""
    require_tensor(name, index, "index", 3)
    axis = axis_of(input._array.ndim, dim)
    if not index._array.size:
        return axis
    if index._array.dtype not in WHOLE:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if max(index._array.ndim, 1) != max(input._array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    return axis


def check_scattering(input: Tensor, axis: int, index: Tensor, src: Any) -> None:
    """Refuse places outside of the tensor, or for which there is no element of ``src``."""
    given, wanted = np.atleast_1d(input._array).shape, np.atleast_1d(index._array).shape
    fits = all(n <= m for i, (n, m) in enumerate(zip(wanted, given, strict=True)) if i != axis)
    sizes = f"Expected index {list(wanted)} to be no larger than self {list(given)}"
    extent = f"{sizes} apart from dimension {axis}"
    if not isinstance(src, Tensor):
        if not fits:
            raise RuntimeError(extent)
        return
    source = np.atleast_1d(src._array).shape
    if len(source) != len(wanted):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if not fits or any(n > m for n, m in zip(wanted, source, strict=True)):
        raise RuntimeError(f"{extent} and to be no larger size than src {list(source)}")


# ----- whole slices


def slices_along(name: str, input: Tensor, dim: int, index: Any) -> int:
    """The dimension from which ``index`` selects slices."""
    require_tensor(name, index, "index", 3)
    if index._array.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    if index._array.dtype not in WHOLE:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    return axis_of(input._array.ndim, dim)


def check_added(name: str, input: Tensor, axis: int, index: Tensor, source: Tensor) -> None:
    """Refuse slices to add, or to reduce with, that have not the shape of those of ``input``."""
    require_tensor(name, source, "source", 4)
    own, given, n = input._array.shape, source._array.shape, index._array.size
    if given and axis >= len(given):
        raise RuntimeError(
            f"{name}_(): Indexing dim {axis} is out of bounds of the source tensor with dim {len(given)}"
        )
    if n != (given[axis] if given else 1):
        raise RuntimeError(
            f"{name}_(): Number of indices ({n}) should be equal to source.size(dim): "
            f"({given[axis] if given else 1}), for dim: {axis}"
        )
    if _without(own, axis) != _without(given, axis) or len(own) != len(given):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(own)} source.shape = {list(given)}"
        )


def check_copied(input: Tensor, axis: int, index: Tensor, source: Tensor) -> None:
    """Refuse slices to copy that have not the shape of those of ``input``; one number may be a slice."""
    check_long("index_copy_", index, 3)
    require_tensor("index_copy", source, "source", 4)
    own, given, n = input._array.shape, source._array.shape, index._array.size
    if not given and n != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {n})")
    if own and given and len(own) != len(given):
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. "
            f"Source dimensionality ({len(given)}), destination dimensionality ({len(own)})"
        )
    if _without(own, axis) != _without(given, axis):
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{list(_without(own, axis))} at dimension {axis} and source slice shape: "
            f"{list(_without(given, axis))} at dimension 0."
        )
    if given and n != given[axis]:
        raise IndexError(
            f"index_copy_(): Number of indices ({n}) should be equal to source.size(dim) ({given[axis]})"
        )


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]
