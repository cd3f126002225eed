"""What if None is left in a list that NumPy makes an array of? The program notices, and does not guess."""

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.7, 1.3, 0.4, 2.1])


def filled(x, n):
    items = [None] * len(x)
    for i in range(n):
        items[i] = x[i] ** 2
    return np.sum(np.array(items) * x)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_full_list_after_one_with_gaps_and_before(backend):
    derivative = ast_ad.value_and_grad(filled, backend=backend)
    for _ in range(3):
        value, gradient = derivative(X, 4)
        np.testing.assert_allclose(value, np.sum(X**3))
        np.testing.assert_allclose(gradient, 3 * X**2)
    assert derivative.mode == "compiled"
    with pytest.raises((ast_ad.AdError, TypeError)):  # the function itself multiplies None
        derivative(X, 2)
    np.testing.assert_allclose(derivative(X, 4)[1], 3 * X**2)


def test_an_array_of_objects_is_not_taken_for_one_of_numbers():
    def summed(x, n):
        items = [None] * len(x)
        for i in range(n):
            items[i] = x[i] ** 2
        return np.sum(x) * np.array(items).astype(float)[0]  # None becomes nan

    value, gradient = ast_ad.value_and_grad(summed)(X, 4)
    np.testing.assert_allclose(value, summed(X, 4))
    with pytest.raises(ast_ad.AdError):
        ast_ad.value_and_grad(summed)(X, 2)
