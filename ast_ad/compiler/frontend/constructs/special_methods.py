"""Which Python code of a class says what operators and builtins mean for its objects?"""

from __future__ import annotations

import sys
import types
from typing import Any

from ....homes import home_of
from ...ir.ops import Lit
from ..context import Context
from ..outside_values import MAPPINGS, class_member, class_stays
from ..store.outer_stores import found_in_class
from ..values import Bound, Live, Obj, Tup, Value


def class_of(value: Value) -> type | None:
    """The class of an operand whose code may say what an operator means."""
    if isinstance(value, Obj):
        return value.cls
    if isinstance(value, Tup):
        return value.cls
    if isinstance(value, Live) and not isinstance(value.value, MAPPINGS):
        return type(value.value)
    if isinstance(value, Lit) and isinstance(value.value, type):  # a class, whose own class may have code
        kind = type(value.value)
        return None if home_of(kind).partition(".")[0] in sys.stdlib_module_names else kind
    return None


def special(cx: Context, value: Value, name: str) -> Any:
    """A method of the class that is Python code; None where it has none."""
    cls = class_of(value)
    if cls is None:
        return None
    raw = found_in_class(cls, name)
    if not isinstance(raw, types.FunctionType):
        class_stays(cx, cls, name)
        return None
    class_member(cx, cls, name)
    return Bound(Lit(raw), (value,))


def has_own_items(value: object) -> bool:
    """Whether ``value[...]`` runs code of a class statement."""
    own = getattr(value, "__class_getitem__", None) if isinstance(value, type) else None
    code = getattr(own, "__func__", None)
    return isinstance(code, types.FunctionType) and code.__module__ != "typing"
