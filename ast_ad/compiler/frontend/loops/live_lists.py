"""What does a loop do that runs over a list which changes meanwhile?

Python takes the item at the next position, as long as there is one. So does the loop here: turn by turn while
the list's length is static, then as a ``while`` over positions.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from ....errors import AdError
from ...ir.ops import Lit, Var
from .. import doors
from ..constructs.branches import branch
from ..constructs.operators import binary
from ..constructs.statements import alive, stay
from ..constructs.subscripts import load_item
from ..context import Context
from ..store.shared_names import lists_of
from ..values import Iterable, Lst, Tup, Value
from .iteration import indexable, require_as_made
from .passes import EveryPassRaises, Passes

MAX_TURNS = 600
TOGETHER = "enumerate", "zip"


class ListChanges(Exception):
    """The list that a loop runs over changes: run the loop by positions."""

    def __init__(self, base: Lst) -> None:
        super().__init__("a list changes while a loop runs over it")
        self.base = base


def check_iterated(cx: Context, base: Lst, change: str) -> None:
    """Notice that a list changes over which a loop runs; ``change``: 'set', 'append' or 'other'."""
    for source, fixed in zip(cx.iterated, cx.fixed, strict=True):
        if base in lists_of(source) and not (change == "set" and base not in fixed):
            if not (change == "append" and isinstance(source, Iterable) and source.kind == "reversed"):
                raise ListChanges(base)


def fixed_lists(cx: Context, source: Value) -> set[Lst]:
    return {base for base in lists_of(source) if not isinstance(cx.state.get(base), Var)}


@dataclass
class Turns:
    """What a loop runs over by position: whether there is an item at one (a boolean of the program, or a
    static one), and which.
    """

    open: Callable[[Value], Any]
    get: Callable[[Value], Any]


def turns(cx: Context, source: Value, base: Lst) -> Turns:
    """The items of a source that reads ``base``, which changes, as they are when their turns come."""
    if isinstance(source, Lst):
        return Turns(lambda i: below(cx, i, doors.length(cx, source)), lambda i: load_item(cx, source, i))
    if base not in lists_of(source):
        count, get = indexable(cx, source)
        return Turns(lambda i: below(cx, i, count), get)
    if not isinstance(source, Iterable):
        raise changing(cx, "a generator expression")
    kind, parts = source.kind, [turns(cx, part, base) for part in source.sources if source.kind in TOGETHER]
    if kind == "enumerate":
        return Turns(
            parts[0].open, lambda i: Tup((binary(cx, operator.add, source.start, i), parts[0].get(i)))
        )
    if kind == "zip":
        return Turns(
            lambda i: all_of(cx, [part.open(i) for part in parts]),
            lambda i: Tup(tuple(part.get(i) for part in parts)),
        )
    if kind == "map":
        function, *given = source.sources[0], *(turns(cx, part, base) for part in source.sources[1:])
        return Turns(
            lambda i: all_of(cx, [part.open(i) for part in given]),
            lambda i: doors.call(cx, function, [part.get(i) for part in given], {}),
        )
    assert kind == "reversed" and source.sources[0] is base, "`filter` and its like are asked for each item"
    require_as_made(cx, source)
    last = binary(cx, operator.sub, doors.length(cx, base), Lit(1))  # when the loop begins

    def place(i: Value) -> Any:
        return binary(cx, operator.sub, last, i)

    def is_open(i: Value) -> Any:
        inside = below(cx, place(i), doors.length(cx, base))
        return all_of(cx, [below(cx, Lit(-1), place(i)), inside])

    return Turns(is_open, lambda i: load_item(cx, base, place(i)))


def changing(cx: Context, what: str) -> AdError:
    return cx.unsupported(
        f"a list that changes while {what} runs over it",
        "which items are still to come can't be told",
        "run over a copy, or over positions",
    )


def below(cx: Context, position: Value, count: Value) -> Any:
    """``position < count``, static if both are."""
    known = cx.static_value(position), cx.static_value(count)
    if all(isinstance(value, int) for value in known):
        return Lit(known[0] < known[1])
    return cx.emit(operator.lt, position, count)


def all_of(cx: Context, conditions: list[Value]) -> Any:
    """``a and b`` of booleans without effects."""
    found: Any = Lit(True)
    for one in conditions:
        if isinstance(one, Lit) and not one.value:
            return one
        if not isinstance(one, Lit):
            found = one if isinstance(found, Lit) else cx.emit(operator.and_, found, one)
    return found


def run_live(
    cx: Context,
    source: Value,
    base: Lst,
    body: Callable[[Value], None],
    names: set[str],
    live: Collection[str] | None,
) -> None:
    """Run ``body`` for the item at each position that the list has when its turn comes."""
    run_positions(cx, turns(cx, source, base), 0, body, names, live)


def run_positions(
    cx: Context,
    items: Turns,
    position: int,
    body: Callable[[Value], None],
    names: set[str],
    live: Collection[str] | None,
) -> None:
    while not cx.state.dead:
        cx.state.set_name(cx.frame, "$continue", Lit(False))
        still_alive = alive(cx)
        if still_alive is False:
            break
        if position > MAX_TURNS:
            raise cx.unsupported(
                "a list that grows while a loop runs over it",
                f"it has more than {MAX_TURNS} items when it is read, and there is no end in sight",
                "use an array, or bound the loop",
            )
        if still_alive is not True:
            branch(
                cx,
                still_alive,
                functools.partial(run_rest, cx, items, position, body, names, live),
                lambda: None,
                None,
            )
            break
        there = items.open(Lit(position))
        if not isinstance(there, Lit):
            run_by_index(cx, items, position, body, names, live)
            break
        if not there.value:
            break
        body(items.get(Lit(position)))
        position += 1
    cx.state.set_name(cx.frame, "$continue", Lit(False))


def run_rest(
    cx: Context,
    items: Turns,
    position: int,
    body: Callable[[Value], None],
    names: set[str],
    live: Collection[str] | None,
) -> None:
    """Go on where the loop has not been left."""
    stay(cx, cx.frame)
    run_positions(cx, items, position, body, names, live)


def run_by_index(
    cx: Context,
    items: Turns,
    position: int,
    body: Callable[[Value], None],
    names: set[str],
    live: Collection[str] | None,
) -> None:
    """``while`` there is an item at the position."""
    frame, name = cx.frame, f"$position{len(cx.iterated)}"
    cx.state.set_name(frame, name, Lit(position))

    def test() -> Any:
        return items.open(cx.state.get_name(frame, name))

    def turn() -> None:
        at = cx.state.get_name(frame, name)
        body(items.get(at))
        cx.state.set_name(frame, name, cx.emit(operator.add, at, Lit(1)))

    entry, mark = cx.state.fork(), len(cx.builder.block.ops)
    try:
        doors.while_region(cx, test, turn, {*names, name}, Passes(None if live is None else {*live, name}))
    except EveryPassRaises:
        del cx.builder.block.ops[mark:]
        cx.state = entry
        doors.only_pass(cx, test(), turn)
    cx.state.set(frame, {k: v for k, v in cx.state.get(frame).items() if k != name})


doors.check_iterated = check_iterated
