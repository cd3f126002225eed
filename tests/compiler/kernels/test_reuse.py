"""Does the adjoint take the place of the array that a loop of the primal ends with, where that is ours?"""

import numpy as np

import ast_ad


def smooth(a, sweeps):
    a = a.copy()
    n, m = a.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return np.sum(a**2)


def damped(a, steps):
    b = a
    for _ in range(steps):
        b = b * 0.5
    return np.sum(b**2)


def kept(a, steps):
    b = a.copy()
    for _ in range(steps):
        b[1:] += b[:-1]
    return np.sum(b**2), b


def same(function, a, steps):
    before = a.copy()
    got = ast_ad.value_and_grad(function, backend="numba")
    value, bar = got(a, steps)
    np.testing.assert_array_equal(a, before)
    expected, expected_bar = ast_ad.value_and_grad(function, backend="numpy")(a, steps)
    np.testing.assert_allclose(value, expected, rtol=1e-14)
    np.testing.assert_allclose(bar, expected_bar, rtol=1e-13)
    return got


def test_one_array_is_both():
    got = same(smooth, np.random.default_rng(0).normal(size=(20, 21)), 3)
    assert got.source.count("np.empty(") == 1


def test_a_loop_may_end_with_what_it_was_given():
    for steps in (0, 3):
        same(damped, np.linspace(1.0, 2.0, 30), steps)


def test_what_is_read_later_is_not_written():
    a = np.linspace(1.0, 2.0, 30)
    pull = ast_ad.vjp(kept, a, 2, backend="numba")[1]
    pull_numpy = ast_ad.vjp(kept, a, 2, backend="numpy")[1]
    for got, expected in zip(pull((1.0, np.ones(30))), pull_numpy((1.0, np.ones(30))), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-13)
