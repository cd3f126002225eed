"""What do statements do: assignment in all its forms, and how a block goes on after return, break, continue?

Leaving early is data: four names that no program can spell (``$return``, ``$break``, ``$continue``, and
``$raised`` for what a handler of the function catches) hold booleans in the frame. False: go on. True: stop
here. Known at run time only: the rest of the block is guarded by a branch.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import operator
import sys
import types
from typing import Any

import gast

from ...ir.ops import Block, If, Lit, Op, Span, Var
from .. import doors
from ..callables.container_methods import delete_item
from ..context import Context
from ..guards import ITEM, Guard, Path
from ..source.lines import statement_text
from ..source.live_names import live_after, live_before
from ..store.outer_stores import store_cell, store_global
from ..tables import EXEC, statement
from ..types.joins import ShapeChange
from ..values import Arr, Callee, Choice, Closure, Frame, Unbound, Value
from .attribute_stores import delete_attribute, store_attribute
from .attributes import load_attribute
from .boundness import Raised
from .expressions import evaluate, load_name, mangled
from .local_classes import enclosing_scope
from .subscripts import store_item

RULES = __name__.partition(".")[0] + ".rules."
EXITS = ("$return", "$break", "$continue", "$raised")


def exec_block(cx: Context, statements: list[gast.AST]) -> None:
    """Run statements until the block is left for certain; guard what follows a possible exit."""
    for position, node in enumerate(statements):
        if cx.state.dead:
            return
        still_alive = alive(cx)
        if still_alive is False:
            return
        if still_alive is not True:
            doors.exec_guarded(cx, still_alive, statements[position:])
            return
        place(cx, node, node)
        if isinstance(node, COMPOUND):
            drop_dead_names(cx, node)
        handler = EXEC.get(type(node))
        if handler is None:
            raise cx.unsupported(
                f"`{KEYWORDS.get(type(node).__name__, type(node).__name__)}` statement",
                "the compiler does not follow it yet",
                "rewrite it without, or move it out of the differentiated function",
            )
        try:
            run = functools.partial(exec_statement, cx, handler, node, statements[position + 1 :])
            if doors.exec_apart(cx, run, statements[position:]):
                return
        except Raised:
            cx.state.dead = True
        except ShapeChange as change:
            change.span = change.span or cx.builder.span
            raise


def exec_statement(cx: Context, handler: Callee, node: gast.AST, rest: list[gast.AST]) -> Any:
    """Run one statement; true: what follows in the block, too."""
    scope = cx.catching[-1] if cx.catching else None
    inside = scope is not None and (scope.frame is cx.frame or cx.frame.leave is not None)
    if inside and isinstance(node, SIMPLE):
        return doors.exec_split(cx, node, functools.partial(handler, cx, node, []))
    return handler(cx, node, rest)


SIMPLE = gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.Return, gast.Delete
COMPOUND = gast.If, gast.For, gast.While, gast.Try, gast.Match, gast.With


def drop_dead_names(cx: Context, node: gast.AST, after: bool = False) -> None:
    """Names that nobody reads any more hold nothing: what they held may be another name's alone.

    That is so before a statement, or ``after`` it.
    """
    frame = cx.frame
    if frame.source is None or "__class__" in frame.cells:  # super() reads the first parameter
        return
    live = (live_after if after else live_before)(frame.source.tree).get(id(node))
    held = cx.state.get(frame)
    if live is not None and any(name not in live and name[:1] != "$" for name in held):
        cx.state.set(frame, {k: v for k, v in held.items() if k in live or k[:1] == "$"})


def place(cx: Context, node: gast.AST, statement: gast.AST | None = None) -> None:
    """Operations from here on stem from ``node``."""
    source = cx.frame.source
    if source is None or not hasattr(node, "lineno") or cx.inputs is None or within_rules(cx):
        return  # a rule, or a function that the rules come with: the caller's line stands
    text = cx.builder.span.text
    if statement is not None:
        text = statement_text(source, statement)
    cx.builder.span = Span(
        source.filename,
        node.lineno,
        node.col_offset,
        node.end_col_offset if node.end_lineno == node.lineno else 0,
        text,
        source.name,
        cx.frame.call,
    )


def within_rules(cx: Context) -> bool:
    """Whether the function being read is one of the package's own."""
    return str(cx.frame.globals.get("__name__")).startswith(RULES)


