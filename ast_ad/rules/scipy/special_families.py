"""What are the derivatives of distribution functions, elliptic integrals and orthogonal polynomials?

They are those of ``scipy.special``, by the argument. By an order there is no formula for most of them.
"""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from ..helpers import safe_product
from ..registry import elementwise, nondifferentiable, vjp
from .incomplete_by_shape import (
    beta_density,
    beta_shapes,
    betainc_by_shape,
    f_slopes,
    gamma_density,
    gammainc_by_shape,
)

nondifferentiable(sp.gammasgn, sp.round)  # steps
# Of integers.
nondifferentiable(
    sp.jn_zeros, sp.jnp_zeros, sp.yn_zeros, sp.ynp_zeros, sp.jnyn_zeros, sp.ai_zeros, sp.bi_zeros
)
nondifferentiable(sp.bernoulli, sp.euler)

# ----- distribution functions, and their inverses -----


@elementwise(sp.betaincc, partial_domain=True)
def betaincc(ans, a, b, x):
    by_a, by_b = beta_shapes(a, b, x)
    return -by_a, -by_b, -beta_density(a, b, x)


@elementwise(sp.stdtr, partial_domain=True)
def stdtr(ans, df, t):
    size = sp.betaln(df / 2, 0.5) + 0.5 * np.log(df)
    density = np.exp(-(df + 1) / 2 * np.log1p(t * t / df) - size)
    return student_by_df(df, t, density), density


def student_by_df(df, t, density):
    """Twice the part below ``-abs(t)`` is ``betainc(df / 2, 1 / 2, df / (df + t**2))``."""
    ratio = t * t / df
    by_share = np.sign(t) * betainc_by_shape(df / 2, 0.5, 1 / (1 + ratio), ratio / (1 + ratio))
    return np.where(df < np.inf, -0.25 * by_share - 0.5 * density * t / df, 0.0)


@elementwise(sp.chdtr, partial_domain=True)
def chdtr(ans, v, x):
    return 0.5 * gammainc_by_shape(v / 2, x / 2, 1), 0.5 * gamma_density(v / 2, x / 2)


@elementwise(sp.chdtrc, partial_domain=True)
def chdtrc(ans, v, x):
    return -0.5 * gammainc_by_shape(v / 2, x / 2, 1), -0.5 * gamma_density(v / 2, x / 2)


@elementwise(sp.fdtr, partial_domain=True)
def fdtr(ans, n, d, x):
    by_n, by_d, by_x = f_slopes(n, d, x)
    return by_n, by_d, by_x


@elementwise(sp.fdtrc, partial_domain=True)
def fdtrc(ans, n, d, x):
    by_n, by_d, by_x = f_slopes(n, d, x)
    return -by_n, -by_d, -by_x


# Where a function is 0 or 1, its inverse is at an end of the domain, whatever the shape.


@elementwise(sp.gammaincinv, partial_domain=True)
def gammaincinv(ans, a, y):
    slope = np.exp(ans - sp.xlogy(a - 1, ans) + sp.gammaln(a))
    return -safe_product(gammainc_by_shape(a, ans, 1), slope), slope


@elementwise(sp.gammainccinv, partial_domain=True)
def gammainccinv(ans, a, y):
    slope = np.exp(ans - sp.xlogy(a - 1, ans) + sp.gammaln(a))
    by_a = -safe_product(gammainc_by_shape(a, ans, 1), slope)
    return np.where(a > 0, by_a, 0.0), np.where(a > 0, -slope, 0.0)


@elementwise(sp.betaincinv, partial_domain=True)
def betaincinv(ans, a, b, y):
    slope = np.exp(sp.betaln(a, b) - sp.xlogy(a - 1, ans) - sp.xlog1py(b - 1, -ans))
    by_a, by_b = beta_shapes(a, b, ans)
    return -safe_product(by_a, slope), -safe_product(by_b, slope), slope


@elementwise(sp.stdtrit, partial_domain=True)
def stdtrit(ans, df, p):
    size = sp.betaln(df / 2, 0.5) + 0.5 * np.log(df)
    slope = np.exp((df + 1) / 2 * np.log1p(ans * ans / df) + size)
    return -safe_product(student_by_df(df, ans, 1 / slope), slope), slope


@elementwise(sp.chdtri, partial_domain=True)
def chdtri(ans, v, p):
    slope = 2 * np.exp(ans / 2 - sp.xlogy(v / 2 - 1, ans / 2) + sp.gammaln(v / 2))
    by_v = -0.5 * safe_product(gammainc_by_shape(v / 2, ans / 2, 1), slope)
    return np.where(v > 0, by_v, 0.0), np.where(v > 0, -slope, 0.0)


# ----- orthogonal polynomials: derivatives are polynomials of the next family -----


@elementwise(sp.eval_jacobi)
def eval_jacobi(ans, n, alpha, beta, x):
    lower = np.where(n > 0, (n + alpha + beta + 1) / 2 * sp.eval_jacobi(n - 1, alpha + 1, beta + 1, x), 0.0)
    return NotImplemented, NotImplemented, NotImplemented, lower


@elementwise(sp.eval_legendre)
def eval_legendre(ans, n, x):
    return NotImplemented, np.where(n > 0, (n + 1) / 2 * sp.eval_jacobi(n - 1, 1.0, 1.0, x), 0.0)


