"""Which arrays are elements of lists of run-time length, and who else may refer to them?

The element of such a list is a reference in Python; in the IR the list holds values. Both are the same as
long as no element is written, or only through the list while nothing else refers to it. Lists made at one
place of the program share a ``Pool``, which stands for the elements of all of them. A write to an array that
is in a pool is refused, and so is a write through a list to an element that something else may refer to; an
element that was read stays what it was when the list gets another one in its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from ..ir.ops import Var
from ..ir.types import Array, ListOf, Optional, TupleOf, Type
from .sharing import Sharing, items_held, root_of
from .values import Arr, Held, Lst, Pool, State

ELEMENT = "an array that is also an element of a list"
STALE: Any = type("Stale", (), {"__repr__": lambda self: "STALE"})()
AGAIN: Any = type("Again", (), {"__repr__": lambda self: "AGAIN"})()


def refers(type: Type) -> bool:
    """Whether values of the type are, or hold, references to what can be written."""
    if isinstance(type, Optional):
        return refers(type.value)
    if isinstance(type, TupleOf):
        return any(map(refers, type.items))
    return isinstance(type, (Array, ListOf))


class Holding(Sharing):
    # ----- what is in which pool
    def pools_of(self, base: Lst) -> frozenset[Pool]:
        """The pools of a list's elements: one for the place where it was made, unless it has some already."""
        if not base.pools:
            span = self.builder.span
            base.pools = frozenset((Pool((span.filename, span.line, span.column, span.function)),))
        return base.pools

    def placed(self, base: Lst) -> Lst:
        """A new list, with the pool of the place where it is made."""
        self.pools_of(base)
        return base

    def pools_with(self, root: Any, state: State) -> frozenset[Pool]:
        """The pools that an array or list may be in."""
        known = state.held.roots.get(root, frozenset())
        return known | root.within if isinstance(root, (Arr, Lst)) else known

    def hold_element(self, pools: frozenset[Pool], value: Any, once: bool = False) -> None:
        """``value`` becomes an element; ``once``: not anew in each pass of a loop."""
        for part in self.references_in(value):
            root = root_of(part)
            before = self.pools_with(root, self.state)
            fresh = part is root and not before and (once or root.serial > self.since)
            if isinstance(root, Lst) and part is not root:  # an element of another list
                before |= self.pools_of(root)
                fresh = False
            if isinstance(part, Arr) and (part.foreign or part.argument is not None):
                fresh = False
            if not (isinstance(root, Lst) and part is not root):
                held = self.state.held
                self.state.held = replace(held, roots={**held.roots, root: before | pools})
            if not fresh:
                self.share(
                    before | pools, "an array that is also an element of another list, or twice of one"
                )

    def references_in(self, value: Any) -> Iterator[Any]:
        """The arrays and lists of which a value is made."""
        stack, seen = [value], set()
        while stack:
            part = stack.pop()
            if isinstance(part, Arr):
                yield part
                continue
            if id(part) in seen:
                continue
            seen.add(id(part))
            if isinstance(part, Lst):
                yield part
            stack += items_held(part, self.state)

    def share(self, pools: Collection[Pool], why: str) -> None:
        """Elements of the pools may have other references from now on."""
        held = self.state.held
        new = {pool: why for pool in pools if pool not in held.shared}
        if new:
            self.state.held = replace(held, shared={**held.shared, **new})

    def same_elements(self, base: Lst, content: Any) -> Lst:
        """A list with elements of another one."""
        if isinstance(content, Var) and isinstance(content.type, ListOf) and refers(content.type.element):
            self.share(self.pools_of(base), "an array that is an element of several lists")
        return Lst(content, pools=base.pools)

    def own_elements(self, base: Lst) -> Any:
        """The content of a list as a run-time list."""
        content = self.state.get(base)
        if isinstance(content, Var):
            return content
        for item in content:
            self.hold_element(self.pools_of(base), item, once=True)
        return self.dynamic_list(content)

    def element_value(self, base: Lst, var: Var) -> Any:
        """What was read out of a list of tuples or lists: its parts must not be written."""
        value = self.wrap_var(var)
        if refers(var.type):
            for part in self.references_in(value):
                part.within = self.pools_of(base)
        return value

    # ----- changes of lists and of their elements
    def set_list(self, base: Lst, content: Any, change: str = "other") -> None:
        """The list holds ``content`` from now on; ``change``: 'set' (of one item), 'append', or 'other'."""
        self.check_iterated(base, change)
        if self.pools_with(base, self.state):
            raise self.unsupported(
                "a change of a list that is an element of another list",
                "that list's length is known at run time only",
                "use a two-dimensional array, or change the list before it is put into the other one",
            )
        self.settled(base)
        self.changed(base)
        self.state.set(base, content)

    def write_element(self, arr: Arr, base: Lst, var: Var) -> None:
        """An array that was read out of a list becomes ``var``, and is seen in the list."""
        assert arr.view is not None and arr.view.put is not None
        content, pools = self.state.get(base), self.pools_of(base)
        if self.state.contents[arr][0] is not content:
            raise self.unsupported(
                "a write to an element of a list that was changed since the element was read",
                "the compiler can't tell whether it is still in the list",
                "read the element again, or write before the list is changed",
            )
        held = self.state.held
        why = next((held.shared[pool] for pool in pools if pool in held.shared), None)
        for root in self.references(self.state):
            if self.pools_with(root, self.state) & pools:
                why = "an element of a list, which has another name, too"
        if why is not None or self.pools_with(base, self.state):
            raise self.unsupported(
                f"a write to {why or 'an element of a list in a list'}",
                "the compiler can't tell what else the write changes",
                "copy the array first: `a = a.copy()`",
            )
        after = arr.view.put(content, var)
        self.changed(base)
        self.state.set(base, after)
        self.touched(self.state, pools, base, content)
        self.state.set(arr, (after, var))

    def touched(self, state: State, pools: Collection[Pool], base: Any = None, before: Any = None) -> None:
        """An element was written: what else was read out of the lists is to be read again, or lost."""
        marks = {pool: object() for pool in pools}
        state.held = replace(state.held, written={**state.held.written, **marks})
        for key, cached in list(state.contents.items()):
            if is_element(key) and key.view.parent.pools & set(pools) and cached is not STALE:
                again = key.view.parent is base and (cached is AGAIN or cached[0] is before)
                state.contents[key] = AGAIN if again else STALE

    def read_element(self, arr: Arr) -> Var:
        """The value of an array that was read out of a list: what it was then, unless it was written."""
        assert arr.view is not None
        cached = self.state.contents.get(arr, STALE)
        if cached is AGAIN:
            content = self.state.get(arr.view.parent)
            assert arr.view.get is not None
            cached = content, arr.view.get(content)
            self.state.set(arr, cached)
        if cached is STALE:
            raise self.unsupported(
                "a read of an element of a list after elements were written",
                "the compiler can't tell whether the write changed it",
                "read it from the list again",
            )
        return cached[1]

    def pools_around(self, value: Any, state: State) -> frozenset[Pool]:
        """The pools that an array is in, as an element or as a window on one."""
        root = root_of(value)
        if isinstance(root, Lst):
            return self.pools_of(root)
        return self.pools_with(root, state) if isinstance(root, Arr) else frozenset()

    def popped(self, base: Lst, var: Var) -> Any:
        """The last element, which is in the list no longer."""
        held, pools = self.state.held, self.pools_of(base)
        named = any(
            self.pools_with(root, self.state) & pools or isinstance(root, Lst) and root.pools & pools
            for root in self.references(self.state)
        )
        if named or not pools.isdisjoint(held.shared):
            return self.element_value(base, var)
        return self.wrap_var(var)

    def settled(self, base: Lst) -> None:
        """The list is about to be rearranged: elements that were to be read again are lost."""
        for key, cached in list(self.state.contents.items()):
            if cached is AGAIN and key.view.parent is base:
                self.state.contents[key] = STALE

    # ----- loops
    def hold_entries(self, entry: State, state: State, templates: dict[Any, Any], held: Held) -> None:
        """What is known at the start of any pass; lists that become run-time lists hold their items."""
        state.held = held
        written = {p for p, mark in held.written.items() if entry.held.written.get(p) is not mark}
        for key in list(state.contents):
            if is_element(key) and key.view.parent.pools & written:
                state.contents[key] = STALE
        for (owner, name), template in templates.items():
            content = entry.look(owner)
            value = owner if isinstance(owner, Lst) else content.get(name) if name is not None else None
            if isinstance(value, Lst):
                self.hold_items((owner, name), value, template, entry, state)

    def hold_items(
        self, slot: Any, value: Any, template: Any, state: State, into: State | None = None
    ) -> None:
        """The items of a list that is to be a run-time list are elements from now on."""
        base = slot[0] if isinstance(slot[0], Lst) else value
        if not (template.kind == "leaf" and isinstance(template.type, ListOf) and isinstance(base, Lst)):
            return
        content = value if isinstance(value, tuple) else state.get(base)
        outer, self.state = self.state, into or state
        for item in content if isinstance(content, tuple) else ():
            self.hold_element(self.pools_of(base) | template.pools, item, once=into is not None)
        self.state = outer

    def known_later(self, held: Held, states: tuple[State, State, State], since: int) -> Held:
        """What is known at the start of a pass, given what is known at the end of one."""
        entry, start, end = states
        roots = {root: pools for root, pools in end.held.roots.items() if root.serial <= since}
        for root, pools in held.roots.items():
            roots[root] = roots.get(root, frozenset()) | pools
        written = dict(held.written)
        for pool, mark in end.held.written.items():
            if start.held.written.get(pool) is not mark and written.get(pool) is entry.held.written.get(pool):
                written[pool] = object()
        return Held(roots, {**end.held.shared, **held.shared}, written)


def is_element(key: Any) -> bool:
    """Whether it is an array that was read out of a run-time list."""
    return isinstance(key, Arr) and key.view is not None and isinstance(key.view.parent, Lst)
