"""Which names do tensors of one dtype have? ``FloatTensor`` and its like, to make them or to ask for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import doors
from ..dtypes import NAMESPACE, dtype_of, legacy_name
from ..metadata import device, strided
from ..surface import FUNCTIONS
from ..tensor import Tensor
from .creation import as_array, finished, shape_from


class TensorType(type):
    """The class of these classes. ``isinstance`` asks for the dtype, a call makes a tensor of it."""

    dtype: Any

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance._array.dtype == cls.dtype.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """From a sequence, a tensor or a storage of the dtype, or zeros of a shape."""
        wanted = cls.dtype.dtype
        if len(args) == 1 and isinstance(args[0], Tensor):
            if args[0]._array.dtype != wanted:
                raise TypeError(f"expected a tensor of dtype {cls.dtype} (got {args[0].dtype})")
            return args[0].detach()
        if len(args) == 1 and isinstance(args[0], (float, complex)):
            raise TypeError(f"new(): data must be a sequence (got {type(args[0]).__name__})")
        if len(args) == 1 and not isinstance(args[0], (int, np.integer, type(Tensor._of(0.0).shape))):
            return finished(as_array(args[0], None).astype(wanted))
        return finished(np.zeros(shape_from(args) if args else (0,), wanted))


_NAMED = ("float16", "float32", "float64", "uint8", "int8", "int16", "int32", "int64", "bool")
_cpu = device("cpu")
TYPES: dict[str, TensorType] = {}
for _name in _NAMED:
    _dtype = NAMESPACE[_name]
    _full = legacy_name(_dtype.dtype)
    _short = _full.rpartition(".")[2]
    TYPES[_full] = TensorType(
        _short,
        (),
        {"dtype": _dtype, "__module__": "torch", "layout": strided, "device": _cpu, "is_cuda": False},
    )
    FUNCTIONS[_short] = TYPES[_full]


def dtype_named(given: Any) -> Any:
    """The dtype that ``Tensor.type`` is given: a dtype, one of these classes, or the name of one."""
    if isinstance(given, TensorType):
        return given.dtype
    if isinstance(given, str):
        if given not in TYPES:
            raise ValueError(f"invalid type: '{given}'")
        return TYPES[given].dtype
    return given if not isinstance(given, np.dtype) else dtype_of(given)


doors.dtype_named = dtype_named
