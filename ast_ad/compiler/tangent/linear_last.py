"""What of a program is linear in its last parameters? That is moved behind all the rest.

``linear_last(function, count, residuals, region) -> Function``. Of programs with tangents that are split in
two, before ``split``: the answer of ``linearize`` must not do again what is not linear.

``tangent`` leaves the linear statements where the others are, in the same loops and branches. A loop becomes
two: the first is what it was without tangents, the second runs in the same order and computes these. What the
second needs of the values of a turn is saved, or computed again, as in the reverse sweep of a loop; so are
the values of a branch. Of linear loops, one that only adds up what another has recorded runs within that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..adjoint.branch_adjoints import yield_needed
from ..adjoint.loop_adjoints import save_needed
from ..adjoint.residuals import Policy
from ..analysis.invariants import require
from ..analysis.undefined import doubtful_values
from ..frontend.builder import Builder
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Op,
    Statement,
    Var,
    While,
    binders,
    operands,
    variables,
    walk,
)
from ..loops.loop_fusion import fuse_block
from ..simplify.dead_code import eliminate
from ..simplify.renaming import copy_function, copy_statement, defined, free
from ..simplify.simplify import simplify, simplify_block


def linear_last(
    function: Function, count: int, residuals: Policy = "cheap", region: bool = False
) -> Function:
    """The same program, whose statements that depend on its last parameters are its last ones.

    Args:
        function: it is not changed.
        count: how many parameters.
        residuals, region: see ``adjoint``.

    Raises:
        BrokenInvariant: a pass made a program whose types can't be relied on.
    """
    joint = copy_function(function)
    outer = free(joint.body) if region else ()
    seeds = joint.params[len(joint.params) - count :]
    late = Block(Distribution(joint.body, seeds, residuals).block(joint.body), joint.body.results)
    fuse_block(late)
    joint.body.ops += late.ops
    joint.body.results = late.results
    return require(simplify(joint), outer)


class Distribution:
    """Parts regions in two. ``undefined``, ``residuals``, ``builder``: as of the sweep of ``adjoint``."""

    def __init__(self, body: Block, seeds: tuple[Var, ...], residuals: Policy) -> None:
        self.undefined, self.residuals = doubtful_values(body), residuals
        self.recorded = set[Var]()
        self.builder = Builder(Block(), adjoint=True)
        self.late = dependents(body, seeds)

    def block(self, block: Block) -> list[Statement]:
        """Take the late statements out of a block, and return them."""
        early, late = list[Statement](), list[Statement]()
        for op in block.ops:
            if _decides(op, self.late):
                late.append(op)
                continue
            early.append(op)
            if not isinstance(op, Op) and not self.late.isdisjoint(bound(op)):
                late += self.branch(op) if isinstance(op, If) else self.loop(op)
        block.ops = early
        return late

    def places(self, variables: tuple[Var, ...]) -> tuple[list[int], list[int]]:
        """Which of them are early, and which late."""
        early = [i for i, var in enumerate(variables) if var not in self.late]
        return early, [i for i, var in enumerate(variables) if var in self.late]

    def branch(self, op: If) -> list[Statement]:
        """Let a branch yield its early results only, and return that of the late ones."""
        early, late = self.places(op.outs)
        outs, sides = _chosen(op.outs, late), list[Block]()
        for side in (op.then, op.orelse):
            statements = self.block(side)
            sides.append(Block(statements, _chosen(side.results, late)))
            side.results = _chosen(side.results, early)
        op.outs = _chosen(op.outs, early)
        for side, block in zip((op.then, op.orelse), sides, strict=True):
            simplify_block(block)
            eliminate(block)
            yield_needed(self, op, side, block)
        then, orelse = sides
        return [If(op.cond, then, orelse, outs, op.span, adjoint=True)] if outs else []

    def loop(self, op: For | While) -> list[Statement]:
        """Let a loop carry its early values only, and return the loop of the late ones."""
        early, late = self.places(op.outs)
        items = [(s, v) for s, v in op.items if not self.late.isdisjoint(v)] if isinstance(op, For) else []
        whole = copied(op, late) if items and op.stops and op.reverse else None  # type: ignore[union-attr]
        stops, results = op.body.results[: op.stops], op.body.results[op.stops :]
        self.recorded.update([*defined(op.body), *binders(op)])
        statements = self.block(op.body)
        loop = Loop(
            list(_chosen(op.params, late)),
            _chosen(op.inits, late),
            Block(statements, _chosen(results, late)),
            _chosen(op.outs, late),
        )
        op.body.results = (*stops, *_chosen(results, early))
        op.params, op.inits, op.outs = (_chosen(part, early) for part in (op.params, op.inits, op.outs))
        second = whole or self.second(op, loop, items)
        if isinstance(op, For):
            op.items = tuple((s, v) for s, v in op.items if self.late.isdisjoint(v))
        return second if loop.outs else []

    def second(self, op: For | While, loop: Loop, items: list[Item]) -> list[Statement]:
        """The loop of the late values, with what comes before it."""
        simplify_block(loop.block)
        eliminate(loop.block)
        block = Block()
        with self.builder.nested(block):
            index, bounds, found, reverse = save_needed(self, op, loop, forward=True)
        if op.stops:
            found += tuple(items)  # of as many turns as there were
        parts = index, bounds, found, tuple(loop.params), loop.inits, loop.block, loop.outs, reverse
        return [*block.ops, For(*parts, span=op.span, adjoint=True)]


Item = tuple[Arg, tuple[Var, ...]]


@dataclass
class Loop:
    """What a loop carries of late values, and computes of them."""

    params: list[Var]
    inits: tuple[Arg, ...]
    block: Block
    outs: tuple[Var, ...]


def _chosen(parts: tuple[Any, ...], places: list[int]) -> tuple[Any, ...]:
    return tuple([parts[i] for i in places])


def copied(op: For | While, late: list[int]) -> list[Statement]:
    """A copy of a whole loop, for its results in the places that are late."""
    copy = copy_statement(op, {})
    assert isinstance(copy, (For, While))
    copy.outs = tuple(
        [out if i in late else new for i, (out, new) in enumerate(zip(op.outs, copy.outs, strict=True))]
    )
    return [copy]


# ----- what depends on the seeds ----------------------------------------------------------------------------
def dependents(body: Block, seeds: tuple[Var, ...]) -> set[Var]:
    """The Vars of a block, and of the regions within, that depend on one of the seeds."""
    late, size = set(seeds), -1
    while size != len(late):
        size = len(late)
        for op in walk(body):
            if _decides(op, late):
                late.update(bound(op))
            elif isinstance(op, If):
                sides = zip(op.outs, op.then.results, op.orelse.results, strict=True)
                late.update(out for out, *results in sides if _any(late, *results))
            elif isinstance(op, (For, While)):
                carried = zip(op.params, op.outs, op.inits, op.body.results[op.stops :], strict=True)
                for param, out, *sources in carried:
                    if _any(late, param, out, *sources):
                        late.update((param, out))
                for source, items in op.items if isinstance(op, For) else ():
                    if _any(late, source):
                        late.update(items)
    return late


def _decides(op: Statement, late: set[Var]) -> bool:
    """Whether all of a statement depends on late values: an operation, or what tells which turns are run."""
    if isinstance(op, (Op, If)):
        return _any(late, *operands(op))
    stops = op.body.results[:1] if op.stops else ()
    return _any(late, *stops, *((op.range or ()) if isinstance(op, For) else op.cond.results))


def _any(late: set[Var], *args: Arg) -> bool:
    return not late.isdisjoint(variables(*args))


def bound(op: Statement) -> list[Var]:
    """What a statement and those within it bind."""
    inner = walk(Block([op]))
    return [var for one in inner for var in (*one.outs, *binders(one))]
