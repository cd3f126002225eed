"""What does a traced value answer when it is asked what it is? What a value in its place would answer.

Code looks at classes, and tries whether there is an attribute. A traced number has no length to such code, a
traced array none of the methods that only tensors have; to the code of this package they keep what they have.
"""

from __future__ import annotations

import sys
from typing import Any

makers: dict[str, Any] = {}  # what makes traced arrays of others than NumPy's: modules above add it


class Face(type):
    """The type of a class whose instances pass for those of another, ``_plays``."""

    @property
    def __mro__(cls) -> Any:  # abstract base classes look here for methods: is it Iterable, is it Sized?
        return cls._plays.__mro__  # type: ignore[attr-defined]


class Missing(AttributeError, TypeError):
    """The error for an attribute that there is not, and for the operation that needs it."""


# What Python says where a class lacks the method behind an operation.
WITHOUT = {
    "__len__": "object of type '{}' has no len()",
    "__getitem__": "'{}' object is not subscriptable",
    "__setitem__": "'{}' object does not support item assignment",
    "__iter__": "'{}' object is not iterable",
    "__contains__": "argument of type '{}' is not iterable",
    "__reversed__": "'{}' object is not reversible",
}


class Hidden:
    """An attribute that only the code of this package finds."""

    def __init__(self, name: str, found: Any) -> None:
        self.name, self.found = name, found

    def __get__(self, t: Any, cls: Any = None) -> Any:
        if t is None:
            return self.found
        frame = sys._getframe(1)
        if not frame.f_globals.get("__name__", "").startswith("ast_ad."):
            told = WITHOUT.get(self.name, f"'{{}}' object has no attribute '{self.name}'")
            raise Missing(told.format(t.__class__.__name__))
        return self.found.__get__(t, cls) if hasattr(self.found, "__get__") else self.found

    def __set__(self, t: Any, value: Any) -> None:
        if hasattr(self.found, "__set__"):
            self.found.__set__(t, value)
        else:
            t.__dict__[self.name] = value


def hide(cls: Any) -> None:
    """Hide from other code what a class inherits but the class that it plays has not."""
    shown = {*dir(cls._plays), *dir(object)}
    for name in dir(cls):
        if name in shown or name[:1] == "_" and name not in WITHOUT:
            continue
        found = next(vars(base)[name] for base in type.mro(cls) if name in vars(base))
        while isinstance(found, Hidden):
            found = found.found
        setattr(cls, name, Hidden(name, found))
