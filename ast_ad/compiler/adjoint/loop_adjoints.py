"""What is the adjoint of a loop?

``reverse_loop(sweep, op) -> None``, where the sweep of ``adjoint`` meets a loop; ``Sweep.run`` comes back to
the statements of the body. The adjoint's body is simplified before its residuals are chosen, so that nothing
is saved for statements that are dropped.

The adjoint is a ``For`` that runs backwards. It carries the cotangents of the carried values and of the outer
values that the body reads. What the sweep over the body needs of the body's own values, and can't have
otherwise, the primal loop appends to a list, the tape, one element an iteration; the adjoint is zipped with
it.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...errors import UnsupportedError
from ...rules import containers, helpers
from ..frontend.builder import Builder, type_of_arg
from ..ir.ops import Arg, Block, For, Lit, Op, Seq, Var, While, binders, reads, variables
from ..ir.types import Array, ListOf, Scalar
from ..simplify.dead_code import eliminate
from ..simplify.renaming import Renaming, bound_within, defined, free, fresh, replace_reads
from ..simplify.simplify import simplify_block
from .computed_before import read_computed
from .contributions import Cotangents, bar_hint, common_type, cotangent_type
from .residuals import (
    Policy,
    borrow_metadata,
    keep_lengths,
    plan,
    read_for_metadata_only,
    read_for_values,
    repeat_into,
)

if TYPE_CHECKING:
    from .adjoint import Sweep

Item = tuple[Arg, tuple[Var, ...]]


@dataclass
class Reverse:
    """The adjoint loop while it is built. ``carried``: positions of the active carried values; ``params``
    their cotangents, then those of outer values, then the lists of the items' cotangents."""

    carried: list[int]
    params: list[Var]
    block: Block
    scope: Cotangents
    inits: list[Arg] = field(default_factory=list)
    accumulators: dict[Var, Var] = field(default_factory=dict)
    lists: dict[int, Var] = field(default_factory=dict)


def reverse_loop(sweep: Sweep, op: For | While) -> None:
    """Emit the adjoint of a loop, and let the loop save what the adjoint needs."""
    active = sweep.activity.active
    carried = [j for j, pair in enumerate(zip(op.params, op.outs, strict=True)) if active.intersection(pair)]
    bars = [sweep.bars.take(op.outs[j]) for j in carried]
    if all(bar is None for bar in bars):
        return
    outer = sweep.bars
    loop = sweep_body(sweep, op, carried)
    loop.inits = [outer.complete(bar, op.outs[j]) for j, bar in zip(carried, bars, strict=True)]
    loop.inits += [outer.complete(outer.get(var), var) for var in loop.accumulators]
    loop.inits += [Seq((), list) for _ in loop.lists]
    loop.params += [*loop.accumulators.values(), *loop.lists.values()]
    simplify_block(loop.block, sweep.settled)
    read_computed(loop.block, op.body)
    eliminate(loop.block)
    index, bounds, items, reverse = save_needed(sweep, op, loop)
    outs = tuple(Var(p.type, p.hint) for p in loop.params)
    sweep.builder.divisors.merged.update(outs)
    for param, out in zip(loop.params, outs, strict=True):
        loop.scope.inherit(param, out)
    for j, out in zip(loop.carried, outs, strict=False):
        for value in variables(op.inits[j]):
            loop.scope.inherit(value, out)
    sweep.builder.append(
        For(
            index,
            bounds,
            items,
            tuple(loop.params),
            tuple(loop.inits),
            loop.block,
            outs,
            reverse,
            span=op.span,
            adjoint=True,
        )
    )
    _propagate(sweep, op, loop, outs)


def _propagate(sweep: Sweep, op: For | While, loop: Reverse, outs: tuple[Var, ...]) -> None:
    """Add the adjoint loop's results to the cotangents of what the primal loop read."""
    bars = list(outs)
    initial = [(op.inits[j], bars.pop(0)) for j in loop.carried]
    for var in loop.accumulators:
        sweep.bars.values[var] = bars.pop(0)
    for init, bar in initial:
        sweep.bars.add(init, bar)
    for position, bar in zip(loop.lists, bars, strict=True):
        assert isinstance(op, For)
        sweep.bars.add(op.items[position][0], _in_order(sweep, op, position, bar))


