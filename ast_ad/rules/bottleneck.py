"""Of which programs of NumPy's are Bottleneck's functions the fast forms?

Pandas, xarray and others reduce arrays with them that have NaN in them. The value stays Bottleneck's own.
"""

from __future__ import annotations

import bottleneck as bn
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .registry import composite, nondifferentiable

# ----- reductions -----


@composite(bn.nansum)
def nansum(a, axis=None):
    return np.nansum(a, axis)


@composite(bn.nanmean)
def nanmean(a, axis=None):
    return np.nanmean(a, axis)


@composite(bn.nanvar)
def nanvar(a, axis=None, ddof=0):
    return np.nanvar(a, axis, ddof=ddof)


@composite(bn.nanstd)
def nanstd(a, axis=None, ddof=0):
    return np.nanstd(a, axis, ddof=ddof)


@composite(bn.nanmin)
def nanmin(a, axis=None):
    return np.nanmin(a, axis)


@composite(bn.nanmax)
def nanmax(a, axis=None):
    return np.nanmax(a, axis)


@composite(bn.median)
def median(a, axis=None):
    return np.median(a, axis)


@composite(bn.nanmedian)
def nanmedian(a, axis=None):
    return np.nanmedian(a, axis)


@composite(bn.ss)
def ss(a, axis=None):
    return np.sum(np.square(a), axis)


# ----- moving windows -----


def windows(a, window, axis):
    """For each element the window that ends with it, as a last axis; NaN before the first element."""
    along = np.moveaxis(a, axis, -1)
    before = np.full(np.shape(along)[:-1] + (window - 1,), np.nan)
    return sliding_window_view(np.concatenate([before, along], -1), window, -1)


def where_enough(found, seen, window, min_count, axis):
    """NaN where a window holds fewer numbers than ``min_count``: fewer than it has places, for None."""
    least = window if min_count is None else min_count
    return np.moveaxis(np.where(np.sum(~np.isnan(seen), -1) >= least, found, np.nan), -1, axis)


@composite(bn.move_sum)
def move_sum(a, window, min_count=None, axis=-1):
    seen = windows(a, window, axis)
    return where_enough(np.nansum(seen, -1), seen, window, min_count, axis)


@composite(bn.move_mean)
def move_mean(a, window, min_count=None, axis=-1):
    seen = windows(a, window, axis)
    return where_enough(np.nanmean(seen, -1), seen, window, min_count, axis)


@composite(bn.move_var)
def move_var(a, window, min_count=None, axis=-1, ddof=0):
    seen = windows(a, window, axis)
    return where_enough(np.nanvar(seen, -1, ddof=ddof), seen, window, min_count, axis)


@composite(bn.move_std)
def move_std(a, window, min_count=None, axis=-1, ddof=0):
    seen = windows(a, window, axis)
    return where_enough(np.nanstd(seen, -1, ddof=ddof), seen, window, min_count, axis)


@composite(bn.move_min)
def move_min(a, window, min_count=None, axis=-1):
    seen = windows(a, window, axis)
    return where_enough(np.nanmin(seen, -1), seen, window, min_count, axis)


@composite(bn.move_max)
def move_max(a, window, min_count=None, axis=-1):
    seen = windows(a, window, axis)
    return where_enough(np.nanmax(seen, -1), seen, window, min_count, axis)


@composite(bn.move_median)
def move_median(a, window, min_count=None, axis=-1):
    seen = windows(a, window, axis)
    return where_enough(np.nanmedian(seen, -1), seen, window, min_count, axis)


# ----- elements moved, and steps -----


@composite(bn.push)
def push(a, n=None, axis=-1):
    """NaN replaced by the last number before it, which is at most ``n`` places away."""
    along = np.moveaxis(a, axis, -1)
    places = np.arange(np.shape(along)[-1])
    last = np.maximum.accumulate(np.where(np.isnan(along), -1, places), -1)
    found = np.take_along_axis(along, np.maximum(last, 0), -1)
    near = last >= 0 if n is None else (last >= 0) & (places - last <= n)
    return np.moveaxis(np.where(near, found, np.nan), -1, axis)


nondifferentiable(bn.allnan, bn.anynan, bn.nanargmin, bn.nanargmax, bn.rankdata, bn.nanrankdata)
nondifferentiable(bn.argpartition, bn.move_argmin, bn.move_argmax, bn.move_rank)
