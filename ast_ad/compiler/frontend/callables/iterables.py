"""What do ``range``, ``zip``, ``map``, ``sum``, ``sorted`` and their like make of an iterable?"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gast
import numpy as np

from ....rules.standing import program_for
from ...ir.ops import Lit, Var
from ...ir.types import Scalar
from .. import doors
from ..constructs.boundness import Raised, emit_raise
from ..constructs.branches import python_bool, truth
from ..constructs.expressions import comprehend, run_generators
from ..constructs.operators import binary
from ..constructs.statements import within_rules
from ..context import Context
from ..loops.iteration import check_counts, is_driven, own_iterator
from ..outside_values import MAPPINGS, capture_live
from ..source.live_names import targets
from ..store.dicts import copy_entries, fill
from ..store.holding import placed, same_elements, set_list
from ..store.identities import ITERATORS, is_iterator, makes_items, used_up
from ..store.outer_stores import Attributes
from ..store.shared_names import FOLDED, root_of
from ..tables import Intrinsic, handles
from ..types.type_questions import known_rank
from ..values import (
    Arr,
    Bound,
    Callee,
    Closure,
    Comprehension,
    Dct,
    Frame,
    Iterable,
    Live,
    Lst,
    Range,
    Tup,
    Value,
)
from .caches import Before, require_same_reads
from .container_methods import list_append
from .dict_methods import dict_items


# ----- iteration
@handles(range)
def b_range(cx: Context, *args: Value) -> Any:
    start, stop, step = (Lit(0), args[0], Lit(1)) if len(args) == 1 else (*args, Lit(1))[:3]
    if type(found := cx.static_value(step)) is int and found == 0:
        emit_raise(cx, ValueError("range() arg 3 must not be zero"))
        raise Raised
    bounds = [
        cx.emit(int, v) if isinstance(v, Var) and not isinstance(v.type, Scalar) else v
        for v in (start, stop, step)
    ]
    return Range(*map(cx.arg, bounds))


@handles(zip)
def b_zip(cx: Context, *sources: Value, strict: Value | None = None) -> Any:
    items = opened_together(cx, "zip", sources)
    if strict is not None and cx.demand(strict, "`strict`") and not within_rules(cx):
        found = Iterable("zip", items, strict=True)
        check_counts(cx, found)
        return found
    return Iterable("zip", items)


@handles(enumerate)
def b_enumerate(cx: Context, source: Value, start: Value | None = None) -> Any:
    return Iterable("enumerate", (opened(cx, source),), Lit(0) if start is None else start)


@handles(reversed)
def b_reversed(cx: Context, source: Value) -> Any:
    if isinstance(source, Range):
        parts = [cx.static_value(p) for p in (source.start, source.stop, source.step)]
        if parts[2] == 1:
            one = Lit(1)
            return Range(
                binary(cx, operator.sub, source.stop, one),
                binary(cx, operator.sub, source.start, one),
                Lit(-1),
            )
    source = own_iterator(cx, source)
    once = isinstance(source, Iterable) and source.kind != "entries" or is_iterator(source)
    if once or makes_items(source):
        raise cx.unsupported(
            "`reversed` of an iterator", "it has no order back", "make a list of it", TypeError
        )
    source = consumed(cx, source)
    made = cx.state.look(root_of(source)) if isinstance(source, Lst) else None
    return Iterable("reversed", (source,), made)


@handles(map)
def b_map(cx: Context, function: Callee, *sources: Value) -> Any:
    return Iterable("map", (function, *opened_together(cx, "map", sources)))


@handles(filter)
def b_filter(cx: Context, function: Callee, source: Value) -> Any:
    return Iterable("filter", (function, opened(cx, source)))


@handles(np.ndindex)
def b_ndindex(cx: Context, *shape: Value) -> Any:
    dims = shape[0] if len(shape) == 1 and isinstance(shape[0], Tup) else Tup(tuple(shape))
    return Iterable("ndindex", dims.items)


def opened(cx: Context, source: Value) -> Any:
    """An iterable as another iterator reads it: itself where it makes items one by one, else a list."""
    source = own_iterator(cx, source)
    return source if makes_items(source) else consumed(cx, source)


def opened_together(cx: Context, kind: str, sources: Sequence[Value]) -> tuple[Any, ...]:
    """What another iterator reads side by side: no iterator is one of them, or behind one, twice."""
    found = tuple(opened(cx, part) for part in sources)
    behind = [id(part) for source in found for part in makers(source)]
    if len(set(behind)) < len(behind):
        why = "each of its places takes items that the others do not get"
        raise cx.unsupported(f"`{kind}` of one iterator in several places", why, "make a list of its items")
    return found


def makers(source: Value) -> Iterator[Value]:
    """The iterators that make the items of one when they are asked for."""
    if isinstance(source, Iterable):
        yield source
        for part in source.sources:
            yield from makers(part)
    elif isinstance(source, Comprehension):
        yield source


def consumed(cx: Context, source: Value) -> Any:
    """Generators, and iterators over lists, become lists where they are used."""
    source = own_iterator(cx, source)
    if isinstance(source, Comprehension):
        return generated(cx, source)
    if is_driven(source):
        return listed(cx, source)
    if isinstance(source, Lst) and is_iterator(source):
        return used_up(cx, source)
    if isinstance(source, Dct) and isinstance(cx.state.get(source), Var):
        return doors.shown_as(cx, source, "keys")
    return source


def generated(cx: Context, source: Comprehension) -> Lst:
    """All items of a generator expression."""
    return comprehend(cx, source.node, source.frame, source.first)


@handles(len)
def b_len(cx: Context, value: Value) -> Any:
    return doors.length(cx, value)


@handles(list)
def b_list(cx: Context, source: Value | None = None) -> Any:
    return to_list(cx, source)


def to_list(cx: Context, source: Value | None) -> Lst:
    if source is None:
        return Lst(())
    source = consumed(cx, source)
    if isinstance(source, Lst):
        return same_elements(cx, source, cx.state.get(source))
    items = doors.static_items(cx, source)
    if items is not None:
        return Lst(tuple(items))
    return listed(cx, source)


def listed(cx: Context, source: Value) -> Lst:
    """The items of an iterable, as a list."""
    result = placed(cx, Lst(()))
    doors.run_for(cx, source, lambda item: list_append(cx, result, item), set())
    return result


@handles(tuple)
def b_tuple(cx: Context, source: Value | None = None) -> Any:
    if source is None:
        return Tup(())
    source = consumed(cx, source)
    return Tup(tuple(doors.items_of(cx, source)))


@handles(dict)
def b_dict(cx: Context, source: Value | None = None, **kwargs: Value) -> Any:
    content: dict[Any, Any] = {}
    if isinstance(source, Dct) and isinstance(cx.state.get(source), Var):
        found = copy_entries(cx, source)
        fill(cx, found, dict_items(cx, Dct(kwargs)))
        return found
    if isinstance(source, Live) and isinstance(source.value, MAPPINGS) or isinstance(source, Attributes):
        source = capture_live(cx, source)
    source = source if source is None or isinstance(source, Dct) else consumed(cx, source)
    if isinstance(source, Dct):
        content = dict(cx.state.get(source))
    elif source is not None and not kwargs and doors.lazy_items(cx, source) is None:
        found = Dct()
        fill(cx, found, source)
        return found
    elif source is not None:
        for pair in doors.items_of(cx, source):
            key, value = doors.items_of(cx, pair)
            content[cx.demand(key, "a dict key")] = value
    return Dct({**content, **kwargs})


def accumulate(
    cx: Context,
    source: Value,
    start: Value,
    step: Callable[[Value, Value], Value],
    decided: bool | None = None,
) -> Any:
    """Fold an iterable: ``total = step(total, item)``; once the total is ``decided``, no item is made."""
    frame = cx.frame
    around = sum(str(key).startswith(FOLDED) for key in cx.state.get(frame))  # folds around this one
    name = f"{FOLDED}{around + 1}" if around else FOLDED
    cx.state.set_name(frame, name, start)

    def body(item: Value) -> None:
        total = step(cx.state.get_name(frame, name), item)  # may replace the store
        cx.state.set_name(frame, name, total)

    lazy = is_eventful(source.node) if isinstance(source, Comprehension) else makes_items(source)
    if lazy and decided is not None:
        doors.drive_until(cx, source, body, lambda: decision(cx, frame, name, decided))
    elif isinstance(source, Comprehension):
        run_generator(cx, source, body)
    else:
        doors.run_for(cx, source, body, {name}, grows=False)
    total = cx.state.get_name(frame, name)
    var = total.initial if isinstance(total, Arr) else total
    if isinstance(var, Var) and var.hint in (name, name[1:]):
        var.hint = "total"
    cx.state.set(frame, {k: v for k, v in cx.state.get(frame).items() if k != name})
    return total


def decision(cx: Context, frame: Frame, name: str, decided: bool) -> Any:
    """Whether a total is decided."""
    total = cx.state.get_name(frame, name)
    return total if decided else cx.emit(operator.not_, total)


def run_generator(cx: Context, source: Comprehension, body: Callable[[Value], None]) -> None:
    """The items of a generator expression, as they come."""
    outer = cx.frame

    def emit(item: Value) -> None:
        inner, cx.frame = cx.frame, outer
        try:
            body(item)
        finally:
            cx.frame = inner

    cx.frame = inner_frame(cx, source.frame, targets(source.node))
    try:
        run_generators(cx, source.node, list(source.node.generators), emit, source.first)
    finally:
        cx.frame = outer


def inner_frame(cx: Context, enclosing: Frame, names: frozenset[str]) -> Any:
    from ..values import Frame

    return Frame(
        enclosing.source,
        enclosing.globals,
        enclosing,
        {},
        set(),
        enclosing.path,
        locals=names,
        comprehension=True,
        call=enclosing.call,
    )


@handles(any)
def b_any(cx: Context, source: Value) -> Any:
    return quantify(cx, source, operator.or_, False)


@handles(all)
def b_all(cx: Context, source: Value) -> Any:
    return quantify(cx, source, operator.and_, True)


def quantify(cx: Context, source: Value, combine: Callee, start: bool) -> Any:
    if isinstance(source, Arr):
        if known_rank(cx, cx.read(source)) != 1:
            raise cx.unsupported("any() or all() of rows", "rows are not true or false", "use .any()")
        return python_bool(cx, cx.emit(np.any if combine is operator.or_ else np.all, source))

    def step(total: Value, item: Value) -> Any:
        test = truth(cx, item)
        if isinstance(test, Lit):
            return total if test.value == start else test
        return test if isinstance(total, Lit) and total.value == start else cx.emit(combine, total, test)

    return python_bool(cx, accumulate(cx, source, Lit(start), step, decided=not start))


@handles(functools.reduce)
def b_reduce(cx: Context, function: Value, source: Value, initial: Value | None = None) -> Any:
    if initial is not None:
        return accumulate(cx, source, initial, lambda a, b: doors.call(cx, function, [a, b], {}))
    source = source if makes_items(source) else consumed(cx, source)
    items = doors.lazy_items(cx, source)
    of_any_length = isinstance(source, Lst) and doors.static_items(cx, source, short=False) is None
    if items is None and (makes_items(source) or of_any_length):
        return doors.call(cx, Lit(program_for(functools.reduce)), [function, source], {})
    first, *rest = items or [functools.partial(itself, cx, item) for item in doors.items_of(cx, source)]
    total = first()
    for get in rest:
        total = doors.call(cx, function, [total, get()], {})
    return total


@handles(functools.lru_cache, functools.cache)
def b_cached(cx: Context, *args: Value, **kwargs: Value) -> Any:
    """A function with a cache, or a decorator that gives it one."""
    given = args and is_function(cx, args[0])
    return Bound(Lit(Intrinsic(run_cached)), args) if given else Bound(Lit(Intrinsic(b_cached)), ())


def run_cached(cx: Context, function: Value, *args: Value, **kwargs: Value) -> Any:
    """A cache changes no value, but all calls return one object, which who changes it changes for all."""
    if any(isinstance(a, (Arr, Lst, Dct)) for a in (*args, *kwargs.values())):
        raise cx.unsupported("an array or list for a function with a cache", "it has no hash", "use a tuple")
    before = None if cx.inputs is None else cx.inputs.places.count
    require_same_reads(cx, function)
    around = Before.of(cx)
    result = kept(cx, doors.call(cx, function, list(args), kwargs))
    if cx.inputs is not None and cx.inputs.places.count != before:
        raise cx.unsupported(
            "a store outside, by a function with a cache",
            "it happens in some calls only",
            "leave out the cache",
        )
    why = "it does so in the first call only"
    around.require_same(cx, "a function with a cache", why, "leave out the cache")
    return result


def call_cached(cx: Context, function: Value, *args: Value, **kwargs: Value) -> Any:
    """A function with a cache outside, which is not asked again when what it has read is replaced."""
    around, cx.cached = cx.cached, []
    try:
        found = run_cached(cx, function, *args, **kwargs)
        if cx.cached:
            raise cx.unsupported(
                f"`{cx.cached[0]}`, read by a function with a cache",
                "the cache holds what came of it, whatever it is by now",
                "pass it as an argument",
            )
    finally:
        cx.cached = around
    return found


def kept(cx: Context, value: Value) -> Any:
    """The result of a function that has a cache, which the cache holds, too: it must not be written to."""
    if isinstance(value, Tup):
        return Tup(tuple(kept(cx, part) for part in value.items), value.cls)
    if isinstance(value, Arr):
        return Arr(cx.read(value), None, value.foreign or "the result of a function with a cache")
    if isinstance(value, (Var, Lit)):
        return value
    raise cx.unsupported(
        "what a function with a cache returns", "each call returns the same object", "return a number"
    )


@handles(functools.wraps)
def b_wraps(cx: Context, *args: Value, **kwargs: Value) -> Any:
    return Bound(Lit(Intrinsic(itself)), ())


def itself(cx: Context, function: Callee) -> Any:
    return function


def is_function(cx: Context, value: Value) -> bool:
    return isinstance(value, (Closure, Bound)) or isinstance(value, Lit) and callable(value.value)


@handles(functools.partial)
def b_partial(cx: Context, function: Callee, *args: Value, **kwargs: Value) -> Any:
    return Bound(function, args, kwargs)


@handles(iter)
def b_iter(cx: Context, source: Value) -> Any:
    if is_iterator(source) or isinstance(source, ITERATORS):
        return source
    found = Lst(tuple(doors.items_of(cx, consumed(cx, source))), shows=(None, "iterator"))
    if isinstance(source, Lst):
        source.alike.add(found)  # lost, once the list is changed
    return found


@handles(next)
def b_next(cx: Context, iterator: Value, *default: Value) -> Any:
    if isinstance(iterator, ITERATORS):
        return doors.first_item(cx, iterator, default)
    content = cx.state.get(iterator) if isinstance(iterator, Lst) else None
    if not isinstance(content, tuple):
        raise cx.unsupported("next()", "only iterators over static sequences are followed", "use a for loop")
    if not content and default:
        return default[0]
    if not content:
        raise cx.unsupported("next()", "the iterator is exhausted", "check it", StopIteration)
    assert isinstance(iterator, Lst)
    set_list(cx, iterator, content[1:])
    return content[0]


def is_eventful(node: gast.AST) -> bool:
    """Whether the items of a generator expression may raise, or change something, as they are made."""
    first, *rest = node.generators
    parts = [node.elt, *first.ifs, *(part for g in rest for part in (g.iter, *g.ifs))]
    return any(type(n).__name__ in EVENTS for part in parts for n in gast.walk(part))


EVENTS = frozenset("Call Subscript NamedExpr Div FloorDiv Mod Pow".split())

doors.b_dict = b_dict
doors.consumed = consumed
