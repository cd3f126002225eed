"""What does a condition tell of the arrays that it asks about, on either side of a branch?

An array whose rank depends on the path taken has none that is known. Where ``y.ndim == 1`` holds, ``y`` is a
vector: there its content is read under another name, whose type says so.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from ..ir.builtin import of_rank
from ..ir.dims import Dim
from ..ir.ops import Lit, Op, Var
from ..ir.types import Array
from .context import Context
from .values import Value

COMPARISONS = {operator.eq: True, operator.ne: False}


def ranks_told(cx: Context, cond: Value, holds: bool) -> Iterator[tuple[Var, int]]:
    """The variables whose rank is known where a condition holds, or where it does not."""
    op = _maker(cx, cond)
    if op is None:
        return
    if op.fn is operator.not_:
        yield from ranks_told(cx, op.args[0], not holds)
    elif COMPARISONS.get(op.fn) is holds and not op.kwargs:
        for rank, other in (op.args, op.args[::-1]):
            asked = _maker(cx, rank)
            if asked is None or asked.fn is not np.ndim or not isinstance(other, Lit):
                continue
            array, known = asked.args[0], other.value
            if isinstance(array, Var) and type(known) is int and known > 0:
                yield array, known


def narrowed(cx: Context, told: list[tuple[Var, int]]) -> dict[int, Var]:
    """Names for the arrays whose rank is known in the block that begins, by the variables that hold them."""
    names = {}
    for var, rank in told:
        if isinstance(var.type, Array) and var.type.shape is None and not var.type.among:
            shape = tuple(Dim.fresh() for _ in range(rank))
            names[var.id] = cx.builder.opaque(of_rank, (var, Lit(rank)), Array(var.type.dtype, shape))
    return names


def _maker(cx: Context, value: Value) -> Op | None:
    """The operation of this block that has given a variable."""
    if isinstance(value, Var):
        for op in reversed(cx.builder.block.ops):
            if isinstance(op, Op) and op.outs == (value,):
                return op
    return None
