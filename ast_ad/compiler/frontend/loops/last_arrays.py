"""Which array holds a name behind a loop whose last pass left it there?

An array from before the loop is that very one. A window on one is opened anew, where the last pass had opened
it; of two arrays it is the one that the last pass chose. What the pass made itself is a result of the loop,
the same one for all names that hold it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from ...ir.ops import Undefined, Var, map_arg, variables
from ...ir.types import Scalar
from .. import doors
from ..context import Context
from ..store.choices import chosen, is_choice, is_replaced
from ..store.heaps import array_in_heap
from ..store.holding import pools_around
from ..types.joins import renewed
from ..values import Arr, Dct, Lst, Maybe, Obj, State, Tup, Value, View
from .passes import Carried


@dataclass
class LastPass:
    """What is known at the end of a loop: its store, what it carries, the variables that a pass makes.

    ``kept``: the roots of what passes read from one another.
    """

    end: State
    carried: Carried
    since: int
    index: Var | None
    kept: Collection[Any]

    def makes(self, var: Var) -> bool:
        return var is self.index or var.id >= self.since

    def result(self, var: Var) -> Var:
        """The variable, as a result of the loop."""
        if not self.makes(var):
            return var
        type = replace(var.type, size=None) if isinstance(var.type, Scalar) else renewed(var.type, None)
        out = Var(type, var.hint)
        self.carried.add([Undefined(type)], [var], [out])
        return out


def with_references(cx: Context, last: LastPass, left: Value, value: Value) -> Any:
    """The value that stands for what the last pass has left, with the very arrays where they can be told."""
    if isinstance(left, Maybe) and isinstance(value, Maybe):
        return replace(value, value=with_references(cx, last, left.value, value.value))
    if isinstance(left, Arr) and isinstance(value, Arr):
        return referred(cx, last, left) or value
    if isinstance(left, Tup) and isinstance(value, Tup):
        pairs = zip(left.items, value.items, strict=True)
        return replace(value, items=tuple(with_references(cx, last, a, b) for a, b in pairs))
    if isinstance(left, (Dct, Obj)) and isinstance(value, (Dct, Obj)) and left is not value:
        held = last.end.get(left)
        if not isinstance(held, dict) or not isinstance(value.initial, dict):
            return value
        value.initial = {k: with_references(cx, last, held[k], v) for k, v in value.initial.items()}
    if isinstance(left, Lst) and isinstance(value, Lst) and isinstance(value.initial, tuple):
        held = last.end.get(left)
        if isinstance(held, tuple) and len(held) == len(value.initial) and left is not value:
            value.initial = tuple(
                with_references(cx, last, a, b) for a, b in zip(held, value.initial, strict=True)
            )
    return value


def referred(cx: Context, last: LastPass, arr: Arr) -> Arr | None:
    """The array behind the loop; None if it can't be told which it is."""
    if arr.foreign or arr.sources:
        return None
    if arr not in cx.holders:
        found = known_behind(cx, last, arr)
        if found is None:
            return None
        cx.holders[arr] = found
    return cx.holders[arr]


def known_behind(cx: Context, last: LastPass, arr: Arr) -> Arr | None:
    if arr.serial <= cx.since:
        return arr
    if is_choice(arr):
        choice = arr.view.parent  # type: ignore[union-attr]
        one, two = referred(cx, last, choice.first), referred(cx, last, choice.second)
        if one is None or two is None:
            return None
        return chosen(one, last.result(choice.flag), two, renewed(choice.type, None), choice.hint)
    if arr.view is not None:
        return window_behind(cx, last, arr, arr.view)
    content = last.end.get(arr)
    if arr in last.kept and not is_replaced(content.type):
        return None
    return Arr(last.result(content), within=pools_around(cx, arr, last.end), orders=arr.orders)


def window_behind(cx: Context, last: LastPass, arr: Arr, view: View) -> Arr | None:
    base = referred(cx, last, view.parent) if isinstance(view.parent, Arr) else None
    reads = view.reads if view.index is None else tuple(variables(view.index))
    if base is None or view.get is None or reads is None:
        return None
    made = any(map(last.makes, reads))
    if not made and base is view.parent:
        return arr
    if view.at is not None:
        return array_in_heap(cx, cx.heap(base), map_arg(last.result, view.at))
    if view.index is not None:
        return doors.item_view(cx, base, map_arg(last.result, view.index))
    return None if made else Arr(None, View(base, view.get, view.put, None, reads))
