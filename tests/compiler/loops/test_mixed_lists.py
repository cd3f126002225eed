"""Are elements of lists still Python's or NumPy's numbers, as in the plain call, where they become arrays?"""

import functools
import math

import numpy as np
import pytest

from tests.compiler.loops.list_programs import check, require_evaluated, require_no_list

pytestmark = pytest.mark.filterwarnings(
    "ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning"
)
WEIGHTS = np.array([0.5, -1.25, 2.0, 0.75])


def path(w):
    levels = [100.0]
    for a in w:
        levels.append(levels[-1] * np.exp(0.1 * a))
    return np.std(np.diff(np.log(np.array(levels))))


def whole_start(w):
    levels = [0]
    for a in w:
        levels.append(levels[-1] + a * a)
    return levels[-1] * levels[len(w) // 2]


def either_is_appended(w):
    levels = [1.0]
    for i in range(len(w)):
        levels.append(levels[i] * 0.5 if i % 2 else levels[i] * w[i])
    return levels[2] + levels[3] * levels[4]


def element_returned(w, i):
    levels = [2.5, w[0]]
    for a in w:
        levels.append(levels[-1] * a)
    return levels[i]


def divided(w, i):
    levels = [0.0]
    for a in w:
        levels.append(levels[-1] * a)
    return w[0] / levels[i] if i % 2 else 2.0 / levels[i]


def changed(w):
    levels = [1.0, 2.0]
    for a in w:
        levels[0] = levels[1] + a
        levels[1] = 3.0
        levels.append(levels[0] * levels[-1])
    return sum(levels) + np.mean(levels) - min(levels)


def taken_away(w):
    left = [1.0, 2.0, 3.0]
    for a in w:
        left.append(a * left[0])
    total = 0.0
    while left:
        total = total * 0.5 + left.pop()
    return total


def cut_and_joined(w):
    first, second = [1.0], [2.0]
    for a in w:
        first.append(first[-1] * a)
        second.append(second[-1] + a)
    both = first[1:] + second[::-1]
    return both[0] * both[-1] + np.sum(np.array(both) ** 2)


def larger_one(w):
    best = [0.25]
    for a in w:
        best.append(max(best[-1], a))
    return best[-1] * best[0] + best[2]


def through_a_branch(w):
    levels = [1.0]
    for a in w:
        if a > 0:
            levels.append(a * levels[-1])
        else:
            levels = [2.0, levels[-1]]
    return levels[-1] * levels[0]


def whole_left(w):
    levels = [0]
    for a in w:
        if a > 1.5:
            levels.append(a)
    return np.sum(levels)


def counted(w):
    levels = [0]
    for i in range(len(w)):
        levels.append(np.int64(i) * 2)
    total = 0.0
    for j in levels:
        total += w[j % 4] * j
    return total


def asked(w):
    flags, total = [True], 0.0
    for a in w:
        flags.append(a > 0)
    for i in range(len(w)):
        if flags[i + 1]:
            total += w[i] * flags[0]
    return total


def divided_by_an_extremum(w):
    levels = [0.0, 0.0]
    for a in w:
        levels.append(a * levels[-1])
    return w[0] / max(levels)


def places_of_some(w):
    places = []
    for i in range(len(w)):
        if w[i] > 0.6:
            places.append(i)
    return np.sum(w[np.array(places)])


def sum_of_places(w):
    places = []
    for i in range(len(w)):
        if w[i] > 0.6:
            places.append(i)
    return np.sum(places) + 0.0 * w[0]


def complex_ones(w):
    levels = []
    for a in w:
        if a > 0.6:
            levels.append(1j * a)
    return np.array(levels).sum().imag + w[0]


def some_extrema(w):
    levels = []
    for a in w:
        if a > 0.6:
            levels.append(a)
    return max(levels) - min(levels) + sum(levels) / len(levels)


def perimeter(w):
    """An int of Python's where nothing is added, else a float of its own, meets a number of NumPy's."""
    points = list(zip(w, w[::-1], strict=True))
    area = 0.0
    for (a, b), (c, d) in zip(points, points[1:] + points[:1], strict=True):
        area += a * d - b * c
    return area**2 + sum(
        math.hypot(c - a, d - b) for (a, b), (c, d) in zip(points[:-1], points[1:], strict=True)
    )


def of_pythons_own(w):
    kept = [float(a) for a in w if a > 0.6]
    return float(w[0]) ** 2 + sum(math.exp(a) for a in kept) + sum(math.exp(a) for a in kept[:0])


PROGRAMS = [
    perimeter,
    of_pythons_own,
    path,
    whole_start,
    either_is_appended,
    changed,
    taken_away,
    cut_and_joined,
    larger_one,
    through_a_branch,
    whole_left,
    counted,
    asked,
    divided_by_an_extremum,
    places_of_some,
    sum_of_places,
    complex_ones,
    some_extrema,
]


@pytest.mark.drawn(of=2)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_evaluated(f):
    require_evaluated(f, WEIGHTS)


@pytest.mark.drawn(of=6)
@pytest.mark.slow
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients(f, monkeypatch):
    check(f, (WEIGHTS, -WEIGHTS, np.array([1.0, 0.0, 2.0, 1.0])), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("f", [element_returned, divided])
def test_the_kind_of_a_number(f, monkeypatch):
    """A Python zero raises where NumPy's gives infinity, and what is returned is of the kind that it is."""
    for i in (0, 1, 2, -1):
        check(functools.partial(f, i=i), (WEIGHTS, -WEIGHTS), monkeypatch)


# Products of what may be an int stay with NumPy, and so do the length of a list that another one replaces,
# arrays of lists that hold ints on one path, an index by an array and complex sums.
LISTS = [whole_start, through_a_branch, whole_left, places_of_some, sum_of_places, complex_ones]


@pytest.mark.slow
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f not in LISTS], ids=lambda f: f.__name__)
def test_no_list_is_left(f):
    require_no_list(f, WEIGHTS)
