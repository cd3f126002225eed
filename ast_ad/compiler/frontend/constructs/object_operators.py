"""What do operators mean where a class of the user's has code for them?"""

from __future__ import annotations

import operator
import types
from typing import Any

from .. import doors
from ..context import Context
from ..values import Arr, Callee, Live, Obj, Value
from .attributes import load_attribute

METHOD_NAMES = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.truediv: "truediv",
    operator.pow: "pow",
    operator.matmul: "matmul",
    operator.mod: "mod",
    operator.floordiv: "floordiv",
    operator.and_: "and",
    operator.or_: "or",
    operator.xor: "xor",
}


def binary_objects(cx: Context, fn: Callee, left: Value, right: Value) -> Any:
    """Operators of user classes."""
    name = METHOD_NAMES.get(fn, "")
    for owner, other, method in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
        if name and has_operator(owner, method):
            return doors.call(cx, load_attribute(cx, owner, method), [other], {})
    raise cx.unsupported(
        f"operator {fn.__name__} on objects", "their class does not define it", "call a method"
    )


def asks_object(fn: Callee, left: Value, right: Value) -> bool:
    """Whether an operator asks an object from outside; an array asks none for each of its elements."""
    name = METHOD_NAMES.get(fn)
    reflected = not isinstance(left, Arr) and has_operator(right, f"__r{name}__")
    return name is not None and (has_operator(left, f"__{name}__") or reflected)


def has_operator(owner: Value, method: str) -> bool:
    """Whether the class of an object, be it from outside, has code of the user's for an operator."""
    if isinstance(owner, Obj):
        return hasattr(owner.cls, method)
    return isinstance(owner, Live) and isinstance(
        getattr(type(owner.value), method, None), types.FunctionType
    )
