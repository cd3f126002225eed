"""Which arrays of a kernel had better lie column by column? Those down whose columns loops of vectors go.

``with_columns(kernel) -> Orders`` behind ``interchange``, which comes once more where there are any, and
``turn(kernel, orders) -> None``, for these arrays and those of ``short_axes``.

A recurrence along the rows, ``p[:, j] = f(p[:, j - 1])``, leaves its inner loop no choice: it goes down a
column, one number of each line of the cache, and no vectors. What a kernel keeps for itself may lie in any
order. So the axis along which most of such loops go becomes an array's last one::

    p = np.empty((m, n)), p[i, j]        p = np.empty((n, m)), p[j, i]

Loops count whose turns are independent, so that they could be vectors, and that cannot run the other way
around: where the turns of the loop around are independent, too, ``interchange`` finds the order. Such a loop
is a price, where it goes through arrays that stay as they are as well: the margins of an image are not worth
it that all of it is read against its rows. Two loops that add to places which data tell, ``g[where[i, j]] +=
p[i, j]``, count as well: neither has vectors, but the inner one reads lines of the cache. What the kernel
returns is put in order at its end.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping

import numpy as np

from ...ir import builtin
from ...ir.ops import Block, For, Function, Lit, Op, Seq, Statement, Var, blocks, operands, variables, walk
from ...ir.types import Array, Scalar
from ...simplify.renaming import replace_reads
from .body import element_type
from .cells import apart_in, follows, is_independent, is_short, makers_in, places_of, short_axes, within
from .turned_factors import of_products, turn_products

Orders = dict[Var, tuple[int, ...]]
"""For each array that is to be turned its axes in their new order."""

TURNS = 16
"""How often a loop is taken to run, where loops inside of others count for more."""

ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}


def with_columns(kernel: Function) -> Orders:
    """The arrays that had better have another axis than the last one along the rows; results among them are
    put in other arrays at the end, and have others in their place until then."""
    results = {v for v in variables(*kernel.body.results) if _rank(v) > 1}
    arrays = {array for array in own(kernel, results) if not short_axes(array)[0]}
    if not arrays:
        return {}
    ballot = _Ballot(arrays, apart_in(kernel))
    ballot.ask(kernel.body, ())
    orders = ballot.orders(results)
    return _put_at_the_end(kernel, orders, results)


def turn(kernel: Function, orders: Orders) -> None:
    """Let the axes of arrays have another order, in place."""
    turn_products(kernel, {array for array in orders if _rank(array) == 2})
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
def own(kernel: Function, results: Collection[Var] = (), factors: bool = False) -> set[Var]:
    """The arrays of several axes that the kernel makes and uses element by element only.

    Args:
        results: what it returns; of these only those that it makes before all loops.
        factors: whether products by BLAS may have matrices as a whole.
    """
    made = {
        op.outs[0]
        for op in walk(kernel.body)
        if isinstance(op, Op) and op.fn is np.empty and isinstance(op.args[0], Seq) and _rank(op.outs[0]) > 1
    }
    if not made:
        return made
    first = {v for op in kernel.body.ops for v in op.outs}
    others = {v for v in variables(*kernel.body.results) if v not in results or v not in first}
    products = {id(op) for op in of_products(kernel)} if factors else set[int]()
    return made - _escaping(Block(kernel.body.ops), products) - others


def _rank(array: Var) -> int:
    return len(array.type.shape or ()) if isinstance(array.type, Array) else 0


def _escaping(block: Block, products: Collection[int]) -> set[Var]:
    found = set(variables(*block.results))
    for op in block.ops:
        args = list(operands(op)) if id(op) not in products else []
        if isinstance(op, Op) and op.fn in ACCESSES and _names_element(op):
            args = args[1:]
        found.update(variables(*args))
        for inner in blocks(op):
            found |= _escaping(inner, products)
    return found


def _names_element(op: Op) -> bool:
    array, index = op.args[:2]
    return isinstance(array, Var) and isinstance(index, Seq) and len(index.items) == _rank(array)


# ----- votes
class _Ballot:
    """``votes``: for each array, how often places move along each axis in loops that can't run the other way
    around; ``free``: the accesses of those that can, each with the axes along which the two loops move."""

    def __init__(self, arrays: set[Var], apart: set[Var]) -> None:
        self.arrays, self.apart = arrays, apart
        self.votes: dict[Var, Counter[int]] = defaultdict(Counter)
        self.free: list[tuple[int, list[tuple[Var, int, int]]]] = []

    def ask(self, block: Block, around: tuple[For, ...]) -> None:
        """Count the places that move along an axis in the turns of an innermost loop."""
        for op in block.ops:
            inside = around
            if isinstance(op, For) and not is_short(op):
                accesses = [o for o in within(op) if o.fn in ACCESSES]
                if not self.arrays.isdisjoint(o.args[0] for o in accesses):
                    self.weigh(op, accesses, around)
                inside = (*around, op)
            for inner in blocks(op):
                self.ask(inner, inside)

    def weigh(self, loop: For, accesses: list[Op], around: tuple[For, ...]) -> None:
        """Whether the loop's places count: not where it could run the other way around, and have vectors."""
        weight = TURNS ** len(around)
        if is_independent(loop, self.apart):
            if around and is_independent(around[-1], self.apart):
                self.free.append((weight, _moving(around[-1], loop, accesses)))
            else:
                self.count(loop, accesses, weight)
        elif around and _scatters(loop, around[-1]):
            self.count(loop, accesses, weight)

    def count(self, loop: For, accesses: list[Op], weight: int) -> None:
        makers = makers_in(loop)
        for op in accesses:
            axis = _axis(op, loop, makers)
            if axis is not None and op.args[0] in self.arrays:
                self.votes[op.args[0]][axis] += weight

    def orders(self, results: Collection[Var]) -> Orders:
        """For each array that gains by it the order of its axes.

        A loop that can run either way around goes along the rows of some arrays and down the columns of
        others, once these have been turned: that is the price, for all arrays that such loops join.
        """
        turned: dict[Var, int] = {}
        for array, counts in self.votes.items():
            axis = max(counts, key=lambda a: (counts[a], a))
            if counts[axis] > counts[_rank(array) - 1]:
                turned[array] = axis
        self.follow(turned)
        while dear := [v for v in turned if self.gain(v, turned, results) < 0]:
            for array in dear:
                del turned[array]
        for joined in self.joined(turned):
            if sum(self.own_gain(v, turned, results) for v in joined) <= 0:
                for array in joined:
                    del turned[array]
        return {v: (*(a for a in range(_rank(v)) if a != axis), axis) for v, axis in turned.items()}

    def follow(self, turned: dict[Var, int]) -> None:
        """Let arrays that no loop goes along follow those beside them."""
        before = -1
        while before < len(turned):
            before = len(turned)
            for _, moving in self.free:
                along = [(v, outer) for v, outer, inner in moving if inner == _rank(v) - 1]
                if any(turned.get(v) == outer for v, outer in along):
                    new = [(v, outer) for v, outer in along if v in self.arrays and v not in turned]
                    turned.update((v, outer) for v, outer in new if not self.votes[v])

    def gain(self, array: Var, turned: Mapping[Var, int], results: Collection[Var]) -> int:
        """What an array gains by being turned as long as the others are."""
        return self.own_gain(array, turned, results) + self.beside(array, turned, True)

    def own_gain(self, array: Var, turned: Mapping[Var, int], results: Collection[Var]) -> int:
        last = _rank(array) - 1
        copies = 2 * TURNS**last if array in results else 0
        votes = self.votes[array][turned[array]] - self.votes[array][last]
        return votes - copies - self.beside(array, turned, False)

    def beside(self, array: Var, turned: Mapping[Var, int], there: bool) -> int:
        """How often loops that can run either way around have others beside it that are turned, or not."""
        last, total = _rank(array) - 1, 0
        for weight, moving in self.free:
            others = {(v, outer) for v, outer, inner in moving if inner == _rank(v) - 1 and v is not array}
            if (array, turned[array], last) in moving:
                total += weight * any((turned.get(v) == outer) == there for v, outer in others)
        return total

    def joined(self, turned: Mapping[Var, int]) -> list[set[Var]]:
        """The arrays that are turned, by the loops that have several of them."""
        found: list[set[Var]] = [{v} for v in turned]
        for _, moving in self.free:
            here = {v for v, _, _ in moving if v in turned}
            touched = [one for one in found if not one.isdisjoint(here)]
            if touched:
                found = [*(one for one in found if one.isdisjoint(here)), set[Var]().union(*touched)]
        return found


