"""Is a list that a short loop makes known item by item where the structure of the program depends on it?"""

import numpy as np
import pytest

import ast_ad

X = np.sin(np.arange(24.0)).reshape(4, 3, 2) + 1.5
LENGTHS = X, X[:2], X[:1], X[:, :, :1], X[0], X[:, 0]


def by_axes_in_another_order(x):
    axes = list(range(x.ndim))
    axes[0], axes[1] = axes[1], axes[0]
    return np.sum(x.transpose(axes)[0] ** 2)


def by_the_last_axes_turned(x):
    return np.sum(np.transpose(x, list(range(x.ndim - 2)) + [-1, -2])[..., 0] ** 2)


def by_axes_that_a_condition_leaves(x):
    others = [i for i in range(x.ndim) if i != 1]
    return np.sum(np.prod(x, axis=tuple(others)) * np.max(x.transpose([1, *others])[0]))


def by_axes_that_are_taken_away(x):
    axes = list(range(x.ndim))
    axes.remove(1)
    axes.insert(0, axes.pop())
    return np.sum(np.sum(x, axis=tuple(axes)) ** 2)


def product(*rows):
    total = 1.0
    for row in rows[::-1]:
        total = total * np.sum(row) + row.flat[0]
    return total


def by_arguments_that_a_loop_makes(x):
    rows, weights = [], []
    for i in range(len(x)):
        rows.append(x[i] * (i + 1))
        weights.append(np.cos(x[i]))
    rows[0][0] = 3.0
    return product(*rows) * np.sum(np.broadcast_arrays(*weights)[0]) + np.result_type(*rows).itemsize


def by_rows_of_rows(x):
    return product(*[np.add(*[np.sin(v) for v in row[:2]]) for row in x.reshape(len(x), -1, 1)])


def by_a_branch(x):
    rows = []
    for row in x:
        if np.sum(row) > 9.0:
            rows.append(row * 3)
        rows.append(row * 2)
    return product(*rows)


def by_a_loop_that_is_left(x):
    rows = []
    for row in x:
        if row.flat[0] > 2.0:
            break
        rows.append(row**2)
    else:
        rows.append(np.ones_like(x[0]))
    return product(*rows)


PROGRAMS = [
    by_axes_in_another_order,
    by_the_last_axes_turned,
    by_axes_that_a_condition_leaves,
    by_axes_that_are_taken_away,
    by_arguments_that_a_loop_makes,
    by_rows_of_rows,
]
PATHS = [by_a_branch, by_a_loop_that_is_left]


def judge(f, derivative, x, *args):
    value, gradient = derivative(x, *args)
    assert value == pytest.approx(f(x, *args), rel=1e-13)
    step = np.cos(np.arange(x.size)).reshape(x.shape)
    difference = (f(x + 1e-6 * step, *args) - f(x - 1e-6 * step, *args)) / 2e-6
    assert np.sum(gradient * step) == pytest.approx(difference, rel=1e-5, abs=1e-7)


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("f", PROGRAMS)
def test_of_every_rank_and_length(f):
    derivative = ast_ad.value_and_grad(f, backend="numpy", fallback="error")
    for x in (*LENGTHS, X):
        judge(f, derivative, x)


@pytest.mark.slow
@pytest.mark.parametrize("f", PROGRAMS[:5:4])
def test_in_kernels(f):
    derivative = ast_ad.value_and_grad(f, backend="numba", fallback="error")
    for x in (X, X[:2]):
        judge(f, derivative, x)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("f", PATHS)
def test_of_a_list_whose_length_only_data_tell(f):
    derivative = ast_ad.value_and_grad(f, backend="numpy")
    for x in (X, X[::-1].copy(), X * 0.3, X * 3):
        judge(f, derivative, x)


def by_so_many(x, n):
    rows = []
    for i in range(n):
        rows.append(x[i % len(x)] * (i + 1))
    return np.log(np.abs(product(*rows)))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_of_an_int():
    derivative = ast_ad.value_and_grad(by_so_many, backend="numpy", fallback="error")
    for n in (3, 1, 4, 3):
        judge(by_so_many, derivative, X, n)
    judge(by_so_many, ast_ad.value_and_grad(by_so_many, backend="numpy"), X, 40)  # too many to write out


def test_loops_are_left_where_nothing_asks():
    def f(x, n):
        rows = [x * i for i in range(20)]
        for i in list(range(n)):
            rows.append(x**i)
        return sum(np.sum(row) for row in rows)

    derivative = ast_ad.value_and_grad(f, backend="numpy", fallback="error")
    judge(f, derivative, X, 4)
    judge(f, derivative, X, 2)
    assert derivative.source.count("for ") >= 2 and len(derivative.source) < 3000
