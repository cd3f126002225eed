"""What do ``raise`` and ``try`` do: which exceptions come up, and what runs whatever happens?

A program follows the path on which nothing is raised. An exception that is certain is followed to its
handler; where one comes up at run time that a handler or a ``finally`` might notice, the call is traced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ..errors import AdError
from ..ir.builtin import assert_, raise_
from ..ir.ops import Arg, Lit, Op, Var
from . import doors
from .context import Context
from .expressions import evaluate, runtime_object
from .statements import EXITS, bind, exec_block
from .tables import statement
from .values import Callee, Unbound


@statement(gast.Raise)
def exec_raise(cx: Context, node: gast.Raise, rest: list[gast.AST]) -> None:
    exception = evaluate(cx, node.exc) if node.exc is not None else Lit(RuntimeError)
    arg = runtime_object(cx, exception)
    effect(cx, raise_, (arg,))
    cx.state.dead = True


@statement(gast.Assert)
def exec_assert(cx: Context, node: gast.Assert, rest: list[gast.AST]) -> None:
    test = doors.truth(cx, evaluate(cx, node.test))
    if cx.static_value(test) is True:
        return
    message = Lit(None) if node.msg is None else evaluate(cx, node.msg)
    effect(cx, assert_, (cx.arg(test), runtime_object(cx, message)))


def effect(cx: Context, fn: Callee, args: tuple[Arg, ...], outs: tuple[Var, ...] = (), **kwargs: Arg) -> None:
    """Append what stays where it is."""
    cx.builder.append(Op(fn, args, outs, kwargs, cx.builder.span, True, cx.builder.adjoint))


# ----- try
@statement(gast.Try)
def exec_try(cx: Context, node: gast.Try, rest: list[gast.AST]) -> bool:
    block, source = cx.builder.block, cx.frame.source
    try:
        exec_block(cx, node.body)
        if not cx.state.dead:
            exec_block(cx, node.orelse)
    except AdError as problem:
        handler = static_handler(cx, node, problem)
        if handler is None or getattr(problem, "block", None) is not block:
            raise
        cx.state = problem.state  # type: ignore[attr-defined]
        handle(cx, handler, problem)
    else:
        if node.handlers or node.finalbody:
            cx.tried.append((source.filename, node.body[0].lineno, node.body[-1].end_lineno))
    if node.finalbody and not cx.state.dead:
        run_finally(cx, lambda: exec_block(cx, node.finalbody))
    return False


def handle(cx: Context, handler: gast.AST, problem: AdError) -> None:
    """Run a handler for an exception that is raised for certain."""
    if handler.name:
        bind(cx, handler.name.id, Lit(str(problem)))
    exec_block(cx, handler.body)
    if handler.name and not cx.state.dead:
        bind(cx, handler.name.id, Unbound(handler.name.id))


def run_finally(cx: Context, run: Callable[[], object]) -> None:
    """Run what runs whatever way control leaves by, and go on that way."""
    flags = {name: cx.state.get_name(cx.frame, name) for name in EXITS}
    flags = {name: flag for name, flag in flags.items() if flag is not None}
    for name in flags:
        cx.state.set_name(cx.frame, name, Lit(False))
    value = cx.state.get_name(cx.frame, "$value")
    run()
    if cx.state.dead:
        return
    after = {name: cx.state.get_name(cx.frame, name) for name in EXITS}
    if any(flag is not None and cx.static_value(flag) is not False for flag in after.values()):
        raise cx.unsupported(
            "`return`, `break` or `continue` out of `finally`",
            "it would swallow an exception",
            "leave the block behind `finally`",
        )
    for name, flag in flags.items():
        cx.state.set_name(cx.frame, name, flag)
    if value is not None:
        cx.state.set_name(cx.frame, "$value", value)


def static_handler(cx: Context, node: gast.AST, problem: Exception) -> Any:
    """The handler of an exception that is raised for certain, if the type is known."""
    raised = getattr(problem, "raises", None)
    if raised is None:
        return None
    for handler in node.handlers:
        if handler.type is None:
            return handler
        classes = cx.demand(evaluate(cx, handler.type), "an exception class")
        if issubclass(raised, classes):
            return handler
    return None
