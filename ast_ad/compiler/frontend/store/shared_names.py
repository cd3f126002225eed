"""Which arrays does a loop's name share with others, so that giving it another array is not exact?

A name that a loop gives another array in each pass becomes a parameter: a new array for the compiler, though
in some pass it may still be one that is known under another name. Writes through such a name are refused, and
so are reads of it after the other one was written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...ir.ops import Lit, Var
from ...ir.types import places_in
from ..constructs.local_classes import frames_behind
from ..context import Context
from ..values import (
    Arr,
    Bound,
    Choice,
    Closure,
    Comprehension,
    Dct,
    Flat,
    Frame,
    Generator,
    Heap,
    Iterable,
    Lost,
    Lst,
    Maybe,
    Obj,
    Sides,
    State,
    Tup,
    Value,
)

if TYPE_CHECKING:
    from ..loops.template import Template
    from .merge import Phis

FOLDED = "$total"  # how the names of what folds carry begin: they show what the program's own names show
STALE = "it may show an array that was written since under another name"
SHARED = "an array that may be one of several, depending on the pass of a loop"
STILL_SHARED = "an array that may be one of several, depending on the last pass of a loop"
ONE_OF_TWO = "an array that is one of several, depending on the path taken"
PERHAPS = SHARED, STILL_SHARED, ONE_OF_TWO
"""What is told of an array of the program's own that may be another one, too."""
READ_ONLY_VIEW = "an array that may be a view to which NumPy lets nobody write, depending on the path taken"


def root_of(arr: object) -> Any:
    """The array, or run-time list, in whose memory an array lies."""
    while isinstance(arr, (Arr, Lst)) and arr.view is not None:
        arr = arr.view.parent
    return arr


def may_be(arr: object) -> Iterator[Any]:
    """The arrays that an array, or one of which it is a view, may be."""
    while isinstance(arr, Arr):
        yield from (source for source, _ in arr.sources)
        arr = arr.view.parent if arr.view is not None else None
    if isinstance(arr, Choice):
        yield from (arr.first, arr.second)


def refusal_of(arr: Arr) -> str | None:
    """Why writes to what may be this array are refused: it is not the program's, or a read-only view."""
    one: object = arr
    while isinstance(one, Arr) and one.view is not None:
        if one.view.fixed:
            return arr.foreign or READ_ONLY_VIEW
        one = one.view.parent
    return arr.foreign


def roots_of(arr: object) -> Iterator[Any]:
    """The root of an array, or those of all that it may be."""
    root = root_of(arr)
    if isinstance(root, Choice):
        yield from roots_of(root.first)
        yield from roots_of(root.second)
    else:
        yield root


def references(
    cx: Context, state: State, without: Collection[object] = (), iterated: Collection[Value] | None = None
) -> Counter[Any]:
    """How many references there are to each root, from what is live; ``without``: slots not counted.

    ``iterated``: what is run over; by default what all loops under way run over.
    """
    (found,) = _counted(cx, state, without, [cx.iterated if iterated is None else iterated])
    return found


def holds_value(name: str) -> bool:
    """Whether a slot of a frame holds what the program goes on with: a name of its, or what has none yet."""
    return not name.startswith("$") or name == "$choice" or name.startswith(FOLDED)


def _counted(
    cx: Context, state: State, without: Collection[object], iterated: Sequence[Collection[Value]]
) -> list[Counter[Any]]:
    """The counts with each of several sequences that are run over; each begins as the one before it."""
    found: Counter[object] = Counter()
    frames = list(live_frames(cx))
    seen = set(map(id, frames))
    for frame in frames:
        local: Counter[object] = Counter()
        for name, value in state.get(frame).items():
            if holds_value(name) and (frame, name) not in without:
                _count(cx, value, state, local, seen)
        _count_returned(cx, frame, state, local)
        found.update(local)
    if cx.inputs is not None:
        found.update(dict.fromkeys(cx.inputs.arrays_held(), 1))
    for holder in outside_holders(cx):
        content = state.look(holder)
        for name, value in content.items() if isinstance(content, dict) else ((None, holder),):
            if (holder, name) not in without:
                _count(cx, value, state, found, seen)
    for heap in cx.heaps.values():  # whatever lists there are in it
        content = state.look(heap)
        for number in places_in(content.type if isinstance(content, Var) else None):
            found.update(dict.fromkeys(roots_of(cx.places[number].base), 1))
    results, done = [], 0
    for sources in iterated:
        for source in [*sources][done:]:
            _count(cx, source, state, found, seen)
        done, full = len(sources), Counter(found)
        full.update(
            [root for root in full if isinstance(root, Heap)]
        )  # who else has a place there is not known
        results.append(full)
    return results


def outside_holders(cx: Context) -> list[Any]:
    """What outlives the call, and holds what the program stored there."""
    return [] if cx.inputs is None else [*cx.inputs.places.holders()]


def _count_returned(cx: Context, frame: Frame, state: State, local: Counter[Any]) -> None:
    """What a function has returned has a reference, also where its names have been dropped."""
    returned: Counter[Any] = Counter()
    if "$value" in state.get(frame):
        _count(cx, state.get_name(frame, "$value"), state, returned, set())
    for root in returned:
        local[root] = max(local[root], 1)


def shared_roots(
    cx: Context, state: State, without: Collection[object] = (), iterated: Collection[Value] | None = None
) -> frozenset[Any]:
    return _several(references(cx, state, without, iterated))


