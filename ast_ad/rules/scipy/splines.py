"""How is a sum of B-splines differentiated by its points and coefficients, and how is it made of data?

The values are linear in the coefficients, and these, of a spline through given points, in the values there.
So each of two functions has an adjoint that is its transpose, and by a point the derivative is that of the
next order. By knots there is no rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import BSpline, _bsplines, make_interp_spline
from scipy.sparse.linalg import spsolve

from .. import helpers
from ..helpers import safe_product
from ..numpy.gather import refuse
from ..registry import shape, vjp
from ..standing import stands_for
from .piecewise_polynomials import CONVERTS, _floats, around, as_floats, summed_to

Held = getattr(_bsplines, "_BSpline", BSpline)  # the class that holds the numbers, as of polynomials
# SciPy's own, also while something is traced
_plain_call, _plain_through = Held.__call__, make_interp_spline


# ----- values, linear in the coefficients -----


def spline_values(c: Any, at: Any, t: Any, k: int, nu: int, extrapolate: Any) -> Any:
    """The derivative of order ``nu`` at the points, for each of the trailing axes of ``c``.

    >>> spline_values(np.array([0.0, 2.0]), np.array([0.25]), np.array([0.0, 0.0, 1.0, 1.0]), 1, 0, True)
    array([0.5])
    """
    c, knots = _floats(c), _floats(t)
    if k < 0 or np.ndim(knots) != 1 or len(knots) < 2 * k + 2 or len(c) < len(knots) - k - 1:
        raise ValueError(f"{len(knots)} knots and {len(c)} coefficients are those of no spline of degree {k}")
    if not np.all(knots[1:] >= knots[:-1]):
        raise ValueError("Knots must be in a non-decreasing order.")
    if nu > k:
        return np.zeros(np.shape(at) + c.shape[1:], c.dtype)
    return _plain_call(Held.construct_fast(knots, c, int(k)), at, nu, extrapolate)


def spline_adjoint(g: Any, c: Any, at: Any, t: Any, k: int, nu: int, extrapolate: Any) -> Any:
    """The adjoint of ``spline_values`` by ``c``, of which it reads the shape only.

    >>> spline_adjoint(np.ones(1), np.zeros(2), np.array([0.25]), np.array([0.0, 0.0, 1.0, 1.0]), 1, 0, True)
    array([0.75, 0.25])
    """
    count, *rest = np.shape(c)
    points = np.ravel(np.asarray(at, float))
    g = np.reshape(g, (points.size, -1))
    bar = np.zeros((count, g.shape[1]), np.result_type(g, np.float64))
    for first in range(0, points.size, 256):  # by parts: the matrix has a column for each coefficient
        some = slice(first, first + 256)
        basis = spline_values(np.eye(count), points[some], t, k, nu, extrapolate)
        g_some = g[some]
        if not extrapolate:
            outside = np.isnan(basis).any(axis=1)
            basis, g_some = basis[~outside], g_some[~outside]
        bar += basis.T @ g_some
    return bar.reshape(count, *rest)


@shape(spline_values)
def values_shape(c, at, t, k, nu=None, extrapolate=None):
    return (*at, *c[1:])


@vjp(spline_values)
def values_rule(g, ans, c, at, t, k, nu, extrapolate):
    at_bar = summed_to(safe_product(g, np.conj(spline_values(c, at, t, k, nu + 1, extrapolate))), at)
    return spline_adjoint(g, c, at, t, k, nu, extrapolate), at_bar  # none by knots


@vjp(spline_adjoint)
def adjoint_rule(g, ans, h, c, at, t, k, nu, extrapolate):
    at_bar = summed_to(safe_product(h, np.conj(spline_values(g, at, t, k, nu + 1, extrapolate))), at)
    h_bar = np.reshape(spline_values(g, at, t, k, nu, extrapolate), np.shape(h))
    return h_bar, None, at_bar


# ----- the spline through given values -----


def spline_through(y: Any, x: Any, t: Any, k: int) -> Any:
    """The coefficients of the spline with these knots and values; ``y`` is a matrix with a row for each
    point.

    >>> spline_through(np.array([[1.0], [3.0]]), np.array([0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0]), 1)
    array([[1.],
           [3.]])
    """
    return _plain_through(_floats(x), _floats(y), int(k), _floats(t)).c


def through_adjoint(g: Any, x: Any, t: Any, k: int) -> Any:
    """The adjoint of ``spline_through`` by ``y``: the transposed system.

    >>> through_adjoint(np.array([[1.0], [3.0]]), np.array([0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0]), 1)
    array([[1.],
           [3.]])
    """
    matrix = BSpline.design_matrix(_floats(x), _floats(t), int(k)).T.tocsc()
    return np.reshape(spsolve(matrix, _floats(g)), np.shape(g))


@shape(spline_through)
def through_shape(y, x, t, k=None):
    return y


@shape(through_adjoint)
def transposed_shape(g, x, t, k=None):
    return g


@vjp(spline_through)
def through_rule(g, ans, y, x, t, k):
    y_bar = through_adjoint(g, x, t, k)
    x_bar = -np.real(np.sum(y_bar * np.conj(spline_values(ans, x, t, k, 1, True)), axis=1))
    return y_bar, x_bar


@vjp(through_adjoint)
def through_adjoint_rule(g, ans, h, x, t, k):
    h_bar = spline_through(g, x, t, k)
    x_bar = -np.real(np.sum(ans * np.conj(spline_values(h_bar, x, t, k, 1, True)), axis=1))
    return h_bar, x_bar


helpers.METADATA[spline_adjoint] = 1
helpers.SHAPED_LIKE[spline_adjoint] = 1, (0,)


# ----- the class, and what makes one -----


@stands_for(Held.__init__)
def spline(self: Any, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> None:
    self.k = k
    self.axis = axis
    if CONVERTS:
        self._asarray = np.asarray
    t, c = as_floats(t), as_floats(c)
    self.t, self.c = t, c if axis == 0 else np.moveaxis(c, axis, 0)
    self.extrapolate = extrapolate


@stands_for(Held.__call__)
def spline_call(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    mode = self.extrapolate if extrapolate is None else extrapolate
    at = np.asarray(x)
    t, k = self.t, self.k
    if mode == "periodic":
        n = len(t) - k - 1
        at = t[k] + (at - t[k]) % (t[n] - t[k])
        mode = False
    return around(at_points(self.c, at, t, k, nu, mode), np.ndim(at), self.axis)


def at_points(c: Any, at: Any, t: Any, k: int, nu: int, extrapolate: Any) -> Any:
    """``spline_values`` at points of any shape."""
    values = spline_values(c, np.ravel(at), t, k, nu, extrapolate)
    return np.reshape(values, np.shape(at) + np.shape(c)[1:])


@stands_for(BSpline.derivative)
def spline_derivative(self: Any, nu: int = 1) -> Any:
    t, c, k = self.t, self.c, self.k
    if nu < 0:
        refuse("the antiderivative of a spline", "there is no rule for it", "use PPoly.from_spline")
    n = len(t) - k - 1
    c = c[:n]
    for _ in range(nu):
        steps = t[k + 1 : -1] - t[1 : -k - 1]
        steps = np.where(steps == 0, 1.0, steps) if k > 0 else steps
        c = np.diff(c, axis=0) * k / np.reshape(steps, [-1] + [1] * (np.ndim(c) - 1))
        t, k = t[1:-1], k - 1
    found = BSpline(t, c, k, self.extrapolate)
    found.axis = self.axis
    return found


@stands_for(make_interp_spline)
def interpolating(
    x: Any,
    y: Any,
    k: int = 3,
    t: Any = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
    method: Any = None,
) -> Any:
    if bc_type is not None and bc_type != "not-a-knot" and bc_type != (None, None):
        refuse("make_interp_spline with bc_type=", "there is no rule for it", "use CubicSpline")
    x, y = np.asarray(x), np.asarray(y)
    ndim = np.ndim(y)
    y = y if ndim == 1 else np.moveaxis(y, axis, 0)
    n = len(x)
    if n != len(y):
        raise ValueError("`x` and `y` are of incompatible shapes")
    if check_finite and not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
        raise ValueError("Array must not contain infs or nans.")
    if np.any(x[1:] <= x[:-1]):
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    if k == 0:
        found = BSpline(np.concatenate((x, x[-1:])), y, 0)
    else:
        knots = knots_between(x, k) if t is None else np.asarray(t)
        if len(knots) != n + k + 1:
            raise ValueError("got knots whose number is not that of the points and the degree and one.")
        rows = np.reshape(y, (n, -1))
        found = BSpline(knots, np.reshape(spline_through(rows, x, knots, k), np.shape(y)), k)
    found.axis = axis % ndim
    return found


def knots_between(x: Any, k: int) -> Any:
    """The knots with which a spline through all points has no jump at the outer ones ("not a knot")."""
    if k % 2:
        half = (k + 1) // 2
        inner = x[half : len(x) - half]
    else:
        inner = ((x[1:] + x[:-1]) / 2)[k // 2 : len(x) - 1 - k // 2]
    return np.concatenate((repeated(x[0], k + 1), inner, repeated(x[-1], k + 1)))


def repeated(number: Any, times: int) -> Any:
    return number * np.ones(times)
