"""How is a program read? By running it on abstract values; the IR is the trace of what must happen later.

One ``Context`` goes along with the reading of a function and of everything that it calls. Static things
(modules, types, keyword options, containers) are computed on the spot; numbers and arrays become operations;
branches and loops on run-time values become regions. Each kind of construct has a module of plain functions
of the context. What reads a kind of statement, expression, callable or method stands in ``tables``, where its
module enters it; what a lower module asks of a higher one stands in ``doors``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import AdError
from ..ir.ops import Lit
from .builder import Builder
from .callables import (
    array_methods,
    bound_arguments,
    class_checks,
    clocks,
    container_methods,
    copies,
    dict_methods,
    error_states,
    log_records,
    namespaces,
    numpy_calls,
    ordering,
    random_draws,
    set_methods,
    splits,
    strided_views,
    sums,
    text_searches,
    ufunc_methods,
)
from .callables.call_sites import CallSites
from .callables.calls import call
from .constructs import (
    augmented,
    class_statements,
    comparisons,
    context_managers as contexts,
    expressions,
    generators,
    handlers,
    match_statements,
    separate_paths as apart,
    statements,
    testable_exceptions as testable,
)
from .constructs.boundness import Raised, certain_exception
from .context import Context
from .conversion import from_arg, to_args
from .inputs import Inputs
from .loops import iteration, loops
from .values import Callee, Value

READERS = (
    apart,
    array_methods,
    augmented,
    bound_arguments,
    class_checks,
    class_statements,
    clocks,
    comparisons,
    container_methods,
    copies,
    contexts,
    dict_methods,
    expressions,
    generators,
    handlers,
    iteration,
    error_states,
    log_records,
    loops,
    match_statements,
    namespaces,
    numpy_calls,
    ufunc_methods,
    ordering,
    random_draws,
    set_methods,
    splits,
    statements,
    strided_views,
    sums,
    testable,
    text_searches,
)  # the others are what these stand on


def new_context(builder: Builder, inputs: Inputs | None = None, sites: CallSites | None = None) -> Context:
    """For reading into ``builder``'s block; ``inputs`` supplies values from outside (None: fold them)."""
    return Context(builder, inputs, sites)


def inline(builder: Builder, function: Callee, args: tuple[Any, ...], kwargs: Mapping[str, Value]) -> Any:
    """Read a rule (a plain function of IR arguments) into the builder's block; the result: nested Args."""
    cx = new_context(builder)
    values = [from_arg(cx, a) for a in args]
    keywords = {k: from_arg(cx, v) for k, v in kwargs.items()}
    try:
        result = call(cx, Lit(function), values, keywords)
    except Raised:
        raise refusal(builder) or cx.unsupported(
            f"`{function.__name__}`", "it raises whatever its arguments are", "check the call"
        ) from None
    return to_args(cx, result)


def refusal(builder: Builder) -> AdError | None:
    """What a rule has raised for certain, if it is an error of ours: it tells what there is no rule for."""
    found = certain_exception(builder.block)
    return found.at(builder.span) if isinstance(found, AdError) else None
