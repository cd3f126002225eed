"""Is what a solver did, as one compiled operation, what it is when each call of the function is recorded?

Values are the solver's own, gradients those of a trace, and second derivatives those of differences.
"""

import math
import warnings

import numpy as np
import pytest
import scipy.optimize as so
from scipy.integrate import odeint, quad, solve_ivp

import ast_ad
from ast_ad import tracing
from ast_ad.calls import solver_calls
from ast_ad.tracing.solvers import collocated

P = np.array([0.7, 0.3])
TIGHT = {"rtol": 1e-6, "atol": 1e-8}
TIMES = np.linspace(0.0, 2.0, 7)


def epidemic(t, y, b, g):
    s, i, r = y
    return [-b * s * i, b * s * i - g * i, g * i]


def swapped(y, t, b, g):
    return epidemic(t, y, b, g)


def growth(t, y, p):
    return p[0] * y * (1.0 - y) - p[1] * np.sin(t) * y


def of_method(method):
    def f(p):
        found = solve_ivp(epidemic, (0.0, 1.0), [0.9, 0.1, 0.0], method, args=(p[0], p[1]), **TIGHT)
        return found.y[1, -1] + 2.0 * found.y[2, -1]

    f.__name__ = method
    return f


def at_times(p):
    found = solve_ivp(growth, (0.0, 2.0), p[:1], t_eval=TIMES, args=(p,), **TIGHT)
    return np.sum(found.y * TIMES)


def at_times_by_collocation(p):
    found = solve_ivp(growth, (0.0, 2.0), p[:1], "Radau", t_eval=TIMES[2:], args=(p,), **TIGHT)
    return np.sum(found.y * TIMES[2:])


def backwards(p):
    found = solve_ivp(lambda t, y: growth(t, y, p), (2.0, 0.0), [0.5 * p[1]], **TIGHT)
    return found.y[0, -1]


def backwards_by_collocation(p):
    return odeint(lambda y, t: growth(t, y, p), 0.5 * p[1], TIMES[::-1])[-1, 0]


def limits_that_move(p):
    return solve_ivp(lambda t, y: growth(t, y, p), (p[1], 1.0 + p[0]), [0.5], **TIGHT).y[0, -1]


def limits_that_move_by_collocation(p):
    return solve_ivp(lambda t, y: growth(t, y, p), (p[1], 1.0 + p[0]), [0.5], "LSODA", **TIGHT).y[0, -1]


def times_that_move(p):
    return np.sum(odeint(lambda y, t: growth(t, y, p), p[0], np.array([0.0, p[1], 1.0 + p[0]])) ** 2)


def odeint_swapped(p):
    return np.sum(odeint(swapped, [0.9, 0.1, 0.0], TIMES, args=(p[0], p[1]))[2:, 1])


def odeint_in_order(p):
    return np.sum(odeint(epidemic, [0.9, 0.1, 0.0], TIMES, args=(p[0], p[1]), tfirst=True)[2:, 1])


def stiff(p):
    def rhs(t, y):
        return np.array([-500.0 * p[0] * (y[0] - np.cos(t)), y[0] - p[1] * y[1]])

    return np.sum(solve_ivp(rhs, (0, 0.05), [0, 1], "BDF", **TIGHT).y[:, -1])


def a_number(p):
    return solve_ivp(lambda t, y: -p[0] * y[0], (0, 1), [p[1]], **TIGHT).y[0, -1]


def an_int_among_arguments(p):
    def rhs(t, y, n, k):
        return -k[0] * y**n + k[1]

    return np.sum(solve_ivp(rhs, (0, 1), [1.0, 2.0], "BDF", args=(2, p), **TIGHT).y[:, -1])


def loops_and_branches(p):
    def rhs(t, y):
        out = np.zeros(3)
        for i in range(3):
            out[i] = -p[0] * y[i] if y[i] > y[i - 1] else p[1] * y[i - 1]
        return out

    return np.sum(solve_ivp(rhs, (0, 0.5), [1.0, 2.0, 0.2], "RK23", **TIGHT).y[:, -1] ** 2)


def returns_its_point(p):
    return p[0] * np.sum(solve_ivp(lambda t, y: y, (0, 1), [p[1], 1.0]).y[:, -1])


def depends_on_the_first_state_alone(p):
    return np.sum(solve_ivp(lambda t, y: -y * y, (0, 1), [p[0], 1.0], "Radau", **TIGHT).y[:, -1] * p[1])


