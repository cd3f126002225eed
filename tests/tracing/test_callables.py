"""Do NumPy's functions that call others find what these know of a trace? And are counts integers?"""

import functools
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad import MissingRuleError, grad

from .test_second_derivatives import S, X, combined, differences, turns

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
PLAIN = np.array([1.0, 2.0, -3.0])


def pieces(x, s):
    for i in turns():
        x = x * i
    tests = [x < 0, x >= 4]
    return np.sum(np.piecewise(x, tests, [lambda v: v**2 * s, np.sin, 0.5]) ** 2)


def a_piece_for_the_rest(x, s):
    found = [np.piecewise(x * i, [x < 0], [s, lambda v, i=i: v**3 / i]) for i in turns()]
    return np.sum(found[0] * found[1]) + np.sum(found[2])


def pieces_with_arguments(x, s):
    def scaled(v, a, b=1.0):
        return v**2 * a * b

    return sum(np.sum(np.piecewise(x, x > i - 1.1, [scaled, 2.0 * s], s, b=x[0])) for i in turns())


def pieces_that_overlap(x, s):
    y = np.outer(x, x) * sum(turns())
    return np.sum(np.piecewise(y, [y > 2.03, np.abs(y) < 9.1], (np.sin, np.sum, lambda v: np.cumsum(v))) * s)


def pieces_of_a_number(x, s):
    return sum(np.piecewise(x[i], [x[i] > 0], [lambda v: v**3 * s, lambda v: v * v * s]) for i in turns()) * s


def pieces_written_to(x, s):
    def piece(v):
        v *= s
        return v

    return sum(np.sum(np.piecewise(x, [x < i + 0.1], [piece, 1.0]) * x * i) for i in turns())


def pieces_of_a_constant(x, s):
    pieces = [lambda v: v * s, lambda v: v * v * x[0]]
    return sum(np.sum(np.piecewise(PLAIN * i, [PLAIN > 0], pieces)) for i in turns()) * x[1]


def rows_of_a_constant(x, s):
    rows = np.arange(6.0).reshape(2, 3)
    found = [np.apply_along_axis(lambda r: r * np.sum(r) * s * x[0], i % 2, rows) for i in turns()]
    return np.sum(found[0]) * s + np.sum(np.sin(found[1] * found[2].T[0, 0]))


def elements(x, s):
    by_element = np.vectorize(lambda a, b: a * b if a > 0 else a**2 * s)
    by_row = np.vectorize(lambda a, b: np.sum(a) * b * s, signature="(n),()->()")
    return np.sum(by_element(x * sum(turns()), s)) + by_row(x, s)


def from_places(x, s):
    total = sum(turns()) * np.sum(np.fromfunction(lambda i, j: np.sin(i * s + j * x[0]), (2, 3)))
    return total + np.sum(np.fromfunction(lambda i: x[i] * s, (2,), dtype=int))


def counts(x, s):
    x = x * sum(turns())
    total = np.sum(np.repeat(x, s * s + 1.7) * s) + np.sum(x.repeat(s * s + 1.7) ** 2 * s)
    return (
        total + np.sum(np.repeat(PLAIN, repeats=x[0] ** 2 + 0.25) * x[1] * s) + len(np.repeat(s, 2)) * s * s
    )


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize(
    "function",
    [
        pieces, a_piece_for_the_rest, pieces_with_arguments, pieces_that_overlap, pieces_of_a_number,
        pieces_written_to, pieces_of_a_constant, rows_of_a_constant, elements, from_places, counts,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_first_and_second_derivatives(function):
    inner, h = combined(function)
    outer = grad(h, argnums=(0, 1))
    for x, s in ((X, S), (X[::-1] * 0.8, -0.4)):
        for g, f in ((inner, function), (outer, h)):
            of_x, of_s = g(x, s)
            np.testing.assert_allclose([*of_x, of_s], differences(f, x, s), rtol=1e-5, atol=1e-5)
    assert inner.mode == "fallback"


def test_pieces_of_integers_are_integers():
    def f(x):
        return sum(np.sum(np.piecewise(np.arange(3), [PLAIN > 0], [lambda v: v * x[0]])) for _ in turns())

    with pytest.raises(MissingRuleError, match="would leave the trace"):
        grad(f)(X)


def test_errors_are_numpys():
    def f(x, wrong):
        for _ in turns():
            x = x * 2.0
        if wrong:
            return np.sum(np.piecewise(x, [x > 0], [np.sin, np.cos, np.exp]))
        return np.sum(np.repeat(x, x))

    with pytest.raises(ValueError, match="1 condition"):
        grad(f)(X, True)
    with pytest.raises(TypeError, match="Cannot cast"):
        grad(f)(X, False)


def test_a_cache_in_a_derivative_that_is_compiled_while_another_is_traced():
    made = []

    @functools.cache
    def weights(n):
        made.append(n)
        return np.arange(n) * 1.0

    def f(x):
        return np.sum(x**2 * weights(len(x)))

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = ast_ad.hessian(f)(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(found, [[0.0, 0.0], [0.0, 2.0]])
    assert made == [2]
    assert {warning.category for warning in told} == {ast_ad.FallbackWarning}
