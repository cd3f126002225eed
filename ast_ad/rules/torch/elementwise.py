"""Which elementwise functions have in PyTorch another derivative at kinks, or no NumPy counterpart at all?

Index: absolute maximum minimum fmax fmin clamp atan2 lerp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..partials import ratio
from ..registry import elementwise, vjp
from .steps import sgn


def absolute(x: Any) -> Any:
    """The absolute value; its derivative is 0 at 0 and at NaN.

    >>> absolute(np.array([-2.0, 0.0]))
    array([2., 0.])
    """
    return np.abs(x)


@elementwise(absolute)
def absolute_rule(ans, x):
    return np.conj(sgn(x))


def maximum(x: Any, y: Any) -> Any:
    """The larger of two numbers, NaN if one is; at a tie each has half the derivative, at NaN the whole.

    >>> maximum(np.array([1.0, 3.0]), 2.0)
    array([2., 3.])
    """
    return np.maximum(x, y)


@vjp(maximum, broadcasts=True)
def maximum_rule(g, ans, x, y):
    g_each = np.where(x == y, g / 2, g)
    return np.where(x < y, 0, g_each), np.where(x > y, 0, g_each)


def minimum(x: Any, y: Any) -> Any:
    """The smaller of two numbers, NaN if one is; at a tie each has half the derivative, at NaN the whole.

    >>> minimum(np.array([1.0, 3.0]), 2.0)
    array([1., 2.])
    """
    return np.minimum(x, y)


@vjp(minimum, broadcasts=True)
def minimum_rule(g, ans, x, y):
    g_each = np.where(x == y, g / 2, g)
    return np.where(x > y, 0, g_each), np.where(x < y, 0, g_each)


def fmax(x: Any, y: Any) -> Any:
    """The larger of two numbers, or the one that is no NaN; at a tie ``x`` has the whole derivative.

    >>> fmax(np.array([1.0, np.nan]), 2.0)
    array([2., 2.])
    """
    return np.fmax(x, y)


@vjp(fmax, broadcasts=True)
def fmax_rule(g, ans, x, y):
    first = (x >= y) | np.isnan(y)
    return np.where(first, g, 0), np.where(first, 0, g)


def fmin(x: Any, y: Any) -> Any:
    """The smaller of two numbers, or the one that is no NaN; at a tie ``x`` has the whole derivative.

    >>> fmin(np.array([1.0, np.nan]), 2.0)
    array([1., 2.])
    """
    return np.fmin(x, y)


@vjp(fmin, broadcasts=True)
def fmin_rule(g, ans, x, y):
    first = (x <= y) | np.isnan(y)
    return np.where(first, g, 0), np.where(first, 0, g)


def clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    """``x`` confined to ``[min, max]``, numbers, arrays or None; ``max`` where ``min`` exceeds it.

    At a bound the derivative by ``x`` is 1.

    >>> clamp(np.array([-1.0, 0.5, 2.0]), 0.0, 1.0)
    array([0. , 0.5, 1. ])
    """
    if min is None and max is None:
        return np.copy(x)[()]
    at_least = x if min is None else np.maximum(x, min)
    return at_least if max is None else np.minimum(at_least, max)


@vjp(clamp, broadcasts=True)
def clamp_rule(g, ans, x, min=None, max=None):
    if min is None and max is None:
        return g, None, None
    if max is None:
        return np.where(x >= min, g, 0), np.where(x < min, g, 0), None
    if min is None:
        return np.where(x <= max, g, 0), None, np.where(x > max, g, 0)
    low, high = (x < min) & (min < max), (x > max) | (max < min)
    return np.where((x >= min) & (x <= max), g, 0), np.where(low, g, 0), np.where(high, g, 0)


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point ``(x, y)``; its derivatives are 0 at the origin.

    >>> float(atan2(0.0, 1.0))
    0.0
    """
    return np.arctan2(y, x)


@elementwise(atan2, partial_domain=True)
def atan2_rule(ans, y, x):
    square = x * x + y * y
    return ratio(x, square), -ratio(y, square)


def lerp(x: Any, end: Any, weight: Any) -> Any:
    """``x + weight * (end - x)``, exact at ``weight`` 0 and 1.

    >>> float(lerp(1.0, 3.0, 0.25))
    1.5
    """
    way = np.subtract(end, x)
    return np.where(np.less(np.abs(weight), 0.5), x + weight * way, end - way * (1 - weight))[()]


@elementwise(lerp)
def lerp_rule(ans, x, end, weight):
    return 1 - weight, weight, end - x


def from_parts(real: Any, imag: Any) -> Any:
    """The complex numbers of these real and imaginary parts.

    >>> from_parts(np.array([1.0]), np.array([-2.0]))
    array([1.-2.j])
    """
    dtype = np.result_type(real, imag, np.complex64)
    out = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), dtype)
    out.real, out.imag = real, imag
    return out


@vjp(from_parts, broadcasts=True)
def from_parts_rule(g, ans, real, imag):
    return np.real(g), np.imag(g)
