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
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..eager.state import state
from ..rules.of_numba import made_of
from . import hulls, texts
from .builtin_classes import CLASSES
from .extrema import FUNCTIONS
from .identity import InPlace, Protocols, told
from .imports import FOLLOWED, Handed, has_code, imported, is_library, module_of, package_of
from .numba_sources import shield
from .places import Cell, Defaults, beside
from .replacements import Cached, ModuleFace, cached_loads, made, replacement, replacements
from .stand_ins import methods

_lock = threading.RLock()
ABSENT: Any = object()
# How many traces hold a name, what it meant before and what it means now.
_held: dict[tuple[int, str], tuple[int, Any, Any]] = {}
Place = tuple[dict[str, Any], str, Any, Any]  # namespace, name, what stands there, what replaces it


def _within(namespace: dict[str, Any], table: dict[int, tuple[Any, Any]]) -> Iterator[Place]:
    for name, value in list(namespace.items()):
        if name == "in_place_of":  # what itself stands in a place knows by it what it stands for
            continue
        held = _held.get(_key(namespace, name))
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
    for name, instead in (CLASSES | FUNCTIONS | texts.FUNCTIONS).items():
        if name not in namespace:
            yield namespace, name, ABSENT, instead


def _namespaces(roots: Sequence[Any], walked: dict[int, Any]) -> Iterator[dict[str, Any]]:
    """The globals of functions and objects, and of modules of what these name; ``walked`` gets functions."""
    coded = [root for root in roots if isinstance(root, (types.FunctionType, types.MethodType))]
    pending = [*roots, *(v for root in coded for c in root.__closure__ or () for v in _content(c))]
    seen: set[int] = set()
    helpers: set[int] = set()
    handed = Handed()
    while pending or (pending := handed.asked()):
        value = pending.pop()
        if isinstance(value, types.MethodType):
            pending.append(value.__self__)
            value = value.__func__
        value = _python_of(value)
        if isinstance(value, functools.partial):
            pending += _of_partial(value)
            continue
        if isinstance(value, types.FunctionType):
            namespace = value.__globals__
        elif isinstance(value, types.ModuleType):
            namespace = vars(value)
        else:
            kind = value if isinstance(value, type) else type(value)
            held = _dict_of(value)
            if type(held) is dict and id(held) not in seen:
                seen.add(id(held))
                yield held
                pending += [v for item in held.values() for v in _items(item) if has_code(v)]
            if id(kind) not in seen:
                seen.add(id(kind))
                pending += _members(kind)
                yield from (Protocols(c) for c in kind.__mro__ if not is_library(module_of(c)))
                pending += [sys.modules[m] for m in map(module_of, kind.__mro__) if m.startswith(FOLLOWED)]
            module = sys.modules.get(module_of(kind))
            if module is None or not isinstance(module, types.ModuleType):
                continue
            namespace = vars(module)
        name = str(namespace.get("__name__", ""))
        if is_library(name):
            pending += _wrapped_in(value, seen)
            yield from _library_cells(value, name, seen)
            if name.startswith(FOLLOWED) and id(namespace) not in seen:
                seen.add(id(namespace))
                yield namespace
                pending += _near(value, namespace, helpers)
            continue
        if isinstance(value, types.FunctionType):
            walked[id(value)] = value
            if id(value.__code__) not in seen:
                seen.add(id(value.__code__))
                pending += [*_named(value.__code__, namespace), *_named(value.__code__, _modules_held(value))]
                handed.add(value.__code__, namespace)
            for place in beside(value, seen):
                if isinstance(place, Cell):
                    pending += _content(place.cell)
                yield place
        if id(namespace) not in seen:
            seen.add(id(namespace))
            yield namespace
            yield from (v for name, v in namespace.items() if type(v) is dict and name != "__builtins__")


def _of_partial(value: functools.partial[Any]) -> list[Any]:
    given = (v for item in (*value.args, *value.keywords.values()) for v in _items(item))
    return [value.func, *filter(has_code, given)]


