"""Does what is changed in place keep its dtype, and raise NumPy's error where it can't?"""

import numpy as np
import pytest

import ast_ad


def add(a, b):
    a += b
    return a


def subtract(a, b):
    a -= b
    return a


def multiply(a, b):
    a *= b
    return a


def divide(a, b):
    a /= b
    return a


def power(a, b):
    a **= b
    return a


OPERATIONS = [add, subtract, multiply, divide, power]
VALUES = {
    "float": lambda x, s: s,
    "float64": lambda x, s: np.tanh(s),
    "vector": lambda x, s: np.array([1.5, 2.5, 0.5]) * s,
    "wider": lambda x, s: x.astype(np.float64) * s,
    "sum": lambda x, s: np.sum(x) * s,
}


def changed(dtype, change, value):
    """A program whose array has two names."""

    def f(x, s):
        a = (x * np.float32(2)).astype(dtype)
        b = a
        a = change(a, value(x, s))
        return np.sum(b) + np.sum(a * x)

    return f


def in_turns(x, s):
    y = x.copy()
    for _ in range(2):
        y /= np.tanh(s)
        y[1:] *= np.float64(s)
        y[0] += s
    return np.sum(y * x)


def argument(x, s):
    x /= np.tanh(s)
    return np.sum(x)


def by_a_helper(x, s):
    def half(u):
        u *= np.tanh(s)
        return u

    parts = [half(x.copy()) for _ in range(2)]
    return np.sum(parts[0]) * np.sum(parts[1])


def compare(f, dtype, backend):
    x = np.array([0.5, 1.25, 0.75], dtype)
    expected = f(x.copy(), 0.7)
    value, (x_bar, s_bar) = ast_ad.value_and_grad(f, argnums=(0, 1), backend=backend)(x, 0.7)
    assert type(value) is type(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-6 if backend == "numba" else 0)
    assert x_bar.dtype == dtype and type(s_bar) is float
    step = 1e-3 if expected.dtype == np.float32 else 1e-5
    slope = (np.float64(f(x.copy(), 0.7 + step)) - np.float64(f(x.copy(), 0.7 - step))) / (2 * step)
    np.testing.assert_allclose(s_bar, slope, rtol=2e-2, atol=1e-2)


@pytest.mark.slow(beyond=1)
@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("f", [in_turns, argument, by_a_helper], ids=lambda f: f.__name__)
def test_programs(f, dtype, backend):
    compare(f, dtype, backend)


@pytest.mark.drawn(of=2)
@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("given", [np.float32, np.float64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("change", OPERATIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("value", VALUES)
def test_mixed_precisions(value, change, dtype, given):
    compare(changed(dtype, change, VALUES[value]), given, "numpy")


@pytest.mark.drawn(of=47)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("change", OPERATIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_floats_do_not_fit_into_integers(value, change, backend):
    f, x = changed(np.int64, change, VALUES[value]), np.array([0.5, 1.25, 0.75])
    with pytest.raises(TypeError) as own:
        f(x, 0.7)
    with pytest.raises(TypeError) as found:
        ast_ad.value_and_grad(f, argnums=(0, 1), backend=backend)(x, 0.7)
    assert type(found.value) is type(own.value)
    assert str(own.value) in str(found.value)
