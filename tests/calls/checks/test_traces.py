"""Does ``check=True`` find that a trace or the rules that it uses are wrong, and nothing else?"""

import io
import random
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import DefectWarning, FallbackWarning, WrongProgramError

from .rules import install_rule

X = np.array([0.5, 1.5, 2.5])
pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


@pytest.fixture
def with_rule(monkeypatch):
    """``with_rule(rule)``: sine has another rule."""

    return lambda rule: install_rule(monkeypatch, rule)


def rule_off(ans, x):
    return 1.1 * np.cos(x)


def rule_of_nan(ans, x):
    return np.nan * np.cos(x)


# ----- programs that are traced
def by_generator(x):
    return sum(np.sum(np.sin(v) * v) for v in (row for row in generated(x)))


def by_cancelling(x):
    return sum(np.sum(np.sqrt(v - v)) for v in (row for row in generated(x)))


def generated(x):
    turns = (i for i in range(3))
    yield x * next(turns)
    for i in turns:  # an iterator that is asked in two places: not followed
        yield x * i


def by_rows(x):
    rows = list(generated(x))
    rows[0], rows[2] = rows[2], rows[0]
    for row in rows:
        row += x
    return np.sum(np.sin(rows[0]) * rows[1])


class Model:
    def __init__(self, rate):
        self.rate = rate

    def steps(self, x):
        turns = (k for k in range(4))
        yield np.sin(x * self.rate * next(turns))
        for k in turns:  # an iterator that is asked in two places: not followed
            yield np.sin(x * self.rate * k)

    def loss(self, x):
        return sum(np.mean(step**2) for step in self.steps(x))


def nested(x):
    def inner(v):
        yield from generated(np.sin(v))

    return np.sum([np.sum(part) for part in inner(x)][1] * x)


def of_a_dict(x):
    parts = dict(zip("abc", generated(x)))
    return np.sum(np.sin(parts["b"]) + parts.pop("c"))


TRACED = [by_generator, by_rows, Model(0.5).loss, nested, of_a_dict]
named = pytest.mark.parametrize("function", TRACED, ids=lambda f: f.__name__)


@named
@pytest.mark.parametrize("ask", [ast_ad.value_and_grad, ast_ad.vjp])
def test_a_right_trace_passes(function, ask):
    gradient = ask(function, check=True)
    value = gradient(X)[0]
    assert gradient.mode == "fallback"
    np.testing.assert_allclose(value, function(X))
    assert "in its first call: value; a derivative along a direction" in gradient.explain()


@named
@pytest.mark.parametrize("rule", [rule_off, rule_of_nan])
@pytest.mark.parametrize("ask", [ast_ad.grad, ast_ad.vjp])
def test_a_wrong_rule_is_an_error(function, rule, ask, with_rule):
    with_rule(rule)
    with pytest.raises(WrongProgramError, match="(?s)the trace of .*derivative along a direction"):
        ask(function, check=True)(X)
    ask(function)(X)  # which nobody asked to check


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("ask", [ast_ad.grad, ast_ad.vjp])
def test_infinite_factors_that_cancel_give_no_verdict(ask):
    derivative = ask(by_cancelling, check=True)
    found = derivative(X)
    bar = found[1](1.0)[0] if ask is ast_ad.vjp else found
    assert np.isnan(bar).all() and derivative.mode == "fallback"
    assert "it is nan: an infinite factor" in derivative.explain()


@named
@pytest.mark.parametrize("factor", [0.9, 0.0])
def test_a_trace_that_loses_a_part_of_the_derivative(function, factor, monkeypatch):
    from ast_ad.tracing.recorder import TracedPullback

    right = TracedPullback.__call__
    monkeypatch.setattr(TracedPullback, "__call__", lambda *args: tuple(factor * bar for bar in right(*args)))
    with pytest.raises(WrongProgramError):
        ast_ad.grad(function, check=True)(X)


def test_a_trace_of_another_value(monkeypatch):
    from ast_ad.tracing import history

    right = history.trace_alone

    def other(*args):
        value, pullback = right(*args)
        return value * 1.001, pullback

    monkeypatch.setattr(history, "trace_alone", other)
    with pytest.raises(WrongProgramError, match="the value is"):
        ast_ad.grad(by_generator, check=True)(X)


def test_keywords_containers_and_numbers(with_rule):
    def made():
        def function(params, x, power=2, *, rate):
            return sum(np.sum(np.sin(v * params["w"]) ** power) for v in generated(x)) * rate * params["s"]

        return function

    params = {"w": X.copy(), "s": 0.5, "n": 3}
    gradient = ast_ad.grad(made(), wrt=("params", "rate"), check=True)
    gradient(params, X, rate=0.1)
    assert "a derivative along a direction" in gradient.explain()
    with_rule(rule_off)
    with pytest.raises(WrongProgramError):
        ast_ad.grad(made(), wrt=("params", "rate"), check=True)(params, X, rate=0.1)


def test_auxiliary_results():
    def function(x):
        return by_generator(x), {"rows": list(generated(x)), "name": "rows"}

    gradient = ast_ad.grad(function, has_aux=True, check=True)
    gradient(X)
    assert "a derivative along a direction" in gradient.explain()