def no_steps(p):
    one = solve_ivp(lambda t, y: -p * y, (1.0, 1.0), p).y
    return np.sum(one) + odeint(lambda y, t: p * y, p, [0.0])[0, 0]


def few_steps(p):
    return solve_ivp(lambda t, y: -p[0] * y * y, (0, 0.01), [p[1]], "Radau", **TIGHT).y[0, -1]


def in_a_loop(p):
    y, total = np.array([1.0, 0.5]), 0.0
    for k in range(3):
        y = solve_ivp(lambda t, y: -p * y + k * y[::-1], (0, 0.5), y).y[:, -1]  # noqa: B023
        total += y[0] * p[0]
    return total


def written_afterwards(p):
    start, rates = np.array([1.0, 0.5]), p * 1.0
    y = odeint(lambda y, t: -rates * y, start, TIMES)[-1]
    start[0], rates[1] = 5.0, 7.0
    return np.sum(y * rates) + start[0]


# ----- roots
def of_one(p):
    return so.brentq(lambda x: x**3 - p[0] * x - p[1], 0.5, 5.0)


def of_two(p):
    return np.sum(so.fsolve(lambda x: [x[0] ** 2 + p[0] * x[1] - 1, x[1] - p[1] * x[0]], [0.5, 0.5]) * p)


def by_root(p):
    found = so.root(lambda x, k: x + 0.3 * np.sin(k * x[::-1]) - p, np.ones(2), args=(2,))
    return found.x[0] * found.x[1]


def of_a_root(p):
    q = so.brentq(lambda x: x + p[0] * np.tanh(x) - 1, -1, 2)
    return so.newton(lambda x: x * x - q * p[1] - 1, 1.0)


# ----- integrals
def with_math(p):
    return quad(lambda t: math.exp(-p[0] * t * t), 0.0, 1.0 + p[1])[0]


def on_both_sides_of_a_branch(p):
    return quad(lambda t: t * p[0] if t < 0.5 else p[1] * math.cos(t), 0.0, 1.0, points=[0.5])[0]


def with_arguments(p):
    return quad(lambda t, n, k: k * math.cos(n * t), p[1], np.inf if p[0] < 0 else 2.0, args=(2, p[0]))[0]


