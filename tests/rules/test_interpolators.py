"""Do SciPy's interpolators have derivatives by points and data, made outside or inside of a function?"""

import numpy as np
import pytest
import scipy.interpolate as si

import ast_ad
from ast_ad import tracing
from ast_ad.errors import AdError
from ast_ad.rules.scipy.fitpack import area, curve_at, surface_at

X = np.array([0.31, 0.72, 1.13, 1.94])
T = np.linspace(0.0, 3.0, 8)
S = np.sin(3 * T) + 0.3 * T
CUBIC, STACKED = si.CubicSpline(T, S), si.CubicSpline(T, np.stack((S, T * S)), axis=1)
PERIODIC = si.CubicSpline(T, np.append(S[:-1], S[0]), bc_type="periodic")
BASIS, TCK = si.make_interp_spline(T, S), si.splrep(T, S)
SMOOTH = si.UnivariateSpline(T, S, s=0.1)
SURFACE = si.RectBivariateSpline(T, T, np.outer(S, T))
PATCH = si.bisplrep(*(a.ravel() for a in np.meshgrid(T, T, indexing="ij")), np.outer(S, T).ravel(), s=0)
LINE = si.interp1d(T, S, bounds_error=False, fill_value=(0.5, 2.0))
ON, QUADRATIC = (
    si.interp1d(T, S, fill_value="extrapolate"),
    si.interp1d(T, np.stack((S, -S)), kind="quadratic"),
)
GRID = si.RegularGridInterpolator((T, T), np.outer(S, T), bounds_error=False, fill_value=None)
CUBES = si.RegularGridInterpolator((T, T), np.outer(S, T), method="cubic")
KROGH, BARYCENTRIC = si.KroghInterpolator(T, S), si.BarycentricInterpolator(T, S)


class Model:
    def __init__(self):
        self.law = si.PchipInterpolator(T, S)

    def force(self, x):
        return -self.law(x, 1)


MODEL = Model()


def piecewise(x):
    return np.sum(CUBIC(x) * x + CUBIC(x, 2) - PERIODIC(4 * x)) + np.sum(STACKED(x) ** 2)


def of_pieces(x):
    area = CUBIC.integrate(x[0], x[1])
    return area + np.sum(CUBIC.derivative()(x) * CUBIC.antiderivative(2)(x))


def attributes(x):
    return np.sum(MODEL.force(x) ** 2)


def natural(x):
    return np.sum(si.CubicSpline(T[:4], np.stack((x, x**2), 1), bc_type="natural")(x) ** 2)


def ends_and_places(x):
    f = si.CubicSpline(T[:4] + 0.1 * x, np.sin(x), bc_type=((1, x[0]), (2, x[1])))
    return np.sum(f(1.3 * x, 1) ** 2) + f(0.7)


def closed(x):
    places = np.arange(5.0) + x[0] * np.arange(5.0) ** 2 * 0.01
    return np.sum(si.CubicSpline(places, np.append(x, x[0]), bc_type="periodic")(5 * x) ** 2)


def three_and_two(x):
    return si.CubicSpline(x[:3], np.cos(x[:3]))(0.9) + si.CubicSpline(x[:2], x[2:])(0.5) ** 2


def monotone(x):
    y = np.exp(-(x**2))
    return np.sum(si.PchipInterpolator(T[:4], np.cumsum(y))(x) ** 2) + si.PchipInterpolator(x, y)(0.8)


def local(x):
    first = si.Akima1DInterpolator(T[:4], np.sin(5 * x), method="makima")(x / 2)
    return np.sum(first**2) + si.Akima1DInterpolator(x, np.sin(5 * x))(0.8)


def hermite(x):
    return np.sum(si.CubicHermiteSpline(x, np.sin(x), x**2)(np.array([0.5, 1.4])))


def basis(x):
    f = si.make_interp_spline(T[:4], x**2)
    return (
        np.sum(BASIS(x) * f(x, 1)) + si.BSpline(TCK[0], x[0] * TCK[1], 3)(0.7) + np.sum(BASIS.derivative()(x))
    )


def fitpack(x):
    inner = np.sum(si.splev(x, TCK, der=1)) + np.sum(si.splev(2 * x, TCK, ext=1) * x)
    return inner + np.sum(si.splev(2 * x, TCK, ext=3)) + np.sum(SMOOTH(x)) + SMOOTH.integral(x[0], x[1])


def fitpack_data(x):
    tck = si.splrep(T[:4], x)
    made = si.UnivariateSpline(T[:4], x**2, k=2, s=0) if len(x) else None
    total = si.splev(0.7, tck) + si.splint(0.1, x[0], tck) + np.sum(made(x / 2))
    return total + np.sum(si.splev(x / 2, si.splder(tck)) * si.splev(x / 2, si.splantider(tck)))


