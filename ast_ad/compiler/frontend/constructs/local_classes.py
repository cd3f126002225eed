"""Which classes does the program define itself, and what do they hold?

A ``class`` statement of the program makes a Python class, so that all that asks about classes has its answer:
which base they have, whether there is a method, what an attribute is. Its methods are stubs, which only the
compiler can call; its other attributes are held by the frame of its body, as local names are by theirs.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from ....rules.structured import PLAYS, is_structured
from ...ir.ops import Lit
from ..context import Context
from ..spelling import with_article
from ..values import Bound, Frame, Lost, Maybe, Obj, Unbound, Value

_frames: WeakKeyDictionary[Any, Frame] = WeakKeyDictionary()  # of the classes, and of their stubs


@dataclass(frozen=True, eq=False)
class Slot:
    """What stands in the class for an attribute that the frame of its body holds."""

    frame: Frame
    name: str


def define(made: type | types.FunctionType, frame: Frame) -> None:
    """Note that the program has made this class, or this stub of a method."""
    _frames[made] = frame


def frame_of(value: object) -> Frame | None:
    """The frame of the body of a class that the program has made, if it is one, or a method of one."""
    return _frames.get(value) if isinstance(value, (type, types.FunctionType)) else None


def frames_behind(value: object) -> tuple[Frame, ...]:
    """The frames that an object, a class or a method reads, if the program has defined its class."""
    if isinstance(value, Lit):
        found = frame_of(value.value)
        return () if found is None else (found,)
    if isinstance(value, Obj):
        return tuple(frame for cls in value.cls.__mro__ if (frame := _frames.get(cls)) is not None)
    return ()


def is_local(value: object) -> bool:
    """Whether a constant is a class that the program has made, or a method of one."""
    return frame_of(value) is not None


def enclosing_scope(frame: Frame) -> Frame | None:
    """The frame around one in which a function looks for a name."""
    found = frame.enclosing
    while found is not None and found.class_name is not None:
        found = found.enclosing
    return found


def read_slot(cx: Context, slot: Slot) -> Any:
    """What a class holds under a name."""
    value = cx.state.get_name(slot.frame, slot.name)
    if value is None or isinstance(value, (Unbound, Maybe, Lost)):
        raise cx.unsupported(
            f"attribute `{slot.name}` of a class",
            "the class has it on some paths only",
            "give it to the class on every path",
        )
    return value


def store_slot(cx: Context, cls: type, name: str, value: Value) -> None:
    """``cls.name = value`` for a class that the program has made."""
    slot = cls.__dict__.get(name)
    if not isinstance(slot, Slot) or not is_plain(value):
        raise cx.unsupported(
            f"assignment to attribute `{name}` of a class",
            "the class statement gives it none, or it is a function",
            "define it in the class statement",
        )
    cx.state.set_name(slot.frame, name, value)


def is_plain(value: Value) -> bool:
    """Whether a class hands an attribute out as it is: no function, and nothing with a ``__get__``."""
    if isinstance(value, Obj):
        return not hasattr(value.cls, "__get__")
    own = getattr(value, "value", None)
    return not hasattr(type(own), "__get__") and not isinstance(value, Bound)


def require_outside(cx: Context, value: object) -> None:
    """Nothing that only the program knows leaves it."""
    if is_local(value):
        raise cx.unsupported(
            f"what becomes of `{getattr(value, '__name__', value)}` outside of the program",
            "the function defines the class at each call",
            "define the class outside of the function",
        )
    if isinstance(value, type) and PLAYS in vars(value):
        kind = "structured array" if is_structured(value) else vars(value)[PLAYS].__name__
        raise cx.unsupported(
            f"{with_article(kind)} that leaves the function",
            "it is an array for each field there",
            "return those",
        )
