"""A call draws its random numbers once, though it may be run again: as a trace, in its check.

Before anything runs anew, the generators from which the program draws are where the call found them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ...compiler.ir.ops import Lit, Op, walk
from ...rules.random_draws import DRAWING, GENERATORS, get_state, set_state


def draws(function: Any) -> tuple[bool, bool]:
    """Whether a program draws random numbers, and whether it does from NumPy's global generator."""
    found = [op for op in walk(function.body) if isinstance(op, Op) and op.fn in DRAWING]
    return bool(found), any(isinstance(op.args[0], Lit) for op in found)


class States:
    """The states of the generators among the inputs, and of the global one if it is asked for."""

    def __init__(self, inputs: Sequence[Any], globally: bool) -> None:
        generators = {id(v): v for v in inputs if isinstance(v, GENERATORS)}
        self.generators = [*generators.values(), *([None] if globally else [])]
        self.states = [get_state(g) for g in self.generators]

    def put_back(self) -> None:
        for generator, state in zip(self.generators, self.states, strict=True):
            set_state(generator, state)

    def now(self) -> States:
        """The states that the same generators have now."""
        found = object.__new__(States)
        found.generators, found.states = self.generators, [get_state(g) for g in self.generators]
        return found

    @contextlib.contextmanager
    def again(self) -> Iterator[None]:
        """In the block what was drawn from here on is drawn once more; behind it the generators go on."""
        now = self.now()
        self.put_back()
        try:
            yield
        finally:
            now.put_back()

    def same(self, other: States) -> bool:
        """Whether the generators go on with the same numbers."""
        return _equal(self.states, other.states)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return all(map(_equal, one, other))
    return bool((one == other).all()) if hasattr(one, "all") else bool(one == other)
