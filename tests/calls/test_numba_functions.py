"""Are functions of Numba's (njit, vectorize, guvectorize) read and traced as they compute?"""

import functools
import math
import math as m
import threading
from math import log as ln

import numba
import numpy as np
import pytest

import ast_ad
from ast_ad import grad, jvp, value_and_grad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.3, 0.7, 1.1, 1.9])
K = np.array([1.0, 2.0, 3.0])


@numba.vectorize
def lazy(a, b):
    return a * b + math.sin(a) if a > b else a - b


@numba.vectorize(["float64(float64, float64)"], nopython=True)
def eager(a, b):
    if a > b:
        return a * b + ln(a)
    return m.sqrt(b - a)


@numba.vectorize
def turns(a, n):
    s = a
    for _ in range(int(n)):
        s = s * a + 0.1
        if s > 3.0:
            break
    return s


@numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def running(a, out):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i]
        out[i] = s * s


@numba.guvectorize(
    ["void(float64[:,:], float64[:], float64, float64[:], float64[:])"], "(m,n),(n),()->(m),()", nopython=True
)
def product(a, x, c, y, t):
    t[0] = 0.0
    for i in range(a.shape[0]):
        y[i] = 0.0
        for j in range(a.shape[1]):
            y[i] += a[i, j] * x[j] * c
        t[0] += y[i] ** 2


@numba.guvectorize(
    ["(float64[:], float64[:], float64[:])", "(float32[:], float32[:], float32[:])"], "(n),()->()"
)
def scaled(a, b, out):
    out[0] = a.sum() * b[0] ** 2


@numba.guvectorize("(n),()->()")
def dynamic(a, b, out):
    s = 0.0
    for v in a:
        s += v * b * v
    out[0] = s


@numba.njit
def helper(x):
    return math.gamma(x) * np.sqrt(x) + m.sin(x)


