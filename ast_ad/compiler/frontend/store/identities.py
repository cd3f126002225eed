"""Which lists, dicts and objects may be one and the same, and what becomes of the others if one changes?

A branch, a loop or an index at run time makes a new object of the compiler's, which stands for one of several
of Python's. Its content is chosen at run time, so that reads are exact; but a change of the one is not seen
in the others. ``alike`` holds, for each container, those that it may be; once it is changed, they are lost:
a read of them is refused, as long as nobody reads them nothing is.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from ...ir.ops import Var
from .. import doors
from ..constructs.boundness import PARTS, components
from ..context import Context
from ..conversion import from_python
from ..loops.slots import get_slot, in_heap
from ..values import (
    Comprehension,
    Container,
    Dct,
    Frame,
    Generator,
    Iterable,
    Lost,
    Lst,
    Maybe,
    Obj,
    Slot,
    State,
    Tup,
    Unbound,
    Value,
)
from .records import MUTATED, note
from .shared_names import holds_value, items_held, lists_of, live_frames, outside_holders, shared_roots

if TYPE_CHECKING:
    from ..loops.template import Template

CHANGED = "a list, dict or object that may be the same one was changed under another name"
CONTAINERS = (Lst, Dct, Obj)
ITERATORS = (Iterable, Comprehension, Generator)
USED_UP = Lost(
    "an iterator", "it was read before, and what it is still to give can't be told", fix="make a list of it"
)


# ----- who is alike
def one_of(cx: Context, made: Value, *sources: Value) -> Any:
    """``made`` stands for one of ``sources``, and for all that they may be."""
    if isinstance(made, CONTAINERS):
        for source in sources:
            if isinstance(source, CONTAINERS) and source is not made:
                for other in (source, *source.alike):
                    alike(made, other)
    return made


def view_of(cx: Context, base: Dct, kind: str, items: Collection[object]) -> Lst:
    """``d.keys()``, ``d.values()`` or ``d.items()``: it is lost once the dict is changed."""
    view = Lst(tuple(items), shows=(base, kind))
    base.alike.add(view)
    return view


def shown(cx: Context, view: Lst, position: int) -> Any:
    """An item of the view of a dict, as it is now."""
    assert view.shows is not None
    base, kind = view.shows
    key, value = list(static_entries(cx, base).items())[position]
    name = from_python(cx, key)
    return name if kind == "keys" else value if kind == "values" else Tup((name, value))


# ----- iterators
def read_once(cx: Context, value: Value, frame: Frame | Obj | int) -> Any:
    """What a name of ``frame`` holds, an object, or a container (its ``id``).

    An iterator may be used up when it is read again.
    """
    if isinstance(value, Lost):
        raise cx.lost(value)
    if isinstance(value, ITERATORS):
        readers = cx.state.get(value)
        if frame in readers:
            raise cx.lost(USED_UP)
        cx.state.set(value, readers | {frame})
    return value


def makes_items(source: Value) -> bool:
    """Whether an iterator makes its items when it is asked for them."""
    if isinstance(source, Iterable):
        return source.kind in ("map", "filter") or any(map(makes_items, source.sources))
    return isinstance(source, (Comprehension, Generator))


def used_up(cx: Context, value: Lst) -> Lst:
    """What an iterator is still to give, as a list: it is run over."""
    content = cx.state.get(value)
    cx.state.set(value, USED_UP)
    return Lst(content)


def static_entries(cx: Context, value: Dct) -> dict[Any, Any]:
    """What a dict holds whose keys are static."""
    content = cx.state.get(value)
    if isinstance(content, Var):
        raise cx.unsupported(
            "a dict whose keys are known at run time only, as a whole",
            "the structure of the program depends on its keys",
            "use its items",
        )
    assert isinstance(content, dict)
    return content


# ----- changes
def changed(cx: Context, base: Container, keys: bool = True) -> None:
    """A container is changed: what may be the same one can't be read any more.

    ``keys``: whether it may have got others.
    """
    for one in {base, *base.alike}:
        note(cx, MUTATED, one)
    if base.serial < 0:
        cx.outside().hold_arrays()
        cx.outside().places.count += 1
        cx.outside().places.changed[base] = None
        if base in cx.outside().places.attributes:
            cx.outside().follow_code()
            raise cx.unsupported(
                "a change of an object's `__dict__`", "the compiler follows its items only", "use `setattr`"
            )
    if cx.inputs is not None and not cx.inputs.containers.isdisjoint((base, *base.alike)):
        cx.inputs.changes = True
    for source in cx.iterated:
        shown = source.shows[0] if isinstance(source, Lst) and source.shows else None
        if shown is base and not keys:
            continue  # its items are read when their turn comes
        if any(part in base.alike for part in lists_of(source) if keys or not shows_keys(part)):
            raise cx.unsupported(
                "a change of what a loop runs over, perhaps, under another name",
                "the compiler can't tell which items are still to come",
                "run over a copy: `for v in list(...)`",
            )
    for other in base.alike:
        if keys or not shows_keys(other):
            cx.state.set(other, Lost("a list, dict or object", CHANGED))


def check_run_over(cx: Context, base: Dct, key: Value | None = None) -> None:
    """Refuse other keys of a dict that a loop runs over; ``key``: the only one that it may get."""
    for source in cx.iterated:
        for one in dicts_of(source):
            shown = one.sources[0] if isinstance(one, Iterable) else one
            known = isinstance(one, Iterable) and any(key is handed for handed in one.start[1])
            if shown is base and not known or shown in base.alike:
                raise cx.unsupported(
                    "a dict that may get other keys while a loop runs over it",
                    "Python raises an error if it does",
                    "run over a copy: `for k in list(d)`",
                )


def dicts_of(source: Value) -> Iterator[Dct | Iterable]:
    """The dicts over which a loop runs, or the parts of it that do."""
    if isinstance(source, Dct) or isinstance(source, Iterable) and source.kind == "entries":
        yield source
    elif isinstance(source, Iterable):
        for part in source.sources:
            yield from dicts_of(part)


def set_dict(cx: Context, base: Dct, content: dict[Any, Value]) -> None:
    """The dict holds ``content`` from now on."""
    keys = list(cx.state.get(base)) != list(content)
    if keys:
        check_run_over(cx, base)
    changed(cx, base, keys)
    cx.state.set(base, content)
    if base.of is not None and all(isinstance(key, str) for key in content):
        cx.state.set(base.of, content)  # which was changed, as the dict was: it is the same


def no_such_key(cx: Context, key: object) -> Exception:
    return cx.unsupported(
        f"key {key!r}", "the dict has no such key", "check the key", exception=KeyError(key)
    )


def set_attribute(cx: Context, base: Obj, name: str, value: Value) -> None:
    """The object has the attribute from now on."""
    changed(cx, base)
    cx.state.set(base, {**cx.state.get(base), name: value})


def without_attribute(cx: Context, base: Obj, name: str) -> None:
    """The object has no such attribute from now on."""
    changed(cx, base)
    cx.state.set(base, {key: value for key, value in cx.state.get(base).items() if key != name})


# ----- loops
def kin_of(cx: Context, state: State, templates: dict[Slot, Template], known: Kin, since: int) -> Kin:
    """What is related, given what was known, where the carried slots hold what they do in ``state``.

    ``since``: containers that are younger are made in a pass, and known by the places that hold them.
    """
    parts = parts_by_place(templates, state)
    places: dict[Any, list[Any]] = {}
    for place, part in parts.items():
        places.setdefault(part, []).append(place)
    found = dict(known)
    for place, part in parts.items():
        related: set[Any] = set()
        for other in (part, *part.alike):
            if other.serial <= since:
                related.add(other)
            related.update(places.get(other, ()))
        found[place] = found.get(place, frozenset()) | (related - {place})
    return found


def relate_results(
    cx: Context, entry: State, end: State, templates: dict[Slot, Template], bound: Places
) -> None:
    """What a loop leaves may be what it began with, or what its last pass left."""
    made: list[tuple[Any, Any]] = []  # a container behind the loop, and one that it may be
    for slot, value in bound.items():
        template = templates[slot]
        results = dict(parts_of(template, value, cx.state))
        for state in (entry, end):
            held = dict(parts_of(template, get_slot(state, slot), state))
            made += [(part, held[path]) for path, part in results.items() if path in held]
    users: dict[Any, list[Any]] = {}
    for part, source in made:
        users.setdefault(source, []).append(part)
    for part, source in made:
        for other in (source, *source.alike):
            alike(part, other)
            for user in users.get(other, ()):
                alike(part, user)


# ----- what holds them
def held_twice(cx: Context, state: State, without: Collection[object] = ()) -> frozenset[Any]:
    """The containers to which there is more than one reference; ``without``: slots not counted."""
    found: Counter[Any] = Counter()
    frames = list(live_frames(cx))
    stack = [
        value
        for frame in frames
        for name, value in state.look(frame).items()
        if holds_value(name) and (frame, name) not in without
    ]
    stack += [*outside_holders(cx), *cx.iterated]
    seen = set(map(id, frames))
    while stack:
        value = stack.pop()
        if isinstance(value, CONTAINERS):
            found[value] += 1
        if id(value) not in seen:
            seen.add(id(value))
            stack += items_held(value, state)
    outside = cx.inputs.captured.values() if cx.inputs is not None else ()
    return frozenset([c for c, n in found.items() if n > 1]).union(
        value for value in outside if isinstance(value, CONTAINERS)
    )


class NamedTwice:
    """What has several names where two paths end.

    To count the names means to look at all that lives, in every frame; where only numbers differ nobody asks.
    """

    def __init__(self, cx: Context, first: State, second: State) -> None:
        self.cx, self.ends = cx, (first.fork(), second.fork())  # merging may change the stores

    @functools.cached_property
    def roots(self) -> tuple[Collection[Any], Collection[Any]]:
        first, second = self.ends
        return shared_roots(self.cx, first), shared_roots(self.cx, second)

    @functools.cached_property
    def containers(self) -> tuple[Collection[Any], Collection[Any]]:
        first, second = self.ends
        return held_twice(self.cx, first), held_twice(self.cx, second)


def is_iterator(value: object) -> bool:
    """Whether it is what ``iter(l)`` makes of a list."""
    return isinstance(value, Lst) and value.shows == (None, "iterator")


def shows_keys(value: object) -> bool:
    return isinstance(value, Lst) and value.shows is not None and value.shows[1] == "keys"


def alike(one: Container, other: Container) -> None:
    """Two containers may be one object."""
    if one is not other:
        one.alike.add(other)
        other.alike.add(one)


def parts_of(template: Template, value: object, state: State, path: tuple[object, ...] = ()) -> Iterator[Any]:
    """The containers in a value of a template's structure, each with its path."""
    if isinstance(value, Maybe):
        value = value.value
    if template.kind == "maybe":
        template = template.children[0]
    if in_heap(value):
        return  # by its place it is known for certain
    if isinstance(value, CONTAINERS):
        yield path, value
    if template.kind == "unbound":  # of its last pass only
        for position, item in enumerate(
            items_held(value, state) if isinstance(value, (Tup, *CONTAINERS)) else ()
        ):
            yield from parts_of(template, item, state, (*path, position))
    if template.kind not in ("tuple", "parts", "list", "dict", "object"):
        return
    if isinstance(value, Tup):
        items: Any = value.items
    elif template.kind == "parts":
        items = components(value)[0] if isinstance(value, PARTS) else None
    else:
        items = state.look(value) if isinstance(value, CONTAINERS) else value
        items = items.values() if isinstance(items, dict) else items
    if isinstance(items, (Unbound, Lost, Var, type(None))) or len(items) != len(template.children):
        return
    for position, (child, item) in enumerate(zip(template.children, items, strict=True)):
        yield from parts_of(child, item, state, (*path, position))


Places = dict[Any, Any]  # from places (a carried slot and a path in it) to containers
Kin = dict[Any, frozenset[Any]]  # from places to other places, and containers from before the loop


def parts_by_place(templates: dict[Slot, Template], state: State) -> Places:
    """The containers that carried slots hold, by their places."""
    return {
        (slot, path): part
        for slot, template in templates.items()
        for path, part in parts_of(template, get_slot(state, slot), state)
    }


def changed_parts(parts: Places, state: State, end: State, known: Collection[object]) -> list[Any]:
    """The slots that hold the same containers at the end of a pass, but these hold something else."""
    found = [slot for (slot, _), part in parts.items() if end.look(part) is not state.look(part)]
    return [slot for slot in dict.fromkeys(found) if slot not in known]


def relate(parts: Places, kin: Kin) -> None:
    """Containers at places that are related may be one object."""
    for place, part in parts.items():
        for other in kin.get(place, ()):
            related = other if isinstance(other, CONTAINERS) else parts.get(other)
            if related is not None:
                alike(part, related)


doors.named_twice = NamedTwice
