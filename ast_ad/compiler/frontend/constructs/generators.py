"""How does a generator run? Within what asks for its items: that stands where it yields.

What gives items one by one *drives* a body: the code of a generator function is read in its own frame, and
where it yields, the body is read in that of the consumer. A body that leaves the loop (``break``, ``return``)
leaves the generator there. ``filter``, and ``zip``, ``enumerate`` and ``map`` of what drives, drive in turn.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import gast

from ....errors import AdError
from ...ir.ops import Lit
from .. import doors
from ..callables.inlining import run_body
from ..callables.iterables import inner_frame
from ..context import Context
from ..loops.iteration import as_indexable, drives, indexable
from ..loops.live_lists import ListChanges
from ..source.live_names import targets
from ..store.identities import USED_UP, makes_items
from ..store.shared_names import lists_of
from ..tables import expression
from ..values import Comprehension, Frame, Generator, Iterable, Tup, Unbound, Value
from .boundness import Raised, checked
from .expressions import evaluate, run_generators
from .operators import binary
from .statements import bind, stay

Body = Callable[[Value], None]


@contextlib.contextmanager
def held(cx: Context, what: object) -> Iterator[None]:
    """While a block runs, what is entered counts among what holds references."""
    cx.iterated.append(what)
    cx.fixed.append(set())
    try:
        yield
    finally:
        cx.iterated.pop()
        cx.fixed.pop()


@contextlib.contextmanager
def own_frame(cx: Context, *names: str) -> Iterator[Frame]:
    """A frame of the compiler's own, whose flags end a loop that is no statement."""
    outer = cx.frame
    cx.frame = Frame(
        outer.source,
        outer.globals,
        outer,
        {},
        set(),
        outer.path,
        locals=frozenset(names),
        comprehension=True,
        caller=outer,
        call=outer.call,
    )
    try:
        yield cx.frame
    finally:
        cx.frame = outer


def in_consumer(cx: Context, consumer: Frame, body: Body, item: Value) -> None:
    """Run a consumer's body on an item; where it leaves the loop, so does the frame that gives the items."""
    producer, cx.frame = cx.frame, consumer
    stay(cx, consumer)
    try:
        with held(cx, producer):
            body(item)
    except AdError as problem:
        if getattr(problem, "raises", None) is None:
            raise
        problem.raises = None  # type: ignore[attr-defined]
        raise  # it is raised here, and not where the generator yields
    finally:
        cx.frame = producer
    if cx.state.dead:
        return
    cx.state.set_name(consumer, "$continue", Lit(False))
    for name in ("$break", "$return", "$raised"):
        flag = cx.state.get_name(consumer, name)
        if flag is not None and cx.static_value(flag) is not False:
            leave(cx, flag)


def leave(cx: Context, flag: Value) -> None:
    """The frame is left if ``flag`` holds."""
    before = cx.state.get_name(cx.frame, "$return")
    known = False if before is None else cx.static_value(before)
    if known is True or cx.static_value(flag) is False:
        return
    if known is not False and cx.static_value(flag) is not True:
        flag = cx.emit(operator.or_, before, flag)
    cx.state.set_name(cx.frame, "$return", flag)


# ----- what drives
def drive(cx: Context, source: Any, body: Body) -> None:
    """Run ``body`` for every item of what gives them one by one; a flag of the frame ends it."""
    if isinstance(source, Generator):
        drive_generator(cx, source, body)
    elif isinstance(source, Comprehension):
        drive_comprehension(cx, source, body)
    elif isinstance(source, Iterable) and drives(cx, source):
        DRIVERS[source.kind](cx, source, body)
    else:
        doors.run_for(cx, source, body, set())


def drive_until(cx: Context, source: Any, body: Body, done: Callable[[], Value]) -> None:
    """``drive``, until ``done`` holds behind an item."""
    consumer = cx.frame
    with own_frame(cx) as frame:

        def each(item: Value) -> None:
            cx.frame = consumer
            try:
                body(item)
            finally:
                cx.frame = frame
            leave(cx, doors.truth(cx, done()))

        drive(cx, source, each)


def drive_comprehension(cx: Context, source: Comprehension, body: Body) -> None:
    consumer = cx.frame
    cx.frame = inner_frame(cx, source.frame, targets(source.node))
    cx.frame.caller = consumer
    try:
        run_generators(
            cx,
            source.node,
            list(source.node.generators),
            lambda item: in_consumer(cx, consumer, body, item),
            source.first,
        )
    finally:
        cx.frame = consumer


def drive_generator(cx: Context, source: Generator, body: Body) -> Any:
    """Run ``body`` for every item; what the generator returns is the answer, and of use to ``yield from``."""
    consumer, frame = cx.frame, source.frame
    cx.state.get(source)  # nobody else has asked it
    cx.state.set(source, USED_UP)

    def block(item: Value) -> None:
        in_consumer(cx, consumer, body, item)
        left = cx.state.get_name(frame, "$return")
        if left is not None and cx.static_value(left) is not False and guards_a_yield(source.node):
            raise cx.unsupported(
                f"the generator `{source.name}`, which is left early",
                "what its `try` or `with` does then is not followed",
                "ask for all of its items",
            )

    cx.suspended[frame] = block
    try:
        return run_body(cx, source.node, frame, source.bound, source.name)
    except Raised:
        cx.state.dead = True
        return Lit(None)
    finally:
        del cx.suspended[frame]


def guards_a_yield(tree: gast.AST) -> bool:
    """Whether a generator yields within ``try`` or ``with``, which notice that it is closed."""
    return any(
        isinstance(inner, (gast.Yield, gast.YieldFrom))
        for node in gast.walk(tree)
        if isinstance(node, (gast.Try, gast.With))
        for part in node.body
        for inner in gast.walk(part)
    )


