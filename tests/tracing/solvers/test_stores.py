"""What functions store while a solver runs has no derivative, as all that comes from the solver's way.

It is refused where it has an influence, and only there.
"""

import functools

import numpy as np
import pytest
import scipy.integrate as si
import scipy.optimize as so
from scipy.optimize import brentq

import ast_ad
from ast_ad import grad, jvp

pytestmark = pytest.mark.filterwarnings(
    "ignore::ast_ad.FallbackWarning", "ignore::RuntimeWarning", "ignore::ast_ad.SolutionWarning"
)
X = np.array([0.3, 0.7])
KEPT = {}


def cubic(t, x):
    return t**3 + t - x[0]


def squares(t, x):
    return np.sum((t - x) ** 2)


# ----- points
def a_point(x):
    seen = []

    def f(t):
        seen.append(t)
        return cubic(t, x)

    return brentq(f, -5, 5) + seen[3]


def made_of_a_point(x):
    seen = []

    def f(t):
        seen.append({"t": (2 * t + 1,)})
        return cubic(t, x)

    return x[1] * brentq(f, -5, 5) * seen[-3]["t"][0]


def written_to_an_array(x):
    seen, count = np.zeros(99), 0

    def f(t):
        nonlocal count
        seen[count] = t
        count += 1
        return cubic(t, x)

    return brentq(f, -5, 5) + seen[3]


def written_to_a_view(x):
    seen = np.zeros((2, 99))
    row, count = seen[1], 0

    def f(t):
        nonlocal count
        row[count] = t * x[0]
        count += 1
        return cubic(t, x)

    return brentq(f, -5, 5) + seen[1, 3]


def the_end_of_a_chord(x):
    seen = []

    def f(t):
        seen.append(t * x[0])
        return cubic(t, x)

    return brentq(f, -5, 5) + seen[-2]


def the_best(x):
    best = [np.inf, None]

    def f(t):
        cost = squares(t, x)
        if cost < best[0]:
            best[:] = [cost, t.copy()]
        return cost

    so.minimize(f, np.zeros(2), method="Nelder-Mead")
    return best[1][0]


def of_a_callback(x):
    seen = []
    so.minimize(lambda t: squares(t, x), np.zeros(2), callback=lambda t: seen.append(t.copy()))
    return seen[-1][0]


def of_a_callback_with_a_result(x):
    seen = []

    def note(intermediate_result):
        seen.append(intermediate_result.x[0] * 2)

    so.minimize(lambda t: squares(t, x), np.zeros(2), callback=note)
    return seen[-1]


class Logged:
    last = 0.0

    def note(self, times, t, f):
        self.last = times * t[0]


def of_a_method(x):
    log = Logged()
    so.broyden1(lambda t: t**3 + t - x, X * 0.9, callback=None)
    so.root(lambda t: t**3 + t - x, X * 0.9, method="broyden1", callback=functools.partial(log.note, 3))
    return log.last


def of_an_integrand(x):
    seen = []

    def f(t):
        seen.append(np.exp(-t * x[0]))
        return seen[-1]

    return si.quad(f, 0.0, x[1])[0] + seen[2]


def of_an_equation(x):
    seen = []

    def f(t, y):
        seen.append(y.copy())
        return -x[0] * y

    return np.sum(si.solve_ivp(f, (0.0, 1.0), x).y[:, -1]) + seen[7][0]


def of_an_older_equation(x):
    seen = []

    def f(y, t):
        seen.append(y[0])
        return -x[0] * y

    return np.sum(si.odeint(f, x, [0.0, 1.0])) + seen[5]


def of_an_inner_solver(x):
    seen = []

    def inner(t):
        return brentq(lambda s: (seen.append(s), s**3 + s - t * x[0])[1], -5, 5)

    return brentq(lambda t: t - inner(t) - x[1], -5, 5) + seen[3]


def made_once_and_read(x):
    """The equation reads what was made at the first point."""
    made = []

    def f(t):
        if not made:
            made.append(np.exp(x))
        return t**3 + t - made[0][0]

    return brentq(f, -5, 5)


