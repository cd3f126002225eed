"""How does a loop become a region, or else its passes one by one?

A loop whose structure changes from pass to pass (a list of functions, arrays of other ranks) is unrolled if
its trip count is static.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any

import gast

from ....errors import AdError
from ...ir.ops import Block, Lit, Var, While
from .. import doors
from ..constructs.branches import branch, condition, truth
from ..constructs.expressions import evaluate
from ..constructs.statements import alive, assign, exec_block
from ..context import Context
from ..source.live_names import live_at_loops
from ..store.heaps import region
from ..store.identities import is_iterator, shown
from ..store.shared_names import lists_of
from ..tables import statement
from ..types.joins import ShapeChange
from ..values import Arr, Comprehension, Dct, Lst, Maybe, Value, now
from .first_pass import (
    Spec,
    any_turn,
    first_pass_apart,
    region_loop,
    runs_for_certain,
    settle_first,
    wants_settled,
)
from .fixpoint import fixpoint
from .iteration import check_counts, drives, iteration, own_iterator
from .live_lists import ListChanges, fixed_lists, run_live
from .passes import EveryPassRaises, Passes
from .unrolling import unroll
from .written_out import KeyOfPass, grows_lists, may_be_written_out, written_out

MAX_UNROLLED = 600


# ----- for
@statement(gast.For)
def exec_for(cx: Context, node: gast.For, rest: list[gast.AST]) -> None:
    source = evaluate(cx, node.iter)
    flag = cx.state.get_name(cx.frame, "$break")
    cx.state.set_name(cx.frame, "$break", Lit(False))

    def body(item: Value) -> None:
        assign(cx, node.target, item)
        exec_block(cx, node.body)

    run_for(cx, source, body, assigned(cx, node), node.target, live_at(cx, node), grows_lists(node))
    after_loop(cx, node, flag)


def live_at(cx: Context, node: gast.AST) -> Collection[str] | None:
    """The names that may be read at the start of a loop's pass or behind it; None: it is not known."""
    source = cx.frame.source
    return None if source is None else live_at_loops(source.tree).get(id(node))


def after_loop(cx: Context, node: gast.AST, outer_flag: object) -> None:
    broke = cx.state.get_name(cx.frame, "$break")
    returned = cx.state.get_name(cx.frame, "$return")
    raised = cx.state.get_name(cx.frame, "$raised")
    others = [flag for flag in (broke, raised) if flag is not None and cx.static_value(flag) is not False]
    endless = hasattr(node, "test") and is_true(cx, node.test) and not others
    if endless and isinstance(returned, Var):
        cx.state.set_name(cx.frame, "$return", Lit(True))
    cx.state.set_name(cx.frame, "$break", outer_flag if outer_flag is not None else Lit(False))
    if not node.orelse:
        return
    static = cx.static_value(broke)
    if static is False:
        exec_block(cx, node.orelse)
    elif static is not True:
        branch(cx, broke, lambda: None, lambda: exec_block(cx, node.orelse), None)


def run_for(
    cx: Context,
    source: Value,
    body: Callable[[Value], None],
    names: set[str],
    target: gast.AST | None = None,
    live: Collection[str] | None = None,
    grows: bool = True,
) -> None:
    """Run ``body`` for every item, as a region if the trip count is known at run time only.

    ``grows``: whether it makes a list, whose items the program may have to know.
    """
    source = own_iterator(cx, source)
    if drives(cx, source) and doors.lazy_items(cx, source) is None:
        doors.drive(cx, source, body)
    else:
        region(cx, lambda: _run_for(cx, source, body, names, target, live, grows))
    if not cx.state.dead:
        check_counts(cx, source)


def _run_for(
    cx: Context,
    source: Value,
    body: Callable[[Value], None],
    names: set[str],
    target: gast.AST | None,
    live: Collection[str] | None,
    grows: bool,
) -> None:
    if isinstance(source, Dct):
        source = doors.consumed(cx, source)
    entry, mark, start = cx.state.fork(), len(cx.builder.block.ops), cx.branch_start
    fixed = fixed_lists(cx, source)  # may raise
    cx.iterated.append(source)
    cx.fixed.append(fixed)
    try:
        run_over(cx, source, body, names, target, live, grows)
        return
    except ListChanges as change:
        if change.base not in lists_of(source):
            raise
        changing = change.base
    finally:
        cx.iterated.pop()
        cx.fixed.pop()
    del cx.builder.block.ops[mark:]
    cx.state, cx.branch_start = entry, start
    if isinstance(source, Comprehension):
        doors.drive(cx, source, body)
        return
    run_live(cx, source, changing, body, names, live)


