"""What does a loop run over: how many items, and which is the i-th?"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable
from typing import Any

from ....rules.required import require_as_many
from ...ir.ops import Block, If, Lit, Op
from .. import doors
from ..constructs.attributes import load_attribute
from ..constructs.boundness import emit_raise
from ..constructs.special_methods import class_of, special
from ..constructs.subscripts import load_item
from ..context import NOT_STATIC, Context
from ..store.holding import own_elements
from ..store.identities import makes_items
from ..store.shared_names import root_of
from ..tables import METHODS, method
from ..values import Comprehension, Generator, Iterable, Live, Lst, Obj, Range, Tup, Value

# A rule's loops run over a handful of parts (the items of a list); written out, they vanish into assignments.
# A user's loop is never unrolled: the program would be another one than he wrote.
UNROLLED = 16


def is_driven(source: Value) -> bool:
    """Whether how many items there are is known only when all have been asked for: they come one by one."""
    if isinstance(source, Iterable):
        return source.kind == "filter" or any(is_driven(part) for part in source.sources)
    if isinstance(source, Comprehension):
        first, *rest = source.node.generators
        return bool(rest or first.ifs) or is_driven(source.first)
    return isinstance(source, Generator)


def drives(cx: Context, source: Value) -> bool:
    """Whether it has to be asked for one item after the other."""
    if is_driven(source) or not isinstance(source, Iterable):
        return is_driven(source)
    return any(drives(cx, part) for part in source.sources) or is_asked_too_often(cx, source)


def require_as_made(cx: Context, source: Iterable) -> None:
    """``reversed`` begins where a list ended when it was made."""
    base = source.sources[0]
    if isinstance(base, Lst) and cx.state.look(root_of(base)) is not source.start:
        raise cx.unsupported(
            "`reversed` of a list that has changed since",
            "it begins at the item that was the last one then",
            "ask for it where the loop begins",
        )


def own_iterator(cx: Context, source: Value) -> Any:
    """What the ``__iter__`` of a class of the user's gives, or the source itself."""
    if has_own_iterator(source):
        of_class = isinstance(source, Lit)
        method = special(cx, source, "__iter__") if of_class else load_attribute(cx, source, "__iter__")
        return followed(cx, doors.call(cx, method, [], {}))
    return source


def has_own_iterator(source: Value) -> bool:
    """Whether a class of the user's says in Python what a loop runs over."""
    return isinstance(getattr(_class_of(source), "__iter__", None), types.FunctionType)


def followed(cx: Context, iterator: Value) -> Value:
    """The iterator that an ``__iter__`` gave, which nobody asks for another one, if it can be followed."""
    cls = _class_of(iterator)
    if isinstance(getattr(cls, "__next__", None), types.FunctionType):
        raise cx.unsupported(
            f"an iterator of the class {cls.__name__}",
            "whoever loops over it calls its `__next__` until that raises StopIteration",
            "let `__iter__` be a generator",
        )
    return iterator


def _class_of(value: Value) -> type:
    if isinstance(value, Lit):
        return class_of(value) or object
    return value.cls if isinstance(value, Obj) else type(value.value) if isinstance(value, Live) else object


# ----- what a loop runs over
def iteration(cx: Context, source: Value) -> Any:
    """What gives the items, one by one, or (count, start, stop, step, get): ``get`` of a range's indices."""
    if isinstance(source, Range):
        parts = [cx.static_value(p) for p in (source.start, source.stop, source.step)]
        if all(isinstance(p, int) for p in parts):
            if cx.inputs is None and len(range(*parts)) <= UNROLLED:
                return [functools.partial(IDENTITY, Lit(i)) for i in range(*parts)]
            return Lit(len(range(*parts))), source.start, source.stop, source.step, IDENTITY
        return range_length(cx, source), source.start, source.stop, source.step, IDENTITY
    source = source if makes_items(source) else doors.consumed(cx, source)
    items = doors.lazy_items(cx, source)
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
    if isinstance(source, (Iterable, Comprehension)):
        kind = source.kind if isinstance(source, Iterable) else "generator expression"
        assert not is_driven(source), "what has no positions gives its items one by one, or becomes a list"
        return METHODS["iterable", kind](cx, source)
    if isinstance(source, Range):
        return range_length(cx, source), lambda i: cx.emit(
            operator.add, source.start, cx.emit(operator.mul, i, source.step)
        )
    return doors.length(cx, source), lambda i: load_item(cx, source, i)