# ----- what a solver tells beside its solution
def steps_of_a_simplex(x):
    return so.fmin(lambda t: squares(t, x), np.zeros(2), disp=0, retall=True)[1][-1][0]


def all_vectors(x):
    found = so.minimize(
        lambda t: squares(t, x), np.zeros(2), method="Nelder-Mead", options={"return_all": True}
    )
    return found.allvecs[-1][0]


def the_simplex(x):
    return so.minimize(lambda t: squares(t, x), np.zeros(2), method="Nelder-Mead").final_simplex[1][0]


def other_minima(x):
    return so.shgo(lambda t: squares(t, x), [(-3, 3)] * 2).xl[0][0]


def the_lowest_result(x):
    found = so.basinhopping(lambda t: squares(t, x), np.zeros(2), niter=2, seed=1)
    return found.lowest_optimization_result.x[0]


def differences_of_a_fit(x):
    times = np.linspace(0, 1, 10)
    return so.curve_fit(lambda t, a: a * t, times, times**2 * x[0], full_output=True)[2]["fvec"][4]


def differences_of_squares(x):
    times = np.linspace(0, 1, 10)
    return so.leastsq(lambda p: p[0] * times - times**2 * x[0], [1.0], full_output=True)[2]["fvec"][4]


def factors_of_fsolve(x):
    return so.fsolve(lambda t: t**3 + t - x, X, full_output=True)[1]["r"][0]


def factors_of_root(x):
    return so.root(lambda t: t**3 + t * x[1] - x, X).fjac[0, 0]


def the_error_of_an_integral(x):
    return si.quad(lambda t: np.exp(-x[0] * t), 0, 1)[1]


def parts_of_an_integral(x):
    told = si.quad(lambda t: np.exp(-x[0] * t), 0, 1, full_output=True)[2]
    return np.sum(told["rlist"][: told["last"]])


REFUSED = [
    a_point,
    made_of_a_point,
    written_to_an_array,
    written_to_a_view,
    the_end_of_a_chord,
    the_best,
    of_a_callback,
    of_a_callback_with_a_result,
    of_a_method,
    of_an_integrand,
    of_an_equation,
    of_an_older_equation,
    of_an_inner_solver,
    made_once_and_read,
    steps_of_a_simplex,
    all_vectors,
    the_simplex,
    other_minima,
    the_lowest_result,
    differences_of_a_fit,
    differences_of_squares,
    factors_of_fsolve,
    factors_of_root,
    the_error_of_an_integral,
    parts_of_an_integral,
]


@pytest.mark.drawn(of=14)
@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("f", REFUSED)
def test_refused(f, check):
    for _ in range(2):
        with pytest.raises(ast_ad.AdError, match="the way that the solver took"):
            grad(f, check=check)(X.copy())


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", [a_point, written_to_an_array, made_once_and_read, the_simplex])
def test_refused_by_others(f):
    with pytest.raises(ast_ad.AdError, match="the way that the solver took"):
        jvp(f, (X.copy(),), (np.ones(2),))
    with pytest.raises(ast_ad.AdError, match="the way that the solver took"):
        ast_ad.hessian(f)(X.copy())


# ----- what has an influence only as a constant, or none
def counted(x):
    seen, points = [], np.zeros(99)

    def f(t):
        points[len(seen)] = t
        seen.append(t)
        return cubic(t, x)

    root = brentq(f, -5, 5, xtol=1e-14)
    return root * float(len(seen) > 3) if np.max(points) < 9.0 and seen[2] < 9.0 else 0.0


def a_buffer(x):
    buffer = np.zeros(2)

    def f(t):
        buffer[0] = t**3 + t
        buffer[1] = -x[0]
        return np.sum(buffer)

    return brentq(f, -5, 5, xtol=1e-14)


def stopped(x):
    seen = []

    def f(t):
        seen.append(t)
        return cubic(t, x)

    return brentq(f, -5, 5, xtol=1e-14) + ast_ad.stop_gradient(0.0 * seen[3])


