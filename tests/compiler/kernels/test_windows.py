"""Sliding windows: read where they lie, in kernels and outside, and what is added to a slice of them."""

import numpy as np
import pytest

import ast_ad

windows = np.lib.stride_tricks.sliding_window_view
RNG = np.random.default_rng(6)


def frames(w, x):
    """Spectra of frames that overlap."""
    part = windows(x, 8)[::3] * w
    return np.sum(np.log(np.abs(np.fft.rfft(part, axis=1)) ** 2 + 0.1))


def every_window(w, x):
    return np.sum(np.tanh(windows(x, 8) @ w) * np.arange(len(x) - 7))


def from_behind(w, x):
    return np.sum(windows(x, 8)[-2::-4] * w) + np.sum(windows(x, 8)[2:9:2] ** 2 * w[::-1])


def chosen_columns(w, x):
    return np.sum(windows(x, 8)[1:, 2:6:2] ** 3 * w[:2])


def runs_of_a_loop(w, x):
    total = 0.0
    for k in range(3):
        total += np.sum(windows(x[k:], 8)[:: k + 1] * w**k)
        total += np.max(np.sum(windows(x, 8) * w, axis=1))
    return total


def length_of_another(w, x):
    return np.sum(np.exp(windows(x, len(w))[::2]) @ w)


def image(w, x):
    patches = windows(x.reshape(5, 5), (3, 2))
    return np.sum(np.sin(patches) * w[:6].reshape(3, 2)) + np.sum(
        windows(x.reshape(5, 5), 2, axis=1)[..., 1] ** 2
    )


@pytest.mark.drawn(of=21)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "f", [frames, every_window, from_behind, chosen_columns, runs_of_a_loop, length_of_another, image]
)
def test_derivatives_are_those_of_differences(f, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    derivative = ast_ad.value_and_grad(f, (0, 1), backend=backend, fallback="error")
    for _ in range(3):
        w, x, dw, dx = RNG.normal(size=8), RNG.normal(size=25), RNG.normal(size=8), RNG.normal(size=25)
        value, (w_bar, x_bar) = derivative(w, x)
        assert np.isclose(value, f(w, x), rtol=1e-13)
        h = 1e-6
        slope = (f(w + h * dw, x + h * dx) - f(w - h * dw, x - h * dx)) / (2 * h)
        assert np.isclose(w_bar @ dw + x_bar @ dx, slope, rtol=1e-6)
        _, tangent = ast_ad.jvp(f, (w, x), (dw, dx), backend=backend)
        assert np.isclose(w_bar @ dw + x_bar @ dx, tangent, rtol=1e-12)
    found = ast_ad.hvp(f, (w, x), (dw, dx), backend=backend)
    _, above = derivative(w + h * dw, x + h * dx)
    _, below = derivative(w - h * dw, x - h * dx)
    for part, a, b in zip(found, above, below, strict=True):
        np.testing.assert_allclose(part, (a - b) / (2 * h), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_window_that_is_too_long_is_numpys_error(backend):
    if backend == "numba":
        pytest.importorskip("numba")
    derivative = ast_ad.grad(length_of_another, backend=backend)
    derivative(np.ones(3), np.ones(9))
    np.testing.assert_allclose(derivative(np.ones(9), np.ones(9)), np.e)
    with pytest.raises(ValueError, match="window"):
        derivative(np.ones(10), np.ones(9))


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_window_of_less_than_nothing_is_numpys_error(backend):
    if backend == "numba":
        pytest.importorskip("numba")

    def f(x, n):
        return np.sum(windows(x, n)) + np.sum(x**2)

    derivative = ast_ad.grad(f, backend=backend)
    x = np.arange(5.0)
    for n in (2, 3, 1, 5, 0):
        inside = np.sum(windows(np.eye(5), n, axis=1), axis=(1, 2))
        np.testing.assert_allclose(derivative(x, n), 2 * x + inside)
    for n in (-1, -3, 6):
        with pytest.raises(ValueError):
            f(x, n)
        with pytest.raises(ValueError):
            derivative(x, n)


def test_nothing_of_the_size_of_all_windows_is_made():
    gradient = ast_ad.grad(frames, (0, 1), backend="numpy", fallback="error")
    gradient(np.ones(8), RNG.normal(size=25))
    assert "zeros" not in gradient.source and gradient.source.count("sliding_window_view(") == 1
    pytest.importorskip("numba")
    gradient = ast_ad.grad(frames, (0, 1), backend="numba", fallback="error")
    gradient(np.ones(8), RNG.normal(size=25))
    assert "(18, 8)" not in gradient.source and "range(18)" not in gradient.source