def run_over(
    cx: Context,
    source: Value,
    body: Callable[[Value], None],
    names: set[str],
    target: gast.AST,
    live: Collection[str] | None,
    grows: bool,
    short: bool = True,
) -> None:
    """``short``: whether it may be written out, if it has few passes."""
    spec = iteration(cx, source)
    if isinstance(spec, list) and isinstance(source, Lst) and source.shows and not is_iterator(source):
        unroll(cx, [functools.partial(shown, cx, source, i) for i in range(len(spec))], body)
        return
    if isinstance(spec, list):
        unroll(cx, spec, body)
        return
    count, start, stop, step, get = spec
    entry = cx.state.fork()
    mark = len(cx.builder.block.ops)

    def some_turn() -> Any:
        return any_turn(cx, count, start, stop, step)

    passes, static = Passes(live, some_turn, runs_for_certain(count)), cx.static_value(count)
    try:
        with may_be_written_out(cx, count if short else None, grows, passes):
            region_loop(cx, (start, stop, step), get, body, names, target, passes)
        if wants_settled(cx):
            settle_first(cx, spec, body, names, target, live, (entry, mark))
        return
    except EveryPassRaises:
        del cx.builder.block.ops[mark:]
        cx.state = entry
        only_pass(cx, some_turn(), lambda: body(get(start)))
        return
    except KeyOfPass as problem:
        del cx.builder.block.ops[mark:]
        cx.state = entry.fork()
        if problem.passes is not passes:
            raise
        stopped = written_out(cx, static_items(cx, static, spec), body)
        if stopped is None:
            return
        del cx.builder.block.ops[mark:]
        cx.state = entry
        try:
            run_over(cx, source, body, names, target, live, grows, short=False)
        except AdError as other:
            raise (stopped if isinstance(stopped, AdError) else other) from None
        return
    except (ShapeChange, AdError) as problem:
        del cx.builder.block.ops[mark:]
        cx.state = entry
        first = problem
    if not isinstance(static, int) and isinstance(first, ShapeChange) and runs_for_certain(count):
        if first_pass_apart(cx, spec, body, names, target, live):
            return
    unroll(cx, static_items(cx, trips(cx, count, first), spec), body)


def trips(cx: Context, count: Value, first: ShapeChange | AdError) -> int:
    """The trip count of a loop that can't be a region because of ``first``."""
    static = cx.static_value(count)
    if not isinstance(static, int) and isinstance(first, ShapeChange):
        try:
            static = cx.demand(count, "the trip count of a loop whose structure changes from pass to pass")
        except AdError as problem:
            problem.why = f"{first}; {problem.why}"
            raise problem from None
    if isinstance(static, int) and static <= MAX_UNROLLED:
        return static
    if isinstance(first, ShapeChange):
        raise cx.unsupported(
            "a loop whose structure changes from pass to pass",
            str(first),
            "keep types and structure the same in every pass",
        )
    raise first


def only_pass(cx: Context, enters: Value, run: Callable[[], None]) -> None:
    """A loop that raises in its first pass, if there is one."""

    def once() -> None:
        run()
        assert cx.state.dead, "what raises with every value raises with the first ones"

    if cx.static_value(enters) is True:
        once()
    elif cx.static_value(enters) is not False:
        branch(cx, enters, once, lambda: None, None)


def static_items(cx: Context, count: int, spec: Spec) -> list[Callable[[], Value]]:
    """What gives the items of a loop, one by one, where all is known about its range."""
    _, start, _, step, get = spec
    first = cx.demand(start, "the start of a range")
    stride = cx.demand(step, "the step of a range")
    return [functools.partial(get, Lit(first + k * stride)) for k in range(count)]


# ----- while
@statement(gast.While)
def exec_while(cx: Context, node: gast.While, rest: list[gast.AST]) -> None:
    flag = cx.state.get_name(cx.frame, "$break")
    cx.state.set_name(cx.frame, "$break", Lit(False))
    region(cx, lambda: run_while(cx, node))
    after_loop(cx, node, flag)


