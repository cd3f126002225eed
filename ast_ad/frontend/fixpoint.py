"""Which values does a loop carry from one pass to the next?

The body is read on parameters that stand for the values at the start of any iteration. Slots of the store
that it changes become parameters, their types joined with what the body leaves, and it is read again; most
loops need one pass, because the names that a body assigns can be seen in its text.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..ir.ops import Arg, Block, Lit, Var
from ..ir.types import Dim, Scalar
from .builder import type_of_arg
from .core import Core
from .merge import ShapeChange, renewed
from .templates import Template
from .values import Arr, Dct, Frame, Lst, Obj, State, Unbound, now

MAX_PASSES = 10
OUT_ONLY = ("$return", "$break", "$value", "$choice")


class Fixpoint(Core):
    own_dims: set[Dim] = set()

    # ----- the fixpoint
    def fixpoint(
        self, once: Callable[[], None], names: set[str], make: Callable[..., None], runs_over: int = 0
    ) -> None:
        """Append the loop of ``once``; ``runs_over``: how many of ``iterated`` are its own."""
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
            self.settle(once, templates, make, since)
        finally:
            self.own_dims, self.since, self.shared, self.holders = outer_dims, outer_since, frozenset(), {}
            self.outer_iterated = outer_iterated
        self.errstate = {**before_errors, **self.errstate}

    def entry_template(self, value: Any, entry: State) -> Template:
        self.shared, self.lasting = self.noted(entry)
        found = self.template(value, entry)
        self.shared = frozenset()
        return found

    def settle(
        self, once: Callable[[], None], templates: dict[Any, Template], make: Callable[..., None], since: int
    ) -> None:
        """Read the body until what it carries stays the same, then append the loop."""
        entry, frame = self.state, self.frame
        for count in range(MAX_PASSES):
            state, params = self.enter(entry, templates)
            self.state = state.fork()
            outer_pass, self.first_pass, self.unbound_read = self.first_pass, count == 0, False
            with self.builder.nested(Block()) as block:
                try:
                    once()
                finally:
                    self.first_pass = outer_pass
                end = self.state
                if end.dead:
                    raise ShapeChange("every pass raises")
                stops = self.stop_flag(end)
            changed = self.changed_slots(state, end, since, frame)
            grown = self.grow(templates, changed, entry, state, end, block)
            if grown == templates and not self.unbound_read:
                self.finish(entry, end, templates, params, block, stops, make)
                return
            templates = grown
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

    def enter(self, entry: State, templates: dict[Any, Template]) -> tuple[State, dict[Any, list[Var]]]:
        """The store at the start of any pass, and the parameters that it holds."""
        state = entry.fork()
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
        for key in [
            k for k in state.contents if isinstance(k, Arr) and k.view is not None and k.view.put is not None
        ]:
            del state.contents[key]  # windows on arrays are taken anew inside
        return state, params

    def changed_slots(self, state: State, end: State, since: int, frame: Frame) -> list[Any]:
        slots: list[Any] = []
        for key, content in end.contents.items():
            if getattr(key, "serial", 0) > since or (isinstance(key, Arr) and key.view is not None):
                continue
            before = state.get(key)
            if content is before:
                continue
            if isinstance(key, (Frame, Dct, Obj)):
                if isinstance(key, Dct) and set(before) != set(content):
                    raise ShapeChange("the keys of a dict change in the loop")
                slots += [
                    (key, name)
                    for name, v in content.items()
                    if before.get(name) is not v and name != "$continue"
                ]
            else:
                slots.append((key, None))
        return slots

    def grow(
        self,
        templates: dict[Any, Template],
        changed: list[Any],
        entry: State,
        state: State,
        end: State,
        block: Block,
    ) -> dict[Any, Template]:
        """The templates, widened to what the body left."""
        grown = dict(templates)
        late = [slot for slot in changed if slot not in grown or grown[slot].kind == "unbound"]
        noted = self.noted(end, late)
        for slot in changed:
            value = get_slot(end, slot)
            if slot not in grown:
                first = self.readable(get_slot(entry, slot), entry, str(slot[1]))
                grown[slot] = self.entry_template(
                    first if first is not None else Unbound(str(slot[1])), entry
                )
            self.shared, self.lasting = noted
            if isinstance(slot[1], str) and slot[1] in OUT_ONLY:
                continue
            if isinstance(self.readable(value, end, ""), Unbound) and not self.is_flag(slot):
                grown[slot] = Template("unbound", info=Unbound(str(slot[1])))  # no pass may read it
                continue
            if grown[slot].kind == "unbound":
                if self.unbound_read:  # a later pass reads what an earlier one assigned
                    with self.builder.nested(Block()):
                        grown[slot] = self.template(value, end)
                continue
            outer, self.state = self.state, end
            try:
                with self.builder.nested(Block()):
                    grown[slot] = self.widen(grown[slot], value, state)
            finally:
                self.state = outer
        self.shared = frozenset()
        return grown

    def finish(
        self,
        entry: State,
        end: State,
        templates: dict[Any, Template],
        params: dict[Any, list[Var]],
        block: Block,
        stops: Any,
        make: Callable[..., None],
    ) -> None:
        """Append the region, and go on with its results."""
        self.state = entry
        inits: list[Arg] = []
        yields: list[Arg] = []
        variables: list[Var] = []
        outs: list[Var] = []
        after = entry.fork()
        bound: dict[Any, Any] = {}
        self.holders = {}
        shared = self.noted(end)[1]
        for slot, template in sorted(templates.items(), key=lambda item: lateness(item[0], item[1], end)):
            if lateness(slot, template, end):
                self.shared = shared
                bound[slot] = self.finish_late(slot, entry, end, block, (inits, yields, variables, outs))
                self.shared = frozenset()
                self.hold(get_slot(end, slot), bound[slot])
                continue
            self.state = entry
            self.flatten(template, get_slot(entry, slot), inits)
            self.state = end
            with self.builder.nested(block):
                self.flatten(template, get_slot(end, slot), yields)
            variables += params[slot]
            results: list[Var] = []
            hint = slot[1] if isinstance(slot[1], str) else next((p.hint for p in params[slot]), None)
            bound[slot] = self.instantiate(template, results, hint, after=True)
            for result, init in zip(results, inits[len(inits) - len(results) :], strict=True):
                result.type = renewed(result.type, type_of_arg(init))
            outs += results
            self.hold(get_slot(end, slot), bound[slot])
        block.results = (*(() if stops is None else (self.arg(stops),)), *yields)
        self.state = after
        for slot, value in bound.items():
            put_slot(after, slot, value)
        for slot, value in bound.items():
            if value is not get_slot(entry, slot):  # what is from before is on other paths, too
                self.watch(value, after)
        for key in [
            k for k in after.contents if isinstance(k, Arr) and k.view is not None and k.view.put is not None
        ]:
            del after.contents[key]
        make(tuple(variables), tuple(inits), block, tuple(outs), stops is not None)

    def hold(self, last: Any, value: Any) -> None:
        """After the loop, ``value`` stands for the array ``last`` of its last pass."""
        if isinstance(last, Arr) and isinstance(value, Arr) and last.view is None:
            self.holders.setdefault(last, value)

    @staticmethod
    def is_flag(slot: Any) -> bool:
        """Whether a slot is none of the user's: how and with what the loop was left."""
        return isinstance(slot[1], str) and slot[1].startswith("$")

    def finish_late(self, slot: Any, entry: State, end: State, block: Block, lists: Any) -> Any:
        """A slot that no pass reads from the one before: its value after the loop is the last pass's."""
        inits, yields, variables, outs = lists
        first, last = get_slot(entry, slot), self.readable(get_slot(end, slot), end, str(slot[1]))
        if isinstance(last, Unbound) and not self.is_flag(slot):
            return last  # what it holds now can't be told, nor whether there was a pass at all
        if last is first or last is None or isinstance(last, Unbound):
            return first if first is not None else Unbound(str(slot[1]))
        if isinstance(last, Arr) and last in self.holders:
            return self.holders[last]
        self.state = end
        if isinstance(last, Arr) and last.view is None and last.serial > self.since:
            self.shared = frozenset()  # the others show what this name holds
        with self.builder.nested(block):  # a window may have to be taken anew
            found = self.template(last, end)
        if found.kind == "same" or found.kind == "list" and not found.children:
            return last
        with self.builder.nested(block):
            ends: list[Arg] = []
            self.flatten(found, last, ends)
        starts: list[Arg] = [Lit(None)] * len(ends)
        if isinstance(first, Lit):
            starts = [first]
        results: list[Var] = []
        name = str(slot[1]).lstrip("$")
        value = self.instantiate(found, results, name)
        for result in results:
            result.type = renewed(result.type, None)
            if isinstance(first, Lit) and isinstance(first.value, bool):
                result.type = Scalar("bool")
        yields += ends
        inits += starts
        variables += [Var(r.type, r.hint) for r in results]
        outs += results
        return value


def lateness(slot: Any, template: Template, end: State) -> int:
    """0 for what passes read from one another, else 1, or 2 for a window on what another name may hold."""
    if template.kind != "unbound" and not (isinstance(slot[1], str) and slot[1] in OUT_ONLY):
        return 0
    last = get_slot(end, slot)
    return (
        1 if isinstance(last, Arr) and last.view is None or not isinstance(last, (Arr, Lst, Dct, Obj)) else 2
    )


def get_slot(state: State, slot: Any) -> Any:
    key, name = slot
    content = state.get(key)
    return content.get(name) if isinstance(key, (Frame, Dct, Obj)) else content


def put_slot(state: State, slot: Any, value: Any) -> None:
    key, name = slot
    if isinstance(key, (Frame, Dct, Obj)):
        state.set(key, {**state.get(key), name: value})
    elif isinstance(key, Lst):
        state.set(key, state.get(value) if isinstance(value, Lst) else value)
    else:
        state.set(key, state.get(value) if isinstance(value, Arr) else value)