def _moving(outer: For, inner: For, accesses: list[Op]) -> list[tuple[Var, int, int]]:
    """The arrays whose places move with two loops, each with the axis for either."""
    makers = makers_in(outer)
    axes = [(op.args[0], _axis(op, outer, makers), _axis(op, inner, makers)) for op in accesses]
    return [(v, a, b) for v, a, b in axes if isinstance(v, Var) and a is not None and b is not None]


def _axis(op: Op, loop: For, makers: dict[Var, Op]) -> int | None:
    """The one axis along which a place moves with a loop."""
    moves = [follows(place, loop.index, makers) for place in places_of(op.args[1])]
    return moves.index(True) if [m for m in moves if m is not False] == [True] else None


def _scatters(inner: For, outer: For) -> bool:
    """Whether a loop adds to places that move with both counters as data tell: neither has vectors."""
    makers = makers_in(outer)
    sums = [places_of(op.args[1]) for op in within(inner) if op.fn is builtin.add_item_]
    return any(
        all(None in [follows(place, loop.index, makers) for place in places] for loop in (inner, outer))
        for places in sums
    )


# ----- results
def _put_at_the_end(kernel: Function, orders: Orders, results: Collection[Var]) -> Orders:
    """The same orders, of arrays that the kernel keeps for itself in the place of those that it returns."""
    found = dict(orders)
    for result in [v for v in orders if v in results]:
        kept = Var(result.type, result.hint)
        found[kept] = found.pop(result)
        made = next(op for op in kernel.body.ops if result in op.outs)
        assert isinstance(made, Op)
        block = Block(kernel.body.ops)
        replace_reads(block, {result: kept})
        made.outs = (kept,)
        kernel.body.ops = [
            *block.ops,
            Op(np.empty, made.args, (result,), span=made.span, adjoint=made.adjoint),
        ]
        kernel.body.ops.append(_copy(kept, result, made))
    return found


def _copy(source: Var, target: Var, like: Op) -> For:
    """The loops that write one array into another."""
    counters = tuple(Var(Scalar("int"), "ijkl"[k] if k < 4 else "i") for k in range(_rank(source)))
    element, place = Var(element_type(source.type)), Seq(counters)
    ops: list[Statement] = [
        Op(operator.getitem, (source, place), (element,)),
        Op(builtin.setitem_, (target, place, element), (Var(target.type),), effect=True),
    ]
    shape = like.args[0]
    assert isinstance(shape, Seq)
    for counter, length in reversed(list(zip(counters, shape.items, strict=True))):
        bounds = (Lit(0), length, Lit(1))
        ops = [For(counter, bounds, (), (), (), Block(ops), (), span=like.span, adjoint=like.adjoint)]
    (loop,) = ops
    assert isinstance(loop, For)
    return loop
