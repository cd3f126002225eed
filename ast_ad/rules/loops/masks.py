"""How is a cotangent stopped where a value was not positive? By a choice per element, slow in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernel


def _where_positive(y: Any, g: Any) -> Any:
    return np.where(y <= 0, np.zeros((), g.dtype), g)


@kernel(_where_positive)
def where_positive(y: Any, g: Any) -> Any:
    """``g``, and 0 where ``y <= 0``, for arrays of one shape."""
    out = np.empty(g.shape, g.dtype)
    values, cotangents, results = y.ravel(), g.ravel(), out.reshape(out.size)
    for i in range(results.size):
        results[i] = 0 if values[i] <= 0 else cotangents[i]
    return out


def _leaked(x: Any, g: Any, slope: Any) -> Any:
    return np.where(x > 0, g, slope * g)


@kernel(_leaked, 1 << 10)
def leaked(x: Any, g: Any, slope: Any) -> Any:
    """``g`` where ``x`` is positive, else ``slope * g``; arrays of one shape, a number of their type."""
    out = np.empty(g.shape, g.dtype)
    values, cotangents, results = x.ravel(), g.ravel(), out.reshape(out.size)
    for i in range(results.size):
        results[i] = cotangents[i] if values[i] > 0 else slope * cotangents[i]
    return out
