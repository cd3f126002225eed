"""Which are the items of an iterable whose structure is static?

What makes its items when it is asked (``map``, a generator expression) makes them then: a loop asks for one
when its turn comes, and whether there are items can be asked without making any.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ...ir import dims
from ...ir.ops import Lit, Var
from ...ir.types import Array, Scalar
from .. import doors
from ..builder import type_of_arg
from ..constructs.attributes import load_attribute
from ..constructs.expressions import evaluate
from ..constructs.operators import binary
from ..constructs.special_methods import special
from ..constructs.statements import assign, within_rules
from ..constructs.subscripts import load_item
from ..context import Context
from ..conversion import from_python
from ..hash_orders import note_order
from ..loops.iteration import IDENTITY, as_indexable, followed, indexable, require_as_made
from ..outside_values import capture_live
from ..source.live_names import targets
from ..store.identities import is_iterator, makes_items, used_up
from ..tables import method
from ..types.dummies import int_size
from ..values import Arr, Callee, Comprehension, Dct, Iterable, Live, Lst, Obj, Range, Tup, Value
from .iterables import generated, inner_frame

Lazy = list[Callable[[], Any]]


def static_items(cx: Context, value: Value, short: bool = True) -> list[Any] | None:
    """The items where the structure of the iterable is static, else None."""
    if isinstance(value, Comprehension):
        return static_items(cx, generated(cx, value), short)
    found = lazy_items(cx, value, short)
    return None if found is None else [get() for get in found]


def lazy_items(cx: Context, value: Value, short: bool = True) -> Lazy | None:
    """What gives the items, each when it is asked for, where the structure of the iterable is static."""
    if isinstance(value, Comprehension):
        return lazy_comprehension(cx, value, short)
    if isinstance(value, Iterable):
        return lazy_iterable(cx, value, short)
    if isinstance(value, Arr) and not short:
        type = cx.read(value).type
        if isinstance(type, Array) and type.shape and isinstance(type.shape[0], int) and type.shape[0] <= 16:
            return [partial(load_item, cx, value, Lit(i)) for i in range(type.shape[0])]
    if isinstance(value, Live):
        method = special(cx, value, "__iter__")
        items = capture_live(cx, value) if method is None else followed(cx, doors.call(cx, method, [], {}))
        return lazy_items(cx, items, short)
    found = known_items(cx, value, short)
    return None if found is None else [partial(IDENTITY, item) for item in found]


def known_items(cx: Context, value: Value, short: bool) -> list[Any] | None:
    """The items of an iterable that holds them already."""
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
    if isinstance(value, Lit) and isinstance(value.value, enum.EnumMeta):
        members: list[Any] = list(value.value)
        return [Lit(member) for member in members]
    if isinstance(value, Lit) and isinstance(value.value, (tuple, list, str, dict, set, frozenset, range)):
        note_order(cx, None, value.value)
        return [from_python(cx, v) for v in value.value]
    if isinstance(value, Obj) and hasattr(value.cls, "__iter__"):
        items = doors.call(cx, load_attribute(cx, value, "__iter__"), [], {})
        return static_items(cx, followed(cx, items), short)
    return None


def lazy_comprehension(cx: Context, value: Comprehension, short: bool) -> Lazy | None:
    """The items of a generator expression with one loop, over what is static, and no `if`."""
    [loop, *more] = value.node.generators
    if more or loop.ifs:
        return None
    sources = lazy_items(cx, value.first, short)
    if sources is None:
        return None
    item = maker(cx, value)
    return [partial(item, get) for get in sources]


def maker(cx: Context, value: Comprehension) -> Callable[[Callable[[], Any]], Any]:
    """A function that makes an item of a generator expression with one loop of an item of its source."""
    frame = inner_frame(cx, value.frame, targets(value.node))
    frame.caller = cx.frame

    def item(get: Callable[[], Any]) -> Any:
        outer, cx.frame = cx.frame, frame
        try:
            assign(cx, value.node.generators[0].target, get())
            return evaluate(cx, value.node.elt)
        finally:
            cx.frame = outer

    return item


@method("iterable", "generator expression")
def indexable_comprehension(cx: Context, source: Comprehension) -> Any:
    count, get = indexable(cx, as_indexable(cx, source.first))
    item = maker(cx, source)
    return count, lambda i: item(lambda: get(i))


def lazy_iterable(cx: Context, value: Iterable, short: bool) -> Lazy | None:
    if value.kind in ("ndindex", "entries", "filter"):
        return None
    sources = value.sources[1:] if value.kind == "map" else value.sources
    lists = [lazy_items(cx, s, short) for s in sources]
    together = value.kind == "zip"
    if together and any(items is None for items in lists) and any(items is not None for items in lists):
        lists = zip_mixed(cx, sources, lists)
    if any(items is None for items in lists):
        return None
    found: list[Lazy] = lists  # type: ignore[assignment]
    if together or value.kind == "map":
        require_no_turn_more(cx, sources, found)
    if value.kind == "enumerate":
        return [partial(numbered, cx, value.start, i, get) for i, get in enumerate(found[0])]
    if value.kind == "reversed":
        require_as_made(cx, value)
        return found[0][::-1]
    if value.strict and len(set(map(len, found))) > 1:  # one has grown since it was checked
        raise cx.unsupported("zip(strict=True) of unequal lengths", "it raises", "compare them before")
    if together:
        return [partial(tupled, parts) for parts in zip(*found, strict=False)]
    return [partial(mapped, cx, value.sources[0], parts) for parts in zip(*found, strict=False)]


def numbered(cx: Context, start: Value, i: int, get: Callable[[], Any]) -> Tup:
    return Tup((binary(cx, operator.add, start, Lit(i)), get()))


def tupled(parts: tuple[Callable[[], Any], ...]) -> Tup:
    return Tup(tuple(get() for get in parts))


def mapped(cx: Context, function: Value, parts: tuple[Callable[[], Any], ...]) -> Any:
    return doors.call(cx, function, [get() for get in parts], {})


def require_no_turn_more(cx: Context, sources: Sequence[Value], lists: list[Lazy]) -> None:
    """What `zip` asks for an item that it drops, as a later source has none, makes no items when asked."""
    least = min(map(len, lists))
    end = next(i for i, items in enumerate(lists) if len(items) == least)
    if any(makes_items(source) for source in sources[:end]):
        raise cx.unsupported(
            "`zip` of what makes its items when asked, and has more of them than a source behind it",
            "it is asked for one that is dropped",
            "put the shortest source first",
        )


def zip_mixed(cx: Context, sources: Sequence[Value], lists: list[Lazy | None]) -> list[Lazy | None]:
    """Static sequences zipped with run-time ones: item by item, where these certainly have as many."""
    count = min(len(items) for items in lists if items is not None)
    others = [i for i, items in enumerate(lists) if items is None]
    static = [s for s, items in zip(sources, lists, strict=True) if items is not None and not makes_items(s)]
    known = [value for source in static for value in static_items(cx, source) or []]
    if not all(isinstance(sources[i], (Arr, Lst, Range)) for i in others):
        return lists
    if count > 8 and all(isinstance(value, (Var, Lit)) for value in known):
        return lists
    lengths = {i: indexable(cx, sources[i])[0] for i in others}
    if not all(dims.reaches(int_size(cx.arg(length)), count) for length in lengths.values()):
        if within_rules(cx):
            for i in others:
                require(cx, operator.ge, sources[i], count, "expected at least {} items to zip")
        elif are_alike(cx, known):
            return lists
        else:
            counts = [cx.demand(length, "the length of what is zipped") for length in lengths.values()]
            count = max(min(count, *counts), 0)
    return [
        [partial(item_at, cx, sources[i], k) for k in range(count)] if items is None else items
        for i, items in enumerate(lists)
    ]


def item_at(cx: Context, source: Value, position: int) -> Any:
    if isinstance(source, Range):
        return binary(cx, operator.add, source.start, binary(cx, operator.mul, Lit(position), source.step))
    return load_item(cx, source, Lit(position))


def are_alike(cx: Context, items: Sequence[Any]) -> bool:
    """Whether a list at run time can hold these values."""
    if all(isinstance(item, Tup) for item in items):
        parts = [item.items for item in items]
        alike = len({len(part) for part in parts}) < 2
        return alike and all(are_alike(cx, column) for column in zip(*parts, strict=True))
    if all(isinstance(item, Arr) for item in items):
        types = [cx.read(item).type for item in items]
        return len({(type.ndim, type.dtype) if isinstance(type, Array) else None for type in types}) == 1
    return all(isinstance(item, (Var, Lit)) and isinstance(type_of_arg(item), Scalar) for item in items)


def require(cx: Context, how: Callee, value: Value, count: int, text: str) -> None:
    """A check of a length, when the program runs."""
    from ...ir.builtin import assert_
    from ...ir.ops import Op

    cond = cx.emit(how, doors.length(cx, value), Lit(count))
    message = Lit(text.format(count))
    cx.builder.append(Op(assert_, (cx.arg(cond), message), (), {}, cx.builder.span, effect=True))


doors.lazy_items = lazy_items
doors.static_items = static_items