PROGRAMS = [
    *(of_method(m) for m in ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")),
    at_times, at_times_by_collocation, backwards, backwards_by_collocation, limits_that_move,
    limits_that_move_by_collocation, times_that_move, odeint_swapped, odeint_in_order, stiff, a_number,
    an_int_among_arguments, loops_and_branches, returns_its_point, depends_on_the_first_state_alone,
    no_steps, few_steps, in_a_loop, written_afterwards, of_one, of_two, by_root, of_a_root, with_math,
    on_both_sides_of_a_branch, with_arguments,
]  # fmt: skip


def differences(f, x, step=1e-2):
    rows = np.eye(len(x)) * step
    near = [(np.asarray(f(x + r)) - f(x - r)) / (2 * step) for r in rows]
    far = [(np.asarray(f(x + 2 * r)) - f(x - 2 * r)) / (4 * step) for r in rows]
    return np.array([(4 * a - b) / 3 for a, b in zip(near, far, strict=True)])


def traced_gradient(f, x):
    return tracing.trace(f, (x,), {}, (0,))[1]((1.0,))[0]


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_a_trace_records(f):
    gradient = ast_ad.value_and_grad(f)
    value, found = gradient(P)
    assert value == f(P)
    np.testing.assert_allclose(found, traced_gradient(f, P), rtol=1e-9, atol=1e-11)
    x = 1.1 * P
    value, found = gradient(x)
    assert value == f(x)
    np.testing.assert_allclose(found, differences(f, x), rtol=1e-3, atol=1e-4)
    assert gradient.mode == "compiled"


SECOND = [few_steps, of_two, of_a_root, with_math, limits_that_move]


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", SECOND, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    """The pullback of a pullback to first order is that of a call which is recorded."""
    v = np.array([0.3, -1.0])
    gradient = ast_ad.grad(f)
    product = ast_ad.grad(lambda x: np.sum(gradient(x) * v))
    np.testing.assert_allclose(product(P), differences(gradient, P) @ v, rtol=1e-3, atol=1e-3)
    assert product.mode == "compiled"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)  # tangents of what is recorded are traced
        np.testing.assert_allclose(ast_ad.jvp(f, (P,), (v,))[1], gradient(P) @ v, rtol=1e-9)
        np.testing.assert_allclose(ast_ad.hvp(f, (P,), (v,))[0], product(P), rtol=1e-6)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_both_backends(backend):
    for f in (at_times, odeint_in_order, of_two):
        found = ast_ad.grad(f, backend=backend)(P)
        np.testing.assert_allclose(found, traced_gradient(f, P), rtol=1e-9)


def test_the_function_is_called_as_plain_python_only_by_the_solver(monkeypatch):
    """A step that is recorded call by call would be seen here."""

    def recorded(*args):
        raise AssertionError("the equation of a step was recorded")

    monkeypatch.setattr(collocated, "collocation", recorded)
    monkeypatch.setattr(tracing.solvers.steps, "collocation", recorded)
    monkeypatch.setattr(tracing.solvers.steps, "explicit", recorded)
    for f in (odeint_swapped, of_method("RK45"), of_method("BDF")):
        ast_ad.grad(f)(P)


def test_a_step_without_a_solution_is_recorded():
    """Where one minus the length times the slope is zero, nothing is known to first order."""

    def f(p):
        return solve_ivp(lambda t, y: 0.0 * y + p[0], (0, 1), [p[1]], "Radau").y[0, -1]

    found = ast_ad.grad(f)(P)
    np.testing.assert_allclose(found, [1.0, 1.0], rtol=1e-12)


def test_what_can_not_be_compiled_as_a_whole_is_recorded_call_by_call(monkeypatch):
    from ast_ad.calls.solver_calls import Lifted

    monkeypatch.setattr(Lifted, "within", lambda self, walk: None)
    for f in (at_times, odeint_in_order, of_two, with_math):
        np.testing.assert_allclose(ast_ad.grad(f)(P), traced_gradient(f, P), rtol=1e-9)


def test_jacobians_of_a_model_are_compiled():
    """By rows, since tangents of a solver would be traced; the table of times has no part in it."""
    times = TIMES * 1.0

    def model(p):
        return odeint(swapped, [0.9, 0.1, 0.0], times, args=(p[0], p[1]))[:, 1]

    jacobian = ast_ad.jacobian(model)
    expected = differences(model, P).T
    np.testing.assert_allclose(jacobian(P), expected, rtol=1e-4, atol=1e-6)
    assert jacobian.mode == "compiled"
    before = jacobian(P)
    times[1:] *= 0.5
    assert not np.allclose(jacobian(P), before)
    np.testing.assert_allclose(jacobian(P), differences(model, P).T, rtol=1e-4, atol=1e-6)


def test_what_nothing_is_asked_of_is_not_recorded(monkeypatch):
    """Of a derivative within a program, too: its other arguments have no part in what a call records."""
    from ast_ad.calls.solver_calls import SolverCall

    recorded, counts = SolverCall._recorded, []

    def counted(self, leaves, constants, to_first_order=True):
        counts.append(len(leaves))
        return recorded(self, leaves, constants, to_first_order)

    monkeypatch.setattr(SolverCall, "_recorded", counted)

    def f(p, q):
        return np.stack([so.brentq(lambda x: x**3 - p * x - q, 0.5, 5.0), p * q])

    np.testing.assert_allclose(ast_ad.jacrev(f)(0.7, 0.3)[1], 0.3)
    assert counts == [1]


def test_a_failure_of_the_compiler_is_told(monkeypatch):
    """What is recorded call by call instead is right, and the user is asked to report it."""
    compiled_vjp = solver_calls.compiled_vjp

    def fails(function, args, every=None):
        if "walked" in function.__qualname__:
            raise solver_calls.CannotCompile() from ast_ad.errors.InternalError(
                "a test", why="it fails", fix="no"
            )
        return compiled_vjp(function, args, every)

    monkeypatch.setattr(solver_calls, "compiled_vjp", fails)
    with pytest.warns(ast_ad.errors.DefectWarning, match="it fails"):
        found = ast_ad.grad(odeint_in_order)(P)
    np.testing.assert_allclose(found, traced_gradient(odeint_in_order, P), rtol=1e-9)


def test_second_derivatives_that_are_checked():
    """The pullback of an equation gives its cotangents leaf by leaf when it is run plainly, too."""
    gradient = ast_ad.grad(with_math, check=True)
    found = ast_ad.grad(lambda p: np.sum(gradient(p) * P), check=True)(P)
    np.testing.assert_allclose(found, differences(gradient, P) @ P, rtol=1e-3, atol=1e-3)
