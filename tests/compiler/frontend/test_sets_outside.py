"""Are sets, ranges and slices that live outside read as what they hold at the time of the call?"""

import types

import numpy as np
import pytest

import ast_ad

X = np.array([0.5, 1.5, 2.5, 3.5])


def space():
    """What the programs read, anew for each test."""
    return types.SimpleNamespace(
        axes={"J", "C", "h"},
        fixed=frozenset({1, 2, 5}),
        numbers={8, 0, 16},
        turns=range(3, 9, 2),
        part=slice(1, 3),
        tables={"small": {1, 2}, "turns": range(2)},
    )


def has_all(s, x, k):
    return x * 2.0 if s.axes.issuperset(k) else x


def is_among(s, x, k):
    return x * 3.0 if set(k).issubset(s.axes) and not s.axes.isdisjoint(k) else x


def many(s, x, k):
    return x * len(s.axes) + x * len(s.fixed) + x * len(s.axes | set(k)) + x * len(s.fixed - {1})


def together(s, x, k):
    return x * len(s.axes.union(k, ["z"])) * len(s.axes.intersection(k)) + x * len(s.tables["small"])


def in_their_order(s, x, k):
    total = 0.0
    for n in s.numbers:
        total = 0.5 * total + n * x * x
    return total


def sums(s, x, k):
    return x * sum(s.fixed) * max(s.numbers) + x * sum(n for n in s.tables["turns"])


def known_at_run_time(s, x, k):
    return x * 2.0 if s.fixed.issuperset([int(x), 2]) else x * 3.0


def over_a_range(s, x, k):
    total = 0.0
    for i in s.turns:
        total += x**i
    return total * len(s.turns) + s.turns.start * x


def of_a_part(s, x, k):
    return np.sum(np.sin(x * X)[s.part]) * s.part.stop


def items(s, x, k):
    return x * np.sum(X[list(s.tables["turns"])]) + x * s.turns[1] + x * s.turns.index(3)


PROGRAMS = [
    has_all, is_among, many, together, in_their_order, sums, known_at_run_time, over_a_range, of_a_part,
    items,
]  # fmt: skip
CHANGES = {
    "grows": lambda s: s.axes.update("ab"),
    "other numbers": lambda s: (s.numbers.add(3), s.tables["small"].add(7)),
    "one for another": lambda s: (s.numbers.remove(8), s.numbers.add(24)),
    "rebound": lambda s: vars(s).update(
        axes={"J"}, fixed=frozenset({1, 2}), turns=range(4), part=slice(0, 4)
    ),
    "in a table": lambda s: s.tables.update(small=set(), turns=range(1, 4)),
}


@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_they_hold_is_read(program):
    s = space()

    def function(x, k):
        return program(s, x, k)

    derivative = ast_ad.value_and_grad(function, fallback="error")
    for x, k in ((0.7, "JC"), (1.2, "ab"), (5.5, "h")):
        check(derivative, function, x, k)
    for change in CHANGES.values():
        change(s)
        check(derivative, function, 0.7, "Ja")
        check(derivative, function, 1.2, "ab")


def check(derivative, function, x, k):
    value, gradient = derivative(x, k)
    assert value == function(x, k)
    assert gradient == pytest.approx((function(x + 1e-6, k) - function(x - 1e-6, k)) / 2e-6, rel=1e-6)


def test_equal_members_of_other_types_are_others():
    s = {1}

    def function(x):
        return x * sum(1.0 if type(n) is int else 2.0 for n in s)

    derivative = ast_ad.value_and_grad(function, fallback="error")
    assert derivative(3.0) == (3.0, 1.0)
    s.clear()
    s.add(1.0)
    assert derivative(3.0) == (6.0, 2.0)


def test_a_set_of_objects_is_no_constant():
    class Node:
        weight = 2.0

    nodes = {Node(), Node()}

    def function(x):
        return sum(node.weight * x for node in nodes)

    with pytest.raises(ast_ad.UnsupportedError, match="set from outside"):
        ast_ad.grad(function, fallback="error")(1.0)
    with pytest.warns(ast_ad.FallbackWarning):
        assert ast_ad.grad(function)(1.0) == 4.0


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_set_to_which_the_function_adds_is_no_constant():
    seen = {1}

    def function(x, n):
        seen.add(n)
        return x * len(seen) * (2.0 if seen.issuperset([n]) else 3.0)

    derivative = ast_ad.value_and_grad(function)
    assert derivative(1.5, 7) == (6.0, 4.0)
    assert derivative(1.5, 8) == (9.0, 6.0)
    assert seen == {1, 7, 8}


def test_methods_of_sets_that_are_written_out():
    def function(x, n):
        known = {1, 2}
        more = known.union([5, 6], {7}) - {5}
        return x * len(more) * (1.0 if known.issubset({1, 2, 3}) else 0.0) + x * len(known.union([n]))

    derivative = ast_ad.value_and_grad(function, fallback="error")
    for n in (1, 4):
        assert derivative(1.5, n) == (function(1.5, n), function(1.0, n))


def test_the_set_itself_stays_one_object():
    axes = {"a"}
    other = {"a"}

    def function(x):
        return x * len(axes) if axes is not other and axes == other else 0.0 * x

    assert ast_ad.value_and_grad(function, fallback="error")(2.0) == (2.0, 1.0)
