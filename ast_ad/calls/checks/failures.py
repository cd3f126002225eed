"""An exception in generated code: is it the user's own, or a defect of ours?

The plain function tells, run on copies of the arguments: what it raises too is the user's own. What it does
not is a defect, unless the trace of the call raises it as well: then a rule does, as for a singular matrix.
"""

from __future__ import annotations

import contextlib
import platform
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...compiler.ir.builtin import TELLING
from ...compiler.ir.ops import Op, walk
from ...errors import AdError, InternalError, UnsupportedError
from ...interrupts import let_through
from ...tracing.argument_copies import copied
from ..fitting.generator_states import States

# What a filter of warnings asks for, what the machine lacks, and what is told as it is.
TOLD = Warning, MemoryError, AdError
NUMERIC = FloatingPointError, np.linalg.LinAlgError, *TOLD  # what rules may raise where the function does not


def reason_to_trace(
    derivative: Any,
    program: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    error: Exception,
    states: States | None,
) -> Exception | None:
    """Why a call is to be traced in which a program raised an error; None: it is the user's own.

    ``states``: those of the generators before the call, where a trace begins.
    """
    left = None if states is None else states.now()
    if states is not None:
        states.put_back()
    if isinstance(error, (UnsupportedError, InternalError)):
        return error
    found = defect_in(derivative, program, args, kwargs, error)
    if states is not None and left is not None:
        (left if found is None else states).put_back()
    return found


def defect_in(
    derivative: Any, program: Any, args: Sequence[Any], kwargs: dict[str, Any], error: Exception
) -> InternalError | None:
    """The defect behind an exception that a program raised; None where it is no defect."""
    if isinstance(error, TOLD) or prints(program):
        return None
    if program.primal.own_rules and not derivative.may_trace():  # a trace would tell
        return None
    raised = raised_by(derivative.function, args, kwargs)
    if type(raised) is type(error):
        return None
    name = getattr(derivative.function, "__name__", "function")
    told = f"{type(error).__name__}: {error}"
    other = "nothing" if raised is None else f"{type(raised).__name__}: {raised}"
    return defect(
        f"the program of the gradient of `{name}` raised {told}", f"the function raises {other}", error
    )


def defect(
    construct: str, why: str, cause: BaseException | None = None, kind: type[InternalError] = InternalError
) -> InternalError:
    """An error of ours, with what a report of it needs."""
    found = kind(construct, why=why, fix=f"please report it, with the function and {versions()}")
    found.__cause__ = cause
    return found


def versions() -> str:
    """What a report of a defect has to tell."""
    from ... import __version__

    here = f"ast_ad {__version__}, NumPy {np.__version__}, Python {platform.python_version()}"
    return f"the arguments' types and shapes ({here})"


def prints(program: Any) -> bool:
    """Whether a program does something that is seen outside."""
    body = program.whole().primal.function.body
    return any(isinstance(op, Op) and op.fn in TELLING for op in walk(body))


def raised_by(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Exception | None:
    """What the plain function raises when it is run on copies of the arguments."""
    values = copied([*args, *kwargs.values()])
    named = dict(zip(kwargs, values[len(args) :], strict=True))
    try:
        with quiet():
            function(*values[: len(args)], **named)
    except Exception as error:
        let_through(error)
        return error
    return None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No warnings; what np.errstate makes an exception stays one."""
    modes = {name: "raise" if mode == "raise" else "ignore" for name, mode in np.geterr().items()}
    with warnings.catch_warnings(), np.errstate(**modes):  # type: ignore[arg-type]
        warnings.simplefilter("ignore")
        yield
