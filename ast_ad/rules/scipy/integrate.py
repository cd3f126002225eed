"""How do the quadratures of samples in ``scipy.integrate`` pass a cotangent back?

Read by the registry once the user's program has imported ``scipy.integrate``.
"""

from __future__ import annotations

import numpy as np
import scipy.integrate as si

from ..registry import composite


@composite(si.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(y, x, dx, axis)


@composite(si.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    rows = y if np.ndim(y) == 1 else np.moveaxis(y, axis, -1)
    if x is None:
        steps = dx
    else:
        steps = np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(x, axis, -1))
    sums = np.cumsum(steps * (rows[..., 1:] + rows[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        sums = np.concatenate((np.zeros_like(sums[..., :1]) + initial, sums), axis=-1)
    return sums if np.ndim(y) == 1 else np.moveaxis(sums, -1, axis)
