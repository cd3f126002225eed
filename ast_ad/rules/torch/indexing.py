"""How do selecting, replacing and masking parts of an array differentiate?

Index: index_select index_add index_copy index_fill take put; masked_fill masked_scatter
masked_select; select_scatter slice_scatter diagonal_scatter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..helpers import add_at, scatter as zeros_with, setitem, unbroadcast, written
from ..numpy.gather import gather as elements_at, positions, scatter_to
from ..registry import nondifferentiable, program, vjp

# ----- whole slices along one axis -----


def along(x: Any, axis: int, index: Any) -> Any:
    """The subscript that applies ``index`` to ``axis`` of ``x``. Reads ``x``'s rank only.

    >>> along(np.zeros((2, 3)), -1, 5)
    (slice(None, None, None), 5)
    """
    return (*((slice(None),) * (axis % np.ndim(x))), index)


def index_select(x: Any, axis: int, index: Any) -> Any:
    """The slices of ``x`` along ``axis`` at the places in ``index``.

    >>> index_select(np.array([[1.0, 2.0]]), 1, np.array([1, 1, 0]))
    array([[2., 2., 1.]])
    """
    return np.take(x, within(index, np.shape(x)[axis]), axis)


def within(index: Any, n: int) -> Any:
    """``index`` itself, after a check that it is in ``range(n)``."""
    if np.any(np.less(index, 0) | np.greater_equal(index, n)):
        raise IndexError("index out of range in self")
    return index


@vjp(index_select)
def index_select_rule(g, ans, x, axis, index):
    return zeros_with(x, along(x, axis, index), g), None, None


def index_add(x: Any, axis: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    """``x`` with ``alpha`` times the slices of ``source`` added at the places in ``index`` along ``axis``.

    >>> index_add(np.zeros(3), 0, np.array([1, 1]), np.array([5.0, 6.0]))
    array([ 0., 11.,  0.])
    """
    return add_at(x, along(x, axis, within(index, np.shape(x)[axis])), source * alpha)


@vjp(index_add)
def index_add_rule(g, ans, x, axis, index, source, alpha=1):
    g_each = index_select(g, axis, index)
    return g, None, None, g_each * np.conj(alpha), np.sum(g_each * np.conj(source))


def index_copy(x: Any, axis: int, index: Any, source: Any) -> Any:
    """``x`` with the slices at the places in ``index`` along ``axis`` replaced by those of ``source``.

    >>> index_copy(np.zeros(3), 0, np.array([2, 0]), np.array([5.0, 6.0]))
    array([6., 0., 5.])
    """
    return setitem(x, along(x, axis, within(index, np.shape(x)[axis])), source)


@vjp(index_copy)
def index_copy_rule(g, ans, x, axis, index, source):
    where = along(x, axis, index)
    return setitem(g, where, 0), None, None, unbroadcast(written(g, where), source)


@program
def index_fill(x: Any, axis: int, index: Any, value: Any) -> Any:
    """``x`` with the slices at the places in ``index`` along ``axis`` filled with a number.

    >>> index_fill(np.zeros(3), 0, np.array([2, 0]), 5.0)
    array([5., 0., 5.])
    """
    return setitem(x, along(x, axis, index), value)


# ----- single elements -----


def flat_places(x: Any, index: Any) -> Any:
    """``index`` into the flattened ``x`` with negative places counted from its end. Reads the size only.

    >>> flat_places(np.zeros((2, 2)), np.array([1, -1]))
    array([1, 3])
    """
    index, n = np.asarray(index), np.size(x)
    if np.any((index < -n) | (index >= n)):
        raise IndexError("out of range: tried to access an index outside of the tensor")
    return np.where(index < 0, index + n, index)


def take(x: Any, index: Any) -> Any:
    """The elements of the flattened ``x`` at ``index``.

    >>> take(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, -1]))
    array([1., 4.])
    """
    return np.ravel(x)[flat_places(x, index)]


@vjp(take)
def take_rule(g, ans, x, index):
    return scatter_to(x, flat_places(x, index), g), None


@program
def put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """``x`` with the elements at ``index`` of the flattened ``x`` replaced by ``source``, or added to.

    >>> put(np.zeros((2, 2)), np.array([0, -1]), np.array([5.0, 6.0]))
    array([[5., 0.],
           [0., 6.]])
    """
    values, places = np.reshape(source, np.shape(index)), flat_places(x, index)
    if accumulate:
        return np.reshape(add_at(np.ravel(x), places, values), np.shape(x))
    return np.reshape(setitem(np.ravel(x), places, values), np.shape(x))


# ----- masks -----


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """``x`` with a number where ``mask`` is true.

    >>> masked_fill(np.ones(2), np.array([True, False]), 5.0)
    array([5., 1.])
    """
    return np.where(mask, value, x).astype(np.asarray(x).dtype, copy=False)[()]


@vjp(masked_fill, broadcasts=True)
def masked_fill_rule(g, ans, x, mask, value):
    return np.where(mask, 0, g), None, np.where(mask, g, 0)


def true_ranks(mask: Any) -> Any:
    """For each true element its rank among the true ones, in row-major order; -1 for the others.

    >>> true_ranks(np.array([True, False, True]))
    array([ 0, -1,  1])
    """
    mask = np.asarray(mask, bool)
    return np.where(mask, np.cumsum(mask).reshape(mask.shape) - 1, -1)


@program
def masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    """``x`` with the first elements of ``source`` where ``mask`` is true.

    >>> masked_scatter(np.zeros(3), np.array([True, False, True]), np.array([5.0, 6.0, 7.0]))
    array([5., 0., 6.])
    """
    wide = np.broadcast_to(mask, np.broadcast_shapes(np.shape(x), np.shape(mask)))
    return np.where(wide, elements_at(source, true_ranks(wide)), x)


def masked_select(x: Any, mask: Any) -> Any:
    """The elements of ``x`` where ``mask`` is true, as a vector; both are broadcast.

    >>> masked_select(np.array([1.0, 2.0]), np.array([[True, False], [True, True]]))
    array([1., 1., 2.])
    """
    wide, wide_mask = np.broadcast_arrays(x, mask)
    return wide[wide_mask]


@vjp(masked_select)
def masked_select_rule(g, ans, x, mask):
    return scatter_to(x, masked_select(positions(x), mask), g), None


# ----- a view replaced -----


def select_scatter(x: Any, src: Any, axis: int, index: int) -> Any:
    """``x`` with ``src`` in place of the slice at ``index`` along ``axis``.

    >>> select_scatter(np.zeros((2, 2)), np.array([5.0, 6.0]), 1, 0)
    array([[5., 0.],
           [6., 0.]])
    """
    return setitem(x, along(x, axis, index), src)


@vjp(select_scatter)
def select_scatter_rule(g, ans, x, src, axis, index):
    where = along(x, axis, index)
    return setitem(g, where, 0), unbroadcast(g[where], src)


def slice_scatter(
    x: Any, src: Any, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """``x`` with ``src`` in place of ``start:end:step`` along ``axis``.

    >>> slice_scatter(np.zeros(4), np.array([5.0, 6.0]), 0, 1, None, 2)
    array([0., 5., 0., 6.])
    """
    return setitem(x, along(x, axis, slice(start, end, step)), src)


@vjp(slice_scatter)
def slice_scatter_rule(g, ans, x, src, axis=0, start=None, end=None, step=1):
    where = along(x, axis, slice(start, end, step))
    return setitem(g, where, 0), unbroadcast(g[where], src)


def diagonal_scatter(x: Any, src: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """``x`` with ``src`` in place of a diagonal.

    >>> diagonal_scatter(np.zeros((2, 2)), np.array([5.0, 6.0]))
    array([[5., 0.],
           [0., 6.]])
    """
    places = np.diagonal(positions(x), offset, axis1, axis2)
    return np.reshape(setitem(np.ravel(x), places, src), np.shape(x))


@vjp(diagonal_scatter)
def diagonal_scatter_rule(g, ans, x, src, offset=0, axis1=0, axis2=1):
    return diagonal_scatter(g, 0, offset, axis1, axis2), unbroadcast(
        np.diagonal(g, offset, axis1, axis2), src
    )


def strided_places(size: Any, stride: Any, offset: int = 0) -> Any:
    """The places in memory of the elements of a view with these lengths and strides (in elements).

    >>> strided_places((2, 2), (1, 1))
    array([[0, 1],
           [1, 2]])
    """
    steps = np.indices(size, sparse=True)
    return np.asarray(offset + sum(own * s for own, s in zip(steps, stride, strict=True))).reshape(size)


nondifferentiable(flat_places, true_ranks, strided_places, within)
helpers.METADATA[flat_places] = 0
helpers.SHAPED_LIKE.update({index_add: (0, (0,)), index_copy: (0, (0,)), index_fill: (0, (0,))})
helpers.SHAPED_LIKE.update({select_scatter: (0, (0,)), slice_scatter: (0, (0,)), diagonal_scatter: (0, (0,))})
helpers.SHAPED_LIKE[put] = 0, (0,)
