"""How do sums, products, extrema and moments over axes differentiate?

The ``nan`` versions are the plain ones restricted to where the argument is a number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..helpers import METADATA, astype, broadcast_like, unbroadcast
from ..partials import ratio
from ..registry import composite, nondifferentiable, vjp


def reduced_count(a: Any, axis: Any = None) -> int:
    """How many elements of ``a`` a reduction over ``axis`` takes together.

    >>> reduced_count(np.zeros((2, 3, 4)), (0, -1))
    8
    """
    shape = np.shape(a)
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count = 1
    for i in axes:
        count *= shape[i]
    return count


nondifferentiable(reduced_count)
METADATA[reduced_count] = 0


def expanded(g, a, axis, keepdims):
    """The result ``g`` of a reduction over ``axis``, so that it broadcasts against ``a``."""
    if axis is None or keepdims or np.ndim(a) == 0:
        return g
    return np.expand_dims(g, axis)


def spread(g, a, axis, keepdims, where=True):
    """The cotangent ``g`` of a sum over ``axis``, given to each element that took part."""
    g_each = broadcast_like(expanded(g, a, axis, keepdims), a)
    return g_each if where is True else np.where(where, g_each, 0)


def sum_over(x, axis):
    """``np.sum`` with its axes kept, unless a number will do."""
    return np.sum(x) if axis is None else np.sum(x, axis=axis, keepdims=True)


def count_present(a, axis, keepdims, where=True):
    """The number of elements that take part in a reduction."""
    if where is not True:
        return np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=keepdims)
    if axis is None:
        return np.size(a)
    return np.shape(a)[axis] if isinstance(axis, int) and np.ndim(a) else reduced_count(a, axis)


def taken_as(a, dtype):
    """The numbers as a reduction with this ``dtype`` takes them: as real ones it has their real parts."""
    if dtype is None:
        return a
    if np.iscomplexobj(a) and np.dtype(dtype).kind != "c":
        return astype(np.real(a), dtype)
    return astype(a, dtype)


def degrees_of_freedom(a, axis, keepdims, ddof, where=True):
    """What a variance divides its sum of squares by: NumPy takes 0 for fewer elements than ``ddof``."""
    free = count_present(a, axis, keepdims, where) - ddof
    if where is not True:
        return np.maximum(free, 0)
    return free if ddof in (0, 1) else max(free, 0)  # no elements have no cotangents


# ----- sums and means -----


@vjp(np.sum)
def sum_rule(g, ans, a, axis=None, dtype=None, *, keepdims=False, initial=0, where=True):
    return spread(g, a, axis, keepdims, where), None, None, None, unbroadcast(g, initial)


@vjp(np.mean)
def mean(g, ans, a, axis=None, dtype=None, *, keepdims=False, where=True):
    return spread(g / count_present(a, axis, keepdims, where), a, axis, keepdims, where)


@vjp(np.var)
def var(g, ans, a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, correction=None, mean=None):
    free = ddof if correction is None else correction
    scaled = 2 * g / degrees_of_freedom(a, axis, keepdims, free, where)
    return by_deviations(scaled, a, axis, keepdims, where, dtype, mean)


@vjp(np.std)
def std(g, ans, a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, correction=None, mean=None):
    """Like any norm, the deviation has gradient 0 at 0.

    Centered twice: of numbers that are all equal the rounded mean may be another one, and so is the answer,
    but what is left after the second time is 0.
    """
    free = ddof if correction is None else correction
    scaled = ratio(g, ans * degrees_of_freedom(a, axis, keepdims, free, where))
    if where is True and mean is None:
        a = a - middle_of(a, axis, dtype)
    return by_deviations(scaled, a, axis, keepdims, where, dtype, mean)


def middle_of(a, axis, dtype):
    """The mean from which the variance with this ``dtype`` takes deviations, which stay what they are."""
    b = taken_as(a, dtype)
    return np.mean(b) if axis is None else np.mean(b, axis=axis, keepdims=True)


def by_deviations(g, a, axis, keepdims, where, dtype, mean):
    """The cotangents of the numbers and, where it is given, of the mean from which they deviate."""
    if mean is None:
        return spread_deviation(g, a, axis, keepdims, where, dtype)
    deviations = a - mean if where is True else np.where(where, a - mean, 0)
    bar = expanded(g, a, axis, keepdims) * deviations
    return bar, None, None, None, None, None, None, unbroadcast(-bar, mean)


def spread_deviation(g, a, axis, keepdims, where=True, dtype=None):
    """``g`` times the deviation of each element from the mean."""
    if where is True:
        return expanded(g, a, axis, keepdims) * (a - middle_of(a, axis, dtype))
    total = np.sum(taken_as(a, dtype), axis=axis, keepdims=True, where=where)
    middle = ratio(total, count_present(a, axis, True, where))
    return expanded(g, a, axis, keepdims) * (np.where(where, a, middle) - middle)


def along_axis(weights: Any, a: Any, axis: Any) -> Any:
    """Weights for ``axis``, an int or a tuple, as an array of ``a``'s rank. Reads ``a``'s rank only.

    >>> along_axis(np.ones(3), np.ones((3, 2)), 0).shape
    (3, 1)
    >>> along_axis(np.ones((4, 2)), np.ones((2, 3, 4)), (-1, 0)).shape
    (2, 1, 4)
    """
    axes, order = axes_in_order(a, axis)
    return np.reshape(np.transpose(weights, order), lengths_along(np.shape(weights), axes, np.ndim(a)))


def axes_in_order(a: Any, axis: Any) -> tuple[list[int], list[int]]:
    """The axes of ``a`` that are meant, and the order in which they rise."""
    axes = [i % np.ndim(a) for i in (axis if isinstance(axis, tuple) else (axis,))]
    return axes, sorted(range(len(axes)), key=axes.__getitem__)


def lengths_along(shape: tuple[int, ...], axes: list[int], ndim: int) -> tuple[int, ...]:
    """A shape of ``ndim`` lengths: the given ones at ``axes``, else 1."""
    return tuple(shape[axes.index(i)] if i in axes else 1 for i in range(ndim))


METADATA[along_axis] = 1


def from_axis(g: Any, weights: Any, a: Any, axis: Any) -> Any:
    """``g``, of the shape of ``along_axis(weights, a, axis)``, as an array like the weights.

    >>> from_axis(np.ones((2, 1, 4)), np.ones((4, 2)), np.ones((2, 3, 4)), (-1, 0)).shape
    (4, 2)
    """
    _, order = axes_in_order(a, axis)
    shape = np.shape(weights)
    rising = np.reshape(g, tuple(shape[i] for i in order))
    return np.transpose(rising, sorted(range(len(order)), key=order.__getitem__))


@vjp(along_axis, view=True)
def along_axis_rule(g, ans, weights, a, axis):
    return from_axis(g, weights, a, axis), None, None


@vjp(from_axis, view=True)
def from_axis_rule(g, ans, v, weights, a, axis):
    return along_axis(g, a, axis), None, None, None


METADATA[from_axis] = 1


@composite(np.average)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        return (mean, np.full_like(mean, np.size(a) / np.size(mean))[()]) if returned else mean
    same = np.ndim(weights) == np.ndim(a)
    placed = weights if same else along_axis(weights, a, axis)
    total = np.sum(placed, axis=axis, keepdims=keepdims)
    mean = np.sum(a * placed, axis=axis, keepdims=keepdims) / total
    return (mean, total * np.ones_like(mean)) if returned else mean


# ----- extrema -----


@vjp(np.max, np.min, np.amax, np.amin)
def extremum(g, ans, a, axis=None, *, keepdims=False, initial=None, where=True):
    """Equal extrema share the gradient evenly, the initial value among them."""
    extreme = expanded(ans, a, axis, keepdims)
    reached = a == extreme
    if where is not True:
        reached = reached & where
    ties = sum_over(reached, axis)
    g_each = expanded(g, a, axis, keepdims)
    if initial is None:
        return reached * (g_each / ties)
    share = ratio(g_each, ties + (extreme == initial))
    return reached * share, None, None, np.sum((extreme == initial) * share)


@vjp(np.nanmax, np.nanmin)
def nan_extremum(g, ans, a, axis=None, *, keepdims=False, initial=None, where=True):
    extreme = expanded(ans, a, axis, keepdims)
    reached = a == extreme
    if where is not True:
        reached = reached & where
    g_each = expanded(g, a, axis, keepdims)
    if initial is None:
        return reached * ratio(g_each, sum_over(reached, axis))
    share = ratio(g_each, sum_over(reached, axis) + (extreme == initial))
    return reached * share, None, None, np.sum((extreme == initial) * share)


@composite(np.ptp)
def ptp(a, axis=None, *, keepdims=False):
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


# ----- the versions that pass over NaN -----


@vjp(np.nansum)
def nansum(g, ans, a, axis=None, dtype=None, *, keepdims=False, initial=0, where=True):
    present = ~np.isnan(a) & where
    return spread(g, a, axis, keepdims, present), None, None, None, unbroadcast(g, initial)


@vjp(np.nanmean)
def nanmean(g, ans, a, axis=None, dtype=None, *, keepdims=False, where=True):
    present = ~np.isnan(a) & where
    return spread(ratio(g, count_present(a, axis, keepdims, present)), a, axis, keepdims, present)


@vjp(np.nanvar)
def nanvar(
    g, ans, a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, correction=None, mean=None
):
    present = ~np.isnan(a) & where
    free = ddof if correction is None else correction
    scaled = ratio(2 * g, degrees_of_freedom(a, axis, keepdims, free, present))
    return by_deviations(scaled, a, axis, keepdims, present, dtype, mean)


@vjp(np.nanstd)
def nanstd(
    g, ans, a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, correction=None, mean=None
):
    present = ~np.isnan(a) & where
    free = ddof if correction is None else correction
    known = np.where(np.isnan(ans), 0, ans)  # of as many numbers as are free there is none
    scaled = ratio(g, known * degrees_of_freedom(a, axis, keepdims, free, present))
    return by_deviations(scaled, a, axis, keepdims, present, dtype, mean)


@composite(np.nanprod)
def nanprod(a, axis=None, dtype=None, *, keepdims=False, initial=1, where=True):
    present = ~np.isnan(a) & where
    return np.prod(np.where(present, a, 1), axis=axis, dtype=dtype, keepdims=keepdims, initial=initial)


@composite(np.nancumsum)
def nancumsum(a, axis=None, dtype=None):
    return np.cumsum(np.where(np.isnan(a), 0, a), axis=axis, dtype=dtype)


@composite(np.nancumprod)
def nancumprod(a, axis=None, dtype=None):
    return np.cumprod(np.where(np.isnan(a), 1, a), axis=axis, dtype=dtype)
