"""What are the derivatives of the incomplete gamma and beta functions by their shapes? Integrals, too.

By a shape the density gets a factor, the logarithm of what is integrated over less its mean, which changes
sign once. Up to there the integral is taken from below, and beyond from above, so that nothing cancels.
Nodes crowd at both ends (tanh-sinh) of the logarithm of what is integrated over: sums are exact to about 11
digits, for shapes from 0.01 to 10000.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from ..helpers import safe_product
from ..numpy.gather import refuse
from ..registry import elementwise

SMALL = 60.0  # exp(-60) of the largest value makes no difference
NO_SHAPE = 1e-20
_AT = np.linspace(-3.4, 3.4, 161)
_LEVEL = np.pi / 2 * np.sinh(_AT)
NODES = 1 / (1 + np.exp(-2 * _LEVEL))
WEIGHTS = np.pi / 2 * np.cosh(_AT) / (2 * np.cosh(_LEVEL) ** 2) * (_AT[1] - _AT[0])


def gammainc_by_shape(a: Any, x: Any, n: int) -> Any:
    """The ``n``-th derivative of ``scipy.special.gammainc(a, x)`` by ``a``, for ``n`` of 1 and 2.

    >>> bool(np.isclose(gammainc_by_shape(1.0, 2.0, 1), -0.2208254, rtol=1e-6))
    True
    """
    if n > 2:
        refuse("the third derivative of the incomplete gamma function by its shape")
    shape, end = np.broadcast_arrays(np.asarray(a, float), np.asarray(x, float))
    shape, end = off_zero(shape[..., None]), end[..., None]
    with np.errstate(all="ignore"):
        mean = sp.digamma(shape)
        below = np.log(end) < mean
        room = np.where(below, (SMALL + end) / shape, np.log1p((SMALL + shape + 12 * np.sqrt(shape)) / end))
        log = np.log(end) + np.where(below, -room, room) * NODES
        away = log - mean
        factor = away if n == 1 else away * away - sp.polygamma(1, shape)
        density = np.exp(shape * log - np.exp(log) - sp.gammaln(shape))
        found = np.sum(density * factor * room * WEIGHTS, axis=-1)
    found = np.where(below[..., 0], found, -found)
    at_end = (end == 0) | (end == np.inf) | (shape == np.inf)
    return at_the_ends(found, (shape > 0) & (end >= 0) & ((n == 1) | (shape > NO_SHAPE)), at_end)


def betainc_by_shape(a: Any, b: Any, x: Any, rest: Any, n: int = 1, m: int = 0) -> Any:
    """The derivative of ``scipy.special.betainc(a, b, x)``, ``n`` times by ``a`` and ``m`` times by ``b``.

    ``rest`` is ``1 - x``, to all its digits. Derivatives are by ``a`` first, and of order 2 at most.

    >>> bool(np.isclose(betainc_by_shape(1.0, 1.0, 0.5, 0.5), 0.5 * np.log(0.5), rtol=1e-12))
    True
    """
    if n + m > 2:
        refuse("the third derivative of the incomplete beta function by its shapes")
    given = (np.asarray(v, float) for v in (a, b, x, rest))
    a, b, x, rest = (v[..., None] for v in np.broadcast_arrays(*given))
    a, b = off_zero(a), off_zero(b)
    with np.errstate(all="ignore"):
        mean = sp.digamma(a) - sp.digamma(a + b)
        below = np.log(x) < mean
        room = np.where(
            below,
            (SMALL + np.maximum(0, -sp.xlogy(b - 1, rest))) / a,
            (SMALL + np.maximum(0, -sp.xlogy(a - 1, x))) / b,
        )
        near, gone = np.exp(-room * NODES), -np.expm1(-room * NODES)
        t, u = np.where(below, x * near, x + rest * gone), np.where(below, rest + x * gone, rest * near)
        log_t = np.where(below, np.log(x) - room * NODES, np.where(u < 0.5, np.log1p(-u), np.log(t)))
        log_u = np.where(below, np.where(t < 0.5, np.log1p(-t), np.log(u)), np.log(rest) - room * NODES)
        factor = beta_factor(a, b, log_t, log_u, n, m)
        one, other = np.where(below, a, a - 1), np.where(below, b - 1, b)
        density = np.exp(one * log_t + other * log_u - sp.betaln(a, b))
        found = np.sum(density * factor * room * WEIGHTS, axis=-1)
    found = np.where(below[..., 0], found, -found)
    defined = (a > 0) & (b > 0) & (x >= 0) & (rest >= 0) & ((n + m == 1) | (np.minimum(a, b) > NO_SHAPE))
    return at_the_ends(found, defined, (x == 0) | (rest == 0) | (a == np.inf) | (b == np.inf))


def off_zero(shape: Any) -> Any:
    """The limit for a shape that goes to 0 is taken close by."""
    return np.where(shape == 0, NO_SHAPE, shape)


def at_the_ends(found: Any, defined: Any, ends: Any) -> Any:
    """The derivative, where there is one; 0 at the ends of the domain, where the function is 0 or 1."""
    return np.where(defined, np.where(ends, 0.0, found[..., None]), np.nan)[..., 0][()]


def beta_factor(a: Any, b: Any, log_t: Any, log_u: Any, n: int, m: int) -> Any:
    """What the density of ``t = 1 - u`` gets as a factor."""
    away = log_t - sp.digamma(a) + sp.digamma(a + b)
    if m:
        return away * (log_u - sp.digamma(b) + sp.digamma(a + b)) + sp.polygamma(1, a + b)
    return away if n == 1 else away * away - sp.polygamma(1, a) + sp.polygamma(1, a + b)


@elementwise(gammainc_by_shape, partial_domain=True)
def gammainc_by_shape_rule(ans, a, x, n):
    away = np.log(x) - sp.digamma(a)
    factor = away if n == 1 else away * away - sp.polygamma(1, a)
    return gammainc_by_shape(a, x, n + 1), gamma_density(a, x) * factor, None


@elementwise(betainc_by_shape, partial_domain=True)
def betainc_by_shape_rule(ans, a, b, x, rest, n=1, m=0):
    density = np.exp(sp.xlogy(a - 1, x) + sp.xlogy(b - 1, rest) - sp.betaln(a, b))
    by_x = density * beta_factor(a, b, np.log(x), np.log(rest), n, m)
    return (
        betainc_by_shape(a, b, x, rest, n + 1, m),
        betainc_by_shape(a, b, x, rest, n, m + 1),
        by_x,
        None,
        None,
        None,
    )


def gamma_density(a: Any, x: Any) -> Any:
    """The derivative of ``gammainc(a, x)`` by ``x``."""
    return np.exp(-x + sp.xlogy(a - 1, x) - sp.gammaln(a))


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """The derivative of ``betainc(a, b, x)`` by ``x``."""
    return np.exp(sp.xlogy(a - 1, x) + sp.xlog1py(b - 1, -x) - sp.betaln(a, b))


def beta_shapes(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    """The derivatives of ``betainc(a, b, x)`` by ``a`` and ``b``."""
    return betainc_by_shape(a, b, x, 1 - x), -betainc_by_shape(b, a, 1 - x, x)


def f_slopes(n: Any, d: Any, x: Any) -> tuple[Any, Any, Any]:
    """The derivatives of the distribution function of F, ``betainc(n / 2, d / 2, n * x / (d + n * x))``."""
    share = np.where(x < np.inf, n * x / (d + n * x), 1.0)
    rest = sp.xlogy(d / 2 + 1, d / (d + n * x)) - sp.betaln(n / 2, d / 2)
    by_x = np.exp(sp.xlogy(n / 2 - 1, share) + rest) * n / d
    beyond = d / (d + n * x)
    by_n = 0.5 * betainc_by_shape(n / 2, d / 2, share, beyond)
    by_d = -0.5 * betainc_by_shape(d / 2, n / 2, beyond, share)
    moved = safe_product(by_x, x)
    return by_n + moved / n, by_d - moved / d, by_x
