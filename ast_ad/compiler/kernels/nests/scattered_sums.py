"""Which sums at scattered places had better have a loop of their own? Those of loops that could be vectors.

``sums_apart(kernel) -> None``. In ``improve``, behind ``share_memory``: loops have their order then, arrays
their names; and before ``check_before``. Where none of the kernel's arguments overlap.

``density[left[i]] += charge[i] * share`` keeps a loop from becoming vectors, as two turns may add to one
place: with it the remainder, quotient or exponential that the same turn computes is done number by number.
Where all that is added is in memory anyway, or is soon computed again from what is there, a loop behind the
other adds it, turn by turn in the same order. A few numbers are kept for it where the other loop has
functions that are many times as fast on vectors.
"""

from __future__ import annotations

import operator
from collections import Counter

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Block, For, Function, Lit, Op, Seq, Statement, Var, blocks, operands, variables
from ...ir.types import Array, Dim, Scalar, computed_alike, dtype_of
from ...simplify.dead_code import live_statements
from ...simplify.renaming import Renaming, copy_statement
from .. import runtime as kernels
from ..numbers import selections
from .body import INT, element_type
from .cells import apart_in, follows, makers_in, places_of
from .loop_invariants import hoist
from .nests import FOR_VECTORS, MANY_TIMES

_ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}
_AGAIN = {
    operator.add, operator.sub, operator.mul, operator.neg, builtin.assign, kernels.position, kernels.wrapped,
    selections.safe_product, selections.exact_product, selections.where,
}  # fmt: skip
"""What is computed again rather than kept."""
_FEW = 3


def sums_apart(kernel: Function) -> None:
    """Give such sums loops of their own, in place."""
    if _block(kernel.body, apart_in(kernel)):
        hoist(kernel)


def _block(block: Block, apart: set[Var]) -> bool:
    """Whether anything was changed."""
    new: list[Statement] = []
    found = False
    for op in block.ops:
        for inner in blocks(op):
            found |= _block(inner, apart)
        pieces = _pieces(op, apart) if isinstance(op, For) else None
        found |= pieces is not None
        new += [op] if pieces is None else pieces
    block.ops = new
    return found


def _pieces(loop: For, apart: set[Var]) -> list[Statement] | None:
    """The loop without its scattered sums, and the one that makes them; None where they had better stay."""
    ops = [op for op in loop.body.ops if isinstance(op, Op)]
    if len(ops) < len(loop.body.ops) or loop.range is None or loop.items or loop.stops or loop.parallel:
        return None
    makers = makers_in(loop)
    sums = [op for op in ops if op.fn is builtin.add_item_ and _is_scattered(op, loop, makers)]
    if not sums or not all(op.fn in _ACCESSES or _is_of_numbers(op) for op in ops):
        return None
    others = [op for op in ops if op not in sums]
    arrays, into = {op.args[0] for op in others if op.fn in _ACCESSES}, {op.args[0] for op in sums}
    if not arrays | into <= apart or arrays & into:
        return None
    again = _Again(loop, makers, others, _FEW if any(op.fn in MANY_TIMES for op in others) else 0)
    if not all(again.knows(arg) for op in sums for arg in op.args[1:]):
        return None
    first: list[Statement] = [*others, *again.stores]
    live = live_statements(Block(first), loop.body.results)
    first = [op for op in first if id(op) in live]
    if not any(isinstance(op, Op) and op.fn in FOR_VECTORS for op in first):
        return None
    for op in sums:
        again.ops.append(copy_statement(op, again.names))
    loop.body.ops = first
    inner = Block(again.ops)
    flags = loop.reverse, False, loop.span, loop.adjoint
    return [*again.before, loop, For(again.index, loop.range, (), (), (), inner, (), *flags)]


def _is_scattered(op: Op, loop: For, makers: dict[Var, Op]) -> bool:
    return any(follows(place, loop.index, makers) is None for place in places_of(op.args[1]))


