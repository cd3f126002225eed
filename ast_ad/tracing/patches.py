"""Where do replacements stand while a function is traced? In the modules and closures that its code reads.

``replaced(function, objects) -> Iterator[None]``, around the run of the function and nothing else.

The libraries themselves stay as they are: what they and other threads call are the originals. Code of the
user's finds other functions, and NumPy with other functions in it, until the last trace ends; they do what
the originals do, but in threads that are tracing.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import itertools
import sys
import threading
import types
from collections.abc import Iterator, Sequence
from typing import Any

from ..eager.state import state
from ..shelves import shelf_of
from . import hulls, supers, texts
from .builtin_classes import CLASSES
from .extrema import FUNCTIONS
from .identity import Protocols, told
from .imports import FOLLOWED, has_code, is_library
from .numba_sources import shield
from .places import Cell, Defaults
from .placing import ABSENT, Key, Place, Whole, key_of, restore
from .remembered import Last, Remembered
from .replacements import cached_loads, made, replacement, replacements
from .stand_ins import methods
from .walk import Walk, items

_lock = threading.RLock()
# How many traces hold a name, what it meant before and what it means now.
_held: dict[Key, tuple[int, Any, Any]] = {}


class _Alone:
    """What the only trace under way has put, of which ``_held`` doesn't tell, then."""

    whole: Whole | None = None


def _held_at(namespace: dict[str, Any], name: str) -> tuple[int, Any, Any] | None:
    whole, key = _Alone.whole, key_of(namespace, name)
    return _held.get(key) if whole is None else whole.held.get(key)


def _count() -> None:
    """Another trace comes: from now on each name has a count."""
    if _Alone.whole is not None:
        _held.update(_Alone.whole.held)
        _Alone.whole = None


def _within(namespace: dict[str, Any], table: dict[int, tuple[Any, Any]]) -> Iterator[Place]:
    nothing_held = not _held and _Alone.whole is None
    for name, value in list(namespace.items()):
        if name == "in_place_of":  # what itself stands in a place knows by it what it stands for
            continue
        held = None if nothing_held else _held_at(namespace, name)
        if held is not None and held[2] is value:  # another trace is under way
            yield namespace, name, held[1], value
            continue
        by = told(value, replacements) if isinstance(namespace, Protocols) else replacement(value, table)
        if by is not None:
            yield namespace, name, value, by


def _builtins(namespace: dict[str, Any]) -> Iterator[Place]:
    """The classes and functions of Python's that have to look at traced values."""
    if "__builtins__" not in namespace:  # no module
        return
    for name, instead in (CLASSES | FUNCTIONS | texts.FUNCTIONS | supers.FUNCTIONS).items():
        if name not in namespace:
            yield namespace, name, ABSENT, instead


