"""Is a table from outside, whose numbers decide what a program is, read at once and guarded?"""

import numpy as np
import pytest

import ast_ad

PAIRS = [(i, j) for i in range(5) for j in range(4) if i + j < 6]
WEIGHTS = {(i, j): 0.1 * (i + 1) - 0.03 * j for i, j in PAIRS}


class Polynomial:
    orders = tuple((i % 3, i % 4) for i in range(15))

    def __init__(self):
        self.signs = [1, -1] * 10

    def __call__(self, x, y):
        total = 0.0
        for k, (i, j) in enumerate(self.orders):
            term = self.powers(x, i) * self.powers(y, j)
            total = total + (term if self.signs[k] > 0 else -term)
        return total

    @staticmethod
    def powers(x, n):
        found = 1.0
        for _ in range(n):
            found = found * x
        return found


def by_keys(x, y):
    return sum(WEIGHTS[i, j] * x**i * y**j for i, j in PAIRS)


POLYNOMIAL = Polynomial()


def by_loops(x, y):
    return POLYNOMIAL(x, y)


SHAPES = [(2 + i % 2, 3 - i % 2) for i in range(14)]


def by_shapes(x, y):
    total = 0.0
    for rows, columns in SHAPES:
        total = total + np.sum(np.reshape(np.arange(6.0) * x, (rows, columns)) ** 2, axis=1)[0] * y
    return total


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", [by_keys, by_loops, by_shapes], ids=lambda f: f.__name__)
def test_tables(f, backend):
    derivative = ast_ad.value_and_grad(f, argnums=(0, 1), backend=backend)
    value, slopes = derivative(0.7, -0.4)
    assert derivative.mode == "compiled"
    np.testing.assert_allclose(value, f(0.7, -0.4), rtol=1e-14)
    steps = [(1e-6, 0.0), (0.0, 1e-6)]
    expected = [(f(0.7 + a, -0.4 + b) - f(0.7 - a, -0.4 - b)) / 2e-6 for a, b in steps]
    np.testing.assert_allclose(slopes, expected, rtol=1e-8)


def test_another_table(monkeypatch):
    derivative = ast_ad.grad(by_keys)
    before = derivative(0.7, -0.4)
    monkeypatch.setattr(POLYNOMIAL, "signs", [-1, 1] * 10)
    other = ast_ad.grad(by_loops)
    first = other(0.7, -0.4)
    monkeypatch.setattr(POLYNOMIAL, "signs", [1, -1] * 10)
    assert other(0.7, -0.4) == -first
    old, PAIRS[3] = PAIRS[3], (4, 1)
    try:
        assert derivative(0.7, -0.4) != before
        np.testing.assert_allclose(
            derivative(0.7, -0.4), (by_keys(0.7 + 1e-6, -0.4) - by_keys(0.7 - 1e-6, -0.4)) / 2e-6, rtol=1e-8
        )
    finally:
        PAIRS[3] = old
