"""Which derivative does the reverse sweep under way belong to? Functions with rules of their own ask that.

The first derivative of such a function is its rule, a further one that of the rule's code. A graph does not
tell them apart: both are sweeps over it. So a sweep says who it is made for, and a node remembers that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Asker:
    """``who``: the derivative, any object; ``linear``: whether the sweep is transposed, to give tangents."""

    who: Any
    linear: bool = False


asker: ContextVar[Asker | None] = ContextVar("asker", default=None)  # None: tensors', which have one rule
depth: ContextVar[int] = ContextVar("depth", default=0)  # functions with a rule, and rules, that are run


@contextmanager
def asked_by(who: Any, linear: bool = False) -> Iterator[None]:
    """The sweeps in the block are made for this derivative."""
    token = asker.set(Asker(who, linear))
    try:
        yield
    finally:
        asker.reset(token)


@contextmanager
def within() -> Iterator[None]:
    """A function with a rule of its own runs, or its rule: what these call is not what is differentiated."""
    token = depth.set(depth.get() + 1)
    try:
        yield
    finally:
        depth.reset(token)
