"""Which short loops had better be written out? Those in a loop whose turns could be vectors without them.

``write_out(kernel) -> None``. In ``improve``, behind ``turn``, where no arguments of the kernel overlap.

LLVM makes vectors of innermost loops only. A loop over cells with a loop over the 9 numbers of each in it is
none, and LLVM writes out only what stays small. Written out here, what all turns share is computed once.
"""

from __future__ import annotations

import operator
from typing import Any

from ...ir import builtin
from ...ir.ops import Arg, Block, For, Function, Lit, Op, Seq, Statement, Var, blocks, variables
from ...ir.types import Array, Scalar
from ...simplify.patterns import arg_key
from ...simplify.renaming import Renaming, copy_statement, renamed
from .short_axes import apart_in, follows, is_independent, is_short, makers_in, within

MOST, MOST_READ = 600, 4000
"""Operations of a turn that is written out, and of what is read for it: most of that may be the same."""
_ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}
_FOLDED = {operator.add, operator.sub, operator.mul}


def write_out(kernel: Function) -> None:
    """Write such loops out, in place."""
    _block(kernel.body, apart_in(kernel))


def _block(block: Block, apart: set[Var]) -> None:
    for op in block.ops:
        for inner in blocks(op):
            _block(inner, apart)
        if isinstance(op, For) and not is_short(op) and _gains(op, apart):
            written, names = _Written(), Renaming()
            written.statements(op.body.ops, names)
            if len(written.ops) <= MOST:
                op.body = Block(written.ops, tuple(renamed(r, names) for r in op.body.results))


def _gains(loop: For, apart: set[Var]) -> bool:
    """Whether a loop has short loops, and vectors if these are written out."""
    if not any(isinstance(op, For) for op in loop.body.ops) or _size(loop.body) > MOST_READ:
        return False
    makers, balance = makers_in(loop), 0
    for op in within(loop):
        if op.fn in _ACCESSES:
            *before, last = op.args[1].items if isinstance(op.args[1], Seq) else (op.args[1],)
            moves = follows(last, loop.index, makers)
            balance += moves is True
            balance -= 2 * (moves is None or any(follows(i, loop.index, makers) is not False for i in before))
    return balance > 0 and is_independent(loop, apart)


def _size(block: Block) -> float:
    """How many operations a block has, its short loops written out."""
    size = 0.0
    for op in block.ops:
        if isinstance(op, Op):
            size += 1
        elif isinstance(op, For) and is_short(op) and not op.stops and not op.items:
            size += len(_turns(op)) * _size(op.body)
        else:
            return float("inf")
    return size


def _turns(loop: For) -> range:
    assert loop.range is not None
    return range(*(bound.value for bound in loop.range if isinstance(bound, Lit)))


class _Written:
    """Statements without loops, of which none computes what another one has computed before."""

    def __init__(self) -> None:
        self.ops: list[Statement] = []
        self.known: dict[Any, Var] = {}
        self.loaded: dict[Var, set[Any]] = {}  # what is known of the elements of an array

    def statements(self, ops: list[Statement], names: Renaming) -> None:
        for op in ops:
            if isinstance(op, For):
                self._loop(op, names)
            else:
                assert isinstance(op, Op)
                self._op(op, names)

    def _loop(self, loop: For, names: Renaming) -> None:
        states: list[Arg] = [
            self._typed(renamed(i, names), p) for p, i in zip(loop.params, loop.inits, strict=True)
        ]
        turns = reversed(_turns(loop)) if loop.reverse else _turns(loop)
        for turn in turns:
            inner: Renaming = {**names, loop.index: Lit(turn), **dict(zip(loop.params, states, strict=True))}
            self.statements(loop.body.ops, inner)
            states = [renamed(r, inner) for r in loop.body.results]
        for out, state in zip(loop.outs, states, strict=True):
            names[out] = self._typed(state, out)

    def _typed(self, arg: Arg, like: Var) -> Arg:
        """What a loop begins or ends with: a literal has the type that the loop carries."""
        if isinstance(arg, Var):
            return arg
        named = Var(like.type, like.hint)
        self.ops.append(Op(builtin.assign, (arg,), (named,)))
        return named

    def _op(self, op: Op, names: Renaming) -> None:
        new = copy_statement(op, names)
        assert isinstance(new, Op)
        if op.fn in _FOLDED and all(isinstance(a, Lit) and type(a.value) is int for a in new.args):
            names[op.out] = Lit(op.fn(*(a.value for a in new.args)))  # type: ignore[union-attr]
            return
        key = _key(new)
        if key is not None and key in self.known:
            names[op.out] = self.known[key]
            return
        self.ops.append(new)
        if op.effect:
            for array in variables(*new.args):
                for stale in self.loaded.pop(array, ()):
                    self.known.pop(stale, None)
        elif key is not None:
            self.known[key] = new.out
            for array in variables(*new.args):
                if isinstance(array.type, Array):
                    self.loaded.setdefault(array, set()).add(key)


def _key(op: Op) -> Any:
    """What tells an operation on numbers, or the read of an element, from others; None for all else."""
    if op.effect or len(op.outs) != 1 or not isinstance(op.outs[0].type, Scalar) or op.fn is builtin.assign:
        return None
    kwargs = tuple((name, arg_key(arg)) for name, arg in op.kwargs.items())
    return (op.fn, op.out.type, *map(arg_key, op.args), *kwargs)
