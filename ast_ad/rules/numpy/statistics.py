"""How do covariances and histograms pass a cotangent back?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import composite, vjp
from .gather import gather, refuse
from .products import H


def observations(m: Any, rowvar: bool) -> Any:
    """``m`` as a matrix with one variable per row."""
    if np.ndim(m) < 2:
        return np.reshape(m, (1, -1))
    return m if rowvar else np.transpose(m)


@vjp(np.cov)
def cov(g, ans, m, y=None, rowvar=True, bias=False, ddof=None):
    """``ans = c H(c) / (n - ddof)`` with the centred observations ``c``; its cotangent needs no centring."""
    x = observations(m, rowvar)
    variables = np.shape(x)[0]
    if y is not None:
        x = np.concatenate((x, observations(y, rowvar)))
    centred = x - np.mean(x, axis=1, keepdims=True)
    free = np.shape(x)[1] - ((0 if bias else 1) if ddof is None else ddof)
    g = np.reshape(g, (np.shape(x)[0], np.shape(x)[0]))
    bar = (g + H(g)) @ centred / free
    if y is None:
        return unobserved(bar, m, rowvar)
    return unobserved(bar[:variables], m, rowvar), unobserved(bar[variables:], y, rowvar)


def unobserved(x_bar: Any, m: Any, rowvar: bool) -> Any:
    """The cotangent of ``m`` from that of ``observations(m, rowvar)``."""
    if np.ndim(m) < 2 or rowvar:
        return np.reshape(x_bar, np.shape(m))
    return np.transpose(x_bar)


@composite(np.corrcoef)
def corrcoef(x, y=None, rowvar=True):
    c = np.cov(x, y, rowvar)
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
    if density or isinstance(bins, str):
        refuse("np.histogram(density=True) or with a rule for bins", fix="pass bins and divide by the sum")
    edges = ans[1]
    values = np.ravel(a)
    weights_bar = None
    if weights is not None:
        last = np.size(edges) - 1
        which = np.clip(np.searchsorted(edges, values, "right") - 1, 0, last - 1)
        inside = (values >= edges[0]) & (values <= edges[last])
        weights_bar = np.reshape(np.where(inside, gather(g[0], which), 0), np.shape(weights))
    if np.ndim(bins) > 0:
        return None, g[1], None, None, weights_bar
    t = np.linspace(0.0, 1.0, np.size(edges))
    low_bar, high_bar = np.sum(g[1] * (1 - t)), np.sum(g[1] * t)
    if range is not None:
        return None, None, [low_bar, high_bar], None, weights_bar
    lowest, highest = np.equal(a, np.min(a)), np.equal(a, np.max(a))
    a_bar = low_bar * lowest / np.sum(lowest) + high_bar * highest / np.sum(highest)
    return a_bar, None, None, None, weights_bar
