"""What does ``np.lib.stride_tricks.as_strided`` show of an array, wherever the elements of that lie by now?

A program says by strides which places in memory it means. Those of the array that a derivative works on may
be others: it is a cotangent, or a copy. So ``strided`` is told how the program's own array lies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UnsupportedError


def strided(x: Any, shape: Any, strides: Any, own: Any, itemsize: int) -> Any:
    """What a view of ``shape`` and ``strides`` shows of ``x`` if that lay in memory by the strides ``own``.

    Strides are in bytes, of elements of ``itemsize`` bytes. A view where ``x`` lies so, else a copy.

    >>> strided(np.arange(4.0), (3, 2), (8, 8), (8,), 8)
    array([[0., 1.],
           [1., 2.],
           [2., 3.]])
    """
    places = elements_shown(np.shape(x), shape, strides, own, itemsize)
    if x.itemsize == itemsize and x.strides == tuple(own):
        return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)
    return np.ravel(x)[places]


def elements_shown(lengths: Any, shape: Any, strides: Any, own: Any, itemsize: int) -> Any:
    """Which element of the flattened array stands at each place of the view.

    Raises:
        UnsupportedError: none does: the view reaches beyond the array, or between its elements.
    """
    if any(n % itemsize for n in (*strides, *own)):
        beyond()
    seen = offsets(shape, [n // itemsize for n in strides])
    there = offsets(lengths, [n // itemsize for n in own]).reshape(-1)
    low, high = np.min(there, initial=0), np.max(there, initial=0)
    which = np.full(high - low + 1, -1)
    which[there - low] = np.arange(there.size)
    if seen.size and (there.size == 0 or np.min(seen) < low or np.max(seen) > high):
        beyond()
    found = which[seen - low]
    if seen.size and np.min(found) < 0:
        beyond()
    return found


def beyond() -> None:
    raise UnsupportedError(
        "as_strided beyond the elements of the array",
        why="what lies in its memory besides them is not known",
        fix="apply as_strided to the array that has all of them",
    )


def offsets(shape: Any, strides: Any) -> Any:
    """How far the elements of an array lie from its first one.

    >>> offsets((2, 2), (16, 8))
    array([[ 0,  8],
           [16, 24]])
    """
    if len(shape) != len(strides):
        raise ValueError("mismatch in length of strides and shape")
    found = np.zeros(shape, int)
    for own, step in zip(np.indices(shape, sparse=True), strides, strict=True):
        found += own * step
    return found


def locked(x: Any) -> Any:
    """The array as a view that nobody may write to.

    >>> locked(np.ones(2)).flags.writeable
    False
    """
    seen = x.view()
    seen.flags.writeable = False
    return seen


class ArrayFlags:
    """``array.flags``, by attribute or by name."""

    c_contiguous: bool
    f_contiguous: bool
    contiguous: bool
    fnc: bool
    forc: bool

    def __getitem__(self, name: str) -> Any:
        told = {
            "C_CONTIGUOUS": self.c_contiguous,
            "CONTIGUOUS": self.contiguous,
            "C": self.c_contiguous,
            "F_CONTIGUOUS": self.f_contiguous,
            "FORTRAN": self.f_contiguous,
            "F": self.f_contiguous,
            "FNC": self.fnc,
            "FORC": self.forc,
        }
        return told[name]
