"""Is an attribute gone that has been deleted, and a slot that has no value?"""

import types
import warnings

import numpy as np
import pytest

import ast_ad

X = np.linspace(0.2, 1.7, 5)


class Plain:
    k = 2.0

    def __init__(self, x):
        self.x, self.__own = x, 2.0 * x

    def without(self):
        del self.__own
        return self

    def has_own(self):
        return hasattr(self, "_Plain__own")

    def for_a_while(self):
        self.t = self.x**2
        total = self.t.sum()
        del self.t
        return total * (3.0 if hasattr(self, "t") else 1.0)


class Slots:
    __slots__ = "p", "q"


def of_the_class(x):
    a = Plain(x)
    total = a.for_a_while() + a.for_a_while()
    a.k = x[0]
    total += a.k
    del a.k
    return total + a.k * x[1]


def of_a_private_name(x):
    a = Plain(x).without()
    return np.sum(a.x) * (1.0 if a.has_own() else 2.0)


def of_two_names(x):
    a = types.SimpleNamespace(u=x[0], v=x[1])
    b = a
    s = a.u * a.v
    del b.u, (a.v)
    a.u = s * 2
    return a.u + len(vars(b)) * x[2]


def in_a_loop(x):
    a, total = Plain(x), 0.0
    for i in range(3):
        a.w = x[i]
        total += a.w**2
        del a.w
    return total


def of_a_slot(x):
    s = Slots()
    s.p, s.q = x, 2.0
    total = np.sum(s.p) * s.q
    del s.p
    return total * (1.0 if hasattr(s, "p") else 2.0)


def a_slot_without_a_value(x):
    s = Slots()
    total = x.sum() * (1.0 if hasattr(s, "p") else 2.0) * getattr(s, "p", 3.0)
    s.p = 4.0
    return total * (5.0 if hasattr(s, "p") else 1.0)


def a_slot_on_a_path(x):
    s = Slots()
    if x[0] > 0:
        s.p = x[1]
    return x.sum() * (1.0 if hasattr(s, "p") else 2.0)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "f",
    [
        *(of_the_class, of_a_private_name, of_two_names, in_a_loop),
        *(of_a_slot, a_slot_without_a_value, a_slot_on_a_path),
    ],
)
def test_what_is_gone_is_not_there(f, backend):
    call = ast_ad.value_and_grad(f, backend=backend, fallback="error", check=False)
    for x in (X, X[::-1].copy()) if f is not a_slot_on_a_path else (X, -X):
        value, gradient = call(x)
        assert value == pytest.approx(f(x), rel=1e-14)
        slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(5)]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-7, atol=1e-9)


def test_it_raises_as_python_does():
    def f(x):
        a = Plain(x)
        del a.x
        return np.sum(a.x)

    with (
        pytest.raises(AttributeError, match="'Plain' object has no attribute 'x'"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        ast_ad.grad(f)(X)


class Lazy:
    @property
    def v(self):
        return self._v


def test_an_attribute_of_code_is_there_if_the_code_raises_nothing():
    def f(x):
        lazy = Lazy()
        total = np.sum(x) * (2.0 if hasattr(lazy, "v") else 3.0)
        lazy._v = x[0]
        return total

    def g(x):
        lazy = Lazy()
        lazy._v = x[0]
        return np.sum(x) * (2.0 if hasattr(lazy, "v") else 3.0) * getattr(lazy, "v", 3.0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        assert ast_ad.value_and_grad(f, check=False)(X)[0] == f(X)
    assert ast_ad.value_and_grad(g, check=False, fallback="error")(X)[0] == pytest.approx(g(X), rel=1e-14)
