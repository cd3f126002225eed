"""Is a write refused as NumPy refuses it, where it depends on the path whether an array is read-only?"""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.3, 0.5, 0.9])


def windows(x, n):
    a = x * 1.0
    if n == 1:
        a = sliding_window_view(a, 2)[:, 0]
    a *= 2
    return a.sum()


def stretched(x, n):
    a = x * 1.0
    if n == 1:
        a = np.broadcast_to(a[:1], (3,))
    try:
        np.putmask(a, a > 0.4, a * 2)
    except ValueError:
        return x[0] * 3
    return a.sum()


def diagonals(x, n):
    a = x * 1.0
    for k in range(n + 1):
        if k == 1:
            a = np.diagonal(np.outer(a, a))
        a[0] = x[1]
    return a.sum()


def flagged(x, n):
    a = x * 1.0
    a.flags.writeable = n != 1
    try:
        a[0] = 2.0
    except ValueError:
        return x[0] * 3
    return a.sum()


@pytest.mark.slow
@pytest.mark.parametrize("f", [windows, stretched, diagonals, flagged], ids=lambda f: f.__name__)
def test_by_path(f):
    derivative = ast_ad.value_and_grad(f, check=False)
    for n in (0, 1, 0):
        try:
            wanted = f(X.copy(), n)
        except ValueError:
            with pytest.raises(ValueError, match="read-only"):
                derivative(X, n)
            continue
        value, gradient = derivative(X, n)
        slopes = [(f(X + d, n) - f(X - d, n)) / 2e-6 for d in 1e-6 * np.eye(3)]
        assert value == wanted
        np.testing.assert_allclose(gradient, slopes, atol=1e-8)


def test_what_is_read_only_may_be_read_on_a_path():
    def f(x, n):
        a = x * 1.0
        if n == 1:
            a = np.broadcast_to(a[:1], (3,))
        return (a * a).sum()

    derivative = ast_ad.grad(f, fallback="error", check=False)
    np.testing.assert_allclose(derivative(X, 0), 2 * X)
    np.testing.assert_allclose(derivative(X, 1), [6 * X[0], 0.0, 0.0])
