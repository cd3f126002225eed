"""Are loops that compute the same made once, and only those?"""

import re

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import For, While, walk
from ast_ad.compiler.simplify.common_loops import share_loops
from ast_ad.compiler.simplify.dead_code import eliminate_dead_code
from tests.compiler.checking import primal

A = np.array([[3.0, 0.4, -0.2], [0.1, 2.5, 0.3], [-0.3, 0.2, 4.0]])
B, V = np.array([1.0, -0.5, 2.0]), np.array([0.3, 1.0, -0.7])


def newton(a, b):
    x = np.zeros(len(b))
    for _ in range(30):
        step = np.linalg.solve(a + np.diag(0.3 * x**2), a @ x + 0.1 * x**3 - b)
        x = x - step
        if np.max(np.abs(step)) < 1e-13:
            break
    return x


def until(x, limit):
    while x > limit:
        x = 0.5 * np.sin(x)
    return x


def the_same(a, b):
    return newton(a, b) * newton(a + 0.0 * 1.0, b) + newton(a, b)


def within_a_branch_and_a_loop(x):
    total = until(x, 0.1)
    for _ in range(2):
        total += until(x, 0.1)
    if x > 1.0:
        total += until(x, 0.1)
    return total


def after_a_branch(x):
    total = 0.0
    if x > 2.0:
        total += until(x, 0.1)
    return total + until(x, 0.1)


def another_limit(x):
    return until(x, 0.1) + until(x, 0.2)


def another_start(x):
    return until(x, 0.1) + until(x + 1.0, 0.1)


def another_body(x):
    total = until(x, 0.1)
    y = x
    while y > 0.1:
        y = 0.5 * np.cos(y)
    return total + y


def other_numbers(x):
    """Which of Python's numbers are equal, and are not the same to a computation."""
    one = other = x
    for _ in range(3):
        one = one + 1.0 / (one * 0.0 - 1e300)
    for _ in range(3):
        other = other + 1.0 / (other * -0.0 - 1e300)
    return one - other


def printed(x):
    total = 0.0
    for i in range(2):
        print(i)
        total += x
    again = 0.0
    for i in range(2):
        print(i)
        again += x
    return total * again


COUNTS = {
    the_same: ((A, B), 3, 2),  # a + 0.0 is another value
    within_a_branch_and_a_loop: ((1.5,), 4, 2),
    after_a_branch: ((1.5,), 2, 2),
    another_limit: ((1.5,), 2, 2),
    another_start: ((1.5,), 2, 2),
    another_body: ((1.5,), 2, 2),
    other_numbers: ((1.5,), 2, 2),
    printed: ((1.5,), 2, 2),
}


@pytest.mark.slow(beyond=4)
@pytest.mark.parametrize("function", COUNTS, ids=lambda f: f.__name__)
def test_loops_that_are_left(function, capsys):
    args, before, after = COUNTS[function]
    program = primal(function, *args)
    expected = evaluate(program, *args)
    told = capsys.readouterr().out
    assert count(program) == before
    assert share_loops(program) is (after < before)
    assert count(eliminate_dead_code(program)) == after
    np.testing.assert_array_equal(evaluate(program, *args), expected)
    assert capsys.readouterr().out == told


def count(function):
    return sum(isinstance(op, (For, While)) for op in walk(function.body))


def solver(by_tangents):
    """The solver with a rule, which calls it for its value."""
    if by_tangents:
        found = ast_ad.custom_jvp(newton)

        def rule(primals, tangents):
            (a, b), (da, db) = primals, tangents
            x = found(a, b)
            return x, np.linalg.solve(a + np.diag(0.3 * x**2), db - da @ x)

        found.defjvp(rule)
        return found
    found = ast_ad.custom_vjp(newton)

    def backward(saved, g):
        x, a = saved
        b_bar = np.linalg.solve((a + np.diag(0.3 * x**2)).T, g)
        return -np.outer(b_bar, x), b_bar

    def forward(a, b):
        x = found(a, b)
        return x, (x, a)

    found.defvjp(forward, backward)
    return found


@pytest.mark.drawn(of=6)
@pytest.mark.slow
@pytest.mark.parametrize("by_tangents", [False, True])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_solver_with_a_rule_runs_once(by_tangents, backend):
    """Its steps, and no system for tangents of zeros, whatever is asked."""
    root = solver(by_tangents)

    def cost(a, b):
        return np.sum(root(a, b) ** 3)

    x = newton(A, B)
    by_b = np.linalg.inv(A + np.diag(0.3 * x**2))
    options = {"backend": backend, "fallback": "error"}
    asked = [ast_ad.jacrev(root, argnums=1, **options), ast_ad.grad(cost, argnums=1, **options)]
    if by_tangents:
        asked.append(ast_ad.jacfwd(root, argnums=1, **options))
    for ask in asked:
        found = ask(A, B)
        np.testing.assert_allclose(found, 3.0 * x**2 @ by_b if found.ndim == 1 else by_b, rtol=1e-10)
        assert len(re.findall(r"in range\(30\)", ask.source)) == 1
        assert len(re.findall(r"\bsolve\w*\(", ask.source)) == 2
    hessian = ast_ad.hessian(cost, argnums=1, **options)
    gradient = ast_ad.grad(cost, argnums=1)
    h = 1e-6
    along = (gradient(A, B + h * V) - gradient(A, B - h * V)) / (2 * h)
    np.testing.assert_allclose(hessian(A, B) @ V, along, rtol=1e-6)
    assert len(re.findall(r"in range\(30\)", hessian.source)) == 1
