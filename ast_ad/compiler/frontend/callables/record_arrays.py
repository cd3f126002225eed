"""Which calls make structured arrays? To the compiler they are objects that hold an array for each field."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....rules.structured import is_structured, makers, makers_alike
from ...ir.ops import Lit
from .. import doors
from ..context import NOT_STATIC, Context
from ..values import Callee, Obj, Value


def of_records(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """The result of a call that makes a structured array; None of any other call."""
    if not args or getattr(fn, "__hash__", None) is None:
        return None
    like = args[0] if isinstance(args[0], Obj) and is_structured(args[0].cls) else None
    program = makers.get(fn) if like is None or fn is np.array else makers_alike.get(fn)
    asked = args[1] if len(args) > 1 else kwargs.get("dtype")
    if program is None or asked is None and like is None:
        return None
    dtype = cx.state.get(like)["dtype"] if asked is None else structured(cx, asked)
    if dtype is None:
        return None
    if len(args) > 2 or set(kwargs) - {"dtype", "order"}:
        raise cx.unsupported(
            "a structured array with these options", "they are not followed", "give the dtype alone"
        )
    return doors.call(cx, Lit(program), [args[0], dtype], {})


def structured(cx: Context, asked: Value) -> Lit | None:
    """The dtype of a structured array, or None."""
    known = cx.static_value(asked)
    if known is NOT_STATIC or not isinstance(known, (np.dtype, list)):
        return None
    try:
        dtype = np.dtype(known)
    except (TypeError, ValueError):
        return None
    return Lit(dtype) if dtype.names is not None else None
