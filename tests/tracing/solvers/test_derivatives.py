"""Is the derivative of what a solver of SciPy's finds that of its equation?

Each program is compared with differences of the plain function, whose solvers are asked for more than the
differences need, and the second derivative with differences of the first.
"""

import functools
import math

import numba
import numpy as np
import pytest
import scipy.integrate as si
import scipy.optimize as so
from scipy.integrate import odeint, quad, solve_ivp
from scipy.optimize import brentq, newton

import ast_ad
from ast_ad import grad, hessian, jacobian, jvp, value_and_grad, vmap
from ast_ad.rules.solvers import SOLVERS
from ast_ad.tracing.solvers.minpack import FORMS
from ast_ad.tracing.solvers.table import HANDLERS

pytestmark = [
    pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # a root found as exactly as it goes
    pytest.mark.filterwarnings("error::ast_ad.SolutionWarning"),
]
X = np.array([0.3, 0.7, 1.1, 1.9])
TIMES = np.linspace(0.0, 1.0, 12)
SEEN = np.exp(-1.3 * TIMES) + 0.05 * np.sin(9.0 * TIMES)
PROGRAMS = []


def program(rtol=1e-7, second=True, exact=None):
    """``exact``: the value by other means, where a solver's own rounding is too large for differences."""

    def add(function):
        PROGRAMS.append(pytest.param(function, rtol, second, exact or function, id=function.__name__))
        return function

    return add


def differences(f, x, h=1e-4):
    columns = []
    for e in np.eye(len(x)) * h:
        columns.append((8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h))
    return np.moveaxis(np.array(columns), 0, -1)


# ----- roots
@program()
def bracket(x):
    return brentq(lambda t: t**3 - x[0] * x[1] - x[3], -5, 5)


@program(second=False)
def other_brackets(x):
    found = [
        solver(lambda t, a: np.exp(t) - a - x[3], -5, 5, args=(x[0] * x[1],), xtol=1e-14, rtol=1e-14)
        for solver in (so.brenth, so.ridder, so.bisect, so.toms748)
    ]
    return sum((i + 1) * t for i, t in enumerate(found))


@program()
def bracket_with_result(x):
    root, told = so.brentq(lambda t: t**3 - x[0] * x[1] - x[3], -5, 5, full_output=True)
    return root * told.root if told.converged and told.iterations else 0.0


def cubic(t, a, b=1.0):
    return t**3 + b * t - a


class Law:
    def __init__(self, a):
        self.a = a

    def zero(self, t):
        return np.tanh(t) * self.a + t - 1.0

    def __call__(self, t):
        return self.zero(t) - 0.1


@numba.njit
def jitted(t, a):
    return t**3 + math.exp(t) - a


@program()
def functions_of_all_kinds(x):
    law = Law(x[1])
    by_partial = brentq(functools.partial(cubic, a=x[0], b=x[3]), -5, 5)
    numbers = {"a": [x[2], x[0]]}
    by_dict = brentq(lambda t: cubic(t, numbers["a"][0], numbers["a"][1]), -5, 5)
    by_code = brentq(jitted, -5, 5, args=(x[3],))
    return by_partial + by_dict * brentq(law.zero, -5, 5) + brentq(law, -5, 5) ** 2 + by_code


@program()
def by_newton(x):
    first = newton(lambda t, a: t**3 - a * x[0], 1.0, args=(x[3],), tol=1e-13)
    second = newton(
        lambda t: t**3 - x[1], x[2], fprime=lambda t: 3 * t**2, fprime2=lambda t: 6 * t, tol=1e-13
    )
    return first * second


@program()
def newton_of_arrays(x):
    root, converged, flat = newton(
        lambda t, a: t**3 - a * x[0], np.ones(4), args=(x,), full_output=True, tol=1e-13
    )
    return np.sum(root**2) if np.all(converged) and not np.any(flat) else 0.0


@program()
def scalar_root(x):
    first = so.root_scalar(lambda t: np.exp(t) - x[0] * x[3] - 2, bracket=[-3, 3], method="brentq").root
    second = so.root_scalar(lambda t: (np.exp(t) - x[1], np.exp(t)), x0=0.5, fprime=True, method="newton")
    return first + second.root if second.converged else 0.0


@program()
def system(x):
    t = so.fsolve(lambda t: [t[0] * t[1] - x[0] * x[3], t[0] - x[1] * t[1] ** 2], [1.0, 1.0], xtol=1e-13)
    found = so.root(
        lambda t: np.array([t[0] ** 2 * x[0] + t[1] - 3, t[0] - x[1] * t[1]]), [1.0, 1.0], tol=1e-13
    )
    return np.prod(t) + found.x[0] * found.x[1] + np.sum(found.fun) if found.success else 0.0


