"""Which partial derivatives need care at singular points, or have no NumPy function of their own?

Each is a primitive that other rules call. Families with an order ``n`` are closed under differentiation, so
derivatives of any order exist.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .helpers import POWERS
from .registry import elementwise

# ----- quotients and shares -----


def ratio(x: Any, y: Any) -> Any:
    """``x / y``, and 0 where ``y`` is 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, 0. ])
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(np.equal(y, 0), 0, np.divide(x, y))[()]


def exp_share(x: Any, total: Any) -> Any:
    """``exp(x - total)``: the share of ``x`` in ``total = log(exp(x) + ...)``, infinities included.

    >>> exp_share(np.array([-np.inf, np.inf, 0.0]), np.array([-np.inf, np.inf, np.log(2)]))
    array([0. , 1. , 0.5])
    """
    with np.errstate(invalid="ignore"):
        share = np.exp(np.subtract(x, total))
    return np.where(np.isneginf(np.real(x)), 0, np.where(np.equal(x, total), 1, share))[()]


@elementwise(ratio)
def ratio_rule(ans, x, y):
    return ratio(1.0, y), -ratio(ans, y)


@elementwise(exp_share)
def exp_share_rule(ans, x, total):
    return ans, -ans


# ----- 1 / sqrt(1 - z ** 2) -----


