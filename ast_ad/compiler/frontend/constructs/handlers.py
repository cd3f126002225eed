"""What do ``raise`` and ``try`` do: which exceptions come up, and what runs whatever happens?

What ``raise`` and ``assert`` raise leaves the block as ``break`` does, where a handler of the same function
catches it, or one of a caller's (``raised_in_calls.py``): a boolean of the frame tells whether, an integer
which class. Of other exceptions a program follows the path on which none comes up. One that is certain is
followed to its handler; where one comes up at run time that a handler or a ``finally`` might notice, the call
is traced.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from ....errors import AdError
from ...ir.builtin import assert_, raise_
from ...ir.ops import Arg, Lit, Op, Var
from .. import doors
from ..context import NOT_STATIC, Context
from ..source.live_names import bound_names
from ..tables import statement
from ..values import Callee, Frame, Lost, Unbound, Value
from .exception_classes import class_raised, evaluate_given
from .expressions import evaluate, runtime_object
from .statements import EXITS, alive, bind, exec_block, stay
from .untaken_paths import leave_out

NOT_FOLLOWED = Lost(
    "an exception",
    "what it holds is not followed",
    fix="keep what you need of it in a variable",
)


@dataclass(eq=False)
class Catch:
    """A ``try`` statement under way: its frame, what its handlers catch, what has been raised in it."""

    frame: Frame
    classes: tuple[Any, ...]
    raised: list[type] = field(default_factory=list)


# The classes of exceptions, by the integers that stand for them: the same in every process.
KINDS: list[type[BaseException]] = [
    *sorted(
        (cls for cls in vars(builtins).values() if isinstance(cls, type) and issubclass(cls, BaseException)),
        key=lambda cls: cls.__name__,
    ),
    np.linalg.LinAlgError,
]


def exec_caught(cx: Context, raised: type, flag: Value) -> bool:
    """Leave the block, if ``flag`` holds, by an exception that a handler of the function catches."""
    scopes = scopes_of(cx, cx.frame)
    if not catches(cx, cx.frame, raised):
        return False
    for scope in scopes:
        if raised not in scope.raised:
            scope.raised.append(raised)
    if cx.frame.leave is not None:
        cx.frame.leave.raises = True
    cx.state.set_name(cx.frame, "$raised", flag)
    cx.state.set_name(cx.frame, "$kind", Lit(number_of(cx, raised)))
    return True


def number_of(cx: Context, cls: type) -> int:
    """The integer that stands for a class; those of the user's come in the order in which they are met."""
    if not cx.kinds:
        cx.kinds += KINDS
    if cls not in cx.kinds:
        cx.kinds.append(cls)
    return cx.kinds.index(cls)


def scopes_of(cx: Context, frame: Frame) -> list[Catch]:
    """The statements under way that an exception in the frame meets: its own, and its callers'."""
    found: list[Catch] = []
    at: Frame | None = frame
    for scope in itertools.takewhile(lambda s: s is not None, reversed(cx.catching)):
        while at is not scope.frame:
            at = None if at is None or at.leave is None else at.caller
            if at is None:
                return found
        found.append(scope)
    return found


def catches(cx: Context, frame: Frame, raised: type) -> bool:
    """Whether what is raised in the frame now is caught by a handler."""
    return any(issubclass(raised, scope.classes) for scope in scopes_of(cx, frame))


@statement(gast.Raise)
def exec_raise(cx: Context, node: gast.Raise, rest: list[gast.AST]) -> None:
    raised = class_raised(cx, node) if cx.catching else None
    if raised is not None and catches(cx, cx.frame, raised):
        evaluate_given(cx, node.exc)
        exec_caught(cx, raised, Lit(True))
        return
    exception = evaluate(cx, node.exc) if node.exc is not None else Lit(RuntimeError)
    arg = runtime_object(cx, exception)
    effect(cx, raise_, (arg,))
    cx.state.dead = True


