"""When is a program checked, and how is a call answered by which a defect was found?"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import InternalError, WrongProgramError
from .check import FirstCall, is_inside, why_not


def first_call(program: Any, args: Sequence[Any], kwargs: dict[str, Any], inputs: list[Any]) -> Any:
    """The results of a program that has not been checked yet."""
    from ...tracing import is_tracing

    if is_inside() or is_tracing():  # a part of what is being checked, or run on other arrays
        return program(inputs)
    program.checked = why_not(program, args, kwargs) or None
    if program.checked is not None:
        return program(inputs)
    results = FirstCall(program, args, kwargs, inputs).run()
    if program.keep is not None:
        program.keep()
    return results


def told_of(program: Any) -> str:
    """What ``explain()`` says of the check of a program."""
    found = getattr(program, "checked", None)
    if isinstance(found, str):
        return f"Not checked against the function: {found}"
    if not found and program.mode == "fallback" and program.owner.options.check is not True:
        return "Not checked against the function: a trace is a run of it (check=True compares its derivative)"
    if not found:
        return "Not checked against the function: it has not been called on its own"
    return f"Checked against the function in its first call: {'; '.join(found)}"


def answered(problem: InternalError, traced: Any, inputs: Sequence[Any], retire: Callable[[], None]) -> Any:
    """The results of the trace of a call in which a program was found to be defective.

    Where the function has run already, it has the last word, and what it does outside is not done again.
    """
    from ..reasons import warn

    if not isinstance(problem, WrongProgramError):
        results = traced(inputs)  # raises what the program did, where there is no defect
        retire()
        return results
    retire()
    ran = problem.ran
    if ran is None:
        return traced(inputs)
    if ran.error is not None:
        warn(traced.owner.function, problem)
        raise ran.error
    with contextlib.redirect_stdout(io.StringIO()):
        return traced(inputs)
