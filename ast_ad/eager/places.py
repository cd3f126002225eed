"""Where in memory do the elements of an array lie, and which elements of another array are they?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rules.torch.indexing import strided_places


def is_dense(a: np.ndarray) -> bool:
    """Whether the elements fill one block of memory, without gaps and without overlap."""
    expected = a.itemsize
    for stride, n in sorted((s, n) for s, n in zip(a.strides, a.shape, strict=True) if n != 1):
        if stride != expected:
            return False
        expected *= n
    return True


def root_of(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory."""
    while True:
        below: Any = array.base
        if not isinstance(below, np.ndarray):  # as_strided leaves an object of its own between the two
            below = getattr(below, "base", None)
            if not isinstance(below, np.ndarray):
                return array
        array = below


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def elements(x: np.ndarray) -> np.ndarray:
    """All that the storage of ``x`` holds."""
    root = root_of(x)
    return np.ndarray((root.nbytes // x.itemsize,), x.dtype, _flat(root))


def _flat(root: np.ndarray) -> Any:
    """The memory of an array that owns it."""
    order = sorted(range(root.ndim), key=lambda i: -root.strides[i])
    return root.transpose(order).reshape(-1)


def places_in(x: np.ndarray, root: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """Which element of ``x`` lies at each of these places of the storage; -1: none."""
    steps = tuple(s // x.itemsize for s in x.strides)
    own = strided_places(x.shape, steps, (address(x) - address(root)) // x.itemsize)
    which = np.full(max(root.nbytes // x.itemsize, 1), -1)
    which[own.reshape(-1)] = np.arange(x.size)
    return np.asarray(which[memory])


def places_among(x: np.ndarray, view: np.ndarray) -> np.ndarray | None:
    """Which element of ``x`` lies at the place of each element of ``view``; None if it is not always one."""
    root = root_of(x)
    if root_of(view) is not root or view.dtype != x.dtype or not is_dense(x) and _overlaps(x):
        return None
    steps = tuple(s // view.itemsize for s in view.strides)
    start = (address(view) - address(root)) // view.itemsize
    found = places_in(x, root, strided_places(view.shape, steps, start))
    return None if view.size and found.min() < 0 else found


def _overlaps(x: np.ndarray) -> bool:
    steps = tuple(s // x.itemsize for s in x.strides)
    return bool(np.unique(strided_places(x.shape, steps, 0)).size < x.size)
