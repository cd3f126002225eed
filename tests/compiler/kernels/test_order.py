"""Do loops that carry something take the places in order, also where their ends are written out?"""

import numpy as np
import pytest

import ast_ad

rng = np.random.default_rng(5)


def moving_average(x):
    total = 0.0
    for k in range(3):
        a = np.cumsum(x * (1.0 + 0.1 * k))
        r = (a[3:] - a[:-3]) / 3
        total += np.sum(r * r)
    return total


def counted_places(x):
    total = 0.0
    for _ in range(2):
        c = x[x > 0.4] * x
        d = c[2:] - c[:-2]
        total += np.sum(d * d * c[1:-1])
    return total


PROGRAMS = {
    moving_average: rng.uniform(0.1, 1.6, 24),
    counted_places: rng.uniform(0.5, 1.6, 24),
}


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_in_order(f):
    x = PROGRAMS[f]
    value, bar = ast_ad.value_and_grad(f, backend="numba", check=False)(x)
    expected, plain = ast_ad.value_and_grad(f, backend="numpy", check=False)(x)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(bar, plain, rtol=1e-10, atol=1e-12)
