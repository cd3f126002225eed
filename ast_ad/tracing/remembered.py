"""Do the places hold that were found when a function was traced the last time?

``Remembered.holds(table) -> bool``: whether a walk from the function would find the same again. To look
through the modules that a function names, SciPy's among them, takes longer than most runs; to look whether
what was read there has changed does not. It is told by identity, and nothing that has code has died since, in
whose place another value could be.
"""

from __future__ import annotations

import operator
import sys
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .imports import has_code, is_library
from .placing import ABSENT, Whole
from .walk import TABLES, Walk, items

DATA = {type(None), bool, int, float, complex, str, bytes, np.ndarray, *np.sctypeDict.values()}


class Remembered:
    """The places of a walk, and what was read in it; ``stood``: what was found without one, and where."""

    def __init__(self, table: Any, walk: Walk, whole: Whole, stood: list[tuple[Any, str, Any]]) -> None:
        self.table, self.walk, self.whole, self.stood = table, walk, whole, stood
        self.modules = list(sys.modules.values())
        self.codes = [(f, f.__code__, f.__defaults__, f.__closure__) for f in walk.functions.values()]
        self.gone: list[Any] = []  # weak references that have died
        self.watched: dict[int, Any] = {}
        spaces: list[Any] = [*walk.namespaces, *map(vars, walk.classes), *walk.asked]
        self.read = [(space, *self._look(space)) for space in spaces]

    def _look(self, space: Any) -> tuple[Callable[[Any], Any], Any]:
        """How a namespace is looked at, and how it looks now."""
        if type(space) is dict and is_library(str(space.get("__name__", ""))):
            return _names, _names(space)  # what is there stays alive, and its tables are as they are
        for value in space.values():
            self._watch(value)
            if issubclass(type(value), TABLES):
                self._watch_all(items(value))
        return _told, _told(space)

    def _watch_all(self, values: Iterable[Any]) -> None:
        for value in list(values):
            self._watch(value)

    def _watch(self, value: Any) -> None:
        if type(value) in DATA or id(value) in self.watched or not has_code(value):
            return
        try:
            self.watched[id(value)] = weakref.ref(value, self.gone.append)
        except TypeError:
            self.watched[id(value)] = value

    def holds(self, table: Any) -> bool:
        """Whether nothing has changed; ``table``: the replacements that there are."""
        return (
            self.table is table
            and not self.gone
            and _same(self.modules, list(sys.modules.values()))
            and all(
                type(one) is kind and (one if isinstance(one, type) else kind).__mro__ is made_of
                for one, kind, made_of in self.walk.objects
            )
            and all(
                f.__code__ is code and f.__defaults__ is given and f.__closure__ is cells
                for f, code, given, cells in self.codes
            )
            and all(space.get(name, ABSENT) is value for space, name, value in self.stood)
            and all(look(space) == looked for space, look, looked in self.read)
        )


def _same(some: list[Any], others: list[Any]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))


def _names(space: Any) -> tuple[int, ...]:
    return tuple(map(id, space.values()))


def _told(space: Any) -> list[Any]:
    """The names of a namespace and by ids what they mean, data left out: programs count and fill lists."""
    return [
        (name, _of_table(value) if issubclass(type(value), TABLES) else id(value))
        for name, value in zip(space, space.values(), strict=False)  # a cell may be empty
        if type(value) not in DATA
    ]


def _of_table(table: Any) -> Any:
    """What has code in a table, and of dicts, which are namespaces themselves, which one it is."""
    return [id(table) if type(table) is dict else 0, *(id(v) for v in items(table) if type(v) not in DATA)]


class Last:
    """What was found in the last trace of a function, if it was not the first: many are traced once."""

    walked = False
    found: Remembered | None = None
