"""How do windows, embedded diagonals and block matrices differentiate?

Index: unfold diag_embed block_diag combination_places.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..numpy.gather import positions, scatter_to
from ..registry import nondifferentiable, vjp


def unfold(x: Any, axis: int, size: int, step: int = 1) -> Any:
    """The windows of length ``size`` along ``axis``, ``step`` apart, as a view with a new last axis.

    >>> unfold(np.arange(5.0), 0, 3, 2)
    array([[0., 1., 2.],
           [2., 3., 4.]])
    """
    if np.ndim(x) == 0:
        x, axis = np.reshape(x, (1,)), 0
    axis = axis % np.ndim(x)
    if size > np.shape(x)[axis]:
        raise RuntimeError(
            f"maximum size for tensor at dimension {axis} is {np.shape(x)[axis]} but size is {size}"
        )
    if size == 0:
        return np.zeros(
            (*np.shape(x)[:axis], np.shape(x)[axis] // step + 1, *np.shape(x)[axis + 1 :], 0),
            np.asarray(x).dtype,
        )
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis, writeable=False)
    return windows[(slice(None),) * axis + (slice(None, None, step),)]


@vjp(unfold, view=True)
def unfold_rule(g, ans, x, axis, size, step=1):
    return scatter_to(x, unfold(positions(x), axis, size, step), g)


def diag_embed(x: Any, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Any:
    """Matrices, in the two given axes of the result, with the vectors in ``x`` on a diagonal.

    >>> diag_embed(np.array([1.0, 2.0]), 1)
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    x = np.asarray(x)
    n = x.shape[-1]
    out = np.zeros((*x.shape[:-1], n + abs(offset), n + abs(offset)), x.dtype)
    own = np.arange(n)
    out[..., own + max(-offset, 0), own + max(offset, 0)] = x
    return np.moveaxis(out, (-2, -1), (axis1, axis2))


@vjp(diag_embed)
def diag_embed_rule(g, ans, x, offset=0, axis1=-2, axis2=-1):
    return np.diagonal(g, offset, axis1, axis2)


def block_diag(*arrays: Any) -> Any:
    """A matrix with the given ones along its diagonal; a vector is one row.

    >>> block_diag(np.array([[1.0, 2.0]]), 5.0)
    array([[1., 2., 0.],
           [0., 0., 5.]])
    """
    blocks = [np.atleast_2d(a) for a in arrays]
    shape = sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)
    out, i, j = np.zeros(shape, np.result_type(*blocks)), 0, 0
    for b in blocks:
        out[i : i + b.shape[0], j : j + b.shape[1]] = b
        i, j = i + b.shape[0], j + b.shape[1]
    return out


@vjp(block_diag)
def block_diag_rule(g, ans, *arrays):
    bars: list[Any] = []
    i, j = 0, 0
    for a in arrays:
        m, n = np.shape(a) if np.ndim(a) == 2 else (1, np.size(a))
        bars = [*bars, np.reshape(g[i : i + m, j : j + n], np.shape(a))]
        i, j = i + m, j + n
    return tuple(bars)


def combination_places(n: int, r: int, repeated: bool) -> Any:
    """All ``r`` out of ``range(n)``, one choice a row.

    >>> combination_places(3, 2, False).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    choices = itertools.combinations_with_replacement if repeated else itertools.combinations
    return np.array(list(choices(range(n), r)), int).reshape(-1, r)


nondifferentiable(combination_places)
