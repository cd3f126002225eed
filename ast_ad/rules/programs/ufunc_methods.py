"""What are ``reduce``, ``accumulate``, ``reduceat`` and ``at`` of a ufunc, as loops over what it does once?

Their order is NumPy's: from the first to the last. The ufuncs of which NumPy has a function of its own (sums,
products, extrema) are taken for that where it serves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..standing import read_for
from ..torch.order import cummax, cummin

REORDERABLE = (
    np.add,
    np.multiply,
    np.maximum,
    np.minimum,
    np.fmax,
    np.fmin,
    np.hypot,
    np.logaddexp,
    np.logaddexp2,
    np.logical_and,
    np.logical_or,
    np.logical_xor,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
)


def in_front(a, axes):
    """The array with some axes made one, the first."""
    front = np.moveaxis(a, axes, tuple(range(len(axes))))
    return front if len(axes) == 1 else np.reshape(front, (-1, *np.shape(front)[len(axes) :]))


@read_for(np.ufunc.reduce)
def reduce(fn, array, axis=0, dtype=None, keepdims=False, initial=None, where=True):
    rank = np.ndim(array)
    if rank == 0:
        raise TypeError("cannot reduce on a scalar")
    if axis is None:
        axes = tuple(range(rank))
    else:
        axes = axis if isinstance(axis, tuple) else (axis,)
    if len(axes) != 1 and fn not in REORDERABLE:
        raise ValueError("this reduction is not reorderable, so at most one axis may be specified")
    rows = in_front(array if dtype is None else array.astype(dtype), axes)
    masks: Any = None if where is True else in_front(np.broadcast_to(where, np.shape(array)), axes)
    begin = 0
    if initial is not None:
        total = np.zeros_like(np.sum(rows, axis=0)) + initial
    elif fn.identity is not None:
        total = np.zeros_like(np.sum(rows, axis=0)) + fn.identity
    else:
        if where is not True:
            raise ValueError(
                "this reduction has no identity, so to use a where mask one has to specify 'initial'"
            )
        if len(rows) == 0:
            raise ValueError("zero-size array to a reduction operation which has no identity")
        total = rows[0]
        begin = 1
    for i in range(begin, len(rows)):
        after = fn(total, rows[i])
        total = after if masks is None else np.where(masks[i], after, total)[()]
    return np.expand_dims(total, axes) if keepdims else total


OF_FLOATS = np.add, np.subtract, np.multiply, np.divide, np.logaddexp, np.logaddexp2, np.hypot, np.arctan2
"""Whose results are floats of the arguments' precision."""


@read_for(np.ufunc.accumulate)
def accumulate(fn, array, axis=0, dtype=None):
    a = array if dtype is None else array.astype(dtype)
    if fn == np.maximum:
        return cummax(a, axis)[0]
    if fn == np.minimum:
        return cummin(a, axis)[0]
    rows = np.moveaxis(a, axis, 0)
    if fn in OF_FLOATS and a.dtype.kind in "fc":
        out = np.empty_like(rows)
        out[:1] = rows[:1]
        for i in range(1, len(rows)):
            out[i] = fn(out[i - 1], rows[i])
        return np.moveaxis(out, 0, axis)
    if len(rows) == 0:
        return a.copy()
    total = rows[0]
    parts = [total]
    for i in range(1, len(rows)):
        total = fn(total, rows[i])
        parts.append(total)
    return np.moveaxis(np.stack(parts), 0, axis)


@read_for(np.ufunc.reduceat)
def reduceat(fn, array, indices, axis=0, dtype=None):
    """Of each slice between two indices; of the item alone where the second is not larger."""
    rows = np.moveaxis(array if dtype is None else array.astype(dtype), axis, 0)
    count = len(rows)
    parts = []
    for k in range(len(indices)):
        begin = int(indices[k])
        end = int(indices[k + 1]) if k + 1 < len(indices) else count
        if begin < 0 or begin >= count:
            raise IndexError("index out-of-bounds in reduceat")
        parts.append(_sum(rows, begin, end) if fn == np.add else _folded(fn, rows, begin, end))
    found = np.stack(parts) if len(parts) > 0 else rows[:0]
    return np.ascontiguousarray(np.moveaxis(found, 0, axis))


def _folded(fn, rows, begin, end):
    total = rows[begin]
    for i in range(begin + 1, end):
        total = fn(total, rows[i])
    return total


def _sum(rows, begin, end):
    """NumPy adds the other items up, in pairs of pairs and line by line, and then the first."""
    total = rows[begin]
    if end > begin + 1:
        rest = np.ascontiguousarray(np.moveaxis(rows[begin + 1 : end], 0, -1))
        total = total + np.add.reduce(rest, axis=-1)
    return total


@read_for(np.ufunc.at)
def at(fn, array, indices, values=None):
    """One element after the other, so that a repeated index sees what was done to it before."""
    chosen = np.reshape(np.arange(array.size), array.shape)[indices]
    places = np.ravel(chosen)
    flat = array.flat
    if values is None:
        for i in places:
            flat[i] = fn(flat[i])
    else:
        others = np.broadcast_to(values, np.shape(chosen)).flatten()  # a copy: they may lie in the array
        for k in range(len(places)):
            flat[places[k]] = fn(flat[places[k]], others[k])
