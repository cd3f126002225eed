"""How is a piecewise polynomial differentiated by its points, its coefficients and its breakpoints?

Between ``x[i]`` and ``x[i + 1]`` it is ``sum(c[m, i] * (at - x[i]) ** (k - m) for m in range(k + 1))``:
linear in ``c``. So two functions are derivatives of each other, the values and their adjoint by the
coefficients; by a point the derivative is that of the next order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import BPoly, PPoly, _interpolate

from .. import helpers
from ..helpers import safe_product
from ..numpy.gather import refuse, scatter_to
from ..registry import nondifferentiable, shape, vjp
from ..standing import stands_for

# The classes that hold the numbers: since SciPy 1.18 an object of these is within each one that is called.
Held, HeldBPoly = getattr(_interpolate, "_PPoly", PPoly), getattr(_interpolate, "_BPoly", BPoly)
_plain_call = Held.__call__  # of SciPy itself, whatever stands in its place while a function is traced


def piecewise_values(c: Any, x: Any, at: Any, nu: int, extrapolate: Any) -> Any:
    """The derivative of order ``nu`` at the points, for each of the trailing axes of ``c``.

    >>> piecewise_values(np.array([[1.0, 2.0], [0.0, 1.0]]), np.arange(3.0), np.array([0.5, 1.5]), 0, True)
    array([0.5, 2. ])
    """
    steps = np.diff(_floats(x))
    if not (np.all(steps >= 0) or np.all(steps <= 0)):
        raise ValueError("`x` must be strictly increasing or decreasing.")
    return _plain_call(Held.construct_fast(_floats(c), _floats(x)), at, nu, extrapolate)


def piecewise_adjoint(g: Any, c: Any, x: Any, at: Any, nu: int, extrapolate: Any) -> Any:
    """The adjoint of ``piecewise_values`` by ``c``, of which it reads the shape only.

    >>> piecewise_adjoint(np.array([1.0]), np.ones((2, 2)), np.arange(3.0), np.array([1.5]), 0, True)
    array([[0. , 0.5],
           [0. , 1. ]])
    """
    (order, _, *rest), points = np.shape(c), np.ravel(np.asarray(at, float))
    g = np.reshape(g, (points.size, *rest))
    places = interval(x, points)
    bar = np.zeros(np.shape(c), np.result_type(g, np.float64))
    if not extrapolate:
        inside = (points >= np.min(x)) & (points <= np.max(x))
        points, places, g = points[inside], places[inside], g[inside]
    weight, steps = np.ones(points.size), points - np.asarray(x, float)[places]
    for power in range(nu, order):  # the derivative of s ** power is falling * s ** (power - nu)
        falling = float(np.prod(np.arange(power - nu + 1, power + 1)))
        np.add.at(bar[order - 1 - power], places, (falling * weight).reshape(-1, *[1] * len(rest)) * g)
        weight = weight * steps
    return bar


def interval(x: Any, at: Any) -> Any:
    """In which interval between breakpoints, rising or falling ones, each point lies; the ends reach out.

    >>> interval(np.array([0.0, 1.0, 2.0]), np.array([-1.0, 1.0, 2.0]))
    array([0, 1, 1])
    """
    x = np.asarray(x)
    falls = x[-1] < x[0]
    place = np.searchsorted(-x if falls else x, -np.asarray(at) if falls else at, "right") - 1
    return np.clip(place, 0, x.size - 2)


def _floats(a: Any) -> Any:
    a = np.asarray(a)
    return np.ascontiguousarray(a, complex if a.dtype.kind == "c" else float)


@shape(piecewise_values)
def values_shape(c, x, at, nu=None, extrapolate=None):
    return (*at, *c[2:])


@vjp(piecewise_values)
def values_rule(g, ans, c, x, at, nu, extrapolate):
    slopes = safe_product(g, np.conj(piecewise_values(c, x, at, nu + 1, extrapolate)))
    at_bar = summed_to(slopes, at)
    return piecewise_adjoint(g, c, x, at, nu, extrapolate), -scatter_to(x, interval(x, at), at_bar), at_bar


@vjp(piecewise_adjoint)
def adjoint_rule(g, ans, h, c, x, at, nu, extrapolate):
    slopes = safe_product(h, np.conj(piecewise_values(g, x, at, nu + 1, extrapolate)))
    at_bar = summed_to(slopes, at)
    h_bar = np.reshape(piecewise_values(g, x, at, nu, extrapolate), np.shape(h))
    return h_bar, None, -scatter_to(x, interval(x, at), at_bar), at_bar


def summed_to(g: Any, at: Any) -> Any:
    """What flows to each point: the sum over the trailing axes."""
    points = np.ndim(at)
    real = np.real(g)
    return np.sum(real, axis=tuple(range(points, np.ndim(g)))) if np.ndim(g) > points else real


nondifferentiable(interval)
helpers.METADATA[piecewise_adjoint] = 1
helpers.SHAPED_LIKE[piecewise_adjoint] = 1, (0,)


# ----- the class -----

CONVERTS = "_asarray" in getattr(Held.__mro__[1], "__slots__", ())  # what it is asked for, for a while


def as_floats(a: Any) -> Any:
    """An array in double precision, as SciPy's objects hold them."""
    a = np.asarray(a)
    return a if a.dtype == np.float64 or a.dtype == np.complex128 else a.astype(float)


