"""How do reductions of ``numpy.ma`` pass a cotangent back, of arrays in which nothing is masked?

Arrays that are differentiated have no masks, so that these are NumPy's own; along an axis the result would be
a masked array, which has no derivative here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import composite
from .gather import refuse


@composite(np.ma.average)
def average(a, axis=None, weights=None, returned=False):
    if weights is not None or returned:
        refuse("np.ma.average with weights= or returned=", fix="use np.average")
    require_whole("average", axis)
    return np.mean(a)


@composite(np.ma.mean)
def mean(a, axis=None):
    require_whole("mean", axis)
    return np.mean(a)


@composite(np.ma.sum)
def sum(a, axis=None):
    require_whole("sum", axis)
    return np.sum(a)


@composite(np.ma.var)
def var(a, axis=None, *, ddof=0):
    require_whole("var", axis)
    return np.var(a, ddof=ddof)


@composite(np.ma.std)
def std(a, axis=None, *, ddof=0):
    require_whole("std", axis)
    return np.std(a, ddof=ddof)


def require_whole(name: str, axis: Any) -> None:
    if axis is not None:
        refuse(f"np.ma.{name} along an axis", "the result is a masked array", f"use np.{name}")
