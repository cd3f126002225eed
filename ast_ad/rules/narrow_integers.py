"""Which integers are too narrow for the formulas of derivatives?

``x ** k`` and ``arctan2(x, k)`` compute in the type of the result. Their derivatives need ``k - 1`` and
``k * k``, which wrap in integers of eight bits, and booleans have no ``-``: the rules of elementwise
functions get them as int64, those of 64 bits without a sign as float64, unless they were registered with
``unmixed=True``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Primitive

_WIDE, _LARGE = np.dtype(np.int64), np.dtype(np.uint64)


def is_narrow(dtype: Any) -> bool:
    """Whether a dtype is of booleans, of unsigned integers, or of fewer than 64 bits.

    >>> is_narrow(np.dtype(np.uint8)), is_narrow(np.dtype(np.int64)), is_narrow(None)
    (True, False, False)
    """
    return dtype is not None and (dtype.kind in "bu" or dtype.kind == "i" and dtype.itemsize < _WIDE.itemsize)


def wide(*dtypes: Any) -> np.dtype:
    """What holds such integers, and what is less or more by a few: int64 ends where half of uint64 does.

    >>> wide(np.dtype(np.uint8)), wide(np.dtype(np.uint64))
    (dtype('int64'), dtype('float64'))
    """
    return np.dtype(np.float64) if _LARGE in dtypes else _WIDE


def widens(primitive: Primitive, count: int) -> bool:
    """Whether a rule gets its narrow integers, among ``count`` arguments, as wide ones."""
    return primitive.kind == "elementwise" and not primitive.unmixed and count > 1


def widened(x: Any) -> Any:
    """Narrow integers as wide ones; anything else as it is.

    >>> widened(np.array([200], np.uint8)) - 201
    array([-1])
    """
    array = getattr(x, "_array", x)
    if not isinstance(array, (np.ndarray, np.generic)) or not is_narrow(array.dtype):
        return x
    dtype = wide(array.dtype)
    return x.astype(dtype) if array is x else x.double() if dtype.kind == "f" else x.long()  # of a tensor
