"""Are the methods of ufuncs followed, for ufuncs whose reductions NumPy has no function for, too?"""

import numpy as np
import pytest

import ast_ad
from ast_ad import grad, tracing

from .checking import X, hold_compiled, hold_traced, hold_twice

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
W = np.array([[1.0, -2.0], [0.5, 3.0]])


def reductions(x):
    m = x.reshape(2, 2)
    return np.sum(np.subtract.reduce(m, axis=1) ** 2) + np.logaddexp.reduce(x) + np.hypot.reduce(x)


def ordered_reductions(x):
    # Backwards: of neighbours NumPy 2.4 leaves elements out, with AVX-512 (np.power.reduce([0.9, 1.3, 0.7])).
    turned = x[::-1]
    ratios = np.divide.reduce(x.reshape(2, 2), axis=-1)
    return np.sum(ratios) + np.power.reduce(turned[:3]) + np.arctan2.reduce(turned)


def reductions_with_options(x):
    m = x.reshape(2, 2)
    a = np.add.reduce(x**2, initial=3.0, where=x > 0.5)
    b = np.multiply.reduce(x, dtype=float, initial=2.0)
    c = np.logaddexp.reduce(m, axis=1, keepdims=True)
    return a + b + np.sum(c * m) + np.hypot.reduce(m, axis=(0, 1), initial=2.0)


def reductions_of_what_holds(x):
    m = x.reshape(2, 2)
    return np.sum(np.hypot.reduce(m, axis=0, where=m > 0.5) * W[0]) + np.fmax.reduce(
        x, where=x < 1.5, initial=-1.0
    )


def extrema(x):
    m = x.reshape(2, 2)
    return np.sum(np.maximum.reduce(m, axis=0) ** 2) + np.minimum.reduce(m, axis=None) * np.fmin.reduce(x)


def running(x):
    m = x.reshape(2, 2)
    a = np.add.accumulate(x) ** 2
    b = np.multiply.accumulate(m, axis=1) * W
    return (
        np.sum(a)
        + np.sum(b)
        + np.sum(np.subtract.accumulate(x) ** 2)
        + np.sum(np.logaddexp.accumulate(m) * W)
    )


def running_extrema(x):
    m = x.reshape(2, 2)
    low = np.minimum.accumulate(x[::-1])
    return (
        np.sum(np.maximum.accumulate(x) ** 2 - x)
        + np.sum(low**2)
        + np.sum(np.maximum.accumulate(m, axis=1) * W)
    )


def segments(x):
    m = x.reshape(2, 2)
    a = np.add.reduceat(x**2, [0, 2]) ** 2
    b = np.multiply.reduceat(m, [0, 1], axis=1) * W
    return np.sum(a) + np.sum(b) + np.sum(np.maximum.reduceat(x, [3, 1, 3]) ** 2)


def products_at(x):
    a = np.ones(3)
    np.multiply.at(a, [0, 1, 1, 2], x)
    np.divide.at(a, np.array([0, 2, 2]), x[:3] + 1.0)
    return np.sum(a**2)


def extrema_at(x):
    a = np.zeros(3) + 0.5
    np.maximum.at(a, [0, 1, 1, 2], x)
    np.minimum.at(a, [2, 2], x[1] + 0.1)
    return np.sum(a**2)


def of_one_operand_at(x):
    a = x.copy()
    np.exp.at(a, [0, 2])
    np.negative.at(a, [0, 3, 3])
    np.power.at(a, [1, 1], 2.0)
    return np.sum(a * x)


def at_pairs(x):
    a = np.ones((2, 2))
    np.subtract.at(a, (np.array([0, 1, 1, 0]), np.array([0, 0, 1, 0])), x**2)
    np.multiply.at(a, (np.array([0, 1]), slice(None)), x.reshape(2, 2))
    return np.sum(a**2 * W)


def outer(x):
    a = np.arctan2.outer(x, x[:2])
    b = np.add.outer(x.reshape(2, 2), x) ** 2
    return np.sum(a) + np.sum(b) + np.sum(np.power.outer(x, np.arange(3))) + np.sum(np.hypot.outer(2.0, x))


