"""How do sorting and order statistics differentiate?

An order statistic is the element of some rank; a quantile between two ranks is a mean of both. With ``ranks``
as integers of the argument's own shape, its weights are ``max(0, 1 - |rank - position|)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..helpers import METADATA, unbroadcast
from ..registry import elementwise, nondifferentiable, tried_as, vjp
from .gather import refuse
from .reductions import count_present, expanded

nondifferentiable(np.argsort, np.argpartition, np.lexsort, np.searchsorted, np.digitize)

# ----- sorting -----


@vjp(np.sort)
def sort(g, ans, a, axis=-1, kind=None, order=None, *, stable=None):
    if stable or kind == "stable":  # equal ones keep their order
        flat = a if axis is not None else np.reshape(a, -1)
        along = -1 if axis is None else axis
        places = np.argsort(np.argsort(flat, axis=along, kind="stable"), axis=along)
        return np.reshape(np.take_along_axis(g, places, axis=along), np.shape(a))
    if axis is None:
        return np.reshape(g[np.argsort(np.argsort(a, axis=None))], np.shape(a))
    return np.take_along_axis(g, np.argsort(np.argsort(a, axis=axis), axis=axis), axis=axis)


@vjp(np.partition)
def partition(g, ans, a, kth, axis=-1, kind="introselect"):
    """Argument and result agree once both are sorted, whatever the algorithm did."""
    if axis is None:
        return np.reshape(g[np.argsort(ans)][np.argsort(np.argsort(a, axis=None))], np.shape(a))
    g_sorted = np.take_along_axis(g, np.argsort(ans, axis=axis), axis=axis)
    return np.take_along_axis(g_sorted, np.argsort(np.argsort(a, axis=axis), axis=axis), axis=axis)


def unique_places(a: Any) -> tuple[Any, Any]:
    """For each element of ``a`` its place in ``np.unique(a)``, and how many elements share that place.

    >>> unique_places(np.array([5.0, 3.0, 5.0]))
    (array([1, 0, 1]), array([2, 1, 2]))
    """
    _, inverse, counts = np.unique(a, return_inverse=True, return_counts=True)
    inverse = np.reshape(inverse, np.shape(a))
    return inverse, counts[inverse]


def unique_slices(a: Any, axis: int) -> tuple[Any, Any]:
    """For each slice along an axis its place among those that differ, and how many share it, as a factor.

    >>> unique_slices(np.array([[5.0, 3.0], [1.0, 2.0], [5.0, 3.0]]), 0)
    (array([1, 0, 1]), array([[2],
           [1],
           [2]]))
    """
    _, inverse, counts = np.unique(a, return_inverse=True, return_counts=True, axis=axis)
    inverse = np.ravel(inverse)
    lengths = [1] * np.ndim(a)
    lengths[axis] = len(inverse)
    return inverse, np.reshape(counts[inverse], lengths)


nondifferentiable(unique_places, unique_slices)


@vjp(np.unique)
def unique(g, ans, ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    """Equal elements, or slices along ``axis``, share the gradient evenly."""
    g_values = g[0] if return_index or return_inverse or return_counts else g
    if axis is not None:
        at, shared = unique_slices(ar, axis)
        return np.take(g_values, at, axis=axis) / shared
    places, sharing = unique_places(ar)
    return g_values[places] / sharing


# ----- quantiles -----


@tried_as(np.quantile, np.nanquantile)
def within_bounds(a, q, *args, **kwargs):
    return (a, np.clip(q, 0, 1), *args), kwargs


def ranks(a: Any, axis: Any = None) -> Any:
    """The rank (0, 1, ...) of each element among those along ``axis``: an int, a tuple, or None for all.

    >>> ranks(np.array([0.3, 0.1, 0.2]))
    array([2, 0, 1])
    """
    a = np.asarray(a)
    axes = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    last = tuple(range(-len(axes), 0))
    moved = np.moveaxis(a, axes, last)
    flat = moved.reshape(*moved.shape[: moved.ndim - len(axes)], -1)
    order = np.argsort(np.argsort(flat, axis=-1), axis=-1)
    return np.moveaxis(order.reshape(moved.shape), last, axes)


def outer(x: Any, a: Any) -> Any:
    """``x`` with as many axes of length 1 behind its own as ``a`` has: it broadcasts against ``a`` in full.

    >>> outer(np.ones(3), np.ones((2, 2))).shape
    (3, 1, 1)
    """
    return np.reshape(x, np.shape(x) + (1,) * np.ndim(a))


def outer_expand(g: Any, q: Any, a: Any, axis: Any) -> Any:
    """``g``, of the shape of ``q`` and the kept axes of ``a``, with the reduced axes put back as length 1.

    >>> outer_expand(np.ones((3, 2)), np.ones(3), np.ones((2, 5)), 1).shape
    (3, 2, 1)
    """
    ndim = np.ndim(a)
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    reduced = {i % ndim for i in axes} if ndim else set()
    return np.reshape(g, np.shape(q) + tuple(1 if i in reduced else n for i, n in enumerate(np.shape(a))))


# (alpha, beta) of the continuous methods: position = n q + alpha + q (1 - alpha - beta) - 1.
PLOTTING = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


def quantile_position(q: Any, count: Any, method: str = "linear") -> Any:
    """The fractional rank of the quantile ``q`` among ``count`` numbers, as ``np.quantile`` defines it.

    >>> float(quantile_position(0.5, 4))
    1.5
    """
    q, count = np.asarray(q, dtype=float), np.asarray(count)
    if method in PLOTTING:
        alpha, beta = PLOTTING[method]
        position = count * q + alpha + q * (1 - alpha - beta) - 1
    elif method in ("lower", "higher", "midpoint", "nearest"):
        exact = q * (count - 1)
        low, high = np.floor(exact), np.ceil(exact)
        between = np.where(exact - low == 0.5, low + low % 2, np.round(exact))
        position = {"lower": low, "higher": high, "midpoint": (low + high) / 2, "nearest": between}[method]
    elif method in ("inverted_cdf", "averaged_inverted_cdf"):
        step = count * q
        average = 0.5 if method == "averaged_inverted_cdf" else 0.0
        position = np.where(step == np.floor(step), step - 1 + average, np.ceil(step) - 1)
    else:
        refuse(f"quantiles by the method {method!r}", fix="use another method, as 'linear'")
    return np.clip(position, 0, count - 1)


def quantile_slope(q: Any, count: Any, method: str = "linear") -> Any:
    """The derivative of ``quantile_position`` by ``q``: 0 for the methods that jump.

    >>> float(quantile_slope(0.5, 4))
    3.0
    """
    if method not in PLOTTING:
        return np.zeros(np.broadcast_shapes(np.shape(q), np.shape(count)))[()]
    alpha, beta = PLOTTING[method]
    slope = np.asarray(count) + 1 - alpha - beta
    inside = slope * np.asarray(q) + alpha - 1
    return np.where((inside < 0) | (inside > np.asarray(count) - 1), 0.0, slope)[()]


nondifferentiable(ranks, quantile_slope)
METADATA.update({outer: 1, outer_expand: 2})


@vjp(outer, view=True)
def outer_rule(g, ans, x, a):
    return np.reshape(g, np.shape(x)), None


@vjp(outer_expand, view=True)
def outer_expand_rule(g, ans, x, q, a, axis):
    return np.reshape(g, np.shape(x)), None, None, None


@elementwise(quantile_position)
def quantile_position_rule(ans, q, count, method="linear"):
    return quantile_slope(q, count, method), None, None


def quantile_cotangents(g, a, q, axis, keepdims, method, present=True):
    """The cotangents of the numbers and of ``q``."""
    count = count_present(a, axis, True, present)
    q_each = outer(q, a) if np.ndim(q) else q
    position = quantile_position(q_each, count, method)
    g_each = outer_expand(g, q, a, axis) if np.ndim(q) else expanded(g, a, axis, keepdims)
    rank = ranks(a, axis)
    weight = np.maximum(1 - np.abs(rank - position), 0)
    a_bar = unbroadcast(g_each * weight, a)
    numbers = a if present is True else np.where(present, a, 0)
    low = np.floor(position)
    rise = np.where(rank == low + 1, numbers, 0) - np.where(rank == low, numbers, 0)
    slope = quantile_slope(q_each, count, method)
    axes = tuple(range(np.ndim(q), np.ndim(q) + np.ndim(a)))
    return a_bar, np.sum(g_each * rise * slope, axis=axes)


@vjp(np.quantile)
def quantile(g, ans, a, q, axis=None, *, method="linear", keepdims=False):
    return quantile_cotangents(g, a, q, axis, keepdims, method)


@vjp(np.percentile)
def percentile(g, ans, a, q, axis=None, *, method="linear", keepdims=False):
    a_bar, q_bar = quantile_cotangents(g, a, np.divide(q, 100), axis, keepdims, method)
    return a_bar, q_bar / 100


@vjp(np.median)
def median(g, ans, a, axis=None, *, keepdims=False):
    a_bar, _ = quantile_cotangents(g, a, 0.5, axis, keepdims, "linear")
    return a_bar


def check_order(q, axis):
    if np.ndim(q) > 1 and isinstance(axis, tuple) and len(axis) > 1:
        why = "NumPy mixes up the axes of its result"
        refuse("quantiles past NaN, over several axes, for several rows of q", why, "pass one row of q")


@vjp(np.nanquantile)
def nanquantile(g, ans, a, q, axis=None, *, method="linear", keepdims=False):
    check_order(q, axis)
    return quantile_cotangents(g, a, q, axis, keepdims, method, ~np.isnan(a))


@vjp(np.nanpercentile)
def nanpercentile(g, ans, a, q, axis=None, *, method="linear", keepdims=False):
    check_order(q, axis)
    a_bar, q_bar = quantile_cotangents(g, a, np.divide(q, 100), axis, keepdims, method, ~np.isnan(a))
    return a_bar, q_bar / 100


@vjp(np.nanmedian)
def nanmedian(g, ans, a, axis=None, *, keepdims=False):
    a_bar, _ = quantile_cotangents(g, a, 0.5, axis, keepdims, "linear", ~np.isnan(a))
    return a_bar
