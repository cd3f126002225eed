"""Does a derivative at a solution say when it can't be trusted, and where? And what has none is refused."""

import warnings

import numpy as np
import pytest
import scipy.integrate as si
import scipy.optimize as so
from scipy.optimize import brentq

import ast_ad
from ast_ad import grad
from ast_ad.tracing.solvers.tried_points import Tried, kink

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::RuntimeWarning")
X = np.array([0.3, 0.7])


def told(f, match):
    with pytest.warns(ast_ad.SolutionWarning, match=match) as caught:
        found = grad(f)(X.copy())
    assert all(one.filename == __file__ for one in caught if one.category is ast_ad.SolutionWarning)
    return found


def test_not_converged():
    def f(x):
        return brentq(lambda t: np.exp(t) - x[0], -5, 5, maxiter=3, disp=False)

    told(f, r"`brentq` at .*test_trust.py:\d+, in f: the solver did not converge.*the residual is ")

    def g(x):
        return so.root(lambda t: t**3 - x, np.ones(2), options={"maxfev": 3}).x[0]

    told(g, "did not converge.*the residual is")

    def h(x):
        return so.minimize(lambda t: np.sum((t - x) ** 4 + t**2), np.ones(2), options={"maxiter": 1}).x[0]

    told(h, "did not converge")


def test_far_from_the_solution():
    def f(x):
        return so.bisect(lambda t: t**3 - x[0], 0, 5, xtol=0.2)

    told(f, "the residual is .* away")


def test_roots_of_a_higher_order():
    def f(x):
        return brentq(lambda t: (t - x[0]) ** 3, -5, 5, xtol=1e-6)

    told(f, "flat at the root")

    def g(x):
        return so.fsolve(lambda t: [t[0] + t[1] - x[0], 2 * t[0] + 2 * t[1] - 2 * x[0]], [1.0, 1.0])[0]

    assert np.isnan(told(g, "a singular Jacobian.*the residual")[0])


def turned(t, x):
    a, b = (t[0] + t[1] - 1) ** 2 + (x[0] - 0.3) * t[1], t[0] - t[1] - x[1]
    return [a + 3 * b, 2 * a - b]


HIGHER_ORDER = {
    "fsolve": lambda x: so.fsolve(lambda t: [(t[0] - 1) ** 2 + (x[0] - 0.3) * t[1], t[1] - x[1]], [1.3, 1.0])[
        0
    ],
    "root": lambda x: so.root(turned, [1.3, 1.0], (x,)).x[0],
    "three equal": lambda x: so.root(
        lambda t: [(t[0] - 1) ** 3 + (x[0] - 0.3) * t[1], t[1] - x[1]], [1.3, 1.0], method="lm"
    ).x[0],
    "array": lambda x: so.newton(lambda t: np.array([(t[0] - x[0]) ** 2, t[1] - x[1]]), np.ones(2))[0],
    "newton": lambda x: so.newton(lambda t: (t - x[0]) ** 2, 1.0, maxiter=100),
}


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", HIGHER_ORDER.values(), ids=HIGHER_ORDER)
def test_roots_of_a_higher_order_of_all_solvers(f):
    """The derivative of some is infinite."""
    told(f, "flat at the root")


def test_simple_roots_are_not_flat():
    """The variables and the equations are of very different sizes."""

    def f(x):
        return so.fsolve(
            lambda t: [1e9 * np.sinh(t[0] - x[0]) + t[1] * 1e-9, np.exp(t[1] * 1e-3) - x[1]],
            [0.2, -300.0],
            xtol=1e-13,
        )[1]

    with warnings.catch_warnings():
        warnings.simplefilter("error", ast_ad.SolutionWarning)
        np.testing.assert_allclose(grad(f)(X.copy()), [0, 1e3 / X[1]], rtol=1e-5, atol=1e-7)


NEARLY_BAD = {
    "steep on one side": (lambda x: brentq(lambda t: np.exp(1e4 * (t - x[0])) - 1, -1, 0.35), [1, 0]),
    "steep on both": (lambda x: brentq(lambda t: np.tanh(1e5 * (t - x[0])), -1, 1), [1, 0]),
    "nearly flat": (lambda x: brentq(lambda t: 1e-9 * (t - x[0]) + 1e-3 * (t - x[0]) ** 3, -1, 1), [1, 0]),
    "small": (lambda x: brentq(lambda t: 1e-12 * (np.exp(t) - x[0]), -5, 1), [1 / X[0], 0]),
    "of two sizes": (
        lambda x: so.fsolve(lambda t: [1e-13 * (t[0] - x[0]), 1e13 * (t[1] - t[0] * x[1])], X)[1],
        X[::-1],
    ),
    "of a large and a small number": (
        lambda x: so.fsolve(lambda t: [t[0] * 1e12 + t[1] - x[0], t[0] * 1e12 - t[1] - x[1]], X)[1],
        [0.5, -0.5],
    ),
    "a shallow valley": (
        lambda x: so.minimize(lambda t: (t[0] - x[0]) ** 2 + 1e-9 * (t[1] - x[1]) ** 2, X).x @ [1, 2],
        [1, 2],
    ),
    "near a bound": (
        lambda x: so.minimize(lambda t: 1e4 * (t[0] - 1e-5 * x[0]) ** 2, [0.5], bounds=[(0, 1)]).x[0],
        [1e-5, 0],
    ),
}


