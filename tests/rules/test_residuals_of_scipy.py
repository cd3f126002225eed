"""Is the residual of ``scipy.linalg.lstsq``, a number or an empty array, told at run time?"""

import numpy as np
import pytest

import ast_ad

sl = pytest.importorskip("scipy.linalg")

TALL, SQUARE = np.random.default_rng(0).normal(size=(2, 5, 5))
TALL = TALL[:, :2]
RIGHT = np.linspace(-1.0, 1.5, 5)


def by_rank(a, b):
    x, residual, _, _ = sl.lstsq(a, b)
    return np.sum(x**2) + (residual * 2 if np.ndim(residual) == 0 else np.sum(residual) * 7)


def by_shape(a, b):
    x, residual, _, _ = sl.lstsq(a, b)
    return np.sum(x**2) + (residual if residual.shape == () else 0.5)


def as_vector(a, b):
    return np.sum(np.outer(sl.lstsq(a, b)[1], RIGHT) ** 2)


def of_size(a, b):
    residual = sl.lstsq(a, b)[1]
    return residual.size * np.sum(a**2) + np.sum(residual)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", [by_rank, by_shape, as_vector, of_size])
def test_residual(f, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    derivative = ast_ad.value_and_grad(f, (0, 1), backend=backend, fallback="error")
    for a in (SQUARE, TALL, SQUARE):
        value, bars = derivative(a, RIGHT)
        assert np.shape(value) == () and value == pytest.approx(f(a, RIGHT), rel=1e-12)
        for i, bar in enumerate(bars):
            way = np.random.default_rng(i).normal(size=bar.shape)
            ends = [
                f(*[x + h * way if i == k else x for k, x in enumerate((a, RIGHT))]) for h in (1e-6, -1e-6)
            ]
            assert np.sum(way * bar) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-6)
