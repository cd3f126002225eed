"""Slices with negative steps, from and to places that are known at run time, stay in kernels."""

import itertools

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

X = np.linspace(0.5, 1.7, 6)


def read(x, bounds, step):
    total = 0.0
    for k in range(bounds.shape[0]):
        part = x[bounds[k, 0] : bounds[k, 1] : step]
        total += np.sum(np.sin(part) * (1.0 + np.arange(len(part)))) * (k + 1.0)
    return total


def read_from(x, bounds, step):
    total = 0.0
    for k in range(bounds.shape[0]):
        part, other = x[bounds[k, 0] :: step], x[: bounds[k, 1] : step]
        total += np.sum(np.sin(part) * (1.0 + np.arange(len(part)))) * (k + 1.0)
        total += np.sum(np.cos(other) * (1.0 + np.arange(len(other)))) * (k + 1.0)
    return total


def written(x, bounds, step):
    y = np.zeros(x.shape)
    for k in range(bounds.shape[0]):
        y[bounds[k, 0] : bounds[k, 1] : step] += x[2] * x[bounds[k, 0] : bounds[k, 1] : step] ** 2
    return np.sum(y * np.cos(y))


PLACES = np.array(list(itertools.product(range(-8, 9), repeat=2)))


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("step", [-1, -2, -3])
@pytest.mark.parametrize("function", [read, read_from, written])
def test_all_places(function, step):
    def f(x, bounds):
        return function(x, bounds, step)  # a constant of the program

    derivative = ast_ad.value_and_grad(f, backend="numba", fallback="error")
    value, bar = derivative(X, PLACES)
    assert "NumPy code" not in str(derivative.explain())
    assert value == pytest.approx(f(X, PLACES), rel=1e-12)
    np.testing.assert_allclose(bar, ast_ad.grad(f, backend="numpy")(X, PLACES), rtol=1e-11)
    h = 1e-6 * np.array([1.0, -0.5, 0.3, 0.8, -1.2, 0.4])
    slope = (f(X + h, PLACES) - f(X - h, PLACES)) / 2
    assert bar @ h == pytest.approx(slope, rel=1e-6)


def levinson(r):
    """Durbin's recursion for the equations of an autoregressive process."""
    n = len(r)
    a, e = np.zeros(n), r[0]
    a[0] = 1.0
    for i in range(1, n):
        k = -np.dot(a[:i], r[i:0:-1]) / e
        before = a[1:i].copy()
        a[1:i] += k * before[::-1]
        a[i] = k
        e *= 1.0 - k * k
    return np.sum(a**2) + np.log(e)


@pytest.mark.slow(beyond=2)
def test_durbins_recursion():
    r = 0.8 ** np.arange(8) + 0.3 * (np.arange(8) == 0)
    derivative = ast_ad.value_and_grad(levinson, backend="numba", fallback="error")
    value, bar = derivative(r)
    assert value == pytest.approx(levinson(r), rel=1e-13)
    assert "NumPy code" not in str(derivative.explain())
    np.testing.assert_allclose(bar, ast_ad.grad(levinson, backend="numpy")(r), rtol=1e-11)
    ast_ad.check_grads(levinson, (r,), order=1)
