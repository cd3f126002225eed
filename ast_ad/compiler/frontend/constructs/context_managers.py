"""What does ``with`` do: what is entered, and what runs when its block is left?

The context managers of the user are read in place: ``__enter__``, the block, ``__exit__``; of a generator
under ``contextlib.contextmanager`` what stands before its ``yield``, the block, and what stands behind it.
Exceptions that can be told before they come up leave the block, as in ``try``, and ``__exit__`` is told their
class; where another one comes up, which the manager might notice or swallow, the call is traced.
"""

from __future__ import annotations

import contextlib
import functools
import types
import warnings
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from ....errors import AdError
from ...ir.ops import Lit
from .. import doors
from ..callables.calls import call_parts
from ..callables.error_states import errors_are, errors_as_before
from ..callables.inlining import bind_arguments, frame_of, function_defaults, run_body
from ..callables.warning_filters import filters_within
from ..context import Context
from ..source.functions import find_source
from ..store.identities import static_entries
from ..tables import statement
from ..values import Bound, Dct, Live, Obj, Tup, Value
from .attributes import load_attribute
from .boundness import emit_raise
from .expressions import evaluate
from .generators import held
from .handlers import KINDS, NOT_FOLLOWED, Catch, by_kind, exec_caught, run_finally, scopes_of
from .statements import exec_block, stay

MADE_OF_GENERATORS = type(contextlib.contextmanager(lambda: iter(()))())
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

    while isinstance(function, Bound):
        function, args, kwargs = function.fn, [*function.args, *args], {**function.kwargs, **kwargs}
    target = None if function is None else cx.static_value(function)
    if target is np.errstate:
        with_errors(cx, args, kwargs, lambda: inside(Lit(None)))
    elif target is warnings.catch_warnings and (item.optional_vars is None or not kwargs):
        with filters_within(cx):
            if "action" in kwargs:
                names = ("action", "category", "lineno", "append")
                options = {str(name): kwargs[name] for name in names if name in kwargs}
                doors.call(cx, Lit(warnings.simplefilter), [], options)
            inside(Lit(None))
    elif isinstance(target, types.FunctionType) and target.__code__ is GENERATORS:
        noticed(cx, node, lambda: with_generator(cx, target.__wrapped__, args, kwargs, inside))  # type: ignore[attr-defined]
    else:
        made = evaluate(cx, item.context_expr) if function is None else doors.call(cx, function, args, kwargs)
        given = generator_of(cx, made)
        if given is None:
            with_manager(cx, node, made, inside)
        else:
            noticed(cx, node, lambda: with_generator(cx, *given, inside))


def generator_of(cx: Context, made: Value) -> tuple[types.FunctionType, list[Value], dict[str, Value]] | None:
    """The generator function, and its arguments, of a context manager that was made of it before."""
    if not (isinstance(made, Obj) and made.cls is MADE_OF_GENERATORS):
        return None
    content = cx.state.get(made)
    function = cx.static_value(content.get("func"))
    args, kwargs = content.get("args"), content.get("kwds")
    if not (isinstance(function, types.FunctionType) and isinstance(args, Tup) and isinstance(kwargs, Dct)):
        return None
    return function, list(args.items), static_entries(cx, kwargs)


def with_errors(cx: Context, args: list[Value], kwargs: dict[str, Value], body: Callable[[], None]) -> None:
    """The errors of NumPy are handled as told in the block, and as before behind it."""
    if args:
        raise cx.unsupported("this option of np.errstate", "the compiler does not follow it", "leave it out")
    old = errors_are(cx, "np.errstate", (), kwargs)
    body()
    if not cx.state.dead:
        errors_as_before(cx, old)


# ----- the user's own
def noticed(cx: Context, node: gast.With, run: Callable[[], None]) -> None:
    """Run a block in which an exception is refused, as a context manager or a handler may notice it."""
    mark_tried(cx, node)
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


def with_manager(cx: Context, node: gast.With, manager: Value, body: Callable[[Value], None]) -> None:
    """An object that is told of what is raised in the block, if the block can be read so.

    Where ``__exit__`` reads more of an exception than its class, the block is read without one.
    """
    cls = class_of(manager)
    if cls is None or not (may_swallow(cls) or scopes_of(cx, cx.frame)):
        noticed(cx, node, lambda: with_object(cx, manager, body))
        return
    entry, mark, start = cx.state.fork(), len(cx.builder.block.ops), cx.branch_start
    try:
        with_object(cx, manager, body, Catch(cx.frame, (BaseException,)))
    except AdError as problem:
        if getattr(problem, "aliased", False):  # the whole is read again
            raise
        del cx.builder.block.ops[mark:]
        cx.state, cx.branch_start = entry, start
        noticed(cx, node, lambda: with_object(cx, manager, body))
    else:
        mark_tried(cx, node)


