"""How do extrema, order statistics and sorting differentiate when they tell where each value comes from?

Each returns ``(values, indices)`` along one axis, and the whole cotangent of a value goes to the element that
its index names. NaN counts as the largest number.

Index: max_along min_along median_along nanmedian_along mode kthvalue sort topk cummax cummin;
median nanmedian (over all, equal elements share evenly).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..numpy.gather import positions, scatter_to
from ..registry import nondifferentiable, vjp

Pair = tuple[Any, Any]


def along_indices(g: Any, x: Any, indices: Any, axis: int, keepdims: bool = True) -> Any:
    """Zeros of ``x``'s shape with ``g`` added at ``indices`` along ``axis``. Reads ``x``'s shape only.

    >>> along_indices(np.array([1.0, 2.0]), np.zeros((2, 3)), np.array([0, 2]), 1, False)
    array([[1., 0., 0.],
           [0., 0., 2.]])
    """
    if np.ndim(x) == 0:
        return np.copy(g)[()]
    if not keepdims:
        g, indices = np.expand_dims(g, axis), np.expand_dims(indices, axis)
    return scatter_to(x, np.take_along_axis(positions(x), indices, axis), g)


def elements_along(x: Any, indices: Any, axis: int, keepdims: bool = True) -> Any:
    """The elements of ``x`` at ``indices`` along ``axis``: the adjoint of ``along_indices``.

    >>> elements_along(np.array([[5.0, 6.0]]), np.array([1]), 1, False)
    array([6.])
    """
    if np.ndim(x) == 0:
        return np.copy(x)[()]
    if keepdims:
        return np.take_along_axis(x, indices, axis)
    return np.squeeze(np.take_along_axis(x, np.expand_dims(indices, axis), axis), axis)[()]


@vjp(along_indices)
def along_indices_rule(g, ans, v, x, indices, axis, keepdims=True):
    return elements_along(g, indices, axis, keepdims), None, None


@vjp(elements_along)
def elements_along_rule(g, ans, x, indices, axis, keepdims=True):
    return along_indices(g, x, indices, axis, keepdims), None


# ----- one value along an axis -----


def _chosen(x: Any, indices: Any, axis: int, keepdims: bool) -> Pair:
    """The values at ``indices``, whose axis is kept, and the indices; the axis squeezed as asked for."""
    x = np.asarray(x)
    if x.ndim == 0:
        return x.copy(), np.zeros((), int)
    values = np.take_along_axis(x, indices, axis)
    return (values, indices) if keepdims else (np.squeeze(values, axis), np.squeeze(indices, axis))


def _extremes(x: Any, axis: int, keepdims: bool, value: Any, place: Any) -> Pair:
    """What the methods ``value`` and ``place`` find along ``axis``."""
    x = np.asarray(x)
    if x.ndim == 0:
        return x.copy(), np.zeros((), int)
    return np.asarray(value(x, axis, keepdims=keepdims)), np.asarray(place(x, axis, keepdims=keepdims))


def max_along(x: Any, axis: int, keepdims: bool = False) -> Pair:
    """The largest elements along ``axis``, and the index of the first of each.

    >>> max_along(np.array([[1.0, 3.0, 3.0]]), 1)
    (array([3.]), array([1]))
    """
    return _extremes(x, axis, keepdims, np.ndarray.max, np.ndarray.argmax)


def min_along(x: Any, axis: int, keepdims: bool = False) -> Pair:
    """The smallest elements along ``axis``, and the index of the first of each.

    >>> min_along(np.array([[3.0, 1.0, 1.0]]), 1)
    (array([1.]), array([1]))
    """
    return _extremes(x, axis, keepdims, np.ndarray.min, np.ndarray.argmin)


def kthvalue(x: Any, k: int, axis: int = -1, keepdims: bool = False) -> Pair:
    """The ``k``-th smallest elements along ``axis`` (the first is 1) and their indices.

    >>> kthvalue(np.array([3.0, 1.0, 2.0]), 2)
    (array(2.), array(2))
    """
    order = ordering(np.atleast_1d(x), axis)
    if not 1 <= k <= order.shape[axis]:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    return _chosen(x, np.take(order, [k - 1], axis), axis, keepdims)


def median_along(x: Any, axis: int, keepdims: bool = False) -> Pair:
    """The lower medians along ``axis`` and their indices; NaN where there is a NaN.

    >>> median_along(np.array([4.0, 1.0, 3.0, 2.0]), 0)
    (array(2.), array(3))
    """
    wide = np.atleast_1d(x)
    middle = np.take(ordering(wide, axis), [(wide.shape[axis] - 1) // 2], axis)
    empty = np.isnan(wide)
    first = np.argmax(empty, axis, keepdims=True)
    return _chosen(x, np.where(np.any(empty, axis, keepdims=True), first, middle), axis, keepdims)


def nanmedian_along(x: Any, axis: int, keepdims: bool = False) -> Pair:
    """The lower medians of the numbers along ``axis`` that are not NaN, and their indices.

    >>> nanmedian_along(np.array([4.0, np.nan, 3.0]), 0)
    (array(3.), array(2))
    """
    wide = np.atleast_1d(x)
    present = np.sum(~np.isnan(wide), axis=axis, keepdims=True)
    middle = np.take_along_axis(ordering(wide, axis), np.maximum(present - 1, 0) // 2, axis)
    return _chosen(x, middle, axis, keepdims)


def mode(x: Any, axis: int = -1, keepdims: bool = False) -> Pair:
    """The most frequent elements along ``axis`` (of several the smallest), and an index of each.

    >>> mode(np.array([2.0, 1.0, 2.0, 1.0, 3.0]))
    (array(1.), array(3))
    """
    wide = np.atleast_1d(x)
    order = np.moveaxis(ordering(wide, axis), axis, -1)
    ordered = np.take_along_axis(np.moveaxis(wide, axis, -1), order, -1)
    n = ordered.shape[-1]
    same = np.concatenate((np.zeros_like(ordered[..., :1], bool), ordered[..., 1:] == ordered[..., :-1]), -1)
    start = np.maximum.accumulate(np.where(same, 0, np.arange(n)), -1)
    last = np.argmax(np.arange(n) - start, -1, keepdims=True)  # the end of the first longest run
    return _chosen(x, np.moveaxis(np.take_along_axis(order, last, -1), -1, axis), axis, keepdims)


@vjp(max_along, min_along, median_along, nanmedian_along)
def chosen_along_rule(g, ans, x, axis, keepdims=False):
    return along_indices(g[0], x, ans[1], axis, keepdims)


@vjp(mode)
def mode_rule(g, ans, x, axis=-1, keepdims=False):
    return along_indices(g[0], x, ans[1], axis, keepdims)


@vjp(kthvalue)
def kthvalue_rule(g, ans, x, k, axis=-1, keepdims=False):
    return along_indices(g[0], x, ans[1], axis, keepdims)


# ----- several values along an axis -----


def ordering(x: Any, axis: int = -1, descending: bool = False) -> Any:
    """The indices that sort ``x`` along ``axis``; equal elements keep their order. NaN is the largest.

    >>> ordering(np.array([2.0, np.nan, 3.0, 2.0]), 0, True)
    array([1, 2, 0, 3])
    """
    x = np.asarray(x)
    if x.ndim == 0:
        return np.zeros((), int)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    back = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.ascontiguousarray(np.flip(x.shape[axis] - 1 - back, axis))


def sort(x: Any, axis: int = -1, descending: bool = False) -> Pair:
    """``x`` sorted along ``axis`` (equal elements keep their order), and where each element was.

    >>> sort(np.array([2.0, 3.0, 1.0]), 0, True)
    (array([3., 2., 1.]), array([1, 0, 2]))
    """
    return _chosen(x, ordering(x, axis, descending), axis, True)


@vjp(sort)
def sort_rule(g, ans, x, axis=-1, descending=False):
    return along_indices(g[0], x, ans[1], axis)


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> Pair:
    """The ``k`` largest (or smallest) elements along ``axis``, in order, and where each was.

    >>> topk(np.array([2.0, 3.0, 1.0]), 2)
    (array([3., 2.]), array([1, 0]))
    """
    order = ordering(np.atleast_1d(x), axis, largest)
    if not 0 <= k <= order.shape[axis]:
        raise RuntimeError("selected index k out of range")
    return _chosen(x, np.take(order, np.arange(k), axis), axis, True)


@vjp(topk)
def topk_rule(g, ans, x, k, axis=-1, largest=True):
    return along_indices(g[0], x, ans[1], axis)


def _running(x: Any, axis: int, ufunc: Any) -> Pair:
    """The running extremum and the index of its last occurrence so far."""
    x = np.asarray(x)
    if x.ndim == 0:
        return x.copy(), np.zeros((), int)
    values = ufunc.accumulate(x, axis=axis)
    own = np.expand_dims(np.arange(x.shape[axis]), tuple(range(1, x.ndim - axis % x.ndim)))
    attained = (x == values) | np.isnan(x)
    return values, np.maximum.accumulate(np.where(attained, own, 0), axis=axis)


def cummax(x: Any, axis: int) -> Pair:
    """The largest element so far along ``axis``, and where it was last.

    >>> cummax(np.array([1.0, 3.0, 2.0, 3.0]), 0)
    (array([1., 3., 3., 3.]), array([0, 1, 1, 3]))
    """
    return _running(x, axis, np.maximum)


def cummin(x: Any, axis: int) -> Pair:
    """The smallest element so far along ``axis``, and where it was last.

    >>> cummin(np.array([3.0, 1.0, 2.0, 1.0]), 0)
    (array([3., 1., 1., 1.]), array([0, 1, 1, 3]))
    """
    return _running(x, axis, np.minimum)


@vjp(cummax, cummin)
def running_rule(g, ans, x, axis):
    return along_indices(g[0], x, ans[1], axis)


# ----- over all elements -----


def median(x: Any) -> Any:
    """The lower median of all elements; NaN if there is a NaN.

    >>> float(median(np.array([[4.0, 1.0], [3.0, 2.0]])))
    2.0
    """
    flat = np.ravel(x)
    return median_along(flat, 0)[0][()] if flat.size else flat.dtype.type(np.nan)


def nanmedian(x: Any) -> Any:
    """The lower median of all elements that are not NaN.

    >>> float(nanmedian(np.array([4.0, np.nan, 3.0])))
    3.0
    """
    flat = np.ravel(x)
    return nanmedian_along(flat, 0)[0][()] if flat.size else flat.dtype.type(np.nan)


@vjp(median, nanmedian)
def median_rule(g, ans, x):
    reached = (x == ans) | (np.isnan(x) & np.isnan(ans))
    return reached * (g / np.sum(reached))


nondifferentiable(ordering)
helpers.METADATA[along_indices] = 1
helpers.SHAPED_LIKE[along_indices] = 1, (0,)
