"""Is a derivative that is compiled while its module's functions are replaced by traced ones the same?"""

import functools

import numpy as np
import pytest
import scipy.signal
import scipy.sparse
import scipy.special

import ast_ad
from ast_ad import grad, tracing as fallback

X = np.array([-1.687, 1.813, -0.787])


def written_through_a_view(x, s):
    part = np.hsplit(x, 1)[0]
    same = np.array(part, copy=None)
    same -= 0.3
    x[0] *= part[0] * s
    return np.sum(np.cos(x))


def put_in_place(x, s):
    y = x * s
    np.put(y, [0], s**3)
    return np.sum(y * y)


def extrema(x, s):
    return max(x[0] * s**2, s**3) + min(s, 5.0)


@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
@pytest.mark.parametrize("program", [written_through_a_view, put_in_place, extrema])
def test_second_order_in_a_trace(program):
    def slope(x, s):
        def once():  # what no compiler follows
            yield ast_ad.grad(program, argnums=1)(x, s)

        return sum(once())

    step, s = 1e-6, 0.733
    expected = (slope(X.copy(), s + step) - slope(X.copy(), s - step)) / (2 * step)
    assert ast_ad.grad(slope, argnums=1)(X.copy(), s) == pytest.approx(expected, rel=1e-6)


def test_arrays_of_rows_of_which_some_are_plain():
    """They are NumPy's, as all that is traced: `std` and `astype` are not PyTorch's."""

    def f(x):
        w = np.array([[0, 1.5], [1, x[1]]])
        v = np.stack([[2.0, 1.0], x[:2]])
        return (
            np.std(w)
            + w.std()
            + np.sum((w * 3).astype(int) * x[0])
            + v.std(axis=0)[1] * isinstance(w, np.ndarray)
        )

    x = np.array([0.3, 0.45, -0.5])
    value, pullback = fallback.trace(f, (x,), {}, [0])
    assert value == f(x)
    found = pullback([1.0])[0]
    for i in range(3):
        h = 1e-6 * np.eye(3)[i]
        assert found[i] == pytest.approx((f(x + h) - f(x - h)) / 2e-6, abs=1e-6)


# ----- functions with some of their arguments
LOG_SUM = functools.partial(scipy.special.logsumexp, axis=0)
PARTIALS = {"weighted": functools.partial(functools.partial(scipy.special.logsumexp, b=2.0), axis=0)}


class Sums:
    total = staticmethod(functools.partial(np.add.reduce, axis=0))


def of_partials(x):
    eval("0")
    return np.sum(LOG_SUM(x) * Sums.total(x) + PARTIALS["weighted"](x) ** 2)


def written_out(x):
    lse = scipy.special.logsumexp
    return np.sum(lse(x, axis=0) * np.sum(x, axis=0) + lse(x, b=2.0, axis=0) ** 2)


def test_partials_of_replaced_functions():
    x = np.random.default_rng(0).normal(size=(3, 4))
    expected = grad(written_out, fallback="error")(x)
    with pytest.warns(ast_ad.FallbackWarning):
        np.testing.assert_allclose(grad(of_partials)(x), expected, rtol=1e-12)
    itself = functools.partial(scipy.special.logsumexp, b=2.0)
    _, pull = fallback.trace(itself, (x, 0), {}, [0])
    np.testing.assert_allclose(pull([np.ones(4)])[0], scipy.special.softmax(x, axis=0), rtol=1e-12)
    _, pull = ast_ad.vjp(itself, x, 0, argnums=0)  # compiled: the axis is asked for as a constant
    np.testing.assert_allclose(pull(np.ones(4)), scipy.special.softmax(x, axis=0), rtol=1e-12)


def held_in_boxes(x):
    """Arrays in an array of objects, handed to code of SciPy's for any array library."""
    boxes = np.empty((1, 2), dtype=object)
    boxes[0, 0], boxes[0, 1] = np.array(x), x[::-1] + 3.0
    b, a = scipy.signal.normalize(boxes[0, 0], boxes[0, 1])
    zeros, poles, gain = scipy.signal.tf2zpk(b, a)
    return np.sum(b * a) + np.sum(np.real(zeros)) + np.sum(np.abs(poles)) + gain


@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
def test_functions_for_any_array_library():
    x, step = np.array([1.0, 2.5, 0.7]), 1e-6
    steps = step * np.eye(3)
    expected = [(held_in_boxes(x + e) - held_in_boxes(x - e)) / (2 * step) for e in steps]
    np.testing.assert_allclose(grad(held_in_boxes)(x), expected, rtol=1e-7)


def filled_by_compiled_code(x):
    """SciPy's code in C writes into arrays that the trace has made, and later sorts them in place."""
    a = scipy.sparse.coo_matrix((np.array([1.0, 4.0, 9.0]), ([2, 0, 1], [1, 0, 2]))).tocsc()
    product = np.sum(a.data * x)
    b = scipy.sparse.csr_matrix((a.data * 2.0, [2, 1, 0], [0, 3]), shape=(1, 3))
    before = np.sum(b.data * x**2)
    b.sort_indices()
    return product + before + np.sum(b.data * x**3)


@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
def test_what_compiled_code_writes():
    x = np.array([0.7, -1.2, 0.4])
    a = np.array([4.0, 1.0, 9.0])  # column by column
    expected = a + 2 * a * 2 * x + 2 * a[::-1] * 3 * x**2
    value, gradient = ast_ad.value_and_grad(filled_by_compiled_code)(x)
    assert value == pytest.approx(filled_by_compiled_code(x), rel=1e-14)
    np.testing.assert_allclose(gradient, expected, rtol=1e-13)


class Named(np.ndarray):
    """An array with a label, as packages of measurements have."""


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
@pytest.mark.parametrize("view, word", [(Named, ""), (np.int64, r"\.view\(dtype\)"), (np.ndarray, "")])
def test_views_by_a_class(view, word):
    def f(x):
        eval("1")  # what no compiler follows
        return np.sum((x * 2.0).view(view) ** 2)

    if word:
        with pytest.raises(ast_ad.MissingRuleError, match=word):
            grad(f)(np.array([1.0, 2.0]))
    else:
        np.testing.assert_array_equal(grad(f)(np.array([1.0, 2.0])), [8.0, 16.0])


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_is_made_like_an_array():
    def made(a, s):
        found = np.full(3, s, like=a) + np.array([s, s, 1.0], like=a) * np.eye(3, like=a)[0]
        return np.sum(found * a) + np.sum(np.arange(s, 4.0, like=a))

    a_bar, s_bar = ast_ad.grad(made, argnums=(0, 1))(np.array([1.0, 2.0, 3.0]), 0.3)
    np.testing.assert_allclose(a_bar, [0.6, 0.3, 0.3])
    assert s_bar == pytest.approx(1 + 2 + 3 + 1 + 4)
