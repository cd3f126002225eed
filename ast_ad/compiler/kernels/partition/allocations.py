"""Which kernels make no arrays? They need none of Numba's memory management, and calls of them cost less.

``uses_arrays_only(kernel) -> bool``. Asked for the choice of the decorator, when the kernel is done.
"""

from __future__ import annotations

import operator

import numpy as np

from ...ir import builtin
from ...ir.ops import Function, Op, Statement, Var, binders, operands, variables, walk
from ...ir.types import Array

_READS = {operator.getitem, np.shape, len}
_WRITES = {builtin.setitem_, builtin.add_item_}


def uses_arrays_only(kernel: Function) -> bool:
    """Whether a kernel does nothing with arrays but read and write elements of those that it is given.

    >>> from ast_ad.compiler.ir.ops import Block, Lit
    >>> x = Var(Array(np.dtype(float), (3,)))
    >>> uses_arrays_only(Function("f", (x,), Block([], (Lit(0.0),))))
    True
    >>> uses_arrays_only(Function("f", (x,), Block([], (x,))))
    False
    """
    if any(map(_is_array, variables(*kernel.body.results))):
        return False
    return all(map(_is_elementwise, walk(kernel.body)))


def _is_elementwise(op: Statement) -> bool:
    if isinstance(op, Op) and op.fn in _WRITES:  # their result is the array that is written to
        return not any(map(_is_array, variables(*op.args[1:])))
    if any(map(_is_array, (*op.outs, *binders(op)))):
        return False
    return isinstance(op, Op) and op.fn in _READS or not any(map(_is_array, variables(*operands(op))))


def _is_array(var: Var) -> bool:
    return isinstance(var.type, Array)
