"""How does a weight of given length and direction differentiate?

Index: weight_norm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..registry import vjp


def axes_except(v: Any, dim: int) -> Any:
    """All axes but ``dim``; all of them for -1."""
    return tuple(axis for axis in range(np.ndim(v)) if axis != dim)


def norms_except(v: Any, dim: int) -> Any:
    """The Euclidean norms over all axes but ``dim``, which stay with length 1; of the whole for -1.

    >>> norms_except(np.array([[3.0, 4.0], [0.0, 1.0]]), 0)
    array([[5.],
           [1.]])
    """
    return np.sqrt(np.sum(np.square(v), axis=axes_except(v, dim), keepdims=dim != -1))


def weight_norm(v: Any, g: Any, dim: int = 0) -> Any:
    """``g * v / |v|``, with the norms of ``norms_except``.

    >>> weight_norm(np.array([[3.0, 4.0]]), np.array([[10.0]]))
    array([[6., 8.]])
    """
    return v * (g / norms_except(v, dim))


@vjp(weight_norm)
def weight_norm_rule(g, ans, v, length, dim=0):
    norms = norms_except(v, dim)
    direction = v / norms
    length_bar = np.sum(g * direction, axis=axes_except(v, dim), keepdims=dim != -1)
    return (g - direction * length_bar) * (length / norms), helpers.unbroadcast(length_bar, length)
