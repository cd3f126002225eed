"""How do Python's objects and the IR's arguments become abstract values, and these the IR's again?"""

from __future__ import annotations

import enum
import re
import types
from typing import Any

import numpy as np

from ...rules import helpers
from ...rules.in_place import real_as_stored
from ..ir.ops import Arg, Lit, Seq, Var
from ..ir.types import Array, dtype_of
from . import doors
from .context import Context, TensorOutside
from .values import Arr, Bound, Dct, Lst, Range, Tup, Value, is_tensor

TOLD = str, bytes, enum.Enum, re.Pattern, types.EllipsisType, types.NotImplementedType
"""Objects outside that are told by what they are, and stay so."""


def from_python(cx: Context, value: object) -> Any:
    """A constant."""
    if is_tensor(value):
        raise TensorOutside("a constant that is a tensor", cx.builder.span)
    if isinstance(value, tuple) and (type(value) is tuple or hasattr(value, "_fields")):
        return Tup(
            tuple(from_python(cx, part) for part in value), type(value) if hasattr(value, "_fields") else None
        )
    if type(value) is list:
        return Lst(tuple(from_python(cx, part) for part in value))
    if type(value) is dict:
        return Dct({k: from_python(cx, v) for k, v in value.items()})
    if isinstance(value, slice):
        return slice(Lit(value.start), Lit(value.stop), Lit(value.step))
    if isinstance(value, range):
        return Range(Lit(value.start), Lit(value.stop), Lit(value.step))
    if value is np.ma.masked:
        return Lit(value)
    if isinstance(value, np.ndarray):
        from ..ir.builtin import assign
        from ..ir.types import is_strange, type_of

        if is_strange(value):
            raise cx.unsupported(
                f"a {type(value).__name__}",
                "its operators do not mean what they mean for arrays",
                "use np.asarray(...) of it, outside",
            )
        if value.dtype.kind not in "biufc":
            raise cx.unsupported(
                f"an array of dtype {value.dtype}", "it holds no numbers", "use a numeric dtype"
            )
        return Arr(cx.builder.opaque(assign, (Lit(value),), type_of(value)), None, "a constant array")
    if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
        return Bound(Lit(value.__func__), (from_python(cx, value.__self__),))
    return Lit(value)


def from_arg(cx: Context, arg: Any) -> Any:
    """An IR argument as abstract value."""
    if isinstance(arg, Var):
        return cx.wrap_var(arg)
    if isinstance(arg, Seq):
        items = tuple(from_arg(cx, part) for part in arg.items)
        return Lst(items) if arg.kind is list else Tup(items)
    if isinstance(arg, (tuple, list)):
        items = tuple(from_arg(cx, part) for part in arg)
        return (
            Lst(items)
            if isinstance(arg, list)
            else Tup(items, type(arg) if hasattr(arg, "_fields") else None)
        )
    if hasattr(arg, "start") and hasattr(arg, "step") and not isinstance(arg, (Lit, range)):
        return slice(from_arg(cx, arg.start), from_arg(cx, arg.stop), from_arg(cx, arg.step))
    return arg if isinstance(arg, Lit) else from_python(cx, arg)


def to_args(cx: Context, value: Value) -> Any:
    """An abstract result as nested tuples and lists of arguments; None stays None."""
    if isinstance(value, Tup):
        return tuple(to_args(cx, part) for part in value.items)
    if isinstance(value, Lst) and isinstance(cx.state.get(value), tuple):
        return [to_args(cx, v) for v in cx.state.get(value)]
    if isinstance(value, Lit) and value.value is None:
        return None
    return cx.arg(value)


doors.from_arg = from_arg


def real_part(cx: Context, new: Arg, array: Var) -> Var:
    """What an array of real numbers takes of a complex value: NumPy warns, and drops the rest."""
    dtype = Lit(dtype_of(array.type))
    if isinstance(new, Var) and isinstance(new.type, Array):
        return cx.builder.op(helpers.astype, new, dtype)
    if not isinstance(new, Var):
        raise cx.unsupported(
            "a complex value stored in a real array",
            "NumPy refuses Python's complex numbers there",
            "store .real, or make the array complex",
        )
    return cx.builder.op(real_as_stored, new, dtype)
