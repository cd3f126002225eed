"""Do questions that have an answer when the program is compiled get the one that Python gives?"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import ast_ad

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


@pytest.mark.parametrize(
    "function, expected",
    [
        (a_tuple_and_an_array, [70.0, 0.0, 0.0]),
        (a_tuple_and_a_number, [10.0, 0.0, 0.0]),
        (what_an_array_lacks, [35.0, 0.0, 0.0]),
        (tuples_of_other_lengths_beside_an_array, [3.0, 3.0, 15.0]),
    ],
)
def test_answers(function, expected):
    gradient = ast_ad.grad(function, fallback="error")
    np.testing.assert_allclose(gradient(X), expected)


def of_two(a, b):
    return a * b


def of_three(a, b, c):
    return a * b * c


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
