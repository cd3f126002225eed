"""What do kernels call for piecewise polynomials and splines at a point, and for adjoints by coefficients?

As ``scipy.interpolate`` evaluates them: the interval by bisection, of ``PPoly`` powers from the lowest on,
of ``BSpline`` the basis by its recurrence [1]_.

References:
    .. [1] C. de Boor, A Practical Guide to Splines, revised edition 2001, chapters IX and X.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
import math
from typing import Any

import numpy as np

from ..linked import linked


@linked
def interval_of(x: Any, at: float) -> int:
    """Between which breakpoints, rising or falling ones, a point lies; the first and the last reach out."""
    low, high = 0, len(x) - 2
    rises = x[-1] >= x[0]
    while low < high:
        middle = (low + high + 1) // 2
        if (at >= x[middle]) if rises else (at <= x[middle]):
            low = middle
        else:
            high = middle - 1
    return low


@linked
def is_outside(x: Any, at: float) -> bool:
    return not min(x[0], x[-1]) <= at <= max(x[0], x[-1])


@linked
def falling(power: int, nu: int) -> float:
    """What the derivative of order ``nu`` of ``s ** power`` is, beside a power of ``s``."""
    found = 1.0
    for factor in range(power - nu + 1, power + 1):
        found *= factor
    return found


@linked
def polynomial_at(c: Any, x: Any, at: float, nu: int, extrapolate: bool) -> Any:
    """The derivative of order ``nu`` at a point."""
    total = c[0, 0] * 0.0
    if math.isnan(at) or (not extrapolate and is_outside(x, at)):
        return total + math.nan
    place, order = interval_of(x, at), c.shape[0]
    step, weight, total = at - x[place], 1.0, c[0, 0] - c[0, 0]
    for power in range(nu, order):
        total += c[order - 1 - power, place] * weight * falling(power, nu)
        weight *= step
    return total


@linked
def polynomial_adjoint(g: Any, c: Any, x: Any, at: Any, out: Any, nu: int, extrapolate: bool) -> None:
    """What flows to each coefficient from values at points."""
    order = c.shape[0]
    out[:] = 0.0
    for i in range(len(at)):
        if extrapolate or not is_outside(x, at[i]):
            place = interval_of(x, at[i])
            step, weight = at[i] - x[place], 1.0
            for power in range(nu, order):
                out[order - 1 - power, place] += falling(power, nu) * weight * g[i]
                weight *= step


@linked
def knots_around(t: Any, k: int, at: float) -> int:
    """The last knot of a spline of degree ``k`` that is not above a point; the ends reach out."""
    low, high = k, len(t) - k - 2
    while low < high:
        middle = (low + high + 1) // 2
        if at >= t[middle]:
            low = middle
        else:
            high = middle - 1
    return low


@linked
def basis_at(t: Any, k: int, at: float, nu: int, first: int) -> Any:
    """The derivatives of order ``nu`` of the ``k + 1`` splines of the basis that are not zero at a point."""
    found, before = np.zeros(k + 1), np.zeros(k + 1)
    found[0] = 1.0
    for degree in range(1, k + 1):
        before[:degree] = found[:degree]
        found[0] = 0.0
        for n in range(1, degree + 1):
            above, below = t[first + n], t[first + n - degree]
            found[n] = 0.0
            if above != below:
                share = before[n - 1] / (above - below)
                if degree <= k - nu:
                    found[n - 1] += share * (above - at)
                    found[n] = share * (at - below)
                else:
                    found[n - 1] -= degree * share
                    found[n] = degree * share
    return found


@linked
def spline_at(c: Any, t: Any, at: float, k: int, nu: int, extrapolate: bool) -> Any:
    """The derivative of order ``nu`` of a spline of degree ``k`` at a point."""
    total = c[0] - c[0]
    if nu > k:
        return total
    if math.isnan(at) or (not extrapolate and not t[k] <= at <= t[len(t) - k - 1]):
        return total + math.nan
    first = knots_around(t, k, at)
    basis = basis_at(t, k, at, nu, first)
    for n in range(k + 1):
        total += c[first + n - k] * basis[n]
    return total


@linked
def spline_adjoint(g: Any, c: Any, t: Any, at: Any, out: Any, k: int, nu: int, extrapolate: bool) -> None:
    """What flows to each coefficient from values at points."""
    out[:] = 0.0
    for i in range(len(at)):
        if nu <= k and (extrapolate or t[k] <= at[i] <= t[len(t) - k - 1]):
            first = knots_around(t, k, at[i])
            basis = basis_at(t, k, at[i], nu, first)
            for n in range(k + 1):
                out[first + n - k] += basis[n] * g[i]
