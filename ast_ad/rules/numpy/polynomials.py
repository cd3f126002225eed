"""How do NumPy's functions of polynomial coefficients (highest power first) pass a cotangent back?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import composite, nondifferentiable, vjp
from .gather import gather, refuse
from .products import H, column


@vjp(np.polyval)
def polyval(g, ans, p, x):
    powers = np.vander(np.ravel(x), np.size(p))
    return np.conj(np.transpose(powers)) @ np.ravel(g), g * np.conj(np.polyval(np.polyder(p), x))


@vjp(np.polyder)
def polyder(g, ans, p, m=1):
    """Each coefficient is multiplied by a constant, the last ``m`` vanish."""
    n = np.size(p)
    return np.concatenate((g * np.polyder(np.ones(n), m), np.zeros(m)))[:n]


@composite(np.polyint)
def polyint(p, m=1):
    return np.concatenate((p * np.polyint(np.ones(np.size(p)), m)[: np.size(p)], np.zeros(m)))


def require_polynomials(a1: Any, a2: Any) -> None:
    """NumPy adds matrices, too, and stretches the rows of one to those of the other.

    Raises
    ------
    UnsupportedError
        if that is what it did.
    """
    if np.ndim(a1) + np.ndim(a2) > 2 and np.shape(a1) != np.shape(a2):
        refuse("a sum of polynomials with a matrix of coefficients", "it is no polynomial", "use +")


@vjp(np.polyadd)
def polyadd(g, ans, a1, a2):
    require_polynomials(a1, a2)
    return g[np.size(g) - np.size(a1) :], g[np.size(g) - np.size(a2) :]


@vjp(np.polysub)
def polysub(g, ans, a1, a2):
    require_polynomials(a1, a2)
    return g[np.size(g) - np.size(a1) :], -g[np.size(g) - np.size(a2) :]


@vjp(np.polymul)
def polymul(g, ans, a1, a2):
    """A convolution, but leading zeros are dropped; without coefficients it is the polynomial 0."""
    if np.size(a1) == 0 or np.size(a2) == 0:
        return np.zeros_like(a1), np.zeros_like(a2)
    full = np.concatenate((np.zeros(np.size(a1) + np.size(a2) - 1 - np.size(g)), g))
    return np.correlate(full, a2, "valid"), np.correlate(full, a1, "valid")


@vjp(np.roots)
def roots(g, ans, p):
    """Where ``p(z) = 0`` and ``p'(z) != 0``: ``dz = -dp(z) / p'(z)``."""
    slopes = np.polyval(np.polyder(p), ans)
    return -np.conj(np.transpose(np.vander(ans, np.size(p)) / column(slopes))) @ g


@vjp(np.poly)
def poly(g, ans, seq_of_zeros):
    """The derivative by a root is minus the polynomial of the others, ``ans`` divided by ``x - root``."""
    if np.ndim(seq_of_zeros) == 2:
        a = seq_of_zeros
        w, v = np.linalg.eig(a)
        return np.linalg.solve(H(v), column(poly(g, ans, w)) * H(v))
    n = np.size(seq_of_zeros)
    others = np.vander(seq_of_zeros, n, increasing=True) @ gather(ans, lags(n))
    return -np.conj(others) @ g


def lags(n: int) -> Any:
    """``j - m - 1`` at row m of n, column j of n + 1; -1 where that is negative.

    >>> lags(2)
    array([[-1,  0,  1],
           [-1, -1,  0]])
    """
    return np.maximum(np.arange(-1, n) - np.arange(n)[:, None], -1)


@composite(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The least squares solution of ``w * vander(x) @ c = w * y``, its columns scaled as NumPy's are."""
    if cov:
        refuse("np.polyfit with cov=", "there is no rule for it", "use full=True, or solve the equations")
    m, b = np.vander(x, deg + 1), np.asarray(y)
    if w is not None:
        m, b = m * column(w), b * w if np.ndim(b) == 1 else b * column(w)
    scale = np.sqrt(np.sum(m * m, axis=0))
    tolerance = np.size(x) * np.finfo(float).eps if rcond is None else rcond
    c, rest, rank, s = np.linalg.lstsq(m / scale, b, tolerance)
    c = c / scale if np.ndim(b) == 1 else c / column(scale)
    return (c, rest, rank, s, tolerance) if full else c


nondifferentiable(lags)
