"""How do products and running sums and products differentiate, exactly where factors are zero?

Nothing is divided by a factor: the product of the others is a product of what stands before and after.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..helpers import SHAPED_LIKE, unbroadcast
from ..registry import composite, vjp
from .reductions import expanded, taken_as


def shift(a: Any, first: float) -> Any:
    """``a`` moved by one along its first axis: the last entry drops out, ``first`` comes in.

    >>> shift(np.array([2.0, 3.0, 5.0]), 1.0)
    array([1., 2., 3.])
    """
    out = np.empty_like(a)
    out[:1] = first
    out[1:] = a[:-1]
    return out


@vjp(shift)
def shift_rule(g, ans, a, first):
    return shift(g[::-1], 0.0)[::-1], None


def exclusive_product(a: Any, axis: Any = None) -> Any:
    """For each element the product of all others along ``axis`` (an int, a tuple, or None for all).

    >>> exclusive_product(np.array([2.0, 0.0, 5.0]), 0)
    array([ 0., 10.,  0.])
    """
    return others_product(a, axis)


@composite(exclusive_product)
def others_product(a, axis=None):
    if np.ndim(a) == 0:
        return np.ones_like(a)
    if axis is None:
        return np.reshape(others_along_first(np.reshape(a, -1)), np.shape(a))
    if isinstance(axis, tuple):
        front = np.moveaxis(a, axis, range(len(axis)))
        flat = np.reshape(front, (-1, *np.shape(front)[len(axis) :]))
        return np.moveaxis(np.reshape(others_along_first(flat), np.shape(front)), range(len(axis)), axis)
    return np.moveaxis(others_along_first(np.moveaxis(a, axis, 0)), 0, axis)


def others_along_first(a):
    before = np.cumprod(shift(a, 1.0), axis=0)
    after = np.cumprod(shift(a[::-1], 1.0), axis=0)[::-1]
    return before * after


def linear_recurrence(c: Any, x: Any) -> Any:
    """``t[0] = x[0]; t[i] = x[i] + c[i] * t[i - 1]`` along the first axis, in ``log2(n)`` vectorised steps.

    >>> linear_recurrence(np.array([0.0, 2.0, 3.0]), np.ones(3))
    array([ 1.,  3., 10.])
    """
    dtype = np.result_type(c, x)
    t, c = np.array(x, dtype), np.array(c, dtype)
    step = 1
    while step < len(t):
        t[step:] += c[step:] * t[:-step]
        c[step:] *= c[:-step].copy()
        step *= 2
    return t


@vjp(linear_recurrence)
def linear_recurrence_rule(g, ans, c, x):
    """The adjoint is the same recurrence run backwards."""
    x_bar = linear_recurrence(np.conj(shift(c[::-1], 0.0)), g[::-1])[::-1]
    return x_bar * np.conj(shift(ans, 0.0)), x_bar


@vjp(np.prod)
def prod(g, ans, a, axis=None, dtype=None, *, keepdims=False, initial=1, where=True):
    factors = taken_as(a, dtype)
    if where is not True:
        factors = np.where(where, factors, 1)
    others = exclusive_product(factors, axis) * initial
    a_bar = expanded(g, a, axis, keepdims) * np.conj(others)
    without_initial = np.prod(factors, axis=axis, keepdims=keepdims)
    initial_bar = unbroadcast(g * np.conj(without_initial), initial)
    return a_bar if where is True else np.where(where, a_bar, 0), None, None, None, initial_bar


@vjp(np.cumsum)
def cumsum(g, ans, a, axis=None, dtype=None):
    if axis is None:
        return np.reshape(np.cumsum(g[::-1])[::-1], np.shape(a))
    return np.flip(np.cumsum(np.flip(g, axis), axis=axis), axis)


@vjp(np.cumprod)
def cumprod(g, ans, a, axis=None, dtype=None):
    factors = taken_as(a, dtype)
    if axis is None:
        return np.reshape(cumprod_cotangent(g, np.reshape(factors, -1)), np.shape(a))
    g_front, a_front = np.moveaxis(g, axis, 0), np.moveaxis(factors, axis, 0)
    return np.moveaxis(cumprod_cotangent(g_front, a_front), 0, axis)


def cumprod_cotangent(g, a):
    """``before[j] * t[j]`` with ``t[j] = g[j] + a[j + 1] * t[j + 1]``: no division by a factor."""
    before = np.cumprod(shift(a, 1.0), axis=0)
    after = linear_recurrence(np.conj(shift(a[::-1], 0.0)), g[::-1])[::-1]
    return np.conj(before) * after


@composite(np.cumulative_sum)
def cumulative_sum(x, *, axis=None, dtype=None, include_initial=False):
    axis = 0 if axis is None else axis
    running = np.cumsum(x, axis=axis, dtype=dtype)
    return np.concatenate((in_front(running, axis, 0), running), axis=axis) if include_initial else running


@composite(np.cumulative_prod)
def cumulative_prod(x, *, axis=None, dtype=None, include_initial=False):
    axis = 0 if axis is None else axis
    running = np.cumprod(x, axis=axis, dtype=dtype)
    return np.concatenate((in_front(running, axis, 1), running), axis=axis) if include_initial else running


def in_front(running, axis, value):
    """What stands in front of the first term, for each row."""
    shape = tuple(1 if i == axis % np.ndim(running) else n for i, n in enumerate(np.shape(running)))
    return np.full(shape, value, running.dtype)


SHAPED_LIKE.update({shift: (0, (0,)), exclusive_product: (0, (0,)), linear_recurrence: (0, (0, 1))})
