"""Which functions make structured arrays, and what stands for these while a function is read or traced?

``programs.records`` tells it; the compiler and traces ask here.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

makers: dict[Any, Callable[..., Any]] = {}
"""Functions of NumPy's, and the programs that stand for them: of a shape or of rows, and of a dtype."""
makers_alike: dict[Any, Callable[..., Any]] = {}
"""The same of those that make another one of a structured array."""
classes: list[type] = []
"""The class that stands for structured arrays."""


PLAYS = "__ast_ad_plays__"
"""The attribute of a class of ours that tells of what its objects are instances to the program."""


class Noted(threading.local):
    """The structured arrays, and items of them, that a trace has made as long as it runs."""

    made: list[weakref.ref[Any]] | None = None


noted = Noted()


def is_structured(cls: type | None) -> bool:
    """Whether a class stands for structured arrays."""
    return cls in classes
