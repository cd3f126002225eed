"""What does ``with`` do: what is entered, and what runs when its block is left?

The context managers of the user are read in place: ``__enter__``, the block, ``__exit__``; of a generator
under ``contextlib.contextmanager`` what stands before its ``yield``, the block, and what stands behind it. As
with ``try``, the program follows the path on which nothing is raised: where an exception comes up, which the
manager might notice or swallow, the call is traced.
"""

from __future__ import annotations

import contextlib
import types
import warnings
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from ..errors import AdError
from ..ir.builtin import restore
from ..ir.ops import Lit, Var
from ..ir.types import Opaque
from . import doors
from .attributes import load_attribute
from .calls import call_parts
from .context import Context
from .expressions import evaluate
from .generators import held
from .handlers import effect, run_finally
from .inlining import bind_arguments, frame_of, function_defaults, run_body
from .source import find_source
from .statements import exec_block
from .tables import statement
from .values import Obj, Value

GENERATORS = contextlib.contextmanager(lambda: iter(())).__code__  # what the decorator makes of any of them


@statement(gast.With)
def exec_with(cx: Context, node: gast.With, rest: list[gast.AST]) -> None:
    run_within(cx, list(node.items), lambda: exec_block(cx, node.body), node)


def run_within(cx: Context, items: list[gast.withitem], body: Callable[[], None], node: gast.With) -> None:
    """Enter the first of the managers, the others within it, and run the block."""
    if not items:
        body()
        return
    item, *others = items
    function: Any = None
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    if type(item.context_expr).__name__ == "Call":
        function, args, kwargs = call_parts(cx, item.context_expr)

    def inside(value: Value) -> None:
        if item.optional_vars is not None:
            doors.assign(cx, item.optional_vars, value)
        run_within(cx, others, body, node)

    target = None if function is None else cx.static_value(function)
    if target is np.errstate and item.optional_vars is None:
        with_errors(cx, args, kwargs, lambda: inside(Lit(None)))
    elif target is warnings.catch_warnings and item.optional_vars is None:
        inside(Lit(None))
    elif isinstance(target, types.FunctionType) and target.__code__ is GENERATORS:
        noticed(cx, node, lambda: with_generator(cx, target.__wrapped__, args, kwargs, inside))  # type: ignore[attr-defined]
    else:
        made = evaluate(cx, item.context_expr) if function is None else doors.call(cx, function, args, kwargs)
        noticed(cx, node, lambda: with_object(cx, made, inside))


def with_errors(cx: Context, args: list[Value], kwargs: dict[str, Value], body: Callable[[], None]) -> None:
    """The errors of NumPy are handled as told in the block, and as before behind it."""
    options: dict[str, Any] = {}
    for name, value in kwargs.items():
        option = cx.demand(value, "an errstate option")
        if args or name not in ("all", "divide", "over", "under", "invalid") or option in ("call", "log"):
            raise cx.unsupported(
                "this option of np.errstate", "the compiler does not follow it", "leave it out"
            )
        options[name] = option
    cx.errstate.update(options)
    old = Var(Opaque("dict"), "errors")
    effect(cx, np.seterr, (), (old,), **{name: Lit(value) for name, value in options.items()})
    body()
    if not cx.state.dead:
        effect(cx, restore, (old,))


# ----- the user's own
def noticed(cx: Context, node: gast.With, run: Callable[[], None]) -> None:
    """Run what an exception does not just leave."""
    source = cx.frame.source
    if source is not None:
        cx.tried.append((source.filename, node.body[0].lineno, node.body[-1].end_lineno))
    cx.catching.append(None)
    try:
        run()
    except AdError as problem:
        if getattr(problem, "raises", None) is None:
            raise
        raise cx.unsupported(
            "an exception within `with`", f"its context manager may swallow it: {problem.why}", "move it out"
        ) from None
    finally:
        cx.catching.pop()


def with_object(cx: Context, manager: Value, body: Callable[[Value], None]) -> None:
    if not isinstance(manager, Obj) or not all(hasattr(manager.cls, n) for n in ("__enter__", "__exit__")):
        raise cx.unsupported(
            "`with` statement",
            "only the user's own context managers, np.errstate and warnings.catch_warnings are followed",
            "move the context manager out of the differentiated function",
        )
    leave = load_attribute(cx, manager, "__exit__")
    value = doors.call(cx, load_attribute(cx, manager, "__enter__"), [], {})
    with held(cx, manager):
        body(value)
        if not cx.state.dead:
            run_finally(cx, lambda: doors.call(cx, leave, [Lit(None)] * 3, {}))


def with_generator(
    cx: Context,
    fn: types.FunctionType,
    args: list[Value],
    kwargs: dict[str, Value],
    body: Callable[[Value], None],
) -> None:
    source = find_source(fn)
    if not yields_once(source.tree):
        raise cx.unsupported(
            f"the context manager `{fn.__name__}`", "whether it yields depends on the path", "yield once"
        )
    frame = frame_of(cx, fn, source)
    outer = cx.frame

    def block(value: Value) -> None:
        inner, cx.frame = cx.frame, outer
        try:
            with held(cx, inner):
                body(value)
        finally:
            cx.frame = inner

    cx.suspended[frame] = block
    bound = bind_arguments(cx, source.tree.args, function_defaults(cx, fn), args, kwargs, fn.__name__)
    run_body(cx, source.tree, frame, bound, fn.__name__)


def yields_once(tree: gast.AST) -> bool:
    """Whether a generator yields once, whatever the path is."""
    count = sum(isinstance(n, (gast.Yield, gast.YieldFrom)) for n in gast.walk(tree))
    statements = list(tree.body)
    while statements:
        one = statements.pop()
        if isinstance(one, (gast.Try, gast.With)):
            statements += one.body
        elif isinstance(one, (gast.Expr, gast.Assign)) and isinstance(one.value, gast.Yield):
            return count == 1
    return False
