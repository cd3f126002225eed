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


def beside_a_display(w):
    """A row that is written out, and one that a loop fills."""
    squares = []
    for a in w:
        squares.append(a * a)
    return np.mean(np.exp([[w[0], 1.0, w[1], w[0] * w[3]], squares]))


def remembered(w):
    """The first pass differs from the others, so that their rows are of another kind."""
    seen, rows = {}, []
    for i in range(2):
        row = []
        for k in range(4):
            if "scale" not in seen:
                seen["scale"] = w[0] * w
            row.append(seen["scale"][k] * w[i])
        rows.append(row)
    return np.sum(rows) + np.max(np.sin(rows))


def row_of_a_table(w):
    table = [[a * b for b in w] for a in w]
    return np.sum(np.sin([table[1], w, list(w)]))


PROGRAMS = [interpolated, norm, area, spread, convolved, beside_a_display, remembered, row_of_a_table]


@pytest.mark.drawn(of=16)
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
