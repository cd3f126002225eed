"""Is a value that may be None known to be there where the program has asked?"""

import numpy as np
import pytest

import ast_ad


def order_of(x):
    """The order that sorts, and the one that undoes it; nothing where it is sorted."""
    order = np.argsort(x, kind="stable")
    if np.any(order[1:] < order[:-1]):
        return order, np.argsort(order, kind="stable")
    return None, None


def ordered(y, order=None):
    if order is None:
        return y
    if y.ndim == 1:
        return y[order]
    if y.ndim == 2:
        return y[:, order]
    raise ValueError("too many dimensions")


class Series:
    def __init__(self, x):
        self.order, self.back = order_of(x)
        self.x = x if self.order is None else x[self.order]
        self.known = None

    def sums(self, y):
        total = np.cumsum(ordered(y, self.order) * self.x)
        self.known = total if self.order is not None else None
        return ordered(total, self.back)


def is_not_none(y, x):
    order, _ = order_of(x)
    if order is not None:
        y = y[order]
    return np.dot(x, y**2)


def is_none(y, x):
    order, _ = order_of(x)
    if order is None:
        z = y
    else:
        z = y[order] * 2.0
    return z @ x + z @ z


def in_callees(y, x):
    return np.dot(x, Series(x).sums(y) ** 2)


def of_matrices(y, x):
    m = np.outer(y, x)
    return np.sum(np.linalg.inv(ordered(m, order_of(x)[0]) + 5.0 * np.eye(len(x))) @ y)


def not_twice(y, x):
    order, back = order_of(x)
    absent = order is None
    if not absent:
        return np.dot(y[order], x) + np.dot(y[back], x**2)
    return np.dot(y, y)


def in_a_conditional(y, x):
    order = order_of(x)[0]
    return np.dot(x, y[order] if order is not None else y * y)


def early_return(y, x):
    order = order_of(x)[0]
    if order is None:
        return y @ x
    weights = np.ones_like(y)
    weights[order[0]] = 3.0
    return np.dot(weights, y[order] * x)


def in_a_loop(y, x):
    best = None
    for k in range(len(y)):
        candidate = y * x[k]
        if best is None or np.sum(candidate) > 2.0:
            best = candidate
        if best is not None:
            y = y + 0.1 * best
    return np.dot(best, y)


def of_numbers(y, x):
    found = None
    for k in range(len(x)):
        if x[k] > 0.45:
            found = y[k] * x[k]
    return found**2 + y[0] if found is not None else np.dot(y, y)


def kept(y, x):
    s = Series(x)
    total = s.sums(y)
    if s.known is not None:
        return np.dot(s.known, x) + total @ x
    return total @ total


PROGRAMS = [
    is_not_none, is_none, in_callees, of_matrices, not_twice, in_a_conditional, early_return, in_a_loop,
    of_numbers, kept,
]  # fmt: skip
Y = np.array([1.0, 0.4, 0.8, 1.5])
X = np.array([0.2, 0.5, 0.4, 0.9])


@pytest.mark.drawn(of=15)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    for x in (X, np.sort(X), 0.1 * X):
        value, gradient = derivative(Y, x)
        assert value == pytest.approx(f(Y, x), rel=1e-12)
        differences = [(f(Y + e, x) - f(Y - e, x)) / 2e-6 for e in 1e-6 * np.eye(4)]
        np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)