@method("iterable", "zip")
def indexable_zip(cx: Context, source: Iterable) -> Any:
    require_asked_as_often(cx, source)
    parts = [indexable(cx, as_indexable(cx, s)) for s in source.sources]
    counts: list[Any] = []
    for count, _ in parts:
        if not any(same_length(cx, count, c) for c in counts):
            counts.append(count)
    count = counts[0] if len(counts) == 1 else cx.emit(min, *counts)
    return count, lambda i: Tup(tuple(get(i) for _, get in parts))


def require_asked_as_often(cx: Context, source: Iterable) -> None:
    if is_asked_too_often(cx, source):
        raise cx.unsupported(
            f"`{source.kind}` of what makes its items when asked, with sources of other lengths behind it",
            "it may be asked for an item that is dropped",
            "put the shortest source first",
        )


def is_asked_too_often(cx: Context, source: Iterable) -> bool:
    """Whether `zip` or `map` may ask a source to make an item and drop it, as a later source has none."""
    parts = source.sources[source.kind == "map" :]
    if source.kind not in ("zip", "map") or not any(map(makes_items, parts[:-1])):
        return False
    first, *rest = [item_count(cx, part) for part in parts]
    return not all(same_length(cx, first, count) for count in rest)


def item_count(cx: Context, source: Value) -> Any:
    items = doors.lazy_items(cx, source)
    return indexable(cx, source)[0] if items is None else Lit(len(items))


def check_counts(cx: Context, source: Value) -> None:
    """Have the program refuse a strict ``zip`` of unequal lengths: when Python raises depends on the loop.

    A loop asks once more behind its last turn, since lists may have grown in it.
    """
    if not isinstance(source, Iterable):
        return
    for part in source.sources:
        check_counts(cx, part)
    if not source.strict:
        return
    first, *others = [item_count(cx, part) for part in source.sources] or [Lit(0)]
    for count in [count for count in others if not same_length(cx, first, count)]:
        if isinstance(first, Lit) and isinstance(count, Lit):
            raise cx.unsupported("zip(strict=True) of unequal lengths", "it raises", "compare them before")
        args = cx.arg(first), cx.arg(count)
        cx.builder.append(Op(require_as_many, args, (), {}, cx.builder.span, effect=True))


def same_length(cx: Context, a: Value, b: Value) -> bool:
    from ..types.dummies import int_size

    return bool(int_size(cx.arg(a)) == int_size(cx.arg(b)))


def as_indexable(cx: Context, source: Value) -> Any:
    """Static sequences beside run-time ones are read by run-time position."""
    items = None if makes_items(source) else doors.static_items(cx, source)
    if not items:
        return source
    together = Lst(tuple(items))
    return Lst(own_elements(cx, together), pools=together.pools)


@method("iterable", "enumerate")
def indexable_enumerate(cx: Context, source: Iterable) -> Any:
    count, get = indexable(cx, source.sources[0])
    return count, lambda i: Tup((doors.binary(cx, operator.add, i, source.start), get(i)))


@method("iterable", "reversed")
def indexable_reversed(cx: Context, source: Iterable) -> Any:
    require_as_made(cx, source)
    count, get = indexable(cx, source.sources[0])
    last = doors.binary(cx, operator.sub, count, Lit(1))
    return count, lambda i: get(doors.binary(cx, operator.sub, last, i))


@method("iterable", "map")
def indexable_map(cx: Context, source: Iterable) -> Any:
    require_asked_as_often(cx, source)
    function, *rest = source.sources
    parts = [indexable(cx, as_indexable(cx, s)) for s in rest]
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