def by_name(x):
    m = x.reshape(2, 2)
    out = np.zeros(2)
    np.ufunc.reduce(np.hypot, m, 0, None, out)
    a = np.ufunc.reduce(np.hypot, m, 0, None, None, True) * np.ufunc.accumulate(np.multiply, m, 1)
    b = np.ufunc.outer(np.logaddexp, x, x) * np.ufunc.reduce(np.add, m, (0, 1), None, None, False, 2.0)
    np.ufunc.at(np.add, a, (np.array([0, 0]), np.array([1, 1])), x[0])
    return np.sum(a**2) + np.sum(b) + np.sum(out**2 * np.ufunc.reduceat(np.multiply, x, [0, 2]))


def contractions_by_lists(x):
    m = x.reshape(2, 2)
    a = np.einsum(x, [0], x, [0], [])
    b = np.einsum(m, [0, 1], m, [1, 2])
    c = np.einsum(m, [Ellipsis, 1], [Ellipsis])
    return a + np.sum(b * W) + np.sum(c**2) + np.sum(np.einsum(m, [30, 2], W, [2, 30], [2, 30]) * W)


PROGRAMS = [
    reductions,
    ordered_reductions,
    reductions_with_options,
    reductions_of_what_holds,
    extrema,
    running,
    running_extrema,
    segments,
    products_at,
    extrema_at,
    of_one_operand_at,
    at_pairs,
    outer,
    by_name,
    contractions_by_lists,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f):
    hold_compiled(f)


@pytest.mark.parametrize("f", PROGRAMS)
def test_traced(f):
    hold_traced(f)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [ordered_reductions, running, products_at, by_name, contractions_by_lists])
def test_twice(f):
    hold_twice(f)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [reductions, running_extrema, segments, products_at])
def test_kernels(f):
    hold_compiled(f, "numba")


def test_an_order_that_matters_has_one_axis():
    with pytest.raises(ValueError, match="not reorderable"):
        grad(lambda x: np.subtract.reduce(x.reshape(2, 2), axis=None))(X.copy())


def test_integers_have_no_derivative():
    def f(x):
        counts = np.ones(3, dtype=int)
        np.multiply.at(counts, [0, 0, 1], 2)
        return np.sum(counts * x[:3])

    np.testing.assert_array_equal(grad(f)(X.copy()), [4.0, 2.0, 1.0, 0.0])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("axis", [0, 1])
def test_segments_are_added_up_as_numpy_does(axis, order):
    """To the last bit: another order of the sum is another program, which the first call would not pass."""

    def f(x):
        return np.sum(np.add.reduceat(x, [0, 30, 30, 2], axis=axis) ** 2)

    x = np.array(np.random.default_rng(0).normal(size=(40, 45)), order=order)
    value, gradient = ast_ad.value_and_grad(f, fallback="error", backend="numpy")(x)
    assert value == f(x) == tracing.trace(f, (x,), {}, (0,))[0]
    np.testing.assert_allclose(np.sum(gradient * x), 2 * value)
    assert (
        np.sum(np.add.reduceat(x[0], []))
        == ast_ad.value_and_grad(lambda x: np.sum(np.add.reduceat(x, [])))(x[0])[0]
    )


def test_a_result_may_be_given():
    def f(x):
        out = np.zeros(2)
        np.subtract.reduce(x.reshape(2, 2), axis=1, out=out)
        return np.sum(out**2)

    np.testing.assert_allclose(grad(f)(X.copy()), [-0.8, 0.8, -1.6, 1.6])
    assert ast_ad.grad(f, fallback="error")(X.copy()) is not None


@pytest.mark.parametrize("axis", [2, -3, (0, 2)])
@pytest.mark.parametrize("ufunc", [np.logaddexp, np.hypot], ids=lambda f: f.__name__)
def test_axes_that_an_array_lacks_are_numpys_error(ufunc, axis):
    """They were counted around."""

    def f(x):
        return np.sum(ufunc.reduce(x.reshape(2, 2), axis=axis))

    with pytest.raises(np.exceptions.AxisError):
        grad(f, check=False)(X)


@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_to_apply_a_function_along_that_an_array_lacks(axis):
    def f(x):
        return np.sum(np.apply_along_axis(np.cumsum, axis, x.reshape(2, 2)))

    with pytest.raises(np.exceptions.AxisError):
        grad(f, check=False)(X)
