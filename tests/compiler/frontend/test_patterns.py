"""What does a program take as known of lengths, and is it used for calls of that pattern only?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.length_patterns import Known, pattern
from ast_ad.compiler.frontend.lower import lower
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.types import Dim
from ast_ad.trees import flatten

W = np.ones((3, 4))
V = np.ones(30)


def lowered(function, args, known):
    names = function.__code__.co_varnames[: len(args)]
    flat = [flatten(a) for a in args]
    return lower(function, names, [t for _, t in flat], [x for p, _ in flat for x in p], known=known)


def shapes(program):
    return [p.type.shape for p in program.function.params]


def stencil(a, b, n):
    a = a.copy()
    for _ in range(n):
        b[1:-1] = a[:-2] + a[2:]
        a[1:-1] = b[1:-1] * b[1:-1]
    return np.sum(a + b)


def dense(x, w, n):
    y = x @ w
    for _ in range(n):
        y = np.tanh(y) + x[: y.shape[0]]
    return y if w.shape == (3, 3) else np.sum(y)


def test_equal_lengths_share_a_symbol():
    args = (np.ones(20), np.ones(20), 3)
    a, b, _ = lowered(stencil, args, Known.CONSTANTS).function.params
    assert a.type.shape == b.type.shape and isinstance(a.type.shape[0], Dim) and a.type.shape[0].not_one
    a, b, _ = lowered(stencil, args, Known.ONES).function.params
    assert a.type.shape != b.type.shape


def test_small_lengths_are_constants():
    args = (np.ones(3), np.ones((3, 17)))
    assert shapes(lowered(product, args, Known.CONSTANTS)) == [(3,), (3, Dim.symbol(("arg", 1, 1)))]
    (n,), (m, _) = shapes(lowered(product, args, Known.EQUALITIES))
    assert n == m and isinstance(n, Dim)


def product(x, w):
    return np.sum(x @ w)


def test_outside_arrays_share_symbols_with_arguments():
    program = lower(scaled, ["x"], [flatten(1.0)[1]], [np.ones(30)], known=Known.EQUALITIES)
    assert shapes(program) == [(Dim.symbol(("arg", 0, 0)),)] * 2


@pytest.mark.slow(beyond=4)
@pytest.mark.parametrize("known", Known)
@pytest.mark.parametrize("n", [1, 2, 3, 9, 20])
def test_programs_mean_the_same(known, n):
    rng = np.random.default_rng(n)
    for function, args in (
        (stencil, (rng.standard_normal(n), rng.standard_normal(n), 3)),
        (dense, (rng.standard_normal(n), rng.standard_normal((n, n)), 2)),
    ):
        program = lowered(function, [a.copy() if isinstance(a, np.ndarray) else a for a in args], known)
        outside = [path.read() for path, _, _ in program.inputs.captures]
        found = evaluate(
            program.function, *[np.copy(a) if isinstance(a, np.ndarray) else a for a in args], *outside
        )
        expected = function(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])
        np.testing.assert_array_equal(found, expected)


def test_pattern():
    assert pattern([(0, 2), (17, 17)], Known.CONSTANTS) == ((0, 2), (-1, -1))
    assert pattern([(0, 2), (9, 2), (1,)], Known.EQUALITIES) == ((0, -1), (-2, -1), (1,))
    assert pattern([(0, 2), (9, 2), (1,)], Known.ONES) == ((-1, -1), (-1, -1), (1,))


def test_an_outside_array_of_another_rank_is_not_stale():
    """Its rank decided the program, though nothing reads the array itself."""
    gradient = ast_ad.grad(rank_of_outside, backend="numpy")
    global W
    try:
        assert gradient(np.ones(2)).tolist() == [2.0, 2.0]
        W = np.ones(3)
        assert gradient(np.ones(2)).tolist() == [1.0, 1.0]
    finally:
        W = np.ones((3, 4))


def rank_of_outside(x):
    return np.sum(x) * W.ndim


def scaled(x):
    return np.sum(x * V)
