"""Is a program well formed behind paths on which functions were called that have returned?"""

import numpy as np
import pytest

import ast_ad

X = np.array([[[1.0, 2.0], [3.5, 4.0]], [[5.0, 6.5], [7.0, 8.0]]])
Y = np.array([0, 1])


def turned(a, b):
    z = np.conj(a @ b).mT  # a view of what this call has made: it can't be taken anew behind the branch
    return np.sum(z**2)


def turned_inside(a, b):
    z = np.conj(a @ b).mT
    return (lambda s: np.sum(z**2) * s)(2.0)


def scaled(a, b):
    return [np.sum(row.mT * b) for row in (a @ b)[None]][0]


def checked(function, a, b):
    if a.shape == b.shape:
        d = function(a, b)
    else:
        raise ValueError("the shapes differ")
    return d


def between(function, x, y):
    means = np.array([x[y == c].mean(axis=0) for c in np.unique(y)])
    if len(means) == 2:
        part = checked(function, means[0], means[1])
        whole = 0.5 * sum([np.mean([checked(function, row, mean) for row in x]) for mean in means])
    else:
        part, whole = 1.0, 2.0
    return part / whole


def kept(a, b):
    z = (a @ b).mT

    def again(s):
        return np.sum(z**2) * s

    return again


def called_later(x, s):
    if s > 0:
        if x.shape[0] == 2:
            f = kept(x[0], x[1])
        else:
            raise ValueError("not two")
    else:
        f = kept(x[1], x[0])
    return f(s)


def checked_from(function, x, y):
    return ast_ad.value_and_grad(lambda x: between(function, x, y), fallback="error")(x)


@pytest.mark.slow
@pytest.mark.parametrize("function", [turned, turned_inside, scaled])
@pytest.mark.parametrize("y", [Y, np.array([0, 0])])
def test_names_of_calls_that_returned_are_not_joined(function, y):
    value, gradient = checked_from(function, X, y)
    assert value == between(function, X, y)
    direction = np.cos(np.arange(8.0)).reshape(2, 2, 2)
    h = 1e-5
    steps = [between(function, X + k * h * direction, y) for k in (1, -1)]
    assert np.sum(gradient * direction) == pytest.approx((steps[0] - steps[1]) / (2 * h), rel=1e-7, abs=1e-9)


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("s", [0.7, -0.7])
def test_what_a_function_reads_that_outlives_a_call_is_joined(s):
    gradient, slope = ast_ad.grad(called_later, argnums=(0, 1), fallback="error")(X, s)
    a, b = (X[0], X[1]) if s > 0 else (X[1], X[0])
    product = 2 * s * (a @ b)
    rows = [product @ b.T, a.T @ product]
    np.testing.assert_allclose(gradient, rows if s > 0 else rows[::-1])
    assert slope == pytest.approx(np.sum((a @ b) ** 2))
