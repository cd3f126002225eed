"""Which warnings does ``with warnings.catch_warnings()`` hide? Those that its filters certainly ignore.

A program tells its warnings as it runs, and NumPy those of floating point errors. Where a filter of the block
ignores a category for certain, ``warnings.warn`` of it is left out, and NumPy ignores the errors as under
``np.errstate``. Filters that only some paths set change nothing: then warnings are told.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir.ops import Block, Lit, Var
from ..constructs.expressions import runtime_object
from ..constructs.handlers import effect
from ..context import Context
from ..store.keys import STRING
from ..tables import handles
from ..values import Value
from .error_states import errors_are, errors_as_before

SHOWING = "ignore", "default", "always", "all", "module", "once"  # all actions of a filter but "error"
FLOATING = "divide", "over", "under", "invalid"


@dataclass
class Filters:
    """What is set in the block of one ``catch_warnings``, the latest first; a category of None: in part.

    ``errors``: how floating point errors were handled before they were ignored.
    """

    block: Block
    told: list[tuple[str, Any]] = field(default_factory=list)
    errors: Var | None = None


@contextlib.contextmanager
def filters_within(cx: Context) -> Iterator[None]:
    """The filters that are set in the block end with it."""
    filters = Filters(cx.builder.block)
    cx.filters.append(filters)
    try:
        yield
    finally:
        cx.filters.pop()
    if filters.errors is not None and not cx.state.dead:
        errors_as_before(cx, filters.errors)


@handles(warnings.simplefilter)
def b_simplefilter(cx: Context, action: Value, category: Value = Lit(Warning), **rest: Value) -> Any:
    return filtered(cx, action, category, *rest.values())


@handles(warnings.filterwarnings)
def b_filterwarnings(
    cx: Context,
    action: Value,
    message: Value = Lit(""),
    category: Value = Lit(Warning),
    *args: Value,
    **rest: Value,
) -> Any:
    return filtered(cx, action, category, message, *args, *rest.values())


def filtered(cx: Context, action: Value, category: Value, *narrower: Value) -> Any:
    """A filter is set. Which warnings are shown is no part of the result, but those that are raised leave
    their statement.
    """
    what, kind = cx.static_value(action), cx.static_value(category)
    if what not in SHOWING:
        raise cx.unsupported(
            "a filter of warnings that may raise them",
            "the compiled program would go on behind the statement that warns",
            "use np.errstate(all='raise') for what NumPy warns of",
        )
    filters = cx.filters[-1] if cx.filters else None
    if filters is None or filters.block is not cx.builder.block:
        return Lit(None)
    whole = isinstance(kind, type) and not any(cx.static_value(v) for v in narrower)
    filters.told.insert(0, (what, kind if whole else None))
    if what == "ignore" and whole and issubclass(RuntimeWarning, kind) and filters.errors is None:
        now = {**np.geterr(), **cx.errstate}
        silent = [name for name in FLOATING if now[name] in ("warn", "ignore")]
        quiet: dict[str, Value] = dict.fromkeys(silent, Lit("ignore"))
        filters.errors = errors_are(cx, "np.errstate", (), quiet) if quiet else None
    return Lit(None)


@handles(warnings.warn)
def b_warn(cx: Context, message: Value, *args: Value, **kwargs: Value) -> Any:
    if not is_ignored(cx, category_of(cx, message, *args, **kwargs)):
        given = runtime_object(cx, message), *map(cx.arg, args)
        effect(cx, warnings.warn, given, (), **{name: cx.arg(value) for name, value in kwargs.items()})
    return Lit(None)


def category_of(cx: Context, message: Value, category: Value = Lit(None), *args: Value, **rest: Value) -> Any:
    """The class of a warning; None if it is not known."""
    is_text = isinstance(cx.static_value(message), str) or getattr(message, "type", None) == STRING
    return (cx.static_value(category) or UserWarning) if is_text else None


def is_ignored(cx: Context, category: Any) -> bool:
    """Whether a warning of this class is certainly not shown."""
    if not isinstance(category, type):
        return False
    for filters in reversed(cx.filters):
        for action, kind in filters.told:
            if kind is None or issubclass(category, kind):
                return kind is not None and action == "ignore"
    return False
