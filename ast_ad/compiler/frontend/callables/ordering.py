"""What do ``sorted``, ``min`` and ``max`` make of an iterable, and what is the order of a list by a key?

The order is found at run time by Python's own ``sorted``, ``min`` and ``max``, of the very keys; what stands
there is taken from the list.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ....rules import containers
from ....rules.standing import original_of
from ...ir.ops import Lit, Var
from ...ir.types import (
    ANY_KEY,
    DictOf,
    ListOf,
    Optional,
    Record,
    Reference,
    Scalar,
    TupleOf,
    Type,
    has_references,
    kind_of,
)
from .. import doors
from ..builder import content_type, type_of_arg
from ..constructs.branches import choose
from ..constructs.operators import fold
from ..context import Context
from ..store.holding import own_elements, placed, same_elements, set_list
from ..store.identities import makes_items
from ..tables import handles, method
from ..values import Arr, Callee, Dct, Lst, Obj, Value
from .container_methods import list_append
from .iterables import consumed, to_list

COMPARING = "__lt__", "__gt__", "__eq__"


# ----- sorted
@handles(sorted)
def b_sorted(cx: Context, source: Value, key: Value = Lit(None), reverse: Value = Lit(False)) -> Any:
    source = consumed(cx, in_any_order(cx, source, key))
    items = doors.static_items(cx, source, short=False)
    if items is None:
        return in_order(cx, to_list(cx, source), key, reverse)
    by_itself = cx.static_value(key) is None
    keys = Lst(tuple(items if by_itself else [doors.call(cx, key, [item], {}) for item in items]))
    if cx.is_static(keys) and cx.is_static(reverse):
        static = containers.list_order(cx.static_value(keys), cx.static_value(reverse))
        return Lst(tuple(items[i] for i in static))
    if not all(isinstance(item, (Var, Lit)) and isinstance(type_of_arg(item), Scalar) for item in items):
        return in_order(cx, Lst(tuple(items)), Lit(None) if by_itself else keys, reverse)
    values = own_elements(cx, Lst(tuple(items)))
    of_keys = values if by_itself else cx.arg(keys), cx.arg(reverse)
    order = cx.builder.opaque(containers.list_order, of_keys, ListOf(Scalar("int")))
    type = TupleOf((content_type(values),) * len(items))
    ordered = cx.wrap_var(cx.builder.opaque(containers.list_permuted, (values, order), type))
    return Lst(ordered.items)


def in_any_order(cx: Context, source: Value, key: Value) -> Any:
    """The members of a set as the keys of a dict: where no two are alike, their order tells nothing.

    By a key some may be alike, and stay in the order of their hashes.
    """
    if not isinstance(source, Obj) or original_of(source.cls) is not set or cx.static_value(key) is not None:
        return source
    members = cx.state.get(source)["content"]
    content = cx.state.get(members)
    kind = content.type if isinstance(content, Var) else None
    return source if isinstance(kind, DictOf) and is_compared_only(kind.key) else members


def is_compared_only(key: Type) -> bool:
    """Whether of such a key nothing is known but what equals it: of a number with a derivative, say."""
    return key == ANY_KEY or isinstance(key, TupleOf) and any(map(is_compared_only, key.items))


def in_order(cx: Context, source: Lst, key: Value, reverse: Value) -> Lst:
    """A new list with the items of a list of run-time length; ``key``: a function, or the keys themselves."""
    values = own_elements(cx, source)
    keys = keys_of(cx, Lst(values, pools=source.pools), key)
    of_keys = keys, cx.arg(reverse)
    order = cx.builder.opaque(containers.list_order, of_keys, ListOf(Scalar("int")))
    return same_elements(
        cx, source, cx.builder.opaque(containers.list_permuted, (values, order), values.type)
    )


def keys_of(cx: Context, source: Lst, key: Value) -> Var:
    """The keys by which the items of a run-time list are compared."""
    if isinstance(key, Lst):
        keys = key
    elif cx.static_value(key) is None:
        keys = source
    else:
        keys = placed(cx, Lst(()))
        doors.run_for(cx, source, lambda item: list_append(cx, keys, doors.call(cx, key, [item], {})), set())
    found = own_elements(cx, keys)
    if has_references(found.type):  # lists are compared by what they hold
        found = cx.variable(keys)
    if not has_order(content_type(found)):
        raise cx.unsupported(
            "an order of what are no numbers, nor tuples of them", "it is not followed", "use a key"
        )
    return found


def with_keys(cx: Context, source: Value, key: Value) -> tuple[Lst, Lst]:
    """The items and their keys, each of which is asked for before the next item is made."""
    items, keys = placed(cx, Lst(())), placed(cx, Lst(()))

    def each(item: Value) -> None:
        list_append(cx, items, item)
        list_append(cx, keys, doors.call(cx, key, [item], {}))

    doors.run_for(cx, source, each, set())
    return items, keys


def has_order(type: Type) -> bool:
    """Whether values of the type are compared as a whole."""
    if isinstance(type, Reference) or isinstance(type, Record) and not is_compared_as_tuple(type.cls):
        return False
    if isinstance(type, TupleOf):
        return all(map(has_order, type.items))
    if isinstance(type, ListOf):
        return has_order(type.element)
    if isinstance(type, Optional):  # None has no order: Python's own error
        return has_order(type.value)
    return isinstance(type, Scalar) and kind_of(type) != "complex" or str(type) in ("str", "nothing")


def is_compared_as_tuple(cls: type) -> bool:
    """Whether the order of a class's instances is that of tuples: an object may have one of its own."""
    return issubclass(cls, tuple) and all(getattr(cls, n) is getattr(tuple, n) for n in COMPARING)


