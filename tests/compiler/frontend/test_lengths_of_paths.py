"""Is a length known that all paths agree on, once the arguments' lengths are constants?"""

import numpy as np
import pytest

import ast_ad

X = np.sin(np.arange(8.0) * 1.3) + 0.4


def checked(x):
    x = np.asarray(x, dtype=float)
    if x.ndim != 1 or x.shape[0] != 8:
        raise ValueError("eight numbers")
    if x[0] == 0.0:
        return np.r_[1, 0.5, 0, 0, x[4:]]
    return x / x[1]


def by_a_check(x):
    p = checked(x)
    return np.sum(np.cross(p[1:4], p[5:]) ** 2)


def by_several_checks(x):
    p, q = checked(x), checked(x[::-1])
    z = checked(p if x[2] > 0 else np.concatenate([q[:3], p[3:]]))
    return np.sum(np.cross(z[1:4] * 2, q[5:]) * p[:3])


def of_other_lengths(x):
    p = x[:3] if x[0] > 0 else x[:2]
    return np.sum(np.convolve(p, x[5:]) ** 2)


def judge(f, derivative, x):
    value, gradient = derivative(x)
    assert value == pytest.approx(f(x), rel=1e-14)
    step = np.cos(np.arange(8.0)) * (x != 0)
    assert gradient @ step == pytest.approx((f(x + 1e-6 * step) - f(x - 1e-6 * step)) / 2e-6, rel=1e-6)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")  # of the call that raises
@pytest.mark.parametrize("f", [by_a_check, by_several_checks])
def test_of_paths_that_agree(f):
    derivative = ast_ad.value_and_grad(f, backend="numpy", fallback="error")
    for x in (X, -X, np.r_[0.0, X[1:]]):
        judge(f, derivative, x)
    with pytest.raises(ValueError, match="eight"):
        ast_ad.grad(f, backend="numpy")(X[:7])


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_of_paths_that_differ():
    derivative = ast_ad.value_and_grad(of_other_lengths, backend="numpy")
    for x in (X, -X, X):
        judge(of_other_lengths, derivative, x)


def test_of_a_number_or_an_array():
    def f(x, n):
        n = np.atleast_1d(n)
        if all([part.size == 1 for part in [n, *map(np.atleast_1d, [2.0])]]):
            return n[0] * np.sum(x)
        rows = []
        for i in range(n.size):
            rows.append(x[: n[i]] * (i + 2))
        return np.sum(np.add(*[np.sum(row) for row in rows]))

    derivative = ast_ad.grad(f, backend="numpy", fallback="error")
    np.testing.assert_array_equal(derivative(X, 5), np.full(8, 5.0))
    np.testing.assert_array_equal(derivative(X, np.array([4])), np.full(8, 4.0))
    np.testing.assert_array_equal(derivative(X, np.array([3, 5])), [5, 5, 5, 3, 3, 0, 0, 0])
    for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
        for number in (5, 2.5, X, np.ones((2, 3)), np.ones((2, 3, 4)), [1.0, 2.0]):
            shape = ast_ad.value_and_grad(
                lambda x, y, to=function: np.sum(x) * to(y).size + to(y).ndim * 100.0, fallback="error"
            )
            assert shape(X, number)[0] == np.sum(X) * np.size(number) + function(number).ndim * 100.0
