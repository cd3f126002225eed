"""May nobody write to an array that a program has made read-only, by whatever name and on whatever path?"""

import functools

import numpy as np
import pytest

import ast_ad

X = np.array([0.5, -1.5, 2.0])


@functools.cache
def factors(n):
    found = 1.0 / np.arange(1.0, n + 1)
    found.setflags(write=False)
    return found


def by_a_cached_table(x, n):
    return np.sum(factors(n) * x[:n] ** 2)


def by_its_flags(x, n):
    y = x * 2
    y.flags.writeable = False
    z = y.copy()
    z[0] = n * y[1]
    return np.sum(z * y)


def in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        y = np.sin(x * k)
        y[0] += 1
        y.setflags(write=False)
        total += np.sum(y * x)
    return total


def on_one_path(x, n):
    y = x * 2
    y[0] = 1.0
    if n > 1:
        y.setflags(False)
    return np.sum(y**2 * n)


@pytest.mark.parametrize("f", [by_a_cached_table, by_its_flags, in_a_loop, on_one_path])
def test_is_read(f):
    derivative = ast_ad.value_and_grad(f, fallback="error", backend="numpy")
    for n in (3, 1, 2):
        value, gradient = derivative(X, n)
        assert value == f(X, n)
        step = 1e-6 * np.array([1.0, -2.0, 0.5])
        assert gradient @ step == pytest.approx((f(X + step, n) - f(X - step, n)) / 2, rel=1e-7)


def written_later(y):
    y[0] = 1.0


def added_to(y):
    y += 1.0


def written_in_place(y):
    np.exp(y, out=y)


def through_a_view(y):
    y[1:][0] = 1.0


def sorted_in_place(y):
    y.sort()


def from_a_list(y):
    rows = [y, y * 2]
    for row in rows:
        row[0] = 1.0


def from_a_list_that_grows(y):
    rows = []
    for k in range(len(y)):
        rows.append(y if k == 1 else y * k)
    rows[1][0] = 1.0


def perhaps_another(y):
    z = y if y[0] > 0 else y * 2
    z[0] = 1.0


def caught(y):
    try:
        y[0] = 1.0
    except ValueError as error:
        raise ValueError("read-only, and caught") from error


WRITES = [
    written_later,
    added_to,
    written_in_place,
    through_a_view,
    sorted_in_place,
    from_a_list,
    from_a_list_that_grows,
    perhaps_another,
    caught,
]


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("write", WRITES)
def test_writes_raise(write):
    def f(x):
        y = x * 2
        y.setflags(write=False)
        write(y)
        return np.sum(y**2)

    def locked_on_a_path(x):
        y = x * 2
        if x[0] > 0:
            y.flags.writeable = False
        write(y)
        return np.sum(y**2)

    for program in (f, locked_on_a_path):
        with pytest.raises(ValueError, match="read-only"):
            program(X)
        with pytest.raises(ValueError, match="read-only"):
            ast_ad.grad(program, backend="numpy")(X)
    free = ast_ad.value_and_grad(locked_on_a_path, backend="numpy")
    if write is not perhaps_another:
        assert free(-X)[0] == locked_on_a_path(-X)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("writeable", [True, False])
def test_of_an_array_from_before_the_loop(writeable):
    def f(x, n):
        y = x * 2
        for _ in range(n):
            y[0] = y[1] * x[0]
            y.setflags(write=writeable)
        return np.sum(y**2)

    derivative = ast_ad.value_and_grad(f, backend="numpy")
    assert derivative(X, 1)[0] == f(X, 1)
    if writeable:
        assert derivative(X, 3)[0] == f(X, 3)
    else:
        with pytest.raises(ValueError, match="read-only"):
            derivative(X, 3)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_view_that_is_locked_leaves_the_array():
    def f(x):
        y = x * 2
        y[:2].setflags(write=False)
        z = y[1:]
        z.setflags(write=False)
        y[1] = x[0] ** 2
        return np.sum(y**2) + np.sum(z)

    value, gradient = ast_ad.value_and_grad(f)(X)
    assert value == f(X)
    np.testing.assert_allclose(gradient, [8 * X[0] + 4 * X[0] ** 3 + 2 * X[0], 0.0, 8 * X[2] + 2], rtol=1e-14)


@pytest.mark.parametrize("write", [True, False])
def test_flags_of_the_callers_array_are_refused(write):
    def f(x):
        x.setflags(write=write)
        return np.sum(x**2)

    with pytest.raises(ast_ad.UnsupportedError, match="what may be written later"):
        ast_ad.grad(f, fallback="error")(X)
