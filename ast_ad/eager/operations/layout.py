"""Where do a tensor's elements lie in memory? Strides, memory formats, storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...rules.torch import views as torch_views
from ...rules.torch.indexing import strided_places
from ..dispatch import Operation
from ..dtypes import as_numpy, scalar_name
from ..memory_formats import is_in_format
from ..metadata import contiguous_format, device, strided
from ..places import address, elements, is_dense, places_in, root_of
from ..surface import function, method
from ..tensor import Tensor
from ..viewing import look, look_from_base, strides_of
from .dimensions import axis_of
from .indexing import ALIAS

AS_STRIDED = Operation(torch_views.at_places, "AsStridedBackward0")
VIEW_DTYPE = Operation(torch_views.reinterpreted, "ViewBackward1")

# ----- memory formats


def kept_layout(x: np.ndarray, dtype: Any) -> np.ndarray:
    """An empty array like ``x``, whose dimensions lie in memory in the order of those of ``x``."""
    if x.flags.c_contiguous:
        return np.empty(x.shape, dtype)
    if is_dense(x):
        return np.empty_like(x, dtype)
    return np.empty_like(x, dtype) if 0 not in x.strides else _compacted(x, dtype)


def _compacted(x: np.ndarray, dtype: Any) -> np.ndarray:
    """As ``kept_layout``; dimensions of stride 0 stay where they are."""
    order = list(range(x.ndim))
    for i in range(1, x.ndim):  # insertion sort that never compares a stride of 0
        k = i
        for j in range(i - 1, -1, -1):
            a, b = x.strides[order[j]], x.strides[order[k]]
            if a == 0 or b == 0:
                continue
            if a < b or (a == b and x.shape[order[j]] < x.shape[order[k]]):
                order[j], order[k] = order[k], order[j]
                k = j
            else:
                break
    return np.empty([x.shape[i] for i in order], dtype).transpose(np.argsort(order))


@method()
def is_contiguous(self: Tensor, memory_format: Any = contiguous_format) -> bool:
    """Whether the elements lie in memory row by row, or in the order of ``memory_format``."""
    return is_in_format(self._array, memory_format)


@method()
def stride(self: Tensor, dim: int | None = None) -> Any:
    """How many elements apart in memory neighbours along each dimension are, or along ``dim``."""
    found = strides_of(self._array)
    return found if dim is None else found[axis_of(self._array.ndim, dim)]


# ----- storage


@method()
def storage_offset(self: Tensor) -> int:
    """How many elements lie in the storage before the first one of the tensor."""
    return (address(self._array) - address(root_of(self._array))) // self._array.itemsize


@method()
def data_ptr(self: Tensor) -> int:
    """The address of the first element."""
    return address(self._array) if self._array.size else 0


class UntypedStorage:
    """The memory of a tensor, shared by its views."""

    def __init__(self, array: np.ndarray) -> None:
        self._root = root_of(array)

    def data_ptr(self) -> int:
        return address(self._root)

    def nbytes(self) -> int:
        return self._root.nbytes

    size = nbytes
    __len__ = nbytes

    @property
    def _cdata(self) -> int:
        return address(self._root)


@method()
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory of the tensor: ``data_ptr()`` and ``nbytes()`` of it."""
    return UntypedStorage(self._array)


