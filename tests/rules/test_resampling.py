"""Are the functions of ``scipy.signal`` that change the rate of a signal differentiated?"""

import numpy as np
import pytest
import scipy.signal as sg

import ast_ad

X = np.array([0.3, 1.2, -0.7, 2.1, 0.9, -0.2])
TAPS = np.array([1.0, 2.0, -0.5, 0.25])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(sg.upfirdn(TAPS, x, 3, 2) ** 2),
        lambda x: np.sum(sg.upfirdn(x[:3], x, 2) ** 3),
        lambda x: np.sum(sg.upfirdn(TAPS, np.outer(x, x), down=2, axis=0) ** 2),
        lambda x: np.sum(sg.resample_poly(x, 3, 2) ** 2),
        lambda x: np.sum(sg.resample_poly(x, 2, 3, window=("kaiser", 4.0)) ** 3),
        lambda x: np.sum(sg.resample_poly(np.outer(x, x), 1, 2, axis=1) ** 2),
    ],
)
def test_compiled(function):
    value, gradient = ast_ad.value_and_grad(function, fallback="error")(X)
    np.testing.assert_allclose(value, function(X), rtol=1e-13)
    wanted = [(function(X + d) - function(X - d)) / 2e-6 for d in 1e-6 * np.eye(len(X))]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-7)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_traced():
    def function(x):
        eval("1")  # what no compiler follows
        return np.sum(sg.upfirdn(TAPS, x, 3, 2) ** 2) + np.sum(sg.resample_poly(x, 3, 2) ** 2)

    gradient = ast_ad.grad(function)(X)
    wanted = [(function(X + d) - function(X - d)) / 2e-6 for d in 1e-6 * np.eye(len(X))]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-7)


def test_other_ends_than_zeros_are_refused():
    with pytest.raises(ast_ad.AdError, match="upfirdn"):
        ast_ad.grad(lambda x: np.sum(sg.upfirdn(TAPS, x, mode="symmetric") ** 2), fallback="error")(X)
