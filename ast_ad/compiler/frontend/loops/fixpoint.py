"""Which values does a loop carry from one pass to the next?

The body is read on parameters that stand for the values at the start of any iteration. Slots of the store
that it changes become parameters, their types joined with what the body leaves, and it is read again; most
loops need one pass, because the names that a body assigns can be seen in its text.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ....errors import AdError
from ...ir.ops import Block, Lit, Var
from ...ir.types import Scalar
from ..constructs.boundness import Raised, is_certain, value_of
from ..constructs.statements import EXITS
from ..context import Context
from ..store.carried_references import list_template, settle_places
from ..store.choices import is_itself
from ..store.heaps import Before, back
from ..store.holding import hold_entries, hold_items, known_later, own_elements
from ..store.identities import ITERATORS, USED_UP, changed_parts, held_twice, kin_of, parts_by_place, relate
from ..store.loop_references import by_reference, has_itself, is_from_before, referred, widened
from ..store.shared_names import mark, noted, readable, roots_of, shared_roots, watch
from ..types.joins import ShapeChange, carried
from ..values import AGAIN, Arr, Dct, Frame, Held, Lost, Lst, Maybe, Obj, Slot, State, Unbound, Value, now
from .finish import dead, finish
from .passes import EveryPassRaises, Passes
from .slots import OUT_ONLY, get_slot, in_heap, is_live, is_unchanged, is_window, put_slot
from .template import Template
from .templates import instantiate, template_of, widen

MAX_PASSES = 10
MAX_NESTED = 30


# ----- the fixpoint
def fixpoint(
    cx: Context,
    once: Callable[[], None],
    names: set[str],
    make: Callable[..., None],
    passes: Passes,
    runs_over: int = 0,
) -> None:
    """Append the loop of ``once``; ``runs_over``: how many of ``iterated`` are its own.

    Raises
    ------
    EveryPassRaises
        nothing has been appended: run the first pass, if there is one.
    """
    if len(cx.iterated) > MAX_NESTED:
        raise cx.unsupported(
            f"loops nested {MAX_NESTED} deep",
            "each of them is read several times, and all that are in it each time",
            "leave what they are in to a function that is traced",
        )
    outer_reads, cx.unbound_reads = cx.unbound_reads, set()
    entry, since = cx.state, now()
    passes.since = Var(Scalar("bool")).id
    frame = cx.frame
    templates: dict[Slot, Template] = {}
    before_errors = dict(cx.errstate)
    outer_dims, cx.own_dims = cx.own_dims, set()
    outer_since, cx.since = cx.since, since
    outer_iterated, cx.outer_iterated = cx.outer_iterated, len(cx.iterated) - runs_over
    try:
        for name in sorted(names):
            value = readable(cx, entry.get_name(frame, name), entry, name)
            templates[frame, name] = entry_template(cx, value if value is not None else Unbound(name), entry)
        settle(cx, once, templates, make, since, passes)
    finally:
        cx.unbound_reads |= outer_reads
        cx.own_dims, cx.since, cx.shared, cx.holders = outer_dims, outer_since, frozenset(), {}
        cx.outer_iterated = outer_iterated
    cx.errstate = {**before_errors, **cx.errstate}


def entry_template(cx: Context, value: Value, entry: State, itself: bool = True) -> Template:
    """``itself``: an array with other names may be carried by reference."""
    cx.shared, cx.lasting = noted(cx, entry)
    outer, cx.twice = cx.twice, held_twice(cx, entry)
    found = template_of(cx, value, entry)
    if itself:
        found = by_reference(cx, value) or found
    cx.shared, cx.twice = frozenset(), outer
    return found


def settle(
    cx: Context,
    once: Callable[[], None],
    templates: dict[Slot, Template],
    make: Callable[..., None],
    since: int,
    passes: Passes,
) -> None:
    """Read the body until what it carries stays the same, then append the loop."""
    entry, frame = cx.state, cx.frame
    held, kin = entry.held, kin_of(cx, entry, templates, {}, since)
    for _ in range(MAX_PASSES):
        state, params = enter(cx, entry, templates, held)
        relate(parts_by_place(templates, state), kin)
        cx.state = state.fork()
        with cx.builder.nested(Block()) as block:
            try:
                once()
            except Raised:
                cx.state.dead = True
            except AdError as problem:
                if not is_certain(problem, block):
                    raise
                cx.state.dead = True
            end = cx.state
            if end.dead:
                raise EveryPassRaises
            settle_places(cx, templates, end)
            read_again(end, frame, passes)
            stops = stop_flag(cx, end)
        changed = changed_slots(cx, state, end, since)
        changed += changed_parts(parts_by_place(templates, state), state, end, changed)
        grown = grow(
            cx, templates, changed, (entry, state, end), lambda slot: is_live(slot, frame, passes.live)
        )
        known = known_later(cx, held, (entry, state, end), since)
        later = kin_of(cx, end, grown, kin_of(cx, entry, grown, kin, since), since)
        if grown == templates and known == held and later == kin:
            end.held, moved = replace(held, roots={**end.held.roots, **held.roots}), len(cx.moved)
            finish(cx, entry, end, templates, params, block, stops, make, passes)
            if len(cx.moved) > moved:  # no pass finds the heap as the one before it leaves it
                raise cx.aliased("what a loop carries", "an array gets a place at the end of its passes")
            return
        templates, held, kin = grown, known, later
    raise ShapeChange("its types change in every pass")


def read_again(end: State, frame: Frame, passes: Passes) -> None:
    """Read, in the pass, the names that hold an element of a list that was written in it."""
    for name, value in end.get(frame).items():
        if isinstance(value, Lst) and end.contents.get(value) is AGAIN:
            if passes.live is None or name in passes.live:
                end.get(value)


def stop_flag(cx: Context, end: State) -> Any:
    """The condition that ends the loop after this pass, or None."""
    flags = [end.get_name(cx.frame, n) for n in ("$break", "$return", "$raised")]
    flags = [f for f in flags if f is not None and cx.static_value(f) is not False]
    if not flags:
        return None
    stop = flags[0]
    for flag in flags[1:]:
        stop = cx.emit(operator.or_, stop, flag)
    return stop


def array_name(state: State, owner: object) -> str | None:
    """What an array is called that a loop writes to: what is left of it may then lie where it was."""
    content = state.look(owner) if isinstance(owner, Arr) and owner.view is None else None
    return content.hint if isinstance(content, Var) else None


def enter(
    cx: Context, entry: State, templates: dict[Slot, Template], held: Held
) -> tuple[State, dict[Any, list[Var]]]:
    """The store at the start of any pass, and the parameters that it holds."""
    state = entry.fork()
    hold_entries(cx, entry, state, templates, held)
    state.set_name(cx.frame, "$continue", Lit(False))
    state.set_name(cx.frame, "$return", Lit(False))
    state.set_name(cx.frame, "$break", Lit(False))
    if state.get_name(cx.frame, "$raised") is not None:
        state.set_name(cx.frame, "$raised", Lit(False))
    params: dict[Slot, list[Var]] = {}
    for slot, template in templates.items():
        owner, key = slot
        hint = key if isinstance(key, str) else array_name(entry, owner)
        if isinstance(key, str) and key in OUT_ONLY:
            continue
        params[slot] = []
        if owner is not None and template.kind == "unbound":
            value: Any = Unbound(str(key))
        else:
            value = instantiate(cx, template, params[slot], hint)
        put_slot(state, slot, value)
    for slot in params:
        watch(cx, get_slot(state, slot), state)
    for key in [k for k in state.contents if is_window(k)]:
        del state.contents[key]  # windows on arrays are taken anew inside
    return state, params


def changed_slots(cx: Context, state: State, end: State, since: int) -> list[Any]:
    slots: list[Any] = []
    for key, content in end.contents.items():
        if getattr(key, "serial", 0) > since or isinstance(key, (Arr, Lst)) and key.view is not None:
            continue
        before = state.look(key)
        if content is before:
            continue
        if isinstance(content, Lost):
            slots.append((key, None))
        elif isinstance(key, Dct) and (isinstance(before, Var) or isinstance(content, Var)):
            slots.append((key, None))
        elif isinstance(key, (Frame, Dct, Obj)):
            if isinstance(key, Dct) and set(before) != set(content):
                raise ShapeChange("the keys of a dict change in the loop")
            slots += [
                (key, name)
                for name, v in content.items()
                if not is_unchanged(before.get(name), v) and not is_same_exit(name, before.get(name), v)
            ]
        else:
            slots.append((key, None))
    return slots


def is_same_exit(name: object, before: Value, after: Value) -> bool:
    """Whether a slot tells of an exit that no pass takes, or that ends with the pass."""
    none = all(flag is None or isinstance(flag, Lit) and flag.value is False for flag in (before, after))
    return name == "$continue" or name in EXITS and none


def grow(
    cx: Context,
    templates: dict[Slot, Template],
    changed: list[Slot],
    states: tuple[State, State, State],
    live: Callable[[Slot], bool],
) -> dict[Any, Template]:
    """The templates, widened to what the body left; the states: before the loop, around the body."""
    entry, start, end = states
    larger = dict(templates)
    late = [slot for slot in changed if slot not in larger or larger[slot].kind == "unbound"]
    noted_now, cx.held = noted(cx, end, late), shared_roots(cx, end)
    outer_twice, twice = cx.twice, held_twice(cx, end, late)
    kept = {slot: get_slot(entry, slot) for slot in larger.keys() - set(changed)}
    by_now = {
        slot: Template("same", info=array)
        for slot, array in kept.items()
        if larger[slot].kind == "leaf"
        and (is_itself if cx.by_reference else has_itself)(array)
        and any(root in noted_now[0] for root in roots_of(get_slot(end, slot)))
    }
    if by_now:  # another name has got what this one keeps: read the body again, with the arrays themselves
        return larger | by_now
    for slot in changed:
        value = readable(cx, get_slot(end, slot), end, str(slot[1]))
        if isinstance(slot[0], ITERATORS):
            larger[slot] = Template("lost", info=USED_UP)
            continue
        if slot not in larger:
            first = readable(cx, get_slot(entry, slot), entry, str(slot[1]))
            larger[slot] = entry_template(cx, first if first is not None else Unbound(str(slot[1])), entry)
        (cx.shared, cx.lasting), cx.twice = noted_now, twice
        if isinstance(slot[1], str) and slot[1] in OUT_ONLY or larger[slot].kind == "lost":
            continue
        if isinstance(value, Lost):
            larger[slot] = Template("lost", info=value)
            continue
        hold_items(cx, slot, value, larger[slot], end)
        make_run_time(cx, slot, larger[slot], value, entry)
        moved = len(cx.moved)
        outer, cx.state = cx.state, end.fork()  # what is read here is read in no block that stays
        try:
            with cx.builder.nested(Block()):
                larger[slot] = grown(cx, slot, larger[slot], value, (entry, start), live)
            end.held = cx.state.held
        finally:
            back(cx, moved)
            cx.state = outer
    cx.shared, cx.lasting = noted_now
    for slot in larger.keys() - set(changed):  # another name may have got what this one has kept
        if larger[slot].kind == "leaf" and larger[slot].array:
            larger[slot] = mark(cx, larger[slot], get_slot(end, slot))
    cx.shared, cx.twice = frozenset(), outer_twice
    return larger


def make_run_time(cx: Context, slot: Slot, old: Template, value: Value, entry: State) -> None:
    """A list of arrays that gets other lengths has references to them: it has them before the loop, too."""
    base = slot[0] if isinstance(slot[0], Lst) else get_slot(entry, slot)
    if not (
        cx.handles and isinstance(base, Lst) and old.kind == "list" and any(c.holds for c in old.children)
    ):
        return
    content = cx.state.get(value) if isinstance(value, Lst) else value
    if not isinstance(content, tuple) or len(content) != len(old.children):
        raise Before(base.serial, lambda: cx.state.set(base, own_elements(cx, base)))


def grown(
    cx: Context,
    slot: Slot,
    old: Template,
    value: Value,
    states: tuple[State, State],
    live: Callable[[Slot], bool],
) -> Template:
    """The template of a slot that holds ``value`` behind a pass; the states: before the loop, before it."""
    entry, start = states
    first = get_slot(entry, slot)
    if isinstance(value, Lst) and old.kind != "unbound" and (in_heap(value) or old.kind == "reference"):
        return list_template(cx, old, first) if value is not old.info else old
    if cx.by_reference:
        found = referred(cx, old, value, first)
        if found is not None:
            return found
    if old.kind == "leaf" and not old.foreign and has_itself(first) and is_from_before(cx, value):
        old = Template("same", info=first)  # another name has what this pass leaves in it
    if old.kind == "choice" or old.kind == "same" and isinstance(old.info, Arr) and value is not old.info:
        found = widened(cx, old, value) if isinstance(value, Arr) else None
        if found is not None:
            return found
        noted_now = cx.shared, cx.lasting, cx.twice
        old = entry_template(cx, first, entry, itself=False)
        cx.shared, cx.lasting, cx.twice = noted_now
    unsure = isinstance(value, (Unbound, Maybe)) or old.kind == "maybe"
    if old.kind == "unbound":
        if isinstance(value, Unbound) or not unsure and slot not in cx.unbound_reads:
            return old
        unsure = True
    if unsure and not live(slot):
        return Template("lost", info=dead(slot))
    if old.kind != "unbound":
        return widen(cx, old, value, start)
    held = value_of(value)
    one = list_template(cx, None, None) if in_heap(held) else template_of(cx, held, cx.state)
    return Template("maybe", None, (of_any_pass(cx, one),))


def of_any_pass(cx: Context, left: Template) -> Template:
    """What a pass left first, as any other pass finds it."""
    type = None if left.type is None else carried(left.type, None, cx.own_dims)
    return replace(left, type=type, children=tuple(of_any_pass(cx, child) for child in left.children))
