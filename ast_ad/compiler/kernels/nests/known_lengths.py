"""Which lengths of a kernel's arrays are numbers? Short ones behind the first axis are told to the compiler.

``tell_lengths(kernel) -> None``. The last change of a kernel, when its parameters are known.

Elements of one column lie the length of a row apart. LLVM does not know that it is 3, takes it for 1, and
makes vectors for that case only: a loop over the rows of such an array takes up to ten times as long. The
length was compared before the call, or is that of an array that the driver makes; comparing it once in the
kernel takes no time, and all that follows relies on it.
"""

from __future__ import annotations

import operator

import numpy as np

from ...ir.ops import Function, Lit, Op, Statement, Var
from ...ir.types import Array, TupleOf
from .. import runtime as kernels
from .body import INT

NARROW = 4
"""Longer rows are not told: their columns are gathered; a Markov model of 12 states took twice as long."""


def tell_lengths(kernel: Function) -> None:
    """Compare such lengths at the kernel's begin, in place, if it does not check them anyway."""
    told: list[Statement] = []
    for array in kernel.params:
        shape = array.type.shape if isinstance(array.type, Array) else None
        axes = [
            (axis, n) for axis, n in enumerate(shape or ()) if axis and isinstance(n, int) and 1 < n <= NARROW
        ]
        if not axes or _is_measured(kernel, array):
            continue
        lengths = Var(TupleOf((INT,) * len(shape or ())), "shape")
        told.append(Op(np.shape, (array,), (lengths,)))
        for axis, n in axes:
            length = Var(INT, "n")
            told.append(Op(operator.getitem, (lengths, Lit(axis)), (length,)))
            told.append(Op(kernels.counted, (length, Lit(n)), (), effect=True))
    kernel.body.ops[:0] = told


def _is_measured(kernel: Function, array: Var) -> bool:
    """Whether the kernel checks an array's lengths: of what comes from elsewhere it compares all it knows."""
    ops = [op for op in kernel.body.ops if isinstance(op, Op)]
    shapes = {op.outs[0] for op in ops if op.fn is np.shape and op.args[0] is array}
    lengths = {op.outs[0] for op in ops if op.fn is operator.getitem and op.args[0] in shapes}
    equal = [op for op in ops if op.fn is operator.eq and isinstance(op.args[1], Lit)]
    return any(op.args[0] in lengths for op in equal)
