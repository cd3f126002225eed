"""How are the cubic interpolators of ``scipy.interpolate`` made of their data, as programs with derivatives?

Each chooses slopes at the data; values and slopes give the coefficients (``CubicHermiteSpline``). The
formulas are SciPy's, written without changes in place, so that they are differentiated by ``x`` and ``y``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import Akima1DInterpolator, CubicHermiteSpline, CubicSpline, PchipInterpolator, PPoly
from scipy.linalg import solve_banded

from ..numpy.gather import refuse
from ..standing import stands_for


def along_first(x: Any, y: Any, axis: int) -> Any:
    """Breakpoints and values as arrays, the axis of the breakpoints first; what SciPy refuses raises."""
    x, y = np.asarray(x), np.asarray(y)
    x = x.astype(float)
    if np.isrealobj(y):
        y = y.astype(float)
    y = y if np.ndim(y) == 1 else np.moveaxis(y, axis, 0)
    if np.ndim(x) != 1 or len(x) < 2 or len(x) != len(y):
        raise ValueError("`x` must be a vector of at least 2 elements, as many as `y` has along `axis`.")
    if not np.all(np.isfinite(x)) or not np.all(np.isfinite(y)):
        raise ValueError("`x` and `y` must contain only finite values.")
    if np.any(x[1:] <= x[:-1]):
        raise ValueError("`x` must be strictly increasing sequence.")
    return x, y


def upright(v: Any, like: Any) -> Any:
    """A vector along the first axis of an array."""
    return np.reshape(v, [-1] + [1] * (np.ndim(like) - 1)) if np.ndim(like) > 1 else v


def fill(self: Any, x: Any, y: Any, slopes: Any, axis: int, extrapolate: Any) -> None:
    """Let an object be the piecewise cubic with these values and slopes at the breakpoints."""
    dx = upright(np.diff(x), y)
    secant = np.diff(y, axis=0) / dx
    t = (slopes[:-1] + slopes[1:] - 2 * secant) / dx
    c = np.stack((t / dx, (secant - slopes[:-1]) / dx - t, slopes[:-1], y[:-1]))
    PPoly.__init__(self, c, x, extrapolate)
    self.axis = axis


@stands_for(CubicHermiteSpline.__init__)
def hermite(self: Any, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> None:
    ndim = np.ndim(y)
    breaks, values = along_first(x, y, axis)
    _, slopes = along_first(x, dydx, axis)
    fill(self, breaks, values, slopes, axis % ndim, True if extrapolate is None else extrapolate)


# ----- natural, clamped, periodic cubic splines -----


@stands_for(CubicSpline.__init__)
def cubic(
    self: Any, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> None:
    ndim = np.ndim(y)
    x, y = along_first(x, y, axis)
    first, last = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    periodic = isinstance(first, str) and first == "periodic"
    if periodic and not np.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
        raise ValueError("The first and last `y` point must be identical when bc_type='periodic'.")
    slopes = periodic_slopes(x, y) if periodic else spline_slopes(x, y, condition(first), condition(last))
    mode = ("periodic" if periodic else True) if extrapolate is None else extrapolate
    fill(self, x, y, slopes, axis % ndim, mode)


def condition(given: Any) -> Any:
    """What holds at an end: the order and value of a derivative, or None, where the third one has no jump."""
    if isinstance(given, str):
        if given not in ("not-a-knot", "clamped", "natural"):
            raise ValueError(f"bc_type={given} is not allowed.")
        return None if given == "not-a-knot" else (1 if given == "clamped" else 2, 0.0)
    order, value = given
    if order not in (1, 2):
        raise ValueError("The specified derivative order must be 1 or 2.")
    return order, value


def spline_slopes(x: Any, y: Any, first: Any, last: Any) -> Any:
    """The slopes with which the second derivative has no jumps: a system with three diagonals."""
    n, dx = len(x), np.diff(x)
    dxr = upright(dx, y)
    secant = np.diff(y, axis=0) / dxr
    if n == 2:
        first = (1, secant[0]) if first is None else first
        last = (1, secant[0]) if last is None else last
    if n == 3 and first is None and last is None:  # a parabola
        matrix = np.array([[1.0, 1.0, 0.0], [dx[1], 2 * (dx[0] + dx[1]), dx[0]], [0.0, 1.0, 1.0]])
        inner = 3 * (dxr[0] * secant[1] + dxr[1] * secant[0])
        right = np.stack((2 * secant[0], inner, 2 * secant[1]))
        return np.reshape(np.linalg.solve(matrix, np.reshape(right, (3, -1))), np.shape(y))
    inner = 3 * (dxr[1:] * secant[:-1] + dxr[:-1] * secant[1:])
    beside, at, start = end_row(first, dx, dxr, secant, y, 0)
    before, within, end = end_row(last, dx[::-1], dxr[::-1], secant[::-1], y[::-1], 1)
    none = np.zeros(1)
    upper = np.concatenate((none, as_one(beside), dx[:-1]))
    middle = np.concatenate((as_one(at), 2 * (dx[:-1] + dx[1:]), as_one(within)))
    lower = np.concatenate((dx[1:], as_one(before), none))
    right = np.concatenate((start[None], inner, end[None]))
    solved = solve_banded((1, 1), np.stack((upper, middle, lower)), np.reshape(right, (n, -1)))
    return np.reshape(solved, np.shape(y))


def as_one(number: Any) -> Any:
    """A vector of one element."""
    return np.reshape(number, (1,))


def end_row(end: Any, dx: Any, dxr: Any, secant: Any, y: Any, turned: int) -> Any:
    """The equation at an end: the factors of the second slope and the first, and the right side.

    The last end is seen from behind: then the second derivative keeps its sign, and the first one does, too,
    since ``secant`` is not turned; only ``y[1] - y[0]`` has the other.
    """
    if end is None:
        d = dx[0] + dx[1]
        right = ((dxr[0] + 2 * d) * dxr[1] * secant[0] + dxr[0] ** 2 * secant[1]) / d
        return d, dx[1], right
    order, value = end
    value = np.zeros(np.shape(y[0])) + value
    if order == 1:
        return 0.0, 1.0, value
    rise, sign = (y[0] - y[1], 0.5) if turned else (y[1] - y[0], -0.5)
    return dx[0], 2 * dx[0], sign * value * dx[0] ** 2 + 3 * rise


def periodic_slopes(x: Any, y: Any) -> Any:
    """The slopes of a spline that goes on with its beginning: three diagonals and two corners."""
    n, dx = len(x), np.diff(x)
    dxr = upright(dx, y)
    secant = np.diff(y, axis=0) / dxr
    if n == 2:
        return np.concatenate((secant, secant))
    if n == 3:
        t = np.sum(secant / dxr, axis=0) / np.sum(1.0 / dxr, axis=0)
        return np.stack((t, t, t))
    before = np.concatenate((dx[-1:], dx[:-1]))  # the lengths before a breakpoint; those behind it are dx
    last = np.concatenate((secant[-1:], secant[:-1]))
    right = 3 * (dxr * last + upright(before, y) * secant)
    # the last but one is found by itself, so that the others have three diagonals, as SciPy does it
    upper = np.concatenate((np.zeros(1), dx[-1:], dx[: n - 4]))
    bands = np.stack((upper, 2 * (before + dx)[:-1], dx[1:]))
    ends = upright(np.concatenate((-dx[:1], np.zeros(n - 4), -dx[-3:-2])), y) + np.zeros(np.shape(right[:-1]))
    one, other = (
        np.reshape(solve_banded((1, 1), bands, np.reshape(side, (n - 2, -1))), np.shape(side))
        for side in (right[:-1], ends)
    )
    rest = right[-1] - dx[-2] * one[0] - dx[-1] * one[-1]
    at_end = rest / (2 * (dx[-1] + dx[-2]) + dx[-2] * other[0] + dx[-1] * other[-1])
    slopes = one + at_end * other
    return np.concatenate((slopes, at_end[None], slopes[:1]))


# ----- interpolators that keep monotony, or that look at neighbours only -----


@stands_for(PchipInterpolator.__init__)
def pchip(self: Any, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
    ndim = np.ndim(y)
    x, y = along_first(x, y, axis)
    if np.iscomplexobj(y):
        raise ValueError("`PchipInterpolator` only works with real values for `y`.")
    fill(self, x, y, monotone_slopes(x, y), axis % ndim, True if extrapolate is None else extrapolate)


def monotone_slopes(x: Any, y: Any) -> Any:
    """Weighted harmonic means of the secants, and 0 where these have other signs."""
    h = upright(np.diff(x), y)
    m = np.diff(y, axis=0) / h
    if len(y) == 2:
        return np.concatenate((m, m))
    flat = (np.sign(m[1:]) != np.sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    before, behind = np.where(flat, 1.0, m[:-1]), np.where(flat, 1.0, m[1:])
    mean = (w1 / before + w2 / behind) / (w1 + w2)
    inner = np.where(flat, 0.0, 1.0 / mean)
    first = end_slope(h[0], h[1], m[0], m[1])
    last = end_slope(h[-1], h[-2], m[-1], m[-2])
    return np.concatenate((first[None], inner, last[None]))


def end_slope(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The one-sided slope of a parabola, held back where it would break the monotony."""
    d = np.asarray(((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1))
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(steep, 3.0 * m0, d))


