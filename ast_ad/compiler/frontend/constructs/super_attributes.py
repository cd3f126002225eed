"""What is an attribute of ``super()``?"""

from __future__ import annotations

import types
from typing import Any

from ...ir.ops import Lit
from .. import doors
from ..context import Context
from ..outside_values import class_member
from ..tables import Intrinsic
from ..values import Bound, Obj, Super, Tup, Value


def super_attribute(cx: Context, base: Super, name: str) -> Any:
    made = base.instance
    of_class = isinstance(made, Lit) and isinstance(made.value, type) and issubclass(made.value, base.cls)
    if isinstance(made, (Obj, Tup)):
        owner: Any = made.cls
    else:  # of a classmethod or __new__, or an object from outside
        owner = made.value if of_class else type(made.value)
    if base.cls not in owner.__mro__:
        raise cx.unsupported(
            "super() here", f"{base.cls.__name__} is no base class of {owner.__name__}", "name the base class"
        )
    order = owner.__mro__[owner.__mro__.index(base.cls) + 1 :]
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
    if raw is object.__setattr__ or raw is type.__call__:
        return Bound(Lit(raw), (made,))
    holder = next((k for k in order if name in k.__dict__), None)
    if holder is not None and not hasattr(type(raw), "__get__"):
        return doors.call(cx, Lit(getattr), [Lit(holder), Lit(name)], {})
    raise cx.unsupported(f"super().{name}", "it is not Python code", "name the base class")


def no_operation(cx: Context, *args: Value, **kwargs: Value) -> Any:
    return Lit(None)
