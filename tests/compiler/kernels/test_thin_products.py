"""Are products of matrices with a few rows or columns sums in loops, whatever lies how in memory?"""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

DRAW = np.random.default_rng(8)
P, H, K = DRAW.normal(size=(7, 7)), DRAW.normal(size=(2, 7)), DRAW.normal(size=(7, 3))


def filtered(P, H, K):
    """As in a Kalman filter: rows, columns, transposes, and a product of both kinds."""
    total = 0.0
    for i in range(3):
        G = P @ H.T
        S = H @ G
        P = P - 0.1 * G @ S @ G.T + 0.01 * K @ K.T
        total += np.sum(np.sin(S)) + np.sum((K.T @ P) ** 2)
    return total + np.sum(P * P)


def parts(P, H, K):
    """Factors that are views, of columns and backwards, and computed ones."""
    total = 0.0
    for i in range(2):
        total += np.sum((P.T[1:5] @ K[:, ::-1][:, :2]) ** 2) + np.sum(np.exp(H * 0.1) @ (P[::-1] - i))
        total += np.sum(H[:, :4] @ P[3:, i:]) + np.sum((H[:, ::2] @ -P[::2].T[:4].T) * (i + 1.0))
    return total


def chained(P, H, K):
    x, total = H, 0.0
    for i in range(3):
        x = np.tanh(x @ P)
        total += np.sum((x @ K) ** 2)
    return total


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("function", [filtered, parts, chained])
def test_gradients(function):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1, 2), backend="numba", fallback="error")
    value, bars = derivative(P, H, K)
    assert value == pytest.approx(function(P, H, K), rel=1e-12)
    assert "dot(" not in derivative.source and "NumPy code" not in derivative.explain()
    others = ast_ad.grad(function, argnums=(0, 1, 2), backend="numpy")(P, H, K)
    for bar, other in zip(bars, others, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-10, atol=1e-11)
    ast_ad.check_grads(function, (P, H, K), order=1, modes=("rev",))


def test_large_ones_are_left_to_blas():
    def f(a):
        x = a
        for i in range(2):
            x = np.sin(x @ a)
        return np.sum(x)

    derivative = ast_ad.grad(f, backend="numba")
    np.testing.assert_allclose(derivative(P), ast_ad.grad(f, backend="numpy")(P), rtol=1e-12)
    assert "np.dot(" in derivative.source


def test_nothing_and_what_is_not_finite():
    """A sum over no terms is zero, and NaN of one row is none of another."""

    def f(P, H):
        total = 0.0
        for i in range(2):
            total += np.sum((H @ P) ** 2)
        return total

    derivative = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba")
    for p, h in ((P[:0], H[:, :0]), (P[:, :0], H), (P, np.where(H > 1.0, np.inf, H))):
        with np.errstate(all="ignore"):
            value, bars = derivative(p, h)
            expected, others = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numpy")(p, h)
        np.testing.assert_allclose(value, expected)
        for bar, other in zip(bars, others, strict=True):
            np.testing.assert_allclose(bar, other, rtol=1e-12)
