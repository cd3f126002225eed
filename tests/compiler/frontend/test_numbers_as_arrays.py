"""What does ``np.asarray`` make of what is a number on one path and an array on another? An array on both."""

import numpy as np
import pytest

import ast_ad

X = np.array([0.3, 0.7, 0.2])


def merged(x):
    z = np.zeros(()) + np.min(x) if x[0] > 0 else np.array(x[1] / 2)
    w = np.asarray(z)
    return np.sum(w) * (3 if hasattr(w, "__setitem__") else 2) * (5 if isinstance(z, np.ndarray) else 7)


def of_class(x):
    z = x[0] if x[0] > 0 else np.array(x[1] / 2)
    w = np.asanyarray(z)
    return np.sum(w) * (3 if isinstance(w, np.ndarray) else 2) * (5 if np.isscalar(w) else 7)


def after_a_loop(x):
    total = 0.0
    for _ in range(2 * int(x[0] > 0)):
        total = total + x
    array = np.asarray(total)
    return np.sum(array**2) + array.ndim + np.asarray(total, dtype=float).size


def of_vectors(x):
    z = x[0] if x[0] > 0 else x[1:] * 1.0
    y = np.asarray(np.asanyarray(z))
    return np.sum(y * y) + y.size


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("function", [merged, of_class, after_a_loop, of_vectors], ids=lambda f: f.__name__)
def test_values_and_gradients(function):
    derivative = ast_ad.value_and_grad(function, check=False, fallback="error")
    for x in (X, X * np.array([-1.0, 1.0, 1.0])):
        value, bar = derivative(x)
        assert value == function(x)
        moved = [function(x + e) - function(x - e) for e in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(bar, np.array(moved) / 2e-6, atol=1e-8)


def written(x):
    z = x[0] if x[0] > 0 else np.array(x[1] / 2)
    w = np.asarray(z)
    w[...] = x[2] * 3
    return np.sum(w) + np.sum(z) * 10


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_who_else_sees_a_write_is_not_guessed():
    with pytest.raises(ast_ad.UnsupportedError, match="a view or a copy"):
        ast_ad.grad(written, fallback="error")(X)
    for x in (X, X * np.array([-1.0, 1.0, 1.0])):
        assert ast_ad.value_and_grad(written)(x)[0] == written(x)
