"""Powers and shifts of Python's integers in kernels: what Python computes, or the call is left to it."""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

from ast_ad.compiler.kernels.numbers.integer_powers import (
    integer_power,
    python_power,
    shift_left,
    shift_right,
    whole_power,
    whole_power_derivative,
    whole_power_dx,
)
from ast_ad.compiler.kernels.runtime import Mismatch
from ast_ad.rules import partials

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


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-300, 1e300, 0.3, -2.5, -1e5])
def test_powers_of_doubles_by_integers(x):
    """NumPy's with their derivatives, edges and signs of zeros included."""
    exponents = np.array([*range(-40, 41), 100, -100])
    base = np.full(exponents.shape, x)

    def compared(found, expected):
        found, near = np.array(found), np.abs(expected) < 1e-303  # products of small numbers round earlier
        np.testing.assert_allclose(found[~near], expected[~near], rtol=2e-14)
        np.testing.assert_allclose(found[near], expected[near], atol=1e-303)

    with np.errstate(all="ignore"):
        powers = [whole_power(x, n) for n in exponents]
        compared(powers, base**exponents)
        np.testing.assert_array_equal(np.signbit(powers), np.signbit(base**exponents) & ~np.isnan(powers))
        compared([whole_power_dx(x, n) for n in exponents], partials.power_dx(base, exponents))
        for k in (1, 2, 3):
            second = partials.power_derivative(base, exponents, k, 0)
            compared([whole_power_derivative(x, n, k, 0) for n in exponents], second)


def test_powers_of_pythons_floats():
    for x, n in [(0.3, 7), (-2.5, -3), (0.0, 0), (0.0, 5), (1e-300, 2), (np.inf, -1), (1.1, 500)]:
        assert python_power(x, n) == pytest.approx(x**n, rel=1e-14)
    with pytest.raises(ZeroDivisionError):
        python_power(0.0, -1)
    with pytest.raises(OverflowError):
        python_power(1e200, 2)


def of_lengths(x, n, flag):
    m = x.shape[0]
    step = 1.0 / m**2
    for k in range(3):
        x = x + step * np.sin(x) * k**3
    return np.sum(x) * m**4 + (n**2 % 7) * x[0] - (n**3 > 5) * x[1] + (flag**2 + m**1) * x[2]


def test_a_power_of_a_length_stays_in_the_kernel():
    x = np.linspace(0.1, 0.9, 8)
    derivative = ast_ad.value_and_grad(of_lengths, backend="numba", fallback="error")
    for n in (3, -2, 0, 10**10):  # which is answered by NumPy code, as its square is beyond 63 bits
        value, bar = derivative(x, n, True)
        expected, wanted = ast_ad.value_and_grad(of_lengths, backend="numpy")(x, n, True)
        assert value == pytest.approx(of_lengths(x, n, True), rel=1e-13) == pytest.approx(expected, rel=1e-13)
        np.testing.assert_allclose(bar, wanted, rtol=1e-13)
        if n == 3:
            assert "_kernel_1" in derivative.source and "_kernel_2" not in derivative.source


def polynomials(x, c):
    """By a matrix of powers, and by powers in a loop."""
    total = np.sum(np.sin((x[:, None] ** np.arange(c.size)) @ c))
    for k in range(c.size):
        total += c[k] * np.sum(x**k) * float(c[0]) ** k + np.sum((x + 2.0) ** (-k))
    return total


@pytest.mark.slow(beyond=1)
def test_polynomials():
    x, c = np.linspace(-1.0, 1.5, 7), np.array([0.7, -0.2, 0.4, 0.1, -0.3, 0.2])
    derivative = ast_ad.value_and_grad(polynomials, (0, 1), backend="numba", fallback="error")
    value, bars = derivative(x, c)
    assert value == pytest.approx(polynomials(x, c), rel=1e-13)
    assert "NumPy code" not in str(derivative.explain())
    plain = ast_ad.grad(polynomials, (0, 1), backend="numpy")(x, c)
    for bar, other in zip(bars, plain, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-12)
    ast_ad.check_grads(polynomials, (x, c), order=2)
    way = np.array([1.0, -2.0, 0.5, 0.3, 0.1, -0.7, 1.1])
    second = ast_ad.hvp(polynomials, (x, c), (way, None), argnums=None, backend="numba")[0]
    ends = [ast_ad.grad(polynomials)(x + h * way, c) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(second, (ends[0] - ends[1]) / 2e-6, rtol=1e-6, atol=1e-6)
