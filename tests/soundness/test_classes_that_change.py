"""Is a class that is changed between two calls seen as what it is now?"""

import numpy as np
import pytest

import ast_ad

X = np.array([0.3, 0.7, 1.1])


class Scaled:
    scale = 2.0

    def __init__(self):
        self.weight = 1.5

    def times(self, x):
        return x * self.scale * self.weight


class Marked:
    pass


class Other:
    pass


class Middle(Marked):
    pass


class Thing(Middle):
    pass


THING = Thing()


def of_made(x):
    made = Scaled()
    return np.sum(made.times(x) ** 2)


def of_outside(x):
    return np.sum(x**2) if isinstance(THING, Marked) else np.sum(x)


def of_made_thing(x):
    return np.sum(x**2) if isinstance(Thing(), Marked) else np.sum(x)


def of_class(x):
    return np.sum(x**2) if issubclass(Thing, Marked) else np.sum(x)


def reads_three(self, name):
    return 3.0 if name == "scale" else object.__getattribute__(self, name)


def stores_twice(self, name, value):
    object.__setattr__(self, name, value * 2)


def agrees(function, gradient):
    step = 1e-6 * np.eye(3)
    slopes = [(function(X + s) - function(X - s)) / 2e-6 for s in step]
    np.testing.assert_allclose(gradient(X), slopes, rtol=1e-6)
    return slopes


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")  # a class with a `__getattribute__` is traced
@pytest.mark.parametrize(("name", "code"), [("__getattribute__", reads_three), ("__setattr__", stores_twice)])
def test_code_that_a_class_gets_later(monkeypatch, name, code):
    gradient = ast_ad.grad(of_made)
    before = agrees(of_made, gradient)
    with monkeypatch.context() as patch:
        patch.setattr(Scaled, name, code)
        assert not np.allclose(agrees(of_made, gradient), before)
    assert np.allclose(agrees(of_made, gradient), before)


@pytest.mark.parametrize("function", [of_outside, of_made_thing, of_class])
def test_other_bases(function):
    gradient = ast_ad.grad(function)
    before = agrees(function, gradient)
    Middle.__bases__ = (Other,)
    try:
        assert not np.allclose(agrees(function, gradient), before)
    finally:
        Middle.__bases__ = (Marked,)
    assert np.allclose(agrees(function, gradient), before)
