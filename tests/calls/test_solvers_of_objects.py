"""May a solver be given a method of an object that the program makes? Compiled, if it only reads the object.

The object is made anew for the method; whoever changes it, or asks which one it is, would notice.
"""

import dataclasses
import warnings

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq, root

import ast_ad
from ast_ad import tracing

THREE = np.array([1.2, 0.7, 0.5])


class Equations:
    def __init__(self, k):
        self.k, self.parts = k, {"a": k[0] * 2, "l": [k[1], 3.0]}

    def residual(self, z):
        return np.tanh(z) + z * self.k - self.weight(z) * self.parts["l"][0]

    def weight(self, z):
        return 1 + 0.01 * z * self.parts["a"]

    def solve(self):
        return root(self.residual, np.zeros(3), tol=1e-13).x


@dataclasses.dataclass
class Decay:
    b: float

    def __post_init__(self):
        self.c = self.b * 2  # no field

    def at(self, t):
        return np.exp(-self.c * t * t)


class Prey:
    def __init__(self, a, decay):
        self.a, self.decay = a, decay

    @property
    def growth(self):
        return self.a**2

    def slope(self, t, y):
        return np.array([y[0] * (self.growth - y[1]), y[1] * (y[0] - self.decay.b)])


class Cubic:
    def __init__(self, a):
        self.a, self.n, self.other = a, 0, self

    def value(self, x):
        return x**3 - self.a * x - 1


class Counting(Cubic):
    def __init__(self, a):
        self.a, self.n = a, 0

    def note(self):
        self.n += 1


class ByMethod(Counting):
    def value(self, x):
        self.note()
        return x**3 - self.a * x - 1


class ByName(Counting):
    def value(self, x):
        getattr(self, "note")()  # noqa: B009
        return x**3 - self.a * x - 1


@dataclasses.dataclass
class Fields:
    a: float
    n: int = 0

    note = Counting.note
    value = ByMethod.value


class Pair:
    def __init__(self, a):
        self.one = Counting(a)
        self.two = [self.one]

    def value(self, x):
        return self.one.value(x) + (1.0 if self.two[0] is self.one else 0.0)


def by_equations(k):
    return np.sum(Equations(k).solve() ** 2)


def in_a_loop(k):
    equations = Equations(k)
    total = 0.0
    for i in range(3):
        total += brentq(lambda z, i=i: equations.residual(np.full(3, z))[i] - 0.3 * i, -5, 5, xtol=1e-14)
    return total


def of_an_object_in_an_object(a):
    found = solve_ivp(Prey(a, Decay(a * a)).slope, (0, 3.0), [1.0, 0.5], rtol=1e-9, atol=1e-11)
    return np.sum(found.y[:, -1] ** 2)


def of_a_dataclass(a):
    return quad(Decay(a).at, 0, 2)[0]


@pytest.mark.parametrize(
    "f, x",
    [(by_equations, THREE), (in_a_loop, THREE), (of_an_object_in_an_object, 0.9), (of_a_dataclass, 0.9)],
)
def test_methods_that_only_read_are_compiled(f, x, monkeypatch):
    monkeypatch.setattr(tracing, "trace", None)
    value, gradient = ast_ad.value_and_grad(f, fallback="error")(x)
    assert value == f(x)
    direction = np.ones_like(x)
    slope = (f(x + 1e-5 * direction) - f(x - 1e-5 * direction)) / 2e-5
    assert np.sum(gradient * direction) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("cls", [ByMethod, ByName, Fields])
def test_an_object_that_is_changed_is_that_very_one(cls):
    def f(a):
        cubic = cls(a)
        return brentq(cubic.value, 0, 5) * (2.0 if cubic.n > 3 else 1.0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        assert ast_ad.value_and_grad(f, check=False)(1.3)[0] == f(1.3)


@pytest.mark.parametrize("cls", [Cubic, Pair])
def test_an_object_in_two_places_is_one(cls):
    def f(a):
        return brentq(cls(a).value, 0, 5)

    with pytest.warns(ast_ad.FallbackWarning, match="in two places"):
        assert ast_ad.value_and_grad(f, check=False)(1.3)[0] == f(1.3)


OUTSIDE = ByMethod(1.3)


def of_a_method_outside(low):
    return brentq(OUTSIDE.value, low, 5) * low


def test_an_object_from_outside_is_changed_as_often_as_the_method_is_called():
    OUTSIDE.n = 0
    of_a_method_outside(0.1)
    calls, OUTSIDE.n = OUTSIDE.n, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        ast_ad.grad(of_a_method_outside)(0.1)
    assert OUTSIDE.n == calls + 2  # docs/solvers.md: once to record it, and once for a flat root
