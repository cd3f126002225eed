"""What is the adjoint of a branch?

``reverse_if(sweep, op) -> None``, where the sweep of ``adjoint`` meets an ``If``; ``Sweep.run`` comes back to
the statements of both sides. The reverse sides are simplified before their residuals are chosen, so that
nothing is saved for statements that are dropped.

The adjoint is an ``If`` on the same condition: each side sweeps back over the primal side. It yields the
cotangents, so far, of the outer values to which either side adds. What a side needs of the primal side's own
values is an additional result of the primal ``If``. An array that a loop around it changes is not read for a
few elements only: the loop would save all of it in each turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...rules import helpers
from ..ir.builtin import undefined
from ..ir.ops import Arg, Block, If, Op, Var
from ..simplify.dead_code import eliminate
from ..simplify.renaming import Renaming, defined, free, replace_reads
from ..simplify.simplify import simplify_block
from .contributions import Cotangents, bar_hint, common_type, cotangent_type
from .recomputation import is_long
from .residuals import borrow_metadata, plan, read_for_metadata_only, read_for_values, repeat_into

if TYPE_CHECKING:
    from .adjoint import Sweep
    from .loop_adjoints import Saving


def reverse_if(sweep: Sweep, op: If) -> None:
    """Emit the adjoint of an If, and let the If yield what the adjoint needs."""
    bars = [sweep.bars.take(out) for out in op.outs]
    if all(bar is None for bar in bars):
        return
    outer = sweep.bars
    sides = [reverse_side(sweep, branch, bars) for branch in (op.then, op.orelse)]
    touched: dict[Var, Arg | None] = {}
    for _, scope in sides:
        touched.update(scope.touched)
    targets = list(touched)
    for block, scope in sides:
        with sweep.builder.nested(block):
            block.results = tuple(_updated(scope, outer, var) for var in targets)
    for branch, (block, _) in zip((op.then, op.orelse), sides, strict=True):
        simplify_block(block, sweep.settled)
        eliminate(block)
        yield_needed(sweep, op, branch, block)
    outs = tuple(
        Var(common_type([cotangent_type(v.type)]), bar_hint(v), cotangent_of=v.type) for v in targets
    )
    sweep.builder.divisors.merged.update(outs)
    if outs:
        sweep.builder.append(If(op.cond, sides[0][0], sides[1][0], outs, op.span, adjoint=True))
    for var, out in zip(targets, outs, strict=True):
        outer.inherit(var, out)
        outer.values[var] = out


def reverse_side(sweep: Sweep, branch: Block, bars: list[Arg | None]) -> tuple[Block, Cotangents]:
    """The reverse sweep over one side, in a block of its own, and the cotangents that it leaves."""
    outer = sweep.bars
    scope = Cotangents(sweep.builder, sweep.activity, sweep.undefined, defined(branch), outer.get)
    block = Block()
    sweep.bars = scope
    with sweep.builder.nested(block):
        for result, bar in zip(branch.results, bars, strict=True):
            scope.add(result, bar)
        sweep.run(list(branch.ops))
    sweep.bars = outer
    return block, scope


def _updated(scope: Cotangents, outer: Cotangents, var: Var) -> Arg:
    """The cotangent of an outer value after a side: as the side left it, as it was before, or zero."""
    bar = scope.values.get(var)
    if bar is None:
        bar = outer.get(var)
    return scope.complete(bar, var)


def yield_needed(sweep: Saving, op: If, branch: Block, reverse: Block) -> None:
    """Let the reverse side read the primal side's values as results of the If, or compute them again."""
    local = set(defined(branch))
    shapes_only = read_for_metadata_only(reverse)
    read = free(reverse)
    donors = [v for v in read if v not in local and v not in sweep.undefined]

    def dear(var: Var) -> bool:
        return var not in local and var in sweep.recorded and is_long(var.type)

    needed = [v for v in borrow_metadata(reverse, local, donors, read) if v in local or dear(v)]
    needed = [v for v in needed if v in local or v not in shapes_only]
    choice = plan(
        needed, branch, lambda v: v not in local and not dear(v), shapes_only, sweep.residuals, dear
    )
    shapes_only -= read_for_values(choice.repeated)
    names: Renaming = {}
    for var in filter(local.__contains__, choice.saved):
        position = next((i for i, result in enumerate(branch.results) if result is var), None)
        names[var] = (
            _new_result(sweep, op, branch, var, var in shapes_only) if position is None else op.outs[position]
        )
    repeat_into(reverse, choice.repeated, names)
    replace_reads(reverse, names)


def _new_result(sweep: Saving, op: If, branch: Block, var: Var, shape_only: bool) -> Var:
    """One more result of the primal If: a value of one side, undefined on the other."""
    value, out = var, Var(var.type, var.hint)
    if shape_only and var not in sweep.undefined:
        value = Var(var.type)
        branch.ops.append(Op(helpers.hollow, (var,), (value,), {}, op.span))
    other = op.orelse if branch is op.then else op.then
    nothing = Var(var.type)
    other.ops.append(Op(undefined, (), (nothing,), {}, op.span))
    branch.results += (value,)
    other.results += (nothing,)
    op.outs += (out,)
    sweep.undefined |= {nothing, out}
    return out
