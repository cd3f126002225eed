"""Powers and shifts of Python's integers in kernels: what Python computes, or the call is left to it."""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

from ast_ad.compiler.kernels.numbers.integer_powers import integer_power, shift_left, shift_right
from ast_ad.compiler.kernels.runtime import Mismatch

INTS = [0, 1, -1, 2, -3, 10, 1 << 30, -(1 << 40), 3**30]


@pytest.mark.parametrize(
    "kernel, python",
    [(integer_power, pow), (shift_left, lambda x, n: x << n), (shift_right, lambda x, n: x >> n)],
    ids=["power", "left", "right"],
)
def test_as_in_python(kernel, python):
    for x in INTS:
        for n in (0, 1, 2, 3, 7, 31, 61, 62, 63, 64, 200):
            right = python(x, n)
            try:
                assert kernel(x, n) == right
            except Mismatch:
                assert abs(right) > 1e18 or x == 0 and n > 61  # 2**n is beyond
        with pytest.raises(Mismatch):
            kernel(x, -1)


def levels(x, n):
    """Strides that double, with a search by halves."""
    total = 0.0
    for k in range(n):
        step = 2**k
        total += np.sum(x[::step]) * step + x[(1 << k) % len(x)] ** 2
    low, high = 0, len(x)
    while high - low > 1:
        middle = (low + high) >> 1
        if x[middle] > 0.5:
            high = middle
        else:
            low = middle
    return total + x[low] ** 3


def of_arrays(x, k):
    """NumPy's integers wrap around; narrow ones are left to it."""
    total = 0.0
    for i in range(3):
        total += np.sum(x * (k + i) ** 2 + (k * i) ** 3) + np.sum(np.arange(len(x)) ** 4 * x * 1e-3)
    return total


@pytest.mark.slow(beyond=1)
def test_powers_of_arrays_of_integers():
    x = np.linspace(-1.0, 1.5, 5)
    derivative = ast_ad.value_and_grad(of_arrays, backend="numba", fallback="error")
    for k in (np.arange(-2, 3), np.arange(5) * 2**40, np.arange(5, dtype=np.int8) * 30):
        value, bar = derivative(x, k)
        right, expected = ast_ad.value_and_grad(of_arrays, backend="numpy")(x, k)
        assert value == pytest.approx(of_arrays(x, k), rel=1e-14)
        assert right == pytest.approx(value, rel=1e-14)
        np.testing.assert_allclose(bar, expected, rtol=1e-13)


@pytest.mark.slow(beyond=1)
def test_gradients():
    x = np.linspace(-1.0, 1.5, 12) ** 3
    derivative = ast_ad.value_and_grad(levels, backend="numba", fallback="error")
    for n in (4, 2, 3, 1, 0):
        value, bar = derivative(x, n)
        right, expected = ast_ad.value_and_grad(levels, backend="numpy")(x, n)
        assert value == pytest.approx(levels(x, n), rel=1e-14) == right
        np.testing.assert_allclose(bar, expected, rtol=1e-13)
    assert "of integers" not in str(derivative.explain())


def scaled(x, n):
    """An int or a float, by the sign of the exponent."""
    return 2**n * x**2


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_powers_of_either_type(backend):
    derivative = ast_ad.value_and_grad(scaled, backend=backend)
    for n in (3, 1, 0, -2, 2, -5):
        assert derivative(1.5, n) == (pytest.approx(scaled(1.5, n)), pytest.approx(2**n * 3.0))
