"""What are the derivatives of the modified Bessel function ``K`` by its order? Integrals, as it is one.

``exp(z) K_v(z)`` is that of ``exp(-z (cosh(t) - 1)) cosh(v t)`` over the positive numbers; each derivative
by ``v`` brings a factor ``t``. What is integrated falls off so fast at both ends that sums of equal steps are
exact to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numpy.gather import refuse
from ..registry import elementwise

STEPS = 600
SMALL = 50.0  # exp(-50) of the largest value makes no difference


def kve_by_order(v: Any, z: Any, n: int) -> Any:
    """The ``n``-th derivative of ``scipy.special.kve(v, z)`` by ``v``; NaN for ``z`` below 0.

    >>> bool(np.isclose(kve_by_order(0.5, 2.0, 0), np.sqrt(np.pi / 4), rtol=1e-12))
    True
    """
    if np.iscomplexobj(z):
        refuse("the derivative by the order of kv, of complex numbers", "what is integrated turns too fast")
    order, at = np.broadcast_arrays(np.asarray(v, float), np.asarray(z, float))
    order, at = order[..., None], at[..., None]
    with np.errstate(all="ignore"):
        size, top = np.hypot(at, order), np.arcsinh(np.abs(order) / at)  # where it is largest, and how sharp
        end = top + np.arccosh(1 + SMALL / size)
        start = np.maximum(top - SMALL / size - np.sqrt(2 * SMALL / size) - 1, 0)
        share = np.linspace(0, 1, STEPS + 1)
        t = start + (end - start) * share
        rate = np.abs(order) * t
        other = np.exp(-2 * rate) if n % 2 == 0 else -np.exp(-2 * rate)
        terms = 0.5 * np.exp(rate - 2 * at * np.sinh(t / 2) ** 2) * (1 + other) * t**n
        terms = terms * (np.sign(order) if n % 2 else 1) * np.where((share == 0) | (share == 1), 0.5, 1)
        return np.sum(terms * ((end - start) / STEPS), axis=-1)[()]


@elementwise(kve_by_order, partial_domain=True)
def kve_by_order_rule(ans, v, z, n):
    beside = kve_by_order(v - 1, z, n) + kve_by_order(v + 1, z, n)
    return kve_by_order(v, z, n + 1), ans - 0.5 * beside, None
