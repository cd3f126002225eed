"""What is an array of objects that holds traced numbers? NumPy's own, for which they are objects as any.

What NumPy does with such an array it does by their operators, one by one. A number of the array goes on in
the trace; the array itself has no derivative. The trace's end makes plain what is left in those that it has
made: Python's collector, which finds other holders (``survivors``), doesn't see them.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..eager.dispatch import needs_grad, plain_of
from ..eager.tensor import Tensor
from .memory import DETACHED, refused


class _Noted(threading.local):
    """The arrays of traced numbers that the present trace of this thread has made."""

    arrays: list[weakref.ref[Any]] | None = None


_noted = _Noted()


def objects_of(value: Any, like: np.ndarray) -> np.ndarray:
    """What NumPy has made of the plain value, with the traced numbers in the places of theirs."""
    items, found = list(_items(value)), np.empty_like(like)
    if len(items) != like.size:
        raise refused("an array of objects that are arrays", DETACHED, "use a list")
    for index, item in zip(np.ndindex(like.shape), items, strict=True):
        found[index] = item
    return _noting(found)


def filled_with(value: Any, like: np.ndarray) -> np.ndarray:
    """An array of objects that is filled with a traced number, or with several."""
    found = np.empty_like(like)
    found[...] = objects_of(value, np.asarray(plain_of(value), object))
    return _noting(found)


def _noting(array: np.ndarray) -> np.ndarray:
    """Have the trace's end make it plain."""
    if _noted.arrays is not None:
        _noted.arrays.append(weakref.ref(array))
    return array


def _items(value: Any) -> Iterator[Any]:
    """The objects of an array that is made of a value, in order."""
    if isinstance(value, (Tensor, np.ndarray)):
        array = np.ndim(plain_of(value)) > 0 or not getattr(value, "_scalar", False)
        value = value.tolist() if array else value  # Python's numbers, as NumPy takes them from an array
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _items(item)
    else:
        yield value


def as_list(value: Any) -> Any:
    """An array of objects with traced numbers as a list of them; any other value as it is."""
    if type(value) is not np.ndarray or value.dtype.kind != "O":
        return value
    held = [v for v in value.flat if isinstance(v, Tensor)]
    return value.tolist() if held and all(np.ndim(plain_of(v)) == 0 for v in held) else value


def check_result(leaf: Any) -> None:
    """An array of objects among the results would hide that they have a derivative."""
    if type(leaf) is np.ndarray and leaf.dtype.kind == "O":
        if any(isinstance(v, Tensor) and needs_grad(v) for v in leaf.flat):
            raise refused("a result that is an array of objects", DETACHED, "return an array of floats")


@contextlib.contextmanager
def made_plain() -> Iterator[None]:
    """After the block the arrays of objects that were made in it hold plain numbers."""
    outer, _noted.arrays = _noted.arrays, []
    try:
        yield
    finally:
        arrays, _noted.arrays = _noted.arrays, outer
        for array in (reference() for reference in arrays):
            if array is not None:
                _make_plain(array)


def _make_plain(array: np.ndarray) -> None:
    for index in np.ndindex(array.shape):
        if isinstance(array[index], Tensor):
            array[index] = _plain(array[index])


def _plain(t: Any) -> Any:
    return t._python if getattr(t, "_scalar", False) else t._array
