"""How many items has an iterable, and which are they?"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.ops import Lit, Var
from ..ir.types import Array, Scalar
from ..rules import dicts
from . import doors
from .arrays import load_item
from .attributes import load_attribute
from .builder import type_of_arg
from .context import Context
from .conversion import from_python
from .identities import is_iterator, used_up
from .iterables import generated, to_list
from .iteration import indexable, is_driven, range_length
from .operators import binary
from .outside_values import capture_live
from .values import Arr, Callee, Dct, Flat, Iterable, Live, Lst, Obj, Range, Tup, Value


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
        TypeError if isinstance(type_of_arg(cx.arg(value)), Scalar) else None,
    )


def items_of(cx: Context, value: Value, expected: int | None = None, star: int | None = None) -> list[Any]:
    """The items of an iterable whose length is static.

    ``expected``: unpacking fixes the length; ``star``: the one of these items that is a list of the rest.
    """
    if is_driven(value):
        value = doors.consumed(cx, value)
    items = static_items(cx, value, short=False)
    if star is not None and expected is not None:
        after = expected - star - 1
        if items is None:
            return starred_items(cx, value, star, after)
        return [*items[:star], Lst(tuple(items[star : len(items) - after])), *items[len(items) - after :]]
    if items is not None:
        return items
    if isinstance(value, (Arr, Lst)) and expected is not None:
        return unpack_run_time(cx, value, expected)
    count = cx.demand(indexable(cx, value)[0], "the length of an iterable")
    get = indexable(cx, value)[1]
    return [get(Lit(i)) for i in range(count)]


def unpack_run_time(cx: Context, value: Value, expected: int) -> list[Any]:
    """``a, b = x``: items of an array, after a check of its length."""
    if isinstance(value, Arr):
        type = cx.read(value).type
        if isinstance(type, Array) and type.shape and type.shape[0] == expected:
            return [load_item(cx, value, Lit(i)) for i in range(expected)]
    require(cx, operator.eq, value, expected, "expected {} values to unpack")
    return [load_item(cx, value, Lit(i)) for i in range(expected)]


def starred_items(cx: Context, value: Value, before: int, after: int) -> list[Any]:
    """``a, *b, c = x``, where the length of ``x`` is known at run time only."""
    source = to_list(cx, value)
    require(cx, operator.ge, source, before + after, "expected at least {} values to unpack")
    first = [load_item(cx, source, Lit(i)) for i in range(before)]
    middle = load_item(cx, source, slice(Lit(before), Lit(-after if after else None), Lit(None)))
    return [*first, middle, *(load_item(cx, source, Lit(i - after)) for i in range(after))]


def require(cx: Context, how: Callee, value: Value, count: int, text: str) -> None:
    """A check of a length, when the program runs."""
    from ..ir.builtin import assert_
    from ..ir.ops import Op

    cond = cx.emit(how, length(cx, value), Lit(count))
    message = Lit(text.format(count))
    cx.builder.append(Op(assert_, (cx.arg(cond), message), (), {}, cx.builder.span, effect=True))


def static_items(cx: Context, value: Value, short: bool = True) -> list[Any] | None:
    """The items where the structure of the iterable is static, else None."""
    from .values import Comprehension

    if isinstance(value, Comprehension):
        return static_items(cx, generated(cx, value), short)
    if isinstance(value, Tup):
        return list(value.items)
    if isinstance(value, Lst):
        content = cx.state.get(used_up(cx, value) if is_iterator(value) else value)
        return list(content) if isinstance(content, tuple) else None
    if isinstance(value, Dct):
        keys = cx.state.get(value)
        return None if isinstance(keys, Var) else [Lit(k) for k in keys]
    if isinstance(value, Range):
        found = cx.static_value(value)
        return (
            None if short or not isinstance(found, range) or len(found) > 10_000 else [Lit(i) for i in found]
        )
    if isinstance(value, Iterable):
        return static_iterable(cx, value, short)
    if isinstance(value, Lit) and isinstance(value.value, (tuple, list, str, dict, set, frozenset, range)):
        return [from_python(cx, v) for v in value.value]
    if isinstance(value, Arr) and not short:
        type = cx.read(value).type
        if isinstance(type, Array) and type.shape and isinstance(type.shape[0], int) and type.shape[0] <= 16:
            return [load_item(cx, value, Lit(i)) for i in range(type.shape[0])]
    if isinstance(value, Obj) and hasattr(value.cls, "__iter__"):
        return items_of(cx, doors.call(cx, load_attribute(cx, value, "__iter__"), [], {}))
    if isinstance(value, Live):
        return static_items(cx, capture_live(cx, value), short)
    return None


def static_iterable(cx: Context, value: Iterable, short: bool) -> list[Any] | None:
    if value.kind in ("ndindex", "entries", "filter"):
        return None
    sources = value.sources[1:] if value.kind == "map" else value.sources
    lists = [static_items(cx, s, short) for s in sources]
    if (
        value.kind == "zip"
        and any(items is not None for items in lists)
        and any(items is None for items in lists)
    ):
        lists = zip_mixed(cx, sources, lists)
    if any(items is None for items in lists):
        return None
    found: list[list[Any]] = lists  # type: ignore[assignment]
    if value.kind == "zip":
        return [Tup(parts) for parts in zip(*found, strict=False)]
    if value.kind == "enumerate":
        return [Tup((binary(cx, operator.add, value.start, Lit(i)), item)) for i, item in enumerate(found[0])]
    if value.kind == "reversed":
        return found[0][::-1]
    return [doors.call(cx, value.sources[0], list(parts), {}) for parts in zip(*found, strict=False)]


def zip_mixed(
    cx: Context, sources: Sequence[Value], lists: list[list[Value] | None]
) -> list[list[Value] | None]:
    """Static sequences of unlike things zipped with run-time ones: item by item."""
    count = min(len(items) for items in lists if items is not None)
    plain = all(isinstance(v, (Var, Lit)) for items in lists if items is not None for v in items)
    if plain and count > 8:
        return lists
    full: list[Any] = []
    for source, items in zip(sources, lists, strict=True):
        if items is None and isinstance(source, Range):
            items = [
                binary(cx, operator.add, source.start, binary(cx, operator.mul, Lit(i), source.step))
                for i in range(count)
            ]
        elif items is None and isinstance(source, (Arr, Lst)):
            items = unpack_run_time(cx, source, count)
        full.append(items)
    return full


def read_flat(cx: Context, value: Flat) -> Var:
    return cx.builder.op(np.ravel, cx.read(value.array))


doors.items_of = items_of
doors.length = length
doors.read_flat = read_flat
doors.static_items = static_items
