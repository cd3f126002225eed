"""Do piecewise polynomials and splines within loops stay in kernels, with SciPy's values?"""

import itertools

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")
pytest.importorskip("scipy")
from scipy.interpolate import BSpline, CubicSpline, PPoly, make_interp_spline, splev, splrep

from ast_ad.compiler.kernels.numbers import piecewise
from ast_ad.rules.scipy.piecewise_polynomials import piecewise_adjoint
from ast_ad.rules.scipy.splines import spline_adjoint
from tests.compiler.kernels.comparing import differ

DRAW = np.random.default_rng(7)
Y = DRAW.normal(size=9)
KNOTS = np.array([0.0, 0.0, 0.0, 0.2, 0.5, 0.5, 0.8, 1.0, 1.0, 1.0])
POINTS = [-0.3, 0.0, 0.1, 0.2, 0.35, 0.5, 0.79, 1.0, 1.4, np.nan]


@pytest.mark.drawn(of=8)
@pytest.mark.parametrize(
    "falls, nu, extrapolate", list(itertools.product((False, True), range(6), (True, False)))
)
def test_polynomials_are_scipys(falls, nu, extrapolate):
    x = np.array([0.0, 0.2, 0.5, 1.0])
    x = 1.0 - x if falls else x
    for c in (DRAW.normal(size=(4, 3)), DRAW.normal(size=(4, 3)) * 1j + 1.0, DRAW.normal(size=(1, 3))):
        expected = PPoly(c, x)(POINTS, nu, extrapolate)
        found = [piecewise.polynomial_at(c, x, at, nu, extrapolate) for at in POINTS]
        np.testing.assert_allclose(found, expected, rtol=1e-14)
    g, points, out = np.array(DRAW.normal(size=9)), np.array(POINTS[:-1]), np.empty((4, 3))
    piecewise.polynomial_adjoint(g, out, x, points, out, nu, extrapolate)
    np.testing.assert_allclose(out, piecewise_adjoint(g, out, x, points, nu, extrapolate), rtol=1e-13)


@pytest.mark.drawn(of=32)
@pytest.mark.parametrize("k, nu, extrapolate", list(itertools.product((0, 1, 2, 3), range(5), (True, False))))
def test_splines_are_scipys(k, nu, extrapolate):
    for t in (KNOTS, np.arange(-2.0, 8.0)):
        c = DRAW.normal(size=len(t) - k - 1)
        points = np.array(POINTS) * 3 + t[k] if t is not KNOTS else np.array(POINTS)
        expected = BSpline(t, c, k)(points, nu, extrapolate) if nu <= k else np.zeros(len(points))
        found = [piecewise.spline_at(c, t, at, k, nu, extrapolate) for at in points]
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
        g, out = DRAW.normal(size=9), np.empty_like(c)
        piecewise.spline_adjoint(g, c, t, points[:-1], out, k, nu, extrapolate)
        adjoint = spline_adjoint(g, c, points[:-1], t, k, nu, extrapolate)
        np.testing.assert_allclose(out, adjoint, rtol=1e-12, atol=1e-12)


# ----- programs
TABLE = CubicSpline(np.linspace(0.0, 1.0, 7), np.sin(np.arange(7.0)))


def trajectory(y, n):
    """Value, slope and curvature at a point that moves."""
    curve = CubicSpline(np.linspace(0.0, 1.0, len(y)), y)
    total, t = 0.0, 0.1
    for _ in range(n):
        total += curve(t) ** 2 + 0.1 * curve(t, 1) ** 2 + 0.01 * curve(t, 2) * y[0]
        t = t + 0.05 + 0.01 * np.tanh(curve(t, 1))
    return total


def table_outside(y, n):
    t, total = 0.3 + 0.1 * y[0], 0.0
    for i in range(n):
        t = t + 0.02 * TABLE(t) * y[i % 9]
        total += t**2
    return total


def several_points(y, n):
    curve = CubicSpline(np.linspace(0.0, 1.0, len(y)), y)
    p, total = np.linspace(0.1, 0.9, 5), 0.0
    for _ in range(n):
        p = p + 0.02 * curve(p)
        total += np.sum(p**3)
    return total


def of_a_basis(y, n):
    knots = splrep(np.linspace(0.0, 1.0, len(y)), y)
    curve = make_interp_spline(np.linspace(0.0, 1.0, len(y)), y**2, k=3)
    t, total = 0.1, 0.0
    for _ in range(n):
        t = t + 0.03 * splev(t, knots) + 0.01 * curve(t)
        total += t * splev(t, knots, der=1) + curve(t, 2) * 0.01
    return total


@pytest.mark.drawn(of=4)
@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("function", [trajectory, table_outside, several_points, of_a_basis])
def test_programs(function):
    kernels = ast_ad.value_and_grad(function, backend="numba", fallback="error")
    numpy = ast_ad.value_and_grad(function, backend="numpy", fallback="error")
    for y, n in ((Y, 6), (-Y, 9), (Y[::-1], 1)):
        found, expected = kernels(y, n), numpy(y, n)
        assert found[0] == pytest.approx(function(y, n), rel=1e-12)
        assert not differ(found, expected)
    lines = kernels.explain().splitlines()
    assert not [
        one
        for one in lines
        if "NumPy code" in one and ("_values" in one or "_adjoint" in one and "through" not in one)
    ]
    ast_ad.check_grads(function, (Y, 4), order=1, modes=("rev",), rtol=1e-6, atol=1e-6)


# ----- arrays without axes
def numbers_in_arrays(y, n):
    """Numbers as arrays, and what stays one."""
    total, seen = 0.0, np.asarray(y[0])
    for i in range(n):
        a = np.asarray(y[i])
        b = np.where(a > 0, a, 2 * a)
        total += b * np.sin(a) + np.array(y[i]) / (1 + np.asarray(True)) + np.asarray(i) * b
        seen = np.maximum(seen, np.asarray(total))
    return total + seen * np.exp(-total)


def written_to(y, n):
    """What is written to is another array afterwards, under both names."""
    a = np.asarray(y[0] * 2)
    b, c = a, a * 3
    b += y[1]
    total = a * b + c
    for i in range(n):
        z = np.array(y[i])
        w = z * 2
        z[()] = w * y[2]
        total = total + z * w
    return total


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("function", [numbers_in_arrays, written_to])
def test_arrays_without_axes(function):
    kernels = ast_ad.value_and_grad(function, backend="numba", fallback="error")
    for y, n in ((Y, 6), (-Y, 9)):
        value, slope = kernels(y, n)
        assert value == pytest.approx(function(y, n), rel=1e-13) and isinstance(value, np.float64)
        assert not differ((value, slope), ast_ad.value_and_grad(function, backend="numpy")(y, n))
    if function is numbers_in_arrays:
        assert "kernels don't know" not in kernels.explain()
