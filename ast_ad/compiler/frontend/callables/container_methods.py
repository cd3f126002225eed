"""What do the methods of lists, tuples and dicts do to a container?"""

from __future__ import annotations

import types
from typing import Any

from ....rules import containers, list_searches
from ...ir.ops import Lit, Op, Var
from ...ir.types import ListOf, Scalar, Type, element_of, list_of
from .. import doors
from ..builder import type_of_arg
from ..constructs.attributes import load_attribute
from ..context import Context
from ..store.holding import change_items, own_elements, popped, same_elements, set_list
from ..store.identities import makes_items, no_such_key, set_dict
from ..tables import method
from ..types.joins import ShapeChange, join_lists
from ..values import Closed, Dct, Live, Lost, Lst, Obj, Tup, Value

GROWING = Lost(
    "a list by what it is extended by",
    "items get between those: it grows with each of them",
    fix="use append",
)


def end_of(cx: Context, base: Lst) -> Lst:
    """The list to append to: for one from outside that was not read, that of the items appended so far."""
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
            change.among("an element"),
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


def taken(cx: Context, base: Lst, other: Value) -> Any:
    """What a list is extended by; what makes it must not read the list, which grows with each item."""
    if not makes_items(other):
        return doors.consumed(cx, other)
    before = cx.state.look(base)
    cx.state.set(base, GROWING)
    found = doors.consumed(cx, other)
    if cx.state.look(base) is GROWING:
        cx.state.set(base, before)
    return found


def require_unchanged(cx: Context, base: Lst, before: object) -> None:
    """What a list is extended by has not changed it itself: Python takes the items one by one."""
    if cx.state.look(base) is not before:
        raise cx.unsupported(
            "a list that is extended by what changes it meanwhile", "items get between those", "use append"
        )


@method("list", "extend")
def list_extend(cx: Context, base: Lst, other: Value) -> None:
    before = cx.state.look(base)
    other = taken(cx, base, other)
    if not isinstance(before, Closed):
        require_unchanged(cx, base, before)
    base = base if other is base else end_of(cx, base)
    content = cx.state.get(base)
    source = cx.state.get(other) if isinstance(other, Lst) else None
    if isinstance(content, tuple) and not isinstance(source, Var) and doors.lazy_items(cx, other) is not None:
        items = doors.items_of(cx, other)
        require_unchanged(cx, base, content)
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
    place = -1 if index is None else cx.demand(index, "a position")
    return change_items(cx, base, lambda items: items.pop(place))


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
def list_index(cx: Context, base: Value, value: Value, *bounds: Value) -> Any:
    if is_at_run_time(cx, base, value, *bounds):
        return doors.call(cx, Lit(list_searches.place_in), [base, value, *bounds], {})
    items, item = cx.demand(base, "a sequence"), cx.demand(value, "an item")
    try:
        return Lit(items.index(item, *(cx.demand(bound, "a bound") for bound in bounds)))
    except ValueError as error:
        raise cx.unsupported("an item that is not there", str(error), "check it", exception=error) from None


@method("list", "count")
def list_count(cx: Context, base: Value, value: Value) -> Any:
    if is_at_run_time(cx, base, value):
        return doors.call(cx, Lit(list_searches.times_in), [base, value], {})
    return Lit(cx.demand(base, "a sequence").count(cx.demand(value, "an item")))


@method("list", "remove")
def list_remove(cx: Context, base: Lst, value: Value) -> Any:
    place = doors.call(cx, Lit(list_searches.place_to_remove), [base, value], {})
    doors.call(cx, load_attribute(cx, base, "pop"), [place], {})
    return Lit(None)


def is_at_run_time(cx: Context, base: Value, *values: Value) -> bool:
    """Whether what is looked for, or where, is known when the program runs."""
    return not all(map(cx.is_static, (base, *values)))


@method("list", "_replace")
def list__replace(cx: Context, base: Tup, **kwargs: Value) -> Any:
    fields = base.cls._fields  # type: ignore[union-attr]
    return Tup(tuple(kwargs.get(f, v) for f, v in zip(fields, base.items, strict=True)), base.cls)


@method("list", "_asdict")
def list__asdict(cx: Context, base: Tup) -> Any:
    return Dct(dict(zip(base.cls._fields, base.items, strict=True)))  # type: ignore[union-attr]


# ----- parts of lists, and items that go
def spliced(cx: Context, content: Var, index: slice, new: Var | None, type: Type) -> Var:
    """The list with another one, or nothing, in the place of a slice."""
    bounds = [cx.arg(part) for part in (index.start, index.stop)]
    opaque, none = cx.builder.opaque, Lit(None)
    start = opaque(containers.list_start, (content, bounds[0]), Scalar("int"))
    stop = opaque(containers.list_stop, (content, start, bounds[1]), Scalar("int"))
    front = opaque(containers.list_slice, (content, none, start, none), content.type)
    if new is not None:
        front = opaque(containers.list_concat, (front, new), type)
    back = opaque(containers.list_slice, (content, stop, none, none), content.type)
    return opaque(containers.list_concat, (front, back), type)


def delete_item(cx: Context, base: Value, index: Value) -> None:
    if isinstance(base, Dct) and doors.is_run_time(cx, base, index):
        doors.pop_entry(cx, base, index)
        return
    cls = base.cls if isinstance(base, Obj) else type(base.value) if isinstance(base, Live) else object
    if isinstance(getattr(cls, "__delitem__", None), types.FunctionType):
        doors.call(cx, load_attribute(cx, base, "__delitem__"), [index], {})
        return
    if isinstance(base, Lst) and (isinstance(cx.state.get(base), Var) or not cx.is_static(index)):
        delete_from_list(cx, base, own_elements(cx, base), index)
        return
    key = cx.demand(index, "an index")
    content = cx.state.get(base) if isinstance(base, (Dct, Lst)) else None
    if isinstance(base, Dct) and isinstance(content, dict):
        if key not in content:
            raise no_such_key(cx, key)
        set_dict(cx, base, {k: v for k, v in content.items() if k != key})
    elif isinstance(base, Lst) and isinstance(content, tuple):
        change_items(cx, base, lambda items: items.__delitem__(key))
    else:
        raise cx.unsupported(
            "`del` of an item", "the compiler does not follow it here", "rebuild the container"
        )


def delete_from_list(cx: Context, base: Lst, content: Var, index: Value) -> None:
    """``del l[i]`` and ``del l[a:b]``."""
    if not isinstance(index, slice):
        pop_at(cx, base, content, index)
    elif cx.static_value(index.step) in (None, 1):
        set_list(cx, base, spliced(cx, content, index, None, content.type))
    else:
        raise cx.unsupported("`del` of every k-th item", "it is not followed", "make another list")
