"""Are the names of a program's variables distinct in what is emitted?"""

import numpy as np
import pytest

import ast_ad

X = np.array([0.3, 0.7])


def underscore_is_read(x, n):
    _ = x[0] * 2
    s = 0.0
    for i in range(n):
        for j in range(2):
            s = s + x[1] * s * 0.1 + x[0]
        s = s * _
    return s * _


def underscore_of_a_pair(x, n):
    _, s = x[0] * 2, 0.0
    for __ in range(n):
        s, _ = s * x[1] + _, s
    return s * _


@pytest.mark.parametrize("function", [underscore_is_read, underscore_of_a_pair])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_what_is_read_is_not_named_as_what_is_dropped(function, backend):
    derivative = ast_ad.value_and_grad(function, backend=backend)
    value, gradient = derivative(X, 3)
    step = 1e-6
    differences = [(function(X + step * e, 3) - function(X - step * e, 3)) / (2 * step) for e in np.eye(2)]
    assert value == pytest.approx(function(X, 3), rel=1e-14)
    np.testing.assert_allclose(gradient, differences, rtol=1e-7)
    assert derivative.mode == "compiled"