def surfaces(x):
    at_pairs = np.sum(SURFACE.ev(x, x[::-1]) * x) + SURFACE(x[:2], x[1:], dx=1).sum()
    return at_pairs + np.sum(si.bisplev(x, x[:2], PATCH)) + si.bisplev(x[0], x[1], PATCH, dy=1)


def surface_data(x):
    return np.sum(si.RectBivariateSpline(T[:4], T[:4], np.outer(x, x * x))(0.7, T[:2]))


def lines(x):
    return np.sum(LINE(2 * x) * x) + np.sum(ON(3 * x) ** 2) + np.sum(QUADRATIC(x) ** 2)


def line_data(x):
    steps = [si.interp1d(T[:4], x, kind=kind)(0.6) for kind in ("nearest", "previous", "next", "nearest-up")]
    cubic = si.interp1d(x, np.sin(x), kind="linear", fill_value=(x[0], x[1]), bounds_error=False)
    return (
        sum(steps) * x[0]
        + np.sum(cubic(np.array([0.0, 0.5, 5.0])))
        + si.interp1d(T[:4], x, kind="cubic")(x[0])
    )


def grids(x):
    return np.sum(GRID((2 * x, x[0])) ** 2) + np.sum(CUBES(np.stack((x, x / 2), 1)))


def grid_data(x):
    square = np.outer(x, x)
    f = si.RegularGridInterpolator((x, T[:4]), square, bounds_error=False, fill_value=x[0])
    near = si.interpn((T[:4], T[:4]), square, np.array([[0.3, 0.7], [1.2, 0.1]]), method="nearest")
    return np.sum(f(np.array([[0.5, 0.7], [1.2, 1.1], [9.0, 1.0]]))) + np.sum(near)


def polynomials(x):
    return np.sum(KROGH(x) * BARYCENTRIC(x))


def in_a_loop(x):
    total, y = 0.0, x
    for i in range(3):
        y = 0.3 + 0.5 * np.abs(CUBIC(y))
        if y[0] > 0.4:
            total = total + si.splev(y[i], TCK)
    return total


SMOOTHS = [of_pieces, ends_and_places, fitpack_data, surfaces]
PROGRAMS = [*SMOOTHS, piecewise, natural, closed, three_and_two, basis, fitpack, polynomials, hermite, grids]
PROGRAMS += [attributes, monotone, local, surface_data, lines, line_data, grid_data, in_a_loop]


def differences(f):
    """The derivative of a number or an array by X, by differences of the fourth order."""
    found = []
    for step in 1e-3 * np.eye(X.size):
        near, far = np.asarray(f(X + step)) - f(X - step), np.asarray(f(X + 2 * step)) - f(X - 2 * step)
        found.append((8 * near - far) / 12e-3)
    return np.array(found)


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled(f):
    gradient = ast_ad.grad(f, fallback="error")(X)
    np.testing.assert_allclose(gradient, differences(f), rtol=1e-7, atol=1e-7)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", SMOOTHS, ids=lambda f: f.__name__)
def test_second_derivative(f):
    gradient, hessian = ast_ad.grad(f), ast_ad.hessian(f, fallback="error")(X)
    np.testing.assert_allclose(hessian, differences(gradient), rtol=1e-6, atol=1e-6)


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_traced(f):
    value, pullback = tracing.trace(f, (X.copy(),), {}, (0,))
    assert value == pytest.approx(f(X), rel=1e-15)  # LAPACK's banded systems are solved as dense ones
    np.testing.assert_allclose(pullback([1.0])[0], ast_ad.grad(f)(X), rtol=1e-9, atol=1e-12)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [lines, in_a_loop], ids=lambda f: f.__name__)
def test_kernels_and_operators(f):
    gradient = ast_ad.grad(f)(X)
    np.testing.assert_allclose(ast_ad.grad(f, backend="numba", fallback="error")(X), gradient, rtol=1e-12)
    np.testing.assert_allclose(ast_ad.jacfwd(f)(X), gradient, rtol=1e-9, atol=1e-12)


def test_other_data_at_the_next_call():
    law = si.CubicSpline(T, S)
    held = {"law": law}

    def f(x):
        return held["law"](x)

    gradient = ast_ad.grad(f, fallback="error")
    assert gradient(0.4) == law(0.4, 1)
    held["law"] = si.CubicSpline(T[:5], np.exp(T[:5]))
    np.testing.assert_allclose(gradient(0.4), held["law"](0.4, 1), rtol=1e-12)
    held["law"] = si.PchipInterpolator(T, S)
    np.testing.assert_allclose(gradient(0.4), held["law"](0.4, 1), rtol=1e-12)


