"""``a += t`` of a plain array and a traced one: what only that name knows is traced afterwards."""

import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import MissingRuleError

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([1.5, -0.5])
OUTER = np.array([1.0, 2.0])


class Holder:
    pass


def chosen(x):
    a = np.where(x > 0.0, 1.0, -1.0)
    a *= x
    a += x**2
    return np.sum(a)


def a_number(x):
    a = np.where(x[0] <= 2.0, -1.6, -0.3)
    a += x[1] * x[0]
    return a * x[1]


def of_booleans(x):
    a = (x > 0.0) * 1.5
    a -= x**2
    return np.sum(a * a)


def places(x):
    a = np.digitize(x, [0.0, 1.0]).astype(float)
    a *= x
    return np.sum(a * a)


def in_turns(x):
    a = (x > -9.0) * 3.0
    for _ in range(3):
        a *= x
    return np.sum(a)


def in_a_list(x):
    found = [(x > 0.0) * 1.0]
    found[0] += x
    return np.sum(found[0] ** 2)


def in_an_object(x):
    holder = Holder()
    holder.b = (x > -9.0) * 2.0
    holder.b *= x
    holder.b += x
    return np.sum(holder.b * x)


def in_a_closure(x):
    a = (x > -9.0) * 2.0

    def read():
        return a

    a *= x
    return np.sum(read() ** 2)


def by_a_matrix(x):
    m = (np.ones((2, 2)) > 0.0) * 1.5
    m @= np.outer(x, x)
    return np.sum(m * np.outer(x, [1.0, 2.0]))


def of_another_dtype(x):
    a = (x > -9.0) * 2
    try:
        a += x
    except TypeError:
        return np.sum(x * x)
    return np.sum(a)


@pytest.mark.parametrize(
    "f",
    [
        chosen, a_number, of_booleans, places, in_turns, in_a_list, in_an_object, in_a_closure, by_a_matrix,
        of_another_dtype,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_traced(f):
    def traced(x):
        return eval("f(x)", {"f": f, "x": x})  # which no compiler follows

    value, gradient = ast_ad.value_and_grad(traced)(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    assert gradient == pytest.approx([(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(2)], rel=1e-6)


def two_names(x):
    a = (x > 0.0) * 1.0
    b = a
    a += x
    return np.sum(b * x)


def a_view(x):
    a = (x > 0.0) * 1.0
    b = a[:1]
    a += x
    return np.sum(b * x[0])


def of_a_view(x):
    a = (x > 0.0) * 1.0
    b = a[:1]
    b += x[:1]
    return np.sum(a * x)


def from_outside(x):
    a = OUTER
    a += x
    return np.sum(a)


def written_to(x):
    a = (x > 0.0) * 1.0
    np.add(a, x, out=a)
    return np.sum(a * a)


def by_a_function(x):
    a = (x > 0.0) * 1.0
    operator.iadd(a, x)
    return np.sum(a * a)


def in_two_lists(x):
    found = [(x > 0.0) * 1.0]
    others = list(found)
    found[0] += x
    return np.sum(others[0] ** 2)


@pytest.mark.parametrize(
    "f",
    [two_names, a_view, of_a_view, from_outside, written_to, by_a_function, in_two_lists],
    ids=lambda f: f.__name__,
)
def test_what_others_see_is_refused(f):
    def traced(x):
        return eval("f(x)", {"f": f, "x": x})

    with pytest.raises(MissingRuleError, match="lose its history"):
        ast_ad.grad(traced)(X)
    assert list(OUTER) == [1.0, 2.0]
