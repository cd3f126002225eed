"""Are Python's floats, which are no NumPy scalars, as fast in kernels as those?"""

import math

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")


def carried(x, s):
    u = np.zeros_like(x)
    u[0] = x[0]
    for i in range(1, x.shape[0]):
        u[i] = math.sin(u[i - 1]) * s
    return np.sum(u * x)


def powers(x, s):
    t = 0.0
    for i in range(x.shape[0]):
        y = math.cos(x[i])
        t += np.power(y, 3) * x[i] + np.square(y) + np.power(y, 2.5) * s
    return t


def powers_of_an_argument(x, s):
    t = 0.0
    for i in range(x.shape[0]):
        t += np.power(s, 3) * x[i] + np.square(s) + np.power(s, -1.5)
    return t


@pytest.mark.parametrize(
    ("function", "word"),
    [(carried, "before"), (powers, "pow_("), (powers_of_an_argument, "pow_(")],
)
def test_python_floats(function, word):
    args = np.linspace(0.1, 1.0, 20), 0.7
    kernels = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba")
    value, gradients = kernels(*args)
    assert kernels.backend == "numba" and (word in kernels.source) == (word == "before")
    expected, others = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numpy")(*args)
    np.testing.assert_allclose(value, expected, rtol=1e-14)
    for found, other in zip(gradients, others, strict=True):
        np.testing.assert_allclose(found, other, rtol=1e-12)
        assert type(found) is type(other)
