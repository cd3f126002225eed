"""How do the nearest neighbours that a k-d tree finds pass a cotangent back?

Which points are the nearest is an integer each, which jumps; how far away they are
is a difference of two points. Where a distance is 0 it has a kink, and the derivative is 0, as that of
``np.linalg.norm``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from ..helpers import astype, scatter
from ..numpy.gather import refuse
from ..registry import shape, vjp
from ..standing import stands_for


def nearest(
    data: Any,
    x: Any,
    k: int,
    eps: float,
    p: float,
    upper: float,
    leafsize: int,
    compact: bool,
    balanced: bool,
) -> Any:
    """The distances of the ``k`` nearest of the points ``data`` to each of ``x``; behind them their indices.

    >>> nearest(np.eye(2), np.array([[0.0, 3.0]]), 1, 0.0, 2.0, np.inf, 10, True, True)
    array([[[2.]],
    <BLANKLINE>
           [[1.]]])
    """
    tree = cKDTree(data, leafsize, compact, False, balanced)
    return np.stack(tree.query(x, list(range(1, k + 1)), eps, p, upper))


@shape(nearest)
def nearest_shape(data, x, k, eps, p, upper, leafsize, compact, balanced):
    return (2, *x[:-1], k)


@vjp(nearest)
def nearest_rule(g, ans, data, x, k, eps, p, upper, leafsize, compact, balanced):
    at, far, bar = astype(ans[1], int), ans[0], g[0]
    found = at < np.shape(data)[0]  # a place without a neighbour has the number of points
    at = np.where(found, at, 0)
    away = x[..., None, :] - data[at]
    size = np.where(found & (far > 0), far, 1.0)[..., None]
    if p == 2:
        slope = away / size
    elif p == 1:
        slope = np.sign(away)
    elif p == np.inf:
        largest = np.argmax(np.abs(away), axis=-1)[..., None] == np.arange(np.shape(data)[1])
        slope = np.where(largest, np.sign(away), 0.0)
    else:
        slope = np.sign(away) * (np.abs(away) / size) ** (p - 1)
    x_bar = np.where(found & (far > 0), bar, 0.0)[..., None] * slope
    return -scatter(data, at, x_bar), np.sum(x_bar, axis=-2)


def of_tree(data: Any, x: Any, k: Any, eps: Any, p: Any, upper: Any, how: tuple[Any, ...]) -> Any:
    """What ``query`` returns: numbers for one point and one neighbour."""
    if not isinstance(k, (int, np.integer)):
        refuse("neighbours with a list as k", "only their number has a rule", "choose among the k nearest")
    found = nearest(data, np.asarray(x, float), int(k), eps, p, upper, *how)
    if k == 1:
        return found[0, ..., 0], astype(found[1, ..., 0], int)
    return found[0], astype(found[1], int)


def neighbours_of(*args: Any) -> Any:
    """``of_tree`` under another name, for which it stands where traces look for programs."""
    return of_tree(*args)


stands_for(neighbours_of)(of_tree)
