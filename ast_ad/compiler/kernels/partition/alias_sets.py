"""Which arrays may share memory? Sets of Vars that are never split: coarse, and therefore safe.

A result shares with what it is a view of, was written into, or flows through a loop or branch with.
"""

from __future__ import annotations

from ...analysis import aliasing
from ...ir.builtin import MUTATORS
from ...ir.ops import Arg, For, Function, If, Op, Var, While, variables, walk
from ...ir.types import Array, Scalar, TupleOf


class Groups:
    """The sets of a program's arrays, and of what holds arrays.

    Args:
        function: a program, or a part of one.
        around: the sets of the whole program, where the function is a part.
    """

    def __init__(self, function: Function, around: Groups | None = None) -> None:
        self._parent: dict[Var, Var] = {}
        if around is not None:
            first: dict[Var, Var] = {}
            for param in function.params:
                self._join(param, first.setdefault(around.of(param), param))
        for op in walk(function.body):
            if isinstance(op, Op):
                if op.fn in MUTATORS or aliasing.behaviour(op) != "fresh":
                    given = [a for a in (*op.args, *op.kwargs.values()) if any(True for _ in variables(a))]
                    held = any(_is_container(v) for v in (*op.outs, *variables(*given)))
                    for out in op.outs:
                        self._join(out, *given[: None if held else 1])
            elif isinstance(op, If):
                for out, a, b in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                    self._join(out, a, b)
            elif isinstance(op, (For, While)):
                for out, p, i, r in zip(
                    op.outs, op.params, op.inits, op.body.results[op.stops :], strict=True
                ):
                    self._join(out, p, i, r)
                if isinstance(op, For):
                    for source, items in op.items:
                        for item in items:
                            self._join(item, source)

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
            if not any(isinstance(v.type, Scalar) or _is_shape(v) for v in (other, var)):
                a, b = self.of(var), self.of(other)
                if a is not b:
                    self._parent[a] = b


def _is_container(var: Var) -> bool:
    return not isinstance(var.type, (Array, Scalar)) and not _is_shape(var)


def _is_shape(var: Var) -> bool:
    return isinstance(var.type, TupleOf) and all(isinstance(t, Scalar) for t in var.type.items)