@method()
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both are the same view of the same memory."""
    a, b = self._array, tensor._array
    return (address(a), a.shape, a.strides) == (address(b), b.shape, b.strides)


@function()
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Any:
    """The view of the storage with a size and strides, both in elements; elements may overlap.

    Raises:
        RuntimeError: it reaches beyond the storage, or a stride is negative.
    """
    array, own, step = strided_look(input, size, stride, storage_offset)
    if step is None:
        return look(AS_STRIDED, input, own, array=array)
    return look_from_base(AS_STRIDED, input, (own,), array, step)


def strided_look(
    t: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> tuple[np.ndarray, np.ndarray, Any]:
    """The array of such a view, its places among the elements of ``t``, and the step to it from the base."""
    x, root = t._array, root_of(t._array)
    start = t.storage_offset() if storage_offset is None else int(storage_offset)
    size, stride = tuple(int(n) for n in size), tuple(int(s) for s in stride)
    if len(size) != len(stride):
        raise RuntimeError(
            f"mismatch in length of strides and shape: size has {len(size)} entries, stride has {len(stride)}"
        )
    if any(s < 0 for s in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
        )
    last = start + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if min(size, default=1) > 0 and (last + 1) * x.itemsize > root.nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and itemsize "
            f"{x.itemsize} requiring a storage size of {(last + 1) * x.itemsize} are out of bounds for "
            f"storage of size {root.nbytes}"
        )
    flat = elements(x)
    steps = tuple(s * x.itemsize for s in stride)
    array = np.lib.stride_tricks.as_strided(flat[start:], size, steps)
    memory = strided_places(size, stride, start)
    base = t if t._view is None else t._view.base
    own = places_in(x, root, memory)
    if base._array.dtype != x.dtype:  # real parts of complex numbers: the way leads through them
        return array, own, None
    return array, own, (torch_views.at_places, (places_in(base._array, root, memory),))


def elements_of(t: Tensor) -> np.ndarray:
    """What the storage holds from the first element of ``t`` on."""
    return elements(t._array)[t.storage_offset() :]


def view_dtype(t: Tensor, dtype: Any) -> Any:
    """The bytes of ``t`` read as another dtype."""
    x, wanted = t._array, as_numpy(dtype)
    if x.dtype == wanted:
        return look(ALIAS, t)
    ours, theirs = x.dtype.itemsize, wanted.itemsize
    names = f"{scalar_name(x.dtype)} as {scalar_name(wanted)}"
    if ours != theirs:
        if x.ndim == 0:
            raise RuntimeError(f"self.dim() cannot be 0 to view {names} (different element sizes)")
        if ours < theirs and x.shape[-1] % (theirs // ours):
            raise RuntimeError(
                f"self.size(-1) must be divisible by {theirs // ours} to view {names} (different element "
                f"sizes), but got {x.shape[-1]}"
            )
        if strides_of(x)[-1] != 1:
            raise RuntimeError(
                f"self.stride(-1) must be 1 to view {names} (different element sizes), but got "
                f"{strides_of(x)[-1]}"
            )
    return look(VIEW_DTYPE, t.detach() if t.requires_grad else t, wanted)


# ----- what kind of tensor it is


@function()
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are real floating-point numbers."""
    return input._array.dtype.kind == "f"


@function()
def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex numbers."""
    return input._array.dtype.kind == "c"


@method()
def is_signed(self: Tensor) -> bool:
    """Whether the elements may be negative."""
    return self._array.dtype.kind in "ifc"


@function()
def is_conj(input: Tensor) -> bool:
    """Whether conjugation is still to be done: never, it is done at once."""
    return False


@function()
def is_neg(input: Tensor) -> bool:
    """Whether negation is still to be done: never, it is done at once."""
    return False


@function("resolve_conj", "resolve_neg")
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: nothing is left to be done."""
    return input


@function()
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero."""
    n = input._array.size
    if n != 1:
        raise RuntimeError(
            "Boolean value of Tensor with "
            + ("no values" if n == 0 else "more than one value")
            + " is ambiguous"
        )
    return bool(input._array.item())


@function("is_tensor", method=False)
def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


@function("is_same_size")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape."""
    return input._array.shape == other._array.shape


_FACTS: dict[str, Any] = {"layout": strided, "device": device("cpu"), "is_cuda": False, "is_cpu": True,
                          "is_sparse": False, "is_quantized": False, "is_mps": False, "is_meta": False,
                          "is_xpu": False, "is_mkldnn": False, "is_nested": False}  # fmt: skip
for _name, _value in _FACTS.items():
    if _name not in Tensor.__dict__:
        setattr(Tensor, _name, _value)


@method()
def get_device(self: Tensor) -> int:
    """-1: the CPU."""
    return -1


@method()
def is_pinned(self: Tensor, device: Any = None) -> bool:
    return False


@method()
def is_shared(self: Tensor) -> bool:
    return False


@function("numel", method=False)
def numel(input: Tensor) -> int:
    """How many elements a tensor has."""
    return int(input._array.size)
