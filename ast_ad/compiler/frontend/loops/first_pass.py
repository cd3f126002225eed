"""When is the first pass of a loop read by itself, and the others as a region?

What a loop finds in its first pass may be nothing, or a number in place of an array: Python and NumPy don't
mind, kernels know no such value. All other passes often find one kind.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable
from typing import Any

import gast

from ....errors import AdError
from ...ir.dims import reaches
from ...ir.ops import Arg, Block, For, Lit, Statement, Undefined, Var, While, walk
from ...ir.types import Array, Dim, Scalar, has_one_kind
from ..constructs.branches import truth
from ..context import Context
from ..length_patterns import Known
from ..store.heaps import back
from ..types.dummies import int_size
from ..types.joins import ShapeChange
from ..values import State, Value
from .fixpoint import fixpoint
from .iteration import IDENTITY
from .passes import EveryPassRaises, Passes
from .unrolling import pass_and_rest

Spec = tuple[Value, Value, Value, Value, Callable[[Value], Value]]  # what a loop runs over, of ``iteration``


# ----- whether there is a first pass
def runs_for_certain(count: Value) -> bool:
    """Whether a trip count is 1 at least."""
    least = int_size(count) if isinstance(count, (Var, Lit)) else None
    return isinstance(least, (int, Dim)) and reaches(least, 1)


def any_turn(cx: Context, count: Value, start: Value, stop: Value, step: Value) -> Any:
    """Whether a range is not empty."""
    known, by = cx.static_value(count), cx.static_value(step)
    if isinstance(known, int):
        return Lit(known > 0)
    pair = (count, Lit(0)) if not isinstance(by, int) else (stop, start) if by > 0 else (start, stop)
    return truth(cx, cx.emit(operator.gt, *pair))  # a limit may be an array without axes


# ----- loops of kernels
def wants_settled(cx: Context) -> bool:
    """Whether code is made for kernels."""
    return cx.inputs is not None and cx.inputs.lengths.known is not Known.ONES


def carries_settled(made: Iterable[Statement]) -> bool:
    """Whether loops carry values of one kind each, as many axes as they have in all passes."""
    loops = (op for top in made for op in walk(Block([top])) if isinstance(op, (For, While)))
    return all(has_one_kind(var.type) for op in loops for var in op.params)


def leaves_all(made: Iterable[Statement]) -> bool:
    """Whether each array has a value before the loop already that has one behind it."""
    loops = (op for op in made if isinstance(op, For))
    return not any(
        isinstance(init, Undefined) and isinstance(init.type, Array) for op in loops for init in op.inits
    )


def settle_first(
    cx: Context,
    spec: Spec,
    body: Callable[[Value], None],
    names: set[str],
    target: gast.AST,
    live: Collection[str] | None,
    before: tuple[State, int],
) -> None:
    """Read a loop anew, its first pass apart, if all that it carries has one kind then.

    That it has a first pass is asked of the arguments. ``before``: the store and the block as they were.
    """
    entry, mark = before
    settled = carries_settled(cx.builder.block.ops[mark:])
    if settled and leaves_all(cx.builder.block.ops[mark:]):
        return
    if not runs_for_certain(spec[0]):
        count = int_size(spec[0]) if isinstance(spec[0], Var) else None
        if isinstance(count, Dim):
            cx.outside().demand_several(count)
        return
    if settled:
        return
    behind, made, moved = cx.state, cx.builder.block.ops[mark:], len(cx.moved)
    del cx.builder.block.ops[mark:]
    cx.state = entry.fork()
    try:
        if first_pass_apart(cx, spec, body, names, target, live):
            if carries_settled(cx.builder.block.ops[mark:]):
                return
    except AdError:  # what was read before stands
        pass
    back(cx, moved)
    cx.builder.block.ops[mark:] = made
    cx.state = behind


# ----- the passes
def first_pass_apart(
    cx: Context,
    spec: Spec,
    body: Callable[[Value], None],
    names: set[str],
    target: gast.AST,
    live: Collection[str] | None,
) -> bool:
    """Read the first pass by itself, if the others leave the structure as it is; False: nothing is read."""
    count, start, stop, step, get = spec
    entry, mark = cx.state.fork(), len(cx.builder.block.ops)
    second = cx.emit(operator.add, start, step)
    passes = Passes(live, lambda: any_turn(cx, cx.emit(operator.sub, count, Lit(1)), second, stop, step))

    def rest() -> None:
        region_loop(cx, (second, stop, step), get, body, names, target, passes)

    try:
        pass_and_rest(cx, lambda: body(get(start)), rest)
    except (ShapeChange, EveryPassRaises, AdError) as problem:
        if getattr(problem, "aliased", False):
            raise
        del cx.builder.block.ops[mark:]
        cx.state = entry
        return False
    return True


def region_loop(
    cx: Context,
    bounds: tuple[Value, Value, Value],
    get: Callable[[Value], Value],
    body: Callable[[Value], None],
    names: set[str],
    target: gast.AST,
    passes: Passes,
) -> None:
    hint = target.id if type(target).__name__ == "Name" and get is IDENTITY else None
    start, stop, step = map(cx.arg, bounds)

    def make(params: Any, inits: Any, block: Block, outs: Any, stops: bool) -> None:
        cx.builder.append(
            For(
                index,
                (start, stop, step),
                (),
                params,
                inits,
                block,
                outs,
                False,
                stops,
                span,
                cx.builder.adjoint,
            )
        )

    span = cx.builder.span
    passes.index = index = Var(Scalar("int"), hint)
    if isinstance(step, Lit):
        index.type = Scalar("int", None, Dim.between(("int", index.id), *ends(start, stop, step.value)))

    def once() -> None:
        body(get(index))

    fixpoint(cx, once, names, make, passes, runs_over=1)


def ends(start: Arg, stop: Arg, step: int) -> tuple[Dim | int | None, Dim | int | None]:
    """The least and the largest number that a range may hold; None where it is not known."""
    first, end = int_size(start), int_size(stop)
    known_first, known_end = (n if isinstance(n, (int, Dim)) else None for n in (first, end))
    if step > 0:
        return known_first, None if known_end is None else known_end - 1
    return None if known_end is None else known_end + 1, known_first
