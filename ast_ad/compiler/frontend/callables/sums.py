"""How does ``sum`` add the items of an iterable? Floats of Python's as Python does, to the bit."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

from ....rules import float_sums
from ...ir.ops import Lit, Var
from ...ir.types import Array, Scalar
from .. import doors
from ..builder import type_of_arg
from ..constructs.operators import binary
from ..constructs.statements import within_rules
from ..context import Context
from ..tables import handles
from ..values import Arr, Lst, Tup, Value
from .iterables import accumulate, consumed, to_list

NOTHING = Lit(0.0)


@handles(sum)
def b_sum(cx: Context, source: Value, start: Value | None = None) -> Any:
    if isinstance(source, Lst) and isinstance(cx.state.get(source), Var):
        return cx.emit(builtins.sum, source, *(() if start is None else (start,)))
    if isinstance(source, Arr) and not isinstance(cx.read(source).type, type(None)):
        type_ = cx.read(source).type
        if isinstance(type_, Array) and type_.ndim == 1 and start is None:
            return cx.emit(builtins.sum, source)
    total = Lit(0) if start is None else start
    if not float_sums.COMPENSATES or cx.jitted or within_rules(cx):
        return accumulate(cx, source, total, lambda a, b: binary(cx, operator.add, a, b))
    return compensated_sum(cx, source, total)


def compensated_sum(cx: Context, source: Value, start: Value) -> Any:
    """The sum, and beside it what its roundings have lost so far, of which the adjoint knows nothing."""
    first: list[Value] = []  # what one addition has lost: added to its sum, it is rounded away again

    def step(so_far: Value, item: Value) -> Any:
        total, lost = so_far.items  # type: ignore[union-attr]
        if not is_pythons_float(total):
            return Tup((binary(cx, operator.add, total, item), NOTHING))
        if not is_pythons_float(item) and not is_whole(item):
            return Tup((binary(cx, operator.add, with_lost(cx, total, lost), item), NOTHING))
        after = binary(cx, operator.add, total, item)
        if is_whole(item):
            return Tup((after, lost))
        more = computed(cx, float_sums.rounded_off, total, item, after)
        if lost is NOTHING:
            first.append(more)
            return Tup((after, more))
        return Tup((after, computed(cx, operator.add, lost, more)))

    total, lost = accumulate(cx, source, Tup((start, NOTHING)), step).items
    return total if any(lost is one for one in first) else with_lost(cx, total, lost)


def with_lost(cx: Context, total: Value, lost: Value) -> Any:
    return total if lost is NOTHING else computed(cx, float_sums.compensated, total, lost)


def computed(cx: Context, fn: Any, *values: Value) -> Any:
    """What a function of numbers gives: a number where they all are known."""
    if all(isinstance(v, Lit) for v in values):
        return doors.fold(cx, fn, *(v.value for v in values))  # type: ignore[union-attr]
    found = cx.emit(fn, *values)
    found.hint = "total" if fn is float_sums.compensated else "lost"
    return found


def is_pythons_float(value: Value) -> bool:
    """Whether it is a float of Python's, or may be one on some paths."""
    return _kind(value) == "float"


def is_whole(value: Value) -> bool:
    """Whether it is an int of Python's, or a boolean, which a sum of floats takes in as it is."""
    return _kind(value) in ("int", "bool")


def _kind(value: Value) -> str:
    type = type_of_arg(value) if isinstance(value, (Lit, Var)) else None
    return type.kind if isinstance(type, Scalar) and type.dtype is None else ""


@handles(math.fsum)
def b_fsum(cx: Context, seq: Value) -> Any:
    """``math.fsum`` rounds once: it is no sum of sums."""
    source = consumed(cx, seq)
    return cx.emit(math.fsum, source if isinstance(source, Arr) else to_list(cx, source))
