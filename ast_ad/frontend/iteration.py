"""What does a loop run over: how many items, and which is the i-th?"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

from ..ir.ops import Block, If, Lit
from . import doors
from .arrays import load_item
from .attributes import load_attribute
from .boundness import emit_raise
from .context import NOT_STATIC, Context
from .holding import own_elements
from .tables import METHODS, method
from .values import Generator, Iterable, Live, Lst, Obj, Range, Tup, Value

# A rule's loops run over a handful of parts (the items of a list); written out, they vanish into assignments.
# A user's loop is never unrolled: the program would be another one than he wrote.
UNROLLED = 16


def is_driven(source: Value) -> bool:
    """Whether how many items there are is known only when all have been asked for: they come one by one."""
    if isinstance(source, Iterable):
        return source.kind == "filter" or any(is_driven(part) for part in source.sources)
    return isinstance(source, Generator)


def own_iterator(cx: Context, source: Value) -> Any:
    """What the ``__iter__`` of a class of the user's gives, or the source itself."""
    cls = (
        source.cls if isinstance(source, Obj) else type(source.value) if isinstance(source, Live) else object
    )
    if isinstance(getattr(cls, "__iter__", None), types.FunctionType):
        return doors.call(cx, load_attribute(cx, source, "__iter__"), [], {})
    return source


# ----- what a loop runs over
def iteration(cx: Context, source: Value) -> Any:
    """A list of items, or (count, start, stop, step, get): ``get(index)`` for the indices of a range."""
    if isinstance(source, Range):
        parts = [cx.static_value(p) for p in (source.start, source.stop, source.step)]
        if all(isinstance(p, int) for p in parts):
            if cx.inputs is None and len(range(*parts)) <= UNROLLED:
                return [Lit(i) for i in range(*parts)]
            return Lit(len(range(*parts))), source.start, source.stop, source.step, IDENTITY
        return range_length(cx, source), source.start, source.stop, source.step, IDENTITY
    source = doors.consumed(cx, source)
    items = doors.static_items(cx, source)
    if items is not None:
        return items
    count, get = indexable(cx, source)
    return count, Lit(0), count, Lit(1), get


def range_length(cx: Context, source: Range) -> Any:
    step = cx.static_value(source.step)
    if cx.static_value(source.start) == 0 and step == 1:
        return source.stop
    span = cx.emit(operator.sub, source.stop, source.start)
    if step == 1:
        return span
    if step is NOT_STATIC:
        require_step(cx, source.step)
    return cx.emit(operator.neg, cx.emit(operator.floordiv, cx.emit(operator.neg, span), source.step))


def require_step(cx: Context, step: Value) -> None:
    """Raise what ``range`` raises of a step of zero."""
    with cx.builder.nested(Block()) as zero:
        emit_raise(cx, ValueError("range() arg 3 must not be zero"))
    none = cx.arg(cx.emit(operator.eq, step, Lit(0)))
    cx.builder.append(If(none, zero, Block(), (), cx.builder.span, cx.builder.adjoint))


def indexable(cx: Context, source: Value) -> tuple[Any, Callable[[Any], Any]]:
    """The number of items at run time, and how to get one by its position."""
    if isinstance(source, Iterable):
        find = METHODS.get(("iterable", source.kind))
        if find is None:
            raise cx.unsupported(
                f"`{source.kind}` over what is as long as the call decides",
                "how many items there are is known only when they have been looked at",
                "write a loop with an `if`",
            )
        return find(cx, source)
    if isinstance(source, Range):
        return range_length(cx, source), lambda i: cx.emit(
            operator.add, source.start, cx.emit(operator.mul, i, source.step)
        )
    return doors.length(cx, source), lambda i: load_item(cx, source, i)


@method("iterable", "zip")
def indexable_zip(cx: Context, source: Iterable) -> Any:
    parts = [indexable(cx, as_indexable(cx, s)) for s in source.sources]
    counts: list[Any] = []
    for count, _ in parts:
        if not any(same_length(cx, count, c) for c in counts):
            counts.append(count)
    count = counts[0] if len(counts) == 1 else cx.emit(min, *counts)
    return count, lambda i: Tup(tuple(get(i) for _, get in parts))


def same_length(cx: Context, a: Value, b: Value) -> bool:
    from .dummies import int_size

    return bool(int_size(cx.arg(a)) == int_size(cx.arg(b)))


def as_indexable(cx: Context, source: Value) -> Any:
    """Static sequences beside run-time ones are read by run-time position."""
    items = doors.static_items(cx, source)
    if items is None or not items:
        return source
    together = Lst(tuple(items))
    return Lst(own_elements(cx, together), pools=together.pools)


@method("iterable", "enumerate")
def indexable_enumerate(cx: Context, source: Iterable) -> Any:
    count, get = indexable(cx, source.sources[0])
    return count, lambda i: Tup((doors.binary(cx, operator.add, i, source.start), get(i)))


@method("iterable", "reversed")
def indexable_reversed(cx: Context, source: Iterable) -> Any:
    count, get = indexable(cx, source.sources[0])
    last = doors.binary(cx, operator.sub, count, Lit(1))
    return count, lambda i: get(doors.binary(cx, operator.sub, last, i))


@method("iterable", "map")
def indexable_map(cx: Context, source: Iterable) -> Any:
    function, *rest = source.sources
    parts = [indexable(cx, s) for s in rest]
    count = parts[0][0] if len(parts) == 1 else cx.emit(min, *(c for c, _ in parts))
    return count, lambda i: doors.call(cx, function, [get(i) for _, get in parts], {})


@method("iterable", "ndindex")
def indexable_ndindex(cx: Context, source: Iterable) -> Any:
    total: Any = Lit(1)
    for dim in source.sources:
        total = doors.binary(cx, operator.mul, total, dim)

    def get(i: Value) -> Tup:
        parts = []
        for dim in reversed(source.sources):
            parts.append(doors.binary(cx, operator.mod, i, dim))
            i = doors.binary(cx, operator.floordiv, i, dim)
        return Tup(tuple(reversed(parts)))

    return total, get


def IDENTITY(index: object) -> Any:
    """The items of a range are its indices."""
    return index
