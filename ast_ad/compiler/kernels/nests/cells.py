"""Which loops of a kernel go over cells, last axes of a few numbers, and may be vectors of cells?"""

from __future__ import annotations

import operator
from collections.abc import Collection

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Block, For, Function, If, Lit, Op, Seq, Var, While, variables, walk
from ...ir.types import Array
from .independence import sharing
from .known_lengths import NARROW

LONGEST = 16
"""Axes up to here are short: small lengths are known up to here only."""

MOST_READ = 4000
"""Operations that are read to write a turn out; most of them may be the same."""

_ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}


def short_axes(array: Var) -> tuple[int, int]:
    """How many of an array's last axes, with others before them, are short; and how many numbers that is."""
    shape = array.type.shape if isinstance(array.type, Array) else None
    count, size = 0, 1
    for n in reversed(shape or ()):
        if not isinstance(n, int) or not 0 < n <= LONGEST:
            return count, size
        count, size = count + 1, size * n
    return 0, 1


def is_short(loop: For) -> bool:
    """Whether a loop is known to have few turns."""
    numbers = [a.value for a in loop.range or () if isinstance(a, Lit)]
    return len(numbers) == 3 and len(range(*numbers)) <= LONGEST


def within(loop: For) -> list[Op]:
    """The operations of a loop's body but for those of long loops in it."""
    found: list[Op] = []
    for op in loop.body.ops:
        if isinstance(op, Op):
            found.append(op)
        elif isinstance(op, For) and is_short(op):
            found += within(op)
        elif isinstance(op, (If, While)):
            found += [o for o in walk(Block([op])) if isinstance(o, Op)]
    return found


def places_of(index: Arg) -> tuple[Arg, ...]:
    return index.items if isinstance(index, Seq) else (index,)


def makers_in(loop: For) -> dict[Var, Op]:
    return {out: op for op in walk(loop.body) if isinstance(op, Op) for out in op.outs}


def follows(index: Arg, counter: Var, makers: dict[Var, Op]) -> bool | None:
    """Whether a place moves on by one with a counter; None where it moves in another way."""
    if index is counter:
        return True
    if isinstance(index, Seq):  # of a place that is read from
        return None if any(follows(i, counter, makers) is not False for i in index.items) else False
    op = makers.get(index) if isinstance(index, Var) else None
    if op is None:
        return False
    moves = [follows(a, counter, makers) for a in op.args]
    if not any(m is not False for m in moves):
        return False
    alone = sum(m is not False for m in moves) == 1 and all(m is not None for m in moves)
    upwards = op.fn is operator.add or op.fn is operator.sub and moves[0] is True
    return True if alone and upwards else None


def is_of_vectors(loop: For, apart: set[Var], turned: Collection[Var]) -> bool:
    """Whether a loop may be written out, and is one of vectors then."""
    if _size(loop.body) > MOST_READ:
        return False
    makers, balance = makers_in(loop), 0
    for op in within(loop):
        if op.fn in _ACCESSES:
            *before, last = _without_cell(op, turned)
            moves = follows(last, loop.index, makers)
            balance += moves is True
            balance -= 2 * (moves is None or any(follows(i, loop.index, makers) is not False for i in before))
    return balance > 0 and is_independent(loop, apart)


def is_of_numbers(loop: For, apart: set[Var]) -> bool:
    """Whether a loop that is none of vectors may be written out, as its turns read the cells that they write.

    Cells of a few numbers are in registers then. So are those of turns that add to places which they may
    share with others, as of the edges of a mesh.
    """
    inner = [op for op in loop.body.ops if isinstance(op, For)]
    if not all(_is_narrow(op) for op in inner) or _size(loop.body) > MOST_READ or not _arrays(loop) <= apart:
        return False
    cells = [op for one in inner for op in walk(one.body) if isinstance(op, Op) and op.fn in _ACCESSES]
    read = {op.args[0] for op in cells if op.fn is operator.getitem}
    return any(op.args[0] in read for op in cells if op.fn is not operator.getitem)


def _is_narrow(loop: For) -> bool:
    inner = (op for op in loop.body.ops if isinstance(op, For))
    return is_short(loop) and len(turns(loop)) <= NARROW and all(_is_narrow(op) for op in inner)


def _arrays(loop: For) -> set[Var]:
    return {v for op in walk(loop.body) if isinstance(op, Op) for v in variables(*op.args) if _is_array(v)}


def _without_cell(op: Op, turned: Collection[Var]) -> tuple[Arg, ...]:
    """The index of an element but for its place in a cell that loops over cells have vectors of."""
    array, places = op.args[0], places_of(op.args[1])
    if not isinstance(array, Var) or not isinstance(array.type, Array):
        return places
    count, size = short_axes(array)
    return places[: len(places) - count] if array in turned or size <= NARROW else places


def _size(block: Block) -> float:
    """How many operations a block has, its short loops written out."""
    size = 0.0
    for op in block.ops:
        if isinstance(op, Op):
            size += 1
        elif isinstance(op, For) and is_short(op) and not op.stops and not op.items:
            size += len(turns(op)) * _size(op.body)
        else:
            return float("inf")
    return size


def turns(loop: For) -> range:
    assert loop.range is not None
    return range(*(bound.value for bound in loop.range if isinstance(bound, Lit)))


class _Apart:
    """The groups of arrays of which none share memory."""

    def of(self, var: Var) -> Var:
        return var


def apart_in(kernel: Function) -> set[Var]:
    """The arrays that share no memory with another one, where no arguments overlap: they have one name."""
    made = {op.outs[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
    return {*kernel.params, *made}


def is_independent(loop: For, apart: set[Var]) -> bool:
    """Whether the turns of a loop may be made at once; ``apart``: arrays that share no memory.

    Not where they add to places that two of them may share.
    """
    arrays = _arrays(loop)
    if not arrays <= apart or any(isinstance(op, (If, While)) for op in walk(loop.body)):
        return False
    found = sharing(loop, _Apart(), {v: {v} for v in arrays})  # type: ignore[arg-type]
    if found is None:
        return False
    sums = [op for op in within(loop) if op.fn in _ACCESSES and op.args[0] in found.added]
    makers = makers_in(loop)
    return all(follows(i, loop.index, makers) is False for op in sums for i in places_of(op.args[1]))


def _is_array(var: Var) -> bool:
    return isinstance(var.type, Array)
