"""How do densities of ``scipy.stats`` pass a cotangent back, where their own steps have no derivative?

Read by the registry once the user's program has imported ``scipy.stats``. The normal density of several
variables is computed from eigenvectors, which have no derivative where eigenvalues coincide
(``s * np.eye(n)``); the density has one there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats
import scipy.stats._continuous_distns as continuous
import scipy.stats._distn_infrastructure as infrastructure

from ..numpy.decompositions import from_lower, in_triangle
from ..numpy.gather import refuse
from ..programs import entropies  # noqa: F401
from ..registry import elementwise, nondifferentiable, vjp
from ..standing import stands_for
from . import kernel_densities  # noqa: F401
from .distribution_functions import SQRT_2PI


@vjp(scipy.stats.multivariate_normal.logpdf)
def normal_logpdf(g, ans, x, mean=None, cov=1, allow_singular=False):
    """``-(log det C + d C^-1 d) / 2``; ``cov`` is C (its lower triangle), its diagonal, or s of s I."""
    n = variables(x, mean, cov)
    if n == 0:
        refuse("scipy.stats.multivariate_normal with these shapes", fix="pass arrays")
    deviations = np.reshape(x, (-1, n)) - (0.0 if mean is None else np.reshape(mean, (1, n)))
    if np.ndim(cov) == 2:
        precision = np.linalg.pinv(from_lower(cov)) if allow_singular else np.linalg.inv(from_lower(cov))
    else:
        precision = np.eye(n) / cov  # of a vector: column j by its j-th element
    scores = deviations @ precision
    weights = np.reshape(g, (-1, 1))
    x_bar = -weights * scores
    cov_bar = (np.transpose(scores) @ (weights * scores) - np.sum(weights) * precision) / 2
    if np.ndim(cov) == 2:
        cov_bar = in_triangle(cov_bar)
    elif np.ndim(cov) == 1:
        cov_bar = np.diagonal(cov_bar)
    else:
        cov_bar = np.trace(cov_bar)
    mean_bar = None if mean is None else np.reshape(-np.sum(x_bar, axis=0), np.shape(mean))
    return np.reshape(x_bar, np.shape(x)), mean_bar, cov_bar


@vjp(scipy.stats.multivariate_normal.pdf)
def normal_pdf(g, ans, x, mean=None, cov=1, allow_singular=False):
    return normal_logpdf(g * ans, ans, x, mean, cov, allow_singular)


def variables(x: Any, mean: Any, cov: Any) -> int:
    """How many variables a normal density has; 0 for what is not computed by its formula here.

    >>> variables(np.zeros((5, 3)), None, np.eye(3)), variables(np.zeros(5), None, 1)
    (3, 1)
    """
    if hasattr(cov, "colorize") or cov is None:
        return 0
    if mean is not None:
        n = int(np.size(mean))
    else:
        n = 1 if np.ndim(cov) < 2 else int(np.shape(cov)[0])
    if n == 0 or n > 1 and (np.ndim(x) == 0 or np.shape(x)[-1] != n):
        return 0
    return n


nondifferentiable(variables)


# ----- logarithms of distribution functions: each half from the side where it is exact -----


@stands_for(infrastructure.rv_continuous._logcdf)
def logcdf(self, x, *args):
    below = x < self._ppf(0.5, *args)
    return np.where(
        below,
        np.log(np.where(below, self._cdf(x, *args), 1.0)),
        np.log1p(np.where(below, 0.0, -self._sf(x, *args))),
    )


@stands_for(infrastructure.rv_continuous._logsf)
def logsf(self, x, *args):
    above = x > self._ppf(0.5, *args)
    return np.where(
        above,
        np.log(np.where(above, self._sf(x, *args), 1.0)),
        np.log1p(np.where(above, 0.0, -self._cdf(x, *args))),
    )


# ----- the truncated normal distribution: SciPy's formulas, without its stores under masks -----


@elementwise(continuous._log_gauss_mass, partial_domain=True)
def log_mass(ans, a, b):
    """The logarithm of the normal probability between ``a`` and ``b``."""
    return -np.exp(-0.5 * a * a - ans) / SQRT_2PI, np.exp(-0.5 * b * b - ans) / SQRT_2PI


def log_of_rest(direct, other):
    """``direct``, and where that is close to 0, what the other side leaves of 1."""
    close = direct > -0.1
    return np.where(close, np.log1p(-np.exp(np.where(close, other, -1.0))), direct)


@stands_for(type(scipy.stats.truncnorm)._logcdf)
def truncated_logcdf(self, x, a, b):
    whole = continuous._log_gauss_mass(a, b)
    return log_of_rest(continuous._log_gauss_mass(a, x) - whole, continuous._log_gauss_mass(x, b) - whole)


@stands_for(type(scipy.stats.truncnorm)._logsf)
def truncated_logsf(self, x, a, b):
    whole = continuous._log_gauss_mass(a, b)
    return log_of_rest(continuous._log_gauss_mass(x, b) - whole, continuous._log_gauss_mass(a, x) - whole)


@stands_for(type(scipy.stats.truncnorm)._ppf)
def truncated_ppf(self, q, a, b):
    whole, left = continuous._log_gauss_mass(a, b), a < 0
    share = np.where(left, np.log(q), np.log1p(-q)) + whole
    found = sp.ndtri_exp(log_sum(sp.log_ndtr(np.where(left, a, -b)), share))
    return np.where(left, found, -found)


@elementwise(continuous._log_diff, partial_domain=True)
def log_difference(ans, p, q):
    """The logarithm of ``exp(p) - exp(q)``, a complex number."""
    return np.exp(p - ans), -np.exp(q - ans)


@stands_for(type(scipy.stats.truncnorm)._isf)
def truncated_isf(self, q, a, b):
    whole, left = continuous._log_gauss_mass(a, b), b < 0
    share = np.where(left, np.log(q), np.log1p(-q)) + whole
    found = sp.ndtri_exp(np.real(continuous._log_diff(sp.log_ndtr(np.where(left, b, -a)), share)))
    return np.where(left, found, -found)


def log_sum(p, q):
    return sp.logsumexp(np.stack(np.broadcast_arrays(p, q)), axis=0)
