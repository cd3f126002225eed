"""What are the passes over the data that normalisation consists of?

``x`` has the shape ``(N, C, L)``, a *row* being ``x[n, c]``. Coefficients of rows have the shape ``(N, C)``,
or ``(1, C)`` where all ``n`` share them. Sums are formed in double precision by the loops.

Layer normalisation, whose weights run along the rows, has passes of its own on matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernel

FEW = 1 << 12  # elements: NumPy needs several passes


def _row_moments(x: Any) -> Any:
    n = max(x.shape[2], 1)
    mean = x.sum(2) / x.dtype.type(n)
    d = x - mean[:, :, None]
    return mean.astype(np.float64), np.einsum("ncl,ncl->nc", d, d).astype(np.float64)


@kernel(_row_moments, FEW)
def row_moments(x: Any) -> Any:
    """The mean of each row, and the sum of the squares of its deviations.

    Two passes over a row, which is in the cache by then: no cancellation, whatever the mean.
    """
    mean, squares = np.empty(x.shape[:2], np.float64), np.empty(x.shape[:2], np.float64)
    length = x.shape[2]
    for n in range(x.shape[0]):
        for c in range(x.shape[1]):
            row = x[n, c]
            s = 0.0
            for i in range(length):
                s += row[i]
            m = s / length
            q = 0.0
            for i in range(length):
                d = row[i] - m
                q += d * d
            mean[n, c], squares[n, c] = m, q
    return mean, squares


def _row_products(g: Any, x: Any, mean: Any) -> Any:
    out = np.empty((2, *x.shape[:2]), np.float64)
    out[0] = g.sum(2)
    out[1] = np.einsum("ncl,ncl->nc", g, x - mean[:, :, None])
    return out


@kernel(_row_products, FEW)
def row_products(g: Any, x: Any, mean: Any) -> Any:
    """``sum(g)`` and ``sum(g * (x - mean))`` of each row."""
    out = np.empty((2, x.shape[0], x.shape[1]), np.float64)
    shared = mean.shape[0] == 1
    for n in range(x.shape[0]):
        for c in range(x.shape[1]):
            row, bar, m = x[n, c], g[n, c], mean[0 if shared else n, c]
            s = 0.0
            p = 0.0
            for i in range(x.shape[2]):
                s += bar[i]
                p += bar[i] * (row[i] - m)
            out[0, n, c], out[1, n, c] = s, p
    return out


def _row_affine(x: Any, mean: Any, scale: Any, shift: Any) -> Any:
    out = x - mean[:, :, None]
    out *= scale[:, :, None]
    out += shift[:, :, None]
    return out


@kernel(_row_affine, FEW)
def row_affine(x: Any, mean: Any, scale: Any, shift: Any) -> Any:
    """``(x - mean) * scale + shift``."""
    out = np.empty(x.shape, x.dtype)
    shared = mean.shape[0] == 1
    for n in range(x.shape[0]):
        for c in range(x.shape[1]):
            k = 0 if shared else n
            m, a, b = mean[k, c], scale[k, c], shift[k, c]
            row, to = x[n, c], out[n, c]
            for i in range(x.shape[2]):
                to[i] = (row[i] - m) * a + b
    return out


def _row_combination(g: Any, x: Any, mean: Any, a: Any, b: Any, c: Any) -> Any:
    out = x - mean[:, :, None]
    out *= b[:, :, None]
    out += a[:, :, None] * g
    out += c[:, :, None]
    return out


@kernel(_row_combination, FEW)
def row_combination(g: Any, x: Any, mean: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * g + b * (x - mean) + c``: how a cotangent passes through a normalisation."""
    out = np.empty(x.shape, x.dtype)
    shared = mean.shape[0] == 1
    for n in range(x.shape[0]):
        for channel in range(x.shape[1]):
            k = 0 if shared else n
            m, u, v, w = mean[k, channel], a[k, channel], b[k, channel], c[k, channel]
            row, bar, to = x[n, channel], g[n, channel], out[n, channel]
            for i in range(x.shape[2]):
                to[i] = u * bar[i] + v * (row[i] - m) + w
    return out


# ----- of matrices, with weights along the rows


def _layer_affine(x: Any, mean: Any, invstd: Any, weight: Any, bias: Any) -> Any:
    out = x - mean[:, None]
    out *= invstd[:, None]
    out *= weight
    out += bias
    return out


@kernel(_layer_affine, FEW)
def layer_affine(x: Any, mean: Any, invstd: Any, weight: Any, bias: Any) -> Any:
    """``(x - mean) * invstd * weight + bias``; ``mean`` and ``invstd`` of each row, the others along it."""
    out = np.empty(x.shape, x.dtype)
    for r in range(x.shape[0]):
        m, s = mean[r], invstd[r]
        row, to = x[r], out[r]
        for i in range(x.shape[1]):
            to[i] = (row[i] - m) * s * weight[i] + bias[i]
    return out


def _layer_cotangent(g: Any, x: Any, mean: Any, invstd: Any, weight: Any) -> Any:
    h, hat = g * weight, (x - mean[:, None]) * invstd[:, None]
    n = x.dtype.type(max(x.shape[1], 1))
    hat *= (np.einsum("rl,rl->r", h, hat) / n)[:, None]
    h -= (h.sum(1) / n)[:, None]
    h -= hat
    h *= invstd[:, None]
    return h


@kernel(_layer_cotangent, FEW)
def layer_cotangent(g: Any, x: Any, mean: Any, invstd: Any, weight: Any) -> Any:
    """``invstd * (h - mean(h) - hat * mean(h * hat))``, ``h = g * weight``, ``hat = (x - mean) * invstd``."""
    out = np.empty(x.shape, x.dtype)
    length = x.shape[1]
    rounded = np.empty(2, x.dtype)  # single precision computes in single precision
    for r in range(x.shape[0]):
        m, s = mean[r], invstd[r]
        row, bar, to = x[r], g[r], out[r]
        total = 0.0
        product = 0.0
        for i in range(length):
            h = bar[i] * weight[i]
            total += h
            product += h * (row[i] - m)
        rounded[0] = -s * s * s * product / length
        rounded[1] = -s * total / length
        b, c = rounded[0], rounded[1]
        for i in range(length):
            to[i] = s * bar[i] * weight[i] + b * (row[i] - m) + c
    return out


def _layer_sums(g: Any, x: Any, mean: Any, invstd: Any) -> Any:
    out = np.empty((2, x.shape[1]), np.float64)
    out[0] = g.sum(0)
    out[1] = np.einsum("rl,rl,r->l", g, x - mean[:, None], invstd)
    return out


@kernel(_layer_sums, FEW)
def layer_sums(g: Any, x: Any, mean: Any, invstd: Any) -> Any:
    """The sums over the rows of ``g`` and of ``g * (x - mean) * invstd``."""
    out = np.zeros((2, x.shape[1]), np.float64)
    for r in range(x.shape[0]):
        m, s = mean[r], invstd[r]
        row, bar = x[r], g[r]
        for i in range(x.shape[1]):
            out[0, i] += bar[i]
            out[1, i] += bar[i] * (row[i] - m) * s
    return out
