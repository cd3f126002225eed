"""How is the interpolation of values on a grid a program with derivatives?

``RegularGridInterpolator`` and ``interpn``: linear and nearest by SciPy's formulas, in points, values and
grid; with splines along the axes in the points, for an interpolator that was made outside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import NdBSpline, RegularGridInterpolator, interpn

from ..numpy.gather import refuse
from ..registry import composite, shape
from ..standing import stands_for
from .hermite_interpolators import upright
from .splines import knots_between, spline_values

DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
# SciPy keeps grid and values under names with an underscore since 1.17, where the others are properties.
HIDDEN = hasattr(RegularGridInterpolator, "grid")


@stands_for(RegularGridInterpolator.__init__)
def grid(
    self: Any,
    points: Any,
    values: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = np.nan,
    *,
    solver: Any = None,
    solver_args: Any = None,
) -> None:
    if method not in ("linear", "nearest"):
        refuse(
            f"a RegularGridInterpolator made with method={method!r}",
            "SciPy solves for its coefficients step by step, to a tolerance",
            "make it outside, or use linear",
        )
    values = np.asarray(values)
    if not np.issubdtype(values.dtype, np.inexact):
        values = values.astype(float)
    axes = []
    for i, given in enumerate(points):
        axis = np.asarray(given)
        if len(axis) != np.shape(values)[i]:
            raise ValueError(
                f"There are {len(axis)} points and {np.shape(values)[i]} values on dimension {i}"
            )
        if not np.all(np.diff(axis) > 0):
            if not np.all(np.diff(axis) < 0):
                raise ValueError(f"The points in dimension {i} must be strictly ascending or descending")
            axis, values = np.flip(axis), np.flip(values, i)
        axes.append(axis)
    if HIDDEN:
        self._grid, self._values, self._asarray = tuple(axes), values, np.asarray
    else:
        self.grid, self.values = tuple(axes), values
    self.method, self._spline = method, None
    self.bounds_error, self.fill_value = bounds_error, fill_value


def coordinates(xi: Any, n: int) -> Any:
    """The points with their coordinates along the last axis."""
    if isinstance(xi, tuple):
        return np.stack(np.broadcast_arrays(*[np.asarray(x) for x in xi]), axis=-1)
    xi = np.asarray(xi)
    return np.reshape(xi, (-1, n)) if np.ndim(xi) == 1 else xi


@stands_for(RegularGridInterpolator.__call__)
def grid_call(self: Any, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
    method = self.method if method is None else method
    axes, values = (self._grid, self._values) if HIDDEN else (self.grid, self.values)
    n = len(axes)
    points = coordinates(xi, n)
    flat = np.reshape(points, (-1, n))
    columns = [flat[:, i] for i in range(n)]
    if self.bounds_error:
        for i in range(n):
            if not np.all((axes[i][0] <= columns[i]) & (columns[i] <= axes[i][-1])):
                raise ValueError(f"One of the requested xi is out of bounds in dimension {i}")
    if method in ("linear", "nearest"):
        places = [place_on(axes[i], columns[i]) for i in range(n)]
        found = multilinear(values, places) if method == "linear" else nearest(values, places)
    elif method in DEGREES and self._spline is not None and method == self.method:
        orders = [0 for _ in axes] if nu is None else list(nu)
        found = by_splines(self._spline.c, axes, flat, DEGREES[method], orders)
    else:
        refuse(
            f"a RegularGridInterpolator with method={method!r}",
            "there is no rule for it",
            "use linear or cubic",
        )
    outside, unknown = np.zeros(len(flat), bool), np.zeros(len(flat), bool)
    for i in range(n):
        outside = outside | (columns[i] < axes[i][0]) | (columns[i] > axes[i][-1])
        unknown = unknown | np.isnan(columns[i])
    if not self.bounds_error and self.fill_value is not None:
        found = np.where(upright(outside, found), self.fill_value, found)
    found = np.where(upright(unknown, found), np.nan, found)
    return np.reshape(found, np.shape(points)[:-1] + np.shape(values)[n:])


def place_on(axis: Any, x: Any) -> Any:
    """The interval of each point on an axis, its end, and how far on the way between them it is."""
    if len(axis) == 1:
        low = np.zeros(len(x), int)
        return low, low, np.zeros(len(x))
    low = np.clip(np.searchsorted(axis, x) - 1, 0, len(axis) - 2)
    start = axis[low]
    return low, low + 1, (x - start) / (axis[low + 1] - start)


def multilinear(values: Any, places: Any) -> Any:
    """The sum over the corners of the cell that a point lies in, each with its share."""
    corners: list[Any] = [((), 1.0)]
    for low, high, share in places:
        near = [((*index, low), weight * (1 - share)) for index, weight in corners]
        far = [((*index, high), weight * share) for index, weight in corners]
        corners = [corner for pair in zip(near, far, strict=True) for corner in pair]
    total = 0.0
    for index, weight in corners:
        part = values[index]
        total = total + part * upright(weight, part)
    return total


def nearest(values: Any, places: Any) -> Any:
    return values[tuple([np.where(share <= 0.5, low, high) for low, high, share in places])]


def by_splines(c: Any, lines: Any, points: Any, degree: int, orders: Any) -> Any:
    """The spline in several variables with the knots that SciPy chooses for these axes."""
    knots = tuple(knots_between(axis, degree) for axis in lines)
    return NdBSpline(knots, c, degree)(points, nu=orders)


@shape(by_splines)
def splines_shape(c, lines, points, degree=None, orders=None):
    return (points[0], *c[len(lines) :])


@composite(by_splines)
def axis_by_axis(c, lines, points, degree, orders):
    """For each point, with the coefficients of its own, one axis after the other."""
    for i in range(len(lines)):
        knots = knots_between(lines[i], degree)
        if i == 0:
            c = spline_values(c, points[:, i], knots, degree, orders[i], True)
        else:
            basis = spline_values(np.eye(np.shape(c)[1]), points[:, i], knots, degree, orders[i], True)
            c = np.sum(np.reshape(basis, np.shape(basis) + (1,) * (np.ndim(c) - 2)) * c, axis=1)
    return c


@stands_for(interpn)
def on_grid(
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = np.nan,
) -> Any:
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