# ----- leaving
def alive(cx: Context) -> Any:
    """True, False, or an abstract boolean: does control get here?"""
    flags = [cx.state.get_name(cx.frame, name) for name in EXITS]
    flags = [f for f in flags if f is not None]
    if any(cx.static_value(f) is True for f in flags):
        return False
    dynamic = [f for f in flags if isinstance(f, Var) and cx.static_value(f) is not False]
    if not dynamic:
        return True
    if left_by_each(cx.builder.block, dynamic):
        return False
    left = dynamic[0]
    for flag in dynamic[1:]:
        left = cx.emit(operator.or_, left, flag)
    return cx.emit(operator.not_, left)


def left_by_each(block: Block, flags: list[Var]) -> bool:
    """Whether one of the flags holds on each path through the branch that tells them, be it another one."""
    near = block.ops[-NEAR:]
    branches = [op for op in reversed(near) if isinstance(op, If)]
    if not branches or not flags:
        return False
    cond = branches[0].cond
    tests = [op for op in near if isinstance(op, Op)]
    opposite = [op.outs[0] for op in tests if op.fn is operator.not_ and op.args == (cond,)]
    for holds in (True, False):
        values: dict[Any, Any] = {cond: Lit(holds), **dict.fromkeys(opposite, Lit(not holds))}
        now, within = list[Any](flags), None
        for op in branches:
            if op.cond is cond:
                side = op.then if holds else op.orelse
                values |= zip(op.outs, side.results, strict=True)
                within = within or (side if not {*op.outs}.isdisjoint(now) else None)
                now = [values.get(flag, flag) for flag in now]
        if any(isinstance(flag, Lit) and flag.value is True for flag in now):
            continue
        if within is None or not left_by_each(within, [f for f in now if isinstance(f, Var)]):
            return False
    return True


NEAR = 16  # operations: what has told whether a block is left stands at its end


def stay(cx: Context, frame: Frame) -> None:
    """Note that on this path the block of a frame has not been left."""
    for name in EXITS:
        flag = cx.state.get_name(frame, name)
        if flag is not None and cx.static_value(flag) is not False:
            cx.state.set_name(frame, name, Lit(False))


@statement(gast.Return)
def exec_return(cx: Context, node: gast.Return, rest: list[gast.AST]) -> None:
    value = Lit(None) if node is None or node.value is None else evaluate(cx, node.value)
    cx.state.set_name(cx.frame, "$value", value)
    cx.state.set_name(cx.frame, "$return", Lit(True))


@statement(gast.Break)
def exec_break(cx: Context, node: gast.Break, rest: list[gast.AST]) -> None:
    cx.state.set_name(cx.frame, "$break", Lit(True))


@statement(gast.Continue)
def exec_continue(cx: Context, node: gast.Continue, rest: list[gast.AST]) -> None:
    cx.state.set_name(cx.frame, "$continue", Lit(True))


@statement(gast.Pass)
def exec_pass(cx: Context, node: gast.Pass, rest: list[gast.AST]) -> None:
    pass


@statement(gast.Expr)
def exec_expr(cx: Context, node: gast.Expr, rest: list[gast.AST]) -> None:
    if type(node.value).__name__ == "Constant":
        return
    evaluate(cx, node.value)


@statement(gast.Import)
def exec_import(cx: Context, node: gast.Import, rest: list[gast.AST]) -> None:
    for alias in node.names:
        module, top = imported(cx, alias.name), imported(cx, alias.name.split(".")[0])
        bind(cx, alias.asname or alias.name.split(".")[0], Lit(module if alias.asname else top))


@statement(gast.ImportFrom)
def exec_import_from(cx: Context, node: gast.ImportFrom, rest: list[gast.AST]) -> None:
    package = cx.frame.globals.get("__package__") if node.level else None
    module = imported(cx, "." * (node.level or 0) + (node.module or ""), package)
    for alias in node.names:
        if hasattr(module, alias.name):
            found = load_attribute(cx, Lit(module), alias.name)
        else:
            found = Lit(imported(cx, f"{module.__name__}.{alias.name}"))
        bind(cx, alias.asname or alias.name, found)


def imported(cx: Context, name: str, package: str | None = None) -> types.ModuleType:
    """A module, as long as no other one has its name; one that is not there is told to handlers."""
    try:
        module = importlib.import_module(name, package)
        name = importlib.util.resolve_name(name, package)
        if cx.inputs is not None and sys.modules.get(name) is module:
            path = Path(vars(sys), ((ITEM, "modules"), (ITEM, name)), name)
            cx.inputs.guards.add(Guard.value(path, module))
        return module
    except ImportError as problem:
        missing = problem.name or name
        if cx.inputs is not None and missing not in sys.modules:
            cx.inputs.guards.add(Guard.missing(Path.of_object(sys, "sys").attribute("modules").item(missing)))
        raise cx.unsupported(
            f"the import of `{name}`", str(problem), "install it", exception=type(problem)(str(problem))
        ) from None


