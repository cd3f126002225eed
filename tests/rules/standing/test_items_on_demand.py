"""Does the code that makes an iterator's items run when they are asked for, and not before?

What it does is seen: it writes down how often it ran, and its consumer reads that between two items.
"""

import functools
import itertools

import numpy as np
import pytest

import ast_ad

from .checking import X, differences, hold_compiled

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def noted(x):
    """A list, and a generator that appends to it whenever it makes an item."""
    notes = []

    def items(mark=1.0):
        for v in x:
            notes.append(mark)
            yield v * 2

    return notes, items


def running(x):
    notes, items = noted(x)
    total = 0.0
    for v in itertools.accumulate(items()):
        total += v * len(notes)
        if v > 2.5:
            break
    for v in itertools.accumulate(items(), lambda a, b: a * b, initial=0.5):
        total += v * sum(notes)
    for v in itertools.accumulate(map(lambda v: v + len(notes), x), None):
        total += v
    return total + len(notes)


def neighbours(x):
    notes, items = noted(x)
    total = 0.0
    for a, b in itertools.pairwise(items()):
        total += a * b * len(notes)
    return total


def around(x):
    notes, items = noted(x)
    total = 0.0
    for v, c in zip([*x, *x], itertools.cycle(items()), strict=False):
        total += v * c * len(notes)
    return total


def endless(x):
    total = x[0]
    for v in itertools.takewhile(lambda v: v < 20, itertools.accumulate(itertools.count(1))):
        total = total * 0.5 + v * x[1]
    for a, b in itertools.islice(itertools.pairwise(itertools.count()), 3):
        total += a * b * x[2]
    return total


def by_keys(x):
    notes, items = noted(x)
    largest = max(items(), key=lambda v: v * (len(notes) - 2))
    least = min(items(), key=lambda v: v + 2 * len(notes), default=0.0)
    return largest * 3 + least * x[1]


def without_none(x):
    return sum(itertools.filterfalse(None, [0.0, *x])) + sum(filter(None, x - x[0])) * x[0]


def folded(x):
    """Each item is made when the fold of those before it is done."""
    notes, items = noted(x)
    total = functools.reduce(lambda a, v: a * 0.5 + v * len(notes), items())
    total += functools.reduce(lambda a, v: a * v + len(notes), map(lambda v: notes.append(v) or v, x))
    total += functools.reduce(lambda a, v: a - v * len(notes), (notes.append(1.0) or v for v in x))
    total += functools.reduce(lambda a, v: a * 0.7 + v * len(notes), items(), x[1])
    return total


def folded_of_three(x):
    notes, items = noted(x[:2])
    first = functools.reduce(lambda a, v: a * 0.5 + v * len(notes), (*items(), x[0]))
    return first + functools.reduce(lambda a, v: a * v * len(notes), noted((x[0], x[1], x[2]))[1]())


def taken_apart(x):
    """Generator expressions as arguments, targets and slices, each run once."""
    notes = []

    def note(v):
        notes.append(1.0)
        return v * 2

    first, *rest = (note(v) for v in x)
    total = first * len(notes) + sum(rest)
    total += (lambda *items: sum(v * len(notes) for v in items))(*(note(v) for v in x))
    row = [0.0] * 3
    row[:] = (note(v) * len(notes) for v in x)
    row[1:2] = map(lambda v: note(v) * len(notes), x[:2])
    return total + sum(v * (i + 1) for i, v in enumerate(row)) + len(notes) * x[0]


FOLLOWED = [folded, folded_of_three, taken_apart, running, neighbours, around, endless, by_keys, without_none]


@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_followed(f):
    hold_compiled(f)


class Own:
    def __init__(self, x):
        self.x, self.count = x, 0

    def __iter__(self):
        for v in self.x:
            self.count += 1
            yield v * 2


def own(x):
    of = Own(x)
    return sum(v * of.count for v in itertools.accumulate(of)) + sum(
        a * b * of.count for a, b in itertools.pairwise(of)
    )


def uneven(x):
    notes, items = noted(x)
    total = 0.0
    for a, b in itertools.zip_longest(items(), items(2.0), fillvalue=0.5):
        total += a * b * sum(notes)
    return total


def groups(x):
    notes, items = noted(x)
    total = 0.0
    for _, part in itertools.groupby(items(), key=lambda v: v > 1):
        total += len(notes) * x[0]
        total += sum(part) * len(notes)
    return total


def extended(x):
    row = [1.0]
    row.extend(v * len(row) for v in x)
    row += map(lambda v: v + len(row), x)
    return sum(v * (i + 1) for i, v in enumerate(row))


def in_pairs(x):
    """One iterator in several places: each takes what the others don't get."""
    notes = []

    def note(v):
        notes.append(1.0)
        return v * 2

    total = sum(a * b * len(notes) for a, b in zip(*[iter(map(note, x))] * 2, strict=False))
    one = (note(v) for v in x)
    total += sum(a * b[1] * len(notes) for a, b in zip(one, enumerate(one), strict=False))
    two = filter(lambda v: v > -9.0, x)
    return total + sum(map(lambda a, b: a - b * len(notes), two, two))


@pytest.mark.parametrize("f", [own, uneven, groups, extended, in_pairs], ids=lambda f: f.__name__)
def test_right_if_not_followed(f):
    derivative = ast_ad.value_and_grad(f, check=False)
    for x in (X, X[:3] - 1.0):
        value, gradient = derivative(x)
        np.testing.assert_allclose(value, f(x), rtol=1e-14)
        np.testing.assert_allclose(gradient, differences(f, x), rtol=1e-6, atol=1e-7)


def test_a_fold_of_nothing_has_no_value():
    def f(x):
        return functools.reduce(lambda a, v: a * v, (v for v in x if v > 100.0)) * x[0]

    with pytest.raises(TypeError, match="empty iterable with no initial value"):
        ast_ad.value_and_grad(f)(X)


def test_a_list_that_is_extended_by_what_does_not_read_it():
    def f(x):
        row = [x[0]]
        row.extend(v * v for v in x)
        row += (v * i for i, v in enumerate(row[:2]))
        row.extend(reversed(row))
        return sum(v * (i + 1) for i, v in enumerate(row))

    hold_compiled(f)
