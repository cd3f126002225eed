"""Which random numbers does a mapped function draw: none, the same ones for all rows, or others for each?

Code that draws is never compiled, so that it is enough to look here: at the generators of NumPy, of Python
and of tensors, and at those that the function and what it calls may find: in what they are given, in what
they close over, in globals, defaults, attributes and containers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import InputValueError
from ..tracing.reach import within_reach
from ..trees import flatten

RANDOMNESS = "error", "different", "same"


def require_randomness(randomness: Any) -> None:
    """
    Raises:
        InputValueError: there is no such choice.
    """
    if randomness not in RANDOMNESS:
        raise InputValueError(
            f"randomness={randomness!r}",
            why="there is no such choice",
            fix="use 'error', 'different' or 'same'",
        )


class Draws:
    """The turns of a loop, with what ``randomness`` says of the numbers that are drawn in them."""

    def __init__(self, randomness: str, function: Any, given: Any) -> None:
        self.randomness = randomness
        self.sources = [] if randomness == "different" else list(sources(function, given))
        self.before = [state() for state, _ in self.sources]
        self.turns = 0

    def run(self, turn: Callable[[int], Any], i: int) -> Any:
        """One turn.

        Raises:
            InputValueError: it has drawn a number, and that is an error.
        """
        if self.randomness == "same" and self.turns:
            for (_, restore), state in zip(self.sources, self.before, strict=True):
                restore(state)
        found = turn(i)
        self.turns += 1
        if self.randomness == "error" and not all(
            same(state(), before) for (state, _), before in zip(self.sources, self.before, strict=True)
        ):
            raise InputValueError(
                "a random number drawn in a function that is mapped",
                why="shall it be the same one for all rows, or another one for each?",
                fix="randomness='same' or 'different', or draw before and pass the numbers",
            )
        return found


Source = tuple[Callable[[], Any], Callable[[Any], Any]]


def sources(function: Any, given: Any) -> Iterator[Source]:
    """How the state of each generator is read and written that the function may draw from."""
    from ..eager.operations.randomness import default_generator

    yield np.random.get_state, np.random.set_state
    yield random.getstate, random.setstate
    yield default_generator.get_state, default_generator.set_state
    _, tree = flatten(given)
    for value in within_reach(function, tree.statics()):
        if isinstance(value, np.random.Generator):
            yield from _of_bits(value.bit_generator)
        elif isinstance(value, np.random.BitGenerator):
            yield from _of_bits(value)
        elif isinstance(value, (np.random.RandomState, type(default_generator))):
            yield value.get_state, value.set_state
        elif isinstance(value, random.Random) and not isinstance(value, random.SystemRandom):
            yield value.getstate, value.setstate


def _of_bits(bits: Any) -> Iterator[Source]:
    yield lambda: bits.state, lambda state: setattr(bits, "state", state)


def same(one: Any, other: Any) -> bool:
    """Whether two states of a generator are equal: nested tuples, dicts and arrays."""
    if isinstance(one, dict):
        return all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return all(map(same, one, other))
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)
