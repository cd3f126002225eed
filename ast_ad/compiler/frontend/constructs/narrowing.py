"""What does a condition, or a use, tell of a value: how many axes it has, that it is not None?

An array whose rank depends on the path taken has none that is known; where ``y.ndim == 1`` holds, ``y`` is a
vector. What may be None is there where ``y is not None`` holds, and after a statement that raises for None.
From there on, to the end of the block, the variable is read under another name, whose type says so.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from ....rules import helpers
from ...ir.alternatives import common, has_ranks, types_of
from ...ir.builtin import told
from ...ir.dims import Dim
from ...ir.ops import Lit, Op, Var
from ...ir.types import Array, Optional, Type, rank_of
from ..context import Context
from ..values import Arr, Value

RECENT = 32  # operations: a condition is made where it is asked

Fact = tuple[Var, int | None]
"""A variable and its rank; ~rank: it has another one; None: it is there, whatever its rank."""

COMPARISONS = {operator.eq: True, operator.ne: False, operator.is_: False, operator.is_not: True}
"""Where each tells something: if it holds, or if it does not."""


def facts_told(cx: Context, cond: Value, holds: bool) -> Iterator[Fact]:
    """What is known where a condition holds, or where it does not."""
    op = _maker(cx, cond)
    if op is None:
        return
    if op.fn is operator.not_:
        yield from facts_told(cx, op.args[0], not holds)
    elif op.fn not in COMPARISONS or op.kwargs:
        return
    elif COMPARISONS[op.fn] is not holds:
        yield from ((var, ~rank) for var, rank in facts_told(cx, cond, not holds) if rank is not None)
    elif op.fn in (operator.is_, operator.is_not):
        if isinstance(op.args[0], Var) and isinstance(op.args[1], Lit) and op.args[1].value is None:
            yield op.args[0], None
    else:
        for rank, other in (op.args, op.args[::-1]):
            asked = _maker(cx, rank)
            if asked is not None and asked.fn is np.ndim and isinstance(other, Lit):
                array, known = asked.args[0], other.value
                if isinstance(array, Var) and type(known) is int and known > 0:
                    yield array, known


def narrow(cx: Context, facts: list[Fact]) -> None:
    """Let these facts hold from here on, to the end of the block."""
    for var, rank in facts:
        type = _narrowed(var.type, rank)
        if type is not None:
            cx.builder.narrow(var, cx.builder.opaque(told, (var, Lit(rank)), type))


def there(cx: Context, value: Value, attribute: str = "") -> Var:
    """The variable of a value that may be None: if it is, the program raises here, as Python does.

    ``attribute``: what is asked of it, as Python then raises another class.
    """
    var = cx.variable(value)
    if not isinstance(var.type, Optional):
        return var
    args = (var, attribute) if attribute else (var,)
    found = cx.builder.opaque(helpers.not_none, args, var.type.value)
    if isinstance(value, Arr):
        cx.builder.narrow(var, found)
    return found


def _narrowed(type: Type, rank: int | None) -> Type | None:
    """The type that is left of another one."""
    if rank is None:
        return type.value if isinstance(type, Optional) else None
    if has_ranks(type):
        ranks = {r for t in types_of(type) if (r := rank_of(t)) is not None and (r == rank or ~r != rank < 0)}
        fitting = [t for t in types_of(type) if rank_of(t) in ranks]
        return common(fitting) if fitting and all(isinstance(t, Array) for t in fitting) else None
    if isinstance(type, Array) and type.shape is None and not type.among and rank >= 0:
        return Array(type.dtype, tuple(Dim.fresh() for _ in range(rank)))
    return None


def _maker(cx: Context, value: Value) -> Op | None:
    """The operation of this block that has given a variable, a short while ago."""
    if isinstance(value, Var):
        for op in reversed(cx.builder.block.ops[-RECENT:]):
            if isinstance(op, Op) and op.outs == (value,):
                return op
    return None