@method("list", "sort")
def list_sort(cx: Context, base: Lst, **kwargs: Value) -> Any:
    set_list(cx, base, cx.state.get(b_sorted(cx, base, **kwargs)))
    return Lit(None)


# ----- min and max
@handles(min)
def b_min(cx: Context, *args: Value, **kwargs: Value) -> Any:
    return extremum(cx, min, args, **kwargs)


@handles(max)
def b_max(cx: Context, *args: Value, **kwargs: Value) -> Any:
    return extremum(cx, max, args, **kwargs)


def extremum(
    cx: Context,
    fn: Callee,
    args: tuple[Value, ...],
    key: Value = Lit(None),
    default: Value | None = None,
) -> Any:
    if len(args) == 1 and makes_items(args[0]) and cx.static_value(key) is not None:
        return by_key(cx, fn, *with_keys(cx, args[0], key), default)
    source = consumed(cx, in_any_order(cx, args[0], key)) if len(args) == 1 else Lst(tuple(args))
    items = doors.static_items(cx, source, short=cx.static_value(key) is None)
    if items is not None and not items and default is not None:
        return default
    if cx.static_value(key) is not None:
        return by_key(cx, fn, to_list(cx, source) if items is None else Lst(tuple(items)), key, default)
    if items is None:
        whole = source if isinstance(source, (Arr, Lst)) else to_list(cx, source)
        if isinstance(whole, Lst):
            whole = with_content(cx, whole)
            kind = content_type(own_elements(cx, whole))
            if isinstance(kind, TupleOf) or default is not None and not isinstance(kind, Scalar):
                return by_key(cx, fn, whole, key, default)

        def found() -> Any:
            one = cx.emit(fn, whole)
            return one if isinstance(one, Var) else one_of_them(cx, fn)

        return or_default(cx, whole, found, default)
    if all(cx.is_static(item) for item in items):
        return fold(cx, fn, [cx.static_value(item) for item in items])
    if any(isinstance(item, (Arr, Lst, Dct)) for item in items) and len(items) > 1:
        one_of_them(cx, fn)
    return items[0] if len(items) == 1 else cx.emit(fn, *items)


def by_key(cx: Context, fn: Callee, source: Lst, key: Value, default: Value | None) -> Any:
    """The item of which the key is the least, or the largest."""
    items = with_content(cx, source)

    def best() -> Any:
        of_keys = keys_of(cx, items, key), Lit(fn is max)
        place = cx.builder.opaque(containers.list_extreme, of_keys, Scalar("int"))
        return doors.load_item(cx, items, place)

    return or_default(cx, items, best, default)


def with_content(cx: Context, source: Lst) -> Lst:
    """The list with its elements as one value of the program."""
    content = own_elements(cx, source)
    if isinstance(cx.state.get(source), Var):
        return source
    return Lst(content, pools=source.pools, within=source.within, view=source.view)


def or_default(cx: Context, items: Lst | Arr, find: Callable[[], Any], default: Value | None) -> Any:
    """What is found among the items; the default, if there is one and there are no items."""
    if default is None:
        return find()
    some = cx.emit(operator.gt, doors.length(cx, items), Lit(0))
    return choose(cx, some, find, lambda: default)


def one_of_them(cx: Context, fn: Callee) -> Any:
    raise cx.unsupported(
        f"{fn.__name__}() of arrays or lists",
        "it returns one of them, and which is known at run time only",
        "use np.maximum or np.minimum",
    )
