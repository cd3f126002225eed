"""Of fewer numbers than ``ddof`` NumPy has no variance: what do compiled programs and derivatives give?

Each program meets enough numbers first, then as many as ``ddof``, and then fewer: in later calls nothing is
compared with the function any more.
"""

import numpy as np
import pytest

import ast_ad

BACKENDS = ["numpy", "numba"]
COUNTS = [5, 4, 1, 2, 0, 3]


def of_rows_in_turn(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += np.var(x[i], ddof=2)
    return s


def of_all_rows(x):
    return np.sum(np.var(x, axis=1, ddof=2))


def deviations(x):
    return sum(x[i].std(ddof=2) for i in range(x.shape[0]))


def covariance(x):
    return np.cov(x, ddof=2)[0, 1]


def of_one_less(x):
    return np.var(x, ddof=1)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [of_rows_in_turn, of_all_rows, deviations, covariance, of_one_less])
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "error::ast_ad.DefectWarning")
def test_too_few_numbers(function, backend):
    derivative = ast_ad.value_and_grad(function, backend=backend, fallback="error")
    for count in COUNTS:
        x = np.random.default_rng(count).normal(size=(2, count))
        value, gradient = derivative(x)
        expected = function(x)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        if not np.isfinite(expected):
            assert not np.isfinite(gradient).any()
    assert derivative.mode == "compiled"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_too_few_numbers_that_are_no_nan_are_passed_over(backend):
    def spread(x):
        return np.nansum(np.nanvar(x, axis=1, ddof=2))

    x = np.random.default_rng(0).normal(size=(3, 4))
    derivative = ast_ad.grad(spread, backend=backend, fallback="error")
    whole = derivative(x)
    x[0, 1:] = np.nan  # fewer than two
    x[1, :2] = np.nan  # as many
    gradient = derivative(x)
    np.testing.assert_array_equal(gradient[:2], 0)
    np.testing.assert_allclose(gradient[2], whole[2], rtol=1e-12)