def noted(
    cx: Context, state: State, without: Collection[object] = ()
) -> tuple[frozenset[Any], frozenset[Any]]:
    """The roots that are shared inside the loop, and those that are when its source is left."""
    outer, inside = _counted(cx, state, without, [cx.iterated[: cx.outer_iterated], cx.iterated])
    return _several(inside), _several(outer)


def _several(counts: Counter[Any]) -> frozenset[Any]:
    return frozenset(root for root, count in counts.items() if count > 1)


def live_frames(cx: Context) -> Iterator[Frame]:
    """The frames of the calls under way, and those that they read free names from."""
    stack: list[Any] = [cx.frame]
    seen: list[Frame] = []
    while stack:
        frame = stack.pop()
        if frame is not None and frame not in seen:
            seen.append(frame)
            stack += [frame.caller, frame.enclosing]
    return iter(seen)


def live_lists(cx: Context, state: State) -> Iterator[Lst | Dct]:
    """The lists and dicts that are live, each once."""
    stack: list[Any] = [*live_frames(cx), *outside_holders(cx), *cx.iterated]
    seen: set[int] = set()
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, (Lst, Dct)):
            yield value
        stack += items_held(value, state)


def _count(cx: Context, value: Value, state: State, found: Counter[object], seen: set[int]) -> None:
    if isinstance(value, Var):
        return
    if isinstance(value, Arr):
        roots = set(roots_of(value)).union(*(roots_of(source) for source in may_be(value)))
        found.update(dict.fromkeys(roots, 1))  # it may be the very array
    elif isinstance(value, (Lst, Dct, Obj, Closure, Generator, Frame)):
        if id(value) in seen:
            return
        seen.add(id(value))
        content = state.look(value) if isinstance(value, (Lst, Dct)) else None
        if isinstance(content, Var):
            for number in places_in(content.type):
                found.update(dict.fromkeys(roots_of(cx.places[number].base), 1))
    for item in items_held(value, state):
        _count(cx, item, state, found, seen)


def mark(cx: Context, template: Template, value: Value) -> Any:
    """The template of a value, with what it shares if it is an array.

    What a branch within the loop has made one of several stays that after the loop.
    """
    if not isinstance(value, Arr):
        return template
    own = root_of(value)
    one_of = [root for root, _ in own.sources] if isinstance(own, Arr) else []
    if isinstance(own, Choice):
        one_of = list(roots_of(own))
    if own not in cx.shared and not one_of and not cx.apart:
        return template
    sources = template.sources
    itself = not isinstance(own, Choice) and (own in cx.shared or cx.apart)
    for found in [*one_of, own] if itself else one_of:
        root = cx.holders.get(found, found)
        if (root.serial < cx.since or root in cx.holders.values()) and root not in sources:
            sources = (*sources, root)
    lasting = template.lasting or own in cx.lasting or bool(one_of) or cx.apart
    return replace(template, foreign=template.foreign or SHARED, sources=sources, lasting=lasting)


def watch(cx: Context, value: Value, state: State) -> None:
    """Note what an array's sources hold now, so that a read of it after a write to one is noticed."""
    if isinstance(value, Arr):
        value.sources = tuple((root, state.get(root)) for root, _ in value.sources)
    if isinstance(value, (Tup, Lst, Dct, Obj, Maybe)):  # of the loop's own making, so without cycles
        for item in items_held(value, state):
            watch(cx, item, state)


def readable(cx: Context, value: Value, state: State, name: str) -> Any:
    """The value, or Lost for an array or container that may have changed through another name."""
    arr = value.value if isinstance(value, Maybe) else value
    if isinstance(arr, (Lst, Dct, Obj)) and type(state.look(arr)) is Lost:
        return Lost(name, state.look(arr).why)
    while isinstance(arr, Arr):
        if any(state.get(root) is not content for root, content in arr.sources):
            return Lost(name, STALE)
        arr = arr.view.parent if arr.view is not None else None
    if isinstance(arr, Choice):
        lost = [
            found
            for one in (arr.first, arr.second)
            if isinstance(found := readable(cx, one, state, name), Lost)
        ]
        return lost[0] if lost else value
    return value


def still_returned(cx: Context, value: Value, sides: Sides, phis: Phis) -> Any:
    """What a function returned on the one path; the other one goes on, and may write to its sources."""
    if isinstance(value, Arr) and value.sources:
        stale = [isinstance(readable(cx, value, state, "$value"), Lost) for state, _ in sides]
        if any(stale) and not all(stale):
            value = replace(value)
            phis.arrays.append(value)
    return value


def items_held(value: object, state: State) -> Collection[Any]:
    """What a container holds."""
    if isinstance(value, Var):  # most of what lives
        return ()
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
    if isinstance(value, Generator):
        return (*value.bound.values(), value.frame.enclosing)
    if isinstance(value, Closure):
        return (*value.defaults.values(), value.frame)
    if isinstance(value, (Lst, Dct, Obj, Frame)):
        content = state.look(value)
        items = (
            content.values() if isinstance(content, dict) else content if isinstance(content, tuple) else ()
        )
        return (*items, *frames_behind(value)) if isinstance(value, Obj) else items
    if isinstance(value, Lit):
        return frames_behind(value)
    return ()


def lists_of(source: object) -> Iterator[Lst]:
    """The lists over which a loop runs."""
    if isinstance(source, Lst):
        yield source
    elif isinstance(source, Iterable):
        for part in source.sources:
            yield from lists_of(part)
    elif isinstance(source, Comprehension):
        yield from lists_of(source.first)
