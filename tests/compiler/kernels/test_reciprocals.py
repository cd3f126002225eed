"""Are quotients in kernels NumPy's where a processor's estimate of a reciprocal would be NaN?"""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba", reason="the optional backend is not installed")


def by_root(x, v):
    total = 0.0
    for i in range(len(x)):
        total += x[i] / np.sqrt(v[i])
    return total


def quotient(x, v):
    return np.sum(x / v)


def roots(x, v):
    return np.sum(x / np.sqrt(v))


def cast(x, v):
    return np.sum(x.astype(np.float32) / np.sqrt(v.astype(np.float32)))


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("extreme", [np.inf, 0.0, 1e-40, 3e38])
@pytest.mark.parametrize("fn", [by_root, quotient, roots, cast])
def test_extremes(fn, extreme, dtype):
    x, v = np.ones(64, dtype), np.full(64, 4, dtype)
    v[3] = extreme
    with np.errstate(all="ignore"):
        expected, bars = ast_ad.value_and_grad(fn, (0, 1), backend="numpy")(x, v)
        gradient = ast_ad.value_and_grad(fn, (0, 1), backend="numba", fallback="error")
        value, found = gradient(x, v)
    assert "_kernel" in gradient.source
    np.testing.assert_allclose(value, expected, rtol=1e-5)
    for a, b in zip(found, bars, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
