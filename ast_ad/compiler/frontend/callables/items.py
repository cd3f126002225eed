"""How many items has an iterable, and which are they?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import AdError
from ....rules import dicts, required
from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import Array, Scalar
from .. import doors
from ..builder import type_of_arg
from ..constructs.attributes import load_attribute
from ..constructs.boundness import Raised, emit_raise
from ..constructs.special_methods import special
from ..constructs.subscripts import load_item
from ..context import Context
from ..loops.iteration import indexable, is_driven, range_length
from ..outside_values import capture_live
from ..values import Arr, Comprehension, Dct, Flat, Iterable, Live, Lst, Obj, Range, Tup, Value
from .iterables import to_list
from .lazy_items import static_items


# ----- lengths and items
def length(cx: Context, value: Value) -> Any:
    if isinstance(value, Tup):
        return Lit(len(value.items))
    if isinstance(value, (Lst, Dct)):
        content = cx.state.get(value)
        if isinstance(value, Dct) and isinstance(content, Var):
            return cx.builder.opaque(dicts.dict_len, (content,), Scalar("int"))
        return cx.emit(len, content) if isinstance(content, Var) else Lit(len(content))
    if isinstance(value, Iterable) and value.kind == "entries":
        return length(cx, value.sources[1])
    if isinstance(value, Arr):
        type = cx.read(value).type
        if isinstance(type, Array) and type.shape is not None:
            if not type.shape:
                raise cx.unsupported("len() of a 0-d array", "it has no length", "use .size")
            if isinstance(type.shape[0], int):
                return Lit(type.shape[0])
            return cx.builder.opaque(len, (cx.read(value),), Scalar("int", None, type.shape[0]))
        return cx.emit(len, value)
    if isinstance(value, Range):
        count = range_length(cx, value)
        return Lit(max(count.value, 0)) if isinstance(count, Lit) else cx.emit(max, count, Lit(0))
    if isinstance(value, Flat):
        return load_attribute(cx, value.array, "size")
    method = special(cx, value, "__len__") if isinstance(value, (Lit, Live)) else None
    if method is not None:
        return doors.call(cx, method, [], {})
    static = cx.static_value(value)
    if hasattr(static, "__len__"):
        return Lit(len(static))
    if isinstance(value, Obj):
        return doors.call(cx, load_attribute(cx, value, "__len__"), [], {})
    if isinstance(value, Live):
        return length(cx, capture_live(cx, value))
    raise cx.unsupported(
        "len() of this value",
        "its length can't be found",
        "use a list or an array",
        TypeError if isinstance(value, Lit | Var) and isinstance(type_of_arg(value), Scalar) else None,
    )


def items_of(cx: Context, value: Value, expected: int | None = None, star: int | None = None) -> list[Any]:
    """The items of an iterable whose length is static.

    ``expected``: unpacking fixes the length; ``star``: the one of these items that is a list of the rest.
    """
    if is_driven(value) or isinstance(value, Comprehension):  # what makes its items makes them once
        value = doors.consumed(cx, value)
    if isinstance(value, Flat):
        value = cx.wrap(read_flat(cx, value))
    items = static_items(cx, value, short=False)
    if items is not None and expected is not None:
        require_items(cx, Lit(len(items)), expected - (star is not None), star is not None)
    if star is not None and expected is not None:
        after = expected - star - 1
        if items is None:
            return starred_items(cx, value, star, after)
        return [*items[:star], Lst(tuple(items[star : len(items) - after])), *items[len(items) - after :]]
    if items is not None:
        return items
    if isinstance(value, (Arr, Lst)) and expected is not None:
        return unpack_run_time(cx, value, expected)
    found, get = indexable(cx, value)
    try:
        count = cx.demand(found, "the length of an iterable")
    except AdError as problem:
        problem.items_asked = isinstance(value, Lst)
        raise
    return [get(Lit(i)) for i in range(count)]


def unpack_run_time(cx: Context, value: Value, expected: int) -> list[Any]:
    """``a, b = x``: items of an array, after a check of its length."""
    if isinstance(value, Arr):
        type = cx.read(value).type
        if isinstance(type, Array) and type.shape and type.shape[0] == expected:
            return [load_item(cx, value, Lit(i)) for i in range(expected)]
    require_items(cx, cx.arg(length(cx, value)), expected)
    return [load_item(cx, value, Lit(i)) for i in range(expected)]


def starred_items(cx: Context, value: Value, before: int, after: int) -> list[Any]:
    """``a, *b, c = x``, where the length of ``x`` is known at run time only."""
    source = to_list(cx, value)
    require_items(cx, cx.arg(length(cx, source)), before + after, True)
    first = [load_item(cx, source, Lit(i)) for i in range(before)]
    middle = load_item(cx, source, slice(Lit(before), Lit(-after if after else None), Lit(None)))
    return [*first, middle, *(load_item(cx, source, Lit(i - after)) for i in range(after))]


def require_items(cx: Context, count: Arg, expected: int, more: bool = False) -> None:
    """Raise Python's exception unless there are as many items as names; ``more``: at least as many."""
    doors.before_unpacking(cx, count, expected, more)
    if not isinstance(count, Lit):
        args = (count, Lit(expected), *([Lit(True)] if more else []))
        cx.builder.append(Op(required.require_items, args, (), {}, cx.builder.span, effect=True))
        return
    try:
        required.require_items(count.value, expected, more)
    except ValueError as problem:
        emit_raise(cx, problem)
        raise Raised from None


def read_flat(cx: Context, value: Flat) -> Var:
    return cx.builder.op(np.ravel, cx.read(value.array))


doors.items_of = items_of
doors.length = length
doors.read_flat = read_flat
