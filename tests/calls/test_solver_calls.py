"""Is a solver in a compiled program the operation that a trace makes of it, whatever its function reads?

Values are those of the plain function to the bit, gradients those of a trace, and of differences.
"""

import functools
import threading
import warnings

import numpy as np
import pytest
import scipy.optimize as so
from scipy.integrate import dblquad, odeint, quad, solve_ivp
from scipy.optimize import brentq, fsolve, newton

import ast_ad
from ast_ad import tracing
from ast_ad.calls import solver_calls
from ast_ad.errors import DefectWarning, InternalError

P, PAIR = 1.3, np.array([1.2, 0.9])
OUTSIDE = np.array([2.0, 3.0])
TIGHT = {"rtol": 1e-8, "atol": 1e-10}


def cubic(x, p, q=2.0):
    return x**3 - p * x - q


def solved(p, low=0.0):
    return brentq(lambda x: cubic(x, p), low, 5.0)


class Model:
    def __init__(self, k):
        self.k = k

    def equation(self, x, p):
        return cubic(x, p, self.k)

    def solve(self, p):
        return brentq(self.equation, 0.0, 5.0, args=(p,)) + brentq(lambda x: self.equation(x, p), 0, 5)


MODEL = Model(2.0)


# ----- what the function reads
def a_helper(p):
    return np.sin(solved(p)) * solved(2 * p, 0.5)


def arguments(p):
    return brentq(cubic, 0.0, 5.0, args=(p[0], p[1])) + brentq(f=cubic, a=0, b=p[0] * 5, args=tuple(p))


def one_argument(p):
    return brentq(cubic, 0.0, 5.0, args=p)


def read_late(p):
    q = p
    f = lambda x: cubic(x, q)  # noqa: E731
    q = 2.0 * p
    root = brentq(f, 0.0, 5.0)
    q = 3.0 * p
    return root + brentq(f, 0.0, 5.0)


def made_in_a_loop(p):
    functions = []
    for i in range(3):
        functions.append(lambda x: cubic(x, p + i))  # noqa: B023
    fixed = [lambda x, i=i: cubic(x, p + i) for i in range(3)]
    return brentq(functions[0], 0.0, 5.0) + 2 * brentq(fixed[0], 0.0, 5.0)


def defaults(p):
    def f(x, q=p, *, r=2 * p):
        return cubic(x, q, r)

    return brentq(f, 0.0, 9.0)


def containers(p):
    c = {"a": p, "b": [2.0, p * p]}
    f = lambda x: cubic(x, c["a"], c["b"][0] * c["b"][1])  # noqa: E731
    c["a"] = 2 * p
    return brentq(f, 0.0, 9.0)


def arrays_and_ints(p):
    w, k, n = p[::-1] * np.array([1.0, 2.0]), np.array([1, 2]), len(p)
    return brentq(lambda x: np.sum(w * x**k) - n, 0.0, 5.0)


def a_view_that_is_written(p):
    a = np.zeros(3)
    b = a[:2]
    f = lambda x: np.sum(a) * x - 2.0  # noqa: E731
    b[0], b[1] = p[0], p[1] ** 2
    return brentq(f, 0.0, 9.0)


def functions_in_functions(p):
    q = p

    def g(x):
        return q * x

    def make(k):
        return lambda m: lambda x: k * x**3 - g(m * x) - 2

    q = 3 * p
    return brentq(make(p)(2 * p), 0.0, 9.0)


def two_on_a_line(p):
    return brentq(lambda x: cubic(x, p), 0, 5) + brentq(lambda x: cubic(x, 3 * p), 0, 5)


def a_method(p):
    return MODEL.solve(p)


def a_partial(p):
    return brentq(functools.partial(cubic, p=p), 0.0, 5.0)


def from_outside(p):
    return brentq(lambda x: OUTSIDE[0] * x**3 - p * x - OUTSIDE[1], 0, 5)


def nothing(p):
    return p * brentq(lambda x: x**3 - 2.0, 0.0, 5.0)


# ----- solvers
def in_a_loop(p):
    total, i = 0.0, 0
    while i < 3:
        total += brentq(lambda x: cubic(x, p + total), 0, 9)  # noqa: B023
        i += 1
    return total


def on_a_path(p):
    return brentq(lambda x: cubic(x, p), 0, 5) if p > 1 else p


def a_solver_in_another(p):
    def outer(x):
        y = brentq(lambda y: y**3 + y - x * p, -10.0, 10.0, xtol=1e-14)
        return y + x - quad(lambda s: s * p, 0.0, 2.0)[0]

    return brentq(outer, -10.0, 10.0, xtol=1e-14)


