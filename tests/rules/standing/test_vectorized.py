"""Are ``np.vectorize``, ``np.apply_along_axis``, ``np.piecewise`` and ``np.r_`` followed with options?"""

import math

import numpy as np
import pytest

from ast_ad import grad

from .checking import X, hold_compiled, hold_traced, hold_twice

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
W = np.array([[1.0, -2.0], [0.5, 3.0]])


def of_types(x):
    return np.sum(np.vectorize(lambda a: a**2, otypes=[float])(x.reshape(2, 2)) * W)


def with_excluded(x):
    by_name = np.vectorize(lambda a, k: a**k, excluded=["k"])(x, k=3)
    by_place = np.vectorize(lambda a, c: np.polyval(c, a), excluded={1})(x, x[:2])
    return np.sum(by_name) + np.sum(by_place)


def of_rows(x):
    norms = np.vectorize(lambda a: np.sum(a**2), signature="(n)->()")(x.reshape(2, 2))
    products = np.vectorize(lambda a, b: a * b[0], signature="(n),(n)->(n)")(x.reshape(2, 2), x[:2])
    return np.sum(norms**2) + np.sum(products * W)


def of_several_results(x):
    a, b = np.vectorize(lambda a: (a**2, a + 1))(x)
    return np.sum(a * b)


@np.vectorize
def decorated(a, b=2.0):
    if a > 1:
        return a * b
    return a**2


@np.vectorize(otypes=[float])
def decorated_with_options(a):
    return math.sin(a)


def made_before(x):
    return (
        np.sum(decorated(x)) + np.sum(decorated(x, 3.0)) + decorated(x[0]) + np.sum(decorated_with_options(x))
    )


def along_axes(x):
    a = np.apply_along_axis(np.cumsum, -1, x.reshape(2, 1, 2)) ** 2
    b = np.apply_along_axis(lambda r: np.outer(r, r), 1, x.reshape(2, 2, 1)) * np.arange(2)
    c = np.apply_along_axis(lambda r: np.array([r[0], r[0] * r[-1], 2.0]), 0, x.reshape(2, 2))
    return np.sum(a) + np.sum(b) + np.sum(c * np.arange(6).reshape(3, 2))


def along_the_only_axis(x):
    return np.apply_along_axis(np.sum, 0, x) ** 2 + np.apply_along_axis(lambda r, k: r**k, 0, x, 3)[1]


def pieces_of_a_number(x):
    y = np.piecewise(x[0], [x[0] < 0.5, x[0] >= 0.5], [lambda t: t**2, lambda t: t**3])
    return y * np.piecewise(x[1], [x[1] < 0.1], [lambda t: t, 4.0]) * x[2]


def counted_items(x):
    return np.sum(np.fromiter((v**2 for v in x), dtype=float, count=3)) + np.sum(
        np.fromiter(map(abs, x), float)
    )


def joined(x):
    ends = np.r_[x[0] : x[3] : 5j] ** 2
    columns = np.sum(np.r_["1,2,0", x, x**2][:, 1]) + np.sum(
        np.r_["0,2", x, x] * np.arange(8.0).reshape(2, 4)
    )
    return columns + np.sum(ends) + np.sum(np.r_[1:2:0.25, x] ** 2) + np.sum(np.c_[np.ones(4), x] @ W)


PROGRAMS = [
    of_types,
    with_excluded,
    of_rows,
    of_several_results,
    made_before,
    along_axes,
    along_the_only_axis,
    pieces_of_a_number,
    counted_items,
    joined,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f):
    hold_compiled(f)


@pytest.mark.parametrize("f", PROGRAMS)
def test_traced(f):
    hold_traced(f)


@pytest.mark.parametrize("f", [made_before, along_axes])
def test_twice(f):
    hold_twice(f)


@pytest.mark.parametrize("f", [of_types, of_several_results, joined])
def test_kernels(f):
    hold_compiled(f, "numba")


def test_fields_of_records():
    """An array of records of numbers that are differentiated is an array for each field."""

    def f(x):
        s = np.array([(x[0], 1.0), (x[1], 2.0)], dtype=[("a", float), ("b", float)])
        return np.sum(s["a"] * s["b"])

    np.testing.assert_array_equal(grad(f)(X.copy())[:2], [1.0, 2.0])
