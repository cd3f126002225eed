"""How do norms of any order over any axes, and the distances made of them, differentiate?

The gradient of a norm is 0 where the norm is 0; where several elements attain a maximum or minimum, each has
an equal share.

Index: norm dist normalize renorm cosine_similarity pairwise_distance cdist.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numpy.norms import order_bar, vector_norm_bar
from ..registry import program, vjp

Axes = int | tuple[int, ...] | None


def norm(x: Any, p: float = 2.0, axis: Axes = None, keepdims: bool = False) -> Any:
    """The ``p``-norm over ``axis`` (None: all), ``p`` infinite or 0 (the number of non-zeros) included.

    >>> float(norm(np.array([[3.0, -4.0]])))
    5.0
    """
    over: Any = None if np.ndim(x) == 0 else axis
    return np.linalg.vector_norm(x, axis=over, keepdims=keepdims, ord=p)


@vjp(norm)
def norm_rule(g, ans, x, p=2.0, axis=None, keepdims=False):
    over = None if np.ndim(x) == 0 else axis
    return vector_norm_bar(g, ans, x, p, over, keepdims), order_bar(g, ans, x, p, over, keepdims)


def dist(x: Any, y: Any, p: float = 2.0) -> Any:
    """The ``p``-norm of ``x - y``.

    >>> float(dist(np.array([3.0, 0.0]), np.array([0.0, 4.0])))
    5.0
    """
    return np.linalg.vector_norm(np.subtract(x, y), ord=p)


@vjp(dist, broadcasts=True)
def dist_rule(g, ans, x, y, p=2.0):
    x_bar = vector_norm_bar(g, ans, x - y, p, None, False)
    return x_bar, -x_bar, order_bar(g, ans, x - y, p, None, False)


@program
def normalize(x: Any, p: float = 2.0, axis: Axes = 1, eps: float = 1e-12) -> Any:
    """``x`` divided by its norms along ``axis``, of which none counts as less than ``eps``.

    >>> normalize(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    return x / np.maximum(norm(x, p, axis, True), eps)


@program
def renorm(x: Any, p: float, axis: int, maxnorm: float) -> Any:
    """``x`` with each slice along ``axis`` whose norm exceeds ``maxnorm`` scaled down to it.

    >>> renorm(np.array([[3.0, 4.0], [0.5, 0.0]]), 2.0, 0, 1.0).round(6)
    array([[0.6, 0.8],
           [0.5, 0. ]])
    """
    kept = axis % np.ndim(x)
    lengths = norm(x, p, (*range(kept), *range(kept + 1, np.ndim(x))), True)
    return x * np.where(lengths > maxnorm, maxnorm / (lengths + 1e-7), 1)


@program
def cosine_similarity(x: Any, y: Any, axis: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between the vectors along ``axis``, whose norms count as ``eps`` or more.

    >>> cosine_similarity(np.array([[1.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([0.6])
    """
    x, y = np.broadcast_arrays(x, y)
    x_length = np.maximum(norm(x, 2.0, axis, True), eps)
    y_length = np.maximum(norm(y, 2.0, axis, True), eps)
    return np.sum(x / x_length * (y / y_length), axis=axis)


@program
def pairwise_distance(x: Any, y: Any, p: float = 2.0, eps: float = 1e-6, keepdims: bool = False) -> Any:
    """The ``p``-norms of ``x - y + eps`` along the last axis.

    >>> pairwise_distance(np.array([[3.0, 0.0]]), np.array([[0.0, 4.0]])).round(3)
    array([5.])
    """
    return norm(x - y + eps, p, -1, keepdims)


@program
def cdist(x: Any, y: Any, p: float = 2.0) -> Any:
    """The distance of each row of ``x`` from each row of ``y``; matrices may be stacked.

    >>> cdist(np.array([[3.0], [1.0]]), np.array([[0.0], [5.0]]))
    array([[3., 2.],
           [1., 4.]])
    """
    return norm(np.expand_dims(x, -2) - np.expand_dims(y, -3), p, -1)