@statement(gast.Global)
def exec_global(cx: Context, node: gast.Global, rest: list[gast.AST]) -> None:
    cx.frame.nonlocals |= {"global " + name for name in node.names}


@statement(gast.Nonlocal)
def exec_nonlocal(cx: Context, node: gast.Nonlocal, rest: list[gast.AST]) -> None:
    cx.frame.nonlocals |= set(node.names)


@statement(gast.Delete)
def exec_delete(cx: Context, node: gast.Delete, rest: list[gast.AST]) -> None:
    for target in node.targets:
        delete(cx, target)


def delete(cx: Context, target: gast.AST) -> None:
    kind = type(target).__name__
    if kind == "Name":
        load_name(cx, target.id)
        bind(cx, target.id, Unbound(target.id))
    elif kind == "Subscript":
        delete_item(cx, evaluate(cx, target.value), evaluate(cx, target.slice))
    elif kind == "Attribute":
        delete_attribute(cx, evaluate(cx, target.value), mangled(cx, target.attr))
    else:
        for part in target.elts:
            delete(cx, part)


@statement(gast.FunctionDef)
def exec_function_def(cx: Context, node: gast.FunctionDef, rest: list[gast.AST]) -> None:
    decorators = [evaluate(cx, decorator) for decorator in node.decorator_list]
    value: Any = Closure(node, cx.frame, doors.closure_defaults(cx, node.args), node.name)
    for decorator in reversed(decorators):
        value = doors.decorate(cx, decorator, value, node.name)
    bind(cx, node.name, value)


# ----- binding
@statement(gast.Assign)
def exec_assign(cx: Context, node: gast.Assign, rest: list[gast.AST]) -> None:
    value = evaluate(cx, node.value)
    for target in node.targets:
        assign(cx, target, value)


@statement(gast.AnnAssign)
def exec_ann_assign(cx: Context, node: gast.AnnAssign, rest: list[gast.AST]) -> None:
    if node.value is not None:
        assign(cx, node.target, evaluate(cx, node.value))


def bind(cx: Context, name: str, value: Value) -> None:
    """A local (or nonlocal) name gets a value."""
    if "global " + name in cx.frame.nonlocals:
        store_global(cx, cx.frame.globals, name, named(cx, name, value))
        return
    frame = cx.frame
    while name in frame.nonlocals and (outer := enclosing_scope(frame)) is not None:
        frame = outer
    if name in frame.nonlocals or (name in frame.cells and frame is not cx.frame):
        store_cell(cx, frame.cells[name], name, named(cx, name, value))
        return
    cx.state.set_name(frame, name, named(cx, name, value))


def named(cx: Context, name: str, value: Value) -> Any:
    """Let a fresh value carry the user's name for it; a constant number becomes a named one."""
    var = value.initial if isinstance(value, Arr) and value.view is None else value
    if isinstance(value, Arr) and value.view is not None:
        cached = cx.state.contents.get(value)
        var = cached[1] if isinstance(cached, tuple) else None
        if isinstance(value.view.parent, Choice) and value.view.parent.hint in (None, "choice"):
            value.view.parent.hint = name
    if isinstance(var, Var) and var.hint is None and not name.startswith("$"):
        var.hint = name
    if isinstance(value, Lit) and type(value.value) in (float, complex) and cx.inputs is not None:
        from ...ir.builtin import assign

        constant = cx.builder.op(assign, value)
        constant.hint = name
        return constant
    return value


def assign(cx: Context, target: gast.AST, value: Value) -> None:
    kind = type(target).__name__
    if kind == "Name":
        bind(cx, target.id, value)
    elif kind in ("Tuple", "List"):
        unpack(cx, target.elts, value)
    elif kind == "Subscript":
        store_item(cx, evaluate(cx, target.value), evaluate(cx, target.slice), value)
    else:
        assert kind == "Attribute", kind
        store_attribute(cx, evaluate(cx, target.value), mangled(cx, target.attr), value)


def unpack(cx: Context, targets: list[gast.expr], value: Value) -> None:
    starred = [i for i, t in enumerate(targets) if type(t).__name__ == "Starred"]
    items = doors.items_of(cx, value, expected=len(targets), star=starred[0] if starred else None)
    targets = [t.value if type(t).__name__ == "Starred" else t for t in targets]
    for target, item in zip(targets, items, strict=True):
        assign(cx, target, item)


KEYWORDS = {
    "Try": "try",
    "TryStar": "try",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
    "AsyncFunctionDef": "async def",
    "TypeAlias": "type",
}


doors.assign = assign
doors.bind = bind
doors.place = place
doors.within_rules = within_rules
doors.drop_dead_names = drop_dead_names
doors.exec_block = exec_block
