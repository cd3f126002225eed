"""Where do functions find what they use, beside the names of their modules? In cells, defaults and classes.

All as namespaces, so that replacements stand there as they do in modules (``patches``).
"""

from __future__ import annotations

import contextlib
import operator
import types
import weakref
from collections.abc import Iterator
from typing import Any


class Cell(dict[str, Any]):
    """A variable of an enclosing function, as a namespace of its own."""

    def __init__(self, cell: Any) -> None:
        self.cell = cell
        with contextlib.suppress(ValueError):  # not yet assigned
            self.update(cell_contents=cell.cell_contents)

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            return default

    def values(self) -> Any:
        try:
            return (self.cell.cell_contents,)
        except ValueError:
            return ()

    def __setitem__(self, name: str, value: Any) -> None:
        self.cell.cell_contents = value


class Defaults(dict[str, Any]):
    """What a function takes for arguments that are not given, as a namespace: by place or by name."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.update(self._now())

    def _now(self) -> dict[str, Any]:
        placed = enumerate(self.function.__defaults__ or ())
        return {**{str(i): v for i, v in placed}, **(self.function.__kwdefaults__ or {})}

    def get(self, name: str, default: Any = None) -> Any:
        return self._now().get(name, default)

    def values(self) -> Any:
        return self._now().values()

    def __setitem__(self, name: str, value: Any) -> None:
        if name.isdigit():
            before = self.function.__defaults__ or ()
            first = _tuples.setdefault(self.function, before)
            given = (*before[: int(name)], value, *before[int(name) + 1 :])
            again = len(given) == len(first) and all(map(operator.is_, given, first))
            self.function.__defaults__ = first if again else given
            if again:
                del _tuples[self.function]
        else:
            assert self.function.__kwdefaults__ is not None
            self.function.__kwdefaults__[name] = value


class Members(dict[str, Any]):
    """What a class has under its names (``exp = math.exp``); of a static method that is what it calls."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.static = {name: v for name, v in vars(cls).items() if type(v) is staticmethod}
        self.update({name: _called(v) for name, v in vars(cls).items() if type(v) is not types.FunctionType})

    def get(self, name: str, default: Any = None) -> Any:
        return _called(vars(self.cls).get(name, default))

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.static.get(name)
        if before is not None:
            value = before if before.__func__ is value else staticmethod(value)
        type.__setattr__(self.cls, name, value)  # whatever a class of classes does to assignments


def _called(member: Any) -> Any:
    return member.__func__ if type(member) is staticmethod else member


# The tuples that stood there before traces: programs that were compiled look whether they still do.
_tuples: weakref.WeakKeyDictionary[types.FunctionType, tuple[Any, ...]] = weakref.WeakKeyDictionary()


def beside(function: types.FunctionType, seen: set[int]) -> Iterator[Cell | Defaults]:
    """The defaults and the cells of a function; not the cells that were ``seen``, whose ids enter there."""
    if function.__defaults__ or function.__kwdefaults__:
        yield Defaults(function)
    for cell in function.__closure__ or ():
        if id(cell) not in seen:
            seen.add(id(cell))
            yield Cell(cell)
