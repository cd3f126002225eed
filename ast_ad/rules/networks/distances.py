"""What are the distances of ``nn.functional``, on arrays? PyTorch's parameters, our rules.

Index: pair_distances; pairwise_distance cosine_similarity pdist normalize.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..numpy.norms import order_bar, vector_norm_bar
from ..registry import nondifferentiable, program, vjp
from ..torch import norms
from .embedding import rows_added


def pairs(x: Any) -> Any:
    """The first and the second of all pairs of rows of ``x``, as two arrays. Reads ``x``'s shape only.

    >>> pairs(np.zeros((3, 1)))
    array([[0, 0, 1],
           [1, 2, 2]])
    """
    return np.stack(np.triu_indices(np.shape(x)[0], 1))


def pair_distances(x: Any, p: float = 2.0) -> Any:
    """The ``p``-norms of the differences of all pairs of rows.

    >>> pair_distances(np.array([[0.0], [1.0], [3.0]]))
    array([1., 3., 2.])
    """
    first, second = pairs(x)
    return norms.norm(x[first] - x[second], p, -1)


@vjp(pair_distances)
def pair_distances_rule(g, ans, x, p=2.0):
    both = pairs(x)
    apart = x[both[0]] - x[both[1]]
    bar = vector_norm_bar(g, ans, apart, p, -1, False)
    x_bar = rows_added(x, both[0], bar) - rows_added(x, both[1], bar)
    return x_bar, order_bar(g, ans, apart, p, -1, False)


nondifferentiable(pairs)
helpers.METADATA[pairs] = 0


@program
def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The ``p``-norms of ``x1 - x2 + eps`` along the last axis.

    >>> pairwise_distance(np.array([[3.0, 0.0]]), np.array([[0.0, 4.0]])).round(3)
    array([5.])
    """
    return norms.norm(x1 - x2 + eps, p, -1, keepdim)


@program
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between the vectors along ``dim``, whose norms count as ``eps`` or more.

    >>> cosine_similarity(np.array([[1.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([0.6])
    """
    return norms.cosine_similarity(x1, x2, dim, eps)


@program
def pdist(input: Any, p: float = 2.0) -> Any:
    """The distances of all pairs of rows of a matrix, as a vector.

    >>> pdist(np.array([[0.0], [1.0], [3.0]]))
    array([1., 3., 2.])
    """
    return pair_distances(input, p)


@program
def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """``input`` divided by its norms along ``dim``, of which none counts as less than ``eps``.

    >>> normalize(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    if out is not None:
        raise ValueError("out= is for tensors: use the result instead")
    return norms.normalize(input, p, dim, eps)
