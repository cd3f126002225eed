"""What is an attribute of ``super()``, and is there one?"""

from __future__ import annotations

import types
from typing import Any

from ...ir.ops import Lit
from .. import doors
from ..context import Context
from ..outside_values import bases_stay, class_member, classes_stay
from ..tables import Intrinsic
from ..values import Bound, Obj, Super, Tup, Value

OF_DICTS = dict.__getitem__, dict.__contains__, dict.get  # which read what an outside dict holds


def owner_of(base: Super) -> tuple[Any, bool]:
    """The class whose order of bases is followed, and whether that is what the method was called with."""
    made = base.instance
    of_class = isinstance(made, Lit) and isinstance(made.value, type) and issubclass(made.value, base.cls)
    if isinstance(made, (Obj, Tup)):
        return made.cls, False
    owner = made.value if of_class else type(made.value)  # of a classmethod or __new__, or from outside
    return owner, of_class


def bases_behind(cx: Context, base: Super) -> Any:
    owner, _ = owner_of(base)
    if base.cls not in owner.__mro__:
        raise cx.unsupported(
            "super() here", f"{base.cls.__name__} is no base class of {owner.__name__}", "name the base class"
        )
    return owner.__mro__[owner.__mro__.index(base.cls) + 1 :]


def is_inherited(cx: Context, base: Super, name: str) -> bool:
    """Whether ``super()`` has an attribute: a class behind has it, or the type ``super`` itself."""
    order = bases_behind(cx, base)
    bases_stay(cx, owner_of(base)[0])
    classes_stay(cx, order, name)
    return any(name in k.__dict__ for k in (*order, super))


def super_attribute(cx: Context, base: Super, name: str) -> Any:
    made = base.instance
    owner, of_class = owner_of(base)
    order = bases_behind(cx, base)
    raw: Any = next((k.__dict__[name] for k in order if name in k.__dict__), None)
    if isinstance(raw, (property, types.FunctionType, classmethod, staticmethod)):
        class_member(cx, next(k for k in order if name in k.__dict__), name)
    if isinstance(raw, property):
        return doors.call(cx, Lit(raw.fget), [made], {})
    if isinstance(raw, types.FunctionType):
        return Bound(Lit(raw), () if of_class else (made,))
    if isinstance(raw, classmethod):
        return Bound(Lit(raw.__func__), (Lit(owner),))
    if isinstance(raw, staticmethod):
        return Lit(raw.__func__)
    if raw is object.__dict__["__new__"]:
        return Lit(object.__new__)
    if raw is object.__init__ or raw is None and name == "__init__":
        return Bound(Lit(Intrinsic(no_operation)), ())
    known: tuple[Any, ...] = object.__setattr__, type.__call__, types.SimpleNamespace.__init__
    if any(raw is one for one in known) or raw in OF_DICTS:
        return Bound(Lit(raw), (made,))
    holder = next((k for k in order if name in k.__dict__), None)
    if holder is not None and not hasattr(type(raw), "__get__"):
        return doors.call(cx, Lit(getattr), [Lit(holder), Lit(name)], {})
    raise cx.unsupported(f"super().{name}", "it is not Python code", "name the base class")


def no_operation(cx: Context, *args: Value, **kwargs: Value) -> Any:
    return Lit(None)
