"""What a library may overwrite has its result's derivative, and none afterwards."""

import numpy as np
import pytest
import scipy.fft
import scipy.linalg

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([3.0, 1.0, 2.5, 0.4, 1.7])


def deviation(x):
    return np.median(np.abs(x - np.median(x)), overwrite_input=True)


def by_place(x):
    y = x * 1.0
    m = np.median(y, None, None, True)
    y[:] = x  # what was left there is gone
    return m * y[0]


def along_an_axis(x):
    return np.sum(np.median(np.outer(x, x[:3]), axis=0, overwrite_input=True) * x[:3])


def percentiles(x):
    return np.percentile(x[1:] * 2.0, 30.0, overwrite_input=True) + np.nanmedian(x**2, overwrite_input=True)


def inverse(x):
    a = np.array([[2.0, x[0]], [x[1], 3.0]])
    b = scipy.linalg.solve(a.copy(), x[:2] * 1.0, overwrite_a=True, overwrite_b=True, check_finite=False)
    return np.sum(scipy.linalg.inv(a, overwrite_a=True)) + b[0]


def transform(x):
    return np.sum(np.abs(scipy.fft.fft(x * 1.0, overwrite_x=True)[1:3]))


@pytest.mark.parametrize("f", [deviation, by_place, along_an_axis, percentiles, inverse, transform])
def test_results(f):
    value, found = ast_ad.value_and_grad(f)(X)
    assert value == f(X)
    differences = [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(len(X))]
    np.testing.assert_allclose(found, differences, rtol=1e-7, atol=1e-8)


def left_behind(x):
    y = x * 1.0
    return np.median(y, overwrite_input=True) + y[0]


def seen_by_another_name(x):
    y = x * 1.0
    return np.median(y[1:], overwrite_input=True) * y[1]


@pytest.mark.parametrize("f", [left_behind, seen_by_another_name])
def test_what_is_left_has_no_derivative(f):
    with pytest.raises(ast_ad.errors.MissingRuleError, match="what `median` has left"):
        ast_ad.grad(f)(X)


def values_alone(x):
    y = x * 1.0
    m = np.median(y, overwrite_input=True)
    return m * (2.0 if y[0] < 0.5 else 5.0)  # it depends on what was left, in steps


def test_values_are_those_of_the_function():
    value, found = ast_ad.value_and_grad(values_alone)(X)
    assert value == values_alone(X)
    np.testing.assert_array_equal(found, np.where(X == 1.7, value / 1.7, 0.0))
