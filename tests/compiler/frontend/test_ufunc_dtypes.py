"""Ufuncs with ``dtype=`` are compiled, and so are changes of arrays without axes that a choice makes."""

import numpy as np
import pytest

import ast_ad


def none(x):
    return np.sum(np.square(x, dtype=None) * 2.0)


def single(x):
    return np.sum(np.multiply(x, x * 2.0, dtype=np.float32))


def complex_numbers(x):
    return np.sum(np.add(x, 3, dtype=complex).real * x)


def by_a_list(x):
    return np.sum(np.multiply(x, [1, 2], dtype="float64") ** 2)


def of_numbers(x):
    total = 0.0
    for v in x:
        total = total + np.multiply(v, v, dtype=np.float64)
    return total


def into_an_array(x):
    out = np.empty(2)
    np.multiply(x, x, out=out, dtype=float)
    return np.sum(out * out)


def of_integers(x):
    return np.sum(np.add(np.arange(2), x, dtype=np.float64) * np.power(x, 2, dtype=np.float64))


def chosen_number(x):
    a = np.where(x[0] <= 2.0, x[1], -0.3)
    a += x[0] * x[0]
    a *= x[1]
    return a


def chosen_in_turns(x):
    total = 0.0
    for i in range(3):
        a = np.where(x[0] <= i, x[1], x[0])
        a *= x[0]
        total = total + a
    return total


def filled(x):
    a = np.array(x[0] * 1.0)
    b = a
    a[...] = x[1] * 2.0
    return a * b + x[0]


PROGRAMS = [
    none, single, complex_numbers, by_a_list, of_numbers, into_an_array, of_integers, chosen_number,
    chosen_in_turns, filled,
]  # fmt: skip


@pytest.mark.slow(beyond=4)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    step, close = (1e-3, 1e-3) if f is single else (1e-6, 1e-6)
    for x in (np.array([1.5, 0.5]), np.array([2.5, -0.75])):
        value, gradient = derivative(x)
        assert value == pytest.approx(f(x), rel=1e-12) and type(value) is type(f(x))
        slopes = [(float(f(x + h)) - float(f(x - h))) / (2 * step) for h in step * np.eye(2)]
        assert gradient == pytest.approx(slopes, rel=close)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_numpy_refuses():
    with pytest.raises(TypeError, match="Cannot cast ufunc"):
        ast_ad.grad(lambda x: np.sum(np.floor_divide(x, 2, dtype=int) * x))(np.ones(2))
