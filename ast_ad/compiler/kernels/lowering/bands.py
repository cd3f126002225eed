"""What do the parts of ``scipy.linalg``'s derivatives stand for: bands that are transposed, orders of rows?

Part of the ``definitions``, once the program has imported ``scipy.linalg``.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import sys
from typing import Any

import numpy as np

from .arrangements import only


def transposed_band(ab, lower, upper):
    only(np.ndim(ab) == 2 and isinstance(lower, int) and isinstance(upper, int))
    k, n = np.shape(ab)
    out = np.zeros((k, n), ab.dtype)
    for row in range(lower + upper + 1):
        d = upper - row
        for j in range(max(d, 0), n + min(d, 0)):
            out[lower + upper - row, j - d] = ab[row, j]
    return out


def band_places(ab, upper):
    only(np.ndim(ab) == 2 and isinstance(upper, int))
    k, n = np.shape(ab)
    rows, columns = np.zeros((k, n), np.int64), np.zeros((k, n), np.int64)
    for row in range(k):
        for j in range(n):
            rows[row, j] = min(max(row - upper + j, 0), n - 1)
            columns[row, j] = j
    return rows, columns


def inside_band(ab, upper):
    only(np.ndim(ab) == 2 and isinstance(upper, int))
    k, n = np.shape(ab)
    i = np.arange(k)[:, None] - upper + np.arange(n)
    return (i >= 0) & (i < n)


def row_order(pivots):
    only(np.ndim(pivots) == 1)
    n = len(pivots)
    order = np.arange(n)
    for i in range(n):
        k = int(pivots[i])
        first = order[i]
        order[i] = order[k]
        order[k] = first
    return order


def of_scipy() -> dict[Any, Any]:
    """The definitions, if their rules have been read."""
    rules = sys.modules.get("ast_ad.rules.scipy.linalg")
    if rules is None:
        return {}
    return {
        rules.transposed_band: transposed_band,
        rules.band_places: band_places,
        rules.inside_band: inside_band,
        rules.row_order: row_order,
    }
