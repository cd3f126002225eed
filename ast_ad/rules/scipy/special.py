"""What are the partial derivatives of the functions in ``scipy.special``?

Read by the registry once the user's program has imported ``scipy.special``. ``NotImplemented`` stands for a
partial derivative that exists but has no formula here: asking for it is an error.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from ..numpy.gather import refuse
from ..registry import elementwise
from . import (  # with rules
    bessel_relatives,  # noqa: F401
    exponential_sums,  # noqa: F401
    noncentral,  # noqa: F401
    special_families,  # noqa: F401
    special_integrals,  # noqa: F401
)
from .bessel_orders import kve_by_order
from .distribution_functions import ROOT_SERIES
from .incomplete_by_shape import beta_density, beta_shapes, gamma_density, gammainc_by_shape

SQRT_PI = math.sqrt(math.pi)
SQRT_2PI = math.sqrt(2 * math.pi)
DEGREE = math.pi / 180
TINY = 1e-8  # where a function is its first derivative at 0 times x, to the last bit
# Of (t exp(t) - exp(t) + 1) / t**2; highest power first.
POWER_SERIES = tuple((k + 1) / math.factorial(k + 2) for k in reversed(range(16)))
LOG_SERIES = tuple((-1.0) ** (k + 1) / (k + 1) for k in reversed(range(14)))  # of -log(1 + d) / d

# ----- the error function and its relatives -----


@elementwise(sp.erf)
def erf(ans, x):
    return 2 / SQRT_PI * np.exp(-x * x)


@elementwise(sp.erfc)
def erfc(ans, x):
    return -2 / SQRT_PI * np.exp(-x * x)


@elementwise(sp.erfcx)
def erfcx(ans, x):
    return 2 * x * ans - 2 / SQRT_PI


@elementwise(sp.erfi)
def erfi(ans, x):
    return 2 / SQRT_PI * np.exp(x * x)


@elementwise(sp.erfinv, partial_domain=True)
def erfinv(ans, y):
    return SQRT_PI / 2 * np.exp(ans * ans)


@elementwise(sp.erfcinv, partial_domain=True)
def erfcinv(ans, y):
    return -SQRT_PI / 2 * np.exp(ans * ans)


@elementwise(sp.ndtr)
def ndtr(ans, x):
    return np.exp(-0.5 * x * x) / SQRT_2PI


@elementwise(sp.log_ndtr)
def log_ndtr(ans, x):
    return np.exp(-0.5 * x * x - ans) / SQRT_2PI


@elementwise(sp.ndtri, partial_domain=True)
def ndtri(ans, y):
    return SQRT_2PI * np.exp(0.5 * ans * ans)


# ----- gamma functions -----


@elementwise(sp.gamma)
def gamma(ans, z):
    return ans * sp.digamma(z)


@elementwise(sp.gammaln, partial_domain=True)
def gammaln(ans, x):
    return sp.digamma(x)


@elementwise(sp.loggamma, partial_domain=True)
def loggamma(ans, z):
    return sp.digamma(z)


@elementwise(sp.rgamma)
def rgamma(ans, z):
    return -ans * sp.digamma(z)


@elementwise(sp.digamma, partial_domain=True)
def digamma(ans, z):
    if np.iscomplexobj(z):
        refuse("the derivative of the digamma function of complex numbers", "SciPy has no trigamma of them")
    return sp.polygamma(1, z)


@elementwise(sp.polygamma, partial_domain=True)
def polygamma(ans, n, x):
    return None, sp.polygamma(np.asarray(n) + 1, x)


@elementwise(sp.beta)
def beta(ans, a, b):
    both = sp.digamma(a + b)
    return ans * (sp.digamma(a) - both), ans * (sp.digamma(b) - both)


@elementwise(sp.betaln)
def betaln(ans, a, b):
    both = sp.digamma(a + b)
    return sp.digamma(a) - both, sp.digamma(b) - both


@elementwise(sp.binom)
def binom(ans, n, k):
    rest = sp.digamma(n - k + 1)
    return ans * (sp.digamma(n + 1) - rest), ans * (rest - sp.digamma(k + 1))


@elementwise(sp.poch)
def poch(ans, z, m):
    top = sp.digamma(z + m)
    return ans * (top - sp.digamma(z)), ans * top


@elementwise(sp.gammainc, partial_domain=True)
def gammainc(ans, a, x):
    return gammainc_by_shape(a, x, 1), gamma_density(a, x)


@elementwise(sp.gammaincc, partial_domain=True)
def gammaincc(ans, a, x):
    return -gammainc_by_shape(a, x, 1), -gamma_density(a, x)


@elementwise(sp.betainc, partial_domain=True)
def betainc(ans, a, b, x):
    by_a, by_b = beta_shapes(a, b, x)
    return by_a, by_b, beta_density(a, b, x)


# ----- logarithms, entropies, statistics -----


@elementwise(sp.expit)
def expit(ans, x):
    return ans * (1 - ans)


@elementwise(sp.logit, partial_domain=True)
def logit(ans, x):
    return 1 / (x * (1 - x))


@elementwise(sp.log_expit)
def log_expit(ans, x):
    return sp.expit(-x)


@elementwise(sp.xlogy, partial_domain=True)
def xlogy(ans, x, y):
    return np.log(y), quotient(x, y)


@elementwise(sp.xlog1py, partial_domain=True)
def xlog1py(ans, x, y):
    return np.log1p(y), quotient(x, 1 + y)


def quotient(x, y):
    """``x / y``, and 0 where ``x`` is 0, whatever ``y``."""
    nothing = np.equal(x, 0)
    return np.where(nothing, 0, x / np.where(nothing, 1, y))


@elementwise(sp.entr, partial_domain=True)
def entr(ans, x):
    return -np.log(x) - 1


@elementwise(sp.rel_entr, partial_domain=True)
def rel_entr(ans, x, y):
    return np.log(x / y) + 1, -x / y


@elementwise(sp.kl_div, partial_domain=True)
def kl_div(ans, x, y):
    return np.log(x / y), 1 - x / y


@elementwise(sp.boxcox, partial_domain=True)
def boxcox(ans, x, lmbda):
    """``(x ** lmbda - 1) / lmbda``; at ``lmbda = 0`` its limit ``log(x)``."""
    log = np.log(x)
    near, safe = np.abs(lmbda * log) < 0.5, np.where(np.equal(lmbda, 0), 1, lmbda)
    far = (sp.xlogy(np.exp(lmbda * log), x) - ans) / safe
    by_lmbda = np.where(near, log * log * np.polyval(POWER_SERIES, np.where(near, lmbda * log, 0)), far)
    return np.where(np.equal(lmbda, 1), 1, np.exp((lmbda - 1) * log)), by_lmbda


@elementwise(sp.boxcox1p, partial_domain=True)
def boxcox1p(ans, x, lmbda):
    log = np.log1p(x)
    near, safe = np.abs(lmbda * log) < 0.5, np.where(np.equal(lmbda, 0), 1, lmbda)
    far = (sp.xlog1py(np.exp(lmbda * log), x) - ans) / safe
    by_lmbda = np.where(near, log * log * np.polyval(POWER_SERIES, np.where(near, lmbda * log, 0)), far)
    return np.where(np.equal(lmbda, 1), 1, np.exp((lmbda - 1) * log)), by_lmbda


@elementwise(sp.inv_boxcox, partial_domain=True)
def inv_boxcox(ans, y, lmbda):
    """``(1 + lmbda y) ** (1 / lmbda)``."""
    part = lmbda * y
    near, safe = np.abs(part) < 0.05, np.where(np.equal(lmbda, 0), 1, lmbda)
    far = (y / (1 + part) - np.log1p(part) / safe) / safe
    by_lmbda = np.where(near, y * y * np.polyval(ROOT_SERIES, np.where(near, part, 0)), far)
    return np.where(np.equal(lmbda, 1), 1, ans / (1 + part)), ans * by_lmbda


@elementwise(sp.huber)
def huber(ans, delta, r):
    inside = np.abs(r) <= delta
    return np.where(inside, 0, np.abs(r) - delta), np.where(inside, r, delta * np.sign(r))


@elementwise(sp.pseudo_huber)
def pseudo_huber(ans, delta, r):
    root = np.sqrt(1 + (r / delta) ** 2)
    return 2 * delta * (root - 1) - r * r / (delta * root), r / root


@elementwise(sp.exprel)
def exprel(ans, x):
    """``(exp(x) - 1) / x``: the quotient rule, and near 0 the first terms of the series."""
    near = np.abs(x) < 1e-3
    safe = np.where(near, 1, x)
    series = 0.5 + x * (1 / 3 + x * (1 / 8 + x * (1 / 30 + x / 144)))
    return np.where(near, series, (np.exp(safe) - np.where(near, 1, ans)) / safe)


# ----- Bessel functions -----


@elementwise(sp.j0)
def j0(ans, x):
    return -sp.j1(x)


@elementwise(sp.j1)
def j1(ans, x):
    return 0.5 * (sp.j0(x) - sp.jv(2, x))


@elementwise(sp.y0, partial_domain=True)
def y0(ans, x):
    return -sp.y1(x)


@elementwise(sp.y1, partial_domain=True)
def y1(ans, x):
    return 0.5 * (sp.y0(x) - sp.yn(2, x))


@elementwise(sp.jv)
def jv(ans, v, z):
    return NotImplemented, 0.5 * (sp.jv(v - 1, z) - sp.jv(v + 1, z))


@elementwise(sp.yn, partial_domain=True)
def yn(ans, n, x):
    return NotImplemented, 0.5 * (sp.yn(np.trunc(n) - 1, x) - sp.yn(np.trunc(n) + 1, x))


@elementwise(sp.yv, partial_domain=True)
def yv(ans, v, z):
    return NotImplemented, 0.5 * (sp.yv(v - 1, z) - sp.yv(v + 1, z))


@elementwise(sp.i0)
def i0(ans, x):
    return sp.i1(x)


@elementwise(sp.i1)
def i1(ans, x):
    return 0.5 * (sp.i0(x) + sp.iv(2, x))


@elementwise(sp.iv)
def iv(ans, v, z):
    return NotImplemented, 0.5 * (sp.iv(v - 1, z) + sp.iv(v + 1, z))


@elementwise(sp.i0e)
def i0e(ans, x):
    return sp.i1e(x) - np.sign(x) * ans


@elementwise(sp.i1e)
def i1e(ans, x):
    near = np.abs(x) <= TINY
    return np.where(near, 0.5, sp.i0e(x) - ans * (np.sign(x) + 1 / np.where(near, 1, x)))


# PyTorch's derivatives at NaN and near 0.


def tensor_i1(ans, x):
    return np.where(np.isnan(x), 0.5, 0.5 * (sp.i0(x) + sp.iv(2, x)))


def tensor_i1e(ans, x):
    far = np.abs(x) > TINY
    return np.where(far, sp.i0e(x) - ans * (np.sign(x) + 1 / np.where(far, x, 1)), 0.5)


@elementwise(sp.k0, partial_domain=True)
def k0(ans, x):
    return -sp.k1(x)


@elementwise(sp.k1, partial_domain=True)
def k1(ans, x):
    return -0.5 * (sp.k0(x) + sp.kn(2, x))


@elementwise(sp.kn, partial_domain=True)
def kn(ans, n, x):
    return NotImplemented, -0.5 * (sp.kn(np.trunc(n) - 1, x) + sp.kn(np.trunc(n) + 1, x))


@elementwise(sp.kv, partial_domain=True)
def kv(ans, v, z):
    return np.exp(-z) * kve_by_order(v, z, 1), -0.5 * (sp.kv(v - 1, z) + sp.kv(v + 1, z))


# ----- others -----


@elementwise(sp.sindg)
def sindg(ans, x):
    return DEGREE * sp.cosdg(x)


@elementwise(sp.cosdg)
def cosdg(ans, x):
    return -DEGREE * sp.sindg(x)


@elementwise(sp.tandg)
def tandg(ans, x):
    return DEGREE * (1 + ans * ans)


@elementwise(sp.cotdg)
def cotdg(ans, x):
    return -DEGREE * (1 + ans * ans)


@elementwise(sp.radian)
def radian(ans, degrees, minutes, seconds):
    return DEGREE, DEGREE / 60, DEGREE / 3600


@elementwise(sp.cosm1)
def cosm1(ans, x):
    return -np.sin(x)


@elementwise(sp.expm1)
def expm1(ans, x):
    return ans + 1


@elementwise(sp.log1p, partial_domain=True)
def log1p(ans, x):
    return 1 / (1 + x)


@elementwise(sp.exp2)
def exp2(ans, x):
    return ans * math.log(2)


@elementwise(sp.exp10)
def exp10(ans, x):
    return ans * math.log(10)


@elementwise(sp.cbrt, partial_domain=True)
def cbrt(ans, x):
    return 1 / (3 * ans * ans)


@elementwise(sp.expi, partial_domain=True)
def expi(ans, x):
    return np.exp(x) / x


@elementwise(sp.exp1, partial_domain=True)
def exp1(ans, x):
    return -np.exp(-x) / x


@elementwise(sp.spence, partial_domain=True)
def spence(ans, z):
    near = np.abs(z - 1) < 0.05
    far = np.log(z) / np.where(near, 1, 1 - z)
    return np.where(near, np.polyval(LOG_SERIES, np.where(near, z - 1, 0)), far)


@elementwise(sp.lambertw, partial_domain=True)
def lambertw(ans, z, k=0):
    return 1 / (z + np.exp(ans))
