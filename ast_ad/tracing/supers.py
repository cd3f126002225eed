"""What is ``super()`` in a class that is derived from ``np.ndarray``, while its code is traced?

``super().__new__(cls, shape, dtype, buffer)`` makes a view of the buffer, of the class: NumPy asks a traced
array for its memory. What arrays have, ``super().__getitem__(index)``, is asked of the traced one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.dispatch import plain_of
from ..eager.state import state
from ..eager.tensor import Tensor
from .faces import makers
from .memory import DETACHED, refused
from .traced_array import Traced


def _super(*given: Any) -> Any:
    made: Any = super(*(given or _of_method(sys._getframe(1))))
    of_arrays = state.tracing and issubclass(made.__thisclass__, np.ndarray)
    return _OfArrays(made) if of_arrays else made


def _of_method(frame: Any) -> tuple[Any, Any]:
    """What ``super()`` means in the method of a frame: its class, and its first argument."""
    names = frame.f_locals
    if "__class__" not in names or not frame.f_code.co_argcount:
        raise RuntimeError("super(): no arguments")
    return names["__class__"], names[frame.f_code.co_varnames[0]]


_super.in_place_of = super  # type: ignore[attr-defined]


class _OfArrays:
    """A ``super`` object whose attributes of NumPy's know traced arrays."""

    def __init__(self, made: Any) -> None:
        object.__setattr__(self, "_super", made)

    def __getattribute__(self, name: str) -> Any:
        made = object.__getattribute__(self, "_super")
        classes = made.__self_class__.__mro__
        behind = classes[classes.index(made.__thisclass__) + 1 :]
        home = next((cls for cls in behind if name in vars(cls)), None)
        if home is np.ndarray and name == "__new__":
            return _made
        if home is np.ndarray and issubclass(type(made.__self__), Traced):
            return getattr(super(makers["face"], made.__self__), name)
        return getattr(made, name)


def _made(kind: Any, shape: Any, dtype: Any = float, buffer: Any = None, *args: Any, **kwargs: Any) -> Any:
    """``np.ndarray.__new__``, whose buffer may be traced."""
    if not isinstance(buffer, Tensor):
        found = np.ndarray.__new__(kind, shape, dtype, buffer, *args, **kwargs)
        return Traced._of(found) if state.tracing and buffer is None else found
    plain = np.ndarray.__new__(kind, shape, dtype, np.asarray(plain_of(buffer)), *args, **kwargs)
    array: Any = buffer
    alike = plain.dtype == array._array.dtype and plain.size == array._array.size
    if not (alike and plain.flags.c_contiguous and array._array.flags.c_contiguous):
        raise refused(
            f"{kind.__name__} of a part of a buffer", DETACHED, f"use .view({kind.__name__}) of the part"
        )
    found = makers["view"](array.reshape(plain.shape), kind)
    vars(found._held).clear()  # NumPy calls ``__array_finalize__(None)`` here, of views with the array
    vars(found._held).update(vars(plain))
    return found


FUNCTIONS: dict[str, Callable[..., Any]] = {"super": _super}