def run_while(cx: Context, node: gast.While) -> None:
    entry, mark = cx.state.fork(), len(cx.builder.block.ops)
    try:
        region_while(cx, node)
    except EveryPassRaises:
        del cx.builder.block.ops[mark:]
        cx.state = entry
        only_pass(cx, condition(cx, node.test), lambda: exec_block(cx, node.body))
    except (ShapeChange, AdError) as problem:
        del cx.builder.block.ops[mark:]
        cx.state = entry
        if not unroll_while(cx, node, 0):
            if isinstance(problem, ShapeChange):
                raise cx.unsupported(
                    "a loop whose structure changes from pass to pass",
                    str(problem),
                    "keep types and structure the same in every pass",
                ) from None
            raise problem


def unroll_while(cx: Context, node: gast.AST, trips: int) -> bool:
    """Run the loop while its condition is static; False if it is not, or there is no end."""
    while True:
        cx.state.set_name(cx.frame, "$continue", Lit(False))
        if alive(cx) is not True:
            return alive(cx) is False
        cond = cx.static_value(condition(cx, node.test))
        if not isinstance(cond, bool) or trips > MAX_UNROLLED:
            return False
        if not cond:
            return True
        exec_block(cx, node.body)
        trips += 1


def region_while(cx: Context, node: gast.AST) -> None:
    passes = (
        Passes(live_at(cx, node), lambda: Lit(True), True)
        if is_true(cx, node.test)
        else Passes(live_at(cx, node))
    )
    while_region(
        cx, lambda: condition(cx, node.test), lambda: exec_block(cx, node.body), assigned(cx, node), passes
    )


def while_region(
    cx: Context, condition: Callable[[], Value], body: Callable[[], None], names: set[str], passes: Passes
) -> None:
    span = cx.builder.span
    conds: list[Block] = []

    def test() -> bool:
        with cx.builder.nested(Block()) as block:
            before = dict(cx.state.contents)
            cond = truth(cx, condition())
            changed = {
                k
                for k, v in cx.state.contents.items()
                if before.get(k) is not v and not (k is cx.frame and same_names(v, before.get(k)))
            }
            if any(
                getattr(k, "serial", 0) < entry_time and not (isinstance(k, (Arr, Lst)) and k.view)
                for k in changed
            ):
                raise ShapeChange("its condition changes variables")
            cx.state.contents = before
            block.results = (cx.arg(cond),)
        conds.append(block)
        if cx.static_value(cond) is False:
            return False
        return True

    entry_time = now()

    def make(params: Any, inits: Any, block: Block, outs: Any, stops: bool) -> None:
        cx.builder.append(While(params, inits, conds[-1], block, outs, stops, span, cx.builder.adjoint))

    def once() -> None:
        test()
        body()

    fixpoint(cx, once, names, make, passes)


def is_true(cx: Context, test: gast.expr) -> bool:
    """Whether the condition of a loop is a constant that holds."""
    return type(test).__name__ == "Constant" and bool(test.value)


def assigned(cx: Context, node: gast.AST) -> set[str]:
    """The local names that a loop assigns, read off its text."""
    import gast

    names: set[str] = set()
    stack = [*node.body, *(getattr(node, part) for part in ("target", "test") if hasattr(node, part))]
    while stack:
        part = stack.pop()
        if isinstance(part, (gast.FunctionDef, gast.Lambda)):
            if isinstance(part, gast.FunctionDef):
                names.add(part.name)
            continue
        if isinstance(part, (gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.SetComp)):
            continue
        if isinstance(part, gast.AugAssign) and isinstance(part.target, gast.Name):
            held = cx.state.get_name(cx.frame, part.target.id)
            if isinstance(held, (Arr, Lst, Dct)):  # written in place: the name still shows the same object
                stack.append(part.value)
                continue
        if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Store):
            names.add(part.id)
        stack += list(gast.iter_child_nodes(part))
    return {n for n in names if n not in cx.frame.nonlocals and "global " + n not in cx.frame.nonlocals}


def held_if_bound(state: object) -> object:
    """What a name holds where it is bound."""
    return state.value if isinstance(state, Maybe) else state


def same_names(after: dict[str, object], before: object) -> bool:
    """Whether two contents of a frame agree in what the user can name, but for checks that it is bound."""
    if not isinstance(before, dict):
        return False
    names = {k for k in (*after, *before) if k != "$choice"}
    return all(
        k in after
        and k in before
        and (after[k] is before[k] or k[:1] != "$" and held_if_bound(before[k]) is held_if_bound(after[k]))
        for k in names
    )


doors.only_pass = only_pass
doors.run_for = run_for
doors.while_region = while_region