@pytest.mark.drawn(of=4)
@pytest.mark.filterwarnings("error::ast_ad.SolutionWarning")
@pytest.mark.parametrize(("f", "expected"), NEARLY_BAD.values(), ids=NEARLY_BAD)
def test_nearly_bad_ones_are_trusted(f, expected):
    np.testing.assert_allclose(grad(f, check=False)(X.copy()), expected, rtol=1e-6, atol=1e-12)


def test_bounds_and_flat_directions():
    def f(x):
        found = so.minimize(
            lambda t: (t[0] - x[0]) ** 2 + (t[1] + 1) ** 2, [0.5, 0.5], bounds=[(None, None), (x[1], 3)]
        )
        return found.x[0] * 2 + found.x[1] * 5

    np.testing.assert_allclose(told(f, "on a bound in 1 of 2"), [2.0, 5.0], rtol=1e-6)

    def g(x):
        return np.sum(so.minimize(lambda t: (t[0] + t[1] - x[0]) ** 2, np.zeros(2)).x)

    np.testing.assert_allclose(told(g, "a flat direction"), [1.0, 0.0], atol=1e-6)


TIMES = np.array([2.0, 4.0, 6.0, 8.0])


def decay(t, scale, level):
    return level * (1.0 - np.exp(-t / scale))


NOT_TOLD = {
    "curve_fit": lambda x: so.curve_fit(decay, TIMES, observed(x), p0=[0.02, 1.0])[0][0],
    "least_squares": lambda x: so.least_squares(lambda p: decay(TIMES, *p) - observed(x), [0.02, 1.0]).x[0],
    "minimize": lambda x: so.minimize(lambda t: np.exp(-30.0 / t[0]) + (t[1] - x[0]) ** 2 + 1, [0.3, 0.1]).x[
        0
    ],
}


def observed(x):
    return np.array([0.9, 1.2, 1.0, 1.1]) + x[0] * np.array([0.1, 0.3, -0.2, 0.1])


@pytest.mark.filterwarnings("ignore::scipy.optimize.OptimizeWarning")
@pytest.mark.parametrize("f", NOT_TOLD.values(), ids=NOT_TOLD)
def test_a_minimum_that_its_function_does_not_tell(f):
    told(f, r"does not tell where, in the coordinates \[0\]")


@pytest.mark.filterwarnings("error::ast_ad.SolutionWarning")
@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e9])
def test_a_minimum_that_is_told_in_any_unit(unit):
    def f(x):
        return so.minimize_scalar(lambda t: (t / unit - x[0]) ** 2 + 3.0, (0.0, unit)).x / unit

    np.testing.assert_allclose(grad(f)(X.copy()), [1.0, 0.0], rtol=1e-6, atol=1e-8)


def test_a_solver_that_stops_early():
    def f(x):
        return si.solve_ivp(lambda t, y: y**2 * x[0], (0, 10), [1.0], rtol=1e-3).y[0, -1]

    told(f, "the solver stopped at t = 3.3")


def refused(f, match):
    with pytest.raises(ast_ad.AdError, match=match):
        grad(f)(X.copy())


def test_what_has_no_derivative_is_refused():
    def constrained(x):
        rule = {"type": "eq", "fun": lambda t: t[0] + t[1] - x[0]}
        return so.minimize(lambda t: np.sum(t**2), np.ones(2), constraints=rule).x[0]

    def way(x):
        return so.minimize(lambda t: np.sum((t - x) ** 2), np.ones(2)).hess_inv[0, 0]

    def covariance(x):
        times = np.arange(5.0)
        return so.curve_fit(lambda t, a: a * t, times, times**2 * x[0])[1][0, 0]

    def event(x):
        def ground(t, y):
            return y[0]

        ground.terminal = True
        return si.solve_ivp(lambda t, y: [y[1], -x[0]], (0, 50), [1.0, 0.0], events=ground).t[-1]

    def dense(x):
        return si.solve_ivp(lambda t, y: -x[0] * y, (0, 1), [1.0], dense_output=True).sol(0.5)[0]

    def more_equations(x):
        return so.leastsq(lambda t: [t[0] - x[0], t[0] - x[1]], [1.0])[0][0] + so.newton(
            lambda t: t**2 + x[0], 1.0 + 1.0j
        )

    def stored(x):
        seen = []

        def f(t):
            seen.append(t**3 * x[0])
            return seen[-1] + t - x[1]

        return brentq(f, -5, 5) + seen[2]

    refused(stored, "stored while `brentq` ran")
    refused(constrained, "with constraints")
    refused(way, "hess_inv")
    refused(covariance, "the covariance of `curve_fit`")
    refused(event, "ends at an event")
    refused(dense, "the interpolant")
    refused(more_equations, "complex")


