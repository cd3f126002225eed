"""How many numbers does a NumPy program touch? Arrays that count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

FREE = {
    np.shape, np.ndim, np.size, np.transpose, np.swapaxes, np.reshape, np.ravel, np.moveaxis, np.expand_dims,
    np.broadcast_to, np.diagonal, np.split,
}  # fmt: skip
"""What only shows an array in another way."""


def work(function: Callable[..., Any], args: list[Any]) -> int:
    """How many numbers the operations of a call read or write, one more for each operation."""
    Counted.touched = 0
    function(*map(counted, args))
    return Counted.touched


def counted(value: Any) -> Any:
    floats = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return value.view(Counted) if floats else value


def plain(value: Any) -> Any:
    if isinstance(value, Counted):
        return value.view(np.ndarray)
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    return value


def size(value: Any) -> int:
    if isinstance(value, (list, tuple)):
        return max(map(size, value), default=1)
    return value.size if isinstance(value, (np.ndarray, np.generic)) else 1


class Counted(np.ndarray):
    """An array whose operations are counted; so are those on what is made of it."""

    touched = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if out is not None:
            kwargs["out"] = plain(out)
        found = getattr(ufunc, method)(*plain(inputs), **{key: plain(v) for key, v in kwargs.items()})
        Counted.touched += 1 + max(size(inputs), size(found))
        return out[0] if out is not None else counted(found)

    def __array_function__(self, function, types, args, kwargs):
        found = function(*plain(args), **{key: plain(value) for key, value in kwargs.items()})
        Counted.touched += 1 if function in FREE else 1 + max(size(args), size(found))
        return type(found)(map(counted, found)) if isinstance(found, (list, tuple)) else counted(found)

    def __getitem__(self, index):
        found = super().__getitem__(plain(index))
        Counted.touched += 1 + (size(found) if isinstance(index, (np.ndarray, list)) else 0)
        return found

    def __setitem__(self, index, value):
        array, index = self.view(np.ndarray), plain(index)
        Counted.touched += 1 + size(array[index])
        array[index] = plain(value)

    def copy(self, order="C"):
        Counted.touched += self.size
        return counted(self.view(np.ndarray).copy(order))
