"""Classes without a module, as ``exec`` may make them: are they as good as any other?"""

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import FallbackWarning

X = np.array([0.7, 1.3, -0.4])


def made(name, bases=(), **members):
    """A class of whose module nothing tells: no ``__name__`` is known where it is made."""
    space = {"name": name, "bases": bases, "members": members, "__builtins__": {"type": type}}
    exec("made = type(name, bases, members)", space)
    return space["made"]


def keep(self, scale):
    self.scale = scale


Scaled = made("Scaled", (), __init__=keep, __call__=lambda self, x: self.scale * x)
NoName = made("NoName", (), __module__=None, __init__=keep, __call__=lambda self, x: self.scale * x)
TooLarge = made("TooLarge", (ValueError,))
OUTSIDE = Scaled(2.0), NoName(3.0)


def made_within(x):
    return np.sum(Scaled(x[0])(x) * NoName(2.0)(x))


def from_outside(x):
    return np.sum(OUTSIDE[0](x) * OUTSIDE[1](x))


def caught(x):
    try:
        if x[0] > 0.5:
            raise TooLarge(x[0])
        scale = 1.0
    except TooLarge:
        scale = 2.0
    return scale * np.sum(x * x)


def traced(x):
    return np.sum(eval("OUTSIDE[0](x) * Scaled(3.0)(x)"))


@pytest.mark.parametrize("function", [made_within, from_outside, caught, traced])
def test_gradients(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        gradient, tangent = ast_ad.grad(function)(X), ast_ad.jvp(function, (X,), (np.ones(3),))[1]
        rows = ast_ad.vmap(function)(np.stack([X, -X]))
    expected = [(function(X + 1e-6 * e) - function(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(tangent, sum(expected), rtol=1e-7)
    np.testing.assert_allclose(rows, [function(X), function(-X)])


def test_arguments():
    assert not hasattr(Scaled, "__module__") and NoName.__module__ is None
    derivative = ast_ad.grad(lambda o, x: o(x) ** 2, argnums=1)
    for held in (Scaled(2.0), NoName(3.0), Scaled(4.0)):
        np.testing.assert_allclose(derivative(held, 0.5), held.scale**2)
    assert ast_ad.grad(lambda o: o.scale**2, wrt="o.scale")(Scaled(3.0)) == 6.0
