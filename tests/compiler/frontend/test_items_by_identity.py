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
