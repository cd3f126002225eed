"""Which Python code of a class says what operators and builtins mean for its objects?"""

from __future__ import annotations

import sys
import types
from typing import Any

from ....homes import home_of
from ...ir.ops import Lit
from ..context import Context
from ..outside_values import MAPPINGS, code_of_class
from ..values import Live, Obj, Tup, Value


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
    return None if cls is None else code_of_class(cx, cls, name, value)


def has_own_items(value: object) -> bool:
    """Whether ``value[...]`` runs code of a class statement."""
    own = getattr(value, "__class_getitem__", None) if isinstance(value, type) else None
    code = getattr(own, "__func__", None)
    return isinstance(code, types.FunctionType) and code.__module__ != "typing"
