"""How do functions that pick elements pass a cotangent back to where each came from?"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import helpers
from ..helpers import scatter, unbroadcast
from ..registry import composite, nondifferentiable, vjp
from .gather import nowhere, positions, refuse, scatter_to

# ----- elements picked by position or mask -----


@vjp(operator.getitem, view=True)
def getitem(g, ans, a, idx):
    return scatter(a, idx, g), None


@composite(np.take)
def take(a, indices, axis=None, mode="raise"):
    if axis is None:
        rows = np.ravel(a)
    else:
        rows = a if axis == 0 else np.moveaxis(a, axis, 0)
    if mode == "raise":
        places = np.asarray(indices)
        if places.dtype == np.bool_:  # 0 and 1: to an index, it would be a mask
            places = places * 1
        picked = rows[places]
    elif mode == "wrap":
        picked = rows[np.mod(indices, np.shape(rows)[0])]
    else:
        picked = rows[np.clip(indices, 0, np.shape(rows)[0] - 1)]
    if axis is None or axis == 0:
        return picked
    k = np.ndim(indices)
    return np.moveaxis(picked, tuple(range(k)), tuple(range(axis % np.ndim(a), axis % np.ndim(a) + k)))


@vjp(np.take_along_axis)
def take_along_axis(g, ans, arr, indices, axis=-1):
    return scatter_to(arr, np.take_along_axis(positions(arr), indices, axis), g)


@vjp(np.compress)
def compress(g, ans, condition, a, axis=None):
    return None, scatter_to(a, np.compress(condition, positions(a), axis), g)


@vjp(np.extract)
def extract(g, ans, condition, arr):
    return None, scatter_to(arr, np.extract(condition, positions(arr)), g)


# ----- elements picked from one of several arrays -----


@vjp(np.choose)
def choose(g, ans, a, choices, mode="raise"):
    which = np.choose(a, np.arange(len(choices)), mode=mode)
    return None, chosen_parts(g, which, choices)


@vjp(np.select)
def select(g, ans, condlist, choicelist, default=0):
    which = np.select(condlist, [*range(len(choicelist))], -1)
    return None, chosen_parts(g, which, choicelist), unbroadcast(np.where(which < 0, g, 0), default)


def chosen_parts(g: Any, which: Any, choices: Any) -> Any:
    """The part of ``g`` that flows to each of ``choices``: ``g`` where ``which`` names it, else 0.

    Reads only the shapes of ``choices``.

    >>> chosen_parts(np.array([5.0, 6.0]), np.array([1, 0]), [0.0, np.zeros(2)])
    [np.float64(6.0), array([5., 0.])]
    """
    parts = [unbroadcast(np.where(which == i, g, 0), choice) for i, choice in enumerate(choices)]
    if isinstance(choices, np.ndarray):
        return np.array(parts)
    return tuple(parts) if isinstance(choices, tuple) else parts


@vjp(chosen_parts)
def chosen_parts_rule(g, ans, x, which, choices):
    return merged_parts(g, which, x), None, None


def merged_parts(parts: Any, which: Any, x: Any) -> Any:
    """In ``x``'s shape, the elements of the parts that ``which`` names; 0 where it is negative.

    The adjoint of ``chosen_parts``.

    >>> merged_parts([5.0, np.ones(2)], np.array([1, 0]), np.zeros(2))
    array([1., 5.])
    """
    conditions = [np.broadcast_to(which == i, np.shape(x)) for i in range(len(parts))]
    return np.select(conditions, list(parts), 0)


@vjp(merged_parts)
def merged_parts_rule(g, ans, parts, which, x):
    return chosen_parts(g, which, parts), None, None


@vjp(np.piecewise)
def piecewise(g, ans, x, condlist, funclist):
    """The rule for numbers in ``funclist``; functions in it are calls, which it refuses."""
    if any([callable(f) for f in funclist]):
        refuse("np.piecewise with functions", fix="write it with np.where or np.select")
    return None, None, chosen_parts(g, piece_of(x, condlist, len(funclist)), funclist)


def piece_of(x: Any, condlist: Any, n: int) -> Any:
    """The piece of ``np.piecewise`` that gives each element: the last whose condition holds; -1: none.

    >>> piece_of(np.zeros(3), [np.array([True, True, False]), np.array([False, True, False])], 3)
    array([0, 1, 2])
    """
    return np.piecewise(np.zeros(np.shape(x), int), condlist, list(range(1, n + 1))) - 1


# ----- functions that write into their argument, as pure functions -----


def copied_to(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> Any:
    """A copy of ``dst`` after ``np.copyto(dst, src, casting, where)``.

    >>> copied_to(np.zeros(2), 5.0, where=np.array([True, False]))
    array([5., 0.])
    """
    out = np.array(dst)
    np.copyto(out, src, casting, where)
    return out


@vjp(copied_to)
def copied_to_rule(g, ans, dst, src, casting="same_kind", where=True):
    return np.where(where, 0, g), unbroadcast(np.where(where, g, 0), src), None, None


def with_put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> Any:
    """A copy of ``a`` after ``np.put(a, ind, v, mode)``: places in the flattened ``a``, ``v`` repeated.

    >>> with_put(np.zeros(3), [0, 2], [5.0, 6.0])
    array([5., 0., 6.])
    """
    out = np.array(a)
    np.put(out, ind, v, mode)
    return out


@vjp(with_put)
def with_put_rule(g, ans, a, ind, v, mode="raise"):
    places = with_put(nowhere(a), ind, positions(v), mode)
    return with_put(g, ind, 0, mode), None, scatter_to(v, places, g)


def with_place(arr: Any, mask: Any, vals: Any) -> Any:
    """A copy of ``arr`` after ``np.place(arr, mask, vals)``: the first values go where ``mask`` is true.

    >>> with_place(np.zeros(3), np.array([False, True, True]), [5.0, 6.0])
    array([0., 5., 6.])
    """
    out = np.array(arr)
    np.place(out, mask, vals)
    return out


@vjp(with_place)
def with_place_rule(g, ans, arr, mask, vals):
    places = with_place(nowhere(arr), mask, positions(vals))
    return np.where(places < 0, g, 0), None, scatter_to(vals, places, g)


def with_putmask(a: Any, mask: Any, values: Any) -> Any:
    """A copy of ``a`` after ``np.putmask(a, mask, values)``: each true place takes the value at that place.

    >>> with_putmask(np.zeros(3), np.array([False, True, True]), [5.0, 6.0])
    array([0., 6., 5.])
    """
    out = np.array(a)
    np.putmask(out, mask, values)
    return out


@vjp(with_putmask)
def with_putmask_rule(g, ans, a, mask, values):
    places = with_putmask(nowhere(a), mask, positions(values))
    return np.where(places < 0, g, 0), None, scatter_to(values, places, g)


def with_put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None = -1) -> Any:
    """A copy of ``arr`` after ``np.put_along_axis(arr, indices, values, axis)``.

    >>> with_put_along_axis(np.zeros((2, 2)), np.array([[0], [1]]), 5.0, 1)
    array([[5., 0.],
           [0., 5.]])
    """
    out = np.array(arr)
    np.put_along_axis(out, indices, values, axis)
    return out


@vjp(with_put_along_axis)
def with_put_along_axis_rule(g, ans, arr, indices, values, axis=-1):
    places = with_put_along_axis(nowhere(arr), indices, positions(values), axis)
    return np.where(places < 0, g, 0), None, scatter_to(values, places, g)


nondifferentiable(np.nonzero, np.flatnonzero, np.argwhere, piece_of)
helpers.METADATA.update({chosen_parts: 2, merged_parts: 2, piece_of: 0})
helpers.SHAPED_LIKE.update({chosen_parts: (2, (0,)), merged_parts: (2, (0,))})
helpers.OF_PARTS.add(chosen_parts)
helpers.SHAPED_LIKE.update(
    {fn: (0, (0,)) for fn in (copied_to, with_put, with_place, with_putmask, with_put_along_axis)}
)
helpers.IN_PLACE.update(
    {
        np.put: with_put,
        np.place: with_place,
        np.putmask: with_putmask,
        np.put_along_axis: with_put_along_axis,
    }
)
