"""What do the methods of lists, tuples and dicts do to a container?"""

from __future__ import annotations

from typing import Any

from ..ir.ops import Lit, Op, Var
from ..ir.types import ListOf, Scalar, Type, element_of, list_of
from ..rules import containers
from . import doors
from .boundness import Raised, emit_raise
from .builder import type_of_arg
from .context import Context
from .holding import own_elements, popped, same_elements, set_list
from .joins import ShapeChange, join_lists
from .tables import method
from .values import (
    Closed,
    Dct,
    Lst,
    Tup,
    Value,
)


def end_of(cx: Context, base: Lst) -> Lst:
    """What is appended to: of a list from outside that was not read, what has been appended to it."""
    state = cx.state.look(base)
    if not isinstance(state, Closed):
        return base
    cx.outside().places.tails[state.path] = state.tail
    return state.tail


def joined_lists(cx: Context, a: Type, b: Type) -> ListOf:
    """The type of a list that holds the elements of two, or gets one of another type."""
    try:
        return join_lists(a, b)
    except ShapeChange as change:
        raise cx.unsupported(
            "a list with unlike elements, whose length is known at run time only",
            str(change).replace("it is", "an element is").replace("on one path and", "and another one"),
            "give all elements one type",
        ) from None


@method("list", "append")
def list_append(cx: Context, base: Lst, value: Value) -> None:
    base = end_of(cx, base)
    content = cx.state.get(base)
    if isinstance(content, tuple):
        set_list(cx, base, (*content, value), "append")
        return
    arg = doors.element(cx, base, value)
    type = joined_lists(cx, content.type, list_of(type_of_arg(arg)))
    after = cx.builder.opaque(containers.list_append, (content, arg), type)
    after.hint = content.hint
    set_list(cx, base, after, "append")


@method("list", "extend")
def list_extend(cx: Context, base: Lst, other: Value) -> None:
    other = doors.consumed(cx, other)
    base = base if other is base else end_of(cx, base)
    content = cx.state.get(base)
    source = cx.state.get(other) if isinstance(other, Lst) else None
    if isinstance(content, tuple) and not isinstance(source, Var) and doors.lazy_items(cx, other) is not None:
        items = doors.items_of(cx, other)
        if cx.state.get(base) is not content:
            raise cx.unsupported(
                "a list that is extended by what changes it meanwhile",
                "items get between those",
                "use append",
            )
        set_list(cx, base, (*content, *items))
        return
    if isinstance(other, Lst):
        if content == ():
            right = own_elements(cx, other)
            base.pools |= same_elements(cx, other, right).pools
            set_list(cx, base, right)
            return
        left, right = own_elements(cx, base), own_elements(cx, other)
        type = joined_lists(cx, left.type, right.type)
        base.pools |= same_elements(cx, other, right).pools
        set_list(cx, base, cx.builder.opaque(containers.list_concat, (left, right), type))
        return
    doors.run_for(cx, other, lambda item: list_append(cx, base, item), set())


# ----- methods of lists, tuples and dicts
@method("list", "insert")
def list_insert(cx: Context, base: Lst, index: Value, value: Value) -> Any:
    content = cx.state.get(base)
    if isinstance(content, tuple) and cx.is_static(index):
        items = list(content)
        items.insert(cx.static_value(index), value)
        set_list(cx, base, tuple(items))
        return Lit(None)
    content = own_elements(cx, base)
    arg = doors.element(cx, base, value)
    type = joined_lists(cx, content.type, list_of(type_of_arg(arg)))
    place: Any = Lit(0)
    if cx.static_value(index) != 0:
        place = cx.builder.opaque(containers.list_place, (content, cx.arg(index)), Scalar("int"))
    set_list(cx, base, cx.builder.opaque(containers.list_put, (content, place, arg), type))
    return Lit(None)


@method("list", "pop")
def list_pop(cx: Context, base: Lst, index: Value | None = None) -> Any:
    content = cx.state.get(base)
    if isinstance(content, Var) or index is not None and not cx.is_static(index):
        return pop_at(cx, base, own_elements(cx, base), Lit(-1) if index is None else index)
    items = list(content)
    try:
        found = items.pop(-1 if index is None else cx.demand(index, "a position"))
    except IndexError as error:
        emit_raise(cx, error)
        raise Raised from None
    set_list(cx, base, tuple(items))
    return found


def pop_at(cx: Context, base: Lst, content: Var, index: Value) -> Any:
    """The item at an index of a run-time list, which loses it."""
    assert isinstance(content.type, ListOf)
    rest, item = Var(content.type, content.hint), Var(element_of(content.type))
    if cx.static_value(index) == -1:
        op = Op(containers.list_pop, (content,), (rest, item), {}, cx.builder.span)
    else:
        op = Op(containers.list_remove, (content, cx.arg(index)), (rest, item), {}, cx.builder.span)
    cx.builder.append(op)
    set_list(cx, base, rest)
    return popped(cx, base, item)


@method("list", "copy")
def list_copy(cx: Context, base: Lst) -> Any:
    return same_elements(cx, base, cx.state.get(base))


@method("list", "reverse")
def list_reverse(cx: Context, base: Lst) -> Any:
    content = cx.state.get(base)
    if isinstance(content, Var):
        set_list(cx, base, cx.builder.opaque(containers.list_reverse, (content,), content.type))
    else:
        set_list(cx, base, content[::-1])
    return Lit(None)


@method("list", "clear")
def list_clear(cx: Context, base: Lst) -> Any:
    set_list(cx, base, ())
    return Lit(None)


@method("list", "index")
def list_index(cx: Context, base: Value, value: Value) -> Any:
    items, item = cx.demand(base, "a sequence"), cx.demand(value, "an item")
    try:
        return Lit(items.index(item))
    except ValueError as error:
        emit_raise(cx, error)
        raise Raised from None


@method("list", "count")
def list_count(cx: Context, base: Value, value: Value) -> Any:
    return Lit(cx.demand(base, "a sequence").count(cx.demand(value, "an item")))


@method("list", "_replace")
def list__replace(cx: Context, base: Tup, **kwargs: Value) -> Any:
    fields = base.cls._fields  # type: ignore[union-attr]
    return Tup(tuple(kwargs.get(f, v) for f, v in zip(fields, base.items, strict=True)), base.cls)


@method("list", "_asdict")
def list__asdict(cx: Context, base: Tup) -> Any:
    return Dct(dict(zip(base.cls._fields, base.items, strict=True)))  # type: ignore[union-attr]
