"""How is a function that stands in another's place known as that one? It is equal to it, and given for it.

Code of the user's compares functions (``if fn is np.sum``), looks them up (``HANDLED[fn]``) and asks for
their class. ``np.sum`` is an ``InPlace`` for it while it is traced: equal to the original, of its class and
with its attributes. What reaches such code by other ways than its names is exchanged: arguments (``given``),
and what NumPy gives to the protocols of a class (``Protocols``).
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.state import state

Table = dict[int, tuple[Any, Any]]


class InPlace:
    """A function, and the original in whose place it stands."""

    __slots__ = ("__dict__", "__weakref__", "_call", "in_place_of")

    def __init__(self, original: Any, call: Callable[..., Any]) -> None:
        self.in_place_of, self._call = original, call
        self.__dict__.update({k: v for k, v in vars(call).items() if k not in _OWN})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.in_place_of)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.in_place_of, name)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        bound = owner is not None and hasattr(type(self.in_place_of), "__get__")
        return types.MethodType(self, owner) if bound else self

    def __eq__(self, other: Any) -> bool:
        return bool(self.in_place_of == (other.in_place_of if issubclass(type(other), InPlace) else other))

    def __hash__(self) -> int:
        return hash(self.in_place_of)

    def __repr__(self) -> str:
        return repr(self.in_place_of)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return _itself, (self.in_place_of,)


_OWN = {"in_place_of", "_call", "__wrapped__"}


def _itself(value: Any) -> Any:
    return value


class UfuncInPlace(InPlace):
    """A ufunc: what it is given as a list of traced numbers is an array for it.

    NumPy asks arguments whether they take the call over, and not what is in them if they are lists.
    """

    __slots__ = ("accumulate", "at", "outer", "reduce", "reduceat")

    def __init__(self, ufunc: np.ufunc, of_lists: Callable[[Any], Callable[..., Any]]) -> None:
        super().__init__(ufunc, of_lists(ufunc))
        for name in UfuncInPlace.__slots__:
            setattr(self, name, of_lists(getattr(ufunc, name)))


def in_place(original: Any, by: Any) -> Any:
    """What stands in the place of a function; classes and objects know by themselves what they are."""
    return InPlace(original, by) if type(by) is types.FunctionType else by


def given(value: Any, known: Callable[[Any], Any]) -> Any:
    """Arguments, in containers of the call's own, with what stands in the places of functions and modules."""
    if type(value) is tuple:
        items = tuple(given(v, known) for v in value)
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    if type(value) is list:
        value[:] = [given(v, known) for v in value]
    elif type(value) is dict:
        for name, item in value.items():
            value[name] = given(item, known)
    elif callable(value) or type(value) is types.ModuleType:
        by = known(value)
        return value if by is None else by
    return value


class Protocols(dict[str, Any]):
    """The methods of a class that NumPy asks what its functions do, as a namespace."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        own = {name: vars(cls).get(name) for name in ("__array_function__", "__array_ufunc__")}
        self.update({name: m for name, m in own.items() if type(m) is types.FunctionType})

    def get(self, name: str, default: Any = None) -> Any:
        return vars(self.cls).get(name, default)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self.cls, name, value)


def told(method: types.FunctionType, table: Callable[[], Table]) -> Callable[..., Any]:
    """A method of a protocol that is asked for the functions that its code knows."""

    @functools.wraps(method)
    def protocol(self: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        known = table().get(id(function)) if state.tracing else None
        return method(self, function if known is None else known[1], *args, **kwargs)

    return protocol
