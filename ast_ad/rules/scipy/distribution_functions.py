"""What are the derivatives of the special functions of which ``scipy.stats`` makes its distributions?

By the argument, by shapes, and by what has a formula; by whole numbers that count it is an error to ask.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp
import scipy.special._ufuncs as own

from ..helpers import safe_product
from ..partials import power_dx
from ..registry import elementwise
from .incomplete_by_shape import beta_shapes, f_slopes

SQRT_2PI = math.sqrt(2 * math.pi)
# Of (u / (1 + u) - log(1 + u)) / u**2; highest power first.
ROOT_SERIES = tuple((-1.0) ** (k + 1) * (k + 1) / (k + 2) for k in reversed(range(14)))


def times_exp(factor, log):
    """``factor * exp(log)``, and 0 where the factor is, however large the other one."""
    return safe_product(factor, np.exp(log))


# ----- beta and F -----


@elementwise(own._beta_pdf, partial_domain=True)
def beta_pdf(ans, x, a, b):
    both = sp.digamma(a + b)
    up = times_exp(a - 1, sp.xlogy(a - 2, x) + sp.xlog1py(b - 1, -x) - sp.betaln(a, b))
    down = times_exp(b - 1, sp.xlogy(a - 1, x) + sp.xlog1py(b - 2, -x) - sp.betaln(a, b))
    return up - down, ans * (np.log(x) - sp.digamma(a) + both), ans * (np.log1p(-x) - sp.digamma(b) + both)


@elementwise(own._beta_ppf, partial_domain=True)
def beta_ppf(ans, q, a, b):
    slope = np.exp(sp.betaln(a, b) - sp.xlogy(a - 1, ans) - sp.xlog1py(b - 1, -ans))
    by_a, by_b = beta_shapes(a, b, ans)
    return slope, -safe_product(by_a, slope), -safe_product(by_b, slope)


@elementwise(sp.betainccinv, partial_domain=True)
def betainccinv(ans, a, b, y):
    slope = np.exp(sp.betaln(a, b) - sp.xlogy(a - 1, ans) - sp.xlog1py(b - 1, -ans))
    by_a, by_b = beta_shapes(a, b, ans)
    return -safe_product(by_a, slope), -safe_product(by_b, slope), -slope


@elementwise(sp.fdtri, partial_domain=True)
def fdtri(ans, n, d, p):
    by_n, by_d, by_x = f_slopes(n, d, ans)
    return -by_n / by_x, -by_d / by_x, 1 / by_x


# ----- counts: the number of events is whole, so that nothing moves along it -----


@elementwise(sp.pdtr, partial_domain=True)
def pdtr(ans, k, m):
    whole = np.floor(k)
    return None, -np.exp(sp.xlogy(whole, m) - m - sp.gammaln(whole + 1))


@elementwise(sp.pdtrc, partial_domain=True)
def pdtrc(ans, k, m):
    whole = np.floor(k)
    return None, np.exp(sp.xlogy(whole, m) - m - sp.gammaln(whole + 1))


def binomial_slope(k, n, p):
    """What the distribution function of the binomial distribution loses as ``p`` grows."""
    inside = np.logical_and(k >= 0, k < n)
    safe = np.where(inside, k, 0 * n)
    slope = np.exp(sp.xlogy(safe, p) + sp.xlog1py(n - safe - 1, -p) - sp.betaln(safe + 1, n - safe))
    return np.where(inside, slope, 0.0)


def negative_binomial_slope(k, n, p):
    """What the distribution function of the negative binomial distribution gains as ``p`` grows."""
    return np.exp(sp.xlogy(n - 1, p) + sp.xlog1py(k, -p) - sp.betaln(n, k + 1))


@elementwise(own._binom_cdf, partial_domain=True)
def binom_cdf(ans, k, n, p):
    return NotImplemented, NotImplemented, -binomial_slope(k, n, p)


@elementwise(own._binom_sf, partial_domain=True)
def binom_sf(ans, k, n, p):
    return NotImplemented, NotImplemented, binomial_slope(k, n, p)


@elementwise(own._binom_pmf, partial_domain=True)
def binom_pmf(ans, k, n, p):
    by_n = ans * (sp.digamma(n + 1) - sp.digamma(n - k + 1) + np.log1p(-p))
    ways = sp.gammaln(n + 1) - sp.gammaln(k + 1) - sp.gammaln(n - k + 1)
    up = times_exp(k, ways + sp.xlogy(k - 1, p) + sp.xlog1py(n - k, -p))
    return NotImplemented, by_n, up - times_exp(n - k, ways + sp.xlogy(k, p) + sp.xlog1py(n - k - 1, -p))


@elementwise(own._nbinom_cdf, partial_domain=True)
def nbinom_cdf(ans, k, n, p):
    return NotImplemented, NotImplemented, negative_binomial_slope(k, n, p)


@elementwise(own._nbinom_sf, partial_domain=True)
def nbinom_sf(ans, k, n, p):
    return NotImplemented, NotImplemented, -negative_binomial_slope(k, n, p)


@elementwise(own._nbinom_pmf, partial_domain=True)
def nbinom_pmf(ans, k, n, p):
    by_n = ans * (sp.digamma(n + k) - sp.digamma(n) + np.log(p))
    ways = sp.gammaln(n + k) - sp.gammaln(k + 1) - sp.gammaln(n)
    up = times_exp(n, ways + sp.xlogy(n - 1, p) + sp.xlog1py(k, -p))
    return NotImplemented, by_n, up - times_exp(k, ways + sp.xlogy(n, p) + sp.xlog1py(k - 1, -p))


# ----- relatives of the normal distribution -----


@elementwise(sp.ndtri_exp, partial_domain=True)
def ndtri_exp(ans, y):
    return SQRT_2PI * np.exp(y + 0.5 * ans * ans)


@elementwise(own._cauchy_ppf, partial_domain=True)
def cauchy_ppf(ans, p, loc, scale):
    z = (ans - loc) / scale
    return math.pi * scale * (1 + z * z), 1, z


@elementwise(own._cauchy_isf, partial_domain=True)
def cauchy_isf(ans, p, loc, scale):
    z = (ans - loc) / scale
    return -math.pi * scale * (1 + z * z), 1, z


# ----- powers: Pareto's distributions and their relatives -----


@elementwise(sp.powm1, partial_domain=True)
def powm1(ans, x, y):
    return power_dx(x, y), sp.xlogy(ans + 1, x)


@elementwise(sp.inv_boxcox1p, partial_domain=True)
def inv_boxcox1p(ans, y, lmbda):
    """``(1 + lmbda y) ** (1 / lmbda) - 1``."""
    part = np.where(np.logical_and(np.equal(lmbda, 0), np.isinf(y)), 0.0, lmbda * y)
    near, safe = np.abs(part) < 0.05, np.where(np.equal(lmbda, 0), 1, lmbda)
    far = (y / (1 + part) - np.log1p(part) / safe) / safe
    by_lmbda = np.where(near, y * y * np.polyval(ROOT_SERIES, np.where(near, part, 0)), far)
    at_end = np.equal(part, -1)
    slope = np.where(at_end, np.power(0.0, 1 / safe - 1), (ans + 1) / (1 + np.where(at_end, 0, part)))
    return slope, (ans + 1) * by_lmbda