def test_each_kind_of_arguments_is_checked_once():
    runs = []

    class Counted(np.ndarray):
        pass

    def function(x):
        return by_generator(x)

    gradient = ast_ad.grad(function, check=True)
    from ast_ad.calls.checks import traced_call as traced

    compared = traced._compared
    traced._compared = lambda *args: runs.append(1) or compared(*args)
    try:
        for _ in range(3):
            gradient(X)
        assert len(runs) == 1
        gradient(X.astype(np.float32))
        assert len(runs) == 2
    finally:
        traced._compared = compared


# ----- what is not checked, and says so
TABLE = np.zeros(3)
SEEN = []


def prints(x):
    print(float(x[0]))
    return sum(np.sum(v) for v in generated(x))


def counts(x):
    SEEN.append(1)
    return sum(np.sum(v) for v in generated(x))


def draws(x):
    return sum(np.sum(v) for v in generated(x)) * np.random.random()


def draws_from_pythons(x):
    return sum(np.sum(v) for v in generated(x)) * random.random()


@pytest.mark.parametrize("function", [prints, counts, draws, draws_from_pythons], ids=lambda f: f.__name__)
def test_effects_happen_once(function, capsys):
    SEEN.clear()
    np.random.seed(1)
    random.seed(1)
    gradient = ast_ad.grad(function, check=True)
    gradient(X)
    after = np.random.random(), random.random(), len(SEEN), capsys.readouterr().out
    SEEN.clear()
    np.random.seed(1)
    random.seed(1)
    function(X)
    assert after == (np.random.random(), random.random(), len(SEEN), capsys.readouterr().out)
    assert "Not checked against the function: its function may have effects" in gradient.explain()


def test_a_write_to_an_array_from_outside_is_made_once():
    def function(x):
        TABLE[:] += 1.0
        return by_generator(x) * eval("1.0")

    TABLE[:] = 0.0
    gradient = ast_ad.grad(function, check=True)
    gradient(X)
    np.testing.assert_array_equal(TABLE, np.ones(3))
    assert gradient.mode == "fallback" and "Not checked against the function" in gradient.explain()


def test_what_cannot_be_copied():
    gradient = ast_ad.grad(lambda x, source: by_generator(x) * next(source), check=True)
    source = iter([2.0, 3.0])
    gradient(X, source)
    assert next(source) == 3.0
    assert "Not checked against the function: an argument can't be copied" in gradient.explain()
    assert io.IOBase  # files are no iterators on every version


def test_arguments_that_share_memory():
    def function(x, y):
        return sum(np.sum(part * y) for part in generated(x))

    x = X.copy()
    gradient = ast_ad.grad(function, check=True)
    gradient(x, x)
    assert "not a derivative, for two arguments share memory" in gradient.explain()


def test_a_kink_gives_no_verdict():
    gradient = ast_ad.grad(lambda x: sum(np.sum(np.abs(v)) for v in generated(x)), check=True)
    gradient(np.zeros(3))
    assert "differences don't agree" in gradient.explain()


def test_it_is_only_done_where_it_is_asked_for():
    for choice in ({}, {"check": False}):
        gradient = ast_ad.grad(by_generator, **choice)
        gradient(X)
        assert "Not checked against the function: a trace is a run of it" in gradient.explain()


def test_a_derivative_within_a_traced_one_is_not_checked_again(monkeypatch):
    from ast_ad.calls.checks import traced_call as traced

    ran = []
    compared = traced._compared
    monkeypatch.setattr(
        traced, "_compared", lambda v, *rest: ran.append(v.owner.function) or compared(v, *rest)
    )
    inner = ast_ad.grad(by_generator, check=True)

    def outer(x):
        return sum(np.sum(v) for v in generated(inner(x)))

    gradient = ast_ad.grad(outer, check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        gradient(X)
    assert ran == [outer]
    assert "a derivative along a direction" in gradient.explain()


# ----- steps that are smaller than those of the differences
@pytest.mark.parametrize(
    "rounded",
    [
        lambda x: np.round(x, 12),
        lambda x: x.round(9),
        lambda x: np.around(x, decimals=7),
        lambda x: np.floor(x * 1e9 + 0.4) / 1e9,
        lambda x: x[0] * np.ones(3) * round(float(x[1]), 11),
    ],
)
@pytest.mark.parametrize("traced", [False, True])
def test_rounding_is_flat(rounded, traced):
    def function(x):
        rows = list(generated(x)) if traced else [x, x, x]
        return np.sum(rounded(rows[1]) * x) + np.sum(np.sin(rows[2]))

    gradient = ast_ad.grad(function, check=True, backend="numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        warnings.simplefilter("error", DefectWarning)
        gradient(X)


def test_the_functions_own_exception():
    def function(x):
        rows = list(generated(x))
        return np.sum(rows[x[0] > 100.0] * x)  # which is no index of a list

    with pytest.raises(TypeError, match="indices must be integers"):
        ast_ad.grad(function, check=True)(X)
