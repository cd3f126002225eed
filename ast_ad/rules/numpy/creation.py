"""How do functions that build an array from a few numbers pass its cotangent back to them?"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..helpers import unbroadcast
from ..registry import nondifferentiable, vjp
from .gather import refuse


@vjp(np.full)
def full(g, ans, shape, fill_value, dtype=None, order="C"):
    return None, unbroadcast(g, fill_value)


@vjp(np.full_like)
def full_like(g, ans, a, fill_value, dtype=None, order="K", subok=True, shape=None):
    return None, unbroadcast(g, fill_value)


@vjp(np.arange)
def arange(g, ans, *args, dtype=None):
    """``start + step * [0, 1, ...]``; the stop only decides how many."""
    steps = np.arange(np.size(g))
    if len(args) == 1:
        return None
    if len(args) == 2:
        return np.sum(g), None
    return np.sum(g), None, np.sum(g * steps)


@vjp(np.linspace)
def linspace(g, ans, start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    t = np.linspace(0.0, 1.0, num, endpoint)
    rows = np.moveaxis(g[0] if retstep else g, axis, -1)
    start_bar, stop_bar = np.sum(rows * (1 - t), axis=-1), np.sum(rows * t, axis=-1)
    if retstep:  # of the length of the range, which has one step less than numbers if its end is one
        steps = num - 1 if endpoint else num
        step = g[1] / steps if steps > 0 else 0.0 * g[1]  # without a step it is NaN
        start_bar, stop_bar = start_bar - step, stop_bar + step
    return unbroadcast(start_bar, start), unbroadcast(stop_bar, stop)


@vjp(np.logspace)
def logspace(g, ans, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """``base ** y`` with ``y = linspace(start, stop)``."""
    if np.ndim(base) > 0:
        refuse("np.logspace with an array of bases", fix="write it as base ** np.linspace(start, stop)")
    t = np.linspace(0.0, 1.0, num, endpoint)
    rows = np.moveaxis(g * np.conj(ans), axis, -1)  # cotangent of log(ans) = y * log(base)
    slope = np.conj(np.log(base))
    start_bar, stop_bar = np.sum(rows * (1 - t), axis=-1) * slope, np.sum(rows * t, axis=-1) * slope
    y = np.linspace(start, stop, num, endpoint, axis=axis)
    base_bar = np.sum(g * np.conj(ans * y / base))
    return unbroadcast(start_bar, start), unbroadcast(stop_bar, stop), None, None, base_bar


@vjp(np.geomspace)
def geomspace(g, ans, start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """``start ** (1 - t) * stop ** t``."""
    t = np.linspace(0.0, 1.0, num, endpoint)
    rows = np.moveaxis(g * np.conj(ans), axis, -1)
    start_bar = np.sum(rows * (1 - t), axis=-1) / np.conj(start)
    stop_bar = np.sum(rows * t, axis=-1) / np.conj(stop)
    return unbroadcast(start_bar, start), unbroadcast(stop_bar, stop)


@vjp(np.vander)
def vander(g, ans, x, N=None, increasing=False):
    """``ans[:, j] = x ** p[j]``, so its derivative is ``p[j] * x ** (p[j] - 1)``: a column further."""
    powers = exponents(ans, increasing)
    return np.sum(g * powers * np.conj(np.expand_dims(x, -1) ** np.maximum(powers - 1, 0)), axis=-1)


def exponents(v: Any, increasing: bool = False) -> Any:
    """The exponents that the columns of a Vandermonde matrix ``v`` stand for. Reads ``v``'s shape only.

    >>> exponents(np.ones((2, 3)))
    array([2, 1, 0])
    """
    up = np.arange(np.shape(v)[-1])
    return up if increasing else up[::-1]


nondifferentiable(np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like)
nondifferentiable(np.eye, np.identity, np.tri, np.indices, np.unravel_index, np.ravel_multi_index)
nondifferentiable(np.mask_indices, np.bartlett, np.blackman, np.hamming, np.hanning, exponents)
helpers.METADATA.update({exponents: 0, np.full_like: 0})