@program(rtol=1e-6)
def fixed_point(x):
    return so.fixed_point(lambda t: np.cos(t * x[0]) * x[1], 0.5, xtol=1e-12)


@program()
def root_of_a_root(x):
    def inner(t):
        return brentq(lambda s: s**3 + s - t * x[0] - x[1], -5, 5)

    return brentq(lambda t: t - inner(t) * x[2] - 0.1, -3, 3)


@program()
def root_of_an_integral(x):
    return brentq(lambda b: quad(lambda t: np.exp(-x[0] * t**2), 0, b)[0] - x[1] * 0.5, 0, 3)


def helper(a, b):
    return brentq(lambda t: t**3 - a * b, -5, 5)


@program()
def compiled_around(x):
    total = 0.0
    for i in range(3):
        total = total + helper(x[i], x[3]) * x[i]
    return total


# ----- minima: what is found is known to the root of the rounding only, so the functions are quadratic in it
@program(rtol=1e-6)
def minimum(x):
    found = so.minimize(
        lambda t, a: np.sum(a * (t - x[:2]) ** 2),
        np.zeros(2),
        args=(x[2:],),
        jac=lambda t, a: 2 * a * (t - x[:2]),
        tol=1e-12,
    )
    return found.x[0] * found.x[1] + found.fun if found.success and found.nit else 0.0


@program(rtol=1e-6, exact=lambda x: x[1])
def minimum_with_its_gradient(x):
    def cost(t):
        return np.sum((t - x) ** 2 * np.exp(t)), 2 * (t - x) * np.exp(t) + (t - x) ** 2 * np.exp(t)

    return so.minimize(cost, x + 0.1, jac=True, method="Newton-CG", tol=1e-14).x[1]


@program(rtol=1e-5, second=False)
def minima_of_one_number(x):
    first = so.minimize_scalar(lambda t: (t - x[0] * x[1]) ** 2).x
    second = so.minimize_scalar(lambda t, a: (t - a) ** 2, bounds=(-2, 3), args=(x[3],), method="bounded").x
    return first + second * so.fminbound(lambda t: (t - x[2]) ** 2, -2, 2)


@program(rtol=1e-6, exact=lambda x: x[0] * x[1] + x[1] + x[3])
def older_names(x):
    t = so.fmin_bfgs(lambda t: np.sum((t - x) ** 2 * x[0]), np.ones(4), disp=0, gtol=1e-9)
    s, least, told = so.fmin_l_bfgs_b(lambda t: np.sum((t - x) ** 2) + x[1], np.ones(4), approx_grad=True)
    return t[0] * t[1] + least + s[3]


SLOPES = {
    "linear": np.ones_like,
    "soft_l1": lambda z: 1 / np.sqrt(1 + z),
    "huber": lambda z: np.where(z <= 1, 1.0, 1 / np.sqrt(np.maximum(z, 1.0))),
    "cauchy": lambda z: 1 / (1 + z),
    "arctan": lambda z: 1 / (1 + z**2),
}
EXACTLY = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}


def least(residuals, jacobian, loss="linear", scale=1.0):
    """Where a sum of squares is least, as a root of its gradient."""

    def slope(p):
        r = residuals(p)
        return jacobian(p).T @ (SLOPES[loss]((r / scale) ** 2) * r)

    start = so.least_squares(residuals, np.ones(2), jacobian, loss=loss, f_scale=scale, **EXACTLY).x
    return so.fsolve(slope, start, xtol=1e-14)


def exact_squares(x):
    def residuals(p):
        return p[0] * np.exp(-p[1] * TIMES) - SEEN * x[0] - x[1] * TIMES

    def jacobian(p):
        return np.stack([np.exp(-p[1] * TIMES), -p[0] * TIMES * np.exp(-p[1] * TIMES)], 1)

    p = least(residuals, jacobian)
    return p[0] * p[1] + 1.5 * np.sum(residuals(p) ** 2)


@program(rtol=1e-6, second=False, exact=exact_squares)
def squares(x):
    found = so.least_squares(
        lambda p: p[0] * np.exp(-p[1] * TIMES) - SEEN * x[0] - x[1] * TIMES, [1.0, 1.0], **EXACTLY
    )
    return found.x[0] * found.x[1] + found.cost + np.sum(found.fun**2)


LINE = np.stack([np.ones_like(TIMES), TIMES], 1)
LOSSES = "soft_l1", "huber", "cauchy", "arctan"


def exact_losses(x):
    found = [least(lambda p: LINE @ p - SEEN * x[0] - x[1], lambda p: LINE, loss, 0.1) for loss in LOSSES]
    return sum(p[0] * p[1] for p in found)


