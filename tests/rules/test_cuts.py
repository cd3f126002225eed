"""Are derivatives on the cuts of complex functions those of the side on which the value lies?"""

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
CUT = [np.arcsin, np.arccos, np.arccosh, np.arctanh, np.log, np.sqrt]
BY_VALUE = {
    "sqrt": np.emath.sqrt,
    "log": np.emath.log,
    "log2": np.emath.log2,
    "log10": np.emath.log10,
    "logn": lambda x: np.emath.logn(3, x),
    "power": lambda x: np.emath.power(x, 0.3),
    "powers": lambda x: np.emath.power(0.4, x),
    "arcsin": np.emath.arcsin,
    "arccos": np.emath.arccos,
    "arctanh": np.emath.arctanh,
}
X = np.array([0.5, -0.7, 2.0, -3.0])


def number(z):
    return 0.7 * np.sum(np.real(z)) + 1.3 * np.sum(np.imag(z))


def difference(function, x, h=1e-6):
    return (function(x + h) - function(x - h)) / (2 * h)


@pytest.mark.parametrize("fn", CUT, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_sides_of_cuts(fn, zero):
    def along(x):
        return number(fn(x + np.array([complex(0.0, zero)])))

    def traced(x):
        return along(x) * eval("1.0")

    for x in (-2.5, -0.4, 0.3, 1.7):
        expected = difference(along, x)
        assert ast_ad.grad(along, fallback="error")(x) == pytest.approx(expected, rel=1e-7)
        assert ast_ad.grad(traced)(x) == pytest.approx(expected, rel=1e-7)
        second = difference(ast_ad.grad(along), x)
        assert ast_ad.grad(ast_ad.grad(along))(x) == pytest.approx(second, rel=1e-7)


@pytest.mark.parametrize("name", BY_VALUE)
def test_complex_where_no_real_result_exists(name):
    fn = BY_VALUE[name]

    def function(x):
        return number(fn(x))

    expected = [(function(X + 1e-6 * e) - function(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    gradient = ast_ad.grad(function, fallback="error")(X)
    assert gradient.dtype == float
    np.testing.assert_allclose(gradient, expected, rtol=1e-7)
    np.testing.assert_allclose(ast_ad.grad(lambda x: function(x) * eval("1.0"))(X), expected, rtol=1e-7)
    _, tangent = ast_ad.jvp(function, (X,), (np.ones(4),))
    assert tangent == pytest.approx(np.sum(expected))
    slopes = [
        (ast_ad.grad(function)(X + 1e-6 * e) - ast_ad.grad(function)(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)
    ]
    np.testing.assert_allclose(ast_ad.hessian(function)(X), slopes, rtol=1e-6, atol=1e-8)


def test_real_results_are_real():
    def length(x):
        root = np.emath.sqrt(x * x)
        return np.sum(root) if np.all(root > 0.1) else 0.0

    value, gradient = ast_ad.value_and_grad(length)(X)
    assert isinstance(value, float)
    np.testing.assert_allclose(gradient, np.sign(X))


def test_items_of_what_is_real_by_its_value():
    """Zeros of a spectrum's kind take a complex cotangent."""

    def first(b):
        return np.real(np.roots([1.0, b, -2.0, 0.3])[0])

    found, h = ast_ad.grad(first, fallback="error")(1.3), 1e-6
    assert found == pytest.approx((first(1.3 + h) - first(1.3 - h)) / (2 * h), rel=1e-7)
