"""Which namespaces and functions does the code of a function lead to?

``Walk(roots)`` goes from functions and objects through the globals of functions, what they name there, what
is in their cells, defaults and tables, and the classes of objects. Of libraries only those parts are entered
whose functions may be Python code without a rule.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..homes import home_of
from ..rules.of_numba import made_of
from .identity import InPlace, Protocols
from .imports import FOLLOWED, Handed, has_code, imported, imports, is_library, package_of
from .places import Cell, Members, beside
from .replacements import Cached, ModuleFace


class Walk:
    """What was walked through: namespaces, functions by their ids, the user's classes, objects with theirs.

    ``asked``: tables that nothing stands in that is replaced, but that the walk has gone on from.
    """

    def __init__(self, roots: Sequence[Any]) -> None:
        self.namespaces: list[dict[str, Any]] = []
        self.functions: dict[int, types.FunctionType] = {}
        self.classes: list[type] = []
        self.objects: list[tuple[Any, type, tuple[type, ...]]] = []  # with class, and what that is made of
        self.asked: list[dict[str, Any]] = []
        self._seen: set[int] = set()
        self._helpers: set[int] = set()
        self._handed = Handed()
        coded = [root for root in roots if isinstance(root, (types.FunctionType, types.MethodType))]
        self._pending = [*roots, *(v for root in coded for c in root.__closure__ or () for v in _content(c))]
        while self._pending or self._asked():
            self._visit(self._pending.pop())

    def _asked(self) -> bool:
        self._pending += self._handed.asked()
        return bool(self._pending)

    def _new(self, value: Any) -> bool:
        if id(value) in self._seen:
            return False
        self._seen.add(id(value))
        return True

    def _visit(self, value: Any) -> None:
        if isinstance(value, types.MethodType):
            self._pending.append(value.__self__)
            value = value.__func__
        if type(value) is np.vectorize:
            self.asked.append(vars(value))
        value = _python_of(value)
        if isinstance(value, functools.partial):
            self.asked.append(value.keywords)
            self._pending += _of_partial(value)
            return
        if isinstance(value, types.FunctionType):
            namespace = value.__globals__
        elif isinstance(value, types.ModuleType):
            namespace = vars(value)
        else:
            module = self._object(value)
            if not isinstance(module, types.ModuleType):
                return
            namespace = vars(module)
        name = str(namespace.get("__name__", ""))
        if is_library(name):
            self._of_library(value, name, namespace)
            return
        if isinstance(value, types.FunctionType):
            self._function(value, namespace)
        if self._new(namespace):
            self.namespaces.append(namespace)
            self.namespaces += (
                v for name, v in namespace.items() if type(v) is dict and name != "__builtins__"
            )

    def _object(self, value: Any) -> Any:
        """Through an object's attributes and its class; the module of this is the answer."""
        kind = value if isinstance(value, type) else type(value)
        self.objects.append((value, type(value), kind.__mro__))
        held = _dict_of(value)
        if type(held) is dict and self._new(held):
            self.namespaces.append(held)
            self._pending += [v for item in held.values() for v in items(item) if has_code(v)]
        if self._new(kind):
            self._pending += _members(kind)
            of_user = [c for c in kind.__mro__ if not is_library(home_of(c))]
            self.classes += of_user
            self.namespaces += (place for c in of_user for place in (Protocols(c), Members(c)))
            self.namespaces += (
                v for c in of_user for v in vars(c).values() if type(v) is dict and self._new(v)
            )
            self._pending += [sys.modules[m] for m in map(home_of, kind.__mro__) if m.startswith(FOLLOWED)]
        return sys.modules.get(home_of(kind))

    def _of_library(self, value: Any, name: str, namespace: dict[str, Any]) -> None:
        if isinstance(value, types.FunctionType) and self._new(value):  # around code of the user's, perhaps
            self._pending += (v for cell in value.__closure__ or () for v in _content(cell))
        if not name.startswith(FOLLOWED):
            return
        if isinstance(value, types.FunctionType) and value.__closure__:  # which holds NumPy perhaps
            self.namespaces += (place for place in beside(value, self._seen) if isinstance(place, Cell))
        if self._new(namespace):
            self.namespaces.append(namespace)
            self._pending += self._near(value, namespace)

    def _near(self, value: Any, namespace: dict[str, Any]) -> list[Any]:
        """The code of a library that is followed with a value."""
        part = None if id(value) in self._helpers else str(namespace["__name__"]).split(".")[:2]
        codes, package = _importing(namespace["__name__"], len(namespace)), package_of(namespace)
        later = (v for code in codes for v in imported(code, package))
        near = [v for v in (*namespace.values(), *later) if _is_near(v, part)]
        self._helpers.update(map(id, near))
        return near

    def _function(self, value: types.FunctionType, namespace: dict[str, Any]) -> None:
        self.functions[id(value)] = value
        if self._new(value.__code__):
            self._pending += _named(value.__code__, namespace)
            self._pending += _named(value.__code__, _modules_held(value), FREE)
            self._handed.add(value.__code__, namespace)
        for place in beside(value, self._seen):
            self._pending += [v for item in place.values() for v in items(item) if has_code(v)]
            self.namespaces.append(place)