@program(rtol=1e-6, second=False, exact=exact_losses)
def squares_with_a_loss(x):
    def residuals(p):
        return p[0] + p[1] * TIMES - SEEN * x[0] - x[1]

    found = 0.0
    for loss in LOSSES:
        p = so.least_squares(residuals, [1.0, 1.0], lambda p: LINE, loss=loss, f_scale=0.1, **EXACTLY)
        found = found + p.x[0] * p.x[1]
    return found


def exact_fit(x):
    weights = 1 / (1 + TIMES * x[2])
    p = np.linalg.lstsq(LINE * weights[:, None], (SEEN * x[0] + x[1] * TIMES) * weights, rcond=None)[0]
    return p[0] * p[1]


@program(rtol=1e-6, second=False, exact=exact_fit)
def fit(x):
    seen, sigma = SEEN * x[0] + x[1] * TIMES, 1 + TIMES * x[2]
    p, _ = so.curve_fit(lambda t, a, b: a + b * t, TIMES, seen, sigma=sigma, **EXACTLY)
    return p[0] * p[1]


# ----- integrals
@program()
def integral(x):
    return quad(lambda t, a: np.exp(-a * t**2), 0, x[1], args=(x[0],))[0]


@program()
def infinite_integral(x):
    return quad(lambda t: np.exp(-x[3] * t) * np.cos(t * x[1]), x[0], np.inf)[0]


@program(second=False)
def integral_over_all(x):
    return quad(lambda t: math.exp(-x[3] * t * t + x[0] * t), -np.inf, np.inf)[0]


@program(rtol=1e-6)
def singular_integral(x):
    return quad(lambda t: np.exp(-t * x[0]) / np.sqrt(t), 0, x[1])[0]


@program()
def integral_of_pieces(x):
    def f(t):
        return (x[0] + t) * x[1] if t < 0.5 else x[2] * t

    value, error, told = quad(f, 0, x[3], points=[0.5], full_output=1)
    return value + quad(f, x[1], x[1])[0] - quad(lambda t: x[0], x[3], x[1])[0]


@program(second=False)
def several_integrals(x):
    double = si.dblquad(lambda s, t: x[0] * s * t**2, 0, x[2], lambda t: 0.0, lambda t: t * x[3])[0]
    nested = si.nquad(lambda a, b, c: x[0] * a + b * c * x[3], [[0, x[2]], [0, 1]], args=(x[1],))[0]
    return double + nested


@program()
def integral_of_arrays(x):
    near = si.quad_vec(lambda t: np.exp(-x * t**2) * x[0], 0, x[1])[0]
    return np.sum(near**2) + np.sum(si.quad_vec(lambda t: np.exp(-x * t), x[0], np.inf)[0])


@program()
def integral_of_nothing(x):
    """Rows without elements beside others."""
    part = [si.quad_vec(lambda t, n=n: np.exp(-x[:n, None] * t) + 0.0 * x, 0, 1)[0] for n in (0, 2)]
    return np.sum(part[0]) + np.sum(part[1] ** 2)


@program()
def fixed_quadrature(x):
    return si.fixed_quad(lambda t: np.exp(-x[0] * t**2), 0, x[1], n=8)[0]


@program()
def integral_of_a_root(x):
    return quad(lambda t: brentq(lambda s: s**3 + s - t * x[0], -5, 5), 0, x[1])[0]


# ----- differential equations
def prey(t, y, a, b):
    return np.array([a * y[0] - b * y[0] * y[1], -y[1] + 0.5 * y[0] * y[1]])


@program(rtol=1e-6, second=False)
def states_at_times(x):
    found = solve_ivp(
        prey, (0, 1), x[2:], args=(x[0], x[1]), rtol=1e-9, atol=1e-11, t_eval=np.linspace(0, 1, 4)
    )
    return np.sum(found.y**2) if found.success and found.nfev else 0.0


@program(rtol=1e-5, second=False, exact=lambda x: x[1] * np.exp(-x[0]))
def coarse_steps(x):
    found = solve_ivp(lambda t, y: -y * x[0], (0.0, 1.0), [x[1]], method="RK23", rtol=1e-6, atol=1e-8)
    return found.y[0, -1]


@program(rtol=1e-6, second=False)
def limits_of_time(x):
    def f(t, y):
        return [y[1], -x[0] * np.sin(y[0]) + x[1] * np.cos(t)]

    found = solve_ivp(f, (0.1 * x[0], x[3]), x[2:], method="DOP853", rtol=1e-9, atol=1e-11)
    back = solve_ivp(lambda t, y: -y * x[0] * t, (1.0, 0.0), [x[2]], rtol=1e-8, atol=1e-10)
    return np.sum(found.y[:, -1]) + back.y[0, -1] + np.sum(found.t[-1])


