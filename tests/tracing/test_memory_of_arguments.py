"""Is what a traced argument says about its memory what the caller's array says?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ast_ad
from ast_ad import value_and_grad

WHOLE = np.array([[0.3, 0.7, 1.1], [0.2, 0.9, 0.4]])


def own() -> np.ndarray:
    return WHOLE.copy()


def view() -> np.ndarray:
    return WHOLE[:]


def fixed() -> np.ndarray:
    found = WHOLE.copy()
    found.flags.writeable = False
    return found


def traced(question: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], Any]:
    def f(x: np.ndarray) -> Any:
        eval("1")
        return np.sum(x) if question(x) else np.sum(x**2)

    return f


QUESTIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "owndata": lambda x: x.flags.owndata,
    "owndata of a copy": lambda x: x.copy().flags.owndata,
    "owndata of a view": lambda x: x[1:].flags.owndata,
    "owndata of a result": lambda x: (x * 2).flags.owndata,
    "writeable": lambda x: x.flags.writeable,
    "writeable, of a view": lambda x: x[1:].flags.writeable,
    "writeable, of a copy": lambda x: x.copy().flags.writeable,
    "writeable, of a number": lambda x: x[0, 0].flags.writeable,
    "base of a copy": lambda x: x.copy().base is None,
}


@pytest.mark.parametrize("make", [own, view, fixed])
@pytest.mark.parametrize("name", QUESTIONS)
def test_flags_are_those_of_the_argument(name: str, make: Callable[[], np.ndarray]) -> None:
    f = traced(QUESTIONS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        assert value_and_grad(f)(make())[0] == pytest.approx(f(make()), rel=1e-14)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("question", [lambda x: x.base is None, lambda x: x[1:].base is x])
def test_the_memory_that_an_argument_shows_is_not_shown(question: Callable[[np.ndarray], Any]) -> None:
    f = traced(question)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        for make in (own, fixed):
            assert value_and_grad(f)(make())[0] == pytest.approx(f(make()), rel=1e-14)
        with pytest.raises(ast_ad.AdError, match="memory of the caller"):
            value_and_grad(f)(view())


def test_what_is_fixed_is_not_written() -> None:
    def f(x: np.ndarray) -> Any:
        eval("1")
        x[0] = 2.0
        return np.sum(x**2)

    with warnings.catch_warnings(), pytest.raises(ValueError, match="read-only"):
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        value_and_grad(f)(fixed())


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("key", [None, "WRITEABLE"])
def test_flags_that_the_function_sets_are_those_of_its_copy(key: str | None) -> None:
    def f(x: np.ndarray) -> Any:
        if key is None:
            x.flags.writeable = False
        else:
            x.flags[key] = False
        try:
            x[0, 0] = 1.0
        except ValueError:
            return np.sum(x**2) * (2.0 if x.flags.writeable else 3.0)
        return np.sum(x)

    x = own()
    assert np.allclose(ast_ad.grad(f)(x), 6 * WHOLE)
    assert x.flags.writeable
