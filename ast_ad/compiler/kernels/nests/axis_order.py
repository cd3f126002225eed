"""Which arrays of a kernel had better lie column by column? Those down whose columns loops of vectors go.

``with_columns(kernel) -> Orders`` behind ``interchange``, which comes once more where there are any, and
``turn(kernel, orders) -> None``, for these arrays and those of ``short_axes``.

A recurrence along the rows, ``p[:, j] = f(p[:, j - 1])``, leaves its inner loop no choice: it goes down a
column, one number of each line of the cache, and no vectors. What a kernel keeps for itself may lie in any
order. So the axis along which most of such loops go becomes an array's last one::

    p = np.empty((m, n)), p[i, j]        p = np.empty((n, m)), p[j, i]

Loops count whose turns are independent, so that they could be vectors, and that cannot run the other way
around: where the turns of the loop around are independent, too, ``interchange`` finds the order.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict

import numpy as np

from ...ir import builtin
from ...ir.ops import Block, For, Function, Op, Seq, Var, blocks, operands, variables, walk
from ...ir.types import Array
from .cells import apart_in, follows, is_independent, is_short, makers_in, short_axes, within

Orders = dict[Var, tuple[int, ...]]
"""For each array that is to be turned its axes in their new order."""

TURNS = 16
"""How often a loop is taken to run, where loops inside of others count for more."""

ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}


def with_columns(kernel: Function) -> Orders:
    """The arrays that had better have another axis than the last one along the rows."""
    arrays = {array for array in own(kernel) if not short_axes(array)[0]}
    if not arrays:
        return {}
    votes: dict[Var, Counter[int]] = defaultdict(Counter)
    _ask(kernel.body, (), arrays, apart_in(kernel), votes)
    orders: Orders = {}
    for array, counts in votes.items():
        rank = len(array.type.shape)  # type: ignore[union-attr, arg-type]
        axis = max(counts, key=lambda a: (counts[a], a))
        if counts[axis] > counts[rank - 1]:
            orders[array] = (*(a for a in range(rank) if a != axis), axis)
    return orders


def turn(kernel: Function, orders: Orders) -> None:
    """Let the axes of arrays have another order, in place."""
    for op in walk(kernel.body):
        if not isinstance(op, Op):
            continue
        if op.fn is np.empty and op.outs[0] in orders:
            shape = op.args[0]
            assert isinstance(shape, Seq)
            op.args = (_turned(shape, orders[op.outs[0]]), *op.args[1:])
        elif op.fn in ACCESSES and op.args[0] in orders:
            array, index, *rest = op.args
            assert isinstance(array, Var) and isinstance(index, Seq)
            op.args = (array, _turned(index, orders[array]), *rest)
    for array, order in orders.items():
        assert isinstance(array.type, Array) and array.type.shape is not None
        array.type = Array(array.type.dtype, tuple(array.type.shape[a] for a in order))


def _turned(items: Seq, order: tuple[int, ...]) -> Seq:
    return Seq(tuple(items.items[a] for a in order))


# ----- arrays
def own(kernel: Function) -> set[Var]:
    """The arrays of several axes that the kernel makes and uses element by element only."""
    made = {
        op.outs[0]
        for op in walk(kernel.body)
        if isinstance(op, Op) and op.fn is np.empty and isinstance(op.args[0], Seq) and _rank(op.outs[0]) > 1
    }
    return made - _escaping(kernel.body) if made else made


def _rank(array: Var) -> int:
    return len(array.type.shape or ()) if isinstance(array.type, Array) else 0


def _escaping(block: Block) -> set[Var]:
    found = set(variables(*block.results))
    for op in block.ops:
        args = list(operands(op))
        if isinstance(op, Op) and op.fn in ACCESSES and _names_element(op):
            args = args[1:]
        found.update(variables(*args))
        for inner in blocks(op):
            found |= _escaping(inner)
    return found


def _names_element(op: Op) -> bool:
    array, index = op.args[:2]
    return isinstance(array, Var) and isinstance(index, Seq) and len(index.items) == _rank(array)


# ----- votes
def _ask(
    block: Block, around: tuple[For, ...], arrays: set[Var], apart: set[Var], votes: dict[Var, Counter[int]]
) -> None:
    """Count, for each array, the places that move along one of its axes in the turns of an innermost loop."""
    for op in block.ops:
        if isinstance(op, For) and not is_short(op):
            accesses = [o for o in within(op) if o.fn in ACCESSES and o.args[0] in arrays]
            if accesses and is_independent(op, apart):
                if not around or not is_independent(around[-1], apart):
                    _count(op, accesses, TURNS ** len(around), votes)
            inside = (*around, op)
        else:
            inside = around
        for inner in blocks(op):
            _ask(inner, inside, arrays, apart, votes)


def _count(loop: For, accesses: list[Op], weight: int, votes: dict[Var, Counter[int]]) -> None:
    makers = makers_in(loop)
    for op in accesses:
        array, index = op.args[:2]
        assert isinstance(array, Var) and isinstance(index, Seq)
        moves = [follows(place, loop.index, makers) for place in index.items]
        if [m for m in moves if m is not False] == [True]:
            votes[array][moves.index(True)] += weight