@stands_for(Held.__init__)
def polynomial(self: Any, c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> None:
    if axis != 0:
        c = np.moveaxis(np.moveaxis(c, axis + 1, 0), axis + 1, 0)
    if CONVERTS:
        self._asarray = np.asarray
    self.c, self.x = as_floats(c), as_floats(x)
    self.extrapolate = True if extrapolate is None else extrapolate
    self.axis = axis


@stands_for(Held.__call__)
def polynomial_call(self: Any, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
    if isinstance(self, HeldBPoly):
        refuse(
            "scipy.interpolate.BPoly",
            "there is no rule for it",
            "use PPoly.from_bernstein_basis",
        )
    mode = self.extrapolate if extrapolate is None else extrapolate
    at = np.asarray(x)
    c, breaks = self.c, self.x
    if mode == "periodic":
        at = breaks[0] + (at - breaks[0]) % (breaks[-1] - breaks[0])
        mode = False
    return around(at_points(c, breaks, at, nu, mode), np.ndim(at), self.axis)


def at_points(c: Any, x: Any, at: Any, nu: int, extrapolate: Any) -> Any:
    """``piecewise_values`` at points of any shape."""
    values = piecewise_values(c, x, np.ravel(at), nu, extrapolate)
    return np.reshape(values, np.shape(at) + np.shape(c)[2:])


_SMALL = bytes(range(64))


def settled(axis: int) -> int:
    """An axis of an object, known when the program is built: an index into a constant has to be."""
    return _SMALL[axis]


def around(values: Any, points: int, axis: int) -> Any:
    """The axes of the points in the place of the axis of the data."""
    axis = settled(axis)
    if axis == 0:
        return values
    for i in range(axis):
        values = np.moveaxis(values, points + i, i)
    return values


def of_axis(c: Any, x: Any, like: Any) -> Any:
    """A piecewise polynomial with these coefficients that is called as another one is."""
    found = Held(c, x, like.extrapolate)
    found.axis = like.axis
    return found


@stands_for(Held.derivative)
def derivative(self: Any, nu: int = 1) -> Any:
    if nu < 0:
        return self.antiderivative(-nu)
    c, order = self.c, len(self.c)
    if nu >= order:
        return of_axis(np.zeros_like(c[:1]), self.x, self)
    for n in range(nu):
        powers = np.arange(order - 1 - n, 0, -1)
        c = c[:-1] * np.reshape(powers, [-1] + [1] * (np.ndim(c) - 1))
    return of_axis(c, self.x, self)


@stands_for(Held.antiderivative)
def antiderivative(self: Any, nu: int = 1) -> Any:
    """Constants of integration make it continuous; at the first breakpoint it is 0."""
    if nu <= 0:
        return self.derivative(-nu)
    c, x = self.c, self.x
    for _ in range(nu):
        c = integrated(c, x)
    mode = False if self.extrapolate == "periodic" else self.extrapolate
    found = Held(c, x, mode)
    found.axis = self.axis
    return found


def integrated(c: Any, x: Any) -> Any:
    """The coefficients of the integral from the first breakpoint on."""
    powers = np.arange(len(c), 0, -1)
    raised = c / np.reshape(powers, [-1] + [1] * (np.ndim(c) - 1))
    steps = np.reshape(np.diff(x), [-1] + [1] * (np.ndim(c) - 2))
    areas = np.zeros(np.shape(raised[0]))
    for row in raised:
        areas = (areas + row) * steps
    ends = np.concatenate((np.zeros_like(areas[:1]), np.cumsum(areas, axis=0)[:-1]))
    return np.concatenate((raised, ends[None]))


@stands_for(Held.integrate)
def integrate(self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    mode = self.extrapolate if extrapolate is None else extrapolate
    if mode == "periodic":
        refuse(
            "the integral of a periodic piecewise polynomial", "there is no rule for it", "integrate a period"
        )
    c, x = integrated(self.c, self.x), self.x
    area = at_points(c, x, np.asarray(b), 0, mode) - at_points(c, x, np.asarray(a), 0, mode)
    return np.asarray(area)
