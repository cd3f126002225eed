"""How does a part of an argument that is an input of its own get into its place, while a function is read?

What the structure of the arguments holds is made anew with it. An attribute of an object from outside is a
place of the store, which holds the part until the function has been read; so do lists and dicts from outside.
Whatever name leads to the object finds the part there, and the guards say which names do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....registered import is_slot, reads_plainly
from ..constructs.attributes import load_attribute
from ..context import Context
from ..guards import ATTRIBUTE, Guard, Path
from ..signatures import is_object
from ..values import Dct, Live, Lst, Obj, Tup, Value

ABSENT: Any = object()
Steps = Sequence[tuple[str, Any]]
WHAT = "a derivative by a part of an argument"


class Lifting:
    """The parts of one call. ``containers``: whether lists or dicts from outside hold some of them."""

    def __init__(self, cx: Context) -> None:
        self.cx, self.containers = cx, False
        self.before: list[tuple[Any, Any, Any]] = []  # what is changed, which of its items, what it held
        self.ways: list[list[Any]] = []  # to the parts: all places outside that a path leads through

    def put(self, value: Value, steps: Steps, part: Value) -> Any:
        """The abstract value with the part in its place: another one, where no other name can lead to it."""
        self.ways.append([])
        made = self._put(value, steps, part)
        way = self.ways[-1]
        if any(w and way and (w[-1] in way or way[-1] in w) for w in self.ways[:-1]):
            raise self.cx.unsupported(WHAT, "two of the parts are in one place", "choose one of them")
        return made

    def _put(self, value: Value, steps: Steps, part: Value) -> Any:
        if not steps:
            return part
        (kind, key), rest = steps[0], steps[1:]
        if isinstance(value, Live):
            return self.into_object(value, kind, key, rest, part)
        content = self.content(value)
        at: Any = key
        if isinstance(value, Tup) and kind == ATTRIBUTE:
            at = getattr(value.cls, "_fields").index(key)  # noqa: B009
        if getattr(value, "serial", 0) < 0:
            self.ways[-1].append((id(value), at))
        try:
            old = content[at]
        except (LookupError, TypeError):
            raise self.cx.unsupported(WHAT, f"there is no {key!r}", "check the name") from None
        made = self._put(old, rest, part)
        if made is old:
            return value
        return self.with_part(value, content, at, made)

    def content(self, value: Value) -> Any:
        content = value.items if isinstance(value, Tup) else None
        if isinstance(value, (Lst, Dct, Obj)):
            content = self.cx.state.get(value)
        if not isinstance(content, (tuple, dict)):
            raise self.cx.unsupported(
                WHAT, f"the compiler can't replace a part of this {type(value).__name__}", "pass the value"
            )
        return content

    def with_part(self, value: Any, content: Any, at: Any, made: Any) -> Any:
        if isinstance(content, dict):
            content = {**content, at: made}
        else:
            content = (*content[:at], made, *content[at + 1 :])
        if isinstance(value, Tup):
            return Tup(content, value.cls)
        if value.serial < 0:  # it is outside, and may have other names
            self.remember(value, at)
            self.containers = True
            self.cx.outside().places.lifted_items[value] = None
            self.cx.state.set(value, content)
            return value
        found: Any = Lst(content)
        if not isinstance(value, Lst):
            found = Dct(content, value.cls) if isinstance(value, Dct) else Obj(value.cls, content)
        inputs = self.cx.inputs
        if inputs is not None and value in inputs.containers:
            inputs.containers.add(found)
        return found

    def into_object(self, value: Live, kind: str, name: str, rest: Steps, part: Value) -> Live:
        cx, owner, cls = self.cx, value.value, type(value.value)
        if kind != ATTRIBUTE or not is_object(owner) or not reads_plainly(cls):
            raise cx.unsupported(WHAT, f"{cls.__name__} has code for it", "pass the value as an argument")
        raw: Any = next((k.__dict__[name] for k in cls.__mro__ if name in k.__dict__), None)
        if not is_slot(raw) and hasattr(type(raw), "__get__"):
            raise cx.unsupported(
                WHAT, f"`{name}` is computed by code of {cls.__name__}", "choose what it reads"
            )
        made = part
        self.ways[-1].append((id(owner), name))
        if rest:
            old = load_attribute(cx, value, name)
            made = self._put(old, rest, part)
            if made is old:
                return value
        inputs, of = cx.outside(), Path.of_object(cls, cls.__name__).attribute(name)
        inputs.guards.add(Guard.missing(of) if raw is None else Guard.value(of, raw))
        place = inputs.places.of(owner, value.path, ATTRIBUTE, name, name)
        self.remember(place.held, ABSENT)
        inputs.places.lifted[place] = None
        cx.state.set(place.held, {**cx.state.get(place.held), name: made})
        return value

    def remember(self, key: object, at: object) -> None:
        self.before.append((key, at, self.cx.state.contents.get(key, ABSENT)))

    def undo(self) -> None:
        """What holds parts holds again what it did; what else the function stores there stays."""
        contents = self.cx.state.contents
        for key, at, before in reversed(self.before):
            whole = key.initial if before is ABSENT else before
            now = contents.get(key, ABSENT)
            if at is not ABSENT and not _same_but_for(at, now, whole):
                if not isinstance(now, dict):
                    raise self.cx.unsupported(WHAT, "the function changes the list that it is in", "copy it")
                contents[key] = {**now, at: whole[at]}
            elif before is ABSENT:
                contents.pop(key, None)
            else:
                contents[key] = before


def _same_but_for(at: object, now: object, whole: object) -> bool:
    """Whether a container has the items that it had, but for one."""
    if isinstance(now, dict) and isinstance(whole, dict):
        return [*now] == [*whole] and all(now[key] is whole[key] for key in whole if key != at)
    if not isinstance(now, tuple) or not isinstance(whole, tuple) or len(now) != len(whole):
        return False
    return all(now[n] is whole[n] for n in range(len(whole)) if n != at)


def require_attributes_only(cx: Context) -> None:
    """Objects that hold a part are read attribute by attribute.

    Raises
    ------
    UnsupportedError
        if one is used as a whole, as what gets it reads the attribute itself; so may code that is run to read
        another one.
    """
    places = cx.outside().places
    if places.computed and (places.lifted or places.lifted_items):
        name = next(iter(places.computed))
        why = f"the attribute `{name}` is computed by code that may read the part"
        raise cx.unsupported(WHAT, why, "use a method")
    for place in places.lifted:
        if id(place.owner) in places.whole:
            raise cx.unsupported(
                WHAT, f"the object that has `{place.name}` is also used as a whole", "use its attributes only"
            )
