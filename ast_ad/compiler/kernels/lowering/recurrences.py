"""What do products and recurrences along an axis stand for? Loops. Part of the ``definitions``.

Along the last axis of several each row is a loop of its own, so that its last number is at hand; along the
first one, whole rows follow each other.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from typing import Any

import numpy as np

from ....rules.numpy import cumulative
from ....rules.numpy.gather import refuse
from ....rules.torch import order


def _of_vector(a):
    if np.ndim(a) != 1 or a.dtype.kind != "f":
        refuse("this call")


def _of_floats(*arrays):
    if any([np.ndim(a) < 1 or a.dtype != arrays[0].dtype or a.dtype.kind != "f" for a in arrays]):
        refuse("this call")


def cumprod(a, axis=None):
    _of_floats(a)
    if np.ndim(a) == 1 or axis is not None and axis % np.ndim(a) == 0:
        return _products(a)
    if axis is None or axis % np.ndim(a) != np.ndim(a) - 1:
        refuse("this call")
    out = np.empty_like(a)
    for i, row in enumerate(a):
        out[i] = _products(row) if np.ndim(row) == 1 else cumprod(row, -1)
    return out


def _products(a):
    out = np.empty_like(a)
    out[:1] = a[:1]
    for i in range(1, len(a)):
        out[i] = out[i - 1] * a[i]
    return out


def shift(a, first):
    _of_floats(a)
    out = np.empty_like(a)
    out[:1] = first
    out[1:] = a[:-1]
    return out


def linear_recurrence(c, x):
    _of_floats(c, x)
    out = np.empty_like(x)
    out[:1] = x[:1]
    for i in range(1, len(x)):
        out[i] = x[i] + c[i] * out[i - 1]
    return out


def polyval(p, x):
    _of_vector(p)
    if isinstance(x, (float, np.float64)) and p.dtype == np.float64:
        y: Any = np.float64(0.0)
    elif not isinstance(x, np.ndarray) or x.dtype != p.dtype:
        refuse("this call")
    else:
        y = np.zeros_like(x)
    for i in range(len(p)):
        y = y * x + p[i]
    return y


def polyder(p, m=1):
    if np.ndim(p) != 1 or m != 1:
        refuse("this call")
    return p[:-1] * np.arange(len(p) - 1, 0, -1)


def vander(x, N=None, increasing=False):
    _of_vector(x)
    if not isinstance(N, int) or N < 1 or increasing is not False:
        refuse("this call")
    out = np.ones((len(x), N), x.dtype)
    for j in range(N - 2, -1, -1):
        out[:, j] = out[:, j + 1] * x
    return out


def exclusive_product(a, axis=None):
    if a.dtype.kind != "f" or not (np.ndim(a) == 1 or np.ndim(a) == 2 and axis in (0, 1, -1, -2)):
        refuse("this call")
    if np.ndim(a) == 2 and axis in (0, -2):
        return _of_others(a)
    return _of_others(a) if np.ndim(a) == 1 else np.transpose(_of_others(np.transpose(a)))


def _of_others(a):
    before, behind = np.ones_like(a), np.ones_like(a)
    for i in range(1, len(a)):
        before[i] = before[i - 1] * a[i - 1]
    for i in range(len(a) - 2, -1, -1):
        behind[i] = behind[i + 1] * a[i + 1]
    return before * behind


def cummax(x, axis):
    """The largest so far, and where it was last; a NaN is larger than all others."""
    _of_vector(x)
    out, places = np.empty_like(x), np.zeros(len(x), np.int64)
    out[:1] = x[:1]
    for i in range(1, len(x)):
        attained = (x[i] >= out[i - 1]) | np.isnan(x[i])
        places[i] = np.where(attained, i, places[i - 1])
        out[i] = np.where(attained, x[i], out[i - 1])
    return out, places


def cummin(x, axis):
    out, places = cummax(-x, axis)
    return -out, places


def along_indices(g, x, indices, axis, keepdims=True):
    _of_vector(x)
    _of_vector(g)
    out = np.zeros(np.shape(x), g.dtype)
    for i in range(len(g)):
        out[indices[i]] += g[i]
    return out


def elements_along(x, indices, axis, keepdims=True):
    _of_vector(x)
    if np.ndim(indices) != 1:
        refuse("this call")
    return x[indices]


DEFINITIONS: dict[Any, Any] = {
    np.cumprod: cumprod,
    order.cummax: cummax,
    order.cummin: cummin,
    order.along_indices: along_indices,
    order.elements_along: elements_along,
    np.polyval: polyval,
    np.polyder: polyder,
    np.vander: vander,
    cumulative.exclusive_product: exclusive_product,
    cumulative.shift: shift,
    cumulative.linear_recurrence: linear_recurrence,
}
