"""How are tensors copied and converted: to another dtype, memory format, or nothing but a copy?"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.torch import views as torch_views
from ..dtypes import as_numpy, dtype as dtype_class
from ..memory_formats import in_format, is_in_format
from ..metadata import (
    contiguous_format,
    device as device_class,
    memory_format as format_class,
    preserve_format,
)
from ..recording import make_node, needs_grad
from ..state import state
from ..surface import attach, function, method
from ..table import Operation
from ..tensor import Tensor
from .layout import kept_layout

CLONE = Operation(torch_views.duplicate, "CloneBackward0")
TO_COPY = Operation(helpers.astype, "ToCopyBackward0")
NO_CUDA = "device 'cuda' is not available: tensors are NumPy arrays, on 'cpu' only"


def _made(op: Operation, t: Tensor, array: np.ndarray, *args: Any) -> Any:
    """A tensor around the result of ``op``, recorded."""
    found = t._face._of(array)
    if state.grad and needs_grad(t) and array.dtype.kind in "fc":
        active = (True, *(False,) * len(args))
        node = make_node(op, (t, *args), (t._array, *args), array, {}, active, found._version_counter)
        found._node, found._requires_grad = node, True
    return found


def _copied(x: np.ndarray, dtype: Any, memory_format: Any) -> np.ndarray:
    """A copy in a dtype and memory format; of complex numbers in a real dtype the real parts."""
    if memory_format is None or memory_format is preserve_format:
        out = kept_layout(x, dtype)
    else:
        out = in_format(x.shape, dtype, memory_format)
    out[...] = x if dtype.kind == "c" or x.dtype.kind != "c" or dtype.kind == "b" else x.real
    return out


@function()
def clone(input: Tensor, *, memory_format: Any = preserve_format) -> Any:
    """A copy, which keeps the order of the dimensions in memory unless told otherwise."""
    return _made(CLONE, input, _copied(input._array, input._array.dtype, memory_format))


@method()
def contiguous(self: Tensor, memory_format: Any = contiguous_format) -> Any:
    """The tensor itself if its memory is in order, else a copy that is."""
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return self if is_in_format(self._array, memory_format) else clone(self, memory_format=memory_format)


def converted(t: Tensor, dtype: Any, copy: bool = False, memory_format: Any = preserve_format) -> Any:
    """``t`` in a NumPy dtype: itself if nothing changes and ``copy`` is off."""
    x = t._array
    if x.dtype == dtype and not copy:
        plain = memory_format is None or memory_format is preserve_format
        if plain or is_in_format(x, memory_format):
            return t
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=3)
    return _made(TO_COPY, t, _copied(x, dtype, memory_format), dtype)


def _check_device(device: Any) -> None:
    if device is None or isinstance(device, device_class):
        return
    if isinstance(device, int):
        raise RuntimeError(NO_CUDA)
    device_class(device)


@method()
def to(self: Tensor, *args: Any, **kwargs: Any) -> Any:
    """The tensor in another dtype or memory format: ``to(dtype)``, ``to(device, dtype)``, ``to(other)``.

    Raises:
        RuntimeError: any device that is not the CPU.
    """
    dtype, given = kwargs.pop("dtype", None), list(args)
    device, copy = kwargs.pop("device", None), kwargs.pop("copy", False)
    memory_format, other = kwargs.pop("memory_format", preserve_format), kwargs.pop("other", None)
    kwargs.pop("non_blocking", None)
    if kwargs:
        raise TypeError(
            f"to() received an invalid combination of arguments - got an unexpected keyword argument "
            f"'{next(iter(kwargs))}'"
        )
    if given and isinstance(given[0], Tensor):
        other = given.pop(0)
    elif given and (given[0] is None or isinstance(given[0], (str, device_class))):
        device = given.pop(0)
    if other is not None:
        dtype = other.dtype
    elif given and (isinstance(given[0], (dtype_class, type, np.dtype)) or given[0] is None):
        dtype = given.pop(0)
    _check_device(device)
    flags = [a for a in given if isinstance(a, bool)]
    if len(flags) > 1:
        copy = flags[1]
    if any(not isinstance(a, (bool, format_class)) for a in given):
        raise TypeError("to() received an invalid combination of arguments")
    return converted(self, self._array.dtype if dtype is None else as_numpy(dtype), copy, memory_format)


def _converter(name: str) -> Any:
    wanted = np.dtype(
        {
            "float": "float32",
            "double": "float64",
            "half": "float16",
            "int": "int32",
            "long": "int64",
            "short": "int16",
            "char": "int8",
            "byte": "uint8",
            "bool": "bool",
            "cfloat": "complex64",
            "cdouble": "complex128",
        }[name]
    )

    def convert(self: Tensor, memory_format: Any = preserve_format) -> Any:
        return converted(self, wanted, False, memory_format)

    convert.__name__, convert.__doc__ = name, f"The tensor in {wanted.name}; itself if it is that already."
    return convert


for _name in ("float", "double", "half", "int", "long", "short", "char", "byte", "bool", "cfloat", "cdouble"):
    attach(_name, _converter(_name))


@method()
def type_as(self: Tensor, other: Tensor) -> Any:
    """The tensor in the dtype of ``other``."""
    return converted(self, other._array.dtype)


@method()
def cpu(self: Tensor, memory_format: Any = preserve_format) -> Any:
    """The tensor itself: it is on the CPU."""
    return converted(self, self._array.dtype, False, memory_format)


@method()
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Any:
    """The tensor itself, in ``dtype``: all tensors are dense."""
    return self if dtype is None else converted(self, as_numpy(dtype))


@method()
def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Any:
    """There is no GPU: an error that says so."""
    raise RuntimeError(NO_CUDA)


@method()
def pin_memory(self: Tensor, device: Any = None) -> Any:
    """The tensor itself: memory needs no pinning without a GPU."""
    return self
