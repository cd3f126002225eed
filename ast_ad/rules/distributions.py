"""What do the methods of distributions compute? SciPy's masks as selections, for NumPy arrays.

The compiler reads these in the place of ``norm.pdf`` and its like; the formulas inside are the distribution's
own methods (``_pdf``), whoever wrote them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def choose(valid: np.ndarray, x: np.ndarray, value: np.ndarray) -> Any:
    """NaN where a parameter is out of its domain, or ``x`` is NaN."""
    return np.where(np.logical_and(valid, x == x), value, np.nan)[()]


def pdf(dist: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    y = (np.asarray(x) - loc) / scale
    inside = np.where(dist._support_mask(y, *shapes), dist._pdf(y, *shapes) / scale, 0.0)
    return choose(np.logical_and(dist._argcheck(*shapes), scale > 0), y, inside)


def logpdf(dist: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    y = (np.asarray(x) - loc) / scale
    inside = np.where(dist._support_mask(y, *shapes), dist._logpdf(y, *shapes) - np.log(scale), -np.inf)
    return choose(np.logical_and(dist._argcheck(*shapes), scale > 0), y, inside)


def cdf(dist: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    return cumulative(dist, dist._cdf, (0.0, 1.0), x, shapes, loc, scale)


def logcdf(dist: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    return cumulative(dist, dist._logcdf, (-np.inf, 0.0), x, shapes, loc, scale)


def sf(dist: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    return cumulative(dist, dist._sf, (1.0, 0.0), x, shapes, loc, scale)


def logsf(dist: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    return cumulative(dist, dist._logsf, (0.0, -np.inf), x, shapes, loc, scale)


def cumulative(dist: Any, method: Any, ends: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """What the method gives within the support, and the ends below and above."""
    y = (np.asarray(x) - loc) / scale
    lower, upper = dist._get_support(*shapes)
    inside = np.where(y >= upper, ends[1], np.where(y > lower, method(y, *shapes), ends[0]))
    return choose(np.logical_and(dist._argcheck(*shapes), scale > 0), y, inside)


def ppf(dist: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    lower, upper = dist._get_support(*shapes)
    return quantile(dist, dist._ppf, (lower, upper), q, shapes, loc, scale)


def isf(dist: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    lower, upper = dist._get_support(*shapes)
    return quantile(dist, dist._isf, (upper, lower), q, shapes, loc, scale)


def quantile(dist: Any, method: Any, ends: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    """What the method gives of probabilities between zero and one, and the ends of the support for these."""
    q = np.asarray(q)
    inside = np.where(np.logical_and(q > 0, q < 1), method(q, *shapes) * scale + loc, np.nan)
    found = np.where(q == 0, ends[0] * scale + loc, np.where(q == 1, ends[1] * scale + loc, inside))
    return choose(np.logical_and(dist._argcheck(*shapes), scale > 0), q, found)


def pmf(dist: Any, k: Any, shapes: Any, loc: Any) -> Any:
    k = np.asarray(k) - loc
    inside = np.logical_and(dist._support_mask(k, *shapes), np.floor(k) == k)
    return choose(dist._argcheck(*shapes), k, np.where(inside, np.clip(dist._pmf(k, *shapes), 0, 1), 0.0))


def logpmf(dist: Any, k: Any, shapes: Any, loc: Any) -> Any:
    k = np.asarray(k) - loc
    inside = np.logical_and(dist._support_mask(k, *shapes), np.floor(k) == k)
    return choose(dist._argcheck(*shapes), k, np.where(inside, dist._logpmf(k, *shapes), -np.inf))


def count_cdf(dist: Any, k: Any, shapes: Any, loc: Any) -> Any:
    k = np.asarray(k) - loc
    lower, upper = dist._get_support(*shapes)
    share = np.clip(dist._cdf(k, *shapes), 0, 1)
    return choose(dist._argcheck(*shapes), k, np.where(k >= upper, 1.0, np.where(k >= lower, share, 0.0)))


def count_sf(dist: Any, k: Any, shapes: Any, loc: Any) -> Any:
    k = np.asarray(k) - loc
    lower, upper = dist._get_support(*shapes)
    share = np.clip(dist._sf(k, *shapes), 0, 1)
    return choose(dist._argcheck(*shapes), k, np.where(k >= upper, 0.0, np.where(k >= lower, share, 1.0)))


def stats_of(dist: Any, shapes: Any, moments: str) -> Any:
    return dist._stats(*shapes, moments=moments) if dist._stats_has_moments else dist._stats(*shapes)


def mean(dist: Any, shapes: Any, loc: Any, scale: Any = 1) -> Any:
    found = stats_of(dist, shapes, "m")[0]
    if found is None:
        found = dist._munp(1, *shapes)
    return choose(np.logical_and(dist._argcheck(*shapes), scale > 0), np.asarray(loc), found * scale + loc)


def var(dist: Any, shapes: Any, loc: Any, scale: Any = 1) -> Any:
    first, found = stats_of(dist, shapes, "v")[:2]
    if found is None:
        if first is None:
            first = dist._munp(1, *shapes)
        found = np.where(np.isfinite(first), dist._munp(2, *shapes) - first * first, np.inf)
    valid = np.logical_and(dist._argcheck(*shapes), scale > 0)
    return choose(valid, np.asarray(loc), found * scale * scale)


def std(dist: Any, shapes: Any, loc: Any, scale: Any = 1) -> Any:
    return np.sqrt(var(dist, shapes, loc, scale))


def entropy(dist: Any, shapes: Any, loc: Any, scale: Any = 1) -> Any:
    valid = np.logical_and(dist._argcheck(*shapes), scale > 0)
    return choose(valid, np.asarray(loc), dist._entropy(*shapes) + np.log(scale))


MOMENTS: dict[str, Callable[..., Any]] = {
    f"rv_generic.{method.__name__}": method for method in (mean, var, std, entropy)
}
METHODS: dict[str, Callable[..., Any]] = {
    f"rv_continuous.{method.__name__}": method for method in (pdf, logpdf, cdf, logcdf, sf, logsf, ppf, isf)
}
METHODS |= {
    "rv_discrete.pmf": pmf,
    "rv_discrete.logpmf": logpmf,
    "rv_discrete.cdf": count_cdf,
    "rv_discrete.sf": count_sf,
}
