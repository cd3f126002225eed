"""How do functions that join arrays, or cut them into pieces, pass a cotangent back?"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..registry import composite, vjp
from .gather import nowhere, positions, scatter_to


def split_like(g: Any, arrays: Any, axis: int | None = 0) -> Any:
    """``g``, shaped like ``arrays`` joined along ``axis``, cut into pieces of their shapes.

    Covers every way of joining in which the other axes agree: concatenate, stack (a new axis), hstack, ...
    The pieces come as a list, tuple or array, as the arrays do. Reads the arrays' shapes only.

    >>> split_like(np.arange(3.0), [np.zeros(2), np.zeros(1)])
    [array([0., 1.]), array([2.])]
    """
    whole = np.ravel(g) if axis is None else np.asarray(g)
    place = 0 if axis is None else axis % whole.ndim
    slab = whole.size // whole.shape[place] if whole.size else 0  # the elements per unit of length
    pieces, start = [], 0
    before = (slice(None),) * place
    for x in arrays:
        stop = start + (np.size(x) // slab if slab else 0)
        pieces.append(_like(np.reshape(whole[(*before, slice(start, stop))], np.shape(x)), x))
        start = stop
    if isinstance(arrays, np.ndarray):
        return np.array(pieces)
    return tuple(pieces) if isinstance(arrays, tuple) else pieces


def _like(piece: Any, x: Any) -> Any:
    """The piece in the containers of ``x``, where that is a list; of a number a number, no view."""
    if type(x) in (list, tuple):
        return type(x)(map(_like, piece, x))
    return piece[()] if type(piece) is np.ndarray and not piece.ndim and type(x) is not np.ndarray else piece


def join_like(parts: Any, g: Any, axis: int | None = 0) -> Any:
    """``parts`` joined along ``axis``, each brought to ``g``'s rank first: the inverse of ``split_like``.

    Reads ``g``'s shape only.

    >>> join_like([np.zeros(2), np.ones(1)], np.zeros(3))
    array([0., 0., 1.])
    """
    if axis is None:
        return np.concatenate([np.ravel(p) for p in parts])
    moved_shape = np.moveaxis(g, axis, 0).shape[1:]
    shape = list(moved_shape)
    shape.insert(axis % np.ndim(g), -1 if np.size(g) else 0)
    return np.reshape(np.concatenate([np.reshape(p, shape) for p in parts], axis), np.shape(g))


@vjp(split_like, view=True)
def split_like_rule(g, ans, x, arrays, axis=0):
    return join_like(g, x, axis), None, None


@vjp(join_like)
def join_like_rule(g, ans, parts, x, axis=0):
    return split_like(g, parts, axis), None, None


@vjp(np.concatenate)
def concatenate(g, ans, arrays, axis=0):
    return split_like(g, arrays, axis), None


@vjp(np.stack)
def stack(g, ans, arrays, axis=0):
    return split_like(g, arrays, axis), None


@vjp(np.vstack)
def vstack(g, ans, tup):
    return (split_like(g, tup, 0),)


@vjp(np.hstack)
def hstack(g, ans, tup):
    return (split_like(g, tup, 0 if np.ndim(g) == 1 else 1),)


@vjp(np.column_stack)
def column_stack(g, ans, tup):
    return (split_like(g, tup, 1),)


@vjp(np.dstack)
def dstack(g, ans, tup):
    return (split_like(g, tup, 2),)


@composite(np.append)
def append(arr, values, axis=None):
    if axis is None:
        return np.concatenate((np.ravel(arr), np.ravel(values)))
    return np.concatenate((arr, values), axis)


@vjp(np.block)
def block(g, ans, arrays):
    return (unblocked(g, arrays),)


def unblocked(g: Any, arrays: Any) -> Any:
    """``g``, shaped like ``np.block(arrays)``, cut into the nested list ``arrays``. Reads shapes only.

    >>> unblocked(np.arange(3.0), [1.0, np.zeros(2)])
    [np.float64(0.0), array([1., 2.])]
    """
    count = 0

    def numbered(x: Any) -> Any:
        nonlocal count
        if isinstance(x, (list, tuple)):
            return [numbered(item) for item in x]
        first, count = count, count + np.size(x)
        return positions(x) + first

    places = numbered(arrays)
    flat = np.zeros(count, np.asarray(g).dtype)
    flat[np.block(places)] = g

    def cut(x: Any) -> Any:
        return [cut(item) for item in x] if isinstance(x, list) else flat[x]

    return cut(places)


@vjp(unblocked)
def unblocked_rule(g, ans, x, arrays):
    return blocked(g, x), None


def blocked(parts: Any, x: Any) -> Any:
    """``np.block(parts)`` in ``x``'s shape; the nested ``parts`` may be tuples too. Reads ``x``'s shape only.

    >>> blocked((1.0, 2.0), np.zeros(2))
    array([1., 2.])
    """

    def listed(part: Any) -> Any:
        return [listed(item) for item in part] if isinstance(part, (list, tuple)) else part

    return np.reshape(np.block(listed(parts)), np.shape(x))


@vjp(blocked)
def blocked_rule(g, ans, parts, x):
    return unblocked(g, parts), None


def unsplit(parts: Any, x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """The cotangent of ``x`` from those of ``np.array_split(x, indices_or_sections, axis)``.

    Reads ``x``'s shape only.

    >>> unsplit([np.zeros(2), np.ones(1)], np.zeros(3), 2)
    array([0., 0., 1.])
    """
    joined = np.concatenate(parts, axis)
    places = np.array_split(positions(x), indices_or_sections, axis)  # cuts out of order may overlap
    return scatter_to(x, np.concatenate(places, axis), joined)


@vjp(unsplit)
def unsplit_rule(g, ans, parts, x, indices_or_sections, axis=0):
    return np.array_split(g, indices_or_sections, axis), None


@vjp(np.split, np.array_split, view=True)
def split(g, ans, ary, indices_or_sections, axis=0):
    return unsplit(g, ary, indices_or_sections, axis)


@vjp(np.hsplit, view=True)
def hsplit(g, ans, ary, indices_or_sections):
    return unsplit(g, ary, indices_or_sections, 0 if np.ndim(ary) == 1 else 1)


@vjp(np.vsplit, view=True)
def vsplit(g, ans, ary, indices_or_sections):
    return unsplit(g, ary, indices_or_sections, 0)


@vjp(np.dsplit, view=True)
def dsplit(g, ans, ary, indices_or_sections):
    return unsplit(g, ary, indices_or_sections, 2)


if hasattr(np, "unstack"):

    @vjp(np.unstack, view=True)
    def unstack(g, ans, x, axis=0):
        return np.stack(g, axis)


@vjp(np.insert)
def insert(g, ans, arr, obj, values, axis=None):
    kept = np.insert(positions(arr), obj, nowhere(values), axis)
    inserted = np.insert(nowhere(arr), obj, positions(values), axis)
    return scatter_to(arr, kept, g), None, scatter_to(values, inserted, g)


@vjp(np.delete)
def delete(g, ans, arr, obj, axis=None):
    return scatter_to(arr, np.delete(positions(arr), obj, axis), g)


helpers.METADATA.update({split_like: 1, join_like: 1, unblocked: 1, blocked: 1, unsplit: 1})
helpers.SHAPED_LIKE.update(
    {
        split_like: (1, (0,)),
        join_like: (1, (0,)),
        unblocked: (1, (0,)),
        blocked: (1, (0,)),
        unsplit: (1, (0,)),
    }
)
helpers.OF_PARTS.update({split_like, unblocked})
