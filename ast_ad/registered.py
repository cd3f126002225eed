"""Which classes of a user's are containers, and how are their objects taken apart?

``register_container`` for one's own; classes that were registered with optree, in its global namespace, are
containers, too. A class is registered for its own objects only, not for those that derive from it.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .errors import InputTypeError, InputValueError

MISSING: Any = object()


@dataclass(frozen=True)
class Registered:
    """``flatten(object) -> (children, aux)``, ``unflatten(aux, children) -> object``."""

    cls: type
    flatten: Callable[[Any], Any]
    unflatten: Callable[[Any, Any], Any]

    def open(self, value: Any) -> tuple[tuple[Any, ...], Any]:
        """An object's children, and what else it is made of.

        Raises:
            InputTypeError: its class's function gives something else.
        """
        found = self.flatten(value)
        try:
            children, aux, *_ = found
            return tuple(children), aux
        except (TypeError, ValueError):
            raise InputTypeError(
                f"a {self.cls.__name__} whose flatten returns a {type(found).__name__}",
                why="it is to return the children and what else the object is made of",
                fix="return a pair (children, aux)",
            ) from None


class Made:
    """How an object of a registered class is made: ``entry`` of the class, and ``aux`` of the object.

    Two are equal if their ``aux`` are, also where that holds lists, dicts and arrays; what can't be hashed
    is equal to itself only.
    """

    __slots__ = "entry", "aux", "_key"

    def __init__(self, entry: Registered, aux: Any) -> None:
        self.entry, self.aux, self._key = entry, aux, (entry.cls, _key(aux))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Made) and self._key == other._key and self.entry is other.entry

    def __hash__(self) -> int:
        return hash(self._key)


def _key(value: Any) -> Any:
    """What decides whether two values are the same, with a hash."""
    cls = type(value)
    if cls in (tuple, list):
        return cls, tuple(map(_key, value))
    if cls is dict:
        return cls, tuple((_key(k), _key(v)) for k, v in value.items())
    if cls in (set, frozenset):
        return cls, frozenset(map(_key, value))
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufcSU":
        return cls, value.dtype, value.shape, value.tobytes()
    if isinstance(value, (float, complex, np.inexact)):
        return cls, repr(value)  # nan is nan, and 0.0 is not -0.0
    try:
        hash(value)
    except TypeError:
        return "id", _Same(value)
    return cls, value


class _Same:
    """An object that is equal to itself only, and lives as long as it is compared."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


_registered: dict[type, Registered] = {}
_from_optree: dict[type, tuple[Any, Registered]] = {}
NEVER = (tuple, list, dict, int, float, complex, bool, str, bytes, type(None), np.ndarray, object)


def register_container(
    cls: type,
    flatten: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten: Callable[[Any, Any], Any],
) -> None:
    """Let objects of a class be containers: arguments and results whose children have gradients.

    Args:
        cls: the class; those that derive from it are registered on their own.
        flatten: from an object to ``(children, aux)``: its children, numbers, arrays or containers of them,
            and what else is needed to make it again. A call with another ``aux`` is compiled anew.
        unflatten: from ``(aux, children)`` to an object. Children may be anything that stands for a number,
            and in a gradient they are of any value: it should convert and check nothing.

    An attribute that is no child is constant to a derivative, and an object of a gradient lacks it where
    ``unflatten`` doesn't make it.

    Raises:
        InputTypeError: ``cls`` is no class, or one of Python's own containers or numbers.
        InputValueError: it is registered already.

    >>> from ast_ad import grad
    >>> class Line:
    ...     def __init__(self, slope, offset):
    ...         self.slope, self.offset = slope, offset
    >>> register_container(Line, lambda p: ((p.slope, p.offset), None), lambda aux, parts: Line(*parts))
    >>> g = grad(lambda line, x: line.slope * x + line.offset)(Line(2.0, 1.0), 3.0)
    >>> type(g).__name__, g.slope, g.offset
    ('Line', 3.0, 1.0)
    """
    if not isinstance(cls, type) or cls in NEVER or hasattr(cls, "_is_eager_tensor"):
        what = cls.__name__ if isinstance(cls, type) else repr(cls)
        raise InputTypeError(
            f"register_container({what}, ...)",
            why="it is known what it is" if isinstance(cls, type) else "it is no class",
            fix="register a class of your own",
        )
    if cls in _registered:
        raise InputValueError(
            f"register_container({cls.__name__}, ...)",
            why="the class is registered already",
            fix="register it once, where it is defined",
        )
    _registered[cls] = Registered(cls, flatten, unflatten)


def registrations() -> int:
    """How many classes there are so far."""
    return len(_registered)