def _is_of_numbers(op: Op) -> bool:
    return not any(isinstance(v.type, Array) for v in (*variables(*operands(op)), *op.outs))


class _Again:
    """The statements that have what a turn has computed once more: from memory, or computed as before.

    ``before``, ``stores``: the arrays, as many as ``room``, that numbers are kept in, and what keeps them.
    """

    def __init__(self, loop: For, makers: dict[Var, Op], others: list[Op], room: int) -> None:
        self.loop, self.room = loop, room if _counts_up(loop) else 0
        self.before: list[Statement] = []
        self.stores: list[Statement] = []
        self.lost: set[Var] = set()
        self.index = Var(loop.index.type, loop.index.hint)
        self.names: Renaming = {loop.index: self.index}
        self.makers, self.params = makers, {*loop.params}
        self.ops: list[Statement] = []
        writes = [op for op in others if op.fn in (builtin.setitem_, builtin.add_item_)]
        self.written = Counter(op.args[0] for op in writes)
        self.stored = {
            op.args[2]: op
            for op in writes
            if op.fn is builtin.setitem_ and self.written[op.args[0]] == 1 and _is_own(op, loop, makers)
        }

    def knows(self, arg: Arg) -> bool:
        """Whether an argument is known behind the loop; then it has a name in ``names``."""
        if isinstance(arg, Seq):
            return all(self.knows(item) for item in arg.items)
        if not isinstance(arg, Var) or arg in self.names:
            return True
        op = self.makers.get(arg)
        if op is None:
            return arg not in self.params
        store = self.stored.get(arg)
        if store is not None and all(self.knows(place) for place in places_of(store.args[1])):
            array, place = store.args[:2]
            op = Op(operator.getitem, (array, place), (arg,), {}, op.span, False, op.adjoint)
        elif not self._is_again(op):
            return self.keeps(arg)
        self.ops.append(copy_statement(op, self.names))
        return True

    def _is_again(self, op: Op) -> bool:
        """Whether an operation can be done once more, with nothing kept for it."""
        if op.out in self.lost or op.fn is operator.getitem and self.written[op.args[0]]:
            return False
        room, self.room = self.room, 0
        known = op.fn in {operator.getitem, *_AGAIN} and all(self.knows(a) for a in operands(op))
        self.room = room
        if not known:
            self.lost.add(op.out)
        return known

    def keeps(self, var: Var) -> bool:
        """Whether there is an array with the number that a Var is in each turn."""
        dtype = dtype_of(var.type)
        if len(self.stores) >= self.room or not isinstance(var.type, Scalar) or dtype is None:
            return False
        assert self.loop.range is not None
        array, count = Var(Array(dtype, (Dim.fresh(),)), var.hint or "each"), Var(INT, "count")
        span, adjoint = self.loop.span, self.loop.adjoint
        self.before.append(Op(max, (self.loop.range[1], Lit(0)), (count,), {}, span, False, adjoint))
        self.before.append(Op(np.empty, (count, Lit(dtype.type)), (array,), {}, span, False, adjoint))
        place = (array, self.loop.index, var)
        self.stores.append(Op(builtin.setitem_, place, (Var(array.type),), {}, span, True, adjoint))
        load = Op(operator.getitem, (array, self.loop.index), (var,), {}, span, False, adjoint)
        self.ops.append(copy_statement(load, self.names))
        return True


def _counts_up(loop: For) -> bool:
    """Whether a loop's counter goes through all places of an array, in either direction."""
    start, _, step = (a.value if isinstance(a, Lit) else None for a in loop.range or ())
    return (start, step) == (0, 1)


def _is_own(op: Op, loop: For, makers: dict[Var, Op]) -> bool:
    """Whether each turn stores to a place of its own a number that comes back as it was."""
    array, place, value = op.args
    moves = [follows(p, loop.index, makers) for p in places_of(place)]
    if not isinstance(value, Var) or not isinstance(array, Var) or None in moves or True not in moves:
        return False
    return computed_alike(value.type, element_type(array.type))
