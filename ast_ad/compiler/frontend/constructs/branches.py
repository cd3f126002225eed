"""When does a branch, conditional expression or match become a region? If its condition is not static."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import gast

from ....errors import AdError
from ...ir.ops import Block, If, Lit, Var, variables
from ...ir.types import Array, Optional, Scalar, Type
from .. import doors
from ..context import Context
from ..outside_values import MAPPINGS
from ..store.heaps import region
from ..store.merge import Phis, merge_states
from ..tables import expression, statement
from ..values import Arr, Dct, Live, Lst, Range, Sides, State, Tup, Value, now
from .boundness import Raised, is_certain, raise_certain
from .expressions import evaluate
from .narrowing import Fact, facts_told, narrow
from .special_methods import class_of, special
from .statements import EXITS, exec_block, stay
from .untaken_paths import leave_out


@statement(gast.If)
def exec_if(cx: Context, node: gast.If, rest: list[gast.AST]) -> bool:
    cond = condition(cx, node.test)
    static = cx.static_value(cond)
    if isinstance(static, bool):
        exec_block(cx, node.body if static else node.orelse)
        return False
    return branch(
        cx,
        cond,
        lambda: exec_side(cx, node.test, node.body),
        lambda: exec_side(cx, node.test, node.orelse),
        lambda: exec_side(cx, node.test, rest) if rest else None,
    )


def exec_side(cx: Context, test: gast.AST, body: list[gast.AST]) -> None:
    """Read a branch, or what follows it where the other one leaves the block, unless it may be left out."""
    leave_out(cx, test, body)
    exec_block(cx, body)


def exec_guarded(cx: Context, alive: Value, rest: list[gast.AST]) -> None:
    """The rest of a block that may have been left already."""

    def go_on() -> None:
        stay(cx, cx.frame)
        exec_block(cx, rest)

    branch(cx, alive, go_on, functools.partial(left, cx), None)


def left(cx: Context) -> None:
    """Here the block has been left: by ``return`` or by an exception, where nothing else is possible."""
    flags = {name: cx.state.get_name(cx.frame, name) for name in EXITS}
    open_ = [name for name, flag in flags.items() if flag is not None and not cx.is_static(flag)]
    if open_ in (["$return"], ["$raised"]):
        cx.state.set_name(cx.frame, open_[0], Lit(True))


def branch(
    cx: Context,
    cond: Value,
    then: Callable[[], None],
    orelse: Callable[[], None],
    after: Callable[[], None] | None,
) -> bool:
    """Read both branches into an If. Where one of them leaves the block for certain, what comes ``after``
    belongs to the other; then the result is True."""
    return region(cx, lambda: _branch(cx, cond, then, orelse, after))


def _branch(
    cx: Context,
    cond: Value,
    then: Callable[[], None],
    orelse: Callable[[], None],
    after: Callable[[], None] | None,
) -> bool:
    since, entry = now(), cx.state
    start, cx.branch_start = cx.branch_start, Var(Scalar("bool")).id
    span = cx.builder.span
    cx.conditions.append((cx.builder.block, cond))
    try:
        told = [list(facts_told(cx, cond, holds)) for holds in (True, False)]
        sides = [side(cx, entry, run, None, facts) for run, facts in zip((then, orelse), told, strict=True)]
        left = [leaves(cx, state) for state, _ in sides]
        absorbed = False
        if after is not None and left[0] != left[1] and not any(state.dead for state, _ in sides):
            position = left.index(False)
            if stays(cx, sides[position][0]):
                sides[position] = side(cx, sides[position][0], after, sides[position][1], told[position])
                absorbed = True
        cx.flag_cond = cond if isinstance(cond, Var) and cond.type == Scalar("bool") else None
        cx.state, phis = merged(cx, since, (sides[0], sides[1]), cond)
    finally:
        cx.conditions.pop()
        cx.flag_cond, cx.branch_start = None, start
    sides[0][1].results, sides[1][1].results = tuple(phis.then), tuple(phis.orelse)
    cx.builder.append(If(cx.arg(cond), sides[0][1], sides[1][1], tuple(phis.outs), span, cx.builder.adjoint))
    cx.builder.span = span
    return absorbed


def is_boolean(type: Type) -> bool:
    return isinstance(type, Scalar) and type.kind == "bool"


def merged(cx: Context, since: int, sides: Sides, cond: Value) -> tuple[State, Phis]:
    """What both sides lead to, and the values that differ.

    Lists that get a run-time length meanwhile move arrays to heaps, at the end of a side: a heap, and a name
    of such an array, may have been met by then. So all is merged again, until nothing moves.
    """
    flag = cond if isinstance(cond, Var) and is_boolean(cond.type) else None
    while True:
        moved, phis = len(cx.moved), Phis(flag=flag)
        try:
            state = merge_states(cx, since, sides, phis)
        except AdError:
            if cx.inputs is not None:  # two structures: perhaps the condition can be made static
                cx.inputs.demand(list(variables(cx.arg(cond))))
            raise
        if len(cx.moved) == moved:
            return state, phis


def side(
    cx: Context, entry: State, run: Callable[[], None], block: Block | None, facts: list[Fact]
) -> tuple[State, Block]:
    """Read one side, on which the condition tells some facts."""
    cx.state = entry.fork()
    with cx.builder.nested(block or Block()) as block:
        try:
            narrow(cx, facts)
            run()
        except Raised:
            cx.state.dead = True
        except AdError as problem:
            if not is_certain(problem, block):
                raise
            raise_certain(cx, problem)
            cx.state.dead = True
    return cx.state, block


def leaves(cx: Context, state: State) -> bool:
    """Whether control leaves the block for certain."""
    return state.dead or any(cx.static_value(state.get_name(cx.frame, name)) is True for name in EXITS)


def stays(cx: Context, state: State) -> bool:
    """Whether control goes on for certain."""
    flags = [state.get_name(cx.frame, name) for name in EXITS]
    return all(f is None or cx.static_value(f) is False for f in flags)


# ----- truth
def truth(cx: Context, value: Value) -> Any:
    """``bool(value)``: Lit(True/False), or a run-time boolean."""
    if isinstance(value, (Tup, Lst, Dct)):
        content = value.items if isinstance(value, Tup) else cx.state.get(value)
        if isinstance(content, Var):
            return cx.emit(operator.gt, doors.length(cx, value), Lit(0))
        return Lit(bool(content))
    if isinstance(value, Lit) and class_of(value) is None:
        return Lit(bool(value.value))
    if isinstance(value, Range):
        return truth(cx, doors.length(cx, value))
    if not isinstance(value, (Var, Arr)):
        return truth_of_object(cx, value)
    var = cx.variable(value)
    known = cx.static_value(var)
    if isinstance(known, (bool, int, float)):
        return Lit(bool(known))
    if isinstance(var.type, Optional):
        return cx.emit(bool, var)
    if isinstance(var.type, Scalar) and var.type.kind == "bool":
        return var
    if (
        isinstance(var.type, Array)
        and (var.type.ndim or 0) > 0
        and any(isinstance(d, int) and d > 1 for d in var.type.shape or ())
    ):
        raise cx.unsupported(
            "the truth value of an array", "it has more than one element", "use .any() or .all()"
        )
    return cx.emit(bool, var)


def truth_of_object(cx: Context, value: Value) -> Any:
    """What the class of an object says about its truth; of what has no say it is true."""
    cls = type(value.value) if isinstance(value, Live) else class_of(value)
    for name in ("__bool__", "__len__") if cls is not None else ():
        method = special(cx, value, name)
        if method is not None:
            return truth(cx, doors.call(cx, method, [], {}))
        if name == "__len__" and isinstance(value, Live) and isinstance(value.value, MAPPINGS):
            return truth(cx, doors.length(cx, value))  # of no code of Python's: what it holds is read
        if cls is not None and hasattr(cls, name):
            raise cx.unsupported(
                f"the truth value of a {cls.__name__}", "what it holds is not followed", "use a list"
            )
    return Lit(True)


def python_bool(cx: Context, cond: Value) -> Any:
    """A truth value as Python's own: two of them add up to 2, NumPy's to True."""
    own = isinstance(cond, Lit) or cx.variable(cond).type == Scalar("bool")
    return cond if own else cx.emit(bool, cond)


# ----- expressions with branches
@expression(gast.IfExp)
def eval_if_exp(cx: Context, node: gast.IfExp) -> Any:
    cond = condition(cx, node.test)
    static = cx.static_value(cond)
    if isinstance(static, bool):
        return evaluate(cx, node.body if static else node.orelse)
    return choose(cx, cond, lambda: evaluate(cx, node.body), lambda: evaluate(cx, node.orelse))


def choose(cx: Context, cond: Value, then: Callable[[], object], orelse: Callable[[], object]) -> Any:
    """``then() if cond else orelse()`` as a region with a result."""
    frame = cx.frame
    outer = cx.state.get_name(frame, "$choice")

    def run(side: Callable[[], object]) -> Callable[[], None]:
        def choice() -> None:
            value = side()  # may replace the store
            cx.state.set_name(frame, "$choice", value)

        return choice

    branch(cx, cond, run(then), run(orelse), None)
    if cx.state.dead:
        raise Raised
    result = cx.state.get_name(frame, "$choice")
    cx.state.set_name(frame, "$choice", outer)
    if isinstance(result, Var) and result.hint == "choice":
        result.hint = None
    if isinstance(result, Arr) and result.initial is not None and result.initial.hint == "choice":
        result.initial.hint = None
    return result


doors.choose = choose


@expression(gast.BoolOp)
def eval_bool_op(cx: Context, node: gast.BoolOp) -> Any:
    """``and`` / ``or`` return an operand, evaluated only if need be."""
    return first_that_decides(cx, node, lambda operand: evaluate(cx, operand))


def condition(cx: Context, node: gast.AST) -> Any:
    """``bool(node)``; of ``a and b`` that needs no operand, which may be a list or a number."""
    if type(node).__name__ == "BoolOp":
        return first_that_decides(cx, node, lambda operand: condition(cx, operand))
    return truth(cx, evaluate(cx, node))


def first_that_decides(cx: Context, node: gast.BoolOp, read: Callable[[gast.AST], Any]) -> Any:
    """The first operand of ``and`` that is false, of ``or`` that is true, or the last one, as ``read``."""
    is_and = type(node.op).__name__ == "And"

    def go(position: int) -> Any:
        value = read(node.values[position])
        if position == len(node.values) - 1:
            return value
        cond = truth(cx, value)
        static = cx.static_value(cond)
        if isinstance(static, bool):
            return go(position + 1) if static == is_and else value
        if is_and:
            return choose(cx, cond, lambda: go(position + 1), lambda: value)
        return choose(cx, cond, lambda: value, lambda: go(position + 1))

    return go(0)


doors.branch = branch
doors.condition = condition
doors.exec_guarded = exec_guarded
doors.python_bool = python_bool
doors.truth = truth
