"""Which arrays of a kernel had better have their short last axes first? Those that lie cell by short cell.

``with_short_cells(kernel) -> set[Var]`` before ``share_memory``, so that only arrays of one order share, and
``short_axes_first(arrays) -> Orders`` behind it, as ``turn`` takes it.

A loop over cells of 9 numbers each reads every ninth number: LLVM makes no vectors of that. What a kernel
keeps for itself may lie in any order. So the last axes, where they are known to be short, come first if turns
of the loops along the axis before them are independent, and most of the numbers that these read and write
are neighbours then::

    f = np.empty((m, n, 9)), f[i, j, 2]        f = np.empty((9, m, n)), f[2, i, j]

Products take part: BLAS takes a matrix as it lies, and where factor and result lie so, needs not be called
(``turned_factors``).

First of all, not behind ``m``: before it uses vectors LLVM compares the memory of whole loops around, in
which rows of 9 lines would overlap.
"""

from __future__ import annotations

from collections import Counter

from ...ir.ops import (
    Block,
    For,
    Function,
    Seq,
    Var,
    blocks,
)
from ...ir.types import Array
from .axis_order import ACCESSES, Orders, own
from .cells import apart_in, follows, is_of_vectors, is_short, makers_in, short_axes, within
from .nests import SLOW
from .turned_factors import rows_of

PRODUCT, DEAR = 3, 12
"""What a product that becomes a loop of vectors counts for, for its factor and for its result; and a function
for which a loop that is none of vectors calls the library, number by number. Measured, as all that is read or
written is one."""


def with_short_cells(kernel: Function) -> set[Var]:
    """The arrays that had better be turned: each gains by it while all the others are."""
    arrays = {array for array in own(kernel, factors=True) if _rows(array)}
    apart, products, before = apart_in(kernel), rows_of(kernel), set[Var]()
    while arrays != before:
        gains, before = Counter[Var](), arrays
        _weigh(kernel.body, False, arrays, apart, gains)
        for pair in products:
            if arrays.issuperset(pair):
                gains.update(dict.fromkeys(pair, PRODUCT))
        arrays = {array for array in arrays if gains[array] > 0}
    return arrays


def short_axes_first(arrays: set[Var]) -> Orders:
    """The order of the axes of such arrays, where there still are others before the short ones."""
    return {
        array: (*range(_rank(array) - rows, _rank(array)), *range(_rank(array) - rows))
        for array in arrays
        if (rows := _rows(array))
    }


def _rank(array: Var) -> int:
    return len(array.type.shape or ()) if isinstance(array.type, Array) else 0


def _rows(array: Var) -> int:
    """How many axes are to come first, if any."""
    count, size = short_axes(array)
    return count if size > 1 else 0


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
    accesses = [op for op in within(loop) if op.fn in ACCESSES and op.args[0] in arrays]
    if not accesses:
        return
    vectors, makers = is_of_vectors(loop, apart, arrays), makers_in(loop)
    price = DEAR if any(op.fn in SLOW for op in within(loop)) else 1
    for op in accesses:
        array, index = op.args[:2]
        assert isinstance(array, Var) and isinstance(index, Seq)
        rows = _rows(array)
        *before, last = index.items[:-rows]
        along = follows(last, loop.index, makers)
        elsewhere = any(follows(i, loop.index, makers) is not False for i in (*before, *index.items[-rows:]))
        gains[array] += 1 if vectors and along and not elsewhere else -price