def _near(value: Any, namespace: dict[str, Any], helpers: set[int]) -> list[Any]:
    """The code of a library that is followed with a value; it enters ``helpers``."""
    part = None if id(value) in helpers else str(namespace["__name__"]).split(".")[:2]
    near = [v for v in namespace.values() if _is_near(v, part)]
    helpers.update(map(id, near))
    return near


def _wrapped_in(value: Any, seen: set[int]) -> Iterator[Any]:
    """The code around which a library has put a function of its own, a decorator perhaps."""
    if isinstance(value, types.FunctionType) and id(value) not in seen:
        seen.add(id(value))
        yield from (v for cell in value.__closure__ or () for v in _content(cell))


def _library_cells(value: Any, module: str, seen: set[int]) -> Iterator[Cell]:
    """What a function of a library that is followed has in its closure, NumPy perhaps."""
    if module.startswith(FOLLOWED) and isinstance(value, types.FunctionType) and value.__closure__:
        yield from (place for place in beside(value, seen) if isinstance(place, Cell))


def _is_near(value: Any, part: list[str] | None) -> bool:
    """Whether it is code of this part of a library, or of what all parts of SciPy share."""
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", "")
    return isinstance(name, str) and (name.split(".")[:2] == part or name.startswith(_SHARED))


_SHARED = "scipy._lib._array_api", "scipy._lib.array_api_compat", "scipy._lib.array_api_extra"


def _python_of(value: Any) -> Any:
    """The Python function around which a library has put a wrapper of its own, or this package."""
    if issubclass(type(value), (InPlace, ModuleFace)):
        value = value.in_place_of
    value = made_of(value) or value
    value = value.pyfunc if type(value) is np.vectorize else value
    return value.__wrapped__ if type(value) is Cached else value


def _modules_held(function: types.FunctionType) -> dict[str, Any]:
    """The modules among what a function has in its closure."""
    names = function.__code__.co_freevars
    held = [
        (name, v)
        for name, cell in zip(names, function.__closure__ or (), strict=True)
        for v in _content(cell)
    ]
    return {name: v for name, v in held if type(v) is types.ModuleType}


BY_TEXT = {"getattr", "vars", "__dict__"}  # which ask a module for what a text names


def _named(code: types.CodeType, namespace: dict[str, Any]) -> Iterator[Any]:
    """What has code of all that a function names, and of what it may import when it runs."""
    yield from imported(code, package_of(namespace))
    by_text = not BY_TEXT.isdisjoint(code.co_names)
    if "globals" in code.co_names:
        yield from filter(has_code, list(namespace.values()))
    for name in code.co_names + code.co_freevars:
        value = namespace.get(name)
        if type(value) is types.ModuleType:
            followed = f"{value.__name__}.".startswith(FOLLOWED[0])
            if followed or not is_library(value.__name__):
                yield from _attributes(value, code.co_names)
            if by_text and not is_library(value.__name__):
                yield from filter(has_code, list(vars(value).values()))
        for item in _items(value):
            if has_code(item):
                yield item
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _named(constant, namespace)


def _dict_of(value: Any) -> Any:
    """An object's attributes, without a question to code of the user's: it may raise what it likes."""
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None


def _items(value: Any) -> Sequence[Any]:
    """A value, or what is in a table of values."""
    if type(value) is dict:
        return list(value.values())
    return value if type(value) in (list, tuple) else (value,)


def _members(cls: type) -> Iterator[Any]:
    """The functions of a class."""
    for base in cls.__mro__:
        if not is_library(module_of(base)):
            for member in list(vars(base).values()):
                member = getattr(member, "fget", getattr(member, "func", member))
                member = getattr(member, "__func__", member)
                if isinstance(member, types.FunctionType) or made_of(member) is not None:
                    yield member


def _attributes(module: types.ModuleType, names: tuple[str, ...]) -> Iterator[Any]:
    for name in names:
        value = vars(module).get(name)
        if isinstance(value, types.ModuleType):
            yield from _attributes(value, names[names.index(name) + 1 :])
        elif value is not None:
            yield value


