"""Which values does a loop carry from one pass to the next?

The body is read on parameters that stand for the values at the start of any iteration. Slots of the store
that it changes become parameters, their types joined with what the body leaves, and it is read again; most
loops need one pass, because the names that a body assigns can be seen in its text.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import AdError
from ..ir.ops import Arg, Block, Lit, Undefined, Var
from ..ir.types import Dim, Scalar
from .boundness import Raised
from .builder import type_of_arg
from .core import Core
from .identities import ITERATORS, USED_UP, changed_parts, parts_by_place, relate
from .joins import ShapeChange, of_last, renewed
from .sharing import items_held
from .slots import OUT_ONLY, get_slot, is_checked, is_live, is_window, lateness, put_slot
from .statements import EXITS
from .templates import Template
from .values import (
    Arr,
    ArrayMethod,
    Comprehension,
    Dct,
    Flat,
    Frame,
    Held,
    Iterable,
    Lost,
    Lst,
    Maybe,
    Obj,
    State,
    Super,
    Tup,
    Unbound,
    now,
)

MAX_PASSES = 10
MAX_NESTED = 30


class EveryPassRaises(Exception):
    """A loop of which each pass raises: there is at most one."""


@dataclass
class Passes:
    """What is known of a loop's passes.

    ``live``: the names of its frame that may be read at the start of a pass or behind the loop (None: all);
    ``any``: emits the boolean that tells whether there is a pass at all (None: only the loop can tell);
    ``certain``: whether it is known that there is one.
    """

    live: Collection[str] | None = None
    any: Callable[[], Any] | None = None
    certain: bool = False


class Fixpoint(Core):
    own_dims: set[Dim] = set()

    # ----- the fixpoint
    def fixpoint(
        self,
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
        if len(self.iterated) > MAX_NESTED:
            raise self.unsupported(
                f"loops nested {MAX_NESTED} deep",
                "each of them is read several times, and all that are in it each time",
                "leave what they are in to a function that is traced",
            )
        outer_reads, self.unbound_reads = self.unbound_reads, set()
        entry, since = self.state, now()
        frame = self.frame
        templates: dict[Any, Template] = {}
        before_errors = dict(self.errstate)
        outer_dims, self.own_dims = self.own_dims, set()
        outer_since, self.since = self.since, since
        outer_iterated, self.outer_iterated = self.outer_iterated, len(self.iterated) - runs_over
        try:
            for name in sorted(names):
                value = self.readable(entry.get_name(frame, name), entry, name)
                templates[frame, name] = self.entry_template(
                    value if value is not None else Unbound(name), entry
                )
            self.settle(once, templates, make, since, passes)
        finally:
            self.unbound_reads |= outer_reads
            self.own_dims, self.since, self.shared, self.holders = outer_dims, outer_since, frozenset(), {}
            self.outer_iterated = outer_iterated
        self.errstate = {**before_errors, **self.errstate}

    def entry_template(self, value: Any, entry: State) -> Template:
        self.shared, self.lasting = self.noted(entry)
        outer, self.twice = self.twice, self.held_twice(entry)
        found = self.template(value, entry)
        self.shared, self.twice = frozenset(), outer
        return found

    def settle(
        self,
        once: Callable[[], None],
        templates: dict[Any, Template],
        make: Callable[..., None],
        since: int,
        passes: Passes,
    ) -> None:
        """Read the body until what it carries stays the same, then append the loop."""
        entry, frame = self.state, self.frame
        held, kin = entry.held, self.kin_of(entry, templates, {}, since)
        for _ in range(MAX_PASSES):
            state, params = self.enter(entry, templates, held)
            relate(parts_by_place(templates, state), kin)
            self.state = state.fork()
            with self.builder.nested(Block()) as block:
                try:
                    once()
                except Raised:
                    self.state.dead = True
                except AdError as problem:
                    if not self.is_certain(problem, block):
                        raise
                    self.state.dead = True
                end = self.state
                if end.dead:
                    raise EveryPassRaises
                stops = self.stop_flag(end)
            changed = self.changed_slots(state, end, since)
            changed += changed_parts(parts_by_place(templates, state), state, end, changed)
            grown = self.grow(
                templates, changed, (entry, state, end), lambda slot: is_live(slot, frame, passes.live)
            )
            known = self.known_later(held, (entry, state, end), since)
            later = self.kin_of(end, grown, self.kin_of(entry, grown, kin, since), since)
            if grown == templates and known == held and later == kin:
                end.held = replace(held, roots={**end.held.roots, **held.roots})
                self.finish(entry, end, templates, params, block, stops, make, passes)
                return
            templates, held, kin = grown, known, later
        raise ShapeChange("its types change in every pass")

    def stop_flag(self, end: State) -> Any:
        """The condition that ends the loop after this pass, or None."""
        flags = [end.get_name(self.frame, n) for n in ("$break", "$return")]
        flags = [f for f in flags if f is not None and self.static_value(f) is not False]
        if not flags:
            return None
        stop = flags[0]
        for flag in flags[1:]:
            stop = self.emit(operator.or_, stop, flag)
        return stop

    def enter(
        self, entry: State, templates: dict[Any, Template], held: Held
    ) -> tuple[State, dict[Any, list[Var]]]:
        """The store at the start of any pass, and the parameters that it holds."""
        state = entry.fork()
        self.hold_entries(entry, state, templates, held)
        state.set_name(self.frame, "$continue", Lit(False))
        state.set_name(self.frame, "$return", Lit(False))
        state.set_name(self.frame, "$break", Lit(False))
        params: dict[Any, list[Var]] = {}
        for slot, template in templates.items():
            owner, key = slot
            hint = key if isinstance(key, str) else None
            if isinstance(key, str) and key in OUT_ONLY:
                continue
            params[slot] = []
            if owner is not None and template.kind == "unbound":
                value: Any = Unbound(str(key))
            else:
                value = self.instantiate(template, params[slot], hint)
            put_slot(state, slot, value)
        for slot in params:
            self.watch(get_slot(state, slot), state)
        for key in [k for k in state.contents if is_window(k)]:
            del state.contents[key]  # windows on arrays are taken anew inside
        return state, params

    def changed_slots(self, state: State, end: State, since: int) -> list[Any]:
        slots: list[Any] = []
        for key, content in end.contents.items():
            if getattr(key, "serial", 0) > since or (isinstance(key, Arr) and key.view is not None):
                continue
            before = state.look(key)
            if content is before:
                continue
            if isinstance(content, Lost):
                slots.append((key, None))
            elif isinstance(key, (Frame, Dct, Obj)):
                if isinstance(key, Dct) and set(before) != set(content):
                    raise ShapeChange("the keys of a dict change in the loop")
                slots += [
                    (key, name)
                    for name, v in content.items()
                    if before.get(name) is not v
                    and name != "$continue"
                    and not is_checked(before.get(name), v)
                ]
            else:
                slots.append((key, None))
        return slots

    def grow(
        self,
        templates: dict[Any, Template],
        changed: list[Any],
        states: tuple[State, State, State],
        live: Callable[[Any], bool],
    ) -> dict[Any, Template]:
        """The templates, widened to what the body left; the states: before the loop, around the body."""
        entry, start, end = states
        grown = dict(templates)
        late = [slot for slot in changed if slot not in grown or grown[slot].kind == "unbound"]
        noted = self.noted(end, late)
        outer_twice, twice = self.twice, self.held_twice(end, late)
        for slot in changed:
            value = self.readable(get_slot(end, slot), end, str(slot[1]))
            if isinstance(slot[0], ITERATORS):
                grown[slot] = Template("lost", info=USED_UP)
                continue
            if slot not in grown:
                first = self.readable(get_slot(entry, slot), entry, str(slot[1]))
                grown[slot] = self.entry_template(
                    first if first is not None else Unbound(str(slot[1])), entry
                )
            (self.shared, self.lasting), self.twice = noted, twice
            if isinstance(slot[1], str) and slot[1] in OUT_ONLY or grown[slot].kind == "lost":
                continue
            if isinstance(value, Lost):
                grown[slot] = Template("lost", info=value)
                continue
            self.hold_items(slot, value, grown[slot], end)
            outer, self.state = self.state, end.fork()  # what is read here is read in no block that stays
            try:
                with self.builder.nested(Block()):
                    grown[slot] = self.grown(slot, grown[slot], value, start, live)
                end.held = self.state.held
            finally:
                self.state = outer
        self.shared, self.lasting = noted
        for slot in grown.keys() - set(changed):  # another name may have got what this one has kept
            if grown[slot].kind == "leaf" and grown[slot].array:
                grown[slot] = self.mark(grown[slot], get_slot(end, slot))
        self.shared, self.twice = frozenset(), outer_twice
        return grown

    def grown(
        self, slot: Any, old: Template, value: Any, start: State, live: Callable[[Any], bool]
    ) -> Template:
        """The template of one slot that holds ``value`` at the end of a pass."""
        unsure = isinstance(value, (Unbound, Maybe)) or old.kind == "maybe"
        if old.kind == "unbound":
            if isinstance(value, Unbound) or not unsure and slot not in self.unbound_reads:
                return old
            unsure = True
        if unsure and not live(slot):
            return Template("lost", info=Lost(str(slot[1]), "the compiler took it for dead"))
        if old.kind != "unbound":
            return self.widen(old, value, start)
        return Template("maybe", None, (self.template(self.value_of(value), self.state),))

    def finish(
        self,
        entry: State,
        end: State,
        templates: dict[Any, Template],
        params: dict[Any, list[Var]],
        block: Block,
        stops: Any,
        make: Callable[..., None],
        passes: Passes,
    ) -> None:
        """Append the region, and go on with its results."""
        self.state = entry
        carried = Carried()
        after = entry.fork()
        self.hold_entries(entry, after, templates, end.held)
        bound: dict[Any, Any] = {}
        self.holders = {}
        shared = self.noted(end)[1]
        for slot, template in sorted(templates.items(), key=lambda item: lateness(item[0], item[1], end)):
            if template.kind == "lost":
                bound[slot] = template.info
                continue
            if lateness(slot, template, end):
                self.shared = shared
                bound[slot] = self.finish_late(slot, entry, end, block, carried, passes)
                self.shared = frozenset()
                self.hold(get_slot(end, slot), bound[slot])
                continue
            count = len(carried.inits)
            self.state = entry
            self.flatten(template, get_slot(entry, slot), carried.inits)
            self.state = end
            with self.builder.nested(block):
                self.flatten(template, get_slot(end, slot), carried.yields)
            carried.variables += params[slot]
            hint = slot[1] if isinstance(slot[1], str) else next((p.hint for p in params[slot]), None)
            bound[slot] = self.instantiate(template, carried.outs, hint, after=True)
            for i, result in enumerate(carried.outs[count:], count):
                first = carried.inits[i]
                known = None if isinstance(first, Undefined) else type_of_arg(first)
                result.type = renewed(result.type, known)
                if passes.certain:
                    result.type = of_last(result.type, type_of_arg(carried.yields[i]))
            self.hold(get_slot(end, slot), bound[slot])
        block.results = (*(() if stops is None else (self.arg(stops),)), *carried.yields)
        self.state = after
        for slot, value in bound.items():
            put_slot(after, slot, value)
        self.relate_results(entry, end, templates, bound)
        for slot, value in bound.items():
            if value is not get_slot(entry, slot):  # what is from before is on other paths, too
                self.watch(value, after)
        for key in [k for k in after.contents if is_window(k)]:
            del after.contents[key]
        make(tuple(carried.variables), tuple(carried.inits), block, tuple(carried.outs), stops is not None)

    def hold(self, last: Any, value: Any) -> None:
        """After the loop, ``value`` stands for the array ``last`` of its last pass."""
        last, value = (v.value if isinstance(v, Maybe) else v for v in (last, value))
        if isinstance(last, Arr) and isinstance(value, Arr) and last.view is None:
            self.holders.setdefault(last, value)
        items, others = self.content_of(last), self.content_of(value)
        if last is not value and len(items) == len(others):
            for item, other in zip(items, others, strict=True):
                self.hold(item, other)

    def content_of(self, value: Any) -> Collection[Any]:
        """What a container holds, or the content of one."""
        if isinstance(value, dict):
            return value.values()
        if isinstance(value, (Tup, Lst, Dct, Obj, Maybe)):
            return items_held(value, self.state)
        return value if isinstance(value, tuple) else ()

    @staticmethod
    def is_flag(slot: Any) -> bool:
        """Whether a slot is none of the user's: how and with what the loop was left."""
        return isinstance(slot[1], str) and slot[1].startswith("$")

    def finish_late(
        self, slot: Any, entry: State, end: State, block: Block, carried: Carried, passes: Passes
    ) -> Any:
        """A slot that no pass reads from the one before: its value after the loop is the last pass's."""
        first, last = get_slot(entry, slot), self.readable(get_slot(end, slot), end, str(slot[1]))
        if isinstance(last, Lost) and not self.is_flag(slot):
            return last
        if last is first or last is None or isinstance(last, (Unbound, Lost)):
            return first if first is not None else Unbound(str(slot[1]))
        self.state = end
        if isinstance(last, Arr) and last in self.holders:
            value = self.holders[last]
        else:
            value = self.last_value(slot, first, last, block, carried)
        if self.is_flag(slot):
            return value
        return self.maybe(value, self.any_pass(carried, passes))

    def any_pass(self, carried: Carried, passes: Passes) -> Any:
        """Whether the loop has run at all, as a boolean behind it."""
        if passes.any is not None:
            return passes.any()
        if carried.ran is None:
            carried.ran = Var(Scalar("bool"), "ran")
            carried.add([Lit(False)], [Lit(True)], [carried.ran])
        return carried.ran

    def last_value(self, slot: Any, first: Any, last: Any, block: Block, carried: Carried) -> Any:
        """What the last pass left, as a result of the loop."""
        if isinstance(last, Arr) and last.view is None and last.serial > self.since:
            self.shared = frozenset()  # the others show what this name holds
        outer, self.twice = self.twice, self.held_twice(self.state)
        with self.builder.nested(block):  # a window may have to be taken anew
            found = self.template(last, self.state)
        self.twice = outer
        if found.kind == "list" and not found.children:
            return self.one_of(Lst((), pools=found.pools, within=found.within), last)
        if found.kind == "same":
            if isinstance(last, (Iterable, ArrayMethod, Flat, Super, Comprehension)):
                raise ShapeChange("what a pass leaves can't be told")
            return last
        ends: list[Arg] = []
        with self.builder.nested(block):
            self.flatten(found, last, ends)
        results: list[Var] = []
        value = self.instantiate(found, results, str(slot[1]).lstrip("$"))
        for result in results:
            result.type = renewed(result.type, None)
            if isinstance(first, Lit) and isinstance(first.value, bool):
                result.type = Scalar("bool")
        if first is None and slot[1] in EXITS:
            first = Lit(False)
        starts: list[Arg] = [first] if isinstance(first, Lit) else [Undefined(r.type) for r in results]
        carried.add(starts, ends, results)
        return value


@dataclass
class Carried:
    """What a loop carries: at its start, at the end of each pass, at the start of each, and behind it.

    ``ran``: whether there was a pass, where it carries that.
    """

    inits: list[Arg] = field(default_factory=list)
    yields: list[Arg] = field(default_factory=list)
    variables: list[Var] = field(default_factory=list)
    outs: list[Var] = field(default_factory=list)
    ran: Var | None = None

    def add(self, starts: list[Arg], ends: list[Arg], results: list[Var]) -> None:
        """Carry values that no pass reads; what one finds has the lengths of the pass before."""
        self.inits += starts
        self.yields += ends
        self.variables += [Var(renewed(r.type, None), r.hint) for r in results]
        self.outs += results
