"""How do softmax and its relatives differentiate, without overflow and with infinite arguments?

The largest element is subtracted before anything is exponentiated. A slice of nothing but ``-inf`` has
softmax NaN and logsumexp ``-inf``, as in PyTorch.

Index: softmax log_softmax logsumexp logcumsumexp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..numpy.cumulative import linear_recurrence, shift
from ..numpy.reductions import expanded
from ..partials import exp_share
from ..registry import vjp

Axes = int | tuple[int, ...]


def _largest(x: Any, axis: Any) -> Any:
    """The largest elements along ``axis``, which is kept; ``-inf`` where there is none."""
    if _is_narrow(x, axis):
        return np.ascontiguousarray(x.T).max(0)[:, None]
    return x.max(axis, keepdims=True) if x.size and x.dtype.kind in "fc" else _largest_of_any(x, axis)


NARROW = 64  # columns: NumPy takes several times as long for the largest of each of many short rows


def _is_narrow(x: Any, axis: Any) -> bool:
    """Whether ``axis`` is that of the short rows of a matrix of floating-point numbers."""
    return x.ndim == 2 and axis in (1, -1) and 0 < x.shape[1] < NARROW < x.size and x.dtype.kind == "f"


def kept_sum(x: Any, axis: Any) -> Any:
    """The sums along ``axis``, which is kept.

    >>> kept_sum(np.ones((2, 3)), 1)
    array([[3.],
           [3.]])
    """
    if _is_narrow(x, axis):
        return (x @ np.ones(x.shape[1], x.dtype))[:, None]
    return x.sum(axis, keepdims=True)


@vjp(kept_sum)
def kept_sum_rule(g, ans, x, axis):
    return helpers.broadcast_like(g, x), None


def _largest_of_any(x: Any, axis: Any) -> Any:
    return np.max(x, axis=axis, keepdims=True, initial=-np.inf) if x.size else np.zeros((), x.dtype)


def softmax(x: Any, axis: int = -1) -> Any:
    """``exp(x) / sum(exp(x))`` along ``axis``.

    >>> softmax(np.array([1000.0, 1000.0]))
    array([0.5, 0.5])
    """
    x = np.asarray(x)
    if x.ndim == 0:
        return np.ones_like(x)[()]
    with np.errstate(invalid="ignore"):
        powers = np.exp(x - _largest(x, axis))
    return powers / kept_sum(powers, axis)


@vjp(softmax)
def softmax_rule(g, ans, x, axis=-1):
    if np.ndim(x) == 0:
        return g * 0
    return ans * (g - np.sum(g * ans, axis=axis, keepdims=True))


def softmax_by_rows(g, ans, x, axis=-1):
    """The rule of softmax with sums that are fast for short rows."""
    if np.ndim(x) == 0:
        return g * 0
    return ans * (g - kept_sum(g * ans, axis))


def log_softmax(x: Any, axis: int = -1) -> Any:
    """``log(softmax(x))`` along ``axis``, exact where the softmax is tiny.

    >>> log_softmax(np.array([0.0, 1000.0]))
    array([-1000.,     0.])
    """
    x = np.asarray(x)
    if x.ndim == 0:
        return np.zeros_like(x)[()]
    with np.errstate(invalid="ignore"):
        below = x - _largest(x, axis)
    return below - np.log(kept_sum(np.exp(below), axis))


@vjp(log_softmax)
def log_softmax_rule(g, ans, x, axis=-1):
    if np.ndim(x) == 0:
        return g * 0
    return g - np.exp(ans) * np.sum(g, axis=axis, keepdims=True)


def log_softmax_by_rows(g, ans, x, axis=-1):
    """The rule of log_softmax with sums that are fast for short rows."""
    if np.ndim(x) == 0:
        return g * 0
    return g - np.exp(ans) * kept_sum(g, axis)


def logsumexp(x: Any, axis: Axes, keepdims: bool = False) -> Any:
    """``log(sum(exp(x)))`` over one axis or several; of complex numbers the principal value.

    >>> float(logsumexp(np.array([-np.inf, 1000.0]), 0))
    1000.0
    """
    x = np.asarray(x)
    if x.ndim == 0:
        return x[()] if x.dtype.kind != "c" else np.log(np.exp(x - x.real)) + x.real
    largest = _largest(np.real(x), axis)
    finite = np.where(np.isfinite(largest), largest, 0)
    with np.errstate(divide="ignore", over="ignore"):
        total = np.log(np.sum(np.exp(x - finite), axis=axis, keepdims=True))
    total = total + finite
    return total if keepdims else np.squeeze(total, axis)[()]


@vjp(logsumexp)
def logsumexp_rule(g, ans, x, axis, keepdims=False):
    return expanded(g, x, axis, keepdims) * np.conj(exp_share(x, expanded(ans, x, axis, keepdims)))


# ----- running -----


def logcumsumexp(x: Any, axis: int) -> Any:
    """``log(cumsum(exp(x)))`` along ``axis``.

    >>> logcumsumexp(np.array([-np.inf, 1000.0, 1000.0]), 0) - 1000
    array([      -inf, 0.        , 0.69314718])
    """
    x = np.asarray(x)
    return np.logaddexp.accumulate(x, axis=axis) if x.ndim else x[()]


@vjp(logcumsumexp)
def logcumsumexp_rule(g, ans, x, axis):
    """``exp(x[j] - ans[j]) u[j]`` with ``u[j] = g[j] + exp(ans[j] - ans[j + 1]) u[j + 1]``: no overflow."""
    if np.ndim(x) == 0:
        return g
    back = np.flip(np.moveaxis(ans, axis, 0), 0)
    share = exp_share(back, shift(back, np.inf))
    u = linear_recurrence(share, np.flip(np.moveaxis(g, axis, 0), 0))
    return exp_share(x, ans) * np.moveaxis(np.flip(u, 0), 0, axis)


helpers.SHAPED_LIKE.update({softmax: (0, (0,)), log_softmax: (0, (0,)), logcumsumexp: (0, (0,))})
