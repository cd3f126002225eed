"""How do gathering and scattering along one axis differentiate, duplicate indices included?

An index array names, for each of its own elements, a place along ``axis`` of the array; the other coordinates
are the element's own. It may be shorter than the array along any other axis.

Index: gather scatter scatter_add scatter_reduce.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import helpers
from ..helpers import setitem, written
from ..numpy.cumulative import exclusive_product
from ..numpy.gather import gather as elements_at, scatter_to
from ..registry import nondifferentiable, vjp


def element_places(x: Any, axis: int, index: Any) -> Any:
    """The places in the flattened ``x`` that ``index`` names along ``axis``. Reads ``x``'s shape only.

    >>> element_places(np.zeros((2, 3)), 1, np.array([[2], [0]]))
    array([[2],
           [3]])
    """
    index, shape = np.asarray(index), np.shape(x) or (1,)
    axis = axis % len(shape)
    outside = (index < 0) | (index >= shape[axis])
    if np.any(outside):
        wrong = index[outside].flat[0]
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {axis} with size {shape[axis]}")
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    places = index.reshape(index.shape or (1,)) * strides[axis]
    for i, own in enumerate(np.indices(index.shape or (1,), sparse=True)):
        if i != axis:
            places = places + own * strides[i]
    return places.reshape(index.shape)


def leading(x: Any, like: Any) -> Any:
    """The first elements of ``x`` along each axis, in the shape of ``like``; a number is repeated.

    >>> leading(np.ones((3, 4)), np.zeros((2, 1)))
    array([[1.],
           [1.]])
    """
    if np.ndim(x) == 0:
        return np.broadcast_to(x, np.shape(like))
    return x[tuple(slice(0, n) for n in np.shape(like))]


def into_leading(v: Any, like: Any) -> Any:
    """Zeros in the shape of ``like`` whose first elements are ``v``: the adjoint of ``leading``.

    >>> into_leading(np.ones(2), np.zeros(3))
    array([1., 1., 0.])
    """
    if np.ndim(like) == 0:
        return np.sum(v)
    out = np.zeros(np.shape(like), np.asarray(v).dtype)
    out[tuple(slice(0, n) for n in np.shape(v))] = v
    return out


@vjp(leading, view=True)
def leading_rule(g, ans, x, like):
    return into_leading(g, x), None


@vjp(into_leading)
def into_leading_rule(g, ans, v, like):
    return leading(g, v), None


# ----- gather, scatter -----


def gather(x: Any, axis: int, index: Any) -> Any:
    """The elements of ``x`` that ``index`` names along ``axis``, in the shape of ``index``.

    >>> gather(np.array([[1.0, 2.0], [3.0, 4.0]]), 1, np.array([[1, 1, 0]]))
    array([[2., 2., 1.]])
    """
    return np.ravel(x)[element_places(x, axis, index)]


@vjp(gather)
def gather_rule(g, ans, x, axis, index):
    return scatter_to(x, element_places(x, axis, index), g), None, None


def scatter(x: Any, axis: int, index: Any, src: Any) -> Any:
    """``x`` with the elements that ``index`` names along ``axis`` replaced by those of ``src`` (or a number).

    Of several written to one place the last stays.

    >>> scatter(np.zeros((1, 3)), 1, np.array([[2, 0]]), np.array([[5.0, 6.0]]))
    array([[6., 0., 5.]])
    """
    return np.reshape(setitem(np.ravel(x), element_places(x, axis, index), leading(src, index)), np.shape(x))


@vjp(scatter)
def scatter_rule(g, ans, x, axis, index, src):
    src_bar = into_leading(written(np.ravel(g), element_places(x, axis, index)), src)
    return scatter(g, axis, index, 0), None, None, src_bar


def scatter_add(x: Any, axis: int, index: Any, src: Any) -> Any:
    """``x`` with the elements of ``src`` (or a number) added to those that ``index`` names along ``axis``.

    >>> scatter_add(np.zeros((1, 3)), 1, np.array([[2, 2]]), np.array([[5.0, 6.0]]))
    array([[ 0.,  0., 11.]])
    """
    out = np.array(x, order="C")
    np.add.at(out.reshape(-1), element_places(x, axis, index), leading(src, index))
    return out


@vjp(scatter_add)
def scatter_add_rule(g, ans, x, axis, index, src):
    return g, None, None, into_leading(gather(g, axis, index), src)


# ----- reductions of what is scattered to one place -----

REDUCTIONS: dict[str, Any] = {"sum": np.add, "mean": np.add, "prod": np.multiply}
REDUCTIONS |= {"amax": np.maximum, "amin": np.minimum}


def scatter_reduce(x: Any, axis: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> Any:
    """``x`` in which each element becomes the sum, mean, prod, amax or amin of what is scattered to it.

    ``include_self``: together with its own value. What nothing is scattered to stays.

    >>> scatter_reduce(np.ones((1, 2)), 1, np.array([[0, 0]]), np.array([[5.0, 6.0]]), "mean")
    array([[4., 1.]])
    """
    if reduce not in REDUCTIONS:
        raise ValueError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}.")
    places, v = element_places(x, axis, index), leading(src, index)
    out = np.array(x, order="C")
    flat = out.reshape(-1)
    if not include_self and reduce in ("amax", "amin"):
        flat[places] = v  # any of them is a start
    elif not include_self:
        flat[places] = 1 if reduce == "prod" else 0
    REDUCTIONS[reduce].at(flat, places, v)
    if reduce != "mean":
        return out
    counts = scattered_counts(x, axis, index, include_self)
    return out / counts.astype(out.dtype) if out.dtype.kind in "fc" else out // counts


def scattered_counts(x: Any, axis: int, index: Any, include_self: bool) -> Any:
    """How many numbers each element of ``scatter_reduce(x, axis, index, _)`` is made of.

    >>> scattered_counts(np.zeros(3), 0, np.array([0, 0, 1]), False)
    array([2, 1, 1])
    """
    counts = scatter_add(np.zeros(np.shape(x), int), axis, index, 1)
    return counts + 1 if include_self else np.maximum(counts, 1)


def contributors(x: Any, axis: int, index: Any, include_self: bool) -> Any:
    """One row for each element of ``x``: what it is made of in ``scatter_reduce(x, axis, index, _)``.

    Places below ``x.size`` are in ``x``, those after it in the source; -1 fills up. Reads ``x``'s shape only.

    >>> contributors(np.zeros(2), 0, np.array([0, 0]), True)
    array([[ 0,  2,  3],
           [ 1, -1, -1]])
    """
    places = element_places(x, axis, index).ravel()
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places, minlength=np.size(x))
    rank = np.arange(places.size) - (np.cumsum(counts) - counts)[places[order]]
    table = np.full((np.size(x), 1 + np.max(counts, initial=0)), -1)
    table[:, 0] = np.arange(np.size(x)) if include_self else np.where(counts == 0, np.arange(np.size(x)), -1)
    table[places[order], 1 + rank] = np.size(x) + order
    return table


@vjp(scatter_reduce)
def scatter_reduce_rule(g, ans, x, axis, index, src, reduce, include_self=True):
    if reduce == "sum" or reduce == "mean":
        g_each = g / scattered_counts(x, axis, index, include_self) if reduce == "mean" else g
        x_bar = g_each if include_self else scatter(g_each, axis, index, 0)
        return x_bar, None, None, into_leading(gather(g_each, axis, index), src)
    v = leading(src, index)
    if reduce == "prod":
        table = contributors(x, axis, index, include_self)
        factors = np.concatenate((np.ravel(x), np.ravel(v)))
        others = exclusive_product(np.where(table < 0, 1, elements_at(factors, table)), 1)
        bar = scatter_to(factors, table, np.reshape(g, (-1, 1)) * np.conj(others))
        x_bar, v_bar = np.reshape(bar[: np.size(x)], np.shape(x)), bar[np.size(x) :]
        return x_bar, None, None, into_leading(np.reshape(v_bar, np.shape(v)), src)
    reached = v == gather(ans, axis, index)
    own = (x == ans) * 1.0 if include_self else scatter(np.ones(np.shape(x)), axis, index, 0)
    share = g / scatter_add(own, axis, index, reached * 1.0)  # ties share the gradient evenly
    return own * share, None, None, into_leading(reached * gather(share, axis, index), src)


nondifferentiable(element_places, scattered_counts, contributors)
helpers.METADATA.update({element_places: 0, leading: 1, into_leading: 1})
helpers.METADATA.update({scattered_counts: 0, contributors: 0})
helpers.SHAPED_LIKE.update({leading: (1, (0,)), into_leading: (1, (0,)), gather: (2, (0,))})
helpers.SHAPED_LIKE.update({scatter: (0, (0,)), scatter_add: (0, (0,)), scatter_reduce: (0, (0,))})
