"""What do functions stand for that kernels don't have themselves? Each in terms of simpler ones.

The parameters are those for which the definition holds; what it is not meant for it refuses. The values are
NumPy's: sums may be made in another order.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import builtins
import math
import operator
from typing import Any

import numpy as np

from ....rules import containers, float_sums, helpers
from ....rules.numpy import decompositions, diagonals, fft, joining, products, reductions, signal
from ....rules.numpy.gather import refuse
from ....rules.registry import body_of
from ....rules.torch import activations as torch_activations
from . import (
    arrangements,
    contractions,
    log_sums,
    margins,
    matrix_stacks,
    recurrences,
    signals,
    statistics,
    steps,
)


def _only(condition: bool) -> None:
    """Refuse a call for which a condition does not hold: it is left to NumPy."""
    if not condition:
        refuse("this call")


# ----- decompositions and transforms
def fitted(g, x):
    _only(np.ndim(g) == 1)
    out = np.zeros(len(x), g.dtype)
    for i in range(min(len(g), len(x))):
        out[i] = g[i]
    return out


def reciprocal_gaps(w):
    """As the function has it, of one vector."""
    _only(np.ndim(w) == 1 and w.dtype == np.float64)
    n = len(w)
    out = np.zeros((n, n))
    if n > 0:
        tolerance = 4 * n * 2.220446049250313e-16 * np.max(np.abs(w))
        for i in range(n):
            for j in range(n):
                if i != j:
                    gap = w[j] - w[i]
                    out[i, j] = np.nan if abs(gap) <= tolerance else 1 / gap
    return out


def multiplicity(n):
    out = np.ones(n // 2 + 1)
    for k in range(1, (n + 1) // 2):
        out[k] = 2.0
    return out


# ----- views
def flip(m, axis=None):
    n = np.ndim(m)
    axes = range(n) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    flipped = [a % n for a in axes]
    return m[tuple([slice(None, None, -1) if i in flipped else slice(None) for i in range(n)])]


def fliplr(m):
    return m[:, ::-1]


def flipud(m):
    return m[::-1]


def on_diagonal(g, x, offset=0, axis1=0, axis2=1):
    _only(np.ndim(x) == 2 and isinstance(offset, int) and (axis1 % 2, axis2 % 2) == (0, 1))
    rows, columns = np.shape(x)
    down, right = max(-offset, 0), max(offset, 0)
    out = np.zeros((rows, columns), g.dtype)
    last = np.shape(g)[0] - 1  # of one number, too
    for i in range(min(rows - down, columns - right)):
        out[i + down, i + right] = g[min(i, last)]
    return out


def with_diagonal(a, val, wrap=False):
    _only(np.ndim(a) == 2 and np.ndim(val) == 0 and wrap is False)
    out = a.copy()
    for i in range(min(np.shape(a))):
        out[i, i] = val
    return out


def angle(z, deg=False):
    _only(isinstance(deg, bool) and z.dtype.kind == "c")
    found = np.arctan2(np.imag(z), np.real(z))
    return found * (180 / np.pi) if deg else found


# ----- moments and bounds
def var(a, axis=None, *, ddof=0, keepdims=False):
    _only(a.dtype.kind == "f")
    d = a - (np.mean(a) if axis is None else np.mean(a, axis=axis, keepdims=True))
    free = max(reductions.count_present(a, axis, keepdims) - ddof, 0)
    return np.divide(np.sum(d * d, axis=axis, keepdims=keepdims), free)


def nansum(a, axis=None, *, keepdims=False):
    _only(a.dtype.kind == "f")
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)


def isclose(a, b, rtol=1e-05, atol=1e-08):
    return (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b) | (a == b)


def _components(a):
    return (a[0], a[1], a[2]) if np.ndim(a) == 1 else (a[..., 0], a[..., 1], a[..., 2])


def cross(a, b):
    _only(np.shape(a)[-1] == 3 and np.shape(b)[-1] == 3)
    (a0, a1, a2), (b0, b1, b2) = _components(a), _components(b)
    parts = [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]
    return np.array(parts) if np.ndim(a) == np.ndim(b) == 1 else np.stack(parts, axis=-1)


def std(a, axis=None, *, ddof=0, keepdims=False):
    return np.sqrt(np.var(a, axis=axis, ddof=ddof, keepdims=keepdims))


def reduced_count(a, axis=None):
    shape = np.shape(a)
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count = 1
    for i in axes:
        count = count * shape[i]
    return count


def matmul(x1, x2):
    """A stack of matrices by one matrix: one product for the whole stack."""
    _only(np.ndim(x1) > 2 and np.ndim(x2) == 2)
    stack = np.shape(x1)
    return np.reshape(products.rows(x1) @ x2, (*stack[:-1], np.shape(x2)[1]))


def trace(a, offset=0):
    _only(np.ndim(a) == 2)
    return np.sum(np.diagonal(a, offset))


def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    low, high = a_min if min is None else min, a_max if max is None else max
    above = a if low is None else np.maximum(a, low)
    return above if high is None else np.minimum(above, high)


# ----- ranges
def linspace(start, stop, num=50, endpoint=True):
    _only(
        np.ndim(start) == 0 and np.ndim(stop) == 0 and isinstance(num, int) and num > 1 and endpoint is True
    )
    places = np.arange(num)
    return np.where(places == num - 1, stop, places * ((stop - start) / (num - 1)) + start)


# ----- counts
def count_nonzero(a, axis=None):
    return np.sum(a != 0, axis=axis)


def any_(a, axis=None):
    return np.sum(a != 0, axis=axis) > 0


def all_(a, axis=None):
    return np.sum(a == 0, axis=axis) == 0


# ----- differences and shifts
def _between(n, axis, start, stop):
    """The index of a slice along one axis."""
    return tuple([slice(start, stop) if i == axis % n else slice(None) for i in range(n)])


def undiff(g, n=1, axis=-1, length=None):
    k = np.ndim(g)
    for _ in range(n):
        out = np.zeros([np.shape(g)[i] + (i == axis % k) for i in range(k)], g.dtype)
        out[_between(k, axis, 1, None)] = g
        out[_between(k, axis, None, -1)] -= g
        g = out
    assert length is None or np.shape(g)[axis] == length
    return g


def roll(a, shift, axis=None):
    n = np.ndim(a)
    if axis is None:
        return roll(a, shift, 0) if n == 1 else np.reshape(roll(np.ravel(a), shift, 0), np.shape(a))
    if isinstance(shift, tuple) and isinstance(axis, tuple) and len(shift) == len(axis):
        for one, along in zip(shift, axis, strict=True):
            a = roll(a, one, along)
        return a
    _only(isinstance(shift, (int, np.integer)) and isinstance(axis, int))
    shift = int(shift)
    k = abs(shift)
    if shift == 0:
        return np.copy(a)
    assert np.shape(a)[axis] >= k
    if shift > 0:
        parts = a[_between(n, axis, -k, None)], a[_between(n, axis, None, -k)]
    else:
        parts = a[_between(n, axis, k, None)], a[_between(n, axis, None, k)]
    out = np.empty_like(a)
    if shift > 0:
        out[_between(n, axis, None, k)] = parts[0]
        out[_between(n, axis, k, None)] = parts[1]
    else:
        out[_between(n, axis, None, -k)] = parts[0]
        out[_between(n, axis, -k, None)] = parts[1]
    return out


def where_positive(g, y):
    return np.where(y <= 0, 0, g)


def leak(x, g, slope):
    return np.where(x > 0, g, slope * g)


def written(g, idx):
    if isinstance(idx, tuple):
        arrays = [i for i in idx if not isinstance(i, (int, slice))]
        if len(arrays) == 1 and arrays[0].dtype.kind == "b":  # of one axis' booleans, which repeat nothing
            return g[idx]
        _only(len(arrays) == len(idx) and all([i.dtype.kind == "i" for i in arrays]))
        value = g[idx]
        every = np.reshape(np.arange(np.size(value)), np.shape(value))
        latest = np.empty(np.shape(g), every.dtype)  # read where it was written to
        latest[idx] = every
        return np.where(latest[idx] == every, value, 0.0)
    _only(not isinstance(idx, list))
    if idx.dtype.kind == "b":
        return g[idx]
    _only(np.ndim(g) == 1 and np.ndim(idx) == 1)
    order = np.arange(len(idx))
    last = np.empty(len(g), order.dtype)
    last[idx] = order
    return np.where(last[idx] == order, g[idx], 0.0)


# ----- arrays put together, and apart
def hstack(tup):
    parts = [np.reshape(x, (1,)) if np.ndim(x) == 0 else x for x in tup]
    return np.concatenate(parts, 0 if np.ndim(parts[0]) == 1 else 1)


def vstack(tup):
    return np.concatenate([x[None] if np.ndim(x) == 1 else x for x in tup], 0)


def column_stack(tup):
    return np.concatenate([x[:, None] if np.ndim(x) == 1 else x for x in tup], 1)


def split_like(g, arrays, axis=0):
    _only(isinstance(axis, int))
    n = np.ndim(g)
    pieces, start = [], 0
    _only(n == 1 or not any([isinstance(x, (list, tuple)) for x in arrays]))
    for x in arrays:
        _only(np.ndim(x) in (n, n - 1))
        if isinstance(x, (list, tuple)):
            stop = start + len(x)
            pieces.append(tuple([g[start + i] for i in range(len(x))]))
        elif np.ndim(x) == n:
            stop = start + np.shape(x)[axis]
            pieces.append(g[_between(n, axis, start, stop)])
        else:
            stop = start + 1
            pieces.append(g[tuple([start if i == axis % n else slice(None) for i in range(n)])])
        start = stop
    return pieces


# ----- what Python does with iterables
def summed(iterable, start=0):
    _only(isinstance(iterable, np.ndarray) and np.ndim(iterable) == 1)
    for value in iterable:
        start = start + value
    return start


def nothing_lost(total, x, after):
    """Sums are made in any order here: what rounding takes away is not kept."""
    return 0.0


def without_lost(total, lost):
    return total


def multiplied(iterable, start=1):
    _only(isinstance(iterable, np.ndarray) and np.ndim(iterable) == 1)
    for value in iterable:
        start = start * value
    return start


def largest(values):
    _only(isinstance(values, np.ndarray) and np.ndim(values) == 1)
    best = values[0]
    for value in values[1:]:
        if value > best:
            best = value
    return best


def least(values):
    _only(isinstance(values, np.ndarray) and np.ndim(values) == 1)
    best = values[0]
    for value in values[1:]:
        if value < best:
            best = value
    return best


def filled(xs, g):
    _only(np.ndim(xs) == 1 and np.ndim(g) == 0)
    return np.full(np.shape(xs), g)


def array_of_rows(xs):
    _only(isinstance(xs, np.ndarray))
    return np.array(xs)


ROWS_LIKE = {helpers.list_from_array, joining.split_like}
"""What cuts an array into rows like the elements of a list."""

DEFINITIONS: dict[Any, Any] = {
    builtins.sum: summed,
    float_sums.rounded_off: nothing_lost,
    float_sums.compensated: without_lost,
    math.prod: multiplied,
    builtins.max: largest,
    builtins.min: least,
    containers.list_fill: filled,
    containers.array_from_list: array_of_rows,
    np.flip: flip,
    np.fliplr: fliplr,
    np.flipud: flipud,
    np.angle: angle,
    diagonals.on_diagonal: on_diagonal,
    decompositions.reciprocal_gaps: reciprocal_gaps,
    decompositions.between_axes: body_of(decompositions.between_axes),
    fft.fitted: fitted,
    fft.multiplicity: multiplicity,
    np.var: var,
    np.std: std,
    reductions.reduced_count: reduced_count,
    np.matmul: matmul,
    operator.matmul: matmul,
    np.trace: trace,
    np.linspace: linspace,
    np.count_nonzero: count_nonzero,
    np.any: any_,
    np.all: all_,
    np.clip: clip,
    signal.undiff: undiff,
    np.roll: roll,
    **arrangements.DEFINITIONS,
    **margins.DEFINITIONS,
    **signals.DEFINITIONS,
    **statistics.DEFINITIONS,
    **contractions.DEFINITIONS,
    **steps.DEFINITIONS,
    **recurrences.DEFINITIONS,
    **matrix_stacks.DEFINITIONS,
    **log_sums.DEFINITIONS,
    diagonals.with_diagonal: with_diagonal,
    np.nansum: nansum,
    np.isclose: isclose,
    np.cross: cross,
    np.hstack: hstack,
    np.vstack: vstack,
    np.column_stack: column_stack,
    joining.split_like: split_like,
    helpers.written: written,
    torch_activations.where_positive: where_positive,
    torch_activations.leak: leak,
}
