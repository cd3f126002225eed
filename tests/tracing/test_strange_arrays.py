"""Masked arrays and matrices have operators of their own: nothing takes them for arrays."""

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings(
    "ignore::ast_ad.FallbackWarning", "ignore:the matrix subclass:PendingDeprecationWarning"
)
A = np.arange(12.0).reshape(3, 4) / 3 + 0.2
M = np.ma.masked_less(A, 1.0)
Q = np.arange(12.0).reshape(3, 4).view(np.matrix)
SEVERAL = [A * 1.0, M]
TABLE = {"m": M}
CHANGING = A * 1.0


class Holder:
    m = M


def of_a_global(a):
    return np.sum(M * a)


def on_the_right(a):
    return np.sum(a * M)


def made_within(a):
    m = np.ma.masked_less(A, 1.0)
    return np.sum(a * m)


def of_a_default(a, m=M):
    return np.sum(a + m)


def of_a_list(a):
    return sum(np.sum(a * m) for m in SEVERAL)


def of_a_dict_on_a_path(a):
    y = np.where(a > 1, a * TABLE["m"], 0.0) if a[0, 0] < 5 else a
    return np.sum(y)


def of_a_class(a):
    return np.sum(np.multiply(a, Holder.m))


def rows_in_a_loop(a):
    m, total = np.ma.array(np.ones((3, 4)), mask=A < 1), 0.0
    for i in range(3):
        total = total + (a[i] * m[i]).sum()
    return total


def in_place(a):
    a = a.copy()
    a *= M
    return a.sum()


def in_a_list(a):
    return np.sum(np.stack([a, M]) ** 2)


def in_a_lambda(a):
    scale = lambda x, by=M: x / by  # noqa: E731
    return np.sum(scale(a))


def with_a_matrix(a):
    return np.sum(np.asarray(a[:, :3] * Q))


def matrix_first(a):
    return np.sum(np.asarray(Q.T * a))


def masked_by_values(a):
    return np.ma.average(np.ma.masked_less(a, 1.0))


def along_an_axis(a):
    return np.sum(np.ma.mean(a, axis=0) ** 2)


@pytest.mark.drawn(of=22)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "function",
    [
        of_a_global,
        on_the_right,
        of_a_default,
        of_a_list,
        of_a_dict_on_a_path,
        of_a_class,
        in_place,
        in_a_list,
        in_a_lambda,
        with_a_matrix,
        matrix_first,
    ],
)
def test_what_has_operators_of_its_own_is_refused(function, backend):
    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(function, backend=backend)(A.copy())


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [made_within, rows_in_a_loop, masked_by_values, along_an_axis])
def test_masked_arrays_that_the_function_makes(function, backend):
    at, h = A + 0.25, 1e-6  # no element lies where the masks change
    value, found = ast_ad.value_and_grad(function, backend=backend)(at.copy())
    np.testing.assert_allclose(value, function(at), rtol=1e-13)
    for place in np.ndindex(at.shape):
        one, other = at.copy(), at.copy()
        one[place] += h
        other[place] -= h
        slope = (function(one) - function(other)) / (2 * h)
        np.testing.assert_allclose(found[place], slope, rtol=1e-6, atol=1e-7)


def changing(a):
    return np.sum(a * CHANGING)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_an_array_that_becomes_a_masked_one_later(monkeypatch, backend):
    derivative = ast_ad.grad(changing, backend=backend)
    for _ in range(4):
        np.testing.assert_array_equal(derivative(A), CHANGING)
    monkeypatch.setitem(globals(), "CHANGING", M)
    with pytest.raises(ast_ad.AdError):
        derivative(A)


def beside(a):
    return np.ma.sum(M) * a.sum() + M.filled(0.0).sum() * a[0, 0]


def test_masked_constants_that_meet_no_traced_array():
    value, found = ast_ad.value_and_grad(beside)(A)
    assert value == beside(A)
    np.testing.assert_allclose(found, np.ma.sum(M) * (1 + (np.arange(12).reshape(3, 4) == 0)))


def reductions(a):
    return np.ma.std(a, ddof=1) + np.ma.average(np.sin(a)) * np.ma.sum(a * a) + np.ma.mean(a) * np.ma.var(a)


def same_of_numpy(a):
    return np.std(a, ddof=1) + np.mean(np.sin(a)) * np.sum(a * a) + np.mean(a) * np.var(a)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_where_nothing_is_masked_they_are_numpys(backend):
    derivative = ast_ad.value_and_grad(reductions, backend=backend)
    for a in (A, A[:2, :1], A[1]):
        value, found = derivative(a)
        assert derivative.mode == "compiled"
        expected = ast_ad.value_and_grad(same_of_numpy, backend=backend)(a)
        np.testing.assert_allclose(value, expected[0], rtol=1e-12)
        np.testing.assert_allclose(found, expected[1], rtol=1e-10)


class Boxed:
    def __init__(self, held):
        self.held = held

    def __array__(self, dtype=None, copy=None):
        return self.held.__array__()


def asked_for_itself(x):
    y = (x * 1.5).__array__()
    same = y.__array__()
    same[0] = 3.0 * x[1]
    return np.sum(y**2) + np.sum(np.asarray(Boxed(x)) * Boxed(x * 2.0).__array__()) + x[2].__array__() ** 2


def asked_for_itself_traced(x):
    return asked_for_itself(x * eval("1.0"))


def asked_for_another(x):
    single, new = x.__array__(np.float32), x.__array__(copy=True)
    new[0] = 5.0
    return np.sum(new**2) + float(np.sum(single))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", [asked_for_itself, asked_for_itself_traced, asked_for_another])
def test_arrays_are_asked_for_themselves(f):
    x = np.array([1.0, 2.0, -0.5])
    derivative = ast_ad.value_and_grad(f)
    value, gradient = derivative(x)
    assert value == f(x)
    slopes = [(f(x + 1e-3 * e) - f(x - 1e-3 * e)) / 2e-3 for e in np.eye(3)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-9, atol=1e-3 if f is asked_for_another else 1e-9)
    assert derivative.mode == ("fallback" if f is asked_for_itself_traced else "compiled")


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_plain_copies_of_traced_arrays_are_refused():
    def plain(x):
        return np.sum((x * eval("1.0")).__array__(np.float64) ** 2)

    with pytest.raises(ast_ad.errors.MissingRuleError, match="conversion of a traced array"):
        ast_ad.grad(plain)(np.ones(3))