def _of_partial(value: functools.partial[Any]) -> list[Any]:
    given = (v for item in (*value.args, *value.keywords.values()) for v in items(item))
    return [value.func, *filter(has_code, given)]


def _is_near(value: Any, part: list[str] | None) -> bool:
    """Whether it is code of this part of a library, or of what all parts of SciPy share."""
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", "")
    return isinstance(name, str) and (name.split(".")[:2] == part or _is_shared(name.split(".")))


def _is_shared(path: list[str]) -> bool:
    """Whether a module chooses among libraries of arrays, wherever SciPy keeps it: it has been moved once."""
    return path[0] == "scipy" and any("array_api" in name for name in path)


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


TABLES = dict, list, tuple
MOST_ITEMS = 10_000  # of a table, beyond which those in it are not looked into
BY_TEXT = {"getattr", "vars", "__dict__"}  # which ask a module for what a text names


BY_NAME, FREE = operator.attrgetter("co_names"), operator.attrgetter("co_freevars")


def _named(code: types.CodeType, namespace: dict[str, Any], names: Any = BY_NAME) -> Iterator[Any]:
    """What has code of all that a function names, and of what it may import when it runs.

    ``names``: those of its names that the namespace is asked for.
    """
    yield from imported(code, package_of(namespace))
    by_text = not BY_TEXT.isdisjoint(code.co_names)
    if "globals" in code.co_names:
        yield from filter(has_code, list(namespace.values()))
    for name in names(code):
        value = namespace.get(name)
        if type(value) is types.ModuleType:
            followed = f"{value.__name__}.".startswith(FOLLOWED[0])
            if followed or not is_library(value.__name__):
                yield from _attributes(value, code.co_names)
            if by_text and not is_library(value.__name__):
                yield from filter(has_code, list(vars(value).values()))
        for item in items(value):
            if has_code(item):
                yield item
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _named(constant, namespace, names)


def _dict_of(value: Any) -> Any:
    """An object's attributes, without a question to code of the user's: it may raise what it likes."""
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None


def items(value: Any) -> Sequence[Any]:
    """A value, or what is in a table of values, and in the tables in it.

    >>> items(3), items({"a": [1, (2, 3)], "b": {}}), items([])
    ((3,), [1, 2, 3], [])
    """
    if not issubclass(type(value), TABLES):
        return (value,)
    found, pending, seen = list[Any](), [value], {id(value)}
    for table in pending:  # which grows meanwhile
        inside = dict.values(table) if issubclass(type(table), dict) else _iterated(table)
        for item in list(inside):
            if not issubclass(type(item), TABLES):
                found.append(item)
            elif id(item) not in seen and len(found) < MOST_ITEMS:
                seen.add(id(item))
                pending.append(item)
    return found


def _iterated(table: Any) -> Iterator[Any]:
    """What is in a list or tuple, without a question to code of the user's."""
    return (list if issubclass(type(table), list) else tuple).__iter__(table)


def _members(cls: type) -> Iterator[Any]:
    """The functions of a class."""
    for base in cls.__mro__:
        if not is_library(home_of(base)):
            for member in map(_function_of, list(vars(base).values())):
                if isinstance(member, types.FunctionType) or made_of(member) is not None:
                    yield member


def _function_of(member: Any) -> Any:
    """What is called for a member of a class: that of a property, of a class method."""
    member = getattr(member, "fget", getattr(member, "func", member))
    return getattr(member, "__func__", member)


@functools.lru_cache(4096)
def _importing(module: str, count: int) -> list[types.CodeType]:
    """The code in a library's module that imports when it runs: so do parts that lead to each other.

    ``count``: of the names that are there by now.
    """
    found = []
    for value in list(vars(sys.modules[module]).values()) if module in sys.modules else ():
        if getattr(value, "__module__", None) == module:
            for member in list(vars(value).values()) if isinstance(value, type) else [value]:
                function = _function_of(member)
                if isinstance(function, types.FunctionType) and imports(function.__code__):
                    found.append(function.__code__)
    return found


def _attributes(module: types.ModuleType, names: tuple[str, ...]) -> Iterator[Any]:
    for name in names:
        value = vars(module).get(name)
        if isinstance(value, types.ModuleType):
            yield from _attributes(value, names[names.index(name) + 1 :])
        elif value is not None:
            yield value


def _content(cell: Any) -> list[Any]:
    try:
        return [v for v in items(cell.cell_contents) if has_code(v)]
    except ValueError:  # not yet assigned
        return []
