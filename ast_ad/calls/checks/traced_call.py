"""Is the derivative of a trace that of the function? Asked with ``check=True``, in its first call.

The value of a trace and its derivative are compared with runs of the function on copies of the arguments.
There is nothing that could answer in the place of a wrong trace: it is an error. A function of which somebody
could tell how often it ran is not run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import WrongProgramError
from ...tracing.argument_copies import copied, uncopied
from ...trees import flatten
from .check import Outcome, inside, is_inside, without_numeric_warnings
from .comparison import difference
from .differences import along_a_direction
from .failures import defect, quiet
from .undefined import UNDEFINED, is_undefined

SHARED = "not a derivative, for two arguments share memory"


def check_trace(program: Any, inputs: Sequence[Any], value: Any, bars: Sequence[Any]) -> None:
    """Compare what a trace gave with the function, once for each kind of arguments.

    Args:
        program: the traced function; what was compared, or why nothing was, is noted in its ``checked``.
        inputs: the arguments, by position and then by keyword.
        value: the function's, as the trace has it.
        bars: the cotangents of the differentiated leaves, for ones.

    Raises:
        WrongProgramError: the trace is not the function, or its derivative not the function's.
        Exception: the function's own, which the trace has not raised.
    """
    if program.owner.options.check is not True or is_inside() or program.checked is not None:
        return
    program.checked = uncopied(inputs) or "its function may have effects that outlive a call"
    outside = _surroundings(program.owner.function, inputs)
    if outside is None or uncopied(inputs):
        return
    before = [(array, array.copy()) for array in outside]
    try:
        notes = _compared(program, inputs, value, bars)
    finally:
        changed = [(array, kept) for array, kept in before if array.tobytes() != kept.tobytes()]
        for array, kept in changed:
            array[...] = kept
    if not changed:
        program.checked = notes


def _surroundings(function: Any, inputs: Sequence[Any]) -> list[np.ndarray] | None:
    """The arrays from outside that a function may write to; None where it may have other effects."""
    from ...tracing.purity import Search

    _, tree = flatten(list(inputs))
    search = Search()
    return search.arrays if search.pure(function, list(tree.statics())) else None


def _compared(program: Any, inputs: Sequence[Any], value: Any, bars: Sequence[Any]) -> list[str]:
    """What agrees."""
    split = len(inputs) - len(program.keywords)

    def call(values: Sequence[Any]) -> Any:
        named = dict(zip(program.keywords, values[split:], strict=True))
        return program.owner.function(*values[:split], **named)

    def plain() -> Outcome:
        with inside(), quiet(), without_numeric_warnings():
            return Outcome.of(lambda: call(copied(inputs)))

    found = plain()
    why = _different(found, Outcome(value))
    if why is not None:
        if _different(found, plain()) is not None:
            return ["not the value, for the function does not repeat it"]
        raise found.error or _wrong(program, why)
    if program.own_rules:
        return ["value", "not a derivative, for it is that of a rule of the user's (see check_grads)"]
    if _share(inputs, program.wrt):
        return ["value", SHARED]
    with inside(), quiet():
        named = dict(zip(program.keywords, inputs[split:], strict=True))
        if is_undefined(program, inputs[:split], named, bars):
            return ["value", UNDEFINED]
        told = along_a_direction(call, list(inputs), program, found.value, bars, program.rounded)
    if told:
        raise _wrong(program, told)
    unsure = "not a derivative, for differences don't agree with each other"
    return ["value", "a derivative along a direction" if told is None else unsure]


def _different(plain: Outcome, other: Outcome) -> str | None:
    """What is different about two runs."""
    if type(plain.error) is not type(other.error):
        return f"the function raises {plain}, and its trace {other}"
    return difference(plain.value, other.value, exact=False)


def _share(inputs: Sequence[Any], wrt: Sequence[int]) -> bool:
    """Whether what is differentiated shares memory with another argument: a write would show in both."""
    leaves, _ = flatten(list(inputs))
    arrays = [(i, leaf) for i, leaf in enumerate(leaves) if isinstance(leaf, np.ndarray)]
    return any(i in wrt and i != j and np.may_share_memory(a, b) for i, a in arrays for j, b in arrays)


def _wrong(program: Any, why: str) -> WrongProgramError:
    name = getattr(program.owner.function, "__name__", "function")
    error = defect(f"the trace of `{name}` is wrong", why, kind=WrongProgramError)
    assert isinstance(error, WrongProgramError)
    return error
