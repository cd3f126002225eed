"""Do functions of NumPy that stand for other array programs take lists of run-time length?"""

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("error::ast_ad.FallbackWarning")
WEIGHTS = np.array([0.5, 0.25, 1.5, 0.75])


def interpolated(w):
    times, levels = [0.0], [1.0]
    for a in w:
        times.append(times[-1] + a * a + 0.1)
        levels.append(levels[-1] * a)
    return np.interp(1.0, times, levels) + levels[-1]


def norm(w):
    return np.linalg.norm([a * a for a in w])


def area(w):
    heights, places = [], []
    for i in range(len(w)):
        heights.append(np.sin(w[i]))
        places.append(w[i] + i)
    return np.trapezoid(heights, places)


def spread(w):
    return np.std([a * w[0] for a in w]) + np.ptp([a * a for a in w])


def convolved(w):
    return np.sum(np.convolve([a * a for a in w], [w[0], w[1]]) ** 2)


PROGRAMS = [interpolated, norm, area, spread, convolved]


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(f, backend):
    steps = 1e-6 * np.eye(len(WEIGHTS))
    expected = [(f(WEIGHTS + step) - f(WEIGHTS - step)) / 2e-6 for step in steps]
    found = ast_ad.grad(f, backend=backend)(WEIGHTS)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    value, tangent = ast_ad.jvp(f, (WEIGHTS,), (WEIGHTS,), backend=backend)
    assert value == pytest.approx(f(WEIGHTS))
    assert tangent == pytest.approx(found @ WEIGHTS)
