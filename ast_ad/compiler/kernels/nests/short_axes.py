"""Which arrays of a kernel had better have their short last axes first? Those that lie cell by short cell.

``with_short_cells(kernel) -> set[Var]`` before ``share_memory``, so that only arrays of one order share, and
``turn(kernel, arrays) -> None`` behind it.

A loop over cells of 9 numbers each reads every ninth number: LLVM makes no vectors of that. What a kernel
keeps for itself may lie in any order. So the last axes, where they are known to be short, come first if turns
of the loops along the axis before them are independent, and most of the numbers that these read and write
are neighbours then::

    f = np.empty((m, n, 9)), f[i, j, 2]        f = np.empty((9, m, n)), f[2, i, j]

First of all, not behind ``m``: before it uses vectors LLVM compares the memory of whole loops around, in
which rows of 9 lines would overlap.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.ops import (
    Block,
    For,
    Function,
    Op,
    Seq,
    Var,
    blocks,
    operands,
    variables,
    walk,
)
from ...ir.types import Array
from .cells import apart_in, follows, is_of_vectors, is_short, makers_in, short_axes, within

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
    """Let the short axes of such arrays come first, in place, where there still are others before them."""
    arrays = {array for array in arrays if _rows(array)}
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
    """How many axes are to come first, if any."""
    count, size = short_axes(array)
    return count if size > 1 else 0


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
    vectors, makers = is_of_vectors(loop, apart, arrays), makers_in(loop)
    for op in accesses:
        array, index = op.args[:2]
        assert isinstance(array, Var) and isinstance(index, Seq)
        rows = _rows(array)
        *before, last = index.items[:-rows]
        along = follows(last, loop.index, makers)
        elsewhere = any(follows(i, loop.index, makers) is not False for i in (*before, *index.items[-rows:]))
        gains[array] += 1 if vectors and along and not elsewhere else -1
