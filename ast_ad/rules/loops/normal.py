"""How is the normal distribution function computed fast in single precision? By a polynomial.

The complementary error function is ``exp(-z * z) * t * P(t)`` with ``t = 1 / (1 + 0.3 * z)`` for ``z >= 0``;
``P``, of degree 8, was fitted so that the largest relative error of the product is 2e-8.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import kernel

# Half of P's coefficients, the highest first.
A8, A7, A6, A5, A4 = -0.06477694581, 0.2428629514, -0.2563221347, 0.2740904044, -0.04750236284
A3, A2, A1, A0 = 0.1075479086, 0.07414481288, 0.08536163037, 0.08459372591
STRETCH = 0.3 * 0.5**0.5


def _distribution(x: Any, powers: Any) -> Any:
    t = np.asarray(np.abs(x))
    t *= STRETCH
    t += 1
    np.divide(1, t, out=t)
    tail = t * A8
    for a in (A7, A6, A5, A4, A3, A2, A1, A0):
        tail += a
        tail *= t
    tail *= powers
    return np.where(x < 0, tail, 1 - tail)


@kernel(_distribution, 1 << 12)
def distribution(x: Any, powers: Any) -> Any:
    """The normal distribution function of ``x`` in single precision; ``powers`` is ``exp(-x * x / 2)``."""
    out = np.empty(x.shape, x.dtype)
    values, factors, results = x.ravel(), powers.ravel(), out.reshape(out.size)
    one, stretch = np.float32(1), np.float32(STRETCH)
    a8, a7, a6 = np.float32(A8), np.float32(A7), np.float32(A6)
    a5, a4, a3 = np.float32(A5), np.float32(A4), np.float32(A3)
    a2, a1, a0 = np.float32(A2), np.float32(A1), np.float32(A0)
    for i in range(results.size):
        t = one / (one + stretch * abs(values[i]))
        high = (((a8 * t + a7) * t + a6) * t + a5) * t + a4
        tail = (((((high * t + a3) * t + a2) * t + a1) * t + a0) * t) * factors[i]
        results[i] = tail if values[i] < 0 else one - tail
    return out
