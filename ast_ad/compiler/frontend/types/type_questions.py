"""What does a program ask about types, and is the answer the same on every path?"""

from __future__ import annotations

import functools
import itertools
import types
from typing import Any

import numpy as np

from ...ir.alternatives import is_mixed
from ...ir.ops import Arg, Var
from ...ir.types import Array, Optional, Type, rank_of
from ..builder import type_of_arg
from ..context import Context
from ..spelling import describe
from ..values import Arr, ArrayMethod, Callee, Closure, Dct, Lst, Obj, Range, Tup, Value
from .dummies import InferenceError, class_dummies
from .several import of_several

# What a class may say of an attribute.
FOLLOWED = property, staticmethod, classmethod, types.FunctionType, types.MemberDescriptorType
# What is read by ``constructs/descriptors.py``, and held by the instance where it is stored.
READ = functools.cached_property, functools.partialmethod, functools.singledispatchmethod


def asked(cx: Context, question: Callee, *values: Value) -> Any:
    """What a function of classes, dtypes and ranks answers, whichever of theirs the values have."""
    answers: list[Any] = []
    for some in itertools.product(*(python_dummies(cx, part) for part in values)):
        answer = question(*some)
        if not any(answer is a or type(answer) is type(a) and answer == a for a in answers):
            answers.append(answer)
    if len(answers) != 1:
        error = cx.unsupported(
            "a question about the type of a value",
            "the type depends on the path taken",
            "give the value one type on every path",
        )
        raise of_several(error, *[cx.variable(part) for part in values if isinstance(part, (Var, Arr))])
    return answers[0]


def python_dummies(cx: Context, value: Value) -> list[Any]:
    """Python objects of the classes that it may have."""
    if not isinstance(value, (Var, Arr)):
        return [python_dummy(cx, value)]
    try:
        return class_dummies(cx.variable(value))
    except InferenceError as problem:
        raise cx.unsupported(
            "a question about the type of a value", str(problem), "ask before the differentiated function"
        ) from None


def python_dummy(cx: Context, value: Value) -> Any:
    """A Python object of the same class."""
    if isinstance(value, Tup):
        return tuple.__new__(value.cls or tuple, [None] * len(value.items))
    if isinstance(value, Lst):
        return []
    if isinstance(value, Dct):
        return value.cls()
    if isinstance(value, Obj):
        return types.SimpleNamespace() if value.cls is types.SimpleNamespace else object.__new__(value.cls)
    if isinstance(value, Range):
        return range(0)
    if isinstance(value, slice):
        return slice(None)
    if isinstance(value, ArrayMethod):
        return getattr(np.zeros(1), value.name)
    if isinstance(value, Closure):
        return lambda: None
    if hasattr(value, "python_value"):
        return value.python_value()
    if not cx.is_static(value):  # a method, a partial, a generator, an iterator
        raise cx.unsupported(
            f"a question about the type of a {describe(value)}", "it has no run-time form", "leave it out"
        )
    return cx.static_value(value)


def present(cx: Context, value: Value) -> Any:
    """An array or a number, of which it is known that it is not None."""
    var = cx.variable(value)
    return Var(var.type.value, var.hint) if isinstance(var.type, Optional) else value


def exact(cx: Context, var: Var, type: Type, what: str) -> Type:
    """The type of a variable, which is the same on every path."""
    if is_mixed(type):
        error = cx.unsupported(
            f"{what} of this value",
            "its type depends on the path taken",
            "give it one type on every path (`0.0` for `0`)",
        )
        raise of_several(error, var)
    return type


def known_rank(cx: Context, arg: Arg) -> int:
    """How many axes a number or an array has, on every path."""
    rank = rank_of(type_of_arg(arg))
    if rank is None:
        error = cx.unsupported(
            "the shape of this value", "its rank depends on the path taken", "keep the rank fixed"
        )
        raise of_several(error, arg)
    return rank


def require_written(cx: Context, value: Value) -> None:
    """It is an array on every path: what is written to NumPy's number is a copy, and others refuse it."""
    if not isinstance(value, Arr):
        raise cx.unsupported("a write to this value", "it may be a number", "make it an array first")
    known_rank(cx, cx.read(value))


def has_dtype(cx: Context, arr: Arr, dtype: np.dtype) -> bool:
    """Whether an array has a dtype, so that no conversion makes a copy."""
    var = cx.read(arr)
    type = var.type
    if isinstance(type, Array) and dtype in type.among:
        exact(cx, var, type, "the dtype")
    return isinstance(type, Array) and type.dtype == dtype


def require_plain(cx: Context, cls: type, name: str, hook: str, hooked: bool = False) -> None:
    """Refuse an attribute that code of the class decides, other than a property or a method.

    ``hooked``: the class's own ``hook`` has been asked.
    """
    own = next((k.__dict__[name] for k in cls.__mro__ if name in k.__dict__), None)
    own_kind = name in ("__class__", "__dict__") and isinstance(own, types.GetSetDescriptorType)
    known = (
        own_kind
        or isinstance(own, FOLLOWED)
        or hook == "__getattribute__"
        and isinstance(own, READ)
        or isinstance(
            getattr(type(own), "__get__" if hook == "__getattribute__" else "__set__", None),
            types.FunctionType,
        )
        or any(hasattr(own, n) for n in ("as_method", "py_func", "cache_info"))
    )
    # stores pass over a descriptor without `__set__`: what the object holds goes before it
    bound = hasattr(type(own), "__set__") or hook == "__getattribute__" and hasattr(type(own), "__get__")
    absent = hook == "__setattr__" and not cls.__dictoffset__ and not hasattr(type(own), "__set__")
    usual = hooked or getattr(cls, hook) in (getattr(object, hook), getattr(types.SimpleNamespace, hook))
    if not usual or bound and not known or absent:
        raise cx.unsupported(
            f"attribute `{name}`", f"{cls.__name__} has code or slots for it", "use a plain attribute"
        )
