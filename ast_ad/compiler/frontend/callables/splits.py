"""Into how many parts is an array cut?

If that is known at run time only, the parts are a list of run-time length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import AdError
from ....rules.containers import array_split_in, split_in
from ...ir.alternatives import is_mixed
from ...ir.ops import Lit, Var
from ...ir.types import Scalar, rank_of
from .. import doors
from ..context import Context
from ..tables import handles
from ..values import Arr, Callee, Value
from .calls import call_primitive


@handles(np.array_split)
def b_array_split(cx: Context, ary: Value, indices_or_sections: Value, axis: Value = Lit(0)) -> Any:
    return parts_of(cx, np.array_split, array_split_in, [ary, indices_or_sections, axis])


@handles(np.split)
def b_split(cx: Context, ary: Value, indices_or_sections: Value, axis: Value = Lit(0)) -> Any:
    return parts_of(cx, np.split, split_in, [ary, indices_or_sections, axis])


def parts_of(cx: Context, fn: Callee, program: Callee, args: list[Value]) -> Any:
    """The operation, or else the loop that cuts the array along its first axis."""
    ary, sections, axis = args
    if is_number(sections) and isinstance(ary, Arr) and rank_of(cx.read(ary).type) and along_first(cx, axis):
        try:
            cx.demand(sections, "the number of parts")
        except AdError:
            return doors.call(cx, Lit(program), [ary, sections], {})
    return call_primitive(cx, fn, args, {})


def is_number(value: Value) -> bool:
    """Whether it is an int on every path."""
    found = value.type if isinstance(value, Var) else None
    return isinstance(found, Scalar) and found.kind == "int" and not is_mixed(found)


def along_first(cx: Context, axis: Value) -> bool:
    return cx.static_value(axis) == 0
