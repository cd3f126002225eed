"""Which arrays does a loop's name share with others, so that giving it another array is not exact?

A name that a loop gives another array in each pass becomes a parameter: a new array for the compiler, though
in some pass it may still be one that is known under another name. Writes through such a name are refused, and
so are reads of it after the other one was written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from .core import Core
from .values import Arr, Bound, Closure, Dct, Flat, Frame, Iterable, Lost, Lst, Maybe, Obj, State, Tup

STALE = "it may show an array that was written since under another name"
SHARED = "an array that may be one of several, depending on the pass of a loop"


def root_of(arr: Any) -> Any:
    """The array, or run-time list, in whose memory an array lies."""
    while isinstance(arr, Arr) and arr.view is not None:
        arr = arr.view.parent
    return arr


def may_be(arr: Any) -> Iterator[Any]:
    """The arrays that an array, or one of which it is a view, may be."""
    while isinstance(arr, Arr):
        yield from (source for source, _ in arr.sources)
        arr = arr.view.parent if arr.view is not None else None


class Sharing(Core):
    """Counts the references to arrays."""

    def references(
        self, state: State, without: Collection[Any] = (), iterated: Collection[Any] | None = None
    ) -> Counter[Any]:
        """How many references there are to each root, from what is live; ``without``: slots not counted.

        ``iterated``: what is run over; by default what all loops under way run over.
        """
        found: Counter[Any] = Counter()
        frames = list(self.live_frames())
        seen = set(map(id, frames))
        for frame in frames:
            for name, value in state.get(frame).items():
                if (not name.startswith("$") or name == "$choice") and (frame, name) not in without:
                    self._count(value, state, found, seen)
        for source in self.iterated if iterated is None else iterated:
            self._count(source, state, found, seen)
        return found

    def shared_roots(
        self, state: State, without: Collection[Any] = (), iterated: Collection[Any] | None = None
    ) -> frozenset[Any]:
        return frozenset(
            root for root, count in self.references(state, without, iterated).items() if count > 1
        )

    def noted(self, state: State, without: Collection[Any] = ()) -> tuple[frozenset[Any], frozenset[Any]]:
        """The roots that are shared inside the loop, and those that are when its source is left."""
        outer = self.iterated[: self.outer_iterated]
        return self.shared_roots(state, without), self.shared_roots(state, without, outer)

    def live_frames(self) -> Iterator[Frame]:
        """The frames of the calls under way, and those that they read free names from."""
        stack: list[Any] = [self.frame]
        seen: list[Frame] = []
        while stack:
            frame = stack.pop()
            if frame is not None and frame not in seen:
                seen.append(frame)
                stack += [frame.caller, frame.enclosing]
        return iter(seen)

    def _count(self, value: Any, state: State, found: Counter[Any], seen: set[int]) -> None:
        if isinstance(value, Arr):
            found[root_of(value)] += 1
            found.update({root_of(source): 1 for source in may_be(value)})  # it may be the very array
        elif isinstance(value, (Lst, Dct, Obj, Closure, Frame)):
            if id(value) in seen:
                return
            seen.add(id(value))
        for item in items_held(value, state):
            self._count(item, state, found, seen)

    def mark(self, template: Any, value: Any) -> Any:
        """The template of a value, with what it shares if it is an array.

        What a branch within the loop has made one of several stays that after the loop.
        """
        if not isinstance(value, Arr):
            return template
        own = root_of(value)
        one_of = [root for root, _ in own.sources] if isinstance(own, Arr) else []
        if own not in self.shared and not one_of and not self.apart:
            return template
        sources = template.sources
        for found in [*one_of, *([own] if own in self.shared or self.apart else [])]:
            root = self.holders.get(found, found)
            if (root.serial < self.since or root in self.holders.values()) and root not in sources:
                sources = (*sources, root)
        lasting = template.lasting or own in self.lasting or bool(one_of) or self.apart
        return replace(template, foreign=template.foreign or SHARED, sources=sources, lasting=lasting)

    def watch(self, value: Any, state: State) -> None:
        """Note what an array's sources hold now, so that a read of it after a write to one is noticed."""
        if isinstance(value, Arr):
            value.sources = tuple((root, state.get(root)) for root, _ in value.sources)
        if isinstance(value, (Tup, Lst, Dct, Obj, Maybe)):  # of the loop's own making, so without cycles
            for item in items_held(value, state):
                self.watch(item, state)

    def readable(self, value: Any, state: State, name: str) -> Any:
        """The value, or Lost for an array or container that may have changed through another name."""
        arr = value.value if isinstance(value, Maybe) else value
        if isinstance(arr, (Lst, Dct, Obj)) and isinstance(state.look(arr), Lost):
            return Lost(name, state.look(arr).why)
        while isinstance(arr, Arr):
            if any(state.get(root) is not content for root, content in arr.sources):
                return Lost(name, STALE)
            arr = arr.view.parent if arr.view is not None else None
        return value

    def still_returned(self, value: Any, sides: Any, phis: Any) -> Any:
        """What a function returned on the one path; the other one goes on, and may write to its sources."""
        if isinstance(value, Arr) and value.sources:
            stale = [isinstance(self.readable(value, state, "$value"), Lost) for state, _ in sides]
            if any(stale) and not all(stale):
                value = replace(value)
                phis.arrays.append(value)
        return value


def items_held(value: Any, state: State) -> Collection[Any]:
    """What a container holds."""
    if isinstance(value, Tup):
        return value.items
    if isinstance(value, Maybe):
        return (value.value,)
    if isinstance(value, Bound):
        return (*value.args, *value.kwargs.values())
    if isinstance(value, Iterable):
        return value.sources
    if isinstance(value, Flat):
        return (value.array,)
    if isinstance(value, Closure):
        return (*value.defaults.values(), value.frame)
    if isinstance(value, (Lst, Dct, Obj, Frame)):
        content = state.look(value)
        return (
            content.values() if isinstance(content, dict) else content if isinstance(content, tuple) else ()
        )
    return ()


def lists_of(source: Any) -> Iterator[Lst]:
    """The lists over which a loop runs."""
    if isinstance(source, Lst):
        yield source
    elif isinstance(source, Iterable):
        for part in source.sources:
            yield from lists_of(part)
