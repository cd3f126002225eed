"""Which arrays of a kernel had better have their short last axes first? Those that lie cell by short cell.

``with_short_cells(kernel) -> set[Var]`` before ``share_memory``, so that only arrays of one order share, and
``turn(kernel, arrays) -> None`` behind it.

A loop over cells of 9 numbers each reads every ninth number: LLVM makes no vectors of that. What a kernel
keeps for itself may lie in any order. So the last axes, where they are known to be short, come first if turns
of the loops along the axis before them are independent, and most of the numbers that these read and write
are neighbours then::

    f = np.empty((m, n, 9)), f[i, j, 2]        f = np.empty((9, m, n)), f[2, i, j]

First of all, not behind ``m``: before it uses vectors LLVM compares the memory of whole loops around, in
which rows of 9 lines would overlap. Cells of up to 4 numbers it takes apart by itself.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Var,
    While,
    blocks,
    operands,
    variables,
    walk,
)
from ...ir.types import Array
from .independence import sharing
from .known_lengths import NARROW

LONGEST = 16
"""Axes up to here are short: small lengths are known up to here only."""

_ACCESSES = {operator.getitem, builtin.setitem_, builtin.add_item_}


def with_short_cells(kernel: Function) -> set[Var]:
    """The arrays that had better be turned."""
    arrays = _own(kernel)
    if not arrays:
        return set()
    gains: Counter[Var] = Counter()
    _weigh(kernel.body, False, arrays, apart_in(kernel), gains)
    return {array for array, gain in gains.items() if gain > 0}


def turn(kernel: Function, arrays: set[Var]) -> None:
    """Let the short axes of such arrays come first, in place."""
    for op in walk(kernel.body):
        if not isinstance(op, Op):
            continue
        if op.fn is np.empty and op.outs[0] in arrays:
            shape = op.args[0]
            assert isinstance(shape, Seq)
            op.args = (Seq(_turned(shape.items, _rows(op.outs[0]))), *op.args[1:])
        elif op.fn in _ACCESSES and op.args[0] in arrays:
            array, index, *rest = op.args
            assert isinstance(array, Var) and isinstance(index, Seq)
            op.args = (array, Seq(_turned(index.items, _rows(array))), *rest)
    for array in arrays:
        assert isinstance(array.type, Array) and array.type.shape is not None
        array.type = Array(array.type.dtype, _turned(array.type.shape, _rows(array)))


def _turned(items: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    return (*items[-count:], *items[:-count])


def _rows(array: Var) -> int:
    """How many of an array's last axes are short, if there are others before them; else 0."""
    shape = array.type.shape if isinstance(array.type, Array) else None
    count, size = 0, 1
    for n in reversed(shape or ()):
        if not isinstance(n, int) or not 0 < n <= LONGEST:
            return count if size > NARROW else 0
        count, size = count + 1, size * n
    return 0


def _own(kernel: Function) -> set[Var]:
    """The arrays that the kernel makes and uses element by element only, with short axes behind long ones."""
    made = {op.outs[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
    made = {array for array in made if _rows(array)}
    return made - _escaping(kernel.body) if made else made


def _escaping(block: Block) -> set[Var]:
    found = set(variables(*block.results))
    for op in block.ops:
        args = list(operands(op))
        if isinstance(op, Op) and op.fn in _ACCESSES and _names_element(op):
            args = args[1:]
        found.update(variables(*args))
        for inner in blocks(op):
            found |= _escaping(inner)
    return found


def _names_element(op: Op) -> bool:
    array, index = op.args[:2]
    rank = len(array.type.shape or ()) if isinstance(array, Var) and isinstance(array.type, Array) else 0
    return isinstance(index, Seq) and len(index.items) == rank


# ----- gains
def is_short(loop: For) -> bool:
    """Whether a loop is known to have few turns."""
    numbers = [a.value for a in loop.range or () if isinstance(a, Lit)]
    return len(numbers) == 3 and len(range(*numbers)) <= LONGEST


def _weigh(block: Block, around: bool, arrays: set[Var], apart: set[Var], gains: Counter[Var]) -> None:
    """Count the numbers that are neighbours in the next turn of the innermost long loop, and the others.

    Where all loops are short the outermost stands for that one; ``around``: whether there is one outside.
    """
    for op in block.ops:
        for inner in blocks(op):
            _weigh(inner, around or isinstance(op, For), arrays, apart, gains)
        if isinstance(op, For) and not (is_short(op) and around):
            _count(op, arrays, apart, gains)


def _count(loop: For, arrays: set[Var], apart: set[Var], gains: Counter[Var]) -> None:
    accesses = [op for op in within(loop) if op.fn in _ACCESSES and op.args[0] in arrays]
    if not accesses:
        return
    independent, makers = is_independent(loop, apart), makers_in(loop)
    for op in accesses:
        array, index = op.args[:2]
        assert isinstance(array, Var) and isinstance(index, Seq)
        rows = _rows(array)
        *before, last = index.items[:-rows]
        along = follows(last, loop.index, makers)
        elsewhere = any(follows(i, loop.index, makers) is not False for i in (*before, *index.items[-rows:]))
        gains[array] += 1 if independent and along and not elsewhere else -1


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


def makers_in(loop: For) -> dict[Var, Op]:
    return {out: op for op in walk(loop.body) if isinstance(op, Op) for out in op.outs}


def follows(index: Arg, counter: Var, makers: dict[Var, Op]) -> bool | None:
    """Whether a place moves on by one with a counter; None where it moves in another way."""
    if index is counter:
        return True
    op = makers.get(index) if isinstance(index, Var) else None
    if op is None:
        return False
    moves = [follows(a, counter, makers) for a in op.args]
    if not any(m is not False for m in moves):
        return False
    alone = sum(m is not False for m in moves) == 1 and all(m is not None for m in moves)
    upwards = op.fn is operator.add or op.fn is operator.sub and moves[0] is True
    return True if alone and upwards else None


class _Apart:
    """The groups of arrays of which none share memory."""

    def of(self, var: Var) -> Var:
        return var


def apart_in(kernel: Function) -> set[Var]:
    """The arrays that share no memory with another one, where no arguments overlap: they have one name."""
    made = {op.outs[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty}
    return {*kernel.params, *made}


def is_independent(loop: For, apart: set[Var]) -> bool:
    """Whether the turns of a loop may be made at once; ``apart``: arrays that share no memory."""
    arrays = {v for op in walk(loop.body) if isinstance(op, Op) for v in variables(*op.args) if _is_array(v)}
    if not arrays <= apart or any(isinstance(op, (If, While)) for op in walk(loop.body)):
        return False
    return sharing(loop, _Apart(), {v: {v} for v in arrays}) is not None  # type: ignore[arg-type]


def _is_array(var: Var) -> bool:
    return isinstance(var.type, Array)
