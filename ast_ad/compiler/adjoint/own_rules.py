"""What is the adjoint of a call whose derivative rule is the user's own?

The front end's reading of such a call ends with one operation, ``ruled``: its results are the values that the
function returned, and its ``OwnRule`` is the reverse sweep over the call, as a block that was read then.
Nothing behind ``ruled`` reads the values themselves, so the function's own operations are not
differentiated. Once a derivative has used the rule, ``used_rules(function, rules) -> None`` puts the values
that ``fwd`` computed in place of the operation: what is differentiated next is the code of ``fwd`` and
``bwd``, as in JAX. Where nobody differentiates any more, the function's own operations are all that is left:
``without_rules(function) -> Function``, of the program as it is laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
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
    the program. ``tangent``: the same by the transpose of the rule for tangents, for what is transposed in
    its turn; without one the body is, unless there is a ``no_tangent``, the error that says why not.
    ``missing``: why there is no derivative at all; ``refusal``: why there is none by other values.
    """

    name: str
    bars: tuple[Var, ...] = ()
    answers: tuple[Var, ...] = ()
    reads: tuple[Var, ...] = ()
    body: Block = field(default_factory=Block)
    tangent: Block | None = None
    no_tangent: AdError | None = None
    not_linear: AdError | None = None
    missing: AdError | None = None
    refusal: AdError | None = None

    def __repr__(self) -> str:
        return f"<the rule of {self.name}>"


def adjoint_of_ruled(sweep: Sweep, op: Op, bars: list[Arg | None]) -> None:
    """Put the rule's block into the sweep."""
    rule, inputs, names = rule_of_call(op, sweep.activity.of)
    sweep.ruled.add(rule)
    completed = [sweep.bars.complete(bar, out) for bar, out in zip(bars, op.outs, strict=True)]
    names.update(zip(rule.bars, completed, strict=True))
    block = copy_block(rule.body, names)
    for inner in walk(block):
        inner.span, inner.adjoint = op.span, True
    for statement in block.ops:
        sweep.builder.append(statement)
    for arg, found in zip(inputs, block.results, strict=True):
        sweep.bars.add(arg, found)


def rule_of_call(op: Op, varies: Callable[[Arg], bool]) -> tuple[OwnRule, tuple[Arg, ...], Renaming]:
    """The rule of a ``ruled``, what it has cotangents for, and what it reads there, but for ``bars``.

    Raises:
        AdError: it has no derivative, or none by what ``varies``.
    """
    told, _, inputs, others, reads, _ = op.args
    assert isinstance(told, Lit) and isinstance(inputs, Seq) and isinstance(reads, Seq)
    rule: OwnRule = told.value
    if varies(others):
        assert rule.refusal is not None
        raise rule.refusal.at(op.span)
    if rule.missing is not None:
        raise rule.missing.at(op.span)
    names = dict(zip((*rule.reads, *rule.answers), (*reads.items, *op.outs), strict=True))
    return rule, inputs.items, names


def used_rules(function: Function, rules: Collection[OwnRule]) -> None:
    """Let the values that a rule has differentiated be those that ``fwd`` computed: in place.

    A rule that computes no value of its own stays.
    """

    def values(op: Op) -> Arg | None:
        told, *_, again = op.args
        assert isinstance(told, Lit) and isinstance(again, Seq)
        return again if told.value in rules and again.items else None

    _drop_from(function, values)


def without_rules(function: Function) -> Function:
    """The function, in place, as it runs: what ``ruled`` returns is what it was given."""
    if _drop_from(function, lambda op: op.args[1]):
        eliminate_dead_code(function)
    return function


def _drop_from(function: Function, values: Callable[[Op], Arg | None]) -> bool:
    """Let the results of each ``ruled`` be these values, unless they are None; whether there was any."""
    names: Renaming = {}
    _drop(function.body, names, values)
    if names:
        replace_reads(function.body, names)
    return bool(names)


def _drop(block: Block, names: Renaming, values: Callable[[Op], Arg | None]) -> None:
    kept: list[Statement] = []
    for op in block.ops:
        chosen = values(op) if isinstance(op, Op) and op.fn is ruled else None
        if chosen is not None:
            assert isinstance(chosen, Seq)
            for out, value in zip(op.outs, chosen.items, strict=True):
                names[out] = found = renamed(value, names)
                if isinstance(found, Var) and found.hint is None:
                    found.hint = out.hint
            continue
        for inner in blocks(op):
            _drop(inner, names, values)
        kept.append(op)
    block.ops = kept
