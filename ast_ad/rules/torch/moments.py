"""How do a spread and the mean, computed together, differentiate?

Index: std_mean var_mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numpy.reductions import count_present, degrees_of_freedom, spread, spread_deviation
from ..partials import ratio
from ..registry import vjp

Axes = int | tuple[int, ...] | None


def var_mean(x: Any, axis: Axes = None, ddof: float = 0, keepdims: bool = False) -> Any:
    """The variance and the mean over ``axis`` (None: all).

    >>> tuple(map(float, var_mean(np.array([1.0, 3.0]), ddof=1)))
    (2.0, 2.0)
    """
    return np.var(x, axis, ddof=ddof, keepdims=keepdims), np.mean(x, axis, keepdims=keepdims)


def std_mean(x: Any, axis: Axes = None, ddof: float = 0, keepdims: bool = False) -> Any:
    """The standard deviation and the mean over ``axis`` (None: all).

    >>> tuple(map(float, std_mean(np.array([1.0, 3.0]))))
    (1.0, 2.0)
    """
    return np.std(x, axis, ddof=ddof, keepdims=keepdims), np.mean(x, axis, keepdims=keepdims)


@vjp(var_mean)
def var_mean_rule(g, ans, x, axis=None, ddof=0, keepdims=False):
    n = count_present(x, axis, keepdims, True)
    scaled = 2 * g[0] / degrees_of_freedom(x, axis, keepdims, ddof)
    return spread_deviation(scaled, x, axis, keepdims) + spread(g[1] / n, x, axis, keepdims, True)


@vjp(std_mean)
def std_mean_rule(g, ans, x, axis=None, ddof=0, keepdims=False):
    n = count_present(x, axis, keepdims, True)
    scaled = ratio(g[0], ans[0] * degrees_of_freedom(x, axis, keepdims, ddof))
    return spread_deviation(scaled, x, axis, keepdims) + spread(g[1] / n, x, axis, keepdims, True)
