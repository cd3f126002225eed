"""How do vector and matrix norms pass a cotangent back?

At a kink they give the subgradient of least norm: 0 where a norm is 0; where several elements or singular
values attain a maximum or minimum, each has an equal share.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..helpers import expand_reduced
from ..partials import ratio
from ..registry import vjp
from .products import column, row


@vjp(np.linalg.norm)
def norm(g, ans, x, ord=None, axis=None, keepdims=False):
    if axis is None and ord is not None and np.ndim(x) == 2:
        return matrix_norm_bar(g, ans, x, ord, (0, 1), keepdims)
    if isinstance(axis, tuple) and len(axis) == 2 and ord is not None:
        return matrix_norm_bar(g, ans, x, ord, axis, keepdims)
    if ord is None or ord == 2:
        return vector_norm_bar(g, ans, x, 2, axis, keepdims)
    return vector_norm_bar(g, ans, x, ord, axis, keepdims), order_bar(g, ans, x, ord, axis, keepdims)


@vjp(np.linalg.vector_norm)
def vector_norm(g, ans, x, axis=None, keepdims=False, ord=2):
    if ord is None:
        return vector_norm_bar(g, ans, x, 2, axis, keepdims)
    x_bar = vector_norm_bar(g, ans, x, ord, axis, keepdims)
    return x_bar, None, None, order_bar(g, ans, x, ord, axis, keepdims)


@vjp(np.linalg.matrix_norm)
def matrix_norm(g, ans, x, keepdims=False, ord="fro"):
    return matrix_norm_bar(g, ans, x, ord, (-2, -1), keepdims)


def vector_norm_bar(g: Any, ans: Any, x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    if axis is None and not keepdims and ord == 2:
        return np.multiply(x, ratio(g, ans))  # of numbers; x may be a list
    g, ans = expand_reduced(g, x, axis, keepdims), expand_reduced(ans, x, axis, keepdims)
    if ord == 2:
        return x * ratio(g, ans)
    if ord == 1:
        return g * np.sign(x)
    if ord == 0:
        return np.zeros_like(x)
    if ord == np.inf or ord == -np.inf:
        return g * shares(np.abs(x), ans, axis) * np.sign(x)
    size = np.where(x == 0, 1, np.abs(x))  # sign(x) is 0 there
    g = np.where(ans == 0, 0, g)
    return g * np.sign(x) * ratio(size, np.where(ans == 0, 1, ans)) ** (ord - 1)


def order_bar(g: Any, ans: Any, x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    """The cotangent of a finite order ``p`` of ``sum(abs(x) ** p) ** (1 / p)``."""
    if ord == 0 or ord == np.inf or ord == -np.inf:
        return 0.0
    length, size = np.where(ans == 0, 1, ans), np.where(x == 0, 1, np.abs(x))  # 0 log 0 = 1 log 1
    share = g * length / ord
    terms = ratio(size, expand_reduced(length, x, axis, keepdims)) ** ord * np.log(size)
    return np.sum(expand_reduced(share, x, axis, keepdims) * terms) - np.sum(share * np.log(length))


def shares(x: Any, extreme: Any, axis: Any) -> Any:
    """1 where ``x`` equals its extreme value along ``axis``, divided among those that do."""
    hits = np.equal(x, extreme)
    return hits / np.sum(hits, axis=axis, keepdims=True)


def matrix_norm_bar(g: Any, ans: Any, x: Any, ord: Any, axes: Any, keepdims: bool) -> Any:
    if ord == "fro":
        return vector_norm_bar(g, ans, x, 2, axes, keepdims)
    a = np.moveaxis(x, axes, (-2, -1))
    if keepdims:
        g, ans = np.squeeze(g, axes), np.squeeze(ans, axes)
    if ord == "nuc" or ord == 2 or ord == -2:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        if ord == "nuc":
            weights = np.where(s > 0, 1.0, 0.0)
        else:
            weights = shares(s, np.max(s, axis=-1, keepdims=True) if ord == 2 else s[..., -1:], -1)
        bar = (u * row(weights * column(g))) @ vh
    else:
        along = -2 if ord == 1 or ord == -1 else -1  # sums of columns, or of rows
        sums = np.sum(np.abs(a), axis=along)
        extreme = np.max(sums, axis=-1, keepdims=True) if ord > 0 else np.min(sums, axis=-1, keepdims=True)
        bar = np.expand_dims(column(g) * shares(sums, extreme, -1), along) * np.sign(a)
    return np.moveaxis(bar, (-2, -1), axes)
