"""Does a function that stores outside, and prints, warns or logs, tell each thing once, in its place?"""

from __future__ import annotations

import contextlib
import io
import logging
import types
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import ast_ad
from ast_ad.calls.fitting import effects

logger = logging.getLogger("told_and_stored")
warned = False
count = 0


class Model:
    def __init__(self) -> None:
        self.calls = 0
        self.last = 0.0

    def prints(self, x: float) -> float:
        self.calls += 1
        print("call", self.calls)
        self.last = x * x
        if x < 0:
            raise ValueError("negative")
        return self.last * x


def warns_once(x: float) -> float:
    global warned
    if x > 1 and not warned:
        warnings.warn("x is large", stacklevel=2)
        warned = True
    return x * x * (2.0 if warned else 1.0)


def logs(x: float) -> float:
    global count
    for _ in range(3):
        count += 1
        logger.info("turn %d", count)
        if count > 7:
            raise ValueError("enough")
    return x**2 * count


def asks_for_a_global(x: float) -> float:
    global told_once
    for _ in range(2):
        if "told_once" not in globals():
            print("once")
            told_once = 2 * x
    return x * told_once


def stored_perhaps(x: float) -> float:
    global told_once
    if x > 1:
        told_once = x * x
        print("stored")
    y = 3 * x
    if "told_once" in globals():
        y = y + told_once
    return y * globals().get("told_once", 2 * x)


def fresh(model: Model) -> None:
    space = globals()
    space.update(warned=False, count=0)
    space.pop("told_once", None)
    model.__init__()  # type: ignore[misc]


def story(function: Callable[[float], Any], xs: tuple[float, ...], model: Model) -> str:
    """What calls return, raise and tell, in order."""
    fresh(model)
    told = io.StringIO()
    handler = logging.StreamHandler(told)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with contextlib.redirect_stdout(told), warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            for x in xs:
                try:
                    value = function(x)
                    print("returns", value[0] if isinstance(value, tuple) else value)
                except ValueError as error:
                    print("raises", error)
                print(warned, count, globals().get("told_once"), vars(model))
    finally:
        logger.removeHandler(handler)
    own = [str(w.message) for w in given if not issubclass(w.category, ast_ad.FallbackWarning)]
    return told.getvalue() + str(own)


MODEL = Model()
CASES: dict[str, tuple[Callable[[float], float], tuple[float, ...], bool]] = {
    "prints": (MODEL.prints, (0.5, 0.7, 0.8, -1.0, 0.5), False),
    "warns once": (warns_once, (0.5, 0.6, 2.0, 0.5, 3.0), True),
    "logs": (logs, (0.5, 0.6, 0.7, 0.8), False),
    "asks for a global": (asks_for_a_global, (0.5, 0.6, 0.7), True),
    "stores one perhaps": (stored_perhaps, (0.5, 0.6, 2.0, 0.7), True),
}


@pytest.mark.parametrize("function, xs, compiled", CASES.values(), ids=CASES)
def test_story(function: Callable[[float], float], xs: tuple[float, ...], compiled: bool) -> None:
    expected = story(function, xs, MODEL)
    derivative = ast_ad.value_and_grad(function, fallback="error" if compiled else "trace")
    assert story(derivative, xs, MODEL) == expected


@pytest.mark.parametrize("function, x, slope", [(asks_for_a_global, 0.5, 2.0), (stored_perhaps, 2.0, 68.0)])
def test_gradient(function: Callable[[float], float], x: float, slope: float) -> None:
    fresh(MODEL)
    assert ast_ad.grad(function, fallback="error")(x) == pytest.approx(slope)


def test_tells_what_was_left_to_tell() -> None:
    told: list[str] = []
    tell = effects._once(told.append, "print")
    program = types.SimpleNamespace(loud=True)
    effects.begin(program)
    tell("first")
    for last in ("second", "third"):  # each run gets one step further
        with effects.again():
            for text in ("first", "second", "third"):
                tell(text)
                if text == last:
                    break
    assert told == ["first", "second", "third"]


def test_what_raises_has_told_nothing() -> None:
    def refuse(text: str) -> None:
        raise RuntimeWarning(text)

    tell = effects._once(refuse, "warn")
    effects.begin(types.SimpleNamespace(loud=True))
    with pytest.raises(RuntimeWarning):
        tell("first")
    with effects.again(), pytest.raises(RuntimeWarning):
        tell("first")
