"""``a.flat = v`` and ``a.flat[...] = v`` write one number after the other, and begin again where they end."""

import numpy as np
import pytest

import ast_ad

W = np.array([[1.0, 2.0], [3.0, 4.0]])


def whole(x):
    y = np.zeros((2, 2))
    y.flat = x
    return np.sum(y**2 * W)


def with_dots(x):
    y = np.zeros((2, 2))
    y.flat[...] = x**2
    return np.sum(y * W)


def all_items(x):
    y = x.reshape(2, 2) * 1.0
    y.flat[:] = x[::-1] * y[0, 0]
    return np.sum(y * W)


def some_items(x):
    y = x.reshape(2, 2) * 1.0
    y.flat[1:3] = x[0] ** 2
    return np.sum(y**2)


def again_and_again(x):
    y = np.zeros((2, 2))
    y.flat = x[:2]
    return np.sum(y**2 * W)


def too_many(x):
    y = np.zeros(3)
    y.flat = x
    return np.sum(y**3)


def a_number(x):
    y = np.zeros((2, 2))
    y.flat = x[1]
    return np.sum(y**2 * W)


def columns(x):
    y = x.reshape(2, 2).copy()
    z = y.T
    z.flat = x**2
    return np.sum(y * W)


def a_matrix(x):
    y = np.zeros((2, 2))
    y.flat = np.outer(x[:2], x[2:]).T
    return np.sum(y * W)


def a_list(x):
    y = np.ones((2, 3))
    for i in range(3):
        y.flat = [x[0] * i, x[1], y[0, 0]]
    return np.sum(y**2)


@pytest.mark.slow(beyond=4)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "f",
    [
        whole, with_dots, all_items, some_items, again_and_again, too_many, a_number, columns, a_matrix,
        a_list,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_compiled(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    for x in (np.array([1.5, -0.5, 2.0, 0.3]), np.array([0.2, 0.7, -1.0, 1.1])):
        value, gradient = derivative(x)
        assert value == pytest.approx(f(x), rel=1e-12)
        assert gradient == pytest.approx([(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(4)], rel=1e-6)
