"""Is a function that stands in another's place in a trace still that function to code that compares it?"""

import copy
import functools
import pickle

import numba
import numpy as np
import pytest

from ast_ad import tracing as fallback
from ast_ad.tracing import replacements

X = np.array([0.7, 1.3, 2.1])


class Doubled:
    """Its sums are doubled, and so are its sines; other functions see the array."""

    def __init__(self, array):
        self.array = array

    def __array_function__(self, function, types, args, kwargs):
        if function is np.sum:
            return 2.0 * np.sum(self.array)
        return function(self.array, *args[1:], **kwargs)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if ufunc is np.sin:
            return 2.0 * np.sin(self.array)
        return getattr(ufunc, method)(*[i.array if i is self else i for i in inputs], **kwargs)


HANDLED = {}


def handles(function):
    def known(handler):
        HANDLED[function] = handler
        return handler

    return known


class Tabled:
    """As ``Doubled``, by a table, as the manual of NumPy has it."""

    def __init__(self, array):
        self.array = array

    def __array_function__(self, function, types, args, kwargs):
        return HANDLED[function](*args, **kwargs)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return HANDLED[ufunc](*inputs, **kwargs)


@handles(np.sum)
def _(a):
    return 2.0 * np.sum(a.array)


@handles(np.mean)
def _(a):
    return np.mean(a.array)


@handles(np.sin)
def _(a):
    return 2.0 * np.sin(a.array)


@handles(np.cos)
def _(a):
    return np.cos(a.array)


def functions_of(kind, x):
    a = kind(x)
    return np.sum(a) + np.mean(a)


def ufuncs_of(kind, x):
    a = kind(x)
    return np.sum(np.sin(a) + np.cos(a))


def given(x, function):
    return (2.0 if function is np.sum else 1.0) * function(x)


def given_in_a_list(x, functions):
    return sum((2.0 if f is np.max or f is np.sin else 1.0) * np.sum(f(x)) for f in functions)


def by_name(x, function=np.prod, *, by=np.add):
    return (2.0 if function is np.prod else 1.0) * function(by(x, x)) + (1.0 if by is np.add else 0.0)


WEIGHTS = {np.sum: 2.0, np.tanh: 3.0}
ORDER = [np.sum, np.tanh]


def looked_up(x):
    return WEIGHTS.get(np.sum, 1.0) * np.sum(x) + np.sum(WEIGHTS[np.tanh] * np.tanh(x))


def found(x):
    return np.sum(x) * (ORDER.index(np.tanh) + (np.sum in ORDER) + (np.exp in ORDER))


def asked(x):
    """Of their classes, names and attributes."""
    is_ufunc = isinstance(np.sin, np.ufunc) and not isinstance(np.sum, np.ufunc)
    known = np.sin.nin + np.add.identity + (np.sum.__name__ == "sum") + len(np.add.types)
    return np.sum(x) * (is_ufunc + known + (repr(np.sin) == "<ufunc 'sin'>"))


def asked_for_their_class(x):
    same = type(np.sin) is np.ufunc, isinstance(np.cos, np.ufunc), type(np.sum) is type(np.mean)
    return np.ufunc.reduce(np.add, x * x) * sum(same) + np.ufunc.outer(np.multiply, x, x)[0, 1]


def copied(x):
    same = copy.deepcopy([np.sum, np.sin])
    return same[0](same[1](x)) * ((same[0] is np.sum) + (pickle.loads(pickle.dumps(np.sin)) == np.sin))


def partial(x):
    sine = functools.partial(np.sin)
    return np.sum(sine(x)) * (2.0 if sine.func is np.sin else 1.0)


class Functions:
    total = np.sum
    sine = np.sin


def of_a_class(x):
    return Functions.total(Functions.sine(x)) + Functions().sine(x[0])


@pytest.mark.parametrize("kind", [Doubled, Tabled])
@pytest.mark.parametrize("program", [functions_of, ufuncs_of])
def test_protocols(kind, program):
    before = kind.__array_function__, kind.__array_ufunc__
    value, pullback = fallback.trace(functools.partial(program, kind), (X.copy(),), {}, (0,))
    assert value == program(kind, X)
    expected = 2.0 + 1 / 3 if program is functions_of else 2.0 * np.cos(X) - np.sin(X)
    np.testing.assert_allclose(pullback([1.0])[0], np.broadcast_to(expected, 3), rtol=1e-14)
    assert (kind.__array_function__, kind.__array_ufunc__) == before


