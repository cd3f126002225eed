"""What do statistics of samples, norms and counts stand for in kernels? Part of the ``definitions``."""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from typing import Any

import numpy as np

from ....rules.numpy import contractions, reductions, sorting
from .arrangements import only


def bincount(x, weights=None, minlength=0):
    only(np.ndim(x) == 1 and x.dtype == np.int64)
    assert minlength >= 0
    count, least = minlength, 0
    for i in range(len(x)):
        count, least = max(count, int(x[i]) + 1), min(least, int(x[i]))
    assert least >= 0
    if weights is None:
        out = np.zeros(count, np.int64)
        for i in range(len(x)):
            out[x[i]] += 1
        return out
    only(np.ndim(weights) == 1 and weights.dtype.kind == "f")
    assert len(weights) == len(x)
    out = np.zeros(count)
    for i in range(len(x)):
        out[x[i]] += weights[i]
    return out


# ----- weights
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """As its composite has it, of weights that have a sum."""
    if weights is not None:
        placed = weights if np.ndim(weights) == np.ndim(a) else reductions.along_axis(weights, a, axis)
        total = np.sum(placed, axis=axis)
        if np.ndim(total) == 0:
            assert total != 0
        else:
            assert np.all(total != 0)
    return reductions.average(a, axis, weights, returned, keepdims=keepdims)


# ----- moments of several variables
def _observations(m, rowvar):
    only(m.dtype.kind == "f" and isinstance(rowvar, bool))
    if np.ndim(m) == 1:
        return m[None]
    return m if rowvar else np.transpose(m)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    only(fweights is None and aweights is None and dtype is None)
    x = _observations(m, rowvar)
    if y is not None:
        x = np.concatenate([x, _observations(y, rowvar)])
    free = np.shape(x)[1] - ((0 if bias else 1) if ddof is None else ddof)
    assert free > 0
    centred = x - np.mean(x, axis=1, keepdims=True)
    if np.ndim(m) == 1 and y is None:
        return np.sum(centred * centred) * (1 / free)
    return (centred @ np.transpose(centred)) * (1 / free)