def test_constants_have_no_warnings(recwarn):
    def f(x):
        root = brentq(lambda t: (t - 1) ** 3, -5, 5, xtol=1e-6)
        return np.sum(x**2) * root * si.quad(np.sin, 0, 1)[0]

    np.testing.assert_allclose(grad(f)(X), 2 * X * f(X) / np.sum(X**2), rtol=1e-12)
    assert not [one for one in recwarn if one.category is ast_ad.SolutionWarning]


# ----- kinks, near which the second derivative is noise
NEAR = 0.8521
# Where a processor rounds otherwise, the solver may end at the kink itself, or farther beside it.
TOLD = "seems to have a kink there: close by it changed by|is not finite|of the equation about .* away"
LANDS_BESIDE = [(100.0,), (1e4,), (1e3, "Powell"), (10.0, "Nelder-Mead", 5.0)]


def nearest(place, unit, method="Nelder-Mead", offset=0.0):
    """Where on a curve the place nearest to one is, by a distance that is zero there.

    The solver ends beside it by one in the last digit.
    """

    def distance(t):
        return offset + np.sqrt(np.sum((curve(t[0] / unit) - place) ** 2))

    options = {"xatol": 1e-4 * unit} if method == "Nelder-Mead" else {}
    return so.minimize(distance, [0.8 * NEAR * unit], method=method, options=options).x[0]


def curve(t):
    return 10.0 * np.stack([t**2, np.sin(t)])


@pytest.mark.parametrize("options", LANDS_BESIDE, ids=str)
def test_a_kink(options):
    """At the place the distance has no derivative, and what is computed beside it is nothing to go by."""
    with pytest.warns(ast_ad.SolutionWarning, match=TOLD):
        grad(lambda place: nearest(place, *options))(curve(NEAR))


def test_a_kink_in_a_compiled_program():
    with pytest.warns(ast_ad.SolutionWarning, match=TOLD) as caught:
        grad(nearest, fallback="error")(curve(NEAR), 100.0)
    assert caught[0].filename == __file__


SMOOTH = {
    "rosenbrock": lambda t, x: 100 * (t[1] - t[0] ** 2 * x[0]) ** 2 + (x[1] - t[0]) ** 2,
    "exponentials": lambda t, x: np.exp(t[0] - x[0]) - t[0] + np.cosh(t[1] - x[1]),
    "offset": lambda t, x: 1e4 + np.sum((t - x) ** 2 * (1 + t**2)),
    "zero": lambda t, x: np.sum((np.outer([0.1, 0.2, 0.9], t) - np.outer([0.1, 0.2, 0.9], x)) ** 2),
    "large": lambda t, x: np.sum((t / 1e5 - x) ** 2 * (1 + (t / 1e5) ** 2)),
    "nearly a kink": lambda t, x: np.sum(np.sqrt(1e-4 + (t - x) ** 2)),
}


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("method", "Nelder-Mead Powell CG BFGS L-BFGS-B TNC COBYLA SLSQP".split())
@pytest.mark.parametrize("function", SMOOTH.values(), ids=SMOOTH)
def test_a_smooth_function_has_no_kink(function, method):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        grad(lambda x: np.sum(so.minimize(lambda t: function(t, x), [0.1, 0.2], method=method).x))(X.copy())
    assert not [one for one in caught if "seems to have a kink" in str(one.message)]


def with_slope(t, x):
    return [np.sum((t - x) ** 2), 2 * (t - x)]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(so.minimize(with_slope, [1.0, 1.0], (x,), jac=True).x),
        lambda x: np.sum(so.fmin_l_bfgs_b(with_slope, [1.0, 1.0], args=(x,))[0]),
    ],
    ids=["minimize", "fmin_l_bfgs_b"],
)
def test_a_list_of_value_and_slope(f):
    np.testing.assert_allclose(grad(f)(X.copy()), 1.0)


def test_points_are_told_as_they_were():
    """A solver that writes to the point that it handed over, and a function that returns its slope, too."""
    tried = Tried()
    point = np.zeros(1)

    def f(t):
        return abs(t[0]) + t[0] ** 2, np.sign(t)

    watched = tried.watching(f)
    for place in (-1e-3, 1e-3, 2e-3):
        point[0] = place
        assert watched(point)[0] == f(point)[0]
    seen = kink(tried, 1e-5, f([1e-5])[0], np.array([1.0]), np.array([[2.0]]))
    assert seen == "0.000991 where its derivatives tell -0.00101"
    assert kink(tried, 1e-5, f([1e-5])[0], np.array([1.0]), np.array([[np.nan]])) == ""
    assert kink(Tried(), 1e-5, 0.0, np.zeros(1), np.zeros((1, 1))) == ""
