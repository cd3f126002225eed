"""Does ``ast_ad.rule.check`` pass rules that are right, and find those that are spoilt?"""

import ctypes
import ctypes.util
import functools
import math
import sys

import numpy as np
import pytest

import ast_ad
from ast_ad import rule
from ast_ad.rules import registry

X, Y = np.array([0.4, 1.3, 2.1]), np.array([1.7, 0.6, 0.9])


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """What a test registers is gone after it."""
    monkeypatch.setattr(registry, "_primitives", registry.primitives())  # all that will be known


def product(x, y):
    return x * x * y


def make(rule_of_product):
    """The product, with a rule, as an operation whose source nobody reads."""

    def product(x, y):
        return np.square(x) * y

    rule.elementwise(product)(rule_of_product)
    return product


def right(ans, x, y):
    return 2 * x * y, x * x


def factor(ans, x, y):
    return x * y, x * x


def sign(ans, x, y):
    return 2 * x * y, -x * x


def missing(ans, x, y):
    return 2 * x * y, None


def swapped(ans, x, y):
    return x * x, 2 * x * y


def test_a_right_rule():
    fn = make(right)
    rule.check(fn, [(X, Y), (0.5, 2.0), (X, 2.0)])
    rule.check(right, [(X, Y)])


@pytest.mark.parametrize("spoilt", [factor, sign, missing, swapped])
@pytest.mark.parametrize("args", [(X, Y), (0.7, 1.3), (X, 1.3)])
def test_a_spoilt_rule(spoilt, args):
    with pytest.raises(AssertionError, match="sample 1 of `product`: argument"):
        rule.check(make(spoilt), [(np.zeros(1), np.zeros(1)), args], boundary=False)


def test_a_second_derivative():
    """The rule is right where it is run, but what it calls has no right derivative."""

    def helper(x):
        return 2 * x

    @rule.elementwise(helper)
    def helper_rule(ans, x):
        return 3.0

    def square(x):
        return x * x

    @rule.elementwise(square)
    def square_rule(ans, x):
        return helper(x)

    with pytest.raises(AssertionError, match="sample 0 of `square`"):
        rule.check(square, [(X,)])


def test_nan_at_the_boundary():
    """``x ** 3`` has a derivative at 0, which this rule misses; another one misses that at a domain's end."""

    def cubed(x):
        return x**3

    @rule.elementwise(cubed)
    def cubed_rule(ans, x):
        return 3 * ans / x

    with pytest.raises(AssertionError, match="the derivative is nan at 0.0"):
        rule.check(cubed, [(X,)])
    rule.check(cubed, [(X,)], boundary=False)

    def arc(x):
        return (1 - x) ** 2 if x <= 1 else math.nan

    @rule.elementwise(arc)
    def arc_rule(ans, x):
        return -2 * (1 - x) ** 2 / (1 - x)

    with pytest.raises(AssertionError, match="at 1.0"):
        rule.check(arc, [rule.Sample((0.3,), order2=False)])


def test_points_beside_integers():
    """An integer stays what it is in the sample, and the other argument is tried all the same."""

    def scaled(n, x):
        return n * x**3

    @rule.elementwise(scaled)
    def scaled_rule(ans, n, x):
        return None, 3 * ans / x

    with pytest.raises(AssertionError, match="argument 1: the derivative is nan at 0.0"):
        rule.check(scaled, [(2, X)])
    rule.check(scaled, [rule.Sample((2.0, X), wrt=())])


def test_partials_without_a_formula():
    def first(x, y):
        return x * x

    @rule.elementwise(first)
    def first_rule(ans, x, y):
        return 2 * x, NotImplemented

    rule.check(first, [rule.Sample((X, Y), wrt=(0,))])


def test_an_array_that_a_rule_changes():
    def total(x):
        return float(np.sum(x))

    @rule.vjp(total)
    def total_rule(g, ans, x):
        x *= 0.0
        return g + x

    with pytest.raises(AssertionError, match="changed its arguments"):
        rule.check(total, [(X.copy(),)])


def test_the_wrong_shape():
    def total(x):
        return float(np.sum(x))

    @rule.vjp(total)
    def total_rule(g, ans, x):
        return g

    with pytest.raises(AssertionError, match="shape"):
        rule.check(total, [(X,)])


def test_what_is_no_rule():
    with pytest.raises(ast_ad.errors.InputTypeError, match="no registered operation"):
        rule.check(product, [(X, Y)])
    with pytest.raises(ast_ad.errors.InputTypeError, match="without samples"):
        rule.check(np.sin, [])
    with pytest.raises(ast_ad.errors.InputTypeError, match="a sample of type ndarray"):
        rule.check(np.sin, [X])


def test_a_rule_of_the_package():
    rule.check(np.sin, [(X,), (0.3,)])
    with pytest.raises(ValueError, match="has a rule already"):
        rule.elementwise(np.sin)(right)


def test_a_call_of_c_in_every_mode():
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    for name in ("j0", "j1"):
        getattr(library, name).restype, getattr(library, name).argtypes = ctypes.c_double, [ctypes.c_double]

    def j0(x):
        return library.j0(x)

    def j1(x):
        return library.j1(x)

    @rule.elementwise(j0)
    def j0_rule(ans, x):
        return -j1(x)

    @rule.elementwise(j1)
    def j1_rule(ans, x):
        return j0(x) - ans / x

    rule.check(j0, [(2.0,)])
    rule.check(j1, [(2.0,)], boundary=False)

    def f(x):
        return j0(x) * x

    expected = library.j0(2.0) - 2.0 * library.j1(2.0)
    for backend in ("numpy", "numba"):
        g = ast_ad.grad(f, backend=backend, fallback="error")
        assert abs(g(2.0) - expected) < 1e-14
    second = ast_ad.grad(ast_ad.grad(f))(2.0)
    assert abs(second - (g(2.001) - g(1.999)) / 0.002) < 1e-6


class Model:
    def method(self, x):
        return np.sin(x)

    @staticmethod
    def static(x):
        return np.sin(x)

    @classmethod
    def of_class(cls, x):
        return np.sin(x)

    def __call__(self, x):
        return np.sin(x)


@pytest.mark.parametrize(
    "fn",
    [Model.method, Model.static, Model.of_class, functools.partial(np.sin), np.vectorize(math.sin), 3.0],
    ids=lambda fn: type(fn).__name__,
)
def test_what_can_have_no_rule(fn):
    """Its rule was compiled or traced, and not known the other way, or neither."""
    known = registry.count()
    for register in (rule.vjp(fn), rule.elementwise(fn), rule.composite(fn)):
        with pytest.raises(ast_ad.errors.InputTypeError, match="find under a name"):
            register(lambda *args: args)
    with pytest.raises(ast_ad.errors.InputTypeError, match="find under a name"):
        rule.nondifferentiable(fn)
    assert registry.count() == known


model = Model()


def test_an_object_that_is_called_has_one():
    """Traced, too, and a trace of anything else goes on."""
    rule.vjp(model)(lambda g, ans, x: 100.0 * g)

    def traced(x):
        sys.getrefcount(x)
        return model(x)

    assert ast_ad.grad(lambda x: model(x))(0.5) == 100.0
    with pytest.warns(ast_ad.FallbackWarning):
        assert ast_ad.grad(traced)(0.5) == 100.0
