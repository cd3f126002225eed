"""How do windows, embedded diagonals, block matrices and other rearrangements differentiate?

Index: unfold diag_embed block_diag cartesian_prod combinations pixel_shuffle pixel_unshuffle
cumulative_trapezoid.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..numpy.gather import positions, scatter_to
from ..registry import nondifferentiable, program, vjp


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


@program
def cartesian_prod(*vectors: Any) -> Any:
    """All combinations of an element of each vector, one a row (of one vector: the vector).

    >>> cartesian_prod(np.array([1.0, 2.0]), np.array([5.0]))
    array([[1., 5.],
           [2., 5.]])
    """
    if len(vectors) == 1:
        return np.copy(vectors[0])
    return np.stack([np.ravel(mesh) for mesh in np.meshgrid(*vectors, indexing="ij")], axis=-1)


def combination_places(n: int, r: int, repeated: bool) -> Any:
    """All ``r`` out of ``range(n)``, one choice a row.

    >>> combination_places(3, 2, False).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    choices = itertools.combinations_with_replacement if repeated else itertools.combinations
    return np.array(list(choices(range(n), r)), int).reshape(-1, r)


@program
def combinations(x: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """All choices of ``r`` elements of a vector, one a row.

    >>> combinations(np.array([1.0, 2.0, 3.0]))
    array([[1., 2.],
           [1., 3.],
           [2., 3.]])
    """
    return x[combination_places(np.shape(x)[0], r, with_replacement)]


@program
def pixel_shuffle(x: Any, factor: int) -> Any:
    """``(..., c * factor**2, h, w)`` rearranged as ``(..., c, h * factor, w * factor)``.

    >>> pixel_shuffle(np.arange(4.0).reshape(4, 1, 1), 2)
    array([[[0., 1.],
            [2., 3.]]])
    """
    shape = np.shape(x)
    c, h, w = shape[-3] // factor**2, shape[-2], shape[-1]
    parts = np.reshape(x, (-1, c, factor, factor, h, w))
    shuffled = np.copy(np.transpose(parts, (0, 1, 4, 2, 5, 3)))
    return np.reshape(shuffled, (*shape[:-3], c, h * factor, w * factor))


@program
def pixel_unshuffle(x: Any, factor: int) -> Any:
    """``(..., c, h * factor, w * factor)`` rearranged as ``(..., c * factor**2, h, w)``.

    >>> pixel_unshuffle(np.arange(4.0).reshape(1, 2, 2), 2).ravel()
    array([0., 1., 2., 3.])
    """
    shape = np.shape(x)
    c, h, w = shape[-3], shape[-2] // factor, shape[-1] // factor
    parts = np.reshape(x, (-1, c, h, factor, w, factor))
    shuffled = np.copy(np.transpose(parts, (0, 1, 3, 5, 2, 4)))
    return np.reshape(shuffled, (*shape[:-3], c * factor**2, h, w))


@program
def cumulative_trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The running integral of ``y`` along its axis by the trapezoidal rule.

    >>> cumulative_trapezoid(np.array([1.0, 2.0, 4.0]))
    array([1.5, 4.5])
    """
    rows = np.moveaxis(y, axis, -1)
    means = (rows[..., 1:] + rows[..., :-1]) / 2
    if x is None:
        areas = means * dx
    elif np.ndim(x) == 1:
        areas = means * np.diff(x)
    else:
        areas = means * np.diff(np.moveaxis(x, axis, -1))
    return np.moveaxis(np.cumsum(areas, axis=-1), -1, axis)


nondifferentiable(combination_places)
