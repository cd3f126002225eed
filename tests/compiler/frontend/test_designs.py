"""Are filters and windows that a function designs itself constants of its program, new at every call?"""

import numpy as np
import pytest
from scipy import signal

import ast_ad

X = np.sin(np.arange(40.0) ** 1.3)


def by_poles(x):
    b, a = signal.cheby1(4, 0.5, 0.4)
    b *= 2.0
    b[0] += 0.1
    return np.sum(signal.lfilter(b, a, x) ** 2)


def by_sections(x):
    sections = signal.butter(4, [0.1, 0.3], btype="band", output="sos")
    return np.sum(signal.sosfilt(sections, x) ** 2)


def by_a_window(x):
    taper = signal.windows.hann(40)
    taper[3] = 5.0
    taper /= taper.sum()
    return np.sum((taper * x) ** 2) + np.sum(np.convolve(x, signal.firwin(5, 0.3)) ** 2)


def by_a_choice(x):
    b, a = signal.butter(3, 0.2) if x[0] > 0.5 else signal.butter(2, 0.4)
    return np.sum(signal.lfilter(b, a, x) ** 2)


@pytest.mark.slow(beyond=1)
@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", [by_poles, by_sections, by_a_window, by_a_choice])
def test_of_constants(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    for x in (X, X[::-1].copy(), X):
        value, gradient = derivative(x)
        assert value == pytest.approx(f(x), rel=1e-13)
        assert gradient @ X == pytest.approx((f(x + 1e-6 * X) - f(x - 1e-6 * X)) / 2e-6, rel=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_can_not_be_designed():
    def impossible(x):
        return np.sum(x) * signal.butter(2, 1.5)[0][0]

    with pytest.raises(ValueError, match="critical frequencies"):
        ast_ad.grad(impossible)(X)


def by_a_window_of_any_length(x, n):
    taper = signal.get_window("hann", int(np.floor(n / 1.0)))
    return np.sum((taper * x[: taper.size]) ** 2) + np.sum(signal.windows.boxcar(n)) * x[n]


def by_the_width_of_a_window(x, n):
    return np.sum(signal.windows.gaussian(n, 3.0 + x[1]) * x[:n]) + np.sum(
        signal.get_window(("kaiser", 4.0), n) * x[:n]
    )


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", [by_a_window_of_any_length, by_the_width_of_a_window])
def test_of_what_is_known_at_run_time(f):
    derivative = ast_ad.value_and_grad(f, backend="numpy", fallback="error")
    for n in (8, 5, 1):
        value, gradient = derivative(X, n)
        assert value == pytest.approx(f(X, n), rel=1e-14)
        difference = (f(X + 1e-6 * X, n) - f(X - 1e-6 * X, n)) / 2e-6
        assert gradient @ X == pytest.approx(difference, rel=1e-6)


def by_what_is_varied(x, w):
    b, a = signal.butter(4, w)
    return np.sum(signal.lfilter(b, a, x) ** 2)


def real_by_its_value(x, w):
    roots = w * np.array([1.0 + 1j, 1.0 - 1j])
    shifted = roots + 1.0
    if np.all(np.sort(shifted) == np.sort(shifted.conjugate())):
        shifted = shifted.real.copy()
    return np.sum(shifted) ** 2 * np.sum(x**3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", [by_what_is_varied, real_by_its_value])
def test_second_derivatives_of_what_is_real_by_its_value(f):
    gradient = ast_ad.grad(f, argnums=(0, 1))
    above, below = gradient(X, 0.3 + 1e-5), gradient(X, 0.3 - 1e-5)
    products = ast_ad.hvp(f, (X, 0.3), (np.zeros(40), 1.0))
    for product, a, b in zip(products, above, below, strict=True):
        np.testing.assert_allclose(product, (a - b) / 2e-5, rtol=1e-5, atol=1e-6)


@pytest.mark.slow(beyond=1)
@pytest.mark.filterwarnings("error::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", [lambda x: x * 2.0, lambda x: np.sum(x * (1 + 2j))])
def test_second_derivatives_of_no_real_number_are_refused(f):
    with pytest.raises(ast_ad.errors.InputTypeError, match="the gradient of a result"):
        ast_ad.hvp(f, (X,), (X,))