def a_system(p):
    def f(z):
        z = np.array(z)
        z[0] = z[0] * p[0]
        return z - p * z[1]

    return (
        np.sum(fsolve(f, np.array([1.0, 1.0]))) + so.root(lambda z: [z[0] * z[1] - p[0], z[0] - p[1]], p).x[1]
    )


def newtons(p):
    plain = newton(lambda x: cubic(x, p), 2.0, fprime=lambda x: 3 * x * x - p)
    return plain + so.root_scalar(lambda x: cubic(x, p), bracket=[0, 5]).root


def an_integral(p):
    value, error = quad(lambda s, b: np.exp(-p[0] * s) * b, p[0], 2 * p[1], args=(p[1],))
    return value


def a_minimum(p):
    found = so.minimize(lambda z: (z[0] - p[0]) ** 2 + z[0] * z[1] * 0.1 + (z[1] - p[1]) ** 2, np.zeros(2))
    return found.fun * 2.0 + found.x[0] if found.success else 0.0


def minima(p):
    line = so.minimize_scalar(lambda z: (z - p[0]) ** 2 + 0.1 * (z - p[1]) ** 4)
    given = so.minimize(lambda z: (np.sum((z - p) ** 2), 2 * (z - p)), np.zeros(2), jac=True)
    squares = so.least_squares(lambda z: np.array([z[0] - p[0], z[0] * z[1] - p[1], z[1] - 0.3]), np.ones(2))
    return line.x + given.x[1] + squares.x[1] * squares.cost


def states(p):
    def rhs(t, y):
        dy = np.zeros(2)
        dy[0] = -p[0] * y[0]
        dy[1] = p[0] * y[0] - p[1] * y[1]
        return dy

    return solve_ivp(rhs, (0.0, p[0]), [1.0, p[1]], **TIGHT).y[1, -1]


def old_states(p):
    y = odeint(lambda y, t: [-p[0] * y[0], p[0] * y[0] - p[1] * y[1]], [1.0, 0.0], np.linspace(0, 2, 5))
    return y[-1, 1] * p[0]


def of_an_object_that_is_made(p):
    return Model(p).solve(p)


COMPILED = [
    (a_helper, P), (arguments, PAIR), (one_argument, P), (read_late, P), (made_in_a_loop, P), (defaults, P),
    (containers, P), (arrays_and_ints, PAIR), (a_view_that_is_written, PAIR), (functions_in_functions, P),
    (two_on_a_line, P), (a_method, P), (a_partial, P), (from_outside, P), (nothing, P), (in_a_loop, P),
    (on_a_path, P), (a_solver_in_another, 1.1), (a_system, PAIR), (newtons, P), (an_integral, PAIR),
    (a_minimum, PAIR), (minima, PAIR), (states, PAIR), (old_states, PAIR), (of_an_object_that_is_made, P),
]  # fmt: skip


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        warnings.simplefilter("ignore", ast_ad.SolutionWarning)
        yield


def traced(f, x):
    value, pullback = tracing.trace(f, (x,), {}, [0])
    return value, pullback([1.0])[0]


def differences(f, x, h=1e-5):
    if np.ndim(x) == 0:
        return (f(x + h) - f(x - h)) / (2 * h)
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f, x", COMPILED)
def test_programs_with_solvers(f, x):
    gradient = ast_ad.value_and_grad(f)
    gradient(x)  # which may tell of what type a number is
    value, found = gradient(x)
    assert gradient.mode == "compiled"
    plain = f(x)
    assert value == plain
    assert type(value) is type(plain)
    np.testing.assert_allclose(found, traced(f, x)[1], rtol=1e-9, atol=1e-12)
    if f not in (a_minimum, minima, old_states):  # whose solutions are not as close
        np.testing.assert_allclose(found, differences(f, x), rtol=1e-5, atol=1e-7)