@stands_for(Akima1DInterpolator.__init__)
def akima(
    self: Any, x: Any, y: Any, axis: int = 0, *, method: str = "akima", extrapolate: Any = None
) -> None:
    if method not in ("akima", "makima"):
        raise NotImplementedError(f"`method`={method} is unsupported.")
    ndim = np.ndim(y)
    x, y = along_first(x, y, axis)
    if np.iscomplexobj(y):
        refuse("Akima1DInterpolator of complex values", "SciPy has none", "use real values")
    fill(self, x, y, local_slopes(x, y, method), axis % ndim, False if extrapolate is None else extrapolate)


def local_slopes(x: Any, y: Any, method: str) -> Any:
    """Means of the secants on both sides, each weighted by how much the secants beyond the other change."""
    m = np.diff(y, axis=0) / upright(np.diff(x), y)
    if len(y) == 2:
        return np.concatenate((m, m))
    before = 2.0 * m[:1] - m[1:2]
    behind = 2.0 * m[-1:] - m[-2:-1]
    m = np.concatenate((2.0 * before - m[:1], before, m, behind, 2.0 * behind - m[-1:]))
    change = np.abs(np.diff(m, axis=0))
    f1, f2 = change[2:], change[:-2]
    if method == "makima":
        size = np.abs(m[1:] + m[:-1])
        f1, f2 = f1 + 0.5 * size[2:], f2 + 0.5 * size[:-2]
    total = f1 + f2
    turns = total > 1e-9 * np.max(total)
    share = f2 / np.where(turns, total, 1.0)
    return np.where(turns, m[1:-2] + share * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))
