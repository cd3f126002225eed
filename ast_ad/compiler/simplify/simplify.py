"""What can a reverse sweep do with less?

``simplify(function) -> Function``. The end of ``adjoint``, and again at the end of each pass that leaves
something to simplify: ``small_arrays``, ``fuse_loops``, ``read_final``. For the adjoint of a branch or loop
``simplify_block(block, settled) -> None`` does it as soon as that is written, before its residuals are
chosen.

Only statements of the sweep change (a primal's value stays to the bit): each is rewritten by the rules of
``peephole``, an operation that was done before in the same or an outer block is not done again, and a value
that a loop or branch hands through unchanged is read directly. Then ``fill_erased``, which reads the chains
of additions that are left; then dead code goes, with what raises as something else does (``drop_readers``),
loops that have run before (``share_loops``), and in turn dead code and what the tapes hold for it
(``shrink_tapes``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import containers, helpers
from ...rules.registry import lookup
from ..budget import spend
from ..ir import builtin
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Op,
    Seq,
    Statement,
    Var,
    While,
    blocks,
    operands,
    variables,
    walk,
)
from .common_loops import share_loops
from .dead_code import eliminate_dead_code
from .dead_stores import fill_erased
from .dead_tapes import share_saved, shrink_tapes
from .patterns import Makers, arg_key
from .peephole import rewrite
from .raised_elsewhere import drop_readers
from .renaming import Renaming, bound_within, renamed, replace_operands
from .settled import Settled, content_of
from .shape_reads import read_older, value_reads

# Each of these results is written to in place later on, so every use needs its own.
BUFFERS = {
    np.zeros_like, np.ones_like, np.empty_like, np.zeros, np.ones, np.full, np.full_like, helpers.zero_like,
    helpers.setitem, helpers.add_at, helpers.scatter, containers.list_zeros_like,
}  # fmt: skip

TRIES = 3
"""Of how many branches within branches it is asked whether they may be passed over."""


def simplify(function: Function) -> Function:
    """Simplify the adjoint statements of a function in place, and remove dead code; return the function."""
    eliminate_dead_code(function)  # what nobody reads makes nothing read
    simplify_block(function.body)
    drop_readers(function)
    eliminate_dead_code(function)
    if share_loops(function):
        simplify_block(function.body)
        eliminate_dead_code(function)
    share_saved(function.body)
    while shrink_tapes(function.body):
        eliminate_dead_code(function)
    return function


def simplify_block(block: Block, settled: Settled | None = None) -> None:
    """Simplify the adjoint statements of a block in place; ``settled``: branches to pass over."""
    makers = Makers()
    read = variables(*block.results)
    values = [*read]
    for op in walk(block):
        spend(1, op.span)
        read += variables(*operands(op))
        values += value_reads(op)
        for inner in blocks(op):
            results = variables(*inner.results)
            read += results
            values += results
    makers.uses.update(read)
    makers.values_read.update(values)
    _Simplifier({}, {}, makers, settled, TRIES, {}).block(block)
    fill_erased(block)


class _Simplifier:
    """One pass over a block: ``names`` maps replaced Vars, ``known`` finds an operation's results by what it
    computes, ``makers`` the operation that made a Var. Inner blocks see what outer ones found. ``alike``: of
    what the primal computes again, which stays, what it was before: the sweep need not tell them apart."""

    def __init__(
        self,
        names: Renaming,
        known: dict[Any, tuple[Var, ...]],
        makers: Makers,
        settled: Settled | None,
        tries: int,
        alike: Renaming,
    ) -> None:
        self.names, self.known, self.makers, self.settled, self.tries = names, known, makers, settled, tries
        self.alike = alike
        makers.find = lambda op: next(iter(known.get(self.key(op), ())), None)

    def inner(self, *several: Block, tries: int | None = None) -> None:
        tries = self.tries if tries is None else tries
        for block in several:
            known, makers = dict(self.known), Makers(self.makers)
            _Simplifier(self.names, known, makers, self.settled, tries, self.alike).block(block)

    def branch(self, op: If) -> None:
        """Simplify both sides, unless that would change nothing."""
        settled, names = self.settled, len(self.names)
        content = content_of(op) if settled is not None and self.tries else None
        if settled is None or content is None:
            self.inner(op.then, op.orelse)
        elif not settled.holds(op, content, self.known.keys(), self.makers, self.names):
            self.inner(op.then, op.orelse, tries=self.tries - 1)
            if names == len(self.names) and content == content_of(op):
                settled.settle(op, content, self.makers, self.names)

    def block(self, block: Block) -> None:
        kept: list[Statement] = []
        for op in block.ops:
            replace_operands(op, self.names)
            if isinstance(op, Op):
                kept += self.operation(op)
                continue
            if isinstance(op, If):
                self.branch(op)
                self.same_results(op)
            else:
                if op.adjoint:
                    self.invariants(op)
                if isinstance(op, While):
                    self.inner(op.cond)
                self.inner(op.body)
            kept.append(op)
        block.ops = kept
        block.results = tuple(renamed(a, self.names) for a in block.results)

    def operation(self, op: Op) -> list[Op]:
        """Simplify an operation; what stands in its place."""
        before: list[Op] = []
        if op.adjoint and not op.effect:
            read_older(op, self.makers)
            value = rewrite(op, self.makers)
            new, self.makers.new = self.makers.new, []
            for other in new:
                replace_operands(other, self.names)
                before += self.operation(other)
            if new:
                replace_operands(op, self.names)
            if value is not None:
                self.replace(op.out, renamed(value, self.names))
                return before
        key = self.key(op)
        known = op.outs if key is None else self.known.setdefault(key, op.outs)
        for out, same in zip(op.outs, known, strict=True) if known is not op.outs else ():
            if op.adjoint:
                self.replace(out, same)
            else:
                self.alike[out] = same
        if op.adjoint and known is not op.outs:
            return before
        self.makers.update((out, op) for out in op.outs)
        return [*before, op]

    def key(self, op: Op) -> Any:
        """What it computes; what the primal computes twice counts as one."""
        if self.alike.keys().isdisjoint(variables(*operands(op))):
            return expression_key(op)
        alike = Op(op.fn, op.args, op.outs, dict(op.kwargs), op.span, effect=op.effect)
        replace_operands(alike, self.alike)
        return expression_key(alike)

    def replace(self, var: Var, value: Arg) -> None:
        self.names[var] = value
        if isinstance(value, Var):
            self.makers.uses[value] += self.makers.uses[var]
        if (
            isinstance(value, Var)
            and value.hint is None
            and value in self.makers
            and self.makers[value].adjoint
        ):
            value.hint = var.hint

    def invariants(self, op: For | While) -> None:
        """A carried value that the body hands on as it is has its first value always."""
        results = op.body.results[op.stops :]
        kept = []
        for j, (param, result) in enumerate(zip(op.params, results, strict=True)):
            if result is param and not isinstance(op.inits[j], Seq):
                self.names[param] = self.names[op.outs[j]] = op.inits[j]
            else:
                kept.append(j)
        op.params, op.outs = tuple(op.params[j] for j in kept), tuple(op.outs[j] for j in kept)
        op.inits = tuple(op.inits[j] for j in kept)
        op.body.results = (*op.body.results[: op.stops], *(results[j] for j in kept))

    def same_results(self, op: If) -> None:
        """A result that is the same outer value on both sides is that value."""
        if not op.adjoint:
            return
        results = zip(op.outs, op.then.results, op.orelse.results, strict=True)
        same = [(out, a) for out, a, b in results if arg_key(a) == arg_key(b)]
        inside = {*bound_within(op.then), *bound_within(op.orelse)} if same else set()
        self.names.update((out, a) for out, a in same if inside.isdisjoint(variables(a)))


def expression_key(op: Op) -> Any:
    """What the operation computes, where it may be shared: equal keys give equal values."""
    primitive = lookup(op.fn)
    if (
        op.effect
        or op.fn in BUFFERS
        or primitive is None
        and op.fn not in helpers.METADATA
        and op.fn is not builtin.tuple_get
    ):
        return None
    try:
        named = tuple(sorted((k, arg_key(v)) for k, v in op.kwargs.items()))
        key = op.fn, len(op.outs), arg_key(Seq(op.args)), named
        hash(key)
    except TypeError:  # a literal without a hash, an array for one
        return None
    return key