SEVERAL = [a_helper, arrays_and_ints, a_solver_in_another, a_system, an_integral, a_minimum, states]


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("f", SEVERAL)
def test_higher_derivatives(f):
    x = dict(COMPILED)[f]
    gradient = ast_ad.grad(f)
    expected = differences(gradient, x)
    v = np.ones_like(x)[()]
    np.testing.assert_allclose(ast_ad.hessian(f)(x), expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(ast_ad.hvp(f, (x,), (v,))[0], np.dot(expected, v), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(ast_ad.jvp(f, (x,), (v,))[1], np.dot(gradient(x), v), rtol=1e-9)
    np.testing.assert_allclose(ast_ad.jacfwd(f)(x), gradient(x), rtol=1e-9)
    twice = ast_ad.grad(lambda x: np.sum(ast_ad.grad(f)(x)))
    np.testing.assert_allclose(twice(x), np.dot(expected, v), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("f", [a_helper, arrays_and_ints, in_a_loop])
def test_rows(f):
    x = dict(COMPILED)[f]
    rows = np.stack([x, 1.1 * x])
    np.testing.assert_array_equal(ast_ad.vmap(f)(rows), [f(row) for row in rows])
    gradient = ast_ad.grad(f)
    expected = [gradient(row) for row in rows]
    np.testing.assert_allclose(ast_ad.vmap(gradient)(rows), expected, rtol=1e-9)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_nothing_is_traced(backend, monkeypatch):
    """Where it is an error to trace, a solver is no error."""
    monkeypatch.setattr(tracing.recorder, "_traced", None)
    for f, x in ((a_helper, P), (in_a_loop, P), (a_solver_in_another, 1.1)):
        gradient = ast_ad.grad(f, backend=backend, fallback="error", check=False)
        np.testing.assert_allclose(gradient(x), differences(f, x), rtol=1e-5)


# ----- what stays traced
def counts_its_calls(p):
    n = [0]

    def f(x):
        n[0] += 1
        return cubic(x, p)

    return brentq(f, 0.0, 9.0) * (1 if n[0] > 3 else 100)


def rebinds(p):
    n = 0

    def f(x):
        nonlocal n
        n += 1
        return cubic(x, p)

    return brentq(f, 0.0, 9.0) * (1 if n > 3 else 100)


def writes_around_itself(p):
    last = np.zeros(1)

    def f(x):
        last[0] = x
        return cubic(x, p)

    return brentq(f, 0.0, 9.0) + 0.0 * np.sum(last > 100)


def writes_under_another_name(p):
    last = p * np.zeros(1)

    def f(x):
        other = last
        other[0] = 1.0
        return cubic(x, p)

    return brentq(f, 0.0, 9.0) + last[0]


def calls_itself(p):
    def f(x, n=0):
        return f(x, 1) - p * x if n == 0 else x**3 - 2.0

    return brentq(f, 0.0, 9.0)


def tells_more(p):
    root, told = brentq(lambda x: cubic(x, p), 0, 5, full_output=True)
    return root * (told.flag == "converged")


def returns_all(p):
    found = so.minimize(lambda z: (z[0] - p) ** 2, np.zeros(1))
    return found["x"][0] * (found.nit > 0)


def in_two_dimensions(p):
    return dblquad(lambda y, x: p * x * y + p, 0, 1, 0, 2)[0]


def raises_within(p):
    try:
        return brentq(lambda x: x**3 + p * x * x + 2.0, 1.0, 5.0)
    except ValueError:
        return p * p


def after_a_store(p):
    MODEL.k = 2.0 * p
    root = MODEL.solve(p)
    MODEL.k = 2.0
    return root


LEFT = [
    counts_its_calls, rebinds, writes_around_itself, writes_under_another_name, calls_itself, tells_more,
    returns_all, in_two_dimensions, raises_within, after_a_store,
]  # fmt: skip


@pytest.mark.parametrize("f", LEFT)
def test_what_is_not_proven_is_traced(f):
    gradient = ast_ad.value_and_grad(f)
    for _ in range(2):
        value, found = gradient(P)
        assert value == f(P)
        assert found == pytest.approx(differences(f, P), rel=1e-4, abs=1e-7)
    assert gradient.mode == "fallback"


def test_a_result_that_leaves_is_told_of():
    def f(p):
        found = so.minimize(lambda z: np.sum((z - p) ** 2), np.zeros(2))
        return np.sum(found.x), found

    with pytest.raises(ast_ad.AdError, match="an OptimizeResult that leaves the function"):
        ast_ad.grad(f, has_aux=True, fallback="error")(PAIR)


# ----- warnings and errors
def test_the_line_of_what_can_not_be_trusted():
    def f(p):
        return newton(lambda x: x * x + p, 1.0, maxiter=3, disp=True)

    with pytest.raises(RuntimeError, match="Failed to converge after 3"):
        ast_ad.grad(f)(P)

    def least(p):
        return so.minimize(lambda z: (z[0] - p) ** 2, [0.5], bounds=[(0.0, 1.0)]).x[0]

    gradient = ast_ad.grad(least)
    with pytest.warns(ast_ad.SolutionWarning, match=r"test_solver_calls.py:\d+, in least: .* on a bound"):
        assert gradient(P) == 0.0
    assert gradient.mode == "compiled"


def test_an_exception_of_the_function():
    def f(p):
        def equation(x):
            if x > 4.0:
                raise KeyError("here")
            return cubic(x, p)

        return brentq(equation, 0.0, 5.0)

    with pytest.raises(KeyError, match="here"):
        ast_ad.grad(f)(P)


def test_threads():
    gradient = ast_ad.grad(in_a_loop)
    expected, found = [gradient(p) for p in (1.1, 1.3)], {}

    def run(at, p):
        found[at] = [gradient(p) for _ in range(10)]

    threads = [threading.Thread(target=run, args=(i, p)) for i, p in enumerate((1.1, 1.3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: [bar] * 10 for i, bar in enumerate(expected)}


def test_an_equation_that_is_not_compiled_is_traced_alone(monkeypatch):
    def refuse(*args):
        raise solver_calls.CannotCompile

    monkeypatch.setattr(solver_calls, "compiled_vjp", refuse)
    for f, x in ((arguments, PAIR), (a_minimum, PAIR), (functions_in_functions, P)):
        gradient = ast_ad.value_and_grad(f)
        value, found = gradient(x)
        assert gradient.mode == "compiled"
        assert value == f(x)
        np.testing.assert_allclose(found, traced(f, x)[1], rtol=1e-9)


def test_a_failure_of_the_compiler_is_told(monkeypatch):
    def fail(*args):
        raise solver_calls.CannotCompile from InternalError("the compiler failed: KeyError: 'boom'")

    monkeypatch.setattr(solver_calls, "compiled_vjp", fail)
    with pytest.warns(DefectWarning, match=r"`brentq`.*E9.*boom"):
        found = ast_ad.grad(arguments)(PAIR)
    np.testing.assert_allclose(found, traced(arguments, PAIR)[1], rtol=1e-9)


def test_arguments_and_globals_stay_as_they_are():
    x = PAIR.copy()
    ast_ad.grad(states)(x)
    np.testing.assert_array_equal(x, PAIR)
    OUTSIDE[0] = 4.0
    try:
        gradient = ast_ad.grad(from_outside)
        assert gradient(P) == pytest.approx(differences(from_outside, P), rel=1e-6)
        OUTSIDE[0] = 2.0
        assert gradient(P) == pytest.approx(differences(from_outside, P), rel=1e-6)
    finally:
        OUTSIDE[0] = 2.0


def error_of_an_integral(p):
    return quad(lambda x: np.exp(-p * x), 0.0, 1.0)[1]


def integral_and_error(p):
    value, error = quad(lambda x: np.exp(-p * x), 0.0, 1.0)
    return value + 1e6 * error


def error_by_a_zero(p):
    """The derivative by the factor is the error, but not known is how that varies."""
    value, error = quad(lambda x: np.exp(-p * x), 0.0, 1.0)
    return value * p + error * (p - 1.3)


@pytest.mark.parametrize("f", [error_of_an_integral, integral_and_error])
def test_what_a_solver_tells_beside_has_no_derivative(f):
    """Refused, not zero; without a check of the first call that would find it."""
    gradient = ast_ad.grad(f, check=False)
    for _ in range(2):
        with pytest.raises(ast_ad.AdError, match="the way that the solver took"):
            gradient(P)


def test_what_nothing_depends_on_is_not_refused():
    value, second = ast_ad.value_and_grad(ast_ad.grad(lambda p: quad(lambda x: np.exp(-p * x), 0.0, 1.0)[0]))(
        P
    )
    e = np.exp(-P)
    assert value == pytest.approx((e * (P + 1) - 1) / P**2, rel=1e-10)
    assert second == pytest.approx((2 - e * (P**2 + 2 * P + 2)) / P**3, rel=1e-8)


def test_a_cotangent_that_happens_to_be_zero_is_no_absent_one():
    gradient = ast_ad.grad(error_by_a_zero, check=False)
    assert gradient(P) == pytest.approx(
        (error_by_a_zero(P + 1e-4) - error_by_a_zero(P - 1e-4)) / 2e-4, rel=1e-6
    )
    with pytest.raises(ast_ad.AdError, match="the way that the solver took"):
        ast_ad.grad(ast_ad.grad(error_by_a_zero, check=False), check=False)(P)