@elementwise(sp.lpmv, partial_domain=True)
def lpmv(ans, m, v, x):
    """By the functions of the orders beside ``m``: nothing cancels near 1 and -1."""
    inside = np.abs(x) < 1
    y = np.where(inside, x, 0.0)
    size = (v + m) * (v - m + 1)
    lower = np.where(size == 0, 0.0, size * sp.lpmv(np.where(size == 0, m, m - 1), v, y))
    slope = 0.5 * (lower - sp.lpmv(m + 1, v, y)) / np.sqrt(1 - y * y)
    return NotImplemented, NotImplemented, np.where(inside, slope, legendre_end_slopes(ans, m, v, x))


def legendre_end_slopes(ans, m, v, x):
    """Those of ``lpmv`` at 1, -1 and beyond, where SciPy has a value of the order 0 alone.

    It is ``sqrt(1 - x**2)**abs(m)`` times a polynomial, if ``v`` is an integer. NaN where there is no number
    that it could be the slope of: of orders below ``-v``, and at -1 for other ``v``.
    """
    end = np.where(x > 0, 1.0, -1.0)
    turn = np.where(x > 0, 1.0, np.cos(np.pi * v))  # of a polynomial of degree v from 1 to -1
    size = v * (v + 1)
    plain = np.where(size == 0, 0.0, 0.5 * size * sp.hyp2f1(1 - v, v + 2, 2.0, (1 - x) / 2))
    slope = np.where((np.abs(m) == 1) & (size != 0), np.copysign(np.inf, m * turn), 0.0)
    by_order = np.where(m > 0, 0.25 * size * (size - 2), 0.25)
    slope = np.where(np.abs(m) == 2, -end * turn * by_order, slope)
    return np.where(m == 0, plain, np.where(np.isfinite(ans), slope, np.nan))


@elementwise(sp.eval_gegenbauer)
def eval_gegenbauer(ans, n, alpha, x):
    return (
        NotImplemented,
        NotImplemented,
        np.where(n > 0, 2 * alpha * sp.eval_gegenbauer(n - 1, alpha + 1, x), 0.0),
    )


@elementwise(sp.eval_chebyt)
def eval_chebyt(ans, n, x):
    return NotImplemented, np.where(n > 0, n * sp.eval_gegenbauer(n - 1, 1.0, x), 0.0)


@elementwise(sp.eval_chebyu)
def eval_chebyu(ans, n, x):
    return NotImplemented, np.where(n > 0, 2 * sp.eval_gegenbauer(n - 1, 2.0, x), 0.0)


@elementwise(sp.eval_sh_legendre)
def eval_sh_legendre(ans, n, x):
    return NotImplemented, np.where(n > 0, (n + 1) * sp.eval_jacobi(n - 1, 1.0, 1.0, 2 * x - 1), 0.0)


@elementwise(sp.eval_sh_chebyt)
def eval_sh_chebyt(ans, n, x):
    return NotImplemented, np.where(n > 0, 2 * n * sp.eval_gegenbauer(n - 1, 1.0, 2 * x - 1), 0.0)


@elementwise(sp.eval_sh_chebyu)
def eval_sh_chebyu(ans, n, x):
    return NotImplemented, np.where(n > 0, 4 * sp.eval_gegenbauer(n - 1, 2.0, 2 * x - 1), 0.0)


@elementwise(sp.eval_chebyc)
def eval_chebyc(ans, n, x):
    return NotImplemented, np.where(n > 0, n * sp.eval_gegenbauer(n - 1, 1.0, x / 2), 0.0)


@elementwise(sp.eval_chebys)
def eval_chebys(ans, n, x):
    return NotImplemented, np.where(n > 0, sp.eval_gegenbauer(n - 1, 2.0, x / 2), 0.0)


@vjp(sp.eval_hermite, broadcasts=True)
def eval_hermite(g, ans, n, x):
    return None, g * 2 * n * sp.eval_hermite(np.maximum(n, 1) - 1, x)


@vjp(sp.eval_hermitenorm, broadcasts=True)
def eval_hermitenorm(g, ans, n, x):
    return None, g * n * sp.eval_hermitenorm(np.maximum(n, 1) - 1, x)


@elementwise(sp.eval_genlaguerre)
def eval_genlaguerre(ans, n, alpha, x):
    return NotImplemented, NotImplemented, np.where(n > 0, -sp.eval_genlaguerre(n - 1, alpha + 1, x), 0.0)


@elementwise(sp.eval_laguerre)
def eval_laguerre(ans, n, x):
    return NotImplemented, np.where(n > 0, -sp.eval_genlaguerre(n - 1, 1.0, x), 0.0)


# ----- hypergeometric functions -----


@elementwise(sp.hyp1f1, partial_domain=True)
def hyp1f1(ans, a, b, x):
    return NotImplemented, NotImplemented, a / b * sp.hyp1f1(a + 1, b + 1, x)


@elementwise(sp.hyp2f1, partial_domain=True)
def hyp2f1(ans, a, b, c, z):
    factor = np.where(a * b == 0, 0.0, a * b / np.where(c == 0, 1.0, c))
    return NotImplemented, NotImplemented, NotImplemented, factor * sp.hyp2f1(a + 1, b + 1, c + 1, z)