@numba.njit
def outer(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += helper(x[i]) * math.pow(x[i], 2.0) + lazy(x[i], 0.5) + math.fabs(x[i]) * min(x[i], 1.0)
    return s


def of_elements(x):
    return np.sum(lazy(x, 0.5))


def broadcast(x):
    return np.sum(lazy(x[:, None], x[None]) * x)


def of_numbers(x):
    return lazy(x[0], x[1]) * lazy(x[2], 0.1)


def eagerly(x):
    return np.sum(eager(x, x[::-1].copy()))


def with_a_loop(x):
    return np.sum(turns(x, np.arange(4)) * turns(x, 2))


def integers(x):
    return np.sum(lazy(np.arange(4), x)) + np.sum(
        eager(np.arange(1, 5), x) * lazy([1, 2, 3, 4], (3, 0.5, 1, 2)) * x
    )


def displays(x):
    return np.sum(lazy([x[0], x[1]], (x[2], 3.0)))


def into_arrays(x):
    out = np.zeros(4)
    lazy(x, 0.5, out)
    lazy(x[:2], 0.2, out=out[:2])
    return np.sum(out**2)


def of_parts(x):
    return np.sum(running(x))


def of_rows(x):
    return np.sum(running(np.stack([x, x * x])))


def two_results(x):
    y, t = product(x.reshape(2, 2), x[:2], 2.0)
    return np.sum(y * y) + t


def stacks(x):
    y, t = product(np.outer(x, x).reshape(4, 2, 2), x[:2], x)
    return np.sum(y * y) + np.sum(t)


def numbers_as_arrays(x):
    return scaled(x, x[1]) + np.sum(scaled(x.reshape(2, 2), np.array([2.0, 3.0])))


def asked_for_outside(x):
    out = np.zeros(2)
    found = dynamic(x.reshape(2, 2), x[0], out)
    return np.sum(out) * 2 + np.sum(found)


def overlapping(x):
    out = np.empty(4)
    running(x, out)
    running(out, out=out)
    return np.sum(out * x)


def within_njit(x):
    return outer(x)


PROGRAMS = [
    *(of_elements, broadcast, of_numbers, eagerly, with_a_loop, integers, displays, into_arrays),
    *(of_parts, of_rows, two_results, stacks, numbers_as_arrays, asked_for_outside, overlapping, within_njit),
]


def traced(f):
    """The function as one that is not compiled."""

    @functools.wraps(f)
    def run(x):
        eval("0")
        return f(x)

    return run


def differences(f, x):
    found = np.zeros_like(x)
    for i in range(x.size):
        e = np.zeros_like(x)
        e[i] = 1e-4
        found[i] = (8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / 12e-4
    return found


WAYS = [(f, way) for f in PROGRAMS for way in ("numpy", "traced")]
WAYS += [(f, "numba") for f in (broadcast, eagerly, with_a_loop, two_results, overlapping)]


@pytest.mark.drawn(of=16)
@pytest.mark.parametrize(("f", "way"), WAYS, ids=lambda v: getattr(v, "__name__", v))
def test_gradients(f, way):
    d = value_and_grad(traced(f)) if way == "traced" else value_and_grad(f, backend=way)
    value, found = d(X.copy())
    assert d.mode == ("fallback" if way == "traced" else "compiled")
    np.testing.assert_allclose(value, f(X), rtol=1e-13)
    np.testing.assert_allclose(found, differences(f, X), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(d(X + 0.05)[1], differences(f, X + 0.05), rtol=1e-7, atol=1e-7)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", [of_elements, stacks, within_njit], ids=lambda f: f.__name__)
def test_other_derivatives(f):
    along = np.array([1.0, -2.0, 0.5, 3.0])
    np.testing.assert_allclose(jvp(f, (X,), (along,))[1], differences(f, X) @ along, rtol=1e-7)
    second = ast_ad.hessian(f)(X)
    np.testing.assert_allclose(second, second.T, atol=1e-12)
    np.testing.assert_allclose(
        second @ along, differences(lambda x: grad(f)(x) @ along, X), rtol=1e-6, atol=1e-7
    )


def test_the_ufunc_itself():
    assert grad(lazy)(2.0, 1.0) == pytest.approx(1.0 + math.cos(2.0))


def test_single_precision():
    x = X.astype("f4")
    d = grad(lambda x: np.sum(scaled(x, x[0])))
    found = d(x)
    assert d.mode == "compiled" and found.dtype == np.float32
    assert found == pytest.approx([0.09 + 2 * 0.3 * 4.0, 0.09, 0.09, 0.09], rel=1e-5)


@pytest.mark.parametrize("way", ["numpy", "traced"])
def test_axes_that_do_not_fit(way):
    def f(x):
        return np.sum(product(x.reshape(2, 2), x, 2.0)[0])

    with pytest.raises(ValueError, match="core dimension"):
        f(X)
    with pytest.raises(ValueError, match="core dimension"):
        grad(traced(f) if way == "traced" else f)(X)


def test_a_ufunc_that_is_replaced(monkeypatch):
    d = grad(of_elements)
    before = d(X)
    monkeypatch.setitem(globals(), "lazy", eager)
    assert not np.allclose(d(X), before)
    np.testing.assert_allclose(d(X), differences(of_elements, X), rtol=1e-7)


def test_functions_of_numbers_give_what_compiled_code_gives():
    """Where Python raises, they have infinities and nan."""

    @numba.njit
    def f(x, y):
        return math.log(x) + (math.sqrt(y) if y > -1.0 else math.exp(-1000.0 * y))

    d = value_and_grad(f)
    with np.errstate(all="ignore"):
        assert d(1.0, 4.0) == (2.0, 1.0)
        assert d(0.0, 4.0)[0] == -np.inf and d(1.0, -2.0)[0] == np.inf and np.isnan(d(1.0, -0.5)[0])
    assert d.mode == "compiled"


# ----- what Numba compiles while something is traced
def test_nothing_of_a_trace_is_compiled():
    """Functions that are compiled within a trace find NumPy, math and each other as they are."""

    @numba.njit
    def inner(n):
        a = np.zeros(n)
        for i in range(n):
            a[i] = helper(1.0 + i) + max(i, 1) + abs(K[i % 3])
        return a

    @numba.vectorize
    def fresh(a):
        return math.sqrt(a) + np.log(a)

    class Holder:
        def __init__(self):
            self.table = {"a": [inner]}

    holder, k = Holder(), 2.0

    @numba.njit
    def closed(n):
        return np.ones(n) * math.exp(k)

    @traced
    def f(x):
        @numba.njit
        def local(n):
            return np.arange(n).sum() * math.sin(1.0)

        a = holder.table["a"][0](4) * fresh(np.arange(1.0, 5.0)) * closed(4) * local(3)
        return np.sum(a * x**2)

    np.testing.assert_allclose(grad(f)(X), differences(f, X), rtol=1e-7)


def test_functions_as_arguments_in_a_trace():
    @numba.njit
    def twice(function, x):
        return function(x) * 2.0

    def f(x):
        return twice(helper, 2.0) * twice(helper, x[0])

    np.testing.assert_allclose(grad(traced(f))(X), differences(f, X), rtol=1e-7)


def test_another_thread_compiles_while_a_trace_is_under_way():
    @numba.njit
    def f(n):
        return np.zeros(n).sum() + math.cos(n)

    found = []

    @traced
    def g(x):
        thread = threading.Thread(target=lambda: found.append(f(3)))
        thread.start()
        thread.join()
        return np.sum(np.zeros(4) + x * f(2))

    np.testing.assert_allclose(grad(g)(X), f(2))
    assert found == [math.cos(3)]


def each(function):
    """Of arrays the function of each element, as packages decorate their kernels."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if hasattr(args[0], "__iter__"):
            return np.fromiter((2 * function(x, *args[1:], **kwargs) for x in args[0]), dtype=float)
        return 3 * function(*args, **kwargs)

    return wrapper


@each
@numba.njit
def bent(h, r, c=2.0):
    if h <= r:
        return c * h / r
    return c + h - r


@pytest.mark.parametrize("traced", [False, True])
def test_a_wrapper_of_a_jitted_function_is_itself(traced):
    assert hasattr(bent, "py_func")  # functools.wraps has brought it along

    def total(x, r):
        return (np.sum(bent(x, r)) + bent(r, 1.0)) * (eval("1.0") if traced else 1.0)

    gradient = grad(total, argnums=(0, 1), fallback="trace" if traced else "error")
    by_x, by_r = gradient(X, 1.5)
    np.testing.assert_allclose(by_x, np.where(X <= 1.5, 4 / 1.5, 2.0))
    h = 1e-6
    assert by_r == pytest.approx((total(X, 1.5 + h) - total(X, 1.5 - h)) / (2 * h))