def _content(cell: Any) -> list[Any]:
    try:
        return [v for v in _items(cell.cell_contents) if has_code(v)]
    except ValueError:  # not yet assigned
        return []


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
        known = {_key(namespace, name) for namespace, name, _, _ in _running.places}
        namespaces = list(_namespaces([m for m in modules if type(m) is types.ModuleType], {}))
        table = replacements()
        places = [p for n in namespaces for p in (*_within(n, table), *_builtins(n))]
        new = [place for place in places if _key(place[0], place[1]) not in known]
        _put(new)
        _running.places += new


cached_loads.append(_replace_in)
_importing = builtins.__import__


def _plain_import() -> Any:
    if builtins.__import__ is not _import:
        return builtins.__import__
    held = _held.get(_key(vars(builtins), "__import__"))
    return _importing if held is None else held[1]


@functools.lru_cache(1)
def _always_followed(modules: int) -> list[types.ModuleType]:
    return [m for name, m in list(sys.modules.items()) if name.startswith(FOLLOWED[1:])]


def _places(function: Any, objects: Sequence[Any]) -> tuple[list[Place], dict[int, Any]]:
    """The names to replace in each namespace, and the functions that were walked through for them.

    They are those of the last time, if nothing has changed there since. A function that the trace around this
    one has walked through finds the replacements, and has long known where to look.
    """
    table = replacements()
    coded = [v for item in objects for v in _items(item) if has_code(v)]
    if not coded and any(id(function) in walked for walked in _running.walked):
        return [], {}
    found = None if coded or _held or type(function) is not types.FunctionType else _found.get(function)
    if found is not None and found[0] is table and all(_names(n) == names for n, names in found[1]):
        return found[2], {}
    walked: dict[int, Any] = {}
    namespaces = list(_namespaces([function, *coded, *_always_followed(len(sys.modules))], walked))
    places = [p for n in namespaces for p in (*_within(n, table), *_builtins(n))]
    places.append((vars(builtins), "__import__", _plain_import(), _import))
    places += [*methods(made), *hulls.methods()]
    places += texts.PLACES
    keeps = any(isinstance(n, Cell) for n in namespaces)  # a closure may hold the function itself
    if not (keeps or coded or _held) and type(function) is types.FunctionType:
        _found[function] = table, [(n, _names(n)) for n in namespaces], places
    return places, walked


_found: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def _names(namespace: dict[str, Any]) -> tuple[int, ...]:
    return tuple(map(id, namespace.values()))


@contextlib.contextmanager
def replaced(function: Any, objects: Sequence[Any] = ()) -> Iterator[None]:
    """Trace in this thread: the replacements stand where ``function`` finds its names.

    ``objects``: arguments that may have methods.
    """
    shield(as_written)
    with _lock:
        found, walked = _places(function, objects)
        places = [*found]
        _put(places)
    state.tracing += 1
    outer, _running.places = (_running.places, _running.walked), places
    _running.walked = (*outer[1], walked)
    try:
        yield
    finally:
        state.tracing -= 1
        _running.places, _running.walked = outer
        with _lock:
            for namespace, name, _, by in places:
                _give_back(namespace, name, by)


def _put(places: list[Place]) -> None:
    for namespace, name, original, by in places:
        key = _key(namespace, name)
        _held[key] = _held[key][0] + 1 if key in _held else 1, original, by
        namespace[name] = by


def _key(namespace: dict[str, Any], name: str) -> tuple[int, str]:
    if isinstance(namespace, Defaults):
        return id(namespace.function), name
    if isinstance(namespace, Protocols):
        return id(namespace.cls), name
    return id(namespace.cell if isinstance(namespace, Cell) else namespace), name


def _give_back(namespace: dict[str, Any], name: str, by: Any) -> None:
    """One trace less holds a name; after the last one the original is there again."""
    key = _key(namespace, name)
    count, original, _ = _held[key]
    if count > 1:
        _held[key] = count - 1, original, by
        return
    del _held[key]
    if namespace.get(name) is not by:  # the function has put something else there
        return
    if original is ABSENT:
        del namespace[name]
    else:
        namespace[name] = original


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


def _original(namespace: dict[str, Any], name: str, value: Any) -> Any:
    """What a name means without the traces under way."""
    held = _held.get(_key(namespace, name))
    return value if held is None or held[2] is not value else held[1]
