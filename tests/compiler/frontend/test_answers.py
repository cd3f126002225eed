"""Do questions that have an answer when the program is compiled get the one that Python gives?"""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.constructs.certain_exceptions import ONE_IS_A_NUMBER
from ast_ad.compiler.frontend.length_patterns import Known, pattern
from ast_ad.compiler.ir.ops import If, walk
from tests.compiler.checking import primal

X = np.array([0.4, -0.9, 1.3])


def a_tuple_and_an_array(x):
    pair = (x, 1.0)
    return x[0] * (3.0 if pair is x else 5.0) * (1.0 if x is pair else 2.0) * (1.0 if pair is None else 7.0)


def a_tuple_and_a_number(x):
    pair, y = (x, 1.0), x[0] * 2.0
    return y * (3.0 if pair is y else 5.0)


def what_an_array_lacks(x):
    return (
        x[0] * (3.0 if 0.4 not in x else 5.0) * (1.0 if x[1] in x else 2.0) * (7.0 if 8.0 not in x else 1.0)
    )


def tuples_of_other_lengths_beside_an_array(x):
    total = 0.0
    for factors, v in zip(((1.0, 2.0), (3.0,), (4.0, 11.0)), x, strict=False):
        total += v * sum(factors)
    return total


def a_number_as_an_array(x):
    y = np.array(x[0] * 2.0)
    return np.sum(y * x) * (1.0 if y.ndim == 0 and y.shape == () else 5.0)


def one_array_alone(x):
    y = np.stack((x,))
    return np.sum(y[0] * x) * y.shape[0] * (1.0 if y.ndim == 2 else 5.0)


def rows_as_they_lie(x):
    y = np.stack((x * 2.0, x * 3.0))
    y.ravel()[0] = 1.0
    return np.sum(y * y)


def rows_with_gaps(x):
    y = np.stack((x[::2] * 2.0, x[1:]))
    y.reshape(-1)[0] = 1.0
    return np.sum(y * y)


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize(
    "function, expected",
    [
        (a_tuple_and_an_array, [70.0, 0.0, 0.0]),
        (a_tuple_and_a_number, [10.0, 0.0, 0.0]),
        (what_an_array_lacks, [35.0, 0.0, 0.0]),
        (tuples_of_other_lengths_beside_an_array, [3.0, 3.0, 15.0]),
        (a_number_as_an_array, [2 * np.sum(X) + 2 * X[0], 2 * X[0], 2 * X[0]]),
        (one_array_alone, [2 * v for v in X]),
        (rows_as_they_lie, [18 * X[0], 26 * X[1], 26 * X[2]]),
        (rows_with_gaps, [0.0, 2 * X[1], 10 * X[2]]),
    ],
)
def test_answers(function, expected):
    gradient = ast_ad.grad(function, fallback="error")
    np.testing.assert_allclose(gradient(X), expected)


def of_two(a, b):
    return a * b


def of_three(a, b, c):
    return a * b * c


@pytest.mark.slow
def test_a_signature_that_another_function_gives_later():
    """``functools.wraps`` sets ``__wrapped__``, which is where signatures come from."""

    def scaled(x):
        return x * len(inspect.signature(of_two).parameters)

    gradient = ast_ad.grad(scaled, fallback="error")
    try:
        assert gradient(1.5) == 2.0
        of_two.__wrapped__ = of_three
        assert gradient(1.5) == 3.0
        of_two.__signature__ = inspect.Signature()
        assert gradient(1.5) == 0.0
    finally:
        vars(of_two).clear()
    assert gradient(1.5) == 2.0


@pytest.mark.slow
def test_a_write_to_a_part_whose_strides_no_trial_tells():
    """Sixty elements, of which trials are made, are not seven equal parts; nor is that an error."""

    def written(x):
        y = x * 2.0
        parts = np.split(y, 7)
        parts[1][0] *= 3.0
        return np.sum(y * y)

    x = np.arange(14.0)
    expected = 8 * x
    expected[2] *= 9
    np.testing.assert_allclose(ast_ad.grad(written, fallback="error")(x), expected)


@pytest.mark.slow
@pytest.mark.skipif(ONE_IS_A_NUMBER, reason="NumPy before 2.4 makes a number of an array with one element")
def test_a_call_that_raises_for_arrays_of_any_length():
    def with_a_mistake(x):
        y = x[x > 0]
        if x[0] > 5.0:
            math.cos(y)
        return np.sum(y * y)

    gradient = ast_ad.grad(with_a_mistake, fallback="error")
    np.testing.assert_allclose(gradient(X), [0.8, 0.0, 2.6])
    with pytest.raises(TypeError):
        gradient(X + 6.0)


@pytest.mark.slow
def test_axes_of_length_one_are_told_from_others():
    weights = np.arange(9.0).reshape(3, 3)

    def weighted(x):
        return np.sum(x * weights)

    gradient = ast_ad.grad(weighted, fallback="error")
    for _ in range(2):
        np.testing.assert_allclose(gradient(np.ones((3, 1))), weights.sum(1, keepdims=True))
        np.testing.assert_allclose(gradient(np.ones((1, 3))), weights.sum(0, keepdims=True))
        np.testing.assert_allclose(gradient(np.ones((3, 3))), weights)
        np.testing.assert_allclose(gradient(np.ones((1, 1))), [[36.0]])


def test_which_lengths_a_program_is_made_for():
    shapes = [(3, 100), (100,), (50, 1), (0, 3)]
    assert pattern(shapes, Known.CONSTANTS) == ((3, -1), (-1,), (-2, 1), (0, 3))
    assert pattern(shapes, Known.ONES) == ((-1, -1), (-1,), (-1, 1), (-1, -1))
    assert pattern(shapes, Known.EQUALITIES) == ((-1, -2), (-2,), (-3, 1), (0, -1))


def test_whether_a_name_has_a_value_is_called_after_it():
    def perhaps(x):
        if x[0] > 0.0:
            y = x * 2.0
        elif x[1] > 0.0:
            y = x * 3.0
        return np.sum(y)

    outs = [var for op in walk(primal(perhaps, X).body) if isinstance(op, If) for var in op.outs]
    assert [var.hint for var in outs if str(var.type) == "bool"].count("y_bound") >= 1


@pytest.mark.slow
def test_axes_of_length_one_of_an_array_from_outside():
    weights = np.array([[1.0, 2.0, 3.0]])

    def weighted(x):
        return np.sum(x * weights)

    gradient = ast_ad.grad(weighted, fallback="error")
    for shape in ((1, 3), (3, 1), (1, 3), (3, 3)):
        weights = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
        expected = np.broadcast_to(weights, (shape[0], 3)).sum(0)[None]
        np.testing.assert_allclose(gradient(np.ones((1, 3))), expected)
