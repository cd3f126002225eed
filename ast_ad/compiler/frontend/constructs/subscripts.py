"""What do ``x[i]`` and ``x[i] = v`` mean, and what else does a write change?"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import UnsupportedError
from ....rules import containers, helpers
from ....rules.in_place import writable
from ...ir.alternatives import alternatives
from ...ir.ops import UNKNOWN, Arg, Lit, Seq, Slice, Var, variables
from ...ir.types import Array, ListOf, Optional, Scalar, Type, element_of, kind_of, list_of
from .. import doors
from ..builder import content_type, type_of_arg
from ..callables.container_methods import joined_lists, spliced
from ..context import Context
from ..conversion import real_part
from ..outside_values import load_live_item, own_item_code
from ..store.holding import (
    change_items,
    element_value,
    hold_element,
    own_elements,
    pools_of,
    same_elements,
    set_list,
)
from ..store.identities import no_such_key, read_once, set_dict
from ..store.inner_lists import load_inner
from ..store.outer_stores import Attributes
from ..store.windows import is_int, parts_of, shape_of as array_shape, uncertain
from ..types.basic_indices import index_type
from ..types.dummies import InferenceError
from ..types.hidden_numbers import is_label
from ..types.layouts import orders_of_solid
from ..values import Arr, Dct, Flat, Iterable, Live, Lst, Obj, Range, Tup, Value, View
from .attribute_stores import load_entry, store_entry
from .attributes import load_attribute
from .certain_exceptions import class_without_items, raising
from .flat_stores import store_flat
from .index_tricks import joined_by_index
from .narrowing import there
from .special_methods import has_own_items, special


def is_advanced(index: Arg) -> bool:
    """Whether an index has arrays, lists or truth values (masks without axes) in it: NumPy makes a copy."""
    if isinstance(index, Seq):
        return index.kind is list or any(map(is_advanced, index.items))
    if not isinstance(index, (Var, Lit)):
        return False
    type = type_of_arg(index)
    return isinstance(type, (Array, ListOf)) or isinstance(type, Scalar) and type.kind == "bool"


# ----- reading items
def load_item(cx: Context, base: Value, index: Value) -> Any:
    if cx.splitting is not None:
        doors.before_item(cx, base, index)
    if isinstance(base, Arr):
        return load_array_item(cx, base, index)
    if isinstance(base, (Tup, Lst)):
        return read_once(cx, load_sequence_item(cx, base, index), id(base))
    if isinstance(base, Dct):
        if is_truth(index) and isinstance(cx.state.get(base), dict):
            return doors.choose(
                cx, index, lambda: load_item(cx, base, Lit(True)), lambda: load_item(cx, base, Lit(False))
            )
        if doors.is_run_time(cx, base, index):
            return doors.load_entry(cx, base, index)
        key = cx.demand(index, "a dict key")
        content = cx.state.get(base)
        if key in content:
            return read_once(cx, content[key], id(base))
        raise no_such_key(cx, key)
    if isinstance(base, Flat):
        return load_array_item(cx, cx.wrap(cx.builder.op(np.ravel, cx.arg(base.array))), index)
    if isinstance(base, Obj):
        return doors.call(cx, load_attribute(cx, base, "__getitem__"), [index], {})
    if isinstance(base, Attributes):
        return load_entry(cx, base, index)
    if isinstance(base, Range) and not doors.within_rules(cx):
        return load_place(cx, base, index)
    if isinstance(base, Range):
        return doors.binary(cx, operator.add, base.start, doors.binary(cx, operator.mul, index, base.step))
    if isinstance(base, Lit):
        if base.value is np.r_ or base.value is np.c_:
            return joined_by_index(cx, base.value is np.c_, index)
        method = special(cx, base, "__getitem__")  # of a class's own class
        if method is not None:
            return doors.call(cx, method, [index], {})
        if has_own_items(base.value):  # it may do more than to give something
            return doors.call(cx, load_attribute(cx, base, "__class_getitem__"), [index], {})
        return doors.fold(cx, operator.getitem, base.value, cx.demand(index, "an index into a constant"))
    if isinstance(base, Live):
        method = special(cx, base, "__getitem__") or own_item_code(cx, base, "__getitem__")
        return load_live_item(cx, base, index) if method is None else doors.call(cx, method, [index], {})
    type = base.type if isinstance(base, Var) else None
    if isinstance(type, Optional) and not isinstance(type.value, Array):
        raise cx.unsupported("an item of what may be None", f"it is {type}", "put a tuple there first")
    return cx.emit(operator.getitem, base, index)


def load_place(cx: Context, base: Range, index: Value) -> Any:
    """An item of a range: known, or read at run time of the array of all its items."""
    try:
        places = cx.demand(base, "the bounds of a range"), cx.demand(index, "an index of a range")
    except UnsupportedError:
        if not (isinstance(index, (Lit, Var)) and is_int(index)):
            raise
        every = doors.call(cx, Lit(np.arange), [base.start, base.stop, base.step], {})
        return doors.call(cx, Lit(int), [load_item(cx, every, index)], {})
    return doors.fold(cx, operator.getitem, *places)


def is_truth(value: Value) -> bool:
    """Whether it is a boolean that is known at run time only: a key that is equal to 0 or 1."""
    return (
        isinstance(value, Var)
        and value.known is UNKNOWN
        and isinstance(value.type, Scalar)
        and value.type.kind == "bool"
    )


def load_array_item(cx: Context, base: Arr, index: Value) -> Any:
    position = index_arg(cx, index)
    value = cx.read(base)
    try:
        type = index_type(value, position)
    except InferenceError as problem:
        error = IndexError(str(problem))
        refusal = cx.unsupported(
            "this index", str(problem), "check it against the array's dimensions", None, error
        )
        refusal.call = raising(operator.getitem, [value, position], {}, cx.builder)  # type: ignore[attr-defined]
        raise refusal from None
    if type is None:
        found = cx.emit(operator.getitem, base, position)
        if not is_advanced(position):
            return window_of_any_rank(cx, base, position, found)
        if isinstance(found, Arr):
            found.orders = orders_of_solid(array_shape(cx, found))
        return found
    return window(
        cx,
        base,
        lambda v: cx.builder.opaque(operator.getitem, (v, position), type),
        lambda v, new: cx.builder.opaque(helpers.setitem, (v, position, new), v.type),
        position,
        type,
    )


def item_view(cx: Context, base: Arr, position: Arg) -> Arr:
    """The window at a basic index, which is not read here."""

    get, put = opening(cx, position)
    return Arr(None, View(base, get, put, position))


def opening(cx: Context, position: Arg) -> tuple[Callable[[Var], Var], Callable[[Var, Var], Var]]:
    """What gives a window at a basic index, of whatever the array is then, and what writes through it.

    Where the array may be of several types, there may be no such window for one of them. No path gets to
    where that is known to be its type; the window is refused there as any index is.
    """

    def get(v: Var) -> Var:
        return cx.variable(cx.emit(operator.getitem, v, position))

    def put(v: Var, new: Var) -> Var:
        return cx.builder.opaque(helpers.setitem, (v, position, new), v.type)

    return get, put


def window_of_any_rank(cx: Context, base: Arr, position: Arg, found: Value) -> Any:
    """What slices show of an array is a view, whatever its rank is; what ints show may be a number."""
    seen = uncertain(cx, base, found)
    parts = parts_of(position)
    sliced = any(is_slice(p) or isinstance(p, Lit) and p.value is Ellipsis for p in parts)
    if isinstance(seen, Arr) and seen.view is not None and sliced and all(map(is_plain_index, parts)):
        seen.view.reads = tuple(variables(position))
        seen.view.get, seen.view.put = opening(cx, position)
    return seen


def is_plain_index(part: Arg) -> bool:
    """Whether it certainly is an int, a slice, an ellipsis or a new axis."""
    if isinstance(part, Lit) and (part.value is None or part.value is Ellipsis):
        return True
    return is_slice(part) or is_int(part)


def is_slice(part: Arg) -> bool:
    return isinstance(part, Slice) or isinstance(part, Lit) and isinstance(part.value, slice)


def window(
    cx: Context,
    base: Value,
    get: Callable[[Var], Var],
    put: Callable[[Var, Var], Var],
    index: Arg | None,
    type: Type,
) -> Any:
    """A view of ``base``, or the number that stands there."""
    parent = cx.read(base) if isinstance(base, Arr) else cx.state.get(base)
    var = get(parent)
    if not isinstance(type, Array):
        return var
    if put is not None:
        inner = put

        def put(before: Var, new: Var) -> Any:
            after = inner(before, new)
            after.hint = after.hint or before.hint
            return after

    view = Arr(None, View(base, get, put, index), base.foreign if isinstance(base, Arr) else None)
    cx.state.set(view, (parent, var))
    return view


def asked_index(cx: Context, index: Value) -> Any:
    """An index; of an object whose class has code for it, the number that it tells when asked once."""
    method = special(cx, index, "__index__") if isinstance(index, (Live, Obj)) else None
    return index if method is None else doors.call(cx, method, [], {})


def index_arg(cx: Context, index: Value) -> Arg:
    """An index as an argument; a known int array of one element stays an array."""
    if isinstance(index, Tup):
        return Seq(tuple(index_arg(cx, i) for i in index.items), tuple)
    if isinstance(index, Range) and not cx.is_static(index):
        return cx.variable(cx.emit(np.arange, index.start, index.stop, index.step))
    if isinstance(index, (Range, Iterable)):
        return Seq(tuple(cx.arg(i) for i in doors.items_of(cx, index)), list)
    asked = asked_index(cx, index)
    if asked is not index:
        return index_arg(cx, asked)
    arg = cx.arg(index)
    for var in variables(arg):
        kinds = set(map(kind_of, alternatives(var.type)))
        if len(kinds) > 1 and kinds != {"int", "float"}:  # of a float NumPy raises when it runs
            raise cx.unsupported(
                "an index that is a bool on one path and an int on another",
                "they choose other elements",
                "convert it: `int(i)`",
            )
    return arg


def load_sequence_item(cx: Context, base: Tup | Lst, index: Value) -> Any:
    content = base.items if isinstance(base, Tup) else cx.state.get(base)
    index = asked_index(cx, index)
    if isinstance(base, Lst) and isinstance(content, Var):
        return load_list_item(cx, base, content, index)
    position = cx.static_value(index)
    if not content and isinstance(index, Var) and kind_of(index.type) == "int":
        position = 0  # whichever it is
    if isinstance(position, (int, np.integer, slice)):
        try:
            found = content[position]
        except IndexError:
            kind = "tuple" if isinstance(base, Tup) else "list"
            raise cx.unsupported(
                "this index",
                f"the sequence has {len(content)} items",
                "check it",
                exception=IndexError(f"{kind} index out of range"),
            ) from None
        return (
            found if not isinstance(position, slice) else Tup(found) if isinstance(base, Tup) else Lst(found)
        )
    if isinstance(index, slice):
        cx.demand(index, "a slice of a static sequence")
    alike = any(all(isinstance(v, kind) for v in content) for kind in (Arr, Lst))
    if cx.handles and content and alike:
        run_time_list = base if isinstance(base, Lst) else Lst(content)
        cx.state.set(run_time_list, own_elements(cx, run_time_list))
        return load_list_item(cx, run_time_list, cx.state.get(run_time_list), index)
    if len(content) and all(
        isinstance(v, (Var, Lit)) and kind_of(type_of_arg(v)) != "other" for v in content
    ):
        run_time = doors.dynamic_list(cx, tuple(content))
        element = content_type(run_time)
        return cx.builder.opaque(containers.list_get, (run_time, cx.arg(index)), element)
    try:
        known = cx.demand(index, "an index into a tuple or list of unlike things")
    except UnsupportedError as problem:
        if alike:
            raise cx.element(problem.construct, problem.why, problem.fix) from None
        raise
    return doors.fold(cx, operator.getitem, [] if isinstance(base, Lst) else (), known)  # it raises


def load_list_item(cx: Context, base: Lst, content: Var, index: Value) -> Any:
    assert isinstance(content.type, ListOf)
    if isinstance(index, slice):
        bounds = [cx.arg(part) for part in (index.start, index.stop, index.step)]
        part = cx.builder.opaque(containers.list_slice, (content, *bounds), content.type)
        return same_elements(cx, base, part)
    position = cx.arg(index)
    kind = content.type
    element = element_of(kind)
    if isinstance(element, ListOf):
        return load_inner(cx, base, content, position)
    if not isinstance(element, Array):
        item = cx.builder.opaque(containers.list_get, (content, position), element)
        return element_value(cx, base, item)
    return window(
        cx,
        base,
        lambda v: cx.builder.opaque(containers.list_get, (v, position), element_of(kind)),
        lambda v, new: cx.builder.opaque(containers.list_set, (v, position, new), v.type),
        None,
        element,
    )


# ----- writing items
def store_item(cx: Context, base: Value, index: Value, value: Value) -> None:
    if isinstance(base, Arr):
        store_array_item(cx, base, index, value)
    elif isinstance(base, Lst):
        store_list_item(cx, base, index, value)
    elif isinstance(base, Dct) and doors.is_run_time(cx, base, index):
        doors.store_entry(cx, base, index, value)
    elif isinstance(base, Dct):
        set_dict(cx, base, {**cx.state.get(base), cx.demand(index, "a dict key"): value})
    elif isinstance(base, Flat):
        store_flat(cx, base.array, index, index_arg(cx, index), value)
    elif isinstance(base, Obj):
        doors.call(cx, load_attribute(cx, base, "__setitem__"), [index, value], {})
    elif (stores := special(cx, base, "__setitem__")) is not None:
        doors.call(cx, stores, [index, value], {})
    elif isinstance(base, Attributes):
        store_entry(cx, base, index, value)
    else:
        found = class_without_items(base)
        raise cx.unsupported(
            "an item assignment",
            "the object is no array, list or dict of the function",
            "copy it into a local one first",
            exception=None
            if found is None
            else TypeError(f"'{found}' object does not support item assignment"),
        )


def store_array_item(cx: Context, base: Arr, index: Value, value: Value) -> None:
    position = index_arg(cx, index)
    if (
        base.view is not None
        and base.view.index is not None
        and all(map(is_int, parts_of(base.view.index)))
        and not base.foreign
        and isinstance(base.view.parent, Arr)
    ):
        joined = Seq((*parts_of(base.view.index), *parts_of(position)), tuple)
        store_array_item(cx, base.view.parent, joined, value)
        return
    before = array_there(cx, base)
    new = cx.arg(value)
    kinds = kind_of(before.type), kind_of(type_of_arg(new))
    if kinds[1] == "complex" and kinds[0] in ("float", "int"):
        new = real_part(cx, new, before)
    if kinds[0] == "other" and not is_label(before.type, new):
        raise cx.unsupported(
            f"a store into an array of {before.type}", "it holds no numbers", "use a numeric dtype"
        )
    after = cx.builder.opaque(helpers.setitem, (before, position, new), before.type)
    after.hint = before.hint
    cx.write(base, after)


def array_there(cx: Context, base: Arr) -> Var:
    """What an array holds; where it may be a number, or None, on the path taken, the program raises here."""
    before = there(cx, base)
    if isinstance(before.type, Array) and before.type.shape is None:
        return cx.builder.opaque(writable, (before,), before.type)
    return before


def store_list_item(cx: Context, base: Lst, index: Value, value: Value) -> None:
    content = cx.state.get(base)
    position = cx.static_value(index)
    if isinstance(content, tuple) and isinstance(position, (int, np.integer, slice)):
        new = doors.items_of(cx, value) if isinstance(position, slice) else value
        kind = "other" if isinstance(position, slice) else "set"
        change_items(cx, base, functools.partial(_set, position, new), kind)
        return
    content = own_elements(cx, base)
    if isinstance(index, slice):
        store_list_slice(cx, base, content, index, doors.consumed(cx, value))
        return
    new = element(cx, base, value)
    type = joined_lists(cx, content.type, list_of(type_of_arg(new)))
    after = cx.builder.opaque(containers.list_set, (content, cx.arg(index), new), type)
    after.hint = content.hint
    set_list(cx, base, after, "set")


def _set(place: Any, value: Any, items: list[Any]) -> None:
    items[place] = value


def store_list_slice(cx: Context, base: Lst, content: Var, index: slice, value: Value) -> None:
    """``l[a:b] = other``: what is in front of it, the other one, what is behind it."""
    other = value if isinstance(value, Lst) else Lst(tuple(doors.items_of(cx, value)))
    new = own_elements(cx, other)
    if isinstance(cx.state.get(other), Var):
        base.pools |= same_elements(cx, other, new).pools
    else:
        for item in cx.state.get(other):
            hold_element(cx, pools_of(cx, base), item)
    type = joined_lists(cx, content.type, new.type)
    if cx.static_value(index.step) not in (None, 1):
        bounds = [cx.arg(part) for part in (index.start, index.stop, index.step)]
        after = cx.builder.opaque(containers.list_set_slice, (content, *bounds, new), type)
    else:
        after = spliced(cx, content, index, new, type)
    after.hint = content.hint
    set_list(cx, base, after)


def element(cx: Context, base: Lst | Dct, value: Value) -> Arg:
    """A value that becomes an element of a run-time list, as an argument."""
    hold_element(cx, pools_of(cx, base), value)
    return doors.element_arg(cx, value)


doors.element = element
doors.load_item = load_item
doors.store_item = store_item
doors.item_view = item_view
