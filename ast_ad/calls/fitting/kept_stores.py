"""What a compiled call leaves behind outside is put there when the call has succeeded, and not before.

A program has no effects: what the user's function stores are some of its results. So it may fail and be run
again, by other code or as a trace, and nothing is done twice.
"""

from __future__ import annotations

import contextlib
import operator
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...compiler.frontend.guards import ATTRIBUTE, ITEM, MISSING
from ...compiler.frontend.store.outer_stores import GLOBALS, Store
from ...compiler.frontend.structures import positions
from ...errors import SharedMemoryError, UnsupportedError
from ...registered import is_slot
from ..checks.comparison import difference

IN_DICTS = ITEM, "delete"
_storing = threading.RLock()  # one call at a time puts its results in their places


@dataclass
class Calls:
    """The calls of all threads that store: how many there were, and how many functions are being compared."""

    stored: int = 0
    compared: int = 0


calls = Calls()


class Given(list[Any]):
    """The inputs of a program that stores: with the owners of its places, and what these held.

    ``read``: gathers all that anew.
    """

    owners: list[Any]
    before: list[Any]
    objects: Sequence[Any]
    read: Callable[[], Any]

    def renew(self, other: Given) -> None:
        """Take what was read later."""
        self[:], self.owners, self.before = other, other.owners, other.before


class Stores:
    """What a program stores, of which results, and where."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self.stores = stores

    def __bool__(self) -> bool:
        return bool(self.stores)

    def prepare(self, objects: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The owners of the places for a call with these arguments, and what the places hold."""
        owners = [store.path.read(objects) for store in self.stores]
        return owners, [self.now(store, owner) for store, owner in zip(self.stores, owners, strict=True)]

    @staticmethod
    def now(store: Store, owner: Any) -> Any:
        """What a place holds; of an array, and a list that grows, the object itself."""
        if store.kind == ATTRIBUTE:
            if isinstance(owner, types.CellType):
                return held(owner)
            return own_attribute(owner, store.key)
        if store.kind in (ITEM, "delete"):
            return owner.get(store.key, MISSING)
        return tuple(owner) if store.kind == "list" else owner

    def check(self, given: Given) -> None:
        """An array that is written to shares its memory with nothing else that the program reads.

        Raises
        ------
        SharedMemoryError
            if it does.
        """
        arrays = [value for value in given if isinstance(value, np.ndarray)]
        targets = [o for s, o in zip(self.stores, given.owners, strict=True) if s.kind == "array"]
        for target in targets:
            if not target.flags.writeable:
                raise UnsupportedError(
                    "a write to an array outside that can't be written to",
                    why="NumPy raises an error then",
                    fix="use a copy",
                )
            found = [a for a in arrays if np.may_share_memory(target, a)]
            if len(found) > any(a is target for a in found) or sum(t is target for t in targets) > 1:
                raise SharedMemoryError(
                    "an array outside that shares memory with another one, and that the function writes to",
                    why="the write would change the other one too",
                    fix="use a copy of one of them",
                )

    def keep(self, results: Sequence[Any], given: Given) -> bool:
        """Put the results in their places; False if meanwhile somebody else has stored there."""
        with _storing:
            for store, owner, before in zip(self.stores, given.owners, given.before, strict=True):
                if not same(self.now(store, owner), before):
                    return False
            calls.stored += 1
            for store, owner, value in self.values(results, given):
                put(store, owner, value)
        return True

    def idle(self, results: Sequence[Any]) -> set[int]:
        """The positions of results that nobody asks for: those of stores that are not done."""
        left = [store.value for store in self.stores if store.flag is not None and not results[store.flag]]
        return {position for value in left for position in positions(value)}

    def values(self, results: Sequence[Any], given: Given) -> list[tuple[Store, Any, Any]]:
        """What is to be done: each store with the owner and the new value."""
        made = Made(results, given.objects)
        return [
            (store, owner, None if store.value is None else made.value(store.value))
            for store, owner in zip(self.stores, given.owners, strict=True)
            if store.flag is None or results[store.flag]
        ]