def arcsin_slope(z: Any) -> Any:
    """``1 / sqrt(1 - z ** 2)`` of a complex ``z``, on the side of the cuts where ``arcsin`` is.

    The sign of a zero as the imaginary part tells the side, and ``1 - z`` would lose it.

    >>> arcsin_slope(np.array([2 + 0j, complex(2, -0.0)])).imag.round(4)
    array([ 0.5774, -0.5774])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.copysign(1, np.imag(z)) * 1j / (np.sqrt(z - 1) * np.sqrt(z + 1))


@elementwise(arcsin_slope, partial_domain=True)
def arcsin_slope_rule(ans, z):
    return z * ans**3


# ----- x ** y -----


def power_dx(x: Any, y: Any) -> Any:
    """``y * x ** (y - 1)``: the derivative of ``x ** y`` by ``x``, which is 0 for ``y = 0``.

    >>> power_dx(np.array([0.0, 3.0]), 2)
    array([0., 6.])
    """
    with np.errstate(all="ignore"):
        if np.ndim(y) == 0:
            return y * np.power(x * 1.0, y - 1) if y != 0 else np.zeros_like(x * 1.0)[()]
        safe = np.where(np.equal(y, 0), 1, np.subtract(y, 1))
        return np.where(np.equal(y, 0), 0, y * np.power(x * 1.0, safe))[()]


def power_dy(x: Any, y: Any, ans: Any) -> Any:
    """``ans * log(x)``: the derivative of ``ans = x ** y`` by ``y``; 0 at ``x = 0`` unless ``y`` is negative.

    >>> power_dy(np.array([0.0, 1.0]), 2.0, np.array([0.0, 1.0]))
    array([0., 0.])
    """
    with np.errstate(all="ignore"):
        flat = np.equal(x, 0) & np.greater_equal(np.real(y), 0)
        return np.where(flat, 0, ans * np.log(np.where(flat, 1, x)))[()]


def power_derivative(x: Any, y: Any, n: int, m: int) -> Any:
    """The ``n``-th derivative by ``x``, ``m``-th by ``y``, of ``x ** y``; terms with coefficient 0 are 0.

    >>> float(power_derivative(2.0, 3.0, 2, 0))
    12.0
    """
    falling = np.atleast_1d(np.poly(np.arange(n)))  # y (y - 1) ... (y - n + 1), a polynomial in y
    with np.errstate(all="ignore"):
        base, exponent = np.asarray(x * 1.0), np.subtract(y, n)
        flat = np.equal(base, 0) & ((np.real(exponent) > 0) if n else (np.real(exponent) >= 0))
        log = np.log(np.where(flat, 1, base)) if m else 1.0
        total: Any = 0.0
        for k in range(m + 1):
            coefficient = np.polyval(np.polyder(falling, k), y)
            log_power = np.where(flat, 0, log ** (m - k)) if k < m else 1.0
            term = coefficient * np.power(base, exponent) * log_power
            total = total + math.comb(m, k) * np.where(np.equal(coefficient, 0), 0, term)
    return total[()]


POWERS.append(power_dx)


@elementwise(power_dx, partial_domain=True)
def power_dx_rule(ans, x, y):
    return power_derivative(x, y, 2, 0), power_derivative(x, y, 1, 1)


@elementwise(power_dy, partial_domain=True)
def power_dy_rule(ans, x, y, power):
    # the third argument is x ** y, whose derivative is part of the first two
    return power_derivative(x, y, 1, 1), power_derivative(x, y, 0, 2), None


@elementwise(power_derivative, partial_domain=True)
def power_derivative_rule(ans, x, y, n, m):
    return power_derivative(x, y, n + 1, m), power_derivative(x, y, n, m + 1), None, None


# ----- functions that NumPy has without their derivatives -----


def _float_array(x: Any) -> Any:
    x = np.asarray(x)
    return x if x.dtype.kind == "f" else x.astype(float)


def sinc_derivative(x: Any, n: int) -> Any:
    """The ``n``-th derivative of ``np.sinc``.

    Near 0 its Taylor series; elsewhere the recurrence that follows from ``pi x sinc(x) = sin(pi x)``.

    >>> float(sinc_derivative(0.0, 1))
    0.0
    """
    x = np.asarray(x) if np.iscomplexobj(x) else _float_array(x)
    near = np.abs(x) < 1
    away = np.where(near, 1, x)
    value = np.sinc(away)
    for k in range(1, n + 1):
        value = (np.pi ** (k - 1) * np.sin(np.pi * away + k * np.pi / 2) - k * value) / away
    powers = np.arange(2 * 24 + n)
    terms = np.where(powers % 2 == 0, (-1.0) ** (powers // 2), 0) * np.pi**powers
    series = np.array(
        [t / math.factorial(k + 1) for k, t in zip(powers.tolist(), terms.tolist(), strict=True)]
    )
    close = np.polyval(np.polyder(series[::-1], n), np.where(near, x, 0))
    return np.where(near, close, value).astype(x.dtype)[()]


def bessel_i(n: int, x: Any) -> Any:
    """The modified Bessel function of the first kind and integer order ``n``, of real ``x``.

    The mean of ``exp(x cos t) cos(n t)`` over a period, for which equidistant points converge exponentially.

    >>> round(float(bessel_i(0, 1.0)), 12) == round(float(np.i0(1.0)), 12)
    True
    """
    t = (np.arange(256) + 0.5) * (np.pi / 256)
    x = _float_array(x)
    scaled = np.mean(np.exp(x[..., None] * np.cos(t) - np.abs(x)[..., None]) * np.cos(n * t), axis=-1)
    with np.errstate(over="ignore"):
        return (np.exp(np.abs(x)) * scaled).astype(x.dtype)[()]


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)


def polygamma(n: int, x: Any) -> Any:
    """The ``n``-th derivative of the digamma function ``d log(gamma(x)) / dx``, of real ``x``.

    >>> round(float(-polygamma(0, 1.0)), 12)  # the Euler-Mascheroni constant
    0.577215664902
    """
    x = _float_array(x)
    with np.errstate(all="ignore"):
        left = x < 0.5
        value = _polygamma_right(n, np.where(left, 1 - x, x))
        value = np.where(left, (-1) ** n * value - _pi_cot_derivative(n, x), value)
        if n:  # a pole; the digamma function has another sign on either side of it
            pole = (x <= 0) & (x == np.floor(x)) & np.isfinite(x)
            value = np.where(pole, (-1) ** (n + 1) * np.inf, value)
        return value.astype(x.dtype)[()]


def _polygamma_right(n: int, x: Any) -> Any:
    """``polygamma`` for ``x >= 0.5``: up by the recurrence to where the asymptotic series holds."""
    start, sign = 20 + n, (-1) ** (n + 1)
    total = np.zeros(np.shape(x))
    z = np.array(x, dtype=float)
    while np.any(z < start):
        low = z < start
        total += np.where(low, sign * math.factorial(n) / np.where(low, z, 1) ** (n + 1), 0)
        z = np.where(low, z + 1, z)
    series = (
        np.log(z) - 0.5 / z
        if n == 0
        else math.factorial(n - 1) / z**n + math.factorial(n) / (2 * z ** (n + 1))
    )
    for k, bernoulli in enumerate(BERNOULLI, start=1):
        term = bernoulli * math.factorial(2 * k + n - 1) / math.factorial(2 * k) / z ** (2 * k + n)
        series = series - term if n == 0 else series + term
    return total + (series if n == 0 else sign * series)


def _pi_cot_derivative(n: int, x: Any) -> Any:
    """The ``n``-th derivative of ``pi cot(pi x)``, a polynomial in the cotangent."""
    polynomial = np.array([np.pi, 0.0])
    for _ in range(n):
        polynomial = np.polymul(np.polyder(polynomial), [-np.pi, 0.0, -np.pi])
    inside = np.where(x == np.floor(x), np.nan, x)  # poles
    cot, total = 1 / np.tan(np.pi * (inside - np.round(inside))), polynomial[0]
    for coefficient in polynomial[1:]:  # np.polyval makes NaN of an infinite cotangent
        total = total * cot + coefficient
    return total


@elementwise(sinc_derivative)
def sinc_derivative_rule(ans, x, n):
    return sinc_derivative(x, n + 1), None


@elementwise(bessel_i)
def bessel_i_rule(ans, n, x):
    return None, 0.5 * (bessel_i(n - 1, x) + bessel_i(n + 1, x))


@elementwise(polygamma, partial_domain=True)
def polygamma_rule(ans, n, x):
    return None, polygamma(n + 1, x)
