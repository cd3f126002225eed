"""Are dicts compared by what they hold?"""

import numpy as np
import pytest

import ast_ad

DEFAULTS = {"name": "a", "scale": 2.0, "parts": {"deep": [1, 2]}}


class Space:
    """An object that is equal to itself only."""


SPACE = Space()


def by_text(x, k):
    return x * 2.0 if {"name": k} == {"name": "a"} else x


def other_keys(x, k):
    return x * 2.0 if {"name": k} != {"name": "a", "b": 1} else x


def other_order(x, k):
    return x * 2.0 if {"a": 1, "b": k} == {"b": k, "a": 1} else x


def with_objects(x, k):
    one, two = {"space": SPACE, "k": k}, {"space": SPACE, "k": "a"}
    return x * 2.0 if one == two and one != {"space": Space(), "k": "a"} else x


def by_numbers(x, k):
    return x * 2.0 if {"x": x, "y": 1.0} == {"x": 0.7, "y": 1} else x * 3.0


def deep(x, k):
    return x * 2.0 if {"name": k, "scale": 2, "parts": {"deep": [1, 2]}} == DEFAULTS else x


def filled(x, k):
    one = {"a": 1}
    one["b"] = k
    two = dict(one)
    two["c"] = 2
    del two["c"]
    return x * 2.0 if one == two else x


def empty(x, k):
    return x * 2.0 if {} == dict() and not {} == {"a": k} else x


def negated(x, k):
    return x * 2.0 if not ({"x": x} != {"x": 0.7}) else x


def searched(x, k):
    return x * 2.0 if {"name": k} in [{"name": "b"}, {"name": "a"}] else x


PROGRAMS = by_text, other_keys, other_order, with_objects, by_numbers, deep, filled, empty, negated, searched


@pytest.mark.slow(beyond=4)
@pytest.mark.parametrize("program", PROGRAMS)
def test_equal_dicts(program):
    derivative = ast_ad.value_and_grad(program, fallback="error")
    for x in (0.7, 1.2):
        for k in ("a", "b"):
            value, gradient = derivative(x, k)
            assert value == program(x, k)
            assert gradient == pytest.approx(program(x, k) / x)


def test_what_is_outside_is_read_anew():
    derivative = ast_ad.value_and_grad(deep, fallback="error")
    assert derivative(1.0, "a") == (2.0, 2.0)
    DEFAULTS["scale"] = 3.0
    try:
        assert derivative(1.0, "a") == (1.0, 1.0)
    finally:
        DEFAULTS["scale"] = 2.0
    assert derivative(1.0, "a") == (2.0, 2.0)


def test_arrays_have_no_one_answer():
    def function(x):
        return np.sum(x) if {"x": x} == {"x": x + 1.0} else np.sum(x * x)

    with pytest.raises(ValueError, match="truth value"):
        function(np.ones(3))
    with pytest.raises((ValueError, ast_ad.UnsupportedError)):
        ast_ad.grad(function)(np.ones(3))
