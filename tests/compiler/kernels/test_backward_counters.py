"""Loops that run backwards: LLVM is told that their counters are not negative, and the numbers stay."""

import numpy as np
import pytest

import ast_ad

A = np.random.default_rng(8).uniform(0.5, 1.5, (13, 17))


def parts(a):
    """The adjoint runs backwards, with places that count from its counter."""
    c = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        c[k:, k] = c[k, k:] = a[:, k] @ a[:, k:]
    return np.sum(c**2)


def downwards(a):
    b = a * 1.0
    for k in range(a.shape[1] - 1, -1, -1):
        b[0, k:] += 0.1 * b[1, k] * a[2, k:]
    return np.sum(b**2)


def by_two(a):
    b = a * 1.0
    for k in range(a.shape[1] - 1, -1, -2):
        b[0, k:] += b[1, k] * a[2, k:]
    return np.sum(b**2)


def not_to_zero(a):
    b = a * 1.0
    for k in range(a.shape[1] - 1, 4, -1):
        b[0, k - 4 : k] += b[1, k] * a[2, k - 4 : k]
    return np.sum(b**2)


def below_zero(a):
    """Counters that are negative count from the end, as in Python."""
    b = a * 1.0
    for k in range(1, -3, -1):
        for j in range(2):
            b[0, k + j] += b[1, k] * a[2, j]
    return np.sum(b**2)


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("function", [parts, downwards, by_two, not_to_zero, below_zero])
def test_the_numbers_are_those_of_numpy_code(function):
    derivative = ast_ad.value_and_grad(function, backend="numba", check=False)
    for a in (A, A[:, ::-1].copy(), A[:4, :5], A[:3, :6]):
        value, bar = derivative(a)
        expected, wanted = ast_ad.value_and_grad(function, backend="numpy")(a)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        np.testing.assert_allclose(value, function(a.copy()), rtol=1e-12)
        np.testing.assert_allclose(bar, wanted, rtol=1e-11, atol=1e-12)
    told = "max(back" in derivative.source
    assert told is (function is not below_zero), derivative.source