# ----- norms
def norm(x, ord=None, axis=None, keepdims=False):
    only(x.dtype.kind == "f" and isinstance(keepdims, bool))
    n = np.ndim(x)
    if ord is None or ord == "fro" and n == 2 and axis is None:
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
    if n == 2 and axis is None and not keepdims and (ord == 2 or ord == -2):
        values = np.linalg.svd(x, compute_uv=False)
        return np.max(values) if ord == 2 else np.min(values)
    only(n == 1 or isinstance(axis, int))
    size = np.abs(x)
    if ord == np.inf:
        return np.max(size, axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(size, axis=axis, keepdims=keepdims)
    only(isinstance(ord, (int, float)) and ord != 0)
    if ord == 1:
        return np.sum(size, axis=axis, keepdims=keepdims)
    if ord == 2:
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
    return np.sum(size**ord, axis=axis, keepdims=keepdims) ** (1 / ord)


def vector_norm(x, axis=None, keepdims=False, ord=2):
    only(isinstance(axis, int) or np.ndim(x) == 1)
    return norm(x, ord, axis, keepdims)


# ----- where numbers are missing
def _where_any(count, found):
    """NaN where nothing was there."""
    if np.ndim(found) == 0:
        return found if count > 0 else np.nan
    return np.where(count > 0, found, np.nan)


def _behind_missing(last, found):
    """NaN where the last number in order is missing."""
    if np.ndim(found) == 0:
        return last if np.isnan(last) else found
    return np.where(np.isnan(last), last, found)


def _present(a):
    only(a.dtype.kind == "f")
    return ~np.isnan(a)


def nanmean(a, axis=None, keepdims=False):
    there = _present(a)
    total = np.sum(np.where(there, a, 0.0), axis=axis, keepdims=keepdims)
    return total / np.sum(there, axis=axis, keepdims=keepdims)


def nanvar(a, axis=None, ddof=0, keepdims=False):
    there = _present(a)
    count = np.sum(there, axis=axis, keepdims=True)
    centre = np.sum(np.where(there, a, 0.0), axis=axis, keepdims=True) / count
    d = np.where(there, a - centre, 0.0)
    free = np.sum(there, axis=axis, keepdims=keepdims) - ddof
    return _where_any(free, np.sum(d * d, axis=axis, keepdims=keepdims) / free)


def nanstd(a, axis=None, ddof=0, keepdims=False):
    return np.sqrt(nanvar(a, axis, ddof, keepdims))


def nanmax(a, axis=None, keepdims=False):
    there = _present(a)
    found = np.max(np.where(there, a, -np.inf), axis=axis, keepdims=keepdims)
    return _where_any(np.sum(there, axis=axis, keepdims=keepdims), found)


def nanmin(a, axis=None, keepdims=False):
    there = _present(a)
    found = np.min(np.where(there, a, np.inf), axis=axis, keepdims=keepdims)
    return _where_any(np.sum(there, axis=axis, keepdims=keepdims), found)


# ----- order statistics
def _sorted_along(a, axis):
    """The numbers in order along the last axis, and how many there are."""
    only(a.dtype == np.float64 and (axis is None and np.ndim(a) == 1 or isinstance(axis, int)))
    n = np.ndim(a)
    last = a if axis is None or axis % n == n - 1 else np.moveaxis(a, axis, -1)
    ordered = np.sort(last, axis=-1)
    count = np.shape(ordered)[-1]
    assert count > 0
    return ordered, count


def median(a, axis=None, keepdims=False):
    only(keepdims is False)
    ordered, count = _sorted_along(a, axis)
    low, high = _at(ordered, (count - 1) // 2), _at(ordered, count // 2)
    last = _at(ordered, count - 1)
    return _behind_missing(last, (low + high) / 2)


def quantile(a, q, axis=None, method="linear", keepdims=False):
    only(method == "linear" and keepdims is False)
    ordered, count = _sorted_along(a, axis)
    if isinstance(q, (list, tuple)):
        only(np.ndim(ordered) == 1)
        return np.array([_quantile(ordered, count, one) for one in q])
    if np.ndim(q) == 1:
        only(np.ndim(ordered) == 1 and q.dtype == np.float64)
        out = np.empty(len(q))
        for i in range(len(q)):
            out[i] = _quantile(ordered, count, q[i])
        return out
    only(np.ndim(q) == 0)
    return _quantile(ordered, count, q)


def _at(ordered, place):
    return ordered[place] if np.ndim(ordered) == 1 else ordered[..., place]


def _quantile(ordered, count, q):
    """Between two numbers in order, as NumPy weighs them."""
    assert 0 <= q <= 1
    position = q * (count - 1)
    place = min(int(position), count - 1)
    share = position - place
    low, high = _at(ordered, place), _at(ordered, min(place + 1, count - 1))
    rise, last = high - low, _at(ordered, count - 1)
    found = high - rise * (1 - share) if share >= 0.5 else low + rise * share
    return _behind_missing(last, found)


def percentile(a, q, axis=None, method="linear", keepdims=False):
    if isinstance(q, (list, tuple)):
        return quantile(a, [one / 100 for one in q], axis, method, keepdims)
    return quantile(a, q / 100, axis, method, keepdims)


def outer(x, a):
    only(np.ndim(x) > 0)
    return x[tuple([slice(None) if i < np.ndim(x) else None for i in range(np.ndim(x) + np.ndim(a))])]


def outer_expand(g, q, a, axis):
    n = np.ndim(a)
    only(axis is None or isinstance(axis, int))
    lead = [slice(None) for _ in range(np.ndim(q))]
    return g[tuple([*lead, *[None if axis is None or i == axis % n else slice(None) for i in range(n)]])]


def quantile_position(q, count, method="linear"):
    only(method == "linear")
    return np.clip(count * q + 1.0 + q * (1 - 1.0 - 1.0) - 1, 0, count - 1)


def ranks(a, axis=None):
    only(a.dtype == np.float64)
    if axis is None and np.ndim(a) == 1:
        found = np.empty(len(a), int)
        found[np.argsort(a)] = np.arange(len(a))
        return found
    only(isinstance(axis, int))
    return np.argsort(np.argsort(a, axis=axis), axis=axis)


# ----- contractions
def _axes(axes, n):
    """Over which axes of both factors ``np.tensordot`` sums."""
    if isinstance(axes, int):
        return [n - axes + i for i in range(axes)], [i for i in range(axes)]
    first, second = axes
    only(all([isinstance(part, (int, list, tuple, range)) for part in (first, second)]))
    return (
        [first] if isinstance(first, int) else list(first),
        [second] if isinstance(second, int) else list(second),
    )


def tensordot(a, b, axes=2):
    n, m = np.ndim(a), np.ndim(b)
    only(n > 0 and m > 0)
    first, second = _axes(axes, n)
    first, second = [i % n for i in first], [i % m for i in second]
    rows, columns = [i for i in range(n) if i not in first], [i for i in range(m) if i not in second]
    x, y = np.transpose(a, rows + first), np.transpose(b, second + columns)
    lengths = [np.shape(a)[i] for i in rows] + [np.shape(b)[i] for i in columns]
    plain = len(first) == 1 and len(rows) <= 1 and len(columns) <= 1
    if not plain:
        over = _product([np.shape(a)[i] for i in first])
        x = np.reshape(x, [_product([np.shape(a)[i] for i in rows]), over])
        y = np.reshape(y, [over, _product([np.shape(b)[i] for i in columns])])
    if len(lengths) == 0:
        return x @ y if plain else np.sum(x * np.transpose(y))
    return x @ y if plain else np.reshape(x @ y, lengths)


def _product(lengths):
    count = 1
    for n in lengths:
        count = count * n
    return count


def tensordot_left(g, b, a, axes):
    n, m = np.ndim(a), np.ndim(b)
    first, second = _axes(axes, n)
    first, second = [i % n for i in first], [i % m for i in second]
    rows, columns = [i for i in range(n) if i not in first], [i for i in range(m) if i not in second]
    kept = [i for i in range(m) if i in second]
    product = _outer(g, b, columns, len(rows))
    order = rows + [first[second.index(i)] for i in kept]
    return np.transpose(product, [order.index(i) for i in range(n)])


def tensordot_right(g, a, b, axes):
    n, m = np.ndim(a), np.ndim(b)
    first, second = _axes(axes, n)
    first, second = [i % n for i in first], [i % m for i in second]
    rows, columns = [i for i in range(n) if i not in first], [i for i in range(m) if i not in second]
    kept = [i for i in range(n) if i in first]
    order = [second[first.index(i)] for i in kept] + columns
    if np.ndim(g) == 0:
        product = g * a
    else:
        product = tensordot(a, g, (rows, [i for i in range(len(rows))]))
    return np.transpose(product, [order.index(i) for i in range(m)])


def _outer(g, b, columns, rows):
    """``g`` contracted with the free axes of ``b``, which are the last of ``g``."""
    if np.ndim(g) == 0:
        return g * b
    return tensordot(g, b, ([rows + i for i in range(len(columns))], columns))


DEFINITIONS: dict[Any, Any] = {
    np.bincount: bincount,
    np.average: average,
    np.cov: cov,
    np.linalg.norm: norm,
    np.linalg.vector_norm: vector_norm,
    np.nanmean: nanmean,
    np.nanvar: nanvar,
    np.nanstd: nanstd,
    np.nanmax: nanmax,
    np.nanmin: nanmin,
    np.median: median,
    np.quantile: quantile,
    np.percentile: percentile,
    sorting.ranks: ranks,
    sorting.outer: outer,
    sorting.outer_expand: outer_expand,
    sorting.quantile_position: quantile_position,
    np.tensordot: tensordot,
    contractions.tensordot_left: tensordot_left,
    contractions.tensordot_right: tensordot_right,
}
