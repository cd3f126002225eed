"""How do covariances and histograms pass a cotangent back?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import composite, vjp
from .gather import gather, refuse
from .products import H
from .reductions import taken_as


def observations(m: Any, rowvar: bool) -> Any:
    """``m`` as a matrix with one variable per row."""
    if np.ndim(m) < 2:
        return np.reshape(m, (1, -1))
    return m if rowvar else np.transpose(m)


@vjp(np.cov)
def cov(g, ans, m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """``ans = c w H(c) / free`` with the centred observations ``c``; its cotangent needs no centring."""
    x = observations(taken_as(m, dtype), rowvar)
    variables = np.shape(x)[0]
    if y is not None:
        x = np.concatenate((x, observations(taken_as(y, dtype), rowvar)))
    less = (0 if bias else 1) if ddof is None else ddof
    g = np.reshape(g, (np.shape(x)[0], np.shape(x)[0]))
    if fweights is None and aweights is None:
        centred = x - np.mean(x, axis=1, keepdims=True)
        weighed, free, aweights_bar = centred, max(np.shape(x)[1] - less, 0), None
    else:
        times = 1 if fweights is None else np.asarray(fweights)
        weights = times if aweights is None else times * np.asarray(aweights)
        total = np.sum(weights)
        centred = x - (x @ weights / total)[:, None]
        weighed = centred * weights
        each = 1 if aweights is None else np.asarray(aweights)
        squares = np.sum(weights * each)
        free = max(total - less * squares / total, 0)
        slope = 1 - less * (2 * each / total - squares / total**2)
        aweights_bar = np.sum(np.real(centred * np.conj(g @ centred)), axis=0) / free
        aweights_bar = times * (aweights_bar - np.sum(np.real(np.conj(g) * ans)) / free * slope)
    bar = (g + H(g)) @ weighed / free
    y_bar = None if y is None else unobserved(bar[variables:], y, rowvar)
    return unobserved(bar[:variables], m, rowvar), y_bar, None, None, None, None, aweights_bar


def unobserved(x_bar: Any, m: Any, rowvar: bool) -> Any:
    """The cotangent of ``m`` from that of ``observations(m, rowvar)``."""
    if np.ndim(m) < 2 or rowvar:
        return np.reshape(x_bar, np.shape(m))
    return np.transpose(x_bar)


@composite(np.corrcoef)
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    c = np.cov(x, y, rowvar, dtype=dtype)
    if np.iscomplexobj(c):
        refuse("np.corrcoef of complex numbers", fix="write it with np.cov")
    if np.ndim(c) == 0:
        return c / c
    deviation = np.sqrt(np.diag(c))
    return np.clip(c / deviation[:, None] / deviation[None, :], -1, 1)


@vjp(np.bincount)
def bincount(g, ans, x, weights=None, minlength=0):
    if weights is None:
        return None
    return None, gather(g, np.asarray(x, np.intp))


@vjp(np.histogram, view=True)
def histogram(g, ans, a, bins=10, range=None, density=None, weights=None):
    """Counts are constant; their weights and the edges are not."""
    edges = ans[1]
    values = np.ravel(a)
    last = np.size(edges) - 1
    inside = (values >= edges[0]) & (values <= edges[last])
    counts_bar, edges_bar = g
    if density:
        widths = np.diff(edges)
        total = np.sum(inside if weights is None else np.where(inside, np.ravel(weights), 0))
        counts_bar = g[0] / widths / total - np.sum(g[0] * ans[0]) / total
        widths_bar = -g[0] * ans[0] / widths
        edges_bar = edges_bar + np.pad(widths_bar, (1, 0)) - np.pad(widths_bar, (0, 1))
    weights_bar = None
    if weights is not None:
        which = np.clip(np.searchsorted(edges, values, "right") - 1, 0, last - 1)
        weights_bar = np.reshape(np.where(inside, gather(counts_bar, which), 0), np.shape(weights))
    if not isinstance(bins, str) and np.ndim(bins) > 0:
        return None, edges_bar, None, None, weights_bar
    t = np.linspace(0.0, 1.0, np.size(edges))
    low_bar, high_bar = np.sum(edges_bar * (1 - t)), np.sum(edges_bar * t)
    if range is not None:
        return None, None, [low_bar, high_bar], None, weights_bar
    lowest, highest = np.equal(a, np.min(a)), np.equal(a, np.max(a))
    a_bar = low_bar * lowest / np.sum(lowest) + high_bar * highest / np.sum(highest)
    return a_bar, None, None, None, weights_bar
