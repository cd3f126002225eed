"""Are sums that another sum contains computed once, and does each sum stay what it was?"""

import operator
import random

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, Function, Op, Var, walk
from ast_ad.compiler.ir.types import Scalar
from ast_ad.compiler.simplify.dead_code import eliminate_dead_code
from ast_ad.compiler.simplify.known_sums import read_known_sums
from ast_ad.compiler.simplify.renaming import copy_function

FLOAT = Scalar("float")


def number(name):
    return Var(FLOAT, name)


def adjoint(fn, *args):
    return Op(fn, args, (Var(FLOAT),), adjoint=True)


def count(function):
    return sum(isinstance(op, Op) for op in walk(function.body))


def test_a_sum_reads_another_one():
    p, q, r, z, h = params = [number(name) for name in "pqrzh"]
    one = adjoint(operator.add, p, q)
    known = adjoint(operator.sub, one.out, r)
    scaled = adjoint(operator.mul, known.out, h)
    two = adjoint(operator.add, z, p)
    three = adjoint(operator.sub, two.out, r)
    whole = adjoint(operator.add, three.out, q)
    body = Block([one, known, scaled, two, three, whole], (scaled.out, whole.out))
    function = Function("f", tuple(params), body)
    before = copy_function(function)
    read_known_sums(function.body)
    assert count(function) == 4
    assert (
        evaluate(function, 1.0, 2.0, 4.0, 8.0, 3.0)
        == evaluate(before, 1.0, 2.0, 4.0, 8.0, 3.0)
        == (-3.0, 7.0)
    )


@pytest.mark.parametrize("changed", ["sign", "order", "primal", "type"])
def test_what_is_another_sum_stays(changed):
    p, q, z, h = params = [number(name) for name in "pqzh"]
    if changed == "type":
        params[0] = p = Var(Scalar("float", np.dtype(float)), "p")
    known = adjoint(operator.sub if changed == "sign" else operator.add, p, q)
    scaled = adjoint(operator.mul, known.out, h)
    two = adjoint(operator.add, z, p)
    whole = adjoint(operator.add, two.out, q)
    ops = [known, scaled, two, whole]
    if changed == "order":
        ops = [two, whole, known, scaled]
    if changed == "primal":
        whole.adjoint = two.adjoint = False
    function = Function("f", tuple(params), Block(ops, (scaled.out, whole.out)))
    read_known_sums(function.body)
    assert count(function) == 4


@pytest.mark.slow(beyond=31)
@pytest.mark.parametrize("seed", range(60))
def test_random_sums_keep_their_values(seed):
    """Of integers in floats, so that sums are exact in any order."""
    rng = random.Random(seed)
    params = tuple(number(f"x{k}") for k in range(5))
    values = list(params)
    ops = []
    for _ in range(40):
        fn = rng.choice([operator.add, operator.add, operator.sub, operator.neg, operator.mul])
        recent = values[-6:] if rng.random() < 0.6 else values
        args = [
            rng.choice(recent if rng.random() < 0.5 else list(params))
            for _ in range(1 + (fn is not operator.neg))
        ]
        if fn is operator.mul:
            args = [rng.choice(params[:2]), rng.choice(params)]
        op = Op(fn, tuple(args), (Var(FLOAT),), adjoint=rng.random() < 0.9)
        ops.append(op)
        values.append(op.out)
    results = tuple(rng.sample(values[5:], 4))
    function = Function("f", params, Block(ops, results))
    before = copy_function(function)
    read_known_sums(function.body)
    check(function)
    args = [float(rng.randint(-5, 5)) for _ in params]
    assert evaluate(function, *args) == evaluate(before, *args)
    eliminate_dead_code(function)
    eliminate_dead_code(before)
    assert count(function) <= count(before)


def springs(v):
    return np.array([v[1], -v[0] + 0.2 * v[2] * v[2], v[3], 0.2 * v[0] * v[2] - v[3]])


def heun(v, rate, steps):
    """A state of four numbers, each stage of which goes to the state and to the next stage."""
    total = 0.0
    for _ in range(steps):
        a = springs(v) * rate
        b = springs(v + 0.1 * a) * rate
        c = springs(v - 0.1 * a + 0.2 * b) * rate
        v = v + 0.05 * (a + 2.0 * b + c)
        total += v[0] * v[3]
    return total


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_stages_of_small_states_have_the_right_slopes(backend):
    if backend == "numba":
        pytest.importorskip("numba", reason="the optional backend is not installed")
    v, h = np.array([0.4, -0.3, 0.8, 0.1]), 1e-6
    _, (v_bar, rate_bar) = ast_ad.value_and_grad(heun, argnums=(0, 1), backend=backend)(v, 0.9, 9)
    slope = (heun(v, 0.9 + h, 9) - heun(v, 0.9 - h, 9)) / (2 * h)
    np.testing.assert_allclose(rate_bar, slope, rtol=1e-7)
    for k, one in enumerate(np.eye(4) * h):
        np.testing.assert_allclose(
            v_bar[k], (heun(v + one, 0.9, 9) - heun(v - one, 0.9, 9)) / (2 * h), rtol=1e-6
        )