@pytest.mark.parametrize(
    ("program", "args", "slope"),
    [
        (given, (np.sum,), np.full(3, 2.0)),
        (given, (np.mean,), np.full(3, 1 / 3)),
        (given_in_a_list, ([np.max, np.min],), np.array([1.0, 0.0, 2.0])),
        (given_in_a_list, ((np.sin, np.exp),), 2.0 * np.cos(X) + np.exp(X)),
        (by_name, (), 16.0 * np.prod(X) / X),
        (looked_up, (), 2.0 + 3.0 / np.cosh(X) ** 2),
        (found, (), np.full(3, 2.0)),
        (asked, (), np.full(3, 1.0 + np.sin.nin + 0 + 1 + len(np.add.types) + 1)),
        (asked_for_their_class, (), 6.0 * X + [X[1], X[0], 0.0]),
        (copied, (), 2.0 * np.cos(X)),
        (partial, (), 2.0 * np.cos(X)),
        (of_a_class, (), np.cos(X) * [2.0, 1.0, 1.0]),
    ],
)
def test_comparisons(program, args, slope):
    value, pullback = fallback.trace(program, (X.copy(), *args), {}, (0,))
    assert value == program(X, *args)
    np.testing.assert_allclose(pullback([1.0])[0], slope, rtol=1e-13)


def test_after_other_rules_came_and_went():
    """What stands in the places of functions is made anew then: all of it."""
    for _ in range(2):
        replacements._replacements.cache_clear()
        value, pullback = fallback.trace(given, (X.copy(), np.sum), {}, (0,))
        np.testing.assert_array_equal(pullback([1.0])[0], np.full(3, 2.0))


# ----- what others have made of functions: Numba, functools, NumPy


@numba.njit
def gauss(r):
    return np.exp(-r * r)


@numba.njit
def lorentz(r):
    return 1.0 / (1.0 + r * r)


@functools.lru_cache
def factor(n):
    return float(n)


half = functools.partial(np.multiply, 0.5)
square = np.vectorize(lambda a: a * a)
TABLE = {gauss: 2.0, factor: 3.0, square: 5.0}


def kernels(x, *kernels):
    return sum((2.0 if k is gauss else 1.0) * TABLE.get(k, 1.0) * np.sum(k(x)) for k in kernels)


def cached(x, function):
    return (2.0 if function is factor else 1.0) * np.sum(x) * function(2) + TABLE.get(factor, 1.0) * x[0]


def others(x, functions):
    known = sum((2.0 if f is half else 3.0 if f is square else 0.0) * np.sum(f(x)) for f in functions)
    return known + TABLE[square] * x[0] + TABLE.get(gauss, 1.0) * x[1]


def with_a_module(x, xp):
    y = xp.zeros(3)
    y[1:] = x[:2] * x[1:]
    return xp.sum(y) * (2.0 if xp is np else 1.0)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize(
    ("program", "args"),
    [
        (kernels, (gauss, lorentz)),
        (cached, (factor,)),
        (others, ([half, square],)),
        (others, ((half, lorentz),)),
        (with_a_module, (np,)),
    ],
)
def test_made_by_others(program, args):
    value, pullback = fallback.trace(program, (X.copy(), *args), {}, (0,))
    assert value == pytest.approx(program(X, *args), rel=1e-14)
    slope = [(program(X + s, *args) - program(X - s, *args)) / 2e-6 for s in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(pullback([1.0])[0], slope, rtol=1e-7)


# ----- lists of traced numbers


def sines(x):
    return np.sum(np.sin([x[0], 2.0, x[1] * x[2]]))


def products(x):
    return np.sum(np.multiply((x[0], x[1]), [x[2], 3.0])) + np.add.reduce([x[0], x[1] ** 2])


def tables(x):
    return np.sum(np.exp([[x[0], x[1]], [1.0, x[2]]])) + np.sum(np.multiply.outer([x[0], x[1]], [1.0, x[2]]))


def questions(x):
    pair = x[0] * x[1], x[2]
    if np.all(np.isnan(pair)) or not np.all(np.isfinite([*pair, 1.0])):
        return 0.0
    return pair[0] * pair[1]


def accumulated(x):
    y = np.zeros(3)
    np.add.at(y, [0, 2, 0], [x[0], x[1], x[2]])
    return np.sum(np.add.accumulate([x[0], x[1] * x[1]])) + np.sum(y * y)


@pytest.mark.parametrize("program", [sines, products, tables, questions, accumulated])
def test_ufuncs_of_lists(program):
    value, pullback = fallback.trace(program, (X.copy(),), {}, (0,))
    assert value == program(X.copy())
    steps = 1e-6 * np.eye(3)
    slope = [(program(X + step) - program(X - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(pullback([1.0])[0], slope, rtol=1e-7)
