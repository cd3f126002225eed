"""How are FITPACK's splines differentiated: curves and surfaces?

FITPACK gives the values; the programs whose derivatives they have are sums of B-splines and, for a spline
through given points (``s=0``), the system for its coefficients. A smoothing spline chooses its knots by the
data: it is differentiated by its points only.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.interpolate import (
    BivariateSpline,
    BSpline,
    InterpolatedUnivariateSpline,
    RectBivariateSpline,
    UnivariateSpline,
    bisplev,
    splantider,
    splder,
    splev,
    splint,
    splrep,
)

from ..numpy.gather import refuse
from ..registry import composite, shape
from ..standing import stands_for
from .splines import at_points, knots_between, spline_through

BEYOND = {0: 0, "extrapolate": 0, 1: 1, "zeros": 1, 2: 2, "raise": 2, 3: 3, "const": 3}


_plain_curve, _plain_fit = splev, splrep  # SciPy's own, also while something is traced
_plain_derivative, _plain_integral, _plain_area = splder, splantider, splint
_plain_surface, _plain_rectangle = BivariateSpline.__call__, RectBivariateSpline.__init__


def require_enough(c: Any, *directions: tuple[Any, int]) -> None:
    """``ValueError`` if knots and degrees ask for more coefficients: FITPACK would read beyond their end."""
    counts = [len(t) - k - 1 for t, k in directions]
    if min(counts) < 1 or np.size(c) < math.prod(counts):
        raise ValueError(f"{np.size(c)} coefficients don't fit {[len(t) for t, _ in directions]} knots")


# ----- curves -----


def curve_at(c: Any, at: Any, t: Any, k: int, der: int, ext: int) -> Any:
    """``splev`` of one curve."""
    require_enough(c, (t, k))
    return np.asarray(_plain_curve(at, (t, np.append(c, np.zeros(k + 1)), k), der, ext))


@shape(curve_at)
def curve_shape(c, at, t, k=None, der=None, ext=None):
    return at


@composite(curve_at)
def curve_sum(c, at, t, k, der, ext):
    """Beyond the ends, as ``ext`` says: the last piece goes on, 0, an error, the value at the end."""
    low, high = t[k], t[len(t) - k - 1]
    inside = np.clip(at, low, high) if ext == 3 and der == 0 else at
    values = at_points(c, inside, t, k, der, True)
    return np.where((at < low) | (at > high), 0.0, values) if ext == 1 else values


@stands_for(splev)
def curve_values(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    if isinstance(tck, BSpline):
        if ext != 0:
            raise ValueError(f"Extrapolation mode {ext} is not supported by BSpline.")
        return tck(x, der, True)
    t, c, k = tck
    if isinstance(c, (list, tuple)):
        return [one_curve(np.asarray(x), t, part, k, der, ext) for part in c]
    return one_curve(np.asarray(x), t, c, k, der, ext)


def one_curve(at: Any, t: Any, c: Any, k: int, der: int, ext: int) -> Any:
    n = len(t) - k - 1
    if ext == 2 and np.any((at < t[k]) | (at > t[n])):
        raise ValueError("Found x value not in the domain")
    return np.reshape(curve_at(c[:n], np.ravel(at), t, k, der, ext), np.shape(at))


@stands_for(splrep)
def curve_through(
    x: Any,
    y: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: int = 0,
    per: int = 0,
    quiet: int = 1,
) -> Any:
    smooths = w is not None if s is None else s != 0
    if smooths or task != 0 or t is not None or per or full_output or xb is not None or xe is not None:
        refuse(
            "scipy.interpolate.splrep of these options",
            "there is a rule for the spline through all points only",
            "leave them away, or give s=0",
        )
    return tck_through(np.asarray(x), np.asarray(y), k)


def coefficients(y: Any, x: Any, t: Any, k: int) -> Any:
    """Those of ``splrep`` through all points; ``t`` are the knots that it chooses."""
    return _plain_fit(x, y, k=k, s=0)[1][: len(y)]


@shape(coefficients)
def coefficients_shape(y, x, t, k=None):
    return y


@composite(coefficients)
def solved_coefficients(y, x, t, k):
    return spline_through(np.reshape(y, (-1, 1)), x, t, k)[:, 0]


def tck_through(x: Any, y: Any, k: int) -> Any:
    """Knots, coefficients (with zeros behind them, as FITPACK has them) and degree."""
    t = knots_between(x, k)
    return t, np.concatenate((coefficients(y, x, t, k), np.zeros(k + 1))), k


def differences(c: Any, t: Any, k: int) -> Any:
    """The coefficients of the derivative."""
    return _plain_derivative((t, np.append(c, np.zeros(k + 1)), k), 1)[1][: len(c) - 1]


@shape(differences)
def differences_shape(c, t, k=None):
    return (None,)


@composite(differences)
def divided(c, t, k):
    return np.diff(c) * k / (t[k + 1 : k + len(c)] - t[1 : len(c)])


def sums(c: Any, t: Any, k: int) -> Any:
    """The coefficients of the integral from the first knot on."""
    return _plain_integral((t, np.append(c, np.zeros(k + 1)), k), 1)[1][: len(c) + 1]


@shape(sums)
def sums_shape(c, t, k=None):
    return tuple(None if n is None else n + 1 for n in c)


@composite(sums)
def added_up(c, t, k):
    return np.concatenate((np.zeros(1), np.cumsum(c * (t[k + 1 :] - t[: -k - 1])) / (k + 1)))


@stands_for(splder)
def curve_derivative(tck: Any, n: int = 1) -> Any:
    if isinstance(tck, BSpline):
        return tck.derivative(n)
    t, c, k = tck
    if n < 0:
        return curve_integral(tck, -n)
    for _ in range(n):
        c = differences(c[: len(t) - k - 1], t, k)
        t, k = t[1:-1], k - 1
        c = np.concatenate((c, np.zeros(k + 1)))
    return t, c, k


@stands_for(splantider)
def curve_integral(tck: Any, n: int = 1) -> Any:
    if isinstance(tck, BSpline):
        refuse(
            "the antiderivative of a BSpline", "there is no rule for it", "give knots, coefficients, degree"
        )
    t, c, k = tck
    if n < 0:
        return curve_derivative(tck, -n)
    for _ in range(n):
        c = sums(c[: len(t) - k - 1], t, k)
        c = np.concatenate((c, c[-1] * np.ones(k + 2)))
        t, k = np.concatenate((t[:1], t, t[-1:])), k + 1
    return t, c, k


def area(c: Any, a: Any, b: Any, t: Any, k: int) -> Any:
    """``splint``: beyond the ends the spline counts as 0."""
    require_enough(c, (t, k))
    return _plain_area(a, b, (t, np.append(c, np.zeros(k + 1)), k))


@composite(area)
def between(c, a, b, t, k):
    low, high = t[k], t[len(t) - k - 1]
    whole, knots = sums(c, t, k), np.concatenate((t[:1], t, t[-1:]))
    first, last = np.clip(np.asarray(a), low, high), np.clip(np.asarray(b), low, high)
    areas = at_points(whole, last, knots, k + 1, 0, True) - at_points(whole, first, knots, k + 1, 0, True)
    return areas


@stands_for(splint)
def curve_area(a: Any, b: Any, tck: Any, full_output: int = 0) -> Any:
    if isinstance(tck, BSpline) or full_output:
        refuse(
            "scipy.interpolate.splint with these arguments", "there is no rule for it", "give knots and so on"
        )
    t, c, k = tck
    return area(c[: len(t) - k - 1], a, b, t, k)


# ----- objects -----


@stands_for(UnivariateSpline.__init__, copies=True)
def curve(
    self: Any,
    x: Any,
    y: Any,
    w: Any = None,
    bbox: Any = (None, None),
    k: int = 3,
    s: Any = None,
    ext: Any = 0,
    check_finite: bool = False,
) -> None:
    if s is None or s != 0 or bbox[0] is not None or bbox[1] is not None:
        refuse(
            "a UnivariateSpline that smooths the data, or with bbox=",
            "its knots depend on the data",
            "give s=0, or make it outside",
        )
    t, c, degree = tck_through(np.asarray(x), np.asarray(y), k)
    self._eval_args, self.ext = (t, c, degree), BEYOND[ext]
    # what SciPy's own methods read of an object that may be kept: knots and coefficients, no residuals
    self._data = (None, None, None, None, None, degree, None, len(t), t, c, None, None, None, None)


@stands_for(InterpolatedUnivariateSpline.__init__, copies=True)
def curve_of_points(
    self: Any,
    x: Any,
    y: Any,
    w: Any = None,
    bbox: Any = (None, None),
    k: int = 3,
    ext: Any = 0,
    check_finite: bool = False,
) -> None:
    if not np.all(np.diff(x) > 0):
        raise ValueError("x must be strictly increasing")
    curve(self, x, y, None, bbox, k, 0, ext)


@stands_for(UnivariateSpline.__call__)
def curve_call(self: Any, x: Any, nu: int = 0, ext: Any = None) -> Any:
    t, c, k = self._eval_args
    return one_curve(np.asarray(x), t, c, k, nu, self.ext if ext is None else BEYOND[ext])


@stands_for(UnivariateSpline.integral)
def area_of_curve(self: Any, a: Any, b: Any) -> Any:
    return curve_area(a, b, self._eval_args)


# ----- surfaces -----


def surface_at(c: Any, x: Any, y: Any, tx: Any, ty: Any, degrees: Any, orders: Any, grid: bool) -> Any:
    """The values on the grid of two vectors, or at pairs of numbers."""
    require_enough(c, (tx, degrees[0]), (ty, degrees[1]))
    found = object.__new__(RectBivariateSpline)
    found.tck, found.degrees = (tx, ty, np.ravel(c)), degrees
    return np.asarray(_plain_surface(found, x, y, *orders, grid=grid))


@shape(surface_at)
def surface_shape(c, x, y, tx, ty, degrees=None, orders=None, grid=None):
    return (*x, *y) if grid else x


@composite(surface_at)
def surface_sum(c, x, y, tx, ty, degrees, orders, grid):
    """Points beyond the ends move to these."""
    (kx, ky), (dx, dy) = degrees, orders
    nx, ny = len(tx) - kx - 1, len(ty) - ky - 1
    c = np.reshape(c, (nx, ny))
    across = at_points(c, np.clip(x, tx[kx], tx[nx]), tx, kx, dx, True)
    y = np.clip(y, ty[ky], ty[ny])
    if grid:
        return np.transpose(at_points(np.transpose(across), y, ty, ky, dy, True))
    return np.sum(across * at_points(np.eye(ny), y, ty, ky, dy, True), axis=-1)


@stands_for(bisplev)
def surface_values(x: Any, y: Any, tck: Any, dx: int = 0, dy: int = 0) -> Any:
    tx, ty, c, kx, ky = tck
    z = surface_at(c, np.atleast_1d(x), np.atleast_1d(y), tx, ty, (kx, ky), (dx, dy), True)
    return z if np.shape(z)[0] > 1 or np.shape(z)[1] > 1 else z[0, 0]


@stands_for(BivariateSpline.__call__)
def surface_call(self: Any, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Any:
    x, y = np.asarray(x), np.asarray(y)
    tx, ty, c = self.tck
    kx, ky = self.degrees
    x, y = (np.ravel(x), np.ravel(y)) if grid else np.broadcast_arrays(x, y)
    return surface_at(c, x, y, tx, ty, (kx, ky), (dx, dy), grid)


def rectangle(z: Any, x: Any, y: Any, tx: Any, ty: Any, kx: int, ky: int) -> Any:
    """The coefficients of ``RectBivariateSpline``; ``tx`` and ``ty`` are the knots that it chooses."""
    found = object.__new__(RectBivariateSpline)
    _plain_rectangle(found, x, y, z, kx=kx, ky=ky)
    return found.tck[2]


@shape(rectangle)
def rectangle_shape(z, x, y, tx, ty, kx=None, ky=None):
    return (z[0] * z[1] if None not in z else None,)


@composite(rectangle)
def solved_rectangle(z, x, y, tx, ty, kx, ky):
    across = spline_through(z, x, tx, kx)
    return np.ravel(np.transpose(spline_through(np.transpose(across), y, ty, ky)))


@stands_for(RectBivariateSpline.__init__)
def surface_through(
    self: Any,
    x: Any,
    y: Any,
    z: Any,
    bbox: Any = (None, None, None, None),
    kx: int = 3,
    ky: int = 3,
    s: float = 0,
    maxit: int = 20,
) -> None:
    if s != 0 or any([end is not None for end in bbox]):
        refuse(
            "a RectBivariateSpline that smooths the data, or with bbox=",
            "its knots depend on the data",
            "give s=0",
        )
    x, y = np.asarray(x), np.asarray(y)
    tx, ty = knots_between(x, kx), knots_between(y, ky)
    self.tck = tx, ty, rectangle(np.asarray(z), x, y, tx, ty, kx, ky)
    self.degrees, self.fp = (kx, ky), 0.0
