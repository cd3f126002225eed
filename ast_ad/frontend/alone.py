"""Has an array one name only, so that nobody can tell when another one takes its place?"""

from __future__ import annotations

import numpy as np

from . import doors
from .context import Context
from .holding import pools_with
from .sharing import references
from .values import Arr, Value


def set_shape(cx: Context, arr: Arr, value: Value) -> None:
    """``a.shape = value`` of an array that has one name, and lies row by row: nobody else sees it."""
    if not is_alone(cx, arr) or "C" not in arr.orders:
        cx.demand_orders()
        raise cx.unsupported(
            "assignment to .shape",
            "the array has another name, or may not lie row by row",
            "use reshape",
        )
    new = cx.read(doors.call_primitive(cx, np.reshape, [arr, value], {}))
    arr.orders = frozenset("C")
    cx.state.set(arr, new)


def is_alone(cx: Context, arr: Arr) -> bool:
    """Whether an array of the program's has one name, and is in no list."""
    alone = arr.view is None and arr.argument is None and not arr.foreign
    found = references(cx, cx.state)
    alone = alone and not any(arr is s for root in found for s, _ in getattr(root, "sources", ()))
    return alone and not pools_with(cx, arr, cx.state) and found[arr] <= 1


def require_alone(cx: Context, arr: Arr) -> None:
    """Nobody else has what is a number, which ``op=`` replaces, or an array, which it writes."""
    if is_alone(cx, arr):
        return
    raise cx.unsupported(
        "a change in place of what is a number or an array, and has another name or is in a list",
        "an array is changed under all its names, a number is not",
        "write `a = a + b` for a new value",
    )
