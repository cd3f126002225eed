"""What does a call of a logger do in a compiled program?

Where the logger is silent at that level the call is left out, and the levels that made it so are guarded.
Else the program logs, from the user's line, what the values are when it runs.
"""

from __future__ import annotations

import logging
from typing import Any

from ...ir.builtin import log_
from ...ir.ops import Lit, Op, Var
from ..context import Context
from ..guards import Guard, Path
from ..tables import handles
from ..values import Arr, Live, Lst, Tup, Value

LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
}


@handles(logging.getLogger)
def b_get_logger(cx: Context, name: Value = Lit(None)) -> Any:
    found = logging.getLogger(cx.demand(name, "the name of a logger"))
    return (
        Lit(found)
        if cx.inputs is None
        else cx.inputs.live(found, Path.of_object(found, "logger"), fixed=True)
    )


@handles(logging.Logger.isEnabledFor)
def b_is_enabled_for(cx: Context, logger: Value, level: Value) -> Any:
    return Lit(enabled(cx, logger_of(logger), cx.demand(level, "a level")))


@handles(logging.Logger.getEffectiveLevel)
def b_get_effective_level(cx: Context, logger: Value) -> Any:
    return Lit(effective_level(cx, logger_of(logger)))


@handles(logging.Logger.log)
def b_log(cx: Context, logger: Value, level: Value, message: Value, *values: Value, **options: Value) -> Any:
    return tell(cx, logger_of(logger), cx.demand(level, "a level"), message, values, options)


@handles(logging.log)
def b_root_log(cx: Context, level: Value, message: Value, *values: Value, **options: Value) -> Any:
    return tell(cx, logging.getLogger(), cx.demand(level, "a level"), message, values, options)


def entered(name: str, level: int) -> None:
    """The readers of ``logger.debug(...)`` and of ``logging.debug(...)``, and so on."""

    @handles(getattr(logging.Logger, name))
    def of_logger(cx: Context, logger: Value, message: Value, *values: Value, **options: Value) -> Any:
        return tell(cx, logger_of(logger), level, message, values, options)

    @handles(getattr(logging, name))
    def of_root(cx: Context, message: Value, *values: Value, **options: Value) -> Any:
        return tell(cx, logging.getLogger(), level, message, values, options)


for _name, _level in LEVELS.items():
    entered(_name, _level)


def logger_of(value: Value) -> Any:
    """The very object, by which the program is guarded."""
    return value.python_value() if isinstance(value, Live) else getattr(value, "value", None)


def effective_level(cx: Context, logger: logging.Logger) -> int:
    """The level of the first of a logger and its parents that has one; those that were asked are guarded."""
    found: Any = logger
    while found is not None:
        guard(cx, found, "level", found.level)
        if found.level:
            return int(found.level)
        guard(cx, found, "parent", found.parent)
        found = found.parent
    return logging.NOTSET


def enabled(cx: Context, logger: logging.Logger, level: int) -> bool:
    guard(cx, logger, "disabled", logger.disabled)
    guard(cx, logger.manager, "disable", logger.manager.disable)
    if logger.disabled or logger.manager.disable >= level:
        return False
    return level >= effective_level(cx, logger)


def guard(cx: Context, owner: object, name: str, value: object) -> None:
    if cx.inputs is not None:
        cx.inputs.guards.add(Guard.value(Path.of_object(owner, "logger").attribute(name), value))


def tell(
    cx: Context,
    logger: Any,
    level: int,
    message: Value,
    values: tuple[Value, ...],
    options: dict[str, Value],
) -> Any:
    if (
        type(logger)._log is not logging.Logger._log
        or type(logger).isEnabledFor is not logging.Logger.isEnabledFor
    ):
        raise cx.unsupported(
            "a call of a logger", f"{type(logger).__name__} logs in its own way", "leave it out"
        )
    on, unset = enabled(cx, logger, level), logger.parent is None and not logger.handlers
    if not on and not unset:
        return Lit(None)
    depth = cx.demand(options.pop("stacklevel", Lit(1)), "`stacklevel`")
    if any(cx.static_value(option) not in (None, False) for option in options.values()):
        raise cx.unsupported("this call of a logger", f"it asks for {', '.join(options)}", "leave that out")
    span = cx.builder.span
    for _ in range(depth - 1):
        span = span if span.call is None else span.call.at
    place = Lit((span.filename, span.line, span.function))
    if not all(isinstance(value, (Var, Lit, Arr, Tup, Lst)) for value in (message, *values)):
        raise cx.unsupported(
            "a log of this value", "it has no run-time form in compiled code", "log its parts"
        )
    given = tuple(cx.arg(value) for value in (message, *values))
    cx.builder.append(
        Op(log_, (Lit(logger), Lit(level), place, *given), (), {}, cx.builder.span, effect=True)
    )
    return Lit(None)
