"""How is the largest element of each window found, and how do gradients come back to it?

``x`` has the shape ``(R, D, H, W)``. Along each axis a window ``i`` has its taps at ``first[i]``,
``first[i] + step``, ... before ``stop[i]``, those below 0 and beyond the end left out. Places are numbers in
the flattened ``(D, H, W)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import kernel

FEW = 1 << 11  # elements: NumPy needs many passes


def taps(first: Any, stop: Any, step: int, size: int) -> Iterator[tuple[Any, Any]]:
    """For each tap the windows that have it, and where it is: two indices, slices if they are regular.

    >>> list(taps(np.array([-1, 1]), np.array([2, 4]), 1, 4))
    [(slice(1, 2, 1), slice(1, 2, 1)), (slice(0, 2, 1), slice(0, 4, 2)), (slice(0, 2, 1), slice(1, 5, 2))]
    """
    for t in range(-(-int(np.max(stop - first, initial=0)) // step)):
        at = first + t * step
        windows = np.flatnonzero((at < stop) & (at >= 0) & (at < size))
        if windows.size:
            yield as_slice(windows), as_slice(at[windows])


def as_slice(index: Any) -> Any:
    """An increasing index with equal steps as a slice; any other as it is."""
    steps = np.diff(index)
    step = int(steps[0]) if steps.size else 1
    if step > 0 and np.all(steps == step):
        return slice(int(index[0]), int(index[-1]) + step, step)
    return index


def _largest(x: Any, first: Any, stop: Any, step: Any) -> Any:
    """One axis after the other, the last first: of equal elements the first in memory wins."""
    has_nan = x.dtype.kind == "f" and np.isnan(np.min(x))
    values, places = x, np.arange(x[0].size, dtype=np.int32).reshape(1, *x.shape[1:])
    for axis in (2, 1, 0):
        lead, size = (slice(None),) * (axis + 1), x.shape[axis + 1]
        begin = first[axis]
        begin = begin + np.maximum(-(begin // step[axis]), 0) * step[axis]
        begin = np.minimum(begin, size - 1)
        kept_values, kept_places = values, places
        values, places = np.take(values, begin, axis + 1), np.take(places, begin, axis + 1)
        places = np.array(np.broadcast_to(places, values.shape))
        for windows, at in taps(first[axis], stop[axis], step[axis], size):
            here, there = (*lead, windows), (*lead, at)
            candidate, best, place = kept_values[there], values[here], places[here]
            better = candidate > best
            if has_nan:
                better |= candidate != candidate
            np.copyto(best, candidate, where=better)
            np.copyto(place, kept_places[there], where=better)
            if not isinstance(windows, slice):  # they are copies
                values[here], places[here] = best, place
    return values, places


@kernel(_largest, FEW)
def largest(x: Any, first: Any, stop: Any, step: Any) -> Any:
    """The largest element of each window and its place; NaN is larger than any number.

    ``first``, ``stop``, ``step``: for each of the three axes.
    """
    first_d, first_h, first_w = first
    stop_d, stop_h, stop_w = stop
    step_d, step_h, step_w = step
    depth, height, width = x.shape[1:]
    shape = (x.shape[0], len(first_d), len(first_h), len(first_w))
    values, places = np.empty(shape, x.dtype), np.empty(shape, np.int32)
    for r in range(shape[0]):
        for i in range(shape[1]):
            d0, d1 = first_d[i], min(stop_d[i], depth)
            while d0 < 0:
                d0 += step_d
            for j in range(shape[2]):
                h0, h1 = first_h[j], min(stop_h[j], height)
                while h0 < 0:
                    h0 += step_h
                for k in range(shape[3]):
                    w0, w1 = first_w[k], min(stop_w[k], width)
                    while w0 < 0:
                        w0 += step_w
                    best = x[r, d0, h0, w0]
                    place = (d0 * height + h0) * width + w0
                    for d in range(d0, d1, step_d):
                        for h in range(h0, h1, step_h):
                            for w in range(w0, w1, step_w):
                                v = x[r, d, h, w]
                                if v > best or v != v:
                                    best = v
                                    place = (d * height + h) * width + w
                    values[r, i, j, k], places[r, i, j, k] = best, place
    return values, places


def _scattered(g: Any, places: Any, size: int) -> Any:
    rows = np.arange(len(g)).reshape(-1, 1) * size
    total = np.bincount((places + rows).ravel(), g.ravel(), len(g) * size)
    return total.astype(g.dtype, copy=False).reshape(len(g), size)


@kernel(_scattered, FEW)
def scattered(g: Any, places: Any, size: int) -> Any:
    """Zeros of shape ``(R, size)`` with the rows of ``g`` added at ``places``, of which there are as many."""
    out = np.zeros((g.shape[0], size), g.dtype)
    for r in range(g.shape[0]):
        for i in range(g.shape[1]):
            out[r, places[r, i]] += g[r, i]
    return out


def _picked(x: Any, places: Any) -> Any:
    return np.take_along_axis(x, places, 1)


@kernel(_picked, FEW)
def picked(x: Any, places: Any) -> Any:
    """The elements of each row of ``x`` at ``places``."""
    out = np.empty(places.shape, x.dtype)
    for r in range(places.shape[0]):
        for i in range(places.shape[1]):
            out[r, i] = x[r, places[r, i]]
    return out
