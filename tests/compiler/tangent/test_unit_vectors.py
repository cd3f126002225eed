"""Are the columns of a Jacobian right that are computed in one pass, and which are?"""

from __future__ import annotations

import numpy as np
import pytest

import ast_ad
from tests.operators.functions import differences

X = np.array([0.3, -0.8, 1.2, 0.6])
MATRIX = np.array([[0.5, -0.2, 0.9, 1.0], [1.4, 0.1, -0.6, 0.3], [0.2, 0.8, 0.4, -0.7]])


def neighbours(x):
    y = np.zeros(4)
    for i in range(1, 4):
        y[i] = np.sin(x[i]) * x[i - 1] - x[0] / x[-1]
    return y


def carried(x):
    y, a = np.zeros(4), 0.0
    for i in range(4):
        if x[i] > 0.0:
            a = a * 0.5 + x[i] ** 2
        else:
            a = x[i] - a
        y[i] = a * x[0]
    return y


def added_up(x):
    y = np.ones(3)
    for i in range(4):
        y[i % 3] += x[i] * x[(i + 1) % 4]
        y[2] -= -x[i]
    return y


def elementwise(x):
    return np.sin(x) * np.sum(x**2) - x[::-1] / (2.0 + x)


def product(x):
    return np.tanh(x @ MATRIX.T) - MATRIX @ x


def number(x):
    total = 0.0
    for i in range(3):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2
    return total + 0.5 * np.sum(x)


def many_terms(x):
    return np.sum(x) * np.array([1.0, 2.0]) + (x[0] + x[1] * x[2] - x[3] * x[0])


def itself(x):
    return x


def states(x):
    s = np.array([x[0], x[1]])
    for k in range(5):
        s = s + 0.1 * np.array([s[1] * x[2], x[0] - k])
        s += 0.5 * np.array([s[1], 1.0]) * x[3]
    return s


AT_ONCE = [states, neighbours, carried, added_up, elementwise, product, number, itself]


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [*AT_ONCE, many_terms], ids=lambda f: f.__name__)
def test_agrees_with_differences_and_with_rows(function, backend):
    jacobian = ast_ad.jacfwd(function, backend=backend, fallback="error")
    found = jacobian(X)
    np.testing.assert_allclose(found, differences(function, X), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found, ast_ad.jacrev(function)(X), rtol=1e-12, atol=1e-14)
    found[...] = 7.0  # it is the caller's own
    np.testing.assert_allclose(jacobian(X), differences(function, X), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("function", AT_ONCE, ids=lambda f: f.__name__)
def test_is_one_pass(function):
    jacobian = ast_ad.jacfwd(function, backend="numpy")
    jacobian(X)
    assert "seed" not in jacobian.source


def test_a_number_is_the_sum_of_few_elements_of_the_seed():
    hessian = ast_ad.hessian(number, backend="numpy")
    np.testing.assert_allclose(hessian(X), differences(ast_ad.grad(number), X), rtol=1e-7, atol=1e-7)
    assert "seed" not in hessian.source and "np.eye" not in hessian.source
    (zeros,) = [line for line in hessian.source.splitlines() if "np.zeros" in line]
    assert "x.shape[0]" in zeros or "n" in zeros


def test_arrays_larger_than_the_jacobian_are_not_held_for_all_directions():
    def of_many(x):
        return np.sum(np.sin(np.outer(np.arange(1000.0), x)))

    jacobian = ast_ad.jacfwd(of_many, backend="numpy")
    np.testing.assert_allclose(jacobian(X), ast_ad.grad(of_many)(X), rtol=1e-9)
    assert "seed" in jacobian.source


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_several_arguments_in_any_order(backend):
    def of_two(x, y):
        z = np.zeros(3)
        for i in range(3):
            z[i] = x[i] * y[2 - i] ** 2
        return z, x[0] * y

    x, y = X[:3], np.array([2.0, -1.0, 0.5])
    found = ast_ad.jacfwd(of_two, argnums=(1, 0), backend=backend)(x, y)
    expected = ast_ad.jacrev(of_two, argnums=(1, 0))(x, y)
    for row, other in zip(found, expected, strict=True):
        for block, right in zip(row, other, strict=True):
            np.testing.assert_allclose(block, right, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_zeros_that_widen_a_sum(backend):
    """Each argument's columns are those of the other's zeros, along the axis that only these have."""

    def table(v):
        x, y = np.array([v[0], v[1], v[2]]), np.array([v[3], v[0]])
        return ast_ad.jacfwd(lambda x, y: x[None, :] - y[:, None], argnums=(0, 1))(x, y)

    (by_x, by_y), _ = ast_ad.vjp(table, backend=backend, fallback="error")(X)
    np.testing.assert_array_equal(by_x, np.broadcast_to(np.eye(3), (2, 3, 3)))
    np.testing.assert_array_equal(by_y, np.broadcast_to(-np.eye(2)[:, None], (2, 3, 2)))


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_options_of_copies(backend):
    def copied(x):
        return np.copy(x * x, "K") + np.array(x, np.float64)

    jacobian = ast_ad.jacfwd(copied, backend=backend, fallback="error")
    np.testing.assert_allclose(jacobian(X), np.diag(2 * X + 1), rtol=1e-14)
