"""Is an operator of an array and an object what NumPy says it is, compiled and traced?"""

from __future__ import annotations

import collections
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ast_ad
from ast_ad import value_and_grad

POINTS = np.array([0.3, 0.7, 1.1]), np.array([1.7, 0.4, 0.9])


class Both:
    """``__array_ufunc__`` goes before priorities and reflected methods."""

    __array_priority__ = 100.0

    def __init__(self, v):
        self.v = v

    def __array_ufunc__(self, fn, method, *args, **kwargs):
        array = next(a for a in args if a is not self)
        return np.sum(array**2) * self.v + (0.25 if fn in (np.add, np.less) else 0.5) + len(kwargs)

    def __radd__(self, other):
        return np.sum(other)

    def __gt__(self, other):
        return 5.0

    __rmul__ = __rmatmul__ = __radd__


class Own:
    """``__array_ufunc__`` alone."""

    __array_ufunc__ = Both.__array_ufunc__
    v = 2.0


class Left:
    """All is left to it."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return np.sum(other**2)

    __ror__ = __radd__


class Higher:
    __array_priority__ = 10.0

    def __radd__(self, other):
        return np.sum(other) * 3.0


class Lower:
    """Asked for each element, of which it gets a number of Python's."""

    def __radd__(self, other):
        return 3.0 * other + isinstance(other, float) + np.size(other)


class Converted:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0, 3.0])

    def __rmul__(self, other):
        return other * 10.0


both, own, left, higher, lower, converted = Both(3.0), Own(), Left(), Higher(), Lower(), Converted()
items = collections.UserList([1.0, 2.0, 3.0])


def in_place(value: Any) -> Callable[[np.ndarray], Any]:
    def f(x):
        y = x * 1.0
        y += value
        return np.sum(y)

    return f


PROGRAMS: dict[str, Callable[[np.ndarray], Any]] = {
    "both": lambda x: x + both,
    "both, a number": lambda x: x[0] * both + x[1],
    "both, a number of Python's": lambda x: float(x[0]) + both,
    "both, made within": lambda x: x @ Both(x[1]),
    "both, compared": lambda x: (x < both) * x[0],
    "own": lambda x: x + own,
    "own on the left": lambda x: own * x,
    "left": lambda x: x + left,
    "left, of bits": lambda x: x | left,
    "higher": lambda x: x + higher,
    "lower": lambda x: np.sum(x + lower) * 1.0,
    "lower, a number": lambda x: x[0] + lower,
    "converted": lambda x: np.sum(x * converted),
    "items": lambda x: np.sum(x * items),
    "both, in place": in_place(both),
    "higher, in place": in_place(higher),
    "items, in place": in_place(items),
}


def require_right(f: Callable[[np.ndarray], Any], derivative: Any) -> None:
    for x in POINTS:
        value, gradient = derivative(x)
        assert value == pytest.approx(f(x), rel=1e-12)
        expected = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.slow(one_in=18)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled(name: str, backend: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        require_right(PROGRAMS[name], value_and_grad(PROGRAMS[name], backend=backend, check=False))


@pytest.mark.slow(one_in=6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_traced(name: str) -> None:
    def traced(x: np.ndarray) -> object:
        eval("1")
        return PROGRAMS[name](x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        require_right(PROGRAMS[name], value_and_grad(traced))


def test_what_refuses_ufuncs_refuses_to_be_added_in_place() -> None:
    with pytest.raises(TypeError), warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        value_and_grad(in_place(left))(POINTS[0])


@pytest.mark.parametrize("name", ["__array_ufunc__", "__array_priority__"])
def test_what_the_class_says_is_guarded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return np.sum(x + higher)

    derivative = value_and_grad(f, check=False)
    require_right(f, derivative)
    new = {"__array_ufunc__": Both.__array_ufunc__, "__array_priority__": -1.0}[name]
    monkeypatch.setattr(Higher, name, new, raising=False)
    monkeypatch.setattr(Higher, "v", 7.0, raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        require_right(f, derivative)
