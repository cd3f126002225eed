"""Do containers hold one object for equal to itself, as Python's do, also where it is nan or an array?"""

import math

import numpy as np
import pytest

import ast_ad


def lists(x):
    return [x, 1.0] == [x, 1.0]


def not_equal(x):
    return [x] != [x]


def in_order(x):
    return (x, 1.0) < (x, 2.0)


def dicts(x):
    y = x
    return {"a": x, "b": [y]} == {"b": [x], "a": y}


def member(x):
    return x in [1.0, x] and x not in (1.0, 2.0)


def nested(x):
    return [[x], (x,)] == [[x], (x,)]


def repeated(x):
    return [x] * 2 == [x, x]


def by_a_helper(x):
    return (given(x),) == (x,)


def given(v):
    return v


def among_values(x):
    return x in {"a": x}.values()


def of_numpys(x):
    return [np.nan] == [np.nan]


def computed(x):
    return [x * 1.0] == [x * 1.0]


def made_twice(x):
    return [float("nan")] == [float("nan")]


def read_twice(x):
    a = np.array([x, 1.0])
    return [a[0]] == [a[0]]


def an_array(x):
    a = np.array([x, 1.0])
    return [a] == [a]


PROGRAMS = (
    lists, not_equal, in_order, dicts, member, nested, repeated, by_a_helper, among_values, of_numpys,
    computed, made_twice, read_twice, an_array,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program):
    def function(x, scale):
        return 2.0 * scale if program(x) else 3.0 * scale

    derivative = ast_ad.value_and_grad(function, argnums=1, fallback="error")
    for x in (math.nan, 0.7, np.float64("nan"), 1.0):
        factor = 2.0 if program(x) else 3.0
        assert derivative(x, 1.5) == (1.5 * factor, factor)


def by_a_branch(x, s):
    t = x if s > 0 else s
    return [t] == [t], t in [t], x in (t,), [x] == [t]


def plus(x, s):
    y = +x
    return y in [x], [y] == [x]


def real_part(x, s):
    y = x.real
    return y in [x], [y] == [x]


def conjugated(x, s):
    y = x.conjugate()
    return y in [x], (y,) == (x,)


def as_a_float(x, s):
    y = float(x)
    z = x if s > 5 else y
    return y in [x], [y] == [x], z in [x], z in [y]


def larger(x, s):
    return max(x, s) in [x, s], min(s, x) in [x, s]


def last_of_a_loop(x, s):
    best = x
    for e in [x, s]:
        if not e < 3:
            best = e
    return best in [x], best in [x * 1, s], [best] == [x]


def two_equal_lists(x, s):
    first = [x * i for i in range(int(s) + 4)]
    second = [x * i for i in range(int(s) + 4)]
    return first == second, first == first, first[0] in first, first[0] in second, first < second


def read_as_lists(x, s):
    v = np.array([x, s])
    return list(v) == list(v), v.tolist() == v.tolist(), v[0] in list(v), v[0] in v


def a_constant(x, s):
    y = np.nan if s > 0 else x
    return y in [np.nan], [np.nan] == [y]


def filled(x, s):
    items = []
    for _ in range(int(s) + 4):
        items.append(x)
    return items == list(items), x in items, items.count(x) if x == x else 0


MAYBE_ONE = (
    by_a_branch, plus, real_part, conjugated, as_a_float, larger, last_of_a_loop, two_equal_lists,
    read_as_lists, a_constant, filled,
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::ast_ad.ZeroGradientWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("program", MAYBE_ONE)
def test_of_objects_that_may_be_one_only_python_knows(program, backend, monkeypatch):
    """Where they are nan, the call is traced; the trace keeps objects apart."""
    monkeypatch.setenv("AST_AD_CHECK", "0")

    def function(x, s):
        return 2.0 * s, program(x, s)

    for argnums in (1, (0, 1)):
        derivative = ast_ad.value_and_grad(function, argnums=argnums, has_aux=True, backend=backend)
        for x in (0.7, math.nan, 0.7, np.float64("nan"), np.float64(1.0)):
            for s in (1.0, -1.0):
                (value, told), _ = derivative(x, s)
                assert (value, told) == function(x, s), (x, s, derivative.mode)
