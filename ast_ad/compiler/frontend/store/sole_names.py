"""Has an array one name only, so that nobody can tell when another one, or a number, takes its place?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ....rules.in_place import fitting
from ...ir.alternatives import alternatives, common, has_ranks, types_of
from ...ir.ops import Arg, Var
from ...ir.types import Array, Scalar, Type, dtype_of
from .. import doors
from ..builder import type_of_arg
from ..context import Context
from ..types.infer import result_type
from ..types.several import of_several
from ..values import Arr, Callee, Value
from .holding import pools_with
from .shared_names import references


def set_shape(cx: Context, arr: Arr, value: Value) -> None:
    """``a.shape = value`` of an array that no view shows, and that lies row by row."""
    if not is_named_here(cx, arr) or "C" not in arr.orders:
        cx.demand_orders()
        raise cx.unsupported(
            "assignment to .shape",
            "the array has a view or a name elsewhere, or may not lie row by row",
            "use reshape",
        )
    if arr.argument is not None and cx.inputs is not None:
        cx.inputs.written.add(arr.argument)
    new = cx.read(doors.call_primitive(cx, np.reshape, [arr, value], {}))
    arr.orders = frozenset("C")
    cx.state.set(arr, new)


def is_named_here(cx: Context, arr: Arr) -> bool:
    """Whether nothing but names of the function that is read lead to an array, or one thing elsewhere does.

    All these names are of the array itself, not of views of it, for which it would be another array. What is
    found elsewhere was made since the function began: an expression around its call may hold a view of an
    older one.
    """
    names = sum(value is arr for value in cx.state.get(cx.frame).values())
    if not names and cx.frame.caller is not None and arr.serial < cx.frame.serial:
        return False
    return is_alone(cx, arr, max(names, 1), arguments=True)


def is_alone(cx: Context, arr: Arr, names: int = 1, arguments: bool = False) -> bool:
    """Whether an array of the program's has so many names at most, and is in no list.

    ``arguments``: it may be one of the arguments, which are copied.
    """
    alone = arr.view is None and (arguments or arr.argument is None) and not arr.foreign
    found = references(cx, cx.state)
    alone = alone and not any(arr is s for root in found for s, _ in getattr(root, "sources", ()))
    return alone and not pools_with(cx, arr, cx.state) and found[arr] <= names


def require_alone(cx: Context, arr: Arr) -> None:
    """Nobody else has what is a number, which ``op=`` replaces, or an array, which it writes."""
    if is_alone(cx, arr):
        return
    raise cx.aliased(
        "a change in place of what is a number or an array, and has another name or is in a list",
        "an array is changed under all its names, a number is not",
        "write `a = a + b` for a new value",
    )


def changed_or_replaced(cx: Context, plain: Callee, before: Arr, value: Value) -> Any:
    """``before op= value`` of a number, which is replaced, or an array, which keeps shape and dtype."""
    require_alone(cx, before)
    return new_value(cx, plain, before, value)


def is_loose(cx: Context, value: Value) -> bool:
    """Whether it depends on the path taken how many axes it has, and so whether it is an array."""
    type = cx.read(value).type if isinstance(value, Arr) else None
    return isinstance(type, Array) and type.shape is None


def new_value(cx: Context, plain: Callee, before: Arr, value: Value) -> Any:
    """``before op value``, of which an array keeps its shape and dtype."""
    old, by = cx.read(before), cx.arg(value)
    new = doors.binary(cx, plain, before, value)
    for type in alternatives(old.type):
        if isinstance(type, Array) and dtype_of(result_type(plain, (Var(type), by), {})) != type.dtype:
            error = cx.unsupported(
                "a change in place of what is a number or an array of another dtype",
                "an array keeps its dtype in that, a number does not",
                "write `a = a + b` for a new value",
            )
            raise of_several(error, old)
    found = cx.arg(new)
    return cx.wrap_var(cx.builder.opaque(fitting, (found, old), _kept(plain, old, by, type_of_arg(found))))


def _kept(plain: Callee, old: Var, by: Arg, new: Type) -> Type:
    """The type of what ``old op= by`` leaves: unlike ``old op by`` an array without axes where one was."""
    kinds = types_of(old.type)
    if not has_ranks(old.type):  # it may be anything
        return old.type if isinstance(new, Scalar) else new
    if not any(isinstance(t, Array) and t.shape == () for t in kinds):
        return new
    return common(
        t if isinstance(t, Array) and t.shape == () else result_type(plain, (Var(t), by), {}) for t in kinds
    )


def in_shape(cx: Context, new: Var, old: Var) -> Var:
    """What is written to all of an array, with as many axes as it has."""
    assert isinstance(new.type, Array) and isinstance(old.type, Array)
    return cx.builder.opaque(fitting, (new, old), replace(new.type, shape=old.type.shape))
