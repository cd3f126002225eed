"""What a choice by value leaves out has no derivative, even where the cotangent is infinite."""

import itertools

import numpy as np
import pytest

import ast_ad
from ast_ad.rules import helpers

X = np.array([-1.0, 4.0, -2.0])


def maximum(x):
    return np.sum(np.sqrt(np.maximum(x, 0)))


def fmin(x):
    return np.sum(np.sqrt(-np.fmin(-x, 0)))


def flag(x):
    return np.sum(np.sqrt((x > 0) * x))


def of_numbers(x):
    total = 0.0
    for v in x:
        total += max(v, 0) ** 0.5
    return total


def carried(x):
    v = x
    for _ in range(2):
        v = np.maximum(v - 0.5, 0)
    return np.sum(np.sqrt(v))


def twice(x):
    """Two ways, of which one adds an infinity and one takes it away."""
    v = np.maximum(x, 0)
    return np.sum(np.sqrt(v * 0.1) * np.array([1.0, 2.0, -1.0]) - 2 * np.sqrt(v))


def truncated(x):
    """Full truncation of a variance process, as Heston's model is simulated."""
    v, s = x, np.zeros(3)
    for t in range(3):
        positive = np.maximum(v, 0)
        s = s + np.sqrt(positive) * (t - 1.0)
        v = v + 0.1 * (0.3 - positive) - 0.2 * np.sqrt(positive)
    return np.sum(s) + np.sum(v)


CASES = [maximum, fmin, flag, of_numbers, carried, twice, truncated]


def differences(f, x):
    steps = 1e-6 * np.eye(len(x))
    return np.array([(f(x + h) - f(x - h)) / 2e-6 for h in steps])


@pytest.mark.slow
@pytest.mark.parametrize("f", CASES)
def test_both_modes_are_finite(f):
    expected = differences(f, X)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.testing.assert_allclose(ast_ad.grad(f)(X), expected, atol=1e-8)
        np.testing.assert_allclose(ast_ad.jacfwd(f)(X), expected, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("f", CASES)
def test_kernels_are_finite(f):
    np.testing.assert_allclose(ast_ad.grad(f, backend="numba")(X), differences(f, X), atol=1e-8)


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", [maximum, of_numbers, twice])
def test_second_derivatives_are_finite(f):
    with np.errstate(divide="ignore", invalid="ignore"):
        (found,) = ast_ad.hvp(f, (X,), (np.ones(3),))
        np.testing.assert_allclose(found, differences(lambda x: ast_ad.grad(f)(x), X).sum(axis=0), atol=1e-7)


@pytest.mark.slow
def test_plain_products_stay_where_cotangents_are_finite():
    def relu(x):
        return np.sum(np.maximum(x, 0) ** 2)

    gradient = ast_ad.grad(relu)
    gradient(X)
    assert "exact_product" not in gradient.backward_source


def test_products_of_numbers_are_those_of_arrays():
    numbers = [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 5e-324, 1e300]
    for a, b in itertools.product(numbers, numbers):
        with np.errstate(over="ignore"):
            (expected,) = helpers.exact_product(np.array([a]), np.array([b]))
        for g, p in ((np.float64(a), np.float64(b)), (np.float64(a), b), (a, np.float64(b))):
            found = helpers.exact_product(g, p)
            assert type(found) is np.float64
            assert np.isnan(found) if np.isnan(expected) else found.tobytes() == expected.tobytes()