def test_single_precision():
    assert ast_ad.grad(lambda x: np.sum(CUBIC(x)))(X.astype(np.float32)).dtype == np.float32


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("kind", ["linear", "nearest", "previous", "next"])
@pytest.mark.parametrize("single", ["txs", "s", "xs", "t"])
def test_precision_of_a_line(kind, single):
    """Fill values are written into the result, which is single where SciPy's is."""

    def f(x, t, s):
        return si.interp1d(t, s, kind=kind, bounds_error=False, fill_value=(0.5, 2.0))(x)

    def traced(x, t, s):
        eval("0")
        return f(x, t, s)

    points = np.array([-1.0, 0.31, 0.72, 1.13, 4.0])
    args = [a.astype(np.float32 if name in single else float) for name, a in zip("xts", (points, T, S))]
    for program in (f, traced):
        value, pull = ast_ad.vjp(program, check=False)(*args)
        assert value.dtype == f(*args).dtype
        np.testing.assert_allclose(value, f(*args), rtol=1e-6 if value.dtype == np.float32 else 1e-12)
        assert [d.dtype for d in pull(np.ones_like(value))] == [a.dtype for a in args]


@pytest.mark.parametrize("place", [-0.5, 3.5])
def test_what_scipy_raises(place):
    law = si.interp1d(T, S)
    with pytest.raises(ValueError, match="interpolation range"):
        ast_ad.grad(lambda x: law(x) * 1.0)(place)


REFUSED = {
    "fewer points than values": lambda x, y: si.interp1d(x[:4], y)(0.5),
    "an axis of another length": lambda x, y: si.interp1d(x, np.outer(y[:3], np.append(y, y)))(0.5)[0],
    "a spline through fewer points": lambda x, y: si.make_interp_spline(x[:4], y, k=0)(0.5),
    "a spline through points twice": lambda x, y: si.make_interp_spline(np.round(x), y, k=0)(0.5),
    "a spline through points in no order": lambda x, y: si.make_interp_spline(x[::-1], y, k=0)(0.5),
    "a spline through NaN": lambda x, y: si.make_interp_spline(x, y * np.nan, k=0)(0.5),
    "knots in no order": lambda x, y: si.BSpline(x[::-1], y[:3], 2)(0.5),
    "breakpoints in no order": lambda x, y: si.PPoly(np.outer([1.0, 2.0], y[1:]), np.sin(5 * x))(0.5),
    "a curve through points twice": lambda x, y: si.InterpolatedUnivariateSpline(np.round(x), y)(0.5),
    "a grid of NaN": lambda x, y: si.RegularGridInterpolator((x * np.nan,), y)([0.5])[0],
}


@pytest.mark.parametrize("how", REFUSED)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_scipy_refuses_of_the_data(how):
    """Some were values of splines that there are not."""
    x, y = np.array([0.0, 0.2, 0.4, 0.7, 0.9, 1.3]), np.cos(np.arange(6.0))
    with pytest.raises(ValueError):
        REFUSED[how](x, y)
    with pytest.raises(ValueError):
        ast_ad.grad(REFUSED[how], 1, check=False)(x, y)


def by_knots(x):
    return si.BSpline(np.sort(np.append(TCK[0], x)), np.ones(9), 3)(0.7)


def of_chosen_knots(x):
    return si.UnivariateSpline(T[:4], x)(0.7)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", [by_knots, of_chosen_knots], ids=lambda f: f.__name__)
def test_what_has_no_rule_is_refused(f):
    with pytest.raises(AdError):
        ast_ad.grad(f)(X[:1] if f is by_knots else X)


def test_classes_are_left_as_they_were():
    before = si.CubicSpline.__init__, si.PPoly.__call__
    tracing.trace(piecewise, (X.copy(),), {}, (0,))
    assert (si.CubicSpline.__init__, si.PPoly.__call__) == before
    assert type(si.CubicSpline(T, S)(X)) is np.ndarray


def test_splines_with_too_few_coefficients_raise():
    """Before FITPACK, which does not look, reads beyond their end."""
    t = np.array([0.0, 0, 0, 0, 1, 2, 2, 2, 2])
    with pytest.raises(ValueError, match="2 coefficients don't fit"):
        curve_at(np.ones(2), np.array([0.5]), t, 3, 0, 0)
    with pytest.raises(ValueError, match="2 coefficients don't fit"):
        area(np.ones(2), 0.0, 1.0, t, 3)
    with pytest.raises(ValueError, match="24 coefficients don't fit"):
        surface_at(np.ones(24), np.ones(1), np.ones(1), t, t, (3, 3), (0, 0), True)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 9])
def test_a_closed_spline_has_scipys_bits(n):
    def curve(y):
        places = np.linspace(0.0, 1.0, n) ** 2
        return si.CubicSpline(places, np.stack((y, y**2), 1), bc_type="periodic").c

    y = np.cos(np.arange(float(n)))
    y[-1] = y[0]
    np.testing.assert_array_equal(ast_ad.vjp(curve, y)[0], curve(y))