def class_of(manager: Value) -> type | None:
    """The class of a context manager of the user's, be it made by the program or from outside."""
    cls = manager.cls if isinstance(manager, Obj) else type(getattr(manager, "value", None))
    if not isinstance(manager, (Obj, Live)) or not all(hasattr(cls, n) for n in ("__enter__", "__exit__")):
        return None
    return cls if isinstance(manager, Obj) or isinstance(cls.__exit__, types.FunctionType) else None  # type: ignore[attr-defined]


def may_swallow(cls: type) -> bool:
    """Whether the ``__exit__`` of a class may return what is true, by its text."""
    function = getattr(cls, "__exit__", None)
    if not isinstance(function, types.FunctionType):
        return False
    tree = getattr(function, "__ast_ad_tree__", None) or find_source(function).tree
    returned = [node.value for node in gast.walk(tree) if isinstance(node, gast.Return)]
    return any(value is not None and getattr(value, "value", True) for value in returned)


def mark_tried(cx: Context, node: gast.With) -> None:
    source = cx.frame.source
    if source is not None:
        cx.tried.append((source.filename, node.body[0].lineno, node.body[-1].end_lineno))


def with_object(
    cx: Context, manager: Value, body: Callable[[Value], None], caught: Catch | None = None
) -> None:
    """``caught``: what gathers the exceptions that leave the block."""
    if class_of(manager) is None:
        raise cx.unsupported(
            "`with` statement",
            "only the user's own context managers, np.errstate and warnings.catch_warnings are followed",
            "move the context manager out of the differentiated function",
        )
    leave = load_attribute(cx, manager, "__exit__")
    value = doors.call(cx, load_attribute(cx, manager, "__enter__"), [], {})

    def without() -> None:
        run_finally(cx, lambda: doors.call(cx, leave, [Lit(None)] * 3, {}))

    with held(cx, manager):
        if caught is None:
            body(value)
        else:
            gather(cx, caught, lambda: body(value))
        if not cx.state.dead:
            told = functools.partial(tell, cx, leave)
            after_block(cx, caught, told, without)


def gather(cx: Context, caught: Catch, body: Callable[[], None]) -> None:
    """Run the block; what is raised in it leaves it with a boolean, and the number of the class."""
    block = cx.builder.block
    cx.catching.append(caught)
    try:
        body()
    except AdError as problem:
        raised = getattr(problem, "raises", None)
        if raised not in KINDS or problem.block is not block:  # type: ignore[attr-defined]
            raise
        cx.state = problem.state  # type: ignore[attr-defined]
        exec_caught(cx, raised, Lit(True))
    finally:
        cx.catching.pop()


def after_block(
    cx: Context, caught: Catch | None, told: Callable[[type], None], without: Callable[[], None]
) -> None:
    """Leave the manager: with the class of the exception that has left the block, or without one."""
    flag = cx.state.get_name(cx.frame, "$raised")
    if caught is None or not caught.raised or flag is None or cx.static_value(flag) is False:
        without()
        return

    def with_one() -> None:
        stay(cx, cx.frame)
        by_kind(cx, cx.state.get_name(cx.frame, "$kind"), list(caught.raised), told)

    def with_none() -> None:
        cx.state.set_name(cx.frame, "$raised", Lit(False))
        without()

    if cx.static_value(flag) is True:
        with_one()
    else:
        doors.branch(cx, flag, with_one, with_none, None)


def tell(cx: Context, leave: Value, raised: type) -> None:
    """Leave a manager by an exception: it goes on where ``__exit__`` returns what is false."""
    answer = doors.call(cx, leave, [Lit(raised), NOT_FOLLOWED, NOT_FOLLOWED], {})
    if cx.state.dead:
        return
    swallowed = doors.truth(cx, answer)

    def go_on() -> None:
        if not exec_caught(cx, raised, Lit(True)):
            emit_raise(cx, raised("it leaves a `with` statement"))  # then the call is traced
            cx.state.dead = True

    if cx.static_value(swallowed) is False:
        go_on()
    elif cx.static_value(swallowed) is not True:
        doors.branch(cx, swallowed, lambda: None, go_on, None)


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
