"""What does an object or a class from outside hold under a name, where no code that is followed gives it?"""

from __future__ import annotations

import types
from typing import Any

from ....registered import is_held, reads_plainly
from ..context import Context
from ..guards import ATTRIBUTE, Guard, Path
from ..outside_values import computed, outside_value
from ..store.outer_stores import found_in_class, read

_OF_TYPES = types.UnionType, types.GenericAlias


def class_attribute(cx: Context, cls: type, name: str) -> Any:
    """An attribute of a class in which the program stores it."""
    return own_attribute(cx, cls, Path.of_object(cls, cls.__name__), name)


def own_attribute(cx: Context, owner: object, path: Path, name: str) -> Any:
    """What the program has stored in an object from outside, else what is found there."""

    def load() -> Any:
        if cx.inputs is not None and not isinstance(owner, type) and not is_held(owner, name):
            computed(cx, name, runs_code(owner, name), reader_of(owner, name))
        try:
            value = getattr(owner, name)
        except AttributeError as problem:
            if cx.inputs is not None:  # a handler may go on
                cx.inputs.guards.add(Guard.missing(path.attribute(name)))
            raise cx.unsupported(
                f"attribute `{name}`", str(problem), "check the name", AttributeError
            ) from None
        return outside_value(cx, value, path.attribute(name))

    return read(cx, owner, path, ATTRIBUTE, name, name, load)


def runs_code(owner: object, name: str) -> bool:
    """Whether code of its class is run when an attribute of an object is read, be it missing."""
    cls = type(owner)
    raw = found_in_class(cls, name)
    if cls in _OF_TYPES and isinstance(raw, types.MemberDescriptorType):
        return False  # `(float | None).__args__`: a tuple in memory that nobody changes
    if not reads_plainly(cls) or hasattr(type(raw), "__set__"):
        return True
    if name in getattr(owner, "__dict__", ()):
        return False
    return hasattr(type(raw), "__get__") or raw is None and hasattr(cls, "__getattr__")


def reader_of(owner: object, name: str) -> Any:
    """The code of its class that gives an attribute of an object, or None."""
    cls = type(owner)
    if not reads_plainly(cls):
        return cls.__getattribute__
    raw = found_in_class(cls, name)
    return getattr(cls, "__getattr__", None) if raw is None else getattr(type(raw), "__get__", None)
