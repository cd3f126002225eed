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


def only_a_matrix(x):
    return MATRIX @ x


def only_a_matrix_behind(x):
    return x @ MATRIX.T


def chosen(x):
    y = np.where(x > 0.0, np.sin(x), x**2)
    a, b = np.where(x[0] > x[1], x[2], x[1] * x[0]), np.where(x[0] < 0.0, 1.0, x[3])
    return y * a + np.where(x[3] > 0.0, b, 2.0 * b)


def written_out(x):
    return np.array([[x[0], x[1] * x[2]], [1.0, np.sin(x[3])]]) * x[0]


def numpys_numbers(x):
    total = np.zeros(2)
    for i in range(4):
        total[i % 2] += np.float64(float(x[i]) * 2.0) * x[0]
    return total


AT_ONCE = [
    states, neighbours, carried, added_up, elementwise, product, number, itself, only_a_matrix,
    only_a_matrix_behind, chosen, written_out, numpys_numbers,
]  # fmt: skip


@pytest.mark.slow(beyond=1)
@pytest.mark.drawn(of=9)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [*AT_ONCE, many_terms], ids=lambda f: f.__name__)
def test_agrees_with_differences_and_with_rows(function, backend):
    jacobian = ast_ad.jacfwd(function, backend=backend, fallback="error")
    found = jacobian(X)
    np.testing.assert_allclose(found, differences(function, X), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found, ast_ad.jacrev(function)(X), rtol=1e-12, atol=1e-14)
    found[...] = 7.0  # it is the caller's own
    np.testing.assert_allclose(jacobian(X), differences(function, X), rtol=1e-7, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("function", AT_ONCE, ids=lambda f: f.__name__)
def test_is_one_pass(function):
    jacobian = ast_ad.jacfwd(function, backend="numpy")
    jacobian(X)
    assert "seed" not in jacobian.source


@pytest.mark.slow
def test_a_number_is_the_sum_of_few_elements_of_the_seed():
    hessian = ast_ad.hessian(number, backend="numpy")
    np.testing.assert_allclose(hessian(X), differences(ast_ad.grad(number), X), rtol=1e-7, atol=1e-7)
    assert "seed" not in hessian.source and "np.eye" not in hessian.source
    (zeros,) = [line for line in hessian.source.splitlines() if "np.zeros" in line]
    assert "x.shape[0]" in zeros or "n" in zeros


@pytest.mark.slow
def test_arrays_larger_than_the_jacobian_are_not_held_for_all_directions():
    def of_many(x):
        return np.sum(np.sin(np.outer(np.arange(1000.0), x)))

    jacobian = ast_ad.jacfwd(of_many, backend="numpy")
    np.testing.assert_allclose(jacobian(X), ast_ad.grad(of_many)(X), rtol=1e-9)
    assert "seed" in jacobian.source


@pytest.mark.slow
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


ROWS = np.array([[0.4, -0.3, 0.8, 0.1], [1.1, 0.2, -0.5, 0.9], [-0.7, 0.6, 0.3, -0.2]])
LABELS = np.array([1.0, 0.0, 1.0])


def by_row(w, rows, labels):
    total = 0.0
    for i in range(rows.shape[0]):
        z = rows[i] @ w
        total += np.log1p(np.exp(-z)) if labels[i] > 0.5 else np.log1p(np.exp(z))
    return total + 0.5 * w @ w


def by_number(w, rows, labels):
    total = 0.0
    for i in range(len(labels)):
        z = 0.0
        for j in range(len(w)):
            z += rows[i, j] * w[j]
        total += np.log(1.0 + np.exp(z)) - labels[i] * z
    return total + 0.5 * np.sum(w**2)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [by_row, by_number], ids=lambda f: f.__name__)
def test_a_hessian_of_a_loop_over_rows_is_one_pass(function, backend):
    """Tangents that the loop over rows records are read in the same turn; what is undefined is none."""
    hessian = ast_ad.hessian(function, backend=backend, fallback="error")
    p = 1.0 / (1.0 + np.exp(-ROWS @ X))
    expected = ROWS.T @ np.diag(p * (1.0 - p)) @ ROWS + np.eye(4)
    np.testing.assert_allclose(hessian(X, ROWS, LABELS), expected, rtol=1e-13, atol=1e-15)
    assert "tape_dot" not in hessian.source
    if backend == "numba":  # which knows that the rows are as long as the weights
        assert "seed" not in hessian.source and "NumPy code at" not in hessian.explain()


@pytest.mark.slow
def test_the_linear_half_of_a_loop_over_rows_records_nothing():
    value, lin = ast_ad.linearize(ast_ad.grad(by_number), X, ROWS, LABELS, argnums=(0,))
    np.testing.assert_allclose(lin(X), ast_ad.hessian(by_number)(X, ROWS, LABELS) @ X, rtol=1e-12)
    linear = ast_ad.linearize(ast_ad.grad(by_number), argnums=(0,), backend="numpy")
    linear(X, ROWS, LABELS)
    assert "tape_dot" not in linear.backward_source


def test_columns_of_a_matrix_that_is_an_argument_are_the_callers_own():
    jacobian = ast_ad.jacfwd(lambda x, a: a @ x)
    matrix = MATRIX.copy()
    jacobian(X, matrix)[...] = 7.0
    np.testing.assert_array_equal(matrix, MATRIX)


def test_infinite_entries_of_a_matrix_stay_where_they_are():
    """Of a unit vector the zeros count for nothing."""
    matrix = np.array([[np.inf, 1.0], [2.0, np.nan]])
    np.testing.assert_array_equal(ast_ad.jacfwd(lambda x: matrix @ x)(X[:2]), matrix)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_what_a_condition_leaves_out_counts_for_nothing(backend):
    def f(x):
        return np.where(x[0] > 1.0, np.sqrt(x[0] - 0.3), x[1]) * x[2]

    with np.errstate(divide="ignore"):
        found = ast_ad.jacfwd(f, backend=backend, fallback="error")(X)
    np.testing.assert_allclose(found, [0.0, X[2], X[1], 0.0], rtol=1e-15)


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
