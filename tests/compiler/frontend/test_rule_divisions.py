"""Do rules divide as NumPy does where the divisor may be zero, and as Python does where it can not?"""

import math

import numpy as np
import pytest

import ast_ad

THREE = np.array([0.4, -0.9, 1.3])


def element_by_zero(x, s):
    return x[0] / (s - s)


def sum_by_zero(x, s):
    return np.sum(x) / (s * 0.0)


def literal_zero(x, s):
    return np.sum(x) / 0.0


def mean_of_nothing(x, s):
    return np.mean(x[4:]) + s


def mean_beside(x, s):
    m = np.mean(x[4:])
    return np.sum(x) if np.isnan(m) else m * np.sum(x)


def mean_in_loop(x, s):
    total = 0.0
    for k in range(2):
        m = np.mean(x[4 + k :])
        if not np.isnan(m):
            total = total + m
    return total + np.sum(x)


def root(x, s):
    return math.sqrt(s - s) * x[0]


def square_of_quotient(x, s):
    return np.sum(x * x) * (x[1] / (s - s)) ** 2


def angle(x, s):
    return math.atan2(s * 0.0, s * 0.0) * x[0]


CASES = [
    element_by_zero, sum_by_zero, literal_zero, mean_of_nothing, mean_beside, mean_in_loop, root,
    square_of_quotient, angle,
]  # fmt: skip


@pytest.mark.slow(one_in=20)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::ast_ad.ZeroGradientWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", CASES)
def test_zero_is_divided_by_as_numpy_does(function, backend):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend, fallback="error")
    value, found = derivative(THREE, 0.7)
    traced_value, pullback = ast_ad.tracing.trace(function, (THREE, 0.7), {}, (0, 1))
    np.testing.assert_array_equal(value, function(THREE, 0.7))
    np.testing.assert_array_equal(value, traced_value)
    assert type(found[1]) is float
    if function is not literal_zero and function is not square_of_quotient:  # products of inf and zero
        for one, other in zip(found, pullback([1.0]), strict=True):
            np.testing.assert_array_equal(np.isfinite(one), np.isfinite(other))
            np.testing.assert_allclose(one, other)


def newton(a, n):
    x = a
    for _ in range(n):
        x = 0.5 * (x + a / x)
    return x + math.log(x) + math.atan(x) + math.log2(a)


@pytest.mark.slow
def test_what_is_not_zero_is_divided_by_as_python_does():
    derivative = ast_ad.value_and_grad(newton, backend="numpy")
    value, gradient = derivative(2.0, 5)
    assert "np.divide" not in derivative.source
    h = 1e-6
    assert gradient == pytest.approx((newton(2.0 + h, 5) - newton(2.0 - h, 5)) / (2 * h), rel=1e-8)


def test_a_division_of_pythons_still_raises():
    derivative = ast_ad.grad(lambda s: 1.0 / s + 2.0)
    derivative(1.0)
    with pytest.raises(ZeroDivisionError):
        derivative(0.0)
