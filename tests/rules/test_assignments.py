"""Are numbers differentiated that stand where an assignment puts them? Values decide the places."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import ast_ad

ENDS = np.array([0.1, 0.9, 0.5, 2.0])


def least_squares(x):
    cost = np.abs(x[:, None] - ENDS)
    rows, columns = linear_sum_assignment(cost)
    return np.sum(cost[rows, columns] ** 2)


def largest(x):
    _, columns = linear_sum_assignment(np.outer(x, x[::-1]), maximize=True)
    return x[columns] @ np.arange(4.0)


def of_a_part(x):
    rows, columns = linear_sum_assignment((x[:2, None] - ENDS) ** 2)
    return len(rows) * np.sum(x[rows] * ENDS[columns])


def in_a_loop(x):
    for _ in range(3):
        x = 0.5 * x + 0.5 * ENDS[linear_sum_assignment((x[:, None] - ENDS) ** 2)[1]] * x
    return np.sum(x**2)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [least_squares, largest, of_a_part, in_a_loop])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_compiled(f, backend):
    x = np.array([0.72, 0.4, 0.7, 1.1])
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-7, atol=1e-9)
