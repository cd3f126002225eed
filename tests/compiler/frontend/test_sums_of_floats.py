"""Does ``sum`` of Python's floats give what Python gives? From 3.12 on it makes good for what it rounds."""

import math
import sys

import numpy as np
import pytest

import ast_ad
from ast_ad.rules import float_sums

WEIGHTS = [0.52, 0.22, -0.37, 0.16, 0.85, 1.08]


def as_since_312(values, start=0):
    """The sum of CPython 3.12, in words of Python."""
    total, lost = start, 0.0
    for x in values:
        if type(total) is not float or type(x) is not float:
            if type(total) is float and not isinstance(x, int):
                total, lost = total + lost if lost and math.isfinite(lost) else total, 0.0
            total = total + x
            continue
        after = total + x
        lost += (total - after) + x if abs(total) >= abs(x) else (x - after) + total
        total = after
    return total + lost if lost and math.isfinite(lost) else total


def display(add, x, n):
    return add([x, 0.1, 1.3 * x, 0.3, x * x])


def generated(add, x, n):
    return add(0.1 * x * i for i in range(1, 40))


def of_any_length(add, x, n):
    return add(x / i for i in range(1, n))


def cancels(add, x, n):
    return add([1e16, x, -1e16])


def two(add, x, n):
    return add([0.1, x]) * add((0.3, x * x))


def with_a_start(add, x, n):
    return add([0.1 * x, 0.2, 0.3], 0.7) + add([], x)


def with_ints(add, x, n):
    return add([0.1 * x, 1, 0.2, 7, True, 0.3, n]) + add([1, 2, n]) * x


def with_a_number_of_numpys(add, x, n):
    return add([0.1 * x, 0.2, 0.3, np.float64(0.3), 0.1, 0.7])


def zipped(add, x, n):
    return add(x * h * (x - 1.0) ** j for j, h in zip([0, 1, 2, 3, 1, 2], WEIGHTS, strict=True))


def nested(add, x, n):
    return add(add(x * 0.1 * k for k in range(7)) for _ in range(5))


def known(add, x, n):
    return x * add([0.1] * 10) + add([0.5, 0.25, 0.25]) * x


def by_branches(add, x, n):
    return add(x * t if t > 2 else 0.1 for t in range(n))


def of_an_array(add, x, n):
    return add(x * t for t in np.linspace(0.0, 1.0, 9)) + add(0.1 * np.array([x, 1.0, 0.3]))


def mapped(add, x, n):
    return add(map(math.sin, [0.1 * x, 0.2, 0.3, x, 5.0])) / add(map(lambda t: t * x, WEIGHTS))


def infinite(add, x, n):
    return add([x, 1.0, 1e308, 1e308]) + x


PROGRAMS = (
    display, generated, of_any_length, cancels, two, with_a_start, with_ints, with_a_number_of_numpys, zipped,
    nested, known, by_branches, of_an_array, mapped, infinite,
)  # fmt: skip


def points():
    yield from ((x, n) for x in (0.7, 1.3, 0.1, -2.3) for n in (4, 9))


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_this_python_does(program):
    def function(x, n):
        return program(sum, x, n)

    # Differences see nothing of a number that is added to 1e16.
    check = False if program is cancels else None
    derivative = ast_ad.value_and_grad(function, fallback="error", backend="numpy", check=check)
    for x, n in points():
        value, gradient = derivative(x, n)
        assert same(value, function(x, n))
        if program is not cancels:
            check_slope(function, x, n, gradient)


@pytest.mark.slow(one_in=5)
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_since_312(program, monkeypatch):
    monkeypatch.setattr(float_sums, "COMPENSATES", True)

    def function(x, n):
        return program(sum, x, n)

    derivative = ast_ad.value_and_grad(function, fallback="error", backend="numpy", check=False)
    for x, n in points():
        value, gradient = derivative(x, n)
        assert same(value, program(as_since_312, x, n))
        check_slope(lambda x, n: program(as_since_312, x, n), x, n, gradient)


@pytest.mark.slow(one_in=5)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("program", [p for p in PROGRAMS if p is not known])  # which is Python's own
def test_in_traces(program, monkeypatch):
    monkeypatch.setattr(float_sums, "COMPENSATES", True)

    def function(x, n):
        sys._getframe()  # which no compiler follows
        return program(sum, x, n)

    derivative = ast_ad.value_and_grad(function, check=False)
    for x, n in points():
        value, gradient = derivative(x, n)
        assert same(value, program(as_since_312, x, n))
        check_slope(lambda x, n: program(as_since_312, x, n), x, n, gradient)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_kernels_round_as_they_like(program, monkeypatch):
    monkeypatch.setattr(float_sums, "COMPENSATES", True)

    def function(x, n):
        return program(sum, x, n)

    derivative = ast_ad.value_and_grad(function, backend="numba", check=False)
    for x, n in points():
        value, gradient = derivative(x, n)
        if program is not cancels:
            assert value == pytest.approx(program(as_since_312, x, n), rel=1e-13)
        check_slope(lambda x, n: program(as_since_312, x, n), x, n, gradient)


def same(value, other):
    return value == other and type(value) is type(other)


def check_slope(function, x, n, gradient):
    if function(x, n) in (math.inf, 1.0) or abs(function(x, n)) > 1e15:
        return
    slope = (function(x + 1e-6, n) - function(x - 1e-6, n)) / 2e-6
    assert gradient == pytest.approx(slope, rel=1e-6, abs=1e-7)


@pytest.mark.slow
def test_the_adjoint_knows_nothing_of_it(monkeypatch):
    monkeypatch.setattr(float_sums, "COMPENSATES", True)

    def function(x, n):
        return sum(x / i for i in range(1, n))

    derivative = ast_ad.grad(function, check=False)
    assert type(derivative(2.0, 5)) is float
    derivative = ast_ad.vjp(function, check=False)
    value, pull = derivative(2.0, 5)
    assert value == as_since_312(2.0 / i for i in range(1, 5)) and pull(1.0)[0] == pytest.approx(25 / 12)
    assert ast_ad.jvp(lambda x: function(x, 5), (2.0,), (1.0,))[1] == pytest.approx(25 / 12)
