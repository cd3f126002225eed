"""Views by strides, what is read of the memory of arrays, and shapes that are assigned."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import ast_ad
from ast_ad.errors import AdError
from ast_ad.tracing import trace

X = np.array([1.0, 2.0, 3.0, 1.5, 2.5, 0.7])
WEIGHTS = np.arange(1.0, 100.0)


def weighed(a):
    a = np.asarray(a)
    return np.sum(a * WEIGHTS[: a.size].reshape(a.shape))


class Box:
    pass


# ----- programs that are compiled, and traced
def windows(x):
    n = x.strides[0]
    return weighed(as_strided(x, (4, 3), (n, n)) ** 2)


def windows_by_keywords(x):
    (step,) = x.strides
    return weighed(as_strided(x, shape=(x.size - 2, 3), strides=(step, step)) ** 2)


def windows_by_itemsize(x):
    y = x * 2.0
    sizes = (y.dtype.itemsize, x.itemsize)
    return weighed(as_strided(y, (4, 3), sizes, writeable=False) ** 2)


def windows_of_rows(x):
    y = x.reshape(2, 3)
    return weighed(as_strided(y, (2, 2, 2), y.strides + (y.strides[1],)) ** 2)


def windows_of_columns(x):
    y = (x * x).reshape(2, 3).T
    return weighed(as_strided(y, (2, 2, 2), (y.strides[0], *y.strides)) ** 2)


def windows_of_every_other(x):
    y = x[::2]
    return weighed(as_strided(y, (2, 2), y.strides * 2) ** 2)


def windows_backwards(x):
    y = x[::-1]
    return weighed(as_strided(y, (5, 2), y.strides * 2) ** 3)


def one_element_many_times(x):
    return weighed(as_strided(x * x, (3, 2), (0, 8)))


def nothing_given(x):
    return weighed(as_strided(x * x) * x)


def array_written_after(x):
    y = x * 1.0
    v = as_strided(y, (3, 2), (16, 8))
    y[0] = x[1] ** 2
    return weighed(v**2)


def windows_of_changed_length(x):
    total = 0.0
    for i in range(3):
        y = np.exp(x[i:])
        total += weighed(as_strided(y, (y.shape[0] - 1, 2), y.strides * 2))
    return total


def flags(x):
    rows = (x**2).reshape(2, 3)
    if rows.flags.c_contiguous and rows.T.flags["F_CONTIGUOUS"] and not rows.T.flags.c_contiguous:
        return weighed(rows)
    return np.sum(x)


def windows_along_axes(x):
    return weighed(sliding_window_view(x.reshape(2, 3), (2, 2), axis=(0, 1), writeable=False) ** 2)


def column(x):
    a = x**2
    a.shape = (6, 1)
    return weighed(a * np.ones(2))


def told_by_one_length(x):
    a = x**2
    a.shape = -1, 2
    return weighed(a @ a.T)


def of_an_argument(x):
    x.shape = (2, 3)
    return weighed(np.sum(x**2, 0))


def under_another_name(x):
    a = x**2
    b = a
    a.shape = (2, 3)
    return weighed(np.sum(b**2, 0))


def of_an_attribute(x):
    box = Box()
    box.n, box.a = 2, x**2
    box.a.shape = box.n, 3
    return weighed(np.sum(box.a**2, 0))


def written_before_and_after(x):
    a = np.exp(x)
    square = a * a
    a[0] = x[5]
    b = a
    b.shape = (2, 3)
    product = b * a
    a[0, 1] = 3.0 * x[4]
    return weighed(product) + weighed(square) + weighed(a**2)


def on_two_paths(x):
    a = x**2
    if x[0] > 0:
        a.shape = (6, 1)
    else:
        a.shape = (6, 1)
    return weighed(a)


def in_a_loop(x):
    a = x**2
    for _ in range(3):
        a = a * x
        a.shape = (2, 3)
        a = a.ravel()
    return weighed(a)


# ----- programs that are traced, perhaps
def windows_written(x):
    y = x * 1.0
    v = as_strided(y, (3, 2), (16, 8))
    v[0, 0] = 5.0 * x[2]
    return weighed(y**2)


def between_the_elements_of_a_view(x):
    y = (x * x)[::2]
    return weighed(y) + np.sum(as_strided(y, (2,), (16,)))


def seen_before(x):
    a = x**2
    b = a[1:3]
    a.shape = (2, 3)
    b[0] = 3.0 * x[0]
    return weighed(np.sum(a**2, 0)) + weighed(b**2)


def view_of_an_argument(x):
    a = x.reshape(2, 3)
    a.shape = (6,)
    return weighed(a**2)


def not_without_a_copy(x):
    a = x.reshape(2, 3).T
    try:
        a.shape = (6,)
    except AttributeError:
        return weighed(a**2)
    return weighed(a**3)


def of_another_size(x):
    a = x**2
    try:
        a.shape = (4,)
    except ValueError:
        return weighed(a**2)
    return weighed(a)


def by_a_helper(x):
    def turn(v):
        v.shape = (3, 2)

    a = x**2
    turn(a)
    return weighed(a[:, 0] ** 2)


def while_an_expression_holds_a_view(x):
    a = x**2

    def turn():
        a.shape = (2, 3)
        return x

    return a.T @ turn() + weighed(a**2)


def in_a_list(x):
    a = x**2
    items = [a]
    a.shape = (2, 3)
    return weighed(np.sum(items[0], 0) ** 2)


def resized(x):
    a = x**2
    a.resize((2, 3))
    return weighed(np.sum(a**2, 0))


def sorted_in_place(x):
    a = x**2
    a.sort()
    a.partition(2)
    return weighed(a**2)


COMPILED = [
    windows, windows_by_keywords, windows_by_itemsize, windows_of_rows, windows_of_columns,
    windows_of_every_other, windows_backwards, one_element_many_times, nothing_given, array_written_after,
    windows_of_changed_length, flags, windows_along_axes, column, told_by_one_length, of_an_argument,
    under_another_name, of_an_attribute, written_before_and_after, on_two_paths, in_a_loop,
]  # fmt: skip
TRACED = [
    windows_written, between_the_elements_of_a_view, seen_before, view_of_an_argument, not_without_a_copy,
    of_another_size, by_a_helper, while_an_expression_holds_a_view, in_a_list, resized, sorted_in_place,
]  # fmt: skip


def differences(f, x):
    found = np.zeros(x.size)
    for i in range(x.size):
        step = np.zeros(x.size)
        step[i] = 1e-6
        found[i] = (f(x + step) - f(x - step)) / 2e-6
    return found


def is_near(found, f, x):
    return np.allclose(found, differences(f, x), rtol=1e-5, atol=1e-6)


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", COMPILED, ids=lambda f: f.__name__)
def test_compiled(f, backend):
    gradient = ast_ad.grad(f, fallback="error", backend=backend)
    for x in (X, X[::-1].copy()):
        given = x.copy()
        assert is_near(gradient(given), f, x)
        assert given.shape == (6,)
        assert np.array_equal(given, x)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", [*COMPILED, *TRACED], ids=lambda f: f.__name__)
def test_traced(f):
    given = X.copy()
    value, pullback = trace(f, (given,), {}, (0,))
    assert value == f(X.copy())
    assert is_near(pullback([1.0])[0], f, X)
    assert given.shape == (6,)
    assert is_near(ast_ad.grad(f)(given), f, X)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", [windows, windows_of_columns, column, written_before_and_after])
def test_second_derivatives_and_tangents(f):
    direction = np.linspace(0.0, 1.0, 6)
    inner = ast_ad.grad(f)

    def along(x):
        return np.sum(inner(x) * direction)

    assert np.allclose(ast_ad.grad(along)(X.copy()), differences(along, X), rtol=1e-4, atol=1e-5)
    _, tangent = ast_ad.jvp(f, (X.copy(),), (direction,))
    assert np.isclose(tangent, differences(f, X) @ direction, rtol=1e-5)


def beyond(x):
    y = x * x
    return np.sum(as_strided(y[:3], (3, 2), (8, 8)))


def beyond_the_memory(x):
    return np.sum(as_strided(x * x, (6, 2), (8, 8)))


def overlapping_written(x):
    y = x * 1.0
    v = as_strided(y, (4, 3), (8, 8))
    v[0] = x[3:]
    return np.sum(y**2)


def strides_assigned(x):
    y = x * 1.0
    y.strides = (8,)
    return np.sum(y)


def grown(x):
    a = x**2
    a.resize((3, 3))
    return np.sum(a)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("fallback", ["error", "trace"])
@pytest.mark.parametrize("f", [beyond_the_memory, overlapping_written, strides_assigned, grown])
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_refused(f, fallback):
    with pytest.raises((AdError, RuntimeError)):
        ast_ad.grad(f, fallback=fallback)(X.copy())


def test_an_element_beyond_a_part_of_an_array():
    """Compiled code knows the elements of the part only; a trace knows the memory."""
    with pytest.raises(AdError, match="beyond the elements"):
        ast_ad.grad(beyond, fallback="error")(X.copy())
    _, pullback = trace(beyond, (X.copy(),), {}, (0,))
    assert is_near(pullback([1.0])[0], beyond, X)


def test_itemsize_is_that_of_one_element():
    gradient = ast_ad.grad(lambda x: np.sum(x * x.itemsize), fallback="error")
    assert np.array_equal(gradient(X), np.full(6, 8.0))