def entry_of(cls: type) -> Registered | None:
    """How objects of exactly this class are taken apart; None if they are no containers."""
    found = _registered.get(cls)
    if found is not None or "optree" not in sys.modules:
        return found
    try:
        entry = sys.modules["optree"].register_pytree_node.get(cls)
    except (AttributeError, TypeError, ValueError):  # half imported, or a class that it can't look up
        return None
    if entry is None or getattr(entry.kind, "name", "") != "CUSTOM":
        return None
    known = _from_optree.get(cls)
    if known is None or known[0] is not entry.flatten_func:  # it may have been registered anew
        known = entry.flatten_func, Registered(cls, entry.flatten_func, entry.unflatten_func)
        _from_optree[cls] = known
    return known[1]


# ----- objects, attribute by attribute
def instance_attributes(value: Any) -> dict[str, Any]:
    """What an object itself holds, in its ``__dict__`` and its slots; nothing is computed.

    >>> class Point:
    ...     __slots__ = "x", "y"
    >>> point = Point()
    >>> point.x = 1.0
    >>> instance_attributes(point)
    {'x': 1.0}
    """
    held = getattr(value, "__dict__", None)
    found: dict[str, Any] = dict(held) if isinstance(held, dict) else {}
    for cls in type(value).__mro__:
        for name, raw in vars(cls).items():
            if isinstance(raw, _SLOT) and name not in found:
                content = _in_slot(raw, value)
                if content is not MISSING:
                    found[name] = content
    return found


class _Slotted:
    __slots__ = ("one",)


_SLOT: Any = type(_Slotted.one)  # type: ignore[attr-defined]


def is_slot(raw: object) -> bool:
    """Whether what a class holds under a name is one of its slots."""
    return isinstance(raw, _SLOT)


def _in_slot(raw: Any, value: Any) -> Any:
    try:
        return raw.__get__(value)
    except AttributeError:
        return MISSING


_PLAIN: tuple[type, ...] = (
    *(object, types.SimpleNamespace, BaseException),
    *(dict, list, tuple, set, frozenset, int, float, complex, str, bytes),
)
"""Classes that read attributes as every object does, each by a method of its own."""


def reads_plainly(cls: type) -> bool:
    """Whether reads of attributes run no code but what the class holds under their names."""
    return any(cls.__getattribute__ is plain.__getattribute__ for plain in _PLAIN)


def cached_in(value: Any) -> dict[str, Any]:
    """What an object keeps of what its ``functools.cached_property`` have computed."""
    held = getattr(value, "__dict__", None)
    if not isinstance(held, dict):
        return {}
    members = [item for cls in type(value).__mro__ for item in vars(cls).items()]
    return {name: held[name] for name, raw in members if isinstance(raw, cached_property) and name in held}


def is_held(value: Any, name: str) -> bool:
    """Whether an attribute of an object is read without any code of a user's."""
    if not reads_plainly(type(value)) or name in cached_in(value):
        return False
    raw = next((vars(cls)[name] for cls in type(value).__mro__ if name in vars(cls)), MISSING)
    own = not hasattr(type(raw), "__set__") and name in instance_attributes(value)
    if is_slot(raw) or own:
        return True
    return raw is not MISSING and not hasattr(type(raw), "__get__") or name.startswith("__")


def shallow_copy(value: Any) -> Any:
    """Another object with the same attributes, made without any code of its class.

    Raises:
        TypeError: its class holds more than attributes.
    """
    found = object.__new__(type(value))
    for name, held in instance_attributes(value).items():
        object.__setattr__(found, name, held)
    return found


def like(whole: Any, made: Any, again: Callable[[], Any]) -> Any:
    """An object that was made of children, with those attributes that ``whole`` has beside them.

    Args:
        whole: the object that was taken apart.
        made: of other children in their places.
        again: makes the object of its own children: what is another one then is not made of them.
    """
    there, own = instance_attributes(made), instance_attributes(whole)
    if type(made) is not type(whole) or not own:
        return made
    kept = besides(own, again())
    for name, value in own.items():
        if name not in there or name in kept:
            object.__setattr__(made, name, value)
    return made


def besides(own: dict[str, Any], again: Any) -> dict[str, Any]:
    """Those of an object's attributes that are not made of its children, as ``again`` is."""
    base = instance_attributes(again)
    return {name: value for name, value in own.items() if name not in base or not alike(base[name], value)}


def alike(made: Any, value: Any, inside: tuple[int, ...] = ()) -> bool:
    """Whether what was made anew may pass for what there is."""
    if made is value or type(made) is not type(value) or id(value) in inside:
        return type(made) is type(value)
    if isinstance(value, np.ndarray):
        return made.dtype == value.dtype and np.array_equal(made, value, equal_nan=value.dtype.kind in "fc")
    if isinstance(value, (int, float, complex, str, bytes, np.generic)):
        return repr(made) == repr(value)
    if isinstance(value, types.FunctionType):
        return made.__code__ is value.__code__  # of a closure that was made with it
    one, other = _parts(made), _parts(value)
    inside = (*inside, id(value))
    return bool(other) and [*one] == [*other] and all(alike(one[k], other[k], inside) for k in other)


def _parts(value: Any) -> dict[Any, Any]:
    if isinstance(value, dict):
        return value
    return dict(enumerate(value)) if isinstance(value, (tuple, list)) else instance_attributes(value)
