"""Do lists of tuples of one item have second derivatives that are compiled?"""

import numpy as np
import pytest

import ast_ad


def results_in_a_list(x, k):
    def part():
        return (np.sum(x * x),)

    (r,) = [part() for _ in range(2)][-1]
    return r * r


def by_position(x, k):
    rows = [(x[i] * 2,) for i in range(k)]
    (r,) = rows[-1]
    return r * r * x[0]


def grown(x, k):
    rows = [(x[0],)]
    for i in range(k):
        rows.append((x[i] * rows[-1][0],))
    return sum(row[0] * row[0] for row in rows)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", [results_in_a_list, by_position, grown])
def test_second_derivatives(f, backend):
    x, along = np.array([0.5, 1.2, -0.3, 0.8]), np.array([1.0, 2.0, -1.0, 0.5])
    gradient = ast_ad.grad(f, fallback="error")
    second = ast_ad.grad(lambda x, k: np.sum(gradient(x, k) * along), backend=backend, fallback="error")
    wanted = [(gradient(x + step, 3) - gradient(x - step, 3)) @ along / 2e-6 for step in 1e-6 * np.eye(4)]
    assert second(x, 3) == pytest.approx(np.array(wanted), rel=1e-6, abs=1e-7)
