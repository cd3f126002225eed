"""What does a loop do that runs over a list which changes meanwhile?

Python takes the item at the next position, as long as there is one. So does the loop here: turn by turn while
the list's length is static, then as a ``while`` over positions.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection
from typing import Any

from ..ir.ops import Lit, Var
from . import doors
from .arrays import load_item
from .branches import branch
from .context import Context
from .operators import binary
from .passes import EveryPassRaises, Passes
from .sharing import lists_of
from .statements import EXITS, alive
from .values import Iterable, Lst, Tup, Value

MAX_TURNS = 600


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


def run_live(
    cx: Context,
    source: Value,
    base: Lst,
    body: Callable[[Value], None],
    names: set[str],
    live: Collection[str] | None,
) -> None:
    """Run ``body`` for the item at each position that the list has when its turn comes."""
    if source is base:
        run_positions(cx, base, 0, lambda i, item: body(item), names, live)
    elif isinstance(source, Iterable) and source.kind == "enumerate" and source.sources[0] is base:
        run_positions(
            cx,
            base,
            0,
            lambda i, item: body(Tup((binary(cx, operator.add, source.start, i), item))),
            names,
            live,
        )
    else:
        raise cx.unsupported(
            f"a list that changes while `{getattr(source, 'kind', 'a loop')}` runs over it",
            "which items are still to come can't be told",
            "run over a copy, or over positions",
        )


def run_positions(
    cx: Context,
    base: Lst,
    position: int,
    body: Callable[[Value, Value], None],
    names: set[str],
    live: Collection[str] | None,
) -> None:
    while not cx.state.dead:
        cx.state.set_name(cx.frame, "$continue", Lit(False))
        still_alive, content = alive(cx), cx.state.get(base)
        if still_alive is False or isinstance(content, tuple) and position >= len(content):
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
                functools.partial(run_rest, cx, base, position, body, names, live),
                lambda: None,
                None,
            )
            break
        if isinstance(content, Var):
            run_by_index(cx, base, position, body, names, live)
            break
        body(Lit(position), content[position])
        position += 1
    cx.state.set_name(cx.frame, "$continue", Lit(False))


def run_rest(
    cx: Context,
    base: Lst,
    position: int,
    body: Callable[[Value, Value], None],
    names: set[str],
    live: Collection[str] | None,
) -> None:
    """Go on where the loop has not been left."""
    for name in EXITS:
        if cx.state.get_name(cx.frame, name) is not None:
            cx.state.set_name(cx.frame, name, Lit(False))
    run_positions(cx, base, position, body, names, live)


def run_by_index(
    cx: Context,
    base: Lst,
    position: int,
    body: Callable[[Value, Value], None],
    names: set[str],
    live: Collection[str] | None,
) -> None:
    """``while position < len(base)``"""
    frame, name = cx.frame, f"$position{len(cx.iterated)}"
    cx.state.set_name(frame, name, Lit(position))

    def test() -> Any:
        return cx.emit(operator.lt, cx.state.get_name(frame, name), doors.length(cx, base))

    def turn() -> None:
        at = cx.state.get_name(frame, name)
        body(at, load_item(cx, base, at))
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