@pytest.mark.parametrize("method", ["Radau", "BDF", "LSODA"])
def test_implicit_methods(method):
    def f(x):
        def slope(t, y):
            return [-50 * x[0] * (y[0] - np.cos(t * x[1])), y[0] - y[1]]

        return np.sum(solve_ivp(slope, (0, 0.5), x[2:], method=method, rtol=1e-6, atol=1e-8).y[:, -1])

    def exact(x):
        def slope(t, y):
            return [-50 * x[0] * (y[0] - np.cos(t * x[1])), y[0] - y[1]]

        return np.sum(solve_ivp(slope, (0, 0.5), x[2:], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1])

    np.testing.assert_allclose(grad(f)(X), differences(exact, X), rtol=1e-4, atol=1e-5)


@program(rtol=1e-6, second=False)
def older_equations(x):
    fine = {"rtol": 1e-10, "atol": 1e-12}
    first = odeint(lambda y, t: -x[0] * y, x[1], np.linspace(0, 1, 3), **fine)
    second = odeint(prey, x[2:], np.array([0.0, 0.5, x[0] + 1]), args=(x[0], x[1]), tfirst=True, **fine)
    return first[-1, 0] + np.sum(second[1:] ** 2)


# ----- what holds for all of them
@pytest.mark.drawn(of=160)
@pytest.mark.parametrize("f, rtol, second, exact", PROGRAMS)
def test_derivatives(f, rtol, second, exact):
    value, gradient = value_and_grad(f)(X.copy())
    assert value == f(X.copy())
    np.testing.assert_allclose(gradient, differences(exact, X), rtol=rtol, atol=rtol)
    other = X * np.array([1.1, 0.9, 1.05, 0.95])
    np.testing.assert_allclose(grad(f)(other.copy()), differences(exact, other), rtol=rtol, atol=rtol)
    if second:
        if exact is f:
            expected = differences(grad(f), X)
        else:
            expected = differences(lambda x: differences(exact, x, 1e-2), X, 1e-2)
        np.testing.assert_allclose(hessian(f)(X.copy()), expected, rtol=rtol, atol=rtol)


def test_third_derivative():
    def f(a):
        return brentq(lambda t: t**3 - a, 0, 5, xtol=1e-15)

    third = grad(grad(grad(f)))(2.0)
    assert third == pytest.approx(1 / 3 * -2 / 3 * -5 / 3 * 2.0 ** (-8 / 3), rel=1e-10)


def test_operators():
    v = np.array([0.2, -0.5, 1.0, 0.3])
    value, tangent = jvp(bracket, (X,), (v,))
    assert value == bracket(X) and tangent == pytest.approx(differences(bracket, X) @ v, rel=1e-8)

    def roots(x):
        return so.fsolve(lambda t: t**3 + t * x[0] - x, np.ones(4), xtol=1e-13)

    np.testing.assert_allclose(jacobian(roots)(X), differences(roots, X), rtol=1e-7, atol=1e-9)
    rows = np.stack([X, X * 1.1, X * 0.8])
    expected = np.stack([differences(bracket, x) for x in rows])
    np.testing.assert_allclose(vmap(grad(bracket))(rows), expected, rtol=1e-7)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_backends(backend):
    derivative = grad(compiled_around, backend=backend)
    for _ in range(3):
        np.testing.assert_allclose(derivative(X), differences(compiled_around, X), rtol=1e-7)
    assert derivative.mode == "compiled"


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("more", [1, 2])
def test_the_solver_runs_once(more):
    calls = []

    def f(x):
        def zero(t):
            calls.append(t)
            return t**3 - x[0]

        return brentq(zero, 0, 5)

    f(X)
    plain = len(calls)
    calls.clear()
    grad(f)(X)
    assert len(calls) <= plain + 2  # where the equation is recorded, and at the end of a chord
    assert more == 1 or hessian(f)(X)[0, 0] == pytest.approx(differences(grad(f), X)[0, 0], rel=1e-7)


def test_every_solver_has_a_handler():
    nested = {"dblquad", "tplquad", "nquad"}  # Python code that calls quad
    assert set(HANDLERS) | nested | set(FORMS) == set().union(*SOLVERS.values())
    assert all(hasattr(so._minpack if name in FORMS else so, name) for name in SOLVERS["scipy.optimize"])
    assert all(hasattr(si, name) for name in SOLVERS["scipy.integrate"])
    assert ast_ad.SolutionWarning
