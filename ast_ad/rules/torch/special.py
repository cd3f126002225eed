"""How do the special functions that PyTorch has and NumPy has not differentiate?

``scipy.special`` computes their values where it is installed (it is imported by the first call); otherwise
Python's ``math`` does, element by element.

Index: erf erfc erfinv lgamma digamma; rsqrt logit xlogy xlog1py.
"""

from __future__ import annotations

import functools
import importlib
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from ..partials import polygamma
from ..registry import elementwise

TWO_OVER_SQRT_PI, HALF_SQRT_PI = 2 / math.sqrt(math.pi), math.sqrt(math.pi) / 2


@functools.cache
def scipy_special() -> Any:
    """``scipy.special``, or None where SciPy is not installed."""
    try:
        return importlib.import_module("scipy.special")
    except ImportError:
        return None


def each(number: Callable[[float], float], x: Any) -> Any:
    """A function of one number applied to each element of ``x``, in ``x``'s precision.

    >>> each(math.sqrt, np.array([4.0, 9.0]))
    array([2., 3.])
    """
    x = np.asarray(x)
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(float)
    flat = np.array([number(float(v)) for v in x.ravel()], dtype)
    return flat.reshape(x.shape)[()]


# ----- the error function -----


def erf(x: Any) -> Any:
    """The error function.

    >>> float(erf(0.0))
    0.0
    """
    special = scipy_special()
    return each(math.erf, x) if special is None else special.erf(x)


@elementwise(erf)
def erf_rule(ans, x):
    return TWO_OVER_SQRT_PI * np.exp(-x * x)


def erfc(x: Any) -> Any:
    """``1 - erf(x)``, exact where that is tiny.

    >>> float(erfc(0.0))
    1.0
    """
    special = scipy_special()
    return each(math.erfc, x) if special is None else special.erfc(x)


@elementwise(erfc)
def erfc_rule(ans, x):
    return -TWO_OVER_SQRT_PI * np.exp(-x * x)


def erfinv(x: Any) -> Any:
    """The inverse of ``erf``; infinite at -1 and 1, NaN beyond.

    >>> float(erfinv(0.0))
    0.0
    """
    special = scipy_special()
    return each(_erfinv, x) if special is None else special.erfinv(x)


def _erfinv(y: float) -> float:
    """The normal quantile, made exact near 0 and 1 by two steps of Newton's method on the smaller tail."""
    if not abs(y) < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    tail = (1 - abs(y)) / 2
    x = max(-statistics.NormalDist().inv_cdf(tail) / math.sqrt(2), 0.0)
    for _ in range(2):
        error = math.erf(x) - abs(y) if x < 0.5 else 2 * tail - math.erfc(x)
        x -= error * HALF_SQRT_PI * math.exp(x * x)
    return math.copysign(x, y)


@elementwise(erfinv, partial_domain=True)
def erfinv_rule(ans, x):
    return HALF_SQRT_PI * np.exp(ans * ans)


# ----- the gamma function -----


def lgamma(x: Any) -> Any:
    """``log(abs(gamma(x)))``.

    >>> float(lgamma(1.0))
    0.0
    """
    special = scipy_special()
    values = each(_lgamma, x) if special is None else special.gammaln(x)
    return np.where(np.isneginf(x), np.inf, values)[()]


def _lgamma(x: float) -> float:
    return math.inf if math.isinf(x) or (x <= 0 and x == math.floor(x)) else math.lgamma(x)


@elementwise(lgamma, partial_domain=True)
def lgamma_rule(ans, x):
    return digamma(x)


def digamma(x: Any) -> Any:
    """The derivative of ``lgamma``; ``-inf`` at 0, NaN at the negative integers.

    >>> round(float(digamma(1.0)), 12)
    -0.577215664902
    """
    return np.where(np.equal(x, 0), np.copysign(np.inf, np.negative(x)), polygamma(0, x))[()]


@elementwise(digamma, partial_domain=True)
def digamma_rule(ans, x):
    return polygamma(1, x)


# ----- logarithms and roots -----


def rsqrt(x: Any) -> Any:
    """``1 / sqrt(x)``.

    >>> float(rsqrt(4.0))
    0.5
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 / np.sqrt(x)


@elementwise(rsqrt, partial_domain=True)
def rsqrt_rule(ans, x):
    return -0.5 * ans * ans * ans


def logit(x: Any, eps: float | None = None) -> Any:
    """``log(x / (1 - x))``, with ``x`` confined to ``[eps, 1 - eps]`` first if ``eps`` is given.

    >>> float(logit(0.5))
    0.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        confined = x if eps is None else np.clip(x, eps, 1 - eps)
        return np.log(confined / (1 - confined))


@elementwise(logit, partial_domain=True)
def logit_rule(ans, x, eps=None):
    """Outside of ``[eps, 1 - eps]`` the derivative is 0; without ``eps`` it is NaN outside of ``[0, 1]``."""
    if eps is None:
        return np.where((x < 0) | (x > 1), np.nan, 1 / (x * (1 - x))), None
    return np.where((x < eps) | (x > 1 - eps), 0, 1 / (x * (1 - x))), None


def _times_log(x: Any, y: Any, log: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        nothing = np.equal(x, 0) & ~np.isnan(y)
        return np.where(nothing, 0, x * log(np.where(nothing, 1, y)))[()]


def xlogy(x: Any, y: Any) -> Any:
    """``x * log(y)``, and 0 where ``x`` is 0 and ``y`` is a number.

    >>> float(xlogy(0.0, 0.0))
    0.0
    """
    return _times_log(x, y, np.log)


@elementwise(xlogy, partial_domain=True)
def xlogy_rule(ans, x, y):
    return np.where((x == 0) & (y <= 0), 0, np.log(y)), x / y


def xlog1py(x: Any, y: Any) -> Any:
    """``x * log(1 + y)``, and 0 where ``x`` is 0 and ``y`` is a number.

    >>> float(xlog1py(0.0, -1.0))
    0.0
    """
    return _times_log(x, y, np.log1p)


@elementwise(xlog1py, partial_domain=True)
def xlog1py_rule(ans, x, y):
    return np.where((x == 0) & (y <= -1), 0, np.log1p(y)), x / (1 + y)
