"""What is any program as two functions, a forward and a backward one? So that one can read what is saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..compiler.adjoint.own_rules import without_rules
from .code import Code
from .pipeline import code, halved
from .questions import Pullback


def halves(program: Any) -> Sequence[Code]:
    """The forward and the backward half; those of a program that runs in two are what runs."""
    if program.question.later:
        return program.codes  # type: ignore[no-any-return]
    if program.halves is None:
        primal = program.primal
        joint = without_rules(Pullback().program(primal.function, program.wrt, program.of))
        program.halves = [code(half) for half in halved(joint, primal.function, primal.written)]
    return program.halves  # type: ignore[no-any-return]
