"""How is a program read? By running it on abstract values; the IR is the trace of what must happen later.

One ``Interpreter`` reads one function and everything that it calls. Static things (modules, types, keyword
options, containers) are computed on the spot; numbers and arrays become operations; branches and loops on
run-time values become regions. The parts are mixed in from one module per kind of construct.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.ops import Lit
from .array_methods import ArrayMethods
from .arrays import Arrays
from .attributes import Attributes
from .boundness import Raised
from .branches import Branches
from .builder import Builder
from .builtins import Builtins
from .call_sites import MarkedCalls
from .calls import Calls
from .container_methods import ContainerMethods
from .expressions import Expressions
from .fixpoint import Fixpoint
from .handlers import Handlers
from .holding import Holding
from .identities import Identities
from .inlining import Inlining
from .items import Items
from .iterables import Iterables
from .iteration import Iteration
from .live_lists import LiveLists
from .loops import Loops
from .merge import Merging
from .numpy_calls import NumpyCalls
from .operators import Operators
from .questions import Questions
from .stand_ins import StandIns
from .statements import Statements
from .templates import Templates
from .views import Views


class Interpreter(
    Statements,
    Handlers,
    Branches,
    Loops,
    LiveLists,
    Fixpoint,
    Templates,
    Iteration,
    Merging,
    Holding,
    Identities,
    Expressions,
    Operators,
    Calls,
    MarkedCalls,
    Inlining,
    Builtins,
    Questions,
    StandIns,
    Iterables,
    ContainerMethods,
    ArrayMethods,
    NumpyCalls,
    Attributes,
    Arrays,
    Items,
    Views,
):
    """Reads functions into ``builder``'s block. ``inputs`` supplies values from outside (None: fold them)."""


def inline(
    builder: Builder, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Read a rule (a plain function of IR arguments) into the builder's block; the result: nested Args."""
    interpreter = Interpreter(builder)
    values = [interpreter.from_arg(a) for a in args]
    keywords = {k: interpreter.from_arg(v) for k, v in kwargs.items()}
    try:
        result = interpreter.call(Lit(function), values, keywords)
    except Raised:
        raise interpreter.unsupported(
            f"`{function.__name__}`", "it raises whatever its arguments are", "check the call"
        ) from None
    return interpreter.to_args(result)
