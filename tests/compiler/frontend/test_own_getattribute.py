"""Are attributes what the ``__getattribute__`` of their class gives, and is that run once for each read?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ast_ad
from ast_ad import value_and_grad

POINTS = np.array([0.3, 0.7, 1.1]), np.array([1.7, 0.4, 0.9])
Case = tuple[Callable[[np.ndarray], Any], Any]


class Replacing:
    scale = 2.0

    def method(self, x):
        return np.sum(x)

    @staticmethod
    def static(x):
        return np.sum(x)

    @classmethod
    def of_class(cls, x):
        return np.sum(x)

    @property
    def computed(self):
        return 2.0

    def __getattribute__(self, name):
        if name in ("method", "static", "of_class"):
            return lambda x: np.sum(x**2) * self.scale
        return 7.0 if name == "computed" else object.__getattribute__(self, name)


class Derived(Replacing):
    def method(self, x):
        return np.sum(x**3)


class Counting:
    def __init__(self):
        self.count = 0

    def method(self, x):
        return np.sum(x)

    def __getattribute__(self, name):
        held = object.__getattribute__(self, "__dict__")
        if name in ("value", "method"):
            held["count"] = held["count"] + 1
        return 2.0 * held["count"] if name == "value" else object.__getattribute__(self, name)


def method() -> Case:
    one = Replacing()
    return lambda x: one.method(x), one


def of_a_derived_class() -> Case:
    one = Derived()
    return lambda x: one.method(x), one


def static() -> Case:
    one = Replacing()
    return lambda x: one.static(x) * one.of_class(x) * one.computed, one


def counted_attribute() -> Case:
    one = Counting()
    return lambda x: one.value * np.sum(x) + one.value, one


def counted_method() -> Case:
    one = Counting()
    return lambda x: one.method(x) * one.count, one


@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("make", [method, of_a_derived_class, static, counted_attribute, counted_method])
def test_code_decides_what_is_read(make: Callable[[], Case], check: bool, backend: str) -> None:
    f, one = make()
    plain, other = make()
    derivative = value_and_grad(f, check=check, backend=backend)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        for x in POINTS:
            value, gradient = derivative(x)
            assert value == pytest.approx(plain(x), rel=1e-12)
            assert getattr(one, "count", None) == (count := getattr(other, "count", None))
            expected = []
            for h in 1e-6 * np.eye(3):
                ends = []
                for point in (x + h, x - h):
                    if count is not None:
                        other.count = count - (2 if make is counted_attribute else 1)
                    ends.append(plain(point))
                expected.append((ends[0] - ends[1]) / 2e-6)
            np.testing.assert_allclose(gradient, expected, rtol=1e-6)
