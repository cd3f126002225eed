"""Texts that are searched while a program is compiled, and classes of named tuples that functions make."""

import collections
import re

import numpy as np
import pytest

import ast_ad

PAIRS = re.compile(r"(\w+)=(\d+)")
MASSES = {"Mg": 24.3, "Si": 28.1, "O": 16.0}
FORMULA = "Mg2SiO4"


def formula(x):
    parts = re.findall("([A-Z][a-z]?)([0-9]*)", FORMULA)
    return sum(MASSES[name] * float(count or 1) for name, count in parts) * x


def pattern_from_outside(x):
    found = PAIRS.match("k=3")
    return x ** int(found.group(2)) + len(found.groups()) * x


def splitted(x, names="a,b;c"):
    return x * len(re.split("[,;]", names))


def substituted(x):
    return x * float(re.sub("[a-z]", "", "1a2b.5"))


def one_after_another(x):
    total = 0.0
    for found in re.finditer(r"(\d)", "1 b 2"):
        total = total + x ** int(found[1])
    return total


def chosen(x):
    return np.cos(x) if re.search("cos", "acosb") else x


def named_groups(x):
    found = re.fullmatch("a(?P<n>[0-9]+)", "a12")
    return x * int(found["n"]) if found else x


def missed(x):
    found = re.match("b", "a12")
    return x if found is None else x * x


def compiled_within(x):
    return x * sum(int(n) for n in re.compile("[0-9]").findall("1a2"))


def made_class(x):
    point = collections.namedtuple("point", ["a", "b"], defaults=[2.0])
    p = point(x)
    return p.a * p.b + sum(p._replace(a=x * x))


def made_in_a_loop(x):
    state = collections.namedtuple("state", "position speed")
    s = state(x, 1.0)
    for _ in range(3):
        s = state(s.position + 0.1 * s.speed, s.speed - 0.1 * s.position)
    return s.position * s.speed


PROGRAMS = [
    formula,
    pattern_from_outside,
    splitted,
    substituted,
    one_after_another,
    chosen,
    named_groups,
    missed,
    compiled_within,
    made_class,
    made_in_a_loop,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.slow(beyond=6))])
def test_compiled(f, backend):
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(0.7)
    assert value == pytest.approx(f(0.7), rel=1e-12)
    assert gradient == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-6)


def test_what_is_read_from_outside_is_read_again(monkeypatch):
    gradient = ast_ad.grad(formula, fallback="error")
    assert gradient(0.7) == pytest.approx(2 * 24.3 + 28.1 + 4 * 16.0)
    monkeypatch.setitem(globals(), "FORMULA", "MgO")
    assert gradient(0.7) == pytest.approx(24.3 + 16.0)
    other = ast_ad.grad(pattern_from_outside, fallback="error")
    assert other(0.7) == pytest.approx(3 * 0.49 + 2)
    monkeypatch.setitem(globals(), "PAIRS", re.compile("(k)(=)(3)"))
    with pytest.raises(ValueError, match="invalid literal"):
        pattern_from_outside(0.7)
    with pytest.raises(ast_ad.UnsupportedError):
        other(0.7)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_an_iterator_is_asked_when_the_program_runs():
    def f(x):
        found = PAIRS.finditer("a=1 b=2")
        return x ** int(next(found)[2]) + x ** int(next(found)[2])

    gradient = ast_ad.grad(f)
    assert gradient(0.7) == gradient(0.7) == pytest.approx(1 + 1.4)