@statement(gast.Assert)
def exec_assert(cx: Context, node: gast.Assert, rest: list[gast.AST]) -> None:
    test = doors.condition(cx, node.test)
    if cx.static_value(test) is True:
        return
    if isinstance(node.msg, (gast.Constant, type(None))) and cx.catching:
        failed = Lit(True) if cx.static_value(test) is False else cx.emit(operator.not_, test)
        if exec_caught(cx, AssertionError, failed):
            return
    message = Lit(None) if node.msg is None else evaluate(cx, node.msg)
    effect(cx, assert_, (cx.arg(test), runtime_object(cx, message)))


def effect(cx: Context, fn: Callee, args: tuple[Arg, ...], outs: tuple[Var, ...] = (), **kwargs: Arg) -> None:
    """Append an operation with an effect, which stays where it is."""
    cx.builder.append(Op(fn, args, outs, kwargs, cx.builder.span, True, cx.builder.adjoint))


# ----- try
@statement(gast.Try)
def exec_try(cx: Context, node: gast.Try, rest: list[gast.AST]) -> bool:
    block, source = cx.builder.block, cx.frame.source
    try:
        caught = exec_tried(cx, node)
        if not cx.state.dead:
            after_tried(cx, node, caught)
    except AdError as problem:
        handler = static_handler(cx, node, problem)
        if handler is None or getattr(problem, "block", None) is not block:
            raise
        cx.state = problem.state  # type: ignore[attr-defined]
        handle(cx, handler, NOT_FOLLOWED)
    else:
        if node.handlers or node.finalbody:
            cx.tried.append((source.filename, node.body[0].lineno, node.body[-1].end_lineno))
    if node.finalbody and not cx.state.dead:
        run_finally(cx, lambda: exec_block(cx, node.finalbody))
    return False


def exec_tried(cx: Context, node: gast.Try) -> Catch | None:
    """Run the body; None: what the handlers catch can't be told, and nothing is followed to them."""
    found = None
    if node.handlers and all(is_settled(cx, h.type, node) for h in node.handlers):
        classes = tuple(BaseException if h.type is None else caught_by(cx, h) for h in node.handlers)
        if None not in classes:
            found = Catch(cx.frame, classes)
    cx.catching.append(found)
    try:
        exec_block(cx, node.body)
    finally:
        cx.catching.pop()
    return found


def is_settled(cx: Context, named: gast.AST | None, tried: gast.Try) -> bool:
    """Whether what a handler names can be looked at before it is needed: it will not have changed by then."""
    if isinstance(named, gast.Tuple):
        return all(is_settled(cx, part, tried) for part in named.elts)
    if isinstance(named, gast.Attribute):
        return is_settled(cx, named.value, tried)
    if not isinstance(named, gast.Name):
        return named is None
    frame: Frame | None = cx.frame
    while frame is not None:
        if named.id in frame.locals or named.id in frame.cells:
            return frame is cx.frame and named.id not in frame.cells and stays_bound(cx, named.id, tried)
        frame = frame.enclosing
    return named.id in cx.frame.globals or hasattr(builtins, named.id)


def stays_bound(cx: Context, name: str, tried: gast.Try) -> bool:
    """Whether a local name means a constant now, and nothing in the body binds it to something else."""
    held = cx.state.get_name(cx.frame, name)
    if held is None or cx.static_value(held) is NOT_STATIC or name in bound_names(tried.body):
        return False
    others = [*gast.walk(cx.frame.source.tree)] if cx.frame.source is not None else []
    deleted = any(isinstance(n, gast.Name) and n.id == name and isinstance(n.ctx, gast.Del) for n in others)
    return not deleted and not any(isinstance(n, gast.Nonlocal) and name in n.names for n in others)


def caught_by(cx: Context, handler: gast.ExceptHandler) -> Any:
    """The classes that a handler catches, if they are known."""
    found = cx.static_value(evaluate(cx, handler.type))
    parts = found if isinstance(found, tuple) else (found,)
    return found if all(isinstance(p, type) and issubclass(p, BaseException) for p in parts) else None


