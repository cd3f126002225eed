"""How do NumPy's functions of polynomial coefficients (highest power first) pass a cotangent back?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import composite, nondifferentiable, vjp
from .creation import vander
from .gather import gather
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


@vjp(np.polyadd)
def polyadd(g, ans, a1, a2):
    return g[np.size(g) - np.size(a1) :], g[np.size(g) - np.size(a2) :]


@vjp(np.polysub)
def polysub(g, ans, a1, a2):
    return g[np.size(g) - np.size(a1) :], -g[np.size(g) - np.size(a2) :]


@vjp(np.polymul)
def polymul(g, ans, a1, a2):
    """A convolution, but leading zeros are dropped."""
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


@vjp(np.polyfit)
def polyfit(g, ans, x, y, deg, rcond=None, w=None):
    """The least squares solution of ``w * vander(x) @ ans = w * y``, as in ``np.linalg.lstsq``."""
    v = np.vander(x, deg + 1)
    weights = np.ones(np.size(x)) if w is None else w
    c, b = (column(ans), column(y)) if np.ndim(y) == 1 else (ans, y)
    c_bar = column(g) if np.ndim(y) == 1 else g
    m = v * column(weights)
    p = np.linalg.pinv(m)
    b_bar = H(p) @ c_bar  # of w * y
    rest = b * column(weights) - m @ c
    m_bar = -b_bar @ H(c) + rest @ H(p @ b_bar)
    x_bar = vander(m_bar * column(weights), v, x)
    y_bar = np.reshape(b_bar * column(weights), np.shape(y))
    w_bar = np.sum(m_bar * np.conj(v), axis=1) + np.sum(b_bar * np.conj(b), axis=1)
    return x_bar, y_bar, None, None, w_bar


nondifferentiable(lags)
