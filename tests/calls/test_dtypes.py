"""Are gradients right for arrays of every byte order, layout and precision, in each kind of code?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import InputTypeError
from ast_ad.tracing.recorder import trace

X = np.array([0.7, 1.3, 0.4, 2.1])


def energy(x, s):
    y = x * s
    z = np.zeros_like(x)
    z[1:] = y[:-1] ** 2
    t = 0.0
    for i in range(len(x)):
        t = t + np.sin(x[i]) * z[i]
    return t + np.sum(np.exp(y)) + np.sum(np.outer(x, x) @ x)


def writes(x, s):
    x[0] = x[1] * s
    x *= 2
    return np.sum(x**2) + x[0]


def swapped(kind: str) -> np.ndarray:
    return X.astype(kind)


def unaligned() -> np.ndarray:
    memory = np.zeros(X.nbytes + 1, np.uint8)
    array = memory[1:].view(float)
    array[:] = X
    return array


def field() -> np.ndarray:
    records = np.zeros(4, [("a", float), ("b", "i4")])
    records["a"] = X
    return records["a"]


def frozen() -> np.ndarray:
    array = X.copy()
    array.flags.writeable = False
    return array


ARRAYS: dict[str, Any] = {
    "plain": X.copy,
    "big-endian": lambda: swapped(">f8"),
    "big-endian single": lambda: swapped(">f4"),
    "single": lambda: swapped("f4"),
    "long double": lambda: swapped("g"),
    "strided": lambda: np.repeat(X, 2)[::2],
    "reversed": lambda: X[::-1].copy()[::-1],
    "unaligned": unaligned,
    "field": field,
    "column": lambda: np.stack([X, X], 1)[:, 1],
}
NUMBERS = [0.9, np.float64(0.9), np.float32(0.9), np.longdouble(0.9), np.array(0.9), np.array(0.9, ">f8")]


def computed(f: Any, x: Any, s: Any, how: str) -> tuple[Any, Any, Any]:
    if how == "traced":
        value, pullback = trace(f, (x, s), {}, (0, 1))
        return (value, *pullback([1.0]))
    value, (x_bar, s_bar) = ast_ad.value_and_grad(f, argnums=(0, 1), backend=how)(x, s)
    return value, x_bar, s_bar


def check(f: Any, x: Any, s: Any, how: str) -> None:
    before = x.copy()
    value, x_bar, s_bar = computed(f, x, s, how)
    np.testing.assert_array_equal(x, before)
    single = 4 in (x.dtype.itemsize, np.asarray(s).dtype.itemsize)
    tolerance = 1e-4 if single else 1e-7
    np.testing.assert_allclose(float(value), float(f(X.copy(), 0.9)), rtol=1e-5 if single else 1e-12)
    h = 1e-5
    expected = [(f(X + h * e, 0.9) - f(X - h * e, 0.9)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(np.asarray(x_bar, float), expected, rtol=tolerance)
    slope = (f(X.copy(), 0.9 + h) - f(X.copy(), 0.9 - h)) / (2 * h)
    np.testing.assert_allclose(float(s_bar), slope, rtol=tolerance)
    assert x_bar.dtype == x.dtype.newbyteorder("=") and x_bar.dtype.isnative and x_bar.shape == x.shape
    assert np.asarray(s_bar).dtype.newbyteorder("=") == np.asarray(s).dtype.newbyteorder("=")


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("how", ["numpy", "numba", "traced"])
@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays(kind, how):
    check(energy, ARRAYS[kind](), 0.9, how)
    if how != "numba":
        check(writes, ARRAYS[kind](), 0.9, how)


@pytest.mark.drawn(of=3)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("how", ["numpy", "numba", "traced"])
@pytest.mark.parametrize("s", NUMBERS, ids=lambda s: f"{type(s).__name__}-{np.asarray(s).dtype.str}")
def test_numbers(s, how):
    check(energy, X.copy(), s, how)


@pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("x", [X.astype(">f8"), np.array(0.3, ">f8")], ids=["1-d", "0-d"])
@pytest.mark.parametrize(
    "f", [np.sum, lambda x: np.sum(np.sin(x)) * 2.0, lambda x: np.sum(x * 1.0), lambda x: 3.0]
)
def test_gradients_are_in_the_order_of_the_machine(f, x, backend):
    value, x_bar = ast_ad.value_and_grad(lambda x: f(x), backend=backend)(x)
    assert isinstance(x_bar, np.ndarray) and x_bar.shape == x.shape
    assert x_bar.dtype.isnative and np.asarray(value).dtype.isnative


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_arrays_that_can_not_be_written(backend):
    check(energy, frozen(), 0.9, backend)


class Kilograms(np.ndarray):
    pass


@pytest.mark.parametrize("kind", [Kilograms, np.recarray, np.matrix], ids=lambda c: c.__name__)
def test_subclasses_of_arrays(kind):
    with pytest.raises(InputTypeError, match=kind.__name__) as caught:
        ast_ad.grad(energy)(X.view(kind), 0.9)
    assert "np.asarray" in str(caught.value)


def test_files_in_memory(tmp_path):
    x = np.memmap(tmp_path / "numbers", float, "w+", shape=(4,))
    x[:] = X
    check(energy, x, 0.9, "numpy")


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_arrays_of_lists_that_may_be_empty(backend):
    """NumPy makes doubles of nothing."""

    def f(x, k):
        y = x * 1
        y *= np.sum([x[0]] * k)
        return np.sum(y) + np.sum(np.array([v * 2 for v in x[:k]]))

    derivative = ast_ad.value_and_grad(f, backend=backend)
    x = np.array([0.5, -0.25, 1.5], np.float32)
    for k in (2, 0, 1):
        value, found = derivative(x, k)
        assert value == pytest.approx(f(x, k), rel=1e-6) and type(value) is type(f(x, k))
        assert found.dtype == np.float32