def _in_order(sweep: Sweep, op: For, position: int, bar: Var) -> Arg:
    """The cotangents of a list's elements, in its order: the adjoint visited them in the opposite one."""
    builder, source = sweep.builder, op.items[position][0]
    ordered: Arg = bar if op.reverse else builder.opaque(containers.list_reverse, (bar,), bar.type)
    if not op.stops:
        return ordered
    if op.reverse:
        raise UnsupportedError("a reversed loop over a list that stops early", op.span)
    length = builder.opaque(containers.list_len, (ordered,), Scalar("int"))
    rest = builder.opaque(containers.list_slice, (source, length, Lit(None), Lit(None)), bar.type)
    zeros = builder.opaque(containers.list_zeros_like, (rest,), bar.type)
    return builder.opaque(containers.list_concat, (ordered, zeros), bar.type)


# ----- the body -------------------------------------------------------------------------------------
def sweep_body(sweep: Sweep, op: For | While, carried: list[int]) -> Reverse:
    """The reverse sweep over the body, reading the body's Vars as if they were visible."""
    results = op.body.results[op.stops :]
    params = [
        Var(
            common_type(
                [
                    results[j].type if isinstance(results[j], Var) else op.outs[j].type,  # type: ignore[union-attr]
                    op.params[j].type,
                    op.outs[j].type,
                ]
            ),
            bar_hint(op.outs[j]) or bar_hint(op.params[j]),
        )
        for j in carried
    ]
    accumulators: dict[Var, Var] = {}

    def accumulator(var: Var) -> Var:
        accumulators[var] = Var(cotangent_type(var.type), bar_hint(var), cotangent_of=var.type)
        sweep.bars.inherit(var, accumulators[var])
        return accumulators[var]

    outer, block = sweep.bars, Block()
    own = [*defined(op.body), *binders(op)]
    scope = Cotangents(sweep.builder, sweep.activity, sweep.undefined, own, accumulator)
    sweep.recorded.update(own)
    sweep.builder.divisors.merged.update(params)
    for j, bar in zip(carried, params, strict=True):
        for value in variables(results[j]):  # what is missing only where no turn is run is of no matter here
            scope.inherit(value, bar)
    loop = Reverse(carried, list(params), block, scope, accumulators=accumulators)
    sweep.bars = scope
    with sweep.builder.nested(block):
        for j, bar in zip(carried, params, strict=True):
            scope.add(results[j], bar)
        sweep.run(list(op.body.ops))
        sweep.builder.span = op.span
        after = [_carried_on(scope, op.params[j], bar) for j, bar in zip(carried, params, strict=True)]
        lists = _append_items(sweep, op, loop) if isinstance(op, For) else []
        block.results = (*after, *(scope.values[var] for var in accumulators), *lists)
    sweep.bars = outer
    return loop


def _carried_on(scope: Cotangents, param: Var, bar: Var) -> Arg:
    """The cotangent that the iteration before continues with; zero where the body did not read the value."""
    same_shape = isinstance(param.type, Array) and param.type.shape is not None and param.type == bar.type
    if scope.values.get(param) is None and same_shape:
        zeros = helpers.zero_like if bar in scope.undefined else np.zeros_like
        return scope.builder.opaque(zeros, (bar,), bar.type)
    return scope.complete(scope.take(param), param)


def _append_items(sweep: Sweep, op: For, loop: Reverse) -> list[Arg]:
    """Collect the cotangents of the elements of the lists that the loop runs through."""
    found: list[Arg] = []
    for position, (_, items) in enumerate(op.items):
        if not any(v in sweep.activity.active for v in items):
            continue
        element = tuple(loop.scope.complete(loop.scope.take(v), v) for v in items)
        value = element[0] if len(items) == 1 else Seq(tuple(map(_part, element, items)))
        loop.lists[position] = growing = Var(ListOf(type_of_arg(value)), "bars")
        found.append(sweep.builder.opaque(containers.list_append, (growing, value), growing.type))
    return found


def _part(bar: Arg, var: Var) -> Arg:
    """A part of an element's cotangent: where a number has none, one of its type stands in its place."""
    absent = isinstance(bar, Lit) and bar.value is None
    kind = var.type.kind if absent and isinstance(var.type, Scalar) else ""
    return {"int": Lit(0), "bool": Lit(False)}.get(kind, bar)


# ----- the tape -------------------------------------------------------------------------------------
class Saving(Protocol):
    """What saves a region's values for another region: ``Sweep``, and what parts loops for tangents."""

    builder: Builder
    undefined: set[Var]
    recorded: set[Var]  # what a loop around it records, if it is read
    residuals: Policy


class Second(Protocol):
    """The second loop while it is built: what it carries, and its body."""

    params: list[Var]
    block: Block


