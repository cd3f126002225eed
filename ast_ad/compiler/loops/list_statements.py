"""What carries the lists that are replaced: blocks, branches and loops, which are rewritten here.

``Replacing``: what ``tuple_lists`` and ``list_arrays`` have in common. Each value that stands for a list has
a place of its own among the parameters and results of loops and branches.
"""

from __future__ import annotations

from typing import Any

from ..arrays.lengths import Ops
from ..ir.ops import Arg, Block, For, If, Op, Statement, Var, While, operands, variables
from .kept_lists import Lists


class Replacing:
    """Rewrites blocks in place, with values for each list: subclasses say which, and what is done to them."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists

    def named(self, var: Var, kind: Any) -> tuple[Var, ...]:
        """New values that stand for a list that a statement binds."""
        raise NotImplementedError

    def carried(self, arg: Arg, out: Var, ops: Ops) -> tuple[Arg, ...]:
        """The values that stand for a list, which a statement hands on as ``out``."""
        raise NotImplementedError

    def operation(self, op: Op, kind: Any, ops: Ops) -> None:
        """Write what is done instead of an operation on lists whose elements are of one kind."""
        raise NotImplementedError

    def other(self, op: Op, ops: Ops) -> None:
        """Write an operation on no such list."""
        ops.ops.append(op)

    def block(self, block: Block) -> None:
        """Rewrite a block and what is in it."""
        new: list[Statement] = []
        for op in block.ops:
            ops = Ops(new, op.span, op.adjoint)
            if isinstance(op, Op):
                held = (self.lists.of(v) for v in (*variables(*operands(op)), *op.outs))
                kind = next((k for k in held if k is not None), None)
                if kind is None:
                    self.other(op, ops)
                else:
                    self.operation(op, kind, ops)
                continue
            if isinstance(op, If):
                for part in (op.then, op.orelse):
                    self.block(part)
                self._branch(op)
            else:
                self._loop(op, ops)
            new.append(op)
        block.ops = new

    def _branch(self, op: If) -> None:
        for part in (op.then, op.orelse):
            ends = Ops(part.ops, op.span, op.adjoint)
            pairs = zip(op.outs, part.results, strict=True)
            part.results = tuple(a for out, result in pairs for a in self._given(result, out, ends))
        op.outs = tuple(v for out in op.outs for v in self._bound(out))

    def _loop(self, op: For | While, ops: Ops) -> None:
        stops, carried, params = op.body.results[: op.stops], op.body.results[op.stops :], op.params
        pairs = zip(params, op.inits, strict=True)
        op.inits = tuple(a for param, init in pairs for a in self._given(init, param, ops))
        op.params = tuple(v for param in params for v in self._bound(param))
        if isinstance(op, While):
            self.block(op.cond)
        self.block(op.body)
        ends = Ops(op.body.ops, op.span, op.adjoint)
        pairs = zip(params, carried, strict=True)
        op.body.results = (*stops, *(a for param, end in pairs for a in self._given(end, param, ends)))
        op.outs = tuple(v for out in op.outs for v in self._bound(out))

    def _given(self, arg: Arg, out: Var, ops: Ops) -> tuple[Arg, ...]:
        return (arg,) if self.lists.of(out) is None else self.carried(arg, out, ops)

    def _bound(self, var: Var) -> tuple[Var, ...]:
        kind = self.lists.of(var)
        return (var,) if kind is None else self.named(var, kind)
