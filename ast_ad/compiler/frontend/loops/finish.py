"""What does a program know behind a loop, of what the loop carried and of what its last pass left?"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from ...ir.builtin import told
from ...ir.ops import Arg, Block, Lit, Undefined, Var
from ...ir.types import Array, Scalar, rank_of
from ..builder import type_of_arg
from ..context import Context
from ..store.holding import hold_entries
from ..store.identities import relate_results
from ..store.shared_names import STILL_SHARED, items_held, may_be, noted, references, roots_of, watch
from ..types.joins import of_last, renewed
from ..values import Arr, Dct, Heap, Lost, Lst, Maybe, Obj, Slot, State, Tup, Value
from .late_slots import finish_late
from .passes import Carried, Passes
from .slots import get_slot, is_live, is_name, is_window, lateness, put_slot
from .template import Template
from .templates import flatten, instantiate


def dead(slot: Slot) -> Lost:
    """The state of a slot that nobody seemed to read."""
    return Lost(str(slot[1]), "the compiler took it for dead", fix="give it a value on every path")


def finish(
    cx: Context,
    entry: State,
    end: State,
    templates: dict[Slot, Template],
    params: dict[Slot, list[Var]],
    block: Block,
    stops: object,
    make: Callable[..., None],
    passes: Passes,
) -> None:
    """Append the region, and go on with its results."""
    cx.state = entry
    carried = Carried()
    after = entry.fork()
    hold_entries(cx, entry, after, templates, end.held)
    bound: dict[Any, Any] = {}
    cx.holders = {}
    shared = noted(cx, end)[1]
    kept = references(
        cx, end, [slot for slot, template in templates.items() if lateness(slot, template, end)]
    )
    for slot, template in sorted(templates.items(), key=lambda item: lateness(item[0], item[1], end)):
        if template.kind == "lost":
            bound[slot] = template.info
            continue
        if lateness(slot, template, end):
            if is_name(slot) and not is_live(slot, cx.frame, passes.live):
                bound[slot] = dead(slot)
                continue
            cx.shared = shared
            bound[slot] = finish_late(cx, slot, entry, end, block, carried, passes, kept)
            cx.shared = frozenset()
            hold(cx, get_slot(end, slot), bound[slot])
            continue
        bound[slot] = carry(cx, slot, template, params[slot], (entry, end), block, carried, passes)
        hold(cx, get_slot(end, slot), bound[slot])
    block.results = (*(() if stops is None else (cx.arg(stops),)), *carried.yields)
    cx.state = after
    for slot, value in bound.items():
        put_slot(after, slot, value)
    relate_results(cx, entry, end, templates, bound)
    for slot, value in bound.items():
        relate_sources(cx, get_slot(end, slot), value, end)
    for slot, value in bound.items():
        if value is not get_slot(entry, slot):  # what is from before is on other paths, too
            watch(cx, value, after)
    for key in [k for k in after.contents if is_window(k)]:
        del after.contents[key]
    make(tuple(carried.variables), tuple(carried.inits), block, tuple(carried.outs), stops is not None)
    if passes.certain:
        for slot, value in bound.items():
            if isinstance(value, Arr) and value.view is None:
                tell_last(cx, slot, value, dict(zip(carried.outs, carried.yields, strict=True)))


def tell_last(cx: Context, slot: Slot, value: Arr, last: dict[Var, Arg]) -> None:
    """Behind a loop that certainly runs, what had another rank before the loop has that of the last pass."""
    var = cx.state.get(value)
    if var not in last or rank_of(var.type) is not None or not isinstance(var.type, Array):
        return
    type = type_of_arg(last[var])
    if rank_of(type) is None or not isinstance(type, (Scalar, Array)):
        return
    type = renewed(replace(type, size=None) if isinstance(type, Scalar) else type, None)
    known = cx.builder.opaque(told, (var, Lit(rank_of(type))), type)
    known.hint = var.hint
    if isinstance(type, Array):
        cx.state.set(value, known)
    else:
        put_slot(cx.state, slot, known)


def carry(
    cx: Context,
    slot: Slot,
    template: Template,
    params: list[Var],
    states: tuple[State, State],
    block: Block,
    carried: Carried,
    passes: Passes,
) -> Any:
    """What a slot that passes read from one another holds behind the loop.

    The states: before the loop, at the end of a pass.
    """
    entry, end = states
    count = len(carried.inits)
    cx.state = entry
    flatten(cx, template, get_slot(entry, slot), carried.inits)
    cx.state = end
    with cx.builder.nested(block):
        flatten(cx, template, get_slot(end, slot), carried.yields, at_end=True)
    carried.variables += params
    hint = slot[1] if isinstance(slot[1], str) else next((p.hint for p in params), None)
    value = instantiate(cx, template, carried.outs, hint, after=True)
    for i, result in enumerate(carried.outs[count:], count):
        first = carried.inits[i]
        known = None if isinstance(first, Undefined) else type_of_arg(first)
        result.type = renewed(result.type, known)
        if passes.certain:
            result.type = of_last(result.type, type_of_arg(carried.yields[i]), known)
    return value


def hold(cx: Context, last: Value, value: Value) -> None:
    """After the loop, ``value`` stands for the array ``last`` of its last pass."""
    last, value = (v.value if isinstance(v, Maybe) else v for v in (last, value))
    if isinstance(last, Arr) and isinstance(value, Arr) and last.view is None:
        cx.holders.setdefault(last, value)
    items, others = content_of(last, cx.state), content_of(value, cx.state)
    if last is not value and len(items) == len(others):
        for item, other in zip(items, others, strict=True):
            hold(cx, item, other)


def relate_sources(cx: Context, last: Value, value: Value, end: State) -> None:
    """What may be an array of the last pass, may be the array that stands for it behind the loop.

    Only what is carried by value has to be told that: a choice of arrays, or a window on one, refers to it.
    """
    last, value = (v.value if isinstance(v, Maybe) else v for v in (last, value))
    by_value = isinstance(value, Arr) and value.view is None and value.serial > cx.since
    if isinstance(last, Arr) and isinstance(value, Arr) and by_value:
        sources = [root for one in (last, *may_be(last)) for root in roots_of(one)]
        behind = [cx.holders.get(root, root if isinstance(root, Heap) else None) for root in sources]
        known = {*roots_of(value), *(root for root, _ in value.sources)}
        more = tuple((one, None) for one in dict.fromkeys(behind) if one is not None and one not in known)
        if more:
            value.sources = (*value.sources, *more)
            value.foreign = value.foreign or STILL_SHARED
    items, others = content_of(last, end), content_of(value, cx.state)
    if last is not value and len(items) == len(others):
        for item, other in zip(items, others, strict=True):
            relate_sources(cx, item, other, end)


def content_of(value: Value, state: State) -> Collection[Any]:
    """What a container holds, or the content of one."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, (Tup, Lst, Dct, Obj, Maybe)):
        return items_held(value, state)
    return value if isinstance(value, tuple) else ()
