"""How many numbers will the value of a call have? It is asked before anything is compiled.

``how_many(derivative, args, kwargs) -> int | None``. The front end reads the function and tells the lengths
of what it returns; that takes a small part of what compiling takes, and nothing of the user's runs.
"""

from __future__ import annotations

from typing import Any

from ..compiler.analysis.work import numbers_in
from ..compiler.budget import counted
from ..compiler.emit.load import build_lock
from ..compiler.garbage import collector_paused
from ..interrupts import let_through
from .pipeline import read

UNKNOWN = 16  # numbers that a value is supposed to have


def how_many(derivative: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
    """The number of floats that a function gives for these arguments; None where it can't be read.

    Where only a run of the function tells, it is ``UNKNOWN``.

    Args:
        derivative: one of the function's, with an answer for later.
    """
    try:
        described = derivative._described(args, kwargs)
        with build_lock, collector_paused(), counted():
            primal = read(derivative, described)
            floats = derivative.question.results(primal.result, primal.function)
    except Exception as error:  # whoever needs the program will say what is wrong
        let_through(error)
        return None
    found = numbers_in(primal.function, described[2], floats)
    return UNKNOWN if found is None else found
