"""Is a ``cached_property`` computed once for each object, where loops and branches ask for it?"""

from functools import cached_property

import numpy as np
import pytest

import ast_ad


class Cell:
    def __init__(self, a, b):
        self.a, self.b = a, b
        self.asked = 0

    @cached_property
    def metric(self):
        self.asked += 1
        return np.array([[self.a * self.a, 0.3 * self.a], [0.3 * self.a, self.b * self.b]])

    @cached_property
    def inverse(self):
        return np.linalg.inv(self.metric)

    @cached_property
    def volume(self):
        return self.a * self.b

    @cached_property
    def history(self):
        return [self.a]

    @cached_property
    def nothing(self):
        return None

    def distance(self, h):
        return h @ self.inverse @ h


def in_a_loop(x, n):
    cell, total = Cell(x, 2.0), 0.0
    for i in range(n):
        total += cell.volume * i
    return total


def one_by_another(x, n):
    cell, total = Cell(x, 2.0), 0.0
    for i in range(n):
        total += cell.distance(np.array([1.0, i]))
    return total + cell.asked


def in_a_branch(x, n):
    cell, total = Cell(x, 2.0), 0.0
    if n > 2:
        total = cell.volume * x
    return total + cell.volume**2 + cell.asked


def in_some_turns(x, n):
    cell, total = Cell(x, 2.0), x
    for i in range(n):
        if i % 2 == 1:
            total = total * cell.volume + cell.asked
    return total + cell.metric[0, 1] + cell.asked


def of_several_objects(x, n):
    cells = [Cell(x * (k + 1), 1.0) for k in range(3)]
    return sum(cell.volume * cell.distance(np.array([0.5, k])) for cell in cells for k in range(n))


def before_a_change(x, n):
    """What is cached stays."""
    cell, total = Cell(x, 2.0), 0.0
    for i in range(n):
        cell.a = cell.a + 0.1 * i
        total += cell.volume + cell.a
    return total


def written_in_place(x, n):
    cell = Cell(x, 2.0)
    for i in range(n):
        metric = cell.metric
        metric[0, 0] = metric[0, 0] * x + i
        metric *= 1.1
    return np.sum(cell.metric) + cell.asked


def appended_to(x, n):
    cell = Cell(x, 2.0)
    for i in range(n):
        cell.history.append(x * i)
    return sum(cell.history) * len(cell.history)


def left_early(x, n):
    cell, total = Cell(x, 2.0), 0.0
    while total < n:
        total += cell.volume + 0.2
        if cell.metric[0, 0] * total > 6.0:
            break
    return total * cell.volume


def of_nothing(x, n):
    cell, total = Cell(x, 2.0), 0.0
    for _ in range(n):
        total += x if cell.nothing is None else 2.0 * x
    return total * x


PROGRAMS = [
    in_a_loop, one_by_another, in_a_branch, in_some_turns, of_several_objects, before_a_change,
    written_in_place, appended_to, left_early, of_nothing,
]  # fmt: skip


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    for n in (1, 2, 5):
        value, gradient = derivative(0.8, n)
        assert value == pytest.approx(f(0.8, n), rel=1e-12)
        assert gradient == pytest.approx((f(0.8 + 1e-6, n) - f(0.8 - 1e-6, n)) / 2e-6, rel=1e-6)