def _import(name: str, namespace: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The import statement of code that is traced finds the modules that stand in NumPy's place."""
    if not state.tracing:
        return _plain_import()(name, namespace, *args, **kwargs)
    last = next(reversed(sys.modules))
    before, state.tracing = state.tracing, 0  # loading a module is no part of a trace
    try:
        found = _plain_import()(name, namespace, *args, **kwargs)
    finally:
        state.tracing = before
    if next(reversed(sys.modules)) != last:
        paths = reversed(list(sys.modules))  # a list: other threads import, too
        loaded = list(itertools.takewhile(lambda path: path != last, paths))
        shield(as_written)
        _replace_in([sys.modules[path] for path in loaded if path in sys.modules])
    # without a name: the text that NumPy is copied by
    if is_library(str((namespace or {}).get("__name__", "numpy"))):
        return found
    by = replacement(found, replacements())
    return found if by is None else by


class _Running(threading.local):
    """The trace that is under way in this thread."""

    places: list[Place] | None = None
    walked: tuple[dict[int, Any], ...] = ()  # of it, and of the traces around it


_running = _Running()


def _replace_in(modules: list[Any]) -> None:
    """Modules that were loaded by the function that is traced get the replacements, too."""
    if not modules or _running.places is None:
        return
    with _lock:
        known = {key_of(namespace, name) for namespace, name, _, _ in _running.places}
        walk = Walk([m for m in modules if type(m) is types.ModuleType])
        places = _replaced_in(walk, replacements())
        new = [place for place in places if key_of(place[0], place[1]) not in known]
        _put(new)
        _running.places += new


cached_loads.append(_replace_in)
_importing = builtins.__import__


def _plain_import() -> Any:
    if builtins.__import__ is not _import:
        return builtins.__import__
    held = _held_at(vars(builtins), "__import__")
    return _importing if held is None else held[1]


@functools.lru_cache(1)
def _always_followed(modules: int) -> list[types.ModuleType]:
    return [m for name, m in list(sys.modules.items()) if name.startswith(FOLLOWED[1:])]


def _replaced_in(walk: Walk, table: dict[int, tuple[Any, Any]]) -> list[Place]:
    return [p for n in walk.namespaces for p in (*_within(n, table), *_builtins(n))]


def _places(function: Any, objects: Sequence[Any]) -> tuple[Whole, dict[int, Any]]:
    """The names to replace in each namespace, and the functions that were walked through for them.

    They are those of the last time, if nothing has changed there since. A function that the trace around this
    one has walked through finds the replacements, and has long known where to look.
    """
    table = replacements()
    coded = [v for item in objects for v in items(item) if has_code(v)]
    if not coded and any(id(function) in walked for walked in _running.walked):
        return NOTHING, {}
    alone = not _held and _Alone.whole is None
    shelf = shelf_of(function) if alone and not coded and type(function) is types.FunctionType else None
    last = None if shelf is None else shelf.kept("places", Last)
    if last is not None and last.found is not None and last.found.holds(table):
        return last.found.whole, last.found.walk.functions
    walk = Walk([function, *coded, *_always_followed(len(sys.modules))])
    fixed = [(vars(builtins), "__import__", _plain_import(), _import)]
    fixed += [*methods(made), *hulls.methods(), *texts.PLACES]
    stood = [(place[0], place[1], _now(place[0], place[1])) for place in fixed]
    own = [place for place, (_, _, now) in zip(fixed, stood, strict=True) if now is place[2]]
    whole = Whole([*_replaced_in(walk, table), *own])
    if last is not None:
        last.found = Remembered(table, walk, whole, stood) if last.walked else None
        last.walked = True
    return whole, walk.functions


NOTHING = Whole(())


@contextlib.contextmanager
def replaced(function: Any, objects: Sequence[Any] = ()) -> Iterator[None]:
    """Trace in this thread: the replacements stand where ``function`` finds its names.

    ``objects``: arguments that may have methods.
    """
    shield(as_written)
    with _lock:
        whole, walked = _places(function, objects)
        if _held or _Alone.whole is not None:
            _put(whole.places)
        else:
            _Alone.whole = whole
            whole.put()
    state.tracing += 1
    places = [*whole.places]
    outer, _running.places = (_running.places, _running.walked), places
    _running.walked = (*outer[1], walked)
    try:
        yield
    finally:
        state.tracing -= 1
        _running.places, _running.walked = outer
        with _lock:
            if _Alone.whole is whole:
                whole.give_back()
                _Alone.whole = None
            else:
                for namespace, name, _, by in places:
                    _give_back(namespace, name, by)


def _put(places: list[Place]) -> None:
    if places:
        _count()
    for namespace, name, original, by in places:
        key = key_of(namespace, name)
        _held[key] = _held[key][0] + 1 if key in _held else 1, original, by
        namespace[name] = by


def _give_back(namespace: dict[str, Any], name: str, by: Any) -> None:
    """One trace less holds a name; after the last one the original is there again."""
    key = key_of(namespace, name)
    count, original, _ = _held[key]
    if count > 1:
        _held[key] = count - 1, original, by
        return
    del _held[key]
    restore(namespace, name, original, by)


def as_written(function: types.FunctionType) -> types.FunctionType:
    """The function, with the names that it would find if nothing was traced."""
    names, cells, given = function.__globals__, function.__closure__ or (), Defaults(function)
    with _lock:
        space = {name: _original(names, name, value) for name, value in names.items()}
        closure = tuple(map(_plain_cell, cells))
    defaults = {name: _original(given, name, value) for name, value in given.items()}
    same = all(space[n] is v for n, v in names.items()) and all(defaults[n] is v for n, v in given.items())
    if same and all(a is b for a, b in zip(closure, cells, strict=True)):
        return function
    space = {name: value for name, value in space.items() if value is not ABSENT}
    placed = tuple(v for name, v in defaults.items() if name.isdigit()) or None
    found = types.FunctionType(function.__code__, space, function.__name__, placed, closure)
    found.__kwdefaults__ = {name: v for name, v in defaults.items() if not name.isdigit()} or None
    found.__qualname__ = function.__qualname__
    found.__module__ = function.__module__
    return found


def _plain_cell(cell: types.CellType) -> types.CellType:
    space = Cell(cell)
    value = space.get("cell_contents", ABSENT)
    original = _original(space, "cell_contents", value)
    return cell if original is value else types.CellType(original)


def _now(namespace: dict[str, Any], name: str) -> Any:
    return _original(namespace, name, namespace.get(name, ABSENT))


def _original(namespace: dict[str, Any], name: str, value: Any) -> Any:
    """What a name means without the traces under way."""
    held = _held_at(namespace, name)
    return value if held is None or held[2] is not value else held[1]
