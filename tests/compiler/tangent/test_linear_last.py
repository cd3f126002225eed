"""Is what is linear in the tangents parted from the rest, and does it give the same?"""

from __future__ import annotations

import re

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.adjoint.split import split
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import For, Op, walk
from ast_ad.compiler.tangent.linear_last import dependents, linear_last
from ast_ad.compiler.tangent.tangent import tangent
from tests.compiler.checking import primal

X, V = np.array([0.4, -1.1, 0.7, 1.6]), np.array([1.0, -0.5, 2.0, 0.25])


def loop(x):
    y = np.zeros(4)
    for i in range(1, 4):
        y[i] = np.sin(x[i]) * y[i - 1] + x[i] ** 2
    return y


def reversed_loop(x):
    total = 1.0
    for i in reversed(range(4)):
        total = np.tanh(total * x[i])
    return total


def until(x):
    u, turns = x * 1.0, 0
    while np.sum(u * u) > 0.1:
        u = 0.5 * u * np.cos(u)
        turns += 1
    return u * turns


def branches(x):
    total = 0.0
    for i in range(4):
        if x[i] > 0.5:
            total = total * np.exp(x[i])
        elif x[i] > 0.0:
            total += np.sin(x[i])
    return total


def early(x):
    total = 0.0
    for v in x:
        if v > 0.6:
            return total * v
        total += v * v
    return total


def nested(x):
    states = [x]
    for i in range(3):
        s = 0.0
        for j in range(4):
            s += np.sin(x[j]) * states[i][j]
        states.append(states[-1] * s)
    return states[-1]


def early_of_list(x):
    squares = [v * v for v in x]
    total = 0.0
    for s in squares:
        if s > 1.0:
            break
        total = total * s + np.exp(s)
    return total


PROGRAMS = [loop, reversed_loop, until, branches, early, nested, early_of_list]
NONLINEAR = {np.sin, np.cos, np.tanh, np.exp}


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_halves_give_the_same_and_the_second_is_linear(function):
    program = primal(function, X)
    joint = tangent(program, (0,), (0,))
    last = linear_last(joint, 1)
    forward, backward = split(last, 1, 1)
    value, residuals = evaluate(forward, X)
    for direction in (V, -2.0 * V, np.zeros(4)):
        expected = evaluate(joint, X, direction)
        found = evaluate(last, X, direction)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-13)
        np.testing.assert_allclose(value, expected[0], rtol=1e-13)
        np.testing.assert_allclose(evaluate(backward, residuals, direction), expected[1], rtol=1e-13)
    assert not any(isinstance(op, Op) and op.fn in NONLINEAR for op in walk(backward.body))


def test_a_loop_without_tangents_stays_as_it_is():
    def constants(x):
        total = 0.0
        for i in range(4):
            total += np.floor(x[i])
        return total + x[0]

    joint = tangent(primal(constants, X), (0,), (0,))
    last = linear_last(joint, 1)
    assert sum(isinstance(op, For) for op in walk(last.body)) == 1
    assert evaluate(last, X, V)[1] == V[0]


def test_what_depends_on_the_seeds_is_found_through_what_loops_carry():
    joint = tangent(primal(loop, X), (0,), (0,))
    late = dependents(joint.body, joint.params[1:])
    (found,) = [op for op in walk(joint.body) if isinstance(op, For)]
    assert [out in late for out in found.outs].count(True) == 1
    assert joint.body.results[0] not in late and joint.body.results[1] in late


def straight(x):
    return np.sin(x) * np.exp(x[::-1])


def test_the_second_half_is_linear_where_the_value_needs_less():
    """The cosine is no part of the value; it is computed once nevertheless, if the half is called often."""
    last = linear_last(tangent(primal(straight, X), (0,), (0,)), 1)
    expected = V * np.cos(X) * np.exp(X[::-1]) + np.sin(X) * np.exp(X[::-1]) * V[::-1]
    for often in (False, True):
        forward, backward = split(last, 1, 1, often)
        value, residuals = evaluate(forward, X)
        np.testing.assert_allclose(value, straight(X), rtol=1e-13)
        np.testing.assert_allclose(evaluate(backward, residuals, V), expected, rtol=1e-13)
        again = [op for op in walk(backward.body) if isinstance(op, Op) and op.fn in NONLINEAR]
        assert bool(again) is not often


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_linearize_does_no_nonlinear_work_again(backend):
    derivative = ast_ad.linearize(straight, backend=backend)
    _, push = derivative(X)
    np.testing.assert_allclose(push(V), ast_ad.jvp(straight, (X,), (V,))[1], rtol=1e-13)
    assert "cos(" in derivative.forward_source
    code = re.sub("#.*", "", derivative.backward_source)
    assert not any(f"{name}(" in code for name in ("sin", "cos", "exp"))
