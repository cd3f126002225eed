"""Are objects of classes that derive from ``types.SimpleNamespace`` what their constructors make of them?"""

import argparse
import types

import numpy as np
import pytest

import ast_ad

X = np.linspace(0.2, 1.7, 5)


class Sides(types.SimpleNamespace):
    def area(self):
        return self.a * self.b


class Scaled(types.SimpleNamespace):
    scale = 2.0

    def __init__(self, x, **others):
        super().__init__(x=x, **others)
        self.y = self.x * self.scale

    def total(self):
        return np.sum(self.y) * self.k


class Three(Scaled):
    def __init__(self, x):
        super().__init__(x, k=3.0)


def by_keywords(x):
    n = Sides(a=x[0], b=x[1])
    n.c = n.area()
    return n.c * n.a + len(vars(n)) * x[2]


def by_super(x):
    return Scaled(x, k=x[0]).total() + Three(x).total()


def in_a_loop(x):
    total = 0.0
    for v in x:
        total += Sides(a=v, b=2.0).area() ** 2
    return total


def of_nothing(x):
    n = Sides()
    n.a = n.b = x
    return np.sum(n.area()) * (2.0 if hasattr(n, "c") else 3.0)


def by_code_of_python(x):
    p = argparse.Namespace(a=x[0], b=x[1])
    return p.a * p.b * (2.0 if "a" in p else 1.0)


@pytest.mark.parametrize("f", [by_keywords, by_super, in_a_loop, of_nothing, by_code_of_python])
def test_attributes_are_those_that_are_passed(f):
    value, gradient = ast_ad.value_and_grad(f, fallback="error", check=False)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    slopes = [(f(X + step) - f(X - step)) / 2e-6 for step in 1e-6 * np.eye(5)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-7, atol=1e-9)


def test_what_the_constructor_refuses():
    with pytest.raises((TypeError, ast_ad.UnsupportedError)):
        ast_ad.grad(lambda x: Three(x, 1.0).total(), fallback="error")(X)
    with pytest.raises(ast_ad.UnsupportedError, match="constructor is not Python code"):
        ast_ad.grad(lambda x: np.sum(Sides({"a": x}).a), fallback="error")(X)