def save_needed(
    sweep: Saving, op: For | While, loop: Second, forward: bool = False
) -> tuple[Var, tuple[Arg, Arg, Arg] | None, tuple[Item, ...], bool]:
    """Give the adjoint loop what it reads of the primal body: its index, range, items and direction.

    ``forward``: it runs in the order of the primal loop, not in the opposite one.
    """
    local = {*defined(op.body), *binders(op)}
    restartable = isinstance(op, For) and not op.stops
    in_step = set(binders(op)) - set(op.params) if restartable else set()
    shapes_only = read_for_metadata_only(loop.block)
    keep_lengths(loop.block, op.body, shapes_only & local - sweep.undefined)
    local |= set(defined(op.body))

    def dear(var: Var) -> bool:
        """A list of the loop around this one, of which that would save a copy for each of its own turns."""
        return var not in local and var in sweep.recorded and isinstance(var.type, ListOf)

    needed = borrow_metadata(loop.block, local, _shape_donors(sweep, op, loop, local))
    choice = plan(
        [v for v in needed if v in local or dear(v)],
        op.body,
        lambda v: v not in local and not dear(v) or v in in_step,
        shapes_only,
        sweep.residuals,
        dear,
    )
    names: Renaming = {}
    shapes_only -= read_for_values(choice.repeated)  # what is computed again reads more than the sweep itself
    saved = [v for v in choice.saved if v in local]
    tape = _record(sweep, op, saved, shapes_only, names) if saved else None
    repeat_into(loop.block, choice.repeated, names)
    read = set(free(loop.block))
    replace_reads(loop.block, names)
    items: list[Item] = []
    bounds: tuple[Arg, Arg, Arg] | None = None
    index = Var(Scalar("int"))
    if restartable:
        assert isinstance(op, For)
        if op.range is not None and (op.index in read or tape is None):
            bounds = op.range
        if op.index in read:
            index = fresh(op.index, names)
        for source, variables in op.items:
            if read.intersection(variables) or tape is None and op.range is None and not items:
                items.append((source, tuple(fresh(v, names) for v in variables)))
        replace_reads(loop.block, names)
    elif tape is None:
        bounds = (Lit(0), _count(op), Lit(1))
    backwards = (restartable and isinstance(op, For) and op.reverse) is forward
    if tape is not None:
        source, variables = tape
        if bounds is None and not items:
            backwards = not forward
        elif backwards is forward:
            source = sweep.builder.opaque(containers.list_reverse, (source,), source.type)
        items.append((source, variables))
    return index, bounds, tuple(items), backwards


def _shape_donors(sweep: Saving, op: For | While, loop: Second, local: set[Var]) -> list[Var]:
    """Visible values from which the adjoint loop may read shapes."""
    donors = [a for a in op.inits if isinstance(a, Var)]
    donors += [v for v in reads(op) if v not in local and v not in donors]
    inside = {*bound_within(Block([op])), *sweep.undefined}
    return [v for v in [*donors, *loop.params] if v not in inside]


def _record(
    sweep: Saving, op: For | While, saved: list[Var], shapes_only: set[Var], names: Renaming
) -> tuple[Var, tuple[Var, ...]]:
    """Let the loop append the values to a tape; ``names`` tells how the adjoint calls them."""
    by_op = set(defined(op.body)) - sweep.undefined
    kept: list[Arg] = []
    for var in saved:
        value = var
        if var in shapes_only and var in by_op and isinstance(var.type, Array):
            value = Var(var.type)
            op.body.ops.append(Op(helpers.hollow, (var,), (value,), {}, op.span))
        kept.append(value)
    element = kept[0] if len(kept) == 1 else Seq(tuple(kept))
    type = ListOf(type_of_arg(element))
    before, after, tape = Var(type, "tape"), Var(type, "tape"), Var(type, "tape")
    op.body.ops.append(Op(containers.list_append, (before, element), (after,), {}, op.span))
    _carry(op, before, Seq((), list), after, tape)
    return tape, tuple(fresh(var, names) for var in saved)


def _count(op: For | While) -> Var:
    """Let the loop count its iterations."""
    before, after, count = (Var(Scalar("int"), "count") for _ in range(3))
    op.body.ops.append(Op(operator.add, (before, Lit(1)), (after,), {}, op.span))
    _carry(op, before, Lit(0), after, count)
    return count


def _carry(op: For | While, param: Var, init: Arg, result: Var, out: Var) -> None:
    op.params += (param,)
    op.inits += (init,)
    op.body.results += (result,)
    op.outs += (out,)