@expression(gast.Yield)
def eval_yield(cx: Context, node: gast.Yield) -> Any:
    """What asks for the items runs where the generator yields."""
    block = cx.suspended[cx.frame]
    block(Lit(None) if node.value is None else evaluate(cx, node.value))
    return Lit(None)


@expression(gast.YieldFrom)
def eval_yield_from(cx: Context, node: gast.YieldFrom) -> Any:
    block = cx.suspended[cx.frame]
    source = evaluate(cx, node.value)
    if isinstance(source, Generator):
        returned = drive_generator(cx, source, block)
        return Lit(None) if cx.state.dead else returned
    drive(cx, source, block)
    return Lit(None)


# ----- zip, enumerate, map and filter over what drives
def drive_filter(cx: Context, source: Iterable, body: Body) -> None:
    function, items = source.sources
    identity = cx.static_value(function) in (None, bool)

    def each(item: Value) -> None:
        cond = doors.truth(cx, item if identity else doors.call(cx, function, [item], {}))
        static = cx.static_value(cond)
        if static is True:
            body(item)
        elif static is not False:
            doors.branch(cx, cond, lambda: body(item), lambda: None, None)

    drive(cx, items, each)


def drive_enumerate(cx: Context, source: Iterable, body: Body) -> None:
    consumer = cx.frame
    with own_frame(cx, "count") as frame:
        bind(cx, "count", source.start)

        def each(item: Value) -> None:
            count = cx.state.get_name(frame, "count")
            in_consumer(cx, consumer, body, Tup((count, item)))
            cx.state.set_name(frame, "count", binary(cx, operator.add, count, Lit(1)))

        drive(cx, source.sources[0], each)


def drive_zip(cx: Context, source: Iterable, body: Body) -> None:
    """One of the parts drives; whether the others have items left is asked in their order."""
    made = [i for i, part in enumerate(source.sources) if makes_items(part)]
    driving = [i for i in made if drives(cx, source.sources[i])] or made[:1]
    last = len(source.sources) - 1
    if len(driving) != 1 or any(i not in (driving[0], last) for i in made):
        raise cx.unsupported(
            "zip() of several generators", "their turns can't be followed", "make lists of all but one"
        )
    position = driving[0]
    others = Iterable("zip", tuple(part for i, part in enumerate(source.sources) if i != position))
    parts = [indexable(cx, as_indexable(cx, part)) for part in others.sources]
    consumer = cx.frame
    with own_frame(cx, "count") as frame:
        bind(cx, "count", Lit(0))

        def each(item: Value) -> None:
            count = cx.state.get_name(frame, "count")
            items = [get(count) for _, get in parts]
            items.insert(position, item)
            in_consumer(cx, consumer, body, Tup(tuple(items)))
            cx.state.set_name(frame, "count", binary(cx, operator.add, count, Lit(1)))
            leave(cx, exhausted(cx, frame, parts[:position]))

        def asked(item: Value) -> None:
            end = exhausted(cx, frame, parts[position:])
            unless(cx, end, lambda: each(item), lambda: leave(cx, Lit(True)))

        with untouched(cx, others):
            driver = source.sources[position]
            unless(cx, exhausted(cx, frame, parts[:position]), lambda: drive(cx, driver, asked), lambda: None)


@contextlib.contextmanager
def untouched(cx: Context, lists: Iterable) -> Iterator[None]:
    """While the block runs, none of the lists changes its length."""
    try:
        with held(cx, lists):
            yield
    except ListChanges as change:
        if change.base not in lists_of(lists):
            raise
        raise cx.unsupported(
            "a list that changes while `zip` runs over it",
            "which items are still to come can't be told",
            "run over a copy",
        ) from None


def exhausted(cx: Context, frame: Frame, parts: list[Any]) -> Any:
    """Whether one of these has no item at the position that ``frame`` counts."""
    found: Any = Lit(False)
    for length, _ in parts:
        end = binary(cx, operator.ge, cx.state.get_name(frame, "count"), length)
        found = end if cx.static_value(found) is False else cx.emit(operator.or_, found, end)
    return found


def unless(cx: Context, cond: Value, run: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """Run one of two, whichever a boolean tells that may be static."""
    known = cx.static_value(cond)
    if isinstance(known, bool):
        (otherwise if known else run)()
    else:
        doors.branch(cx, cond, otherwise, run, None)


def drive_map(cx: Context, source: Iterable, body: Body) -> None:
    function, *parts = source.sources
    if len(parts) == 1:
        drive(cx, parts[0], lambda item: body(doors.call(cx, function, [item], {})))
        return

    def each(items: Value) -> None:
        body(doors.call(cx, function, list(cx.parts(items)), {}))

    drive_zip(cx, Iterable("zip", tuple(parts)), each)


DRIVERS: dict[str, Callable[[Context, Iterable, Body], None]] = {
    "filter": drive_filter,
    "enumerate": drive_enumerate,
    "zip": drive_zip,
    "map": drive_map,
}


# ----- next
def first_item(cx: Context, source: Any, default: tuple[Value, ...]) -> Any:
    """``next(source)`` of an iterator that nobody has asked, and nobody may ask again."""
    cx.state.get(source)
    with own_frame(cx, "item") as frame:
        if default:
            bind(cx, "item", default[0])

        def each(item: Value) -> None:
            cx.state.set_name(frame, "item", item)
            cx.state.set_name(frame, "$break", Lit(True))

        drive(cx, source, each)
        found = cx.state.get_name(frame, "item")
    cx.state.set(source, USED_UP)
    state: Any = Unbound("item") if found is None else found
    return checked(cx, state, StopIteration, "")


doors.drive = drive
doors.drive_until = drive_until
doors.first_item = first_item