class Rehearsed:
    """What a program would have stored, beside what the function stores that it was made of."""

    def __init__(self, stores: Stores, results: Sequence[Any], given: Given) -> None:
        self.before = list(zip(stores.stores, given.owners, given.before, strict=True))
        self.contents = [_content(store, owner) for store, owner, _ in self.before]
        self.dicts = {
            id(o): (o, dict(o)) for s, o, _ in self.before if s.kind in IN_DICTS and not is_global(s)
        }
        self.values = {id(store): value for store, _, value in stores.values(results, given)}
        self.disturbed = False
        self.set = {(id(o), s.key) for s, o, _ in self.before if s.kind == ITEM and id(s) in self.values}

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """While the function runs in the block, it is noted whether other threads store, too."""
        with _storing:
            calls.stored, calls.compared = calls.stored + 1, calls.compared + 1
            before, self.disturbed = calls.stored, calls.compared > 1
        try:
            yield
        finally:
            with _storing:
                calls.compared -= 1
                self.disturbed = self.disturbed or calls.stored != before

    def difference(self) -> str | None:
        """What is different about what the function has left, in words; None, too, if others have stored."""
        if self.disturbed:
            return None
        for (store, owner, before), content in zip(self.before, self.contents, strict=True):
            now, done = _content(store, owner), id(store) in self.values
            value = self.values[id(store)] if done else content
            if store.kind == "delete":
                if (id(owner), store.key) in self.set:  # it comes last from now on
                    continue
                value = MISSING if done else before
            if store.kind == "extend":
                value = [*content, *value] if done else content
            if not done and store.kind in (ATTRIBUTE, ITEM) and now is before:
                continue
            if (now is MISSING) != (value is MISSING):
                return f"what is left in `{store}` is {value!r}, not {now!r}"
            if now is not value:
                told = difference(now, value, f"what is left in `{store}`", exact=False)
                if told is not None:
                    return told
        return None

    def undo(self) -> None:
        """Let everything be as it was before the function ran, unless others have stored since."""
        if self.disturbed:
            return
        for (store, owner, before), content in zip(self.before, self.contents, strict=True):
            if store.kind == ATTRIBUTE or is_global(store):
                _put_back(store, owner, before)
            elif store.kind in IN_DICTS:
                continue
            elif store.kind == "array":
                owner[...] = content
            else:
                owner[:] = content
        for owner, content in self.dicts.values():  # with its keys in their order
            owner.clear()
            owner.update(content)


def _content(store: Store, owner: Any) -> Any:
    if store.kind == "array":
        return owner.copy()
    return list(owner) if store.kind in ("list", "extend") else Stores.now(store, owner)


def is_global(store: Store) -> bool:
    """Whether it stores a global."""
    return store.path.label == GLOBALS


def _put_back(store: Store, owner: Any, before: Any) -> None:
    if before is not MISSING:
        put(store, owner, before)
    elif Stores.now(store, owner) is not MISSING:
        if store.kind == ITEM:
            owner.pop(store.key)
        else:
            (type if isinstance(owner, type) else object).__delattr__(owner, store.key)


@dataclass
class Made:
    """The values that are stored, made of a program's results: nobody else has their arrays."""

    results: Sequence[Any]
    objects: Sequence[Any]

    def __post_init__(self) -> None:
        self.copies: dict[int, Any] = {}

    def value(self, structure: Any) -> Any:
        """The value with this structure (see ``frontend.structures``)."""
        if isinstance(structure, int):
            if structure not in self.copies:
                self.copies[structure] = own(self.results[structure])
            return self.copies[structure]
        if isinstance(structure, list):
            return [self.value(part) for part in structure]
        if not (isinstance(structure, tuple) and structure and isinstance(structure[0], str)):
            return tuple(self.value(part) for part in structure)
        kind, what, *rest = structure
        if kind == "outside":
            return what.read(self.objects)
        if kind == "static":
            return what
        if kind == "namedtuple":
            return what(*(self.value(part) for part in rest[0]))
        content = {key: self.value(part) for key, part in rest[0].items()}
        if kind == "dict":
            return content if what is dict else what(content)
        instance = object.__new__(what)
        for key, item in content.items():
            object.__setattr__(instance, key, item)
        return instance


def own(value: Any) -> Any:
    """A value with arrays and lists of its own."""
    if isinstance(value, np.ndarray):
        return value.copy("K")
    if isinstance(value, (list, tuple)):
        return type(value)([own(item) for item in value])
    return value


def put(store: Store, owner: Any, value: Any) -> None:
    """Do what the function does there."""
    if store.kind == ATTRIBUTE and isinstance(type(owner).__setattr__, types.FunctionType):
        object.__setattr__(owner, store.key, value)  # what its own does was part of the program
    elif store.kind == ATTRIBUTE:
        setattr(owner, store.key, value)
    elif store.kind == ITEM:
        owner[store.key] = value
    elif store.kind == "delete":
        del owner[store.key]
    elif store.kind == "list":
        owner[:] = value
    elif store.kind == "extend":
        owner.extend(value)
    else:
        owner[...] = value


def own_attribute(owner: Any, name: str) -> Any:
    """What an object itself holds under a name, in a slot or its ``__dict__``, or MISSING."""
    raw: Any = next((vars(cls)[name] for cls in type(owner).__mro__ if name in vars(cls)), None)
    if not is_slot(raw):
        return vars(owner).get(name, MISSING)
    try:
        return raw.__get__(owner)
    except AttributeError:
        return MISSING


def same(one: Any, other: Any) -> bool:
    """Whether a place still holds the same objects."""
    if type(one) is tuple is type(other):
        return len(one) == len(other) and all(map(operator.is_, one, other))
    return one is other


def held(cell: types.CellType) -> Any:
    """What a variable of an enclosing function is; MISSING while it is nothing."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def overtaken() -> UnsupportedError:
    """The error of a call whose places never stay as they were read."""
    return UnsupportedError(
        "a store to what outlives the call",
        why="other threads store there all the time",
        fix="use a lock, or return the value instead",
    )
