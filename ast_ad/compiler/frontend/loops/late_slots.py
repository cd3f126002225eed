"""What does a name hold behind a loop that no pass reads from the one before? What the last pass left."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...ir.ops import Arg, Block, Lit, Undefined, Var, map_arg
from ...ir.types import Scalar
from .. import doors
from ..constructs.boundness import maybe
from ..constructs.statements import EXITS
from ..context import Context
from ..store.identities import held_twice, one_of
from ..store.shared_names import FOLDED, readable
from ..types.joins import ShapeChange, renewed
from ..values import (
    Arr,
    ArrayMethod,
    Comprehension,
    Flat,
    Generator,
    Iterable,
    Lost,
    Lst,
    Maybe,
    Slot,
    State,
    Super,
    Unbound,
    Value,
)
from .last_arrays import LastPass, with_references
from .passes import Carried, Passes
from .slots import get_slot, in_heap
from .templates import (
    flatten,
    instantiate,
    template_of,
)


def is_flag(slot: Slot) -> bool:
    """Whether a slot is none of the user's: how and with what the loop was left."""
    return isinstance(slot[1], str) and slot[1].startswith("$") and not slot[1].startswith(FOLDED)


def finish_late(
    cx: Context,
    slot: Slot,
    entry: State,
    end: State,
    block: Block,
    carried: Carried,
    passes: Passes,
    kept: Collection[Any],
) -> Any:
    """A slot that no pass reads from the one before: its value after the loop is the last pass's.

    ``kept``: the roots of what passes read from one another.
    """
    first, last = get_slot(entry, slot), readable(cx, get_slot(end, slot), end, str(slot[1]))
    if isinstance(last, Lost) and not is_flag(slot):
        return last
    if last is first or last is None or isinstance(last, (Unbound, Lost)):
        return first if first is not None else Unbound(str(slot[1]))
    cx.state = end
    held = last.value if isinstance(last, Maybe) else last
    if isinstance(held, Arr) and held in cx.holders:  # another name has shown it already
        value = cx.holders[held]
        if isinstance(last, Maybe):
            value = maybe(cx, value, last_value(cx, slot, Lit(False), last.bound, block, carried))
    elif isinstance(held, Lst) and in_heap(held):
        known = LastPass(end, carried, passes.since, passes.index, kept)
        value = doors.list_at(cx, map_arg(known.result, held.view.at))  # type: ignore
        if isinstance(last, Maybe):
            value = maybe(cx, value, last_value(cx, slot, Lit(False), last.bound, block, carried))
    else:
        value = last_value(cx, slot, first, last, block, carried)
        if cx.by_reference and (not is_flag(slot) or slot[1] == "$value" and cx.handles):
            known = LastPass(end, carried, passes.since, passes.index, kept)
            value = with_references(cx, known, last, value)
    if is_flag(slot):
        return value
    return maybe(cx, value, any_pass(cx, carried, passes))


def any_pass(cx: Context, carried: Carried, passes: Passes) -> Any:
    """Whether the loop has run at all, as a boolean behind it."""
    if passes.any is not None:
        return passes.any()
    if carried.ran is None:
        carried.ran = Var(Scalar("bool"), "ran")
        carried.add([Lit(False)], [Lit(True)], [carried.ran])
    return carried.ran


def last_value(cx: Context, slot: Slot, first: Value, last: Value, block: Block, carried: Carried) -> Any:
    """What the last pass left, as a result of the loop."""
    if isinstance(last, Arr) and last.view is None and last.serial > cx.since:
        cx.shared = frozenset()  # the others show what this name holds
    outer, cx.twice = cx.twice, held_twice(cx, cx.state)
    with cx.builder.nested(block):  # a window may have to be taken anew
        found = template_of(cx, last, cx.state)
    cx.twice = outer
    if found.kind == "list" and not found.children:
        return one_of(cx, Lst((), pools=found.pools, within=found.within), last)
    if found.kind == "same":
        if isinstance(last, (Iterable, ArrayMethod, Flat, Super, Comprehension, Generator)):
            raise ShapeChange("what a pass leaves can't be told")
        return last
    ends: list[Arg] = []
    with cx.builder.nested(block):
        flatten(cx, found, last, ends)
    results: list[Var] = []
    value = instantiate(cx, found, results, str(slot[1]).lstrip("$"))
    for result in results:
        result.type = renewed(result.type, None)
        if isinstance(first, Lit) and isinstance(first.value, bool):
            result.type = Scalar("bool")
    if first is None and slot[1] in EXITS:
        first = Lit(False)
    starts: list[Arg] = [first] if isinstance(first, Lit) else [Undefined(r.type) for r in results]
    carried.add(starts, ends, results)
    return value
