"""Which arrays may share memory? Sets of Vars that are never split: coarse, and therefore safe.

A result shares with what it is a view of, was written into, or flows through a loop or branch with.
"""

from __future__ import annotations

from ..analysis import aliasing
from ..ir.builtin import MUTATORS
from ..ir.ops import Arg, For, Function, If, Op, Var, While, variables, walk
from ..ir.types import Array


class Groups:
    """The sets of a program's arrays."""

    def __init__(self, function: Function) -> None:
        self._parent: dict[Var, Var] = {}
        for op in walk(function.body):
            if isinstance(op, Op):
                if op.fn in MUTATORS or aliasing.behaviour(op) != "fresh":
                    for out in op.outs:
                        self._join(out, *op.args[:1])
            elif isinstance(op, If):
                for out, a, b in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                    self._join(out, a, b)
            elif isinstance(op, (For, While)):
                for out, p, i, r in zip(
                    op.outs, op.params, op.inits, op.body.results[op.stops :], strict=True
                ):
                    self._join(out, p, i, r)

    def of(self, var: Var) -> Var:
        """The representative of the array's set."""
        while var in self._parent:
            var = self._parent[var]
        return var

    def alias(self, new: Var, of: Var) -> None:
        """A Var of the kernel stands for one of the program."""
        self._join(new, of)

    def _join(self, var: Var, *args: Arg) -> None:
        for other in variables(*args):
            if isinstance(other.type, Array) and isinstance(var.type, Array):
                a, b = self.of(var), self.of(other)
                if a is not b:
                    self._parent[a] = b
