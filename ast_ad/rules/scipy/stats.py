"""How do densities of ``scipy.stats`` pass a cotangent back, where their own steps have no derivative?

Read by the registry once the user's program has imported ``scipy.stats``. The normal density of several
variables is computed from eigenvectors, which have no derivative where eigenvalues coincide
(``s * np.eye(n)``); the density has one there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats

from ..numpy.decompositions import from_lower, in_triangle
from ..numpy.gather import refuse
from ..registry import nondifferentiable, vjp


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
