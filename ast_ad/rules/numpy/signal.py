"""How do functions of sampled signals pass a cotangent back: convolutions, differences, interpolation?"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..helpers import unbroadcast
from ..partials import ratio
from ..registry import composite, shape, vjp
from .gather import gather, refuse, scatter_to

# ----- convolution -----


@vjp(np.convolve)
def convolve(g, ans, a, v, mode="full"):
    start = first_kept(np.size(a), np.size(v), mode, False)
    return convolve_bar(g, np.conj(v), a, start), convolve_bar(g, np.conj(a), v, start)


@vjp(np.correlate)
def correlate(g, ans, a, v, mode="valid"):
    """``correlate(a, v) = convolve(a, conj(v)[::-1])``."""
    start = first_kept(np.size(a), np.size(v), mode, True)
    a_bar = convolve_bar(g, v[::-1], a, start)
    return a_bar, np.conj(convolve_bar(g, np.conj(a), v, start)[::-1])


def convolve_bar(g: Any, v: Any, a: Any, start: int) -> Any:
    """The cotangent of ``a`` in ``np.convolve(a, v)[start : start + len(g)]``. Reads ``a``'s shape only.

    >>> convolve_bar(np.ones(2), np.array([1.0, 2.0]), np.zeros(3), 1)
    array([2., 3., 1.])
    """
    v = np.ravel(v)
    full = np.zeros(np.size(a) + len(v) - 1, np.result_type(g, v))
    full[start : start + np.size(g)] = g
    return np.reshape(np.correlate(full, np.conj(v), "valid"), np.shape(a))


@vjp(convolve_bar)
def convolve_bar_rule(g, ans, x, v, a, start):
    x_bar = np.convolve(g, np.conj(v))[start : start + np.size(x)]
    return x_bar, convolve_bar(np.conj(x), g, v, start)


def first_kept(n: int, m: int, mode: str, mirrored: bool) -> int:
    """The place of the first element of a convolution of ``n`` and ``m`` numbers in the full one.

    ``mirrored``: where the middle has no centre, it is that of the reversed signals (if ``n < m``).

    >>> first_kept(3, 2, "valid", False)
    1
    """
    short, long = min(n, m), max(n, m)
    if mode == "full":
        return 0
    if mode == "valid":
        return short - 1
    start = (short - 1) // 2
    return n + m - 1 - long - start if mirrored and n < m else start


# ----- differences and sums -----


@vjp(np.diff, view=True)
def diff(g, ans, a, n=1, axis=-1, prepend=None, append=None):
    if prepend is None and append is None:
        return undiff(g, n, axis, np.size(a, axis))
    first = 0 if prepend is None else 1 if np.ndim(prepend) == 0 else np.size(prepend, axis)
    more = 0 if append is None else 1 if np.ndim(append) == 0 else np.size(append, axis)
    last = first + np.size(a, axis)
    rows = np.moveaxis(undiff(g, n, axis, last + more), axis, 0)
    a_bar = np.moveaxis(rows[first:last], 0, axis)
    prepend_bar = None if prepend is None else unbroadcast(np.moveaxis(rows[:first], 0, axis), prepend)
    append_bar = None if append is None else unbroadcast(np.moveaxis(rows[last:], 0, axis), append)
    return a_bar, None, None, prepend_bar, append_bar


def undiff(g: Any, n: int = 1, axis: int = -1, length: int | None = None) -> Any:
    """The cotangent of ``a`` from that of ``np.diff(a, n, axis)``.

    ``length`` is that of ``a`` along the axis; where it is not larger than ``n``, there are no differences.

    >>> undiff(np.array([1.0, 5.0]))
    array([-1., -4.,  5.])
    >>> undiff(np.array([]), n=3, length=2)
    array([0., 0.])
    """
    zero = np.zeros((), np.result_type(g))  # of another type it would decide that of the result
    for _ in range(n):
        g = -np.diff(g, axis=axis, prepend=zero, append=zero)
    if length is None or np.size(g, axis) == length:
        return g
    shape = list(np.shape(g))
    shape[axis] = length
    return np.zeros(shape, np.result_type(g))


@shape(undiff)
def undiff_shape(g, n=1, axis=-1, length=None):
    place = axis % len(g)
    grown = length if length is not None else None if n is None else g[place] + n
    return tuple(m if k != place else grown for k, m in enumerate(g))


@vjp(undiff)
def undiff_rule(g, ans, x, n=1, axis=-1, length=None):
    return np.diff(g, n, axis)


@composite(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    flat = np.ravel(ary)
    out = flat[1:] - flat[:-1]
    if to_begin is not None:
        out = np.concatenate((np.ravel(to_begin), out))
    if to_end is not None:
        out = np.concatenate((out, np.ravel(to_end)))
    return out


@composite(np.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    if np.ndim(dx) > 0 or (x is not None and np.ndim(x) > 1 and np.ndim(x) != np.ndim(y)):
        refuse("np.trapezoid with steps of another rank than the samples", fix="broadcast them")
    y = np.asarray(y) if isinstance(y, (list, tuple)) else y
    rows = y if np.ndim(y) == 1 else np.moveaxis(y, axis, -1)
    if x is None:
        steps = dx
    else:
        steps = np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(x, axis, -1))
    return np.sum(steps * (rows[..., 1:] + rows[..., :-1]) / 2.0, axis=-1)


@composite(np.gradient)
def gradient(f, *varargs, axis=None, edge_order=1):
    if axis is None:
        axes = tuple(range(np.ndim(f)))
    else:
        axes = axis if isinstance(axis, tuple) else (axis,)
    if len(varargs) == 0:
        spacings = [1.0 for _ in axes]
    else:
        spacings = list(varargs) if len(varargs) == len(axes) else [varargs[0] for _ in axes]
    parts = [slope_along(f, spacings[i], axes[i], edge_order) for i in range(len(axes))]
    return parts[0] if len(axes) == 1 else tuple(parts)


def slope_along(f: Any, x: Any, axis: int, edge_order: int) -> Any:
    """``np.gradient`` along one axis, with a step or coordinates ``x``."""
    y = f if np.ndim(f) == 1 else np.moveaxis(f, axis, -1)
    x = 1.0 * (np.asarray(x) if isinstance(x, list) else x)  # NumPy has floats, too, before it subtracts
    if np.ndim(x) == 0:
        inner = (y[..., 2:] - y[..., :-2]) / (2.0 * x)
    else:
        h, k = x[1:-1] - x[:-2], x[2:] - x[1:-1]
        inner = -k / (h * (h + k)) * y[..., :-2]
        inner = inner + (k - h) / (h * k) * y[..., 1:-1] + h / (k * (h + k)) * y[..., 2:]
    if np.ndim(x) == 0:
        h0, k0, h1, k1 = x, x, x, x
    elif edge_order == 1:
        h0, k0, h1, k1 = x[1] - x[0], None, None, x[-1] - x[-2]
    else:
        h0, k0, h1, k1 = x[1] - x[0], x[2] - x[1], x[-2] - x[-3], x[-1] - x[-2]
    if edge_order == 1:
        first, last = (y[..., 1:2] - y[..., :1]) / h0, (y[..., -1:] - y[..., -2:-1]) / k1
    else:
        first = edge_slope(y[..., :1], y[..., 1:2], y[..., 2:3], h0, k0)
        last = -edge_slope(y[..., -1:], y[..., -2:-1], y[..., -3:-2], k1, h1)
    out = np.concatenate((first, inner, last), axis=-1)
    return out if np.ndim(f) == 1 else np.moveaxis(out, -1, axis)


def edge_slope(y0: Any, y1: Any, y2: Any, h: Any, k: Any) -> Any:
    """The slope at the first of three points at distances ``h`` and ``k``, to second order."""
    return -(2.0 * h + k) / (h * (h + k)) * y0 + (h + k) / (h * k) * y1 - h / (k * (h + k)) * y2


@vjp(np.unwrap)
def unwrap(g, ans, p, discont=None, axis=-1, period=2 * np.pi):
    """The result differs from ``p`` by whole periods."""
    return g, None, None, np.sum(g * (ans - p)) / period


# ----- interpolation -----


@vjp(np.interp)
def interp(g, ans, x, xp, fp, left=None, right=None, period=None):
    """``y = f[j] (1 - t) + f[j+1] t`` with ``t`` the share of the way; a node belongs to the next piece."""
    if period is not None:
        return periodic_interp_bar(g, x, xp, fp, period)
    n = np.size(xp)
    x = np.asarray(x) if isinstance(x, (list, tuple)) else x
    x_bar, xp_bar, fp_bar = pieces_bar(g, x, xp, fp)
    below, above = np.where(x < xp[0], g, 0)[()], np.where(x > xp[n - 1], g, 0)[()]
    left_bar, right_bar = (below, above) if np.ndim(x) == 0 else (np.sum(below), np.sum(above))
    if left is None:
        fp_bar = helpers.add_at(fp_bar, 0, left_bar)
    if right is None:
        fp_bar = helpers.add_at(fp_bar, n - 1, right_bar)
    return x_bar, xp_bar, fp_bar, left_bar, right_bar


def pieces_bar(g: Any, x: Any, xp: Any, fp: Any) -> Any:
    """The cotangents of ``x``, ``xp`` and ``fp`` from the points inside the range of ``xp``."""
    n = np.size(xp)
    j = np.clip(np.searchsorted(xp, x, "right") - 1, 0, n - 2)
    inside = np.where((x >= xp[0]) & (x <= xp[n - 1]), g, 0)[()]
    x0, x1 = 1.0 * gather(xp, j), 1.0 * gather(xp, j + 1)  # differences of integers of few bits would wrap
    f0, f1 = 1.0 * gather(fp, j), 1.0 * gather(fp, j + 1)
    t = ratio(x - x0, x1 - x0)
    x_bar = np.real(inside * np.conj(ratio(f1 - f0, x1 - x0)))
    fp_bar = scatter_to(fp, j, inside * (1 - t)) + scatter_to(fp, j + 1, inside * t)
    xp_bar = -scatter_to(xp, j, x_bar * (1 - t)) - scatter_to(xp, j + 1, x_bar * t)
    return x_bar, xp_bar, fp_bar


def periodic_interp_bar(g: Any, x: Any, xp: Any, fp: Any, period: Any) -> Any:
    """The nodes are moved into one period, sorted, and continued by one at each end."""
    size = np.abs(period)
    nodes = np.mod(xp, size)
    order = np.argsort(nodes)
    source = np.concatenate((order[-1:], order, order[:1]))
    shift = np.concatenate((-np.ones(1), np.zeros(np.size(xp)), np.ones(1)))
    knots = gather(nodes, source) + shift * size
    x_bar, knots_bar, values_bar = pieces_bar(g, np.mod(x, size), knots, gather(fp, source))
    turns = shift - np.floor(gather(xp, source) / size)
    size_bar = np.sum(knots_bar * turns) - np.sum(x_bar * np.floor(x / size))
    xp_bar, fp_bar = scatter_to(xp, source, knots_bar), scatter_to(fp, source, values_bar)
    return x_bar, xp_bar, fp_bar, None, None, size_bar * np.sign(period)


helpers.METADATA[convolve_bar] = 2
helpers.SHAPED_LIKE[convolve_bar] = 2, (0, 1)
helpers.OF_VECTORS.add(convolve_bar)
