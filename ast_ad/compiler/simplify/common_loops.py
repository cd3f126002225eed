"""Which loops compute what an earlier one has computed?

``share_loops(function) -> bool``. In ``simplify``. A rule of the user's own often calls the function that it
belongs to, to have its value; so does the rule of that rule. Each call is read in its place, and where the
function is a solver all of its steps would be made once for each.

Two loops are the same if they consist of the same operations on the same values, all of which are pure: a
value is told by what computed it, so that copies of one are the same, and constants that are equal. What the
later loop gives is read from the earlier one, which runs wherever the later one does.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ...rules import containers, helpers
from ...rules.registry import lookup
from ..ir import builtin
from ..ir.ops import Arg, Block, For, Function, If, Lit, Op, Seq, Slice, Statement, Var, While, blocks, walk
from .patterns import arg_key
from .renaming import Renaming, replace_reads

PURE = {
    builtin.assign, builtin.told, builtin.unpack, builtin.tuple_get, builtin.make_tuple, builtin.make_list,
    builtin.copy, builtin.unread,
}  # fmt: skip
MOST = 400
"""Statements in a loop that is compared with others."""


def is_pure(op: Op) -> bool:
    """Whether an operation does nothing but compute its result, which is the same for the same arguments."""
    if lookup(op.fn) is not None or op.fn in PURE or op.fn in helpers.METADATA:
        return True
    return getattr(op.fn, "__module__", "") == containers.__name__


def share_loops(function: Function) -> bool:
    """Read, in place, the results of each loop from an earlier one that is the same; whether any was."""
    if sum(isinstance(op, (For, While)) for op in walk(function.body)) < 2:
        return False
    sharing = _Sharing()
    sharing.block(function.body, {})
    replace_reads(function.body, sharing.names)
    return bool(sharing.names)


class _Sharing:
    """``numbers``: a number for each value, the same for values that are the same."""

    def __init__(self) -> None:
        self.names: Renaming = {}
        self.numbers: dict[Var, int] = {}
        self.known: dict[Any, int] = {}

    def block(self, block: Block, seen: dict[Any, For | While]) -> None:
        """Share the loops of a block, and of those within; ``seen``: those that have run before."""
        kept: list[Statement] = []
        for op in block.ops:
            key = self.key(op)
            earlier = seen.get(key) if key is not None and isinstance(op, (For, While)) else None
            if earlier is not None and [v.type for v in earlier.outs] == [v.type for v in op.outs]:
                for out, value in zip(op.outs, earlier.outs, strict=True):
                    self.names[out], self.numbers[out] = value, self.number(value)
                continue
            kept.append(op)
            for i, out in enumerate(op.outs if key is not None else ()):
                self.numbers[out] = self.known.setdefault((key, i), len(self.known))
            if isinstance(op, (For, While)) and key is not None:
                seen[key] = op
            for inner in blocks(op):
                self.block(inner, dict(seen))
        block.ops = kept

    def number(self, var: Var) -> int:
        if var not in self.numbers:
            self.numbers[var] = self.known.setdefault(("value", var.id), len(self.known))
        return self.numbers[var]

    def key(self, op: Statement) -> Any:
        """What a statement computes; None where that is not told."""
        if isinstance(op, Op) and op.fn is builtin.assign and isinstance(op.args[0], Var):
            self.numbers[op.out] = self.number(op.args[0])
            return None
        if not isinstance(op, Op) and len(list(itertools.islice(walk(Block([op])), MOST))) == MOST:
            return None
        try:
            key = _Key(self).statement(op)
            hash(key)
        except (_Told, TypeError):  # a literal without a hash, an array for one
            return None
        return self.known.setdefault(key, len(self.known))


class _Told(Exception):
    """It is not known what a statement computes."""


class _Key:
    """The text of a statement, so to speak, with numbers for what it binds."""

    def __init__(self, sharing: _Sharing) -> None:
        self.sharing, self.bound = sharing, dict[Var, int]()

    def bind(self, *variables: Var) -> int:
        for var in variables:
            self.bound[var] = len(self.bound)
        return len(variables)

    def args(self, args: Sequence[Arg]) -> Any:
        return tuple(map(self.arg, args))

    def arg(self, arg: Arg) -> Any:
        if isinstance(arg, Var):
            return ("bound", self.bound[arg]) if arg in self.bound else self.sharing.number(arg)
        if isinstance(arg, Lit):
            return type(arg).__name__, arg_key(arg)
        if isinstance(arg, Seq):
            return arg.kind, self.args(arg.items)
        assert isinstance(arg, Slice)
        return Slice, self.args((arg.start, arg.stop, arg.step))

    def statement(self, op: Statement) -> Any:
        if isinstance(op, Op):
            found = self.operation(op)
        elif isinstance(op, If):
            found = If, self.arg(op.cond), self.block(op.then), self.block(op.orelse)
        else:
            found = self.loop(op)
        return found, self.bind(*op.outs)

    def operation(self, op: Op) -> Any:
        if not is_pure(op) or op.effect and op.fn is not builtin.unread:
            raise _Told
        return op.fn, self.args(op.args), tuple((name, self.arg(v)) for name, v in sorted(op.kwargs.items()))

    def loop(self, op: For | While) -> Any:
        inits = self.args(op.inits)
        if isinstance(op, While):
            self.bind(*op.params)
            return While, op.stops, inits, self.block(op.cond), self.block(op.body)
        range_ = None if op.range is None else self.args(op.range)
        sources = self.args([source for source, _ in op.items])
        self.bind(op.index, *op.params)
        items = tuple(self.bind(*variables) for _, variables in op.items)
        return For, op.reverse, op.stops, range_, sources, items, inits, self.block(op.body)

    def block(self, block: Block) -> Any:
        return tuple(map(self.statement, block.ops)), self.args(block.results)
