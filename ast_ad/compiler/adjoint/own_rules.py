"""What is the adjoint of a call whose derivative rule is the user's own?

The front end's reading of such a call ends with one operation, ``ruled``: its results are the values that the
function returned, and its ``OwnRule`` is the reverse sweep over the call, as a block that was read then.
Nothing behind ``ruled`` reads the values themselves, so the function's own operations are never
differentiated; where nobody differentiates, they are all that is left (``without_rules``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...errors import AdError
from ..ir.builtin import ruled
from ..ir.ops import Arg, Block, Function, Lit, Op, Seq, Statement, Var, blocks, walk
from ..simplify.dead_code import eliminate_dead_code
from ..simplify.renaming import Renaming, copy_block, renamed, replace_reads

if TYPE_CHECKING:
    from .adjoint import Sweep


@dataclass(frozen=True, eq=False)
class OwnRule:
    """From the cotangents of what a function returned to those of its arguments.

    ``body`` computes a cotangent for each of the operation's inputs, or None. It reads ``bars``, the
    cotangents of the values, ``answers``, which stand for the operation's results, and ``reads``, values of
    the program. ``missing``: why there is no derivative at all; ``refusal``: why there is none by others.
    """

    name: str
    bars: tuple[Var, ...] = ()
    answers: tuple[Var, ...] = ()
    reads: tuple[Var, ...] = ()
    body: Block = field(default_factory=Block)
    missing: AdError | None = None
    refusal: AdError | None = None

    def __repr__(self) -> str:
        return f"<the rule of {self.name}>"


def adjoint_of_ruled(sweep: Sweep, op: Op, bars: list[Arg | None]) -> None:
    """Put the rule's block into the sweep."""
    told, _, inputs, others, reads = op.args
    assert isinstance(told, Lit) and isinstance(inputs, Seq) and isinstance(reads, Seq)
    rule: OwnRule = told.value
    if sweep.activity.of(others):
        assert rule.refusal is not None
        raise rule.refusal.at(op.span)
    if rule.missing is not None:
        raise rule.missing.at(op.span)
    names: Renaming = dict(zip(rule.reads, reads.items, strict=True))
    names.update(zip(rule.answers, op.outs, strict=True))
    for var, bar, out in zip(rule.bars, bars, op.outs, strict=True):
        names[var] = sweep.bars.complete(bar, out)
    block = copy_block(rule.body, names)
    for inner in walk(block):
        inner.span, inner.adjoint = op.span, True
    for statement in block.ops:
        sweep.builder.append(statement)
    for arg, found in zip(inputs.items, block.results, strict=True):
        sweep.bars.add(arg, found)


def without_rules(function: Function) -> Function:
    """The function, in place, as it runs: what ``ruled`` returns is what it was given."""
    names: Renaming = {}
    _drop(function.body, names)
    if names:
        replace_reads(function.body, names)
        eliminate_dead_code(function)
    return function


def _drop(block: Block, names: Renaming) -> None:
    kept: list[Statement] = []
    for op in block.ops:
        if isinstance(op, Op) and op.fn is ruled:
            values = op.args[1]
            assert isinstance(values, Seq)
            for out, value in zip(op.outs, values.items, strict=True):
                names[out] = found = renamed(value, names)
                if isinstance(found, Var) and found.hint is None:
                    found.hint = out.hint
            continue
        for inner in blocks(op):
            _drop(inner, names)
        kept.append(op)
    block.ops = kept
