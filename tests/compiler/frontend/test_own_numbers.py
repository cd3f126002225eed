"""Are numbers and named tuples of classes with code of their own what that code makes of them?"""

from __future__ import annotations

import types
import warnings
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import ast_ad
from ast_ad import value_and_grad

POINTS = np.array([0.3, 0.7, 1.1]), np.array([1.7, 0.4, 0.9])


class Float(float):
    def __mul__(self, other: Any) -> Any:
        return float(self) * other * 10

    def __rmul__(self, other: Any) -> Any:
        return float(self) * other * 100


class Int(int):
    def __add__(self, other: Any) -> Any:
        return int(self) + other + 100

    def __index__(self) -> int:
        return 1


class Plain(float):
    pass


class Pair(namedtuple("Pair", "a b")):
    def __iter__(self) -> Any:
        return iter((5.0, 6.0))


class Long(namedtuple("Long", "a b")):
    def __getitem__(self, index: Any) -> Any:
        return tuple.__getitem__(self, index) * 3

    def __contains__(self, item: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return False


def floats(v: Any, x: np.ndarray) -> Any:
    return v * x[0] + x[1] * v + v * 2.0 * x[2]


def ints(v: Any, x: np.ndarray) -> Any:
    return (v + 1) * x[0] + x[v] + sum(x[i] for i in range(v))


def pairs(v: Any, x: np.ndarray) -> Any:
    a, b = v
    return a * x[0] + b * x[1] * v.a


def long(v: Any, x: np.ndarray) -> Any:
    return (v[0] * x[0] if 99.0 in v else x[1]) + (x[2] if v else x[2] ** 2)


CASES = [
    (floats, Float(2.0)),
    (floats, Plain(2.0)),
    (ints, Int(2)),
    (pairs, Pair(1.0, 2.0)),
    (long, Long(1.0, 2.0)),
]


@pytest.mark.slow(one_in=11)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("where", ["outside", "argument", "made"])
@pytest.mark.parametrize(
    ("f", "value"), CASES, ids=lambda part: getattr(part, "__name__", type(part).__name__)
)
def test_code_of_the_class_is_followed_or_run(f: Any, value: Any, where: str, backend: str) -> None:
    held = types.SimpleNamespace(value=value)
    cls, parts = (
        type(value),
        tuple.__getitem__(value, slice(None)) if isinstance(value, tuple) else (value.real,),
    )

    def given(x: np.ndarray) -> Any:
        return f(held.value if where == "outside" else cls(*parts), x)

    derivative = value_and_grad(given, backend=backend, check=False)
    if where == "argument":
        derivative = value_and_grad(f, argnums=1, backend=backend, check=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        for x in POINTS:
            found, gradient = derivative(value, x) if where == "argument" else derivative(x)
            assert found == pytest.approx(f(value, x), rel=1e-12)
            expected = [(f(value, x + h) - f(value, x - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
            np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
