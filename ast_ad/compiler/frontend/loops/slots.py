"""What are the slots of the store that a loop carries?

A slot is a variable of a frame, an attribute or an item of a dict (the object and the name), what a list or
an array holds (the object and None); a whole dict or object (with None, too) if what it holds can't be told.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from ..values import Arr, Choice, Closure, Dct, Frame, Lost, Lst, Maybe, Obj, Slot, State, Tup

if TYPE_CHECKING:
    from .template import Template

OUT_ONLY = ("$return", "$break", "$raised", "$kind", "$value", "$choice")


def is_live(slot: Slot, frame: Frame, live: Collection[str] | None) -> bool:
    """Whether a pass, or what follows the loop, may read what another pass left."""
    key, name = slot
    return key is not frame or live is None or name in live


def is_name(slot: Slot) -> bool:
    """Whether it is a name of the user's."""
    return isinstance(slot[0], Frame) and isinstance(slot[1], str) and not slot[1].startswith("$")


def is_checked(before: object, after: object) -> bool:
    """Whether a slot changed only in that it is known to have a value."""
    return isinstance(before, Maybe) and before.value is after


def is_unchanged(before: object, after: object) -> bool:
    """Whether a slot holds what it held: tuples and functions of the same are made anew where paths meet."""
    if before is after or is_checked(before, after):
        return True
    if isinstance(before, Tup) and isinstance(after, Tup):
        return before.cls is after.cls and is_unchanged(before.items, after.items)
    if isinstance(before, Closure) and isinstance(after, Closure):
        same = before.node is after.node and before.frame is after.frame
        return same and is_unchanged(before.defaults, after.defaults)
    if isinstance(before, tuple) and isinstance(after, tuple):
        return len(before) == len(after) and all(map(is_unchanged, before, after))
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(is_unchanged(before[k], after[k]) for k in before)
    return False


def is_window(key: object) -> bool:
    """Whether it is a window on an array, which can be taken anew."""
    return (
        isinstance(key, Arr)
        and key.view is not None
        and (
            key.view.get is not None
            and isinstance(key.view.parent, Arr)
            or isinstance(key.view.parent, Choice)
        )
    )


def in_heap(value: object) -> bool:
    """Whether it is a list that is known by its place in a heap."""
    return isinstance(value, Lst) and value.view is not None and value.view.at is not None


def lateness(slot: Slot, template: Template, end: State) -> int:
    """0 for what passes read from one another, else 1, or 2 for a window on what another name may hold."""
    if template.kind != "unbound" and not (isinstance(slot[1], str) and slot[1] in OUT_ONLY):
        return 0
    last = get_slot(end, slot)
    return (
        1 if isinstance(last, Arr) and last.view is None or not isinstance(last, (Arr, Lst, Dct, Obj)) else 2
    )


def get_slot(state: State, slot: Slot) -> Any:
    key, name = slot
    content = state.look(key)
    if isinstance(content, Lost) or name is None:
        return content
    if isinstance(key, Dct) and not isinstance(content, dict):
        return None  # its keys are known at run time only, by now
    return content.get(name) if isinstance(key, (Frame, Dct, Obj)) else content


def put_slot(state: State, slot: Slot, value: object) -> None:
    key, name = slot
    if isinstance(state.look(key), Lost) or isinstance(value, Lost) and name is None:
        state.set(key, value if name is None else state.look(key))
    elif isinstance(key, Dct) and name is None:
        state.set(key, state.get(value) if isinstance(value, Dct) else value)
    elif isinstance(key, (Frame, Dct, Obj)):
        state.set(key, {**state.get(key), name: value})
    elif isinstance(key, Lst):
        state.set(key, state.get(value) if isinstance(value, Lst) else value)
    else:
        state.set(key, state.get(value) if isinstance(value, (Arr, Lst)) else value)
