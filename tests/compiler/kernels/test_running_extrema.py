"""Running extrema in kernels: values to the bit, and gradients go where NumPy code has them go."""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

RNG = np.random.default_rng(8)


def drawdown(returns, w):
    """The deepest fall of a portfolio from its highest value so far."""
    value = np.cumprod(1 + returns @ w)
    return np.min(value / np.maximum.accumulate(value) - 1) + np.sum(np.minimum.accumulate(value) ** 2)


def both(x, w):
    return np.sum(np.maximum.accumulate(x * w) * np.arange(len(x))) - np.sum(np.minimum.accumulate(x) ** 3)


def in_a_loop(x, w):
    total = 0.0
    for k in range(1, 4):
        total += np.sum(np.maximum.accumulate(np.sin(k * x)) * w)
    return total


@pytest.mark.parametrize("f", [drawdown, both, in_a_loop])
def test_gradients_are_those_of_numpy_code_and_of_differences(f):
    size = (12, 3) if f is drawdown else (12,)
    derivatives = [ast_ad.value_and_grad(f, (0, 1), backend=b, fallback="error") for b in ("numba", "numpy")]
    for _ in range(3):
        x, w = RNG.normal(size=size) * 0.1, RNG.normal(size=size[-1])
        dx, dw = RNG.normal(size=x.shape), RNG.normal(size=w.shape)
        (value, found), (_, expected) = (derivative(x, w) for derivative in derivatives)
        assert np.isclose(value, f(x, w), rtol=1e-14)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
        h = 1e-7
        slope = (f(x + h * dx, w + h * dw) - f(x - h * dx, w - h * dw)) / (2 * h)
        assert np.isclose(np.sum(found[0] * dx) + found[1] @ dw, slope, rtol=1e-5)


def weighed(x):
    larger, smaller = np.maximum.accumulate(x), np.minimum.accumulate(x)
    return np.nansum(larger * np.arange(1.0, len(x) + 1)) + np.nansum(np.copysign(1.0, smaller) * x)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize(
    "x",
    [
        [1.0, 1.0, 0.5, 1.0, 2.0, 2.0],
        [0.0, -0.0, 0.0, -0.0, -1.0, 0.0],
        [1.0, np.nan, 2.0, np.nan, 5.0, 0.0],
        [np.nan, 3.0, 2.0, np.inf, -np.inf, 0.0],
        [0.5],
    ],
)
@np.errstate(all="ignore")
def test_ties_zeros_and_nan_are_as_in_numpy_code(x):
    x = np.array(x)
    value, found = ast_ad.value_and_grad(weighed, backend="numba", fallback="error")(x)
    np.testing.assert_array_equal(value, weighed(x))
    np.testing.assert_array_equal(found, ast_ad.grad(weighed, backend="numpy")(x))
