"""What is read of that which a solver tells beside the root: whether it converged, and how long it took?"""

import numpy as np
import pytest
from scipy import optimize

import ast_ad


def cubic(x, p):
    return x**3 + p * x - 5.0


def of_brentq(p):
    root, told = optimize.brentq(cubic, 0.0, 5.0, args=(p,), full_output=True)
    return root * told.root if told.converged else 0.0 * p


def of_bisect(p):
    found = optimize.bisect(lambda x: cubic(x, p), 0.0, 5.0, full_output=True, disp=False)
    return found[0] + 3.0 * found[1].root


def of_ridder(p):
    root, told = optimize.ridder(lambda x: cubic(x, p), 0.0, 5.0, full_output=True)
    return root * (told.iterations > 2) * (told.function_calls > 3)


def of_newton(p):
    root, told = optimize.newton(lambda x: cubic(x, p), 1.0, full_output=True)
    return root if told.converged and told.iterations < 50 else p


def of_newton_with_a_slope(p):
    root, told = optimize.newton(
        cubic, 1.0, fprime=lambda x, p: 3.0 * x**2 + p, args=(p,), full_output=True, disp=False
    )
    return root**2 * told.converged


def from_several_starts(p):
    root = 0.0 * p
    for start in (0.5, 1.0, 2.0):
        root, told = optimize.newton(lambda x: cubic(x, p), start, full_output=True, disp=False)
        if told.converged:
            break
    return root


def of_fsolve(p):
    found = optimize.fsolve(lambda x: cubic(x, p), 1.0, full_output=True)
    return found[0][0] if found[2] == 1 else p


def of_fsolve_in_parts(p):
    root, _, code, _ = optimize.fsolve(
        lambda x: [x[0] * p - x[1], cubic(x[1], p)], [1.0, 1.0], full_output=True
    )
    return np.sum(root) * (code == 1)


def with_a_clue(p):
    root, told = optimize.toms748(lambda x: cubic(x, p), 0.0, 5.0, full_output=True)
    if not told.converged:
        raise RuntimeError(f"no root after {told.iterations} iterations")
    return root


def in_a_loop(p):
    total = 0.0
    for k in range(3):
        root, told = optimize.brenth(lambda x: cubic(x, p + k), 0.0, 5.0, full_output=True)  # noqa: B023
        total += root * (k + 1) if told.converged else 0.0
    return total


PROGRAMS = (
    of_brentq, of_bisect, of_ridder, of_newton, of_newton_with_a_slope, from_several_starts, of_fsolve,
    of_fsolve_in_parts, with_a_clue, in_a_loop,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_full_outputs(program):
    derivative = ast_ad.value_and_grad(program)
    for p in (2.3, 0.7, 2.3):
        value, gradient = derivative(p)
        assert value == program(p)
        assert gradient == pytest.approx((program(p + 1e-4) - program(p - 1e-4)) / 2e-4, rel=1e-5)
    assert derivative.mode == "compiled"


@pytest.mark.parametrize("name", ["brentq", "newton", "fsolve"])
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_else_they_tell_is_traced(name):
    def words(p):
        if name == "fsolve":
            root, told, _, message = optimize.fsolve(lambda x: cubic(x, p), 1.0, full_output=True)
            return root[0] * (told["nfev"] > 1) * message.startswith("The solution converged")
        start = (0.0, 5.0) if name == "brentq" else (1.0,)
        root, told = getattr(optimize, name)(lambda x: cubic(x, p), *start, full_output=True)
        return root * (told.flag == "converged")

    derivative = ast_ad.value_and_grad(words)
    value, gradient = derivative(2.3)
    assert derivative.mode == "fallback" and value == words(2.3)
    assert gradient == pytest.approx((words(2.3 + 1e-4) - words(2.3 - 1e-4)) / 2e-4, rel=1e-5)


def test_one_that_did_not_converge_is_told():
    def early(p):
        root, told = optimize.newton(lambda x: cubic(x, p), 9.0, maxiter=2, full_output=True, disp=False)
        return root if not told.converged else 0.0 * p

    with pytest.warns(ast_ad.SolutionWarning, match="did not converge"):
        assert ast_ad.value_and_grad(early)(2.3)[0] == early(2.3)


def test_second_derivatives():
    def root(p):
        found, told = optimize.brentq(lambda x: x**2 - p, 0.0, 5.0, full_output=True, xtol=1e-14)
        return found * told.converged

    assert ast_ad.grad(ast_ad.grad(root))(2.0) == pytest.approx(-0.25 * 2.0**-1.5, rel=1e-6)
