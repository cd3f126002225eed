"""Does code run as often as Python runs it, and in the same order? Each piece writes down that it ran."""

import numpy as np
import pytest

import ast_ad

X = np.array([0.5, 1.2, 0.8, 1.5, 0.3])


def lists_of_objects(x):
    note = []

    class Item:
        def __init__(self, value):
            self.value = value

        def __eq__(self, other):
            note.append(1.0)
            return bool(self.value == other.value)

        __hash__ = None

    a, b, c = Item(x[0]), Item(x[1]), Item(x[0])
    found = [b, a].index(c) + 2 * [a, b].index(b) + 3 * [b, a, c].count(c) + (c in [b, a, c])
    row = [b, a, c]
    row.remove(c)
    return found * x[1] + row[1].value * x[2] + len(note) * x[0]


def getters_with_defaults(x):
    note = []

    class Asked:
        def __getattr__(self, name):
            note.append(len(name))
            return x[len(name)]

    one = Asked()
    one.there = 2.0
    found = getattr(one, "d", 0.0) + 2 * getattr(one, "ddd", x[4]) + getattr(one, "there", 0.0)
    return found + hasattr(one, "dd") * x[1] + sum(n * (i + 1) for i, n in enumerate(note)) * x[0]


def a_lone_starred_argument(x):
    """It is asked for its items when the other arguments are there."""
    note = []

    def of(value, number):
        note.append(number)
        return value

    def given(*args, **kwargs):
        return sum(args) + 2 * sum(kwargs.values())

    found = given(*(of(v, 1) for v in x[:2]), k=of(x[2], 2))
    found += given(*map(lambda v: of(v, 3), x[:2]), **{"k": of(x[3], 4)})
    found += given(of(x[0], 5), *(of(v, 6) for v in x[:2]), k=of(x[2], 7))
    return found + sum(n * (i + 1) for i, n in enumerate(note)) * x[0]


def conditions(x):
    note = []

    def of(value, number):
        note.append(number)
        return value

    found = of(x[0], 1) if of(x[1], 2) < 1.0 else of(x[2], 3)
    found += 1.0 * (of(x[0], 4) < of(x[2], 5) < of(x[1], 6) < of(x[3], 7) < of(0.0, 8) < of(9.0, 9))
    found += of(x[0] - x[0], 10) and of(x[1], 11) or of(x[2], 12)
    return found + sum(n * (i + 1) for i, n in enumerate(note)) * x[0]


def targets(x):
    note = []

    def of(value, number):
        note.append(number)
        return value

    row, a = [x[0], x[1], x[2]], x.copy()
    row[of(1, 1)] += of(x[3], 2)
    a[of(1, 3)] *= of(x[3], 4)
    a[of(2, 5) : of(4, 6)] -= of(x[0], 7)
    row[of(0, 8)], row[of(1, 9)] = of(x[4], 10), of(row[0], 11)
    found = {of(1, 12): of(x[0], 13), **{of(2, 14): of(x[1], 15)}}
    return (
        np.sum(a**2)
        + row[0]
        + 2 * row[1]
        + found[1] * found[2]
        + sum(n * (i + 1) for i, n in enumerate(note)) * x[0]
    )


PROGRAMS = [lists_of_objects, getters_with_defaults, a_lone_starred_argument, conditions, targets]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_often_and_in_the_same_order(f):
    derivative = ast_ad.value_and_grad(f, backend="numpy", fallback="error", check=False)
    value, gradient = derivative(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    step = np.cos(np.arange(5.0))
    difference = (f(X + 1e-6 * step) - f(X - 1e-6 * step)) / 2e-6
    assert gradient @ step == pytest.approx(difference, rel=1e-7)
