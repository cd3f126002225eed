"""How are many names replaced at once, and given back? A namespace at a time, if no other trace is under way.

``Whole(places)``: ``put()`` and, when the trace ends, ``give_back()``. A trace that is alone puts all that it
replaces in this way, without a count for each name (``patches``), which takes a tenth of the time. If another
one comes, ``held`` has the counts that the first would have made.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any

from .identity import Protocols
from .places import Cell, Defaults, Members

ABSENT: Any = object()
Place = tuple[dict[str, Any], str, Any, Any]  # namespace, name, what stands there, what replaces it
Key = tuple[int, str]


def key_of(namespace: dict[str, Any], name: str) -> Key:
    if isinstance(namespace, Defaults):
        return id(namespace.function), name
    if isinstance(namespace, (Protocols, Members)):
        return id(namespace.cls), name
    return id(namespace.cell if isinstance(namespace, Cell) else namespace), name


def restore(namespace: dict[str, Any], name: str, original: Any, by: Any) -> None:
    """The original is there again, unless the function has put something else there."""
    if namespace.get(name) is not by:
        return
    if original is ABSENT:
        del namespace[name]
    else:
        namespace[name] = original


class _Names:
    """The names that are replaced in one namespace."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.new: dict[str, Any] = {}
        self.originals: dict[str, Any] = {}
        self.absent: list[str] = []

    def add(self, name: str, original: Any, by: Any) -> None:
        self.new[name] = by
        if original is ABSENT:
            self.absent.append(name)
        else:
            self.originals[name] = original

    def give_back(self) -> None:
        space = self.namespace
        if all(map(operator.is_, map(space.get, self.new), self.new.values())):
            space.update(self.originals)
            for name in self.absent:
                del space[name]
            return
        for name, by in self.new.items():
            restore(space, name, self.originals.get(name, ABSENT), by)


class Whole:
    """All places of a trace, each of them once."""

    def __init__(self, places: Iterable[Place]) -> None:
        self.places = list({key_of(place[0], place[1]): place for place in places}.values())
        names: dict[int, _Names] = {}
        self._others: list[Place] = []  # in cells, classes and defaults
        for place in self.places:
            if type(place[0]) is dict:
                names.setdefault(id(place[0]), _Names(place[0])).add(*place[1:])
            else:
                self._others.append(place)
        self._names = list(names.values())

    def put(self) -> None:
        for names in self._names:
            names.namespace.update(names.new)
        for namespace, name, _, by in self._others:
            namespace[name] = by

    def give_back(self) -> None:
        for names in self._names:
            names.give_back()
        for place in self._others:
            restore(*place)

    @functools.cached_property
    def held(self) -> dict[Key, tuple[int, Any, Any]]:
        """That one trace holds each name, what it meant before and what it means now."""
        return {key_of(space, name): (1, original, by) for space, name, original, by in self.places}