def after_tried(cx: Context, node: gast.Try, caught: Catch | None) -> None:
    """Run the handlers where an exception has left the body, else what stands behind ``else``."""
    flag = cx.state.get_name(cx.frame, "$raised")
    if caught is None or not caught.raised or flag is None or cx.static_value(flag) is False:
        exec_block(cx, node.orelse)
        return

    def dispatch() -> None:
        stay(cx, cx.frame)
        pairs = list(zip(node.handlers, caught.classes, strict=True))
        run_handlers(cx, pairs, cx.state.get_name(cx.frame, "$kind"), list(caught.raised))

    def go_on() -> None:
        cx.state.set_name(cx.frame, "$raised", Lit(False))
        exec_block(cx, node.orelse)

    def if_raised() -> None:
        leave_out(cx, node.body[0], [statement for h in node.handlers for statement in h.body])
        dispatch()

    if cx.static_value(flag) is True:
        dispatch()
    else:
        doors.branch(cx, flag, if_raised, go_on, None)


def by_kind(cx: Context, kind: Value, raised: list[type], run: Callable[[type], None]) -> None:
    """Run ``run`` with the class that was raised: a branch for each that it may be."""
    known = cx.static_value(kind)
    if isinstance(known, int):
        raised = [cx.kinds[known]]
    first, *others = raised
    if not others:
        run(first)
        return
    cond = cx.emit(operator.eq, kind, Lit(number_of(cx, first)))
    doors.branch(cx, cond, lambda: run(first), lambda: by_kind(cx, kind, others, run), None)


def run_handlers(cx: Context, handlers: list[tuple[Any, Any]], kind: Value, raised: list[type]) -> None:
    """Run the first handler that catches what was raised, one of these classes; else it goes on."""
    known = cx.static_value(kind)
    if isinstance(known, int):
        raised = [cx.kinds[known]]
    if not handlers:
        cx.state.set_name(cx.frame, "$raised", Lit(True))
        return
    (handler, classes), *others = handlers
    here = [cls for cls in raised if issubclass(cls, classes)]
    if len(here) == len(raised):
        handle(cx, handler, NOT_FOLLOWED)
    elif not here:
        run_handlers(cx, others, kind, raised)
    else:
        tests = [cx.emit(operator.eq, kind, Lit(number_of(cx, cls))) for cls in here]
        cond = functools.reduce(functools.partial(cx.emit, operator.or_), tests)
        rest = [cls for cls in raised if cls not in here]
        doors.branch(
            cx,
            cond,
            lambda: handle(cx, handler, NOT_FOLLOWED),
            lambda: run_handlers(cx, others, kind, rest),
            None,
        )


def handle(cx: Context, handler: gast.AST, exception: Value) -> None:
    """Run a handler."""
    if handler.name:
        bind(cx, handler.name.id, exception)
    exec_block(cx, handler.body)
    if handler.name and not cx.state.dead:
        bind(cx, handler.name.id, Unbound(handler.name.id))


def run_finally(cx: Context, run: Callable[[], object]) -> None:
    """Run what runs whatever way control leaves by, and go on that way, unless it leaves by another one."""
    flags = {name: cx.state.get_name(cx.frame, name) for name in EXITS}
    flags = {name: flag for name, flag in flags.items() if flag is not None}
    stay(cx, cx.frame)
    value, kind = (cx.state.get_name(cx.frame, name) for name in ("$value", "$kind"))
    run()
    if cx.state.dead:
        return

    def go_on() -> None:
        for name, flag in flags.items():
            cx.state.set_name(cx.frame, name, flag)
        for name, held in (("$value", value), ("$kind", kind)):
            if held is not None:
                cx.state.set_name(cx.frame, name, held)

    stays = alive(cx)
    if stays is True:
        go_on()
    elif stays is not False:
        doors.branch(cx, stays, go_on, lambda: None, None)


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
