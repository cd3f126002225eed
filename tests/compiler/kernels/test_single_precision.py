"""Are sums in single precision that begin with Python's 0.0 kernels, and what NumPy code makes of them?"""

import numpy as np
import pytest

import ast_ad


def squares(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def from_an_integer(x):
    total = 0
    for i in range(len(x)):
        total = total + np.sin(x[i])
    return total


def of_positive_ones(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            total += x[i] * x[i - 1]
    return total


def of_pairs(x):
    energy = 0.0
    for i in range(len(x)):
        for j in range(i):
            d = x[i] - x[j]
            energy += 1.0 / np.sqrt(d * d + 1.0)
    return energy


def stored(x):
    y = np.zeros_like(x)
    total = 1.0
    for i in range(len(x)):
        total = total * x[i]
        y[i] = total
    return np.sum(y * y)


def while_below(x):
    total, i = 0.0, 0
    while i < len(x) and total < 6.5:
        total += x[i] * x[i]
        i += 1
    return total


def two_loops(x):
    total = 0.0
    for v in x:
        total += v
    scale = 1
    for v in x:
        scale = scale * (v - total) / 9
    return scale


def of_rows(x):
    total = 0.0
    for i in range(len(x)):
        total += np.sum(np.exp(x[i] * x))
    return total


def without_a_sum(x):
    out = [0.0] * len(x)
    for i in range(len(x)):
        out[i] = x[i] ** 2
    return sum(out)


IN_KERNELS = [squares, from_an_integer, of_positive_ones, of_pairs, stored, while_below, two_loops, of_rows]


def starts_between(x):
    """Single precision does not hold 0.1."""
    total = 0.1
    for i in range(len(x)):
        if x[i] > 1e9:
            total = total + x[i]
    return total * 3 + x[0]


def starts_large(x):
    total = 16777217
    for i in range(len(x)):
        if x[i] > 1e9:
            total = x[i]
    return total - 16777216 + x[0]


def starts_beyond(x):
    total = 1e300
    for i in range(len(x)):
        if x[i] > 1e9:
            total = x[i]
    return total / 1e300 + x[0]


def divided(x):
    """Python's 1.0 / 3 is not single precision's."""
    scale = 1.0
    for i in range(len(x)):
        if x[i] > 1e9:
            scale = x[i]
    third = scale / 3
    return third * 1e8 + x[0] * 0.0 - 33333333.0


def compared(x):
    """In double precision 1.0 is less; in single it is equal."""
    scale = 1.0
    for i in range(len(x)):
        if x[i] > 1e9:
            scale = x[i]
    return x[0] * 2 if scale < 1.00000001 else x[0] * 5


def in_a_list(x):
    scale = 1.0
    for i in range(len(x)):
        if x[i] > 1e9:
            scale = x[i]
    both = np.array([scale, 1.0 / 3])
    return both[1] * both[0] * 1e8 + x[0] * 0.0 - 33333333.0


def as_an_index(x):
    """Of a list or an array Python's 1 is an index, NumPy's 1.0 is none."""
    k = 1
    for i in range(len(x)):
        if x[i] > 1e9:
            k = x[i]
    y = np.zeros_like(x)
    y[k] = x[0]
    return x[k] * 2 + np.sum(np.roll(x, k) * y)


OTHERS = [
    without_a_sum,
    starts_between,
    starts_large,
    starts_beyond,
    divided,
    compared,
    in_a_list,
]


def derivative(function, backend):
    return ast_ad.value_and_grad(function, backend=backend, check=False)


def require_as_numpy(f, x):
    """The compiled function, and that its value and gradient are those of NumPy code."""
    compiled = derivative(f, "numba")
    value, bar = compiled(x)
    plain = f(x)
    assert type(value) is type(plain)
    np.testing.assert_allclose(value, plain, rtol=3e-6)
    np.testing.assert_allclose(bar, derivative(f, "numpy")(x)[1], rtol=1e-5, atol=1e-5)
    assert bar.dtype == x.dtype and bar.shape == x.shape
    return compiled


@pytest.mark.drawn(of=9)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("f", IN_KERNELS)
def test_wholly_in_kernels(f, n):
    compiled = require_as_numpy(f, np.linspace(-0.7, 1.9, n).astype(np.float32))
    assert n == 0 or "NumPy code" not in compiled.explain()  # there is nothing to compute


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", IN_KERNELS)
def test_other_calls_of_one_program(f):
    compiled = derivative(f, "numba")
    for n in (20, 30, 20, 25):
        x = np.linspace(0.3, 0.4, n).astype(np.float32)
        value, bar = compiled(x)
        assert type(value) is type(f(x))
        np.testing.assert_allclose(value, f(x), rtol=1e-5)
        np.testing.assert_allclose(bar, derivative(f, "numpy")(x)[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("f", OTHERS)
def test_what_single_precision_would_change(f):
    require_as_numpy(f, np.array([0.25, 0.5, 0.75], np.float32))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")  # it may be traced
def test_what_may_be_an_index():
    require_as_numpy(as_an_index, np.array([0.25, 0.5, 0.75], np.float32))