def of_a_constant(x):
    seen, points = [], np.zeros(99)

    def f(t):
        points[len(seen)] = t
        seen.append(t)
        return t**3 - 2.0

    brentq(f, -5, 5)
    return brentq(lambda t: cubic(t, x), -5, 5, xtol=1e-14) + seen[3] + points[2] - seen[3] - points[2]


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", [counted, a_buffer, stopped, of_a_constant])
def test_what_is_no_part_of_the_derivative(f):
    root = brentq(lambda t: cubic(t, X), -5, 5, xtol=1e-14)
    for check in (True, False):
        np.testing.assert_allclose(grad(f, check=check)(X.copy()), [1 / (3 * root**2 + 1), 0.0], rtol=1e-9)


def test_points_that_are_kept_are_plain_afterwards():
    def f(x):
        return brentq(lambda t: (KEPT.setdefault("points", []).append(t), cubic(t, x))[1], -5, 5)

    grad(f, fallback="trace")(X.copy())
    assert KEPT["points"] and all(type(t) is float for t in KEPT["points"])


# ----- what is none of the function's
OUTSIDE = np.zeros(99)


def best_in_an_array_from_outside(x):
    calls = []

    def f(t):
        calls.append(0)
        if len(calls) == 4:
            OUTSIDE[0] = t * x[0]
        return cubic(t, x)

    return brentq(f, -5, 5) + OUTSIDE[0]


def point_in_an_array_from_outside(x):
    def note(t):
        OUTSIDE[:2] = t

    so.minimize(lambda t: squares(t, x), np.zeros(2), callback=note)
    return OUTSIDE[0]


def sum_in_an_array_from_outside(x):
    OUTSIDE[1] = 0.0

    def note(t):
        np.put(OUTSIDE, [1], [t[0]])

    so.minimize(lambda t: squares(t, x), np.zeros(2), callback=note)
    return OUTSIDE[1]


def copy_in_an_array_from_outside(x):
    so.minimize(lambda t: squares(t, x), np.zeros(2), callback=lambda t: np.copyto(OUTSIDE[:2], t))
    return OUTSIDE[1]


def result_in_an_array_from_outside(x):
    so.minimize(lambda t: squares(t, x), np.zeros(2), callback=lambda t: np.exp(t, out=OUTSIDE[:2]))
    return OUTSIDE[1]


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    "f",
    [
        best_in_an_array_from_outside,
        point_in_an_array_from_outside,
        sum_in_an_array_from_outside,
        copy_in_an_array_from_outside,
        result_in_an_array_from_outside,
    ],
)
def test_points_do_not_leave_the_trace_as_plain_numbers(f, check):
    with pytest.raises(ast_ad.AdError, match="a plain (one|array)"):
        grad(f, check=check)(X.copy())


def test_a_constant_from_outside_is_no_point():
    def f(x):
        return brentq(
            lambda t, c: (OUTSIDE.__setitem__(2, c), cubic(t, x))[1], -5, 5, args=(0.5,), xtol=1e-14
        )

    root = brentq(lambda t: cubic(t, X), -5, 5, xtol=1e-14)
    np.testing.assert_allclose(grad(f)(X.copy()), [1 / (3 * root**2 + 1), 0.0], rtol=1e-9)
    assert OUTSIDE[2] == 0.5


# ----- derivatives within others, and of tensors
def test_derivatives_in_a_trace_by_values_of_it():
    def f(x):
        y = 2.0 * x
        return np.sum(ast_ad.grad(a_point)(y))

    with pytest.raises(ast_ad.AdError, match="the way that the solver took"):
        grad(f)(X.copy())


@pytest.mark.parametrize("f", [a_point, written_to_an_array, made_once_and_read, the_simplex])
def test_tensors(f):
    t = ast_ad.torch.tensor(X, requires_grad=True)
    with pytest.raises(ast_ad.AdError, match="the way that the solver took"):
        grad(f)(t)
    with pytest.raises(ast_ad.AdError, match="the way that the solver took"):
        ast_ad.vmap(f)(t[None]).sum().backward()
