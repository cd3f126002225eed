"""How is an axis resampled? Each new element is a weighted sum of a few old ones, its taps.

``x`` has the shape ``(A, n, B)``, the axis in the middle. ``at`` and ``weights`` have a row for each tap and
a column for each new element; the rows of ``at`` never decrease.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernel


def _gathered(x: Any, at: Any, weights: Any) -> Any:
    out = np.zeros((x.shape[0], at.shape[1], x.shape[2]), x.dtype)
    for places, factors in zip(at, weights, strict=True):
        part = np.take(x, places, 1)
        part *= factors[:, None]
        out += part
    return out


@kernel(_gathered)
def gathered(x: Any, at: Any, weights: Any) -> Any:
    """The resampled axis, each element a weighted sum of its taps: of shape ``(A, m, B)``."""
    out = np.zeros((x.shape[0], at.shape[1], x.shape[2]), x.dtype)
    for a in range(x.shape[0]):
        for t in range(at.shape[0]):
            for j in range(at.shape[1]):
                source, to, w = x[a, at[t, j]], out[a, j], weights[t, j]
                for b in range(x.shape[2]):
                    to[b] += w * source[b]
    return out


def _spread(g: Any, at: Any, weights: Any, n: int) -> Any:
    out = np.zeros((g.shape[0], n, g.shape[2]), g.dtype)
    for places, factors in zip(at, weights, strict=True):
        first = np.flatnonzero(np.diff(places, prepend=-1))
        out[:, places[first]] += np.add.reduceat(g * factors[:, None], first, 1)
    return out


@kernel(_spread)
def spread(g: Any, at: Any, weights: Any, n: int) -> Any:
    """The adjoint of ``gathered`` of something of length ``n``."""
    out = np.zeros((g.shape[0], n, g.shape[2]), g.dtype)
    for a in range(g.shape[0]):
        for t in range(at.shape[0]):
            for j in range(at.shape[1]):
                source, to, w = g[a, j], out[a, at[t, j]], weights[t, j]
                for b in range(g.shape[2]):
                    to[b] += w * source[b]
    return out
