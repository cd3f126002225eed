"""What do convolutions, windows and phases of vectors stand for in kernels? Part of the ``definitions``."""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import operator
from typing import Any

import numpy as np

from ....rules.numpy import signal, views
from .arrangements import on_axis, only


def _of_vectors(a, v):
    only(np.ndim(a) == 1 and np.ndim(v) == 1 and a.dtype == v.dtype and a.dtype.kind == "f")


def convolve(a, v, mode="full"):
    _of_vectors(a, v)
    n, m = len(a), len(v)
    short = min(n, m)
    if mode == "full":
        return _convolved(a, v)
    if mode == "valid":
        return _convolved(a, v)[short - 1 : max(n, m)]
    only(mode == "same")
    start = (short - 1) // 2
    return _convolved(a, v)[start : start + max(n, m)]


def correlate(a, v, mode="valid"):
    _of_vectors(a, v)
    n, m = len(a), len(v)
    short = min(n, m)
    if mode == "full":
        return _convolved(a, v[::-1])
    if mode == "valid":
        return _convolved(a, v[::-1])[short - 1 : max(n, m)]
    only(mode == "same")
    middle = (short - 1) // 2
    start = n - 1 - middle if n < m else middle  # where it has no centre, it is that of the reversed signals
    return _convolved(a, v[::-1])[start : start + max(n, m)]


def _convolved(a, v):
    """All of the convolution: the longer one, added up with the numbers of the shorter one."""
    n, m = len(a), len(v)
    assert n > 0
    assert m > 0
    out = np.zeros(n + m - 1, a.dtype)
    if m <= n:
        for k in range(m):
            out[k : k + n] += v[k] * a
    else:
        for k in range(n):
            out[k : k + m] += a[k] * v
    return out


def convolve_bar(g, v, a, start):
    _of_vectors(g, v)
    only(np.ndim(a) == 1)
    n, m = len(a), len(v)
    full = np.zeros(n + m - 1, g.dtype)
    full[start : start + len(g)] = g
    out = np.zeros(n, g.dtype)
    if m <= n:
        for k in range(m):
            out += v[k] * full[k : k + n]
    else:
        for k in range(n):
            out[k] = np.sum(v * full[k : k + m])
    return out


def unwrap(p, discont=None, axis=-1, period=2 * np.pi):
    only(np.ndim(p) == 1 and p.dtype == np.float64 and isinstance(period, (int, float)))
    least = period / 2 if discont is None else np.maximum(discont, period / 2)
    steps = p[1:] - p[:-1]
    rest = np.mod(steps + period / 2, period) - period / 2
    rest = np.where((rest == -period / 2) & (steps > 0), period / 2, rest)
    turns = np.where(np.abs(steps) < least, 0.0, rest - steps)
    return np.concatenate([p[:1], p[1:] + np.cumsum(turns)])


def gradient(f, *varargs, axis=None, edge_order=1):
    """As its composite has it, of as many points as NumPy asks for, and one place for each."""
    lengths = np.shape(f)
    axes = list(range(len(lengths))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for i in range(len(axes)):
        assert lengths[axes[i]] > edge_order
        if len(varargs) > 0:
            places = varargs[i] if len(varargs) == len(axes) else varargs[0]
            if np.ndim(places) > 0:
                assert np.shape(places)[0] == lengths[axes[i]]
    return signal.gradient(f, *varargs, axis=axis, edge_order=edge_order)


def diff(a, n=1, axis=-1, prepend=None, append=None):
    k = np.ndim(a)
    if prepend is not None or append is not None:
        parts = [a]
        if prepend is not None:
            parts = [_as_row(prepend, a, axis), *parts]
        if append is not None:
            parts = [*parts, _as_row(append, a, axis)]
        a = np.concatenate(parts, axis)
    for _ in range(n):
        a = a[on_axis(k, axis, slice(1, None))] - a[on_axis(k, axis, slice(None, -1))]
    return a


def _as_row(x, a, axis):
    """What is put before or behind an array: a number stands for all places along the axis."""
    if np.ndim(x) > 0:
        only(np.ndim(x) == np.ndim(a) and x.dtype == a.dtype)
        return x
    lengths = np.shape(a)
    return np.full([1 if i == axis % np.ndim(a) else lengths[i] for i in range(np.ndim(a))], x, a.dtype)


def add_view(like, steps, g):
    only(len(steps) <= 2 and steps[0][0] is views.sliding_window_view)
    width, axis = steps[0][1]
    only(np.ndim(like) == 1 and axis is None and isinstance(width, int) and g.dtype.kind == "f")
    begin = slice(None)
    if len(steps) == 2:
        only(steps[1][0] is operator.getitem and isinstance(steps[1][1][0], slice) and np.ndim(g) == 2)
        begin = steps[1][1][0]
    out = np.zeros(np.shape(like), g.dtype)
    count = len(like) - width + 1
    assert count > 0 and np.shape(g)[1] == width
    for k in range(width):
        out[k : k + count][begin] += g[:, k]
    return out


DEFINITIONS: dict[Any, Any] = {
    np.convolve: convolve,
    np.correlate: correlate,
    signal.convolve_bar: convolve_bar,
    np.unwrap: unwrap,
    np.gradient: gradient,
    np.diff: diff,
    views.add_view: add_view,
}
