"""What does ``copy`` make of a value? What its class says, or one with the same parts or copies of them."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...ir.ops import Lit, Var
from ...ir.types import has_references
from .. import doors
from ..constructs.special_methods import special
from ..context import Context
from ..outside_values import IMMUTABLE, class_stays
from ..store.holding import same_elements
from ..store.identities import static_entries
from ..tables import handles
from ..values import Arr, Closure, Dct, Live, Lst, Obj, Range, Tup, Value
from .dict_methods import dict_copy

HOOKS = tuple(
    f"__{name}__"
    for name in "new reduce_ex reduce getstate setstate getnewargs_ex getnewargs getattribute getattr".split()
)
"""What Python asks a class for to take its objects apart and to put others together."""


@handles(copy.copy)
def b_copy(cx: Context, value: Value) -> Any:
    own = special(cx, value, "__copy__")
    return copy_of(cx, value) if own is None else doors.call(cx, own, [], {})


@handles(copy.deepcopy)
def b_deepcopy(cx: Context, value: Value, memo: Value = Lit(None)) -> Any:
    if cx.static_value(memo) is not None:
        raise cx.unsupported("copy.deepcopy with a memo", "it is not followed", "leave it out")
    return deep_copy(cx, value, {})


def copy_of(cx: Context, value: Value) -> Any:
    """Another value with the same parts."""
    if isinstance(value, Arr):
        return cx.emit(np.copy, value)
    if isinstance(value, Lst):
        return same_elements(cx, value, cx.state.get(value))
    if isinstance(value, Live):
        raise cx.unsupported(
            f"a copy of a {type(value.value).__name__}",
            "the object outlives the call, and a write to the copy is none to it",
            "make an object within the function",
        )
    require_no_code(cx, value, (*HOOKS, "__copy__"))
    if isinstance(value, Dct):
        return dict_copy(cx, value)
    if isinstance(value, Obj):
        return Obj(value.cls, dict(cx.state.get(value)))
    if isinstance(value, (Var, Lit, Tup, Closure, Range)):
        return value
    raise cx.unsupported(
        "a copy of this value", "it is no number, array, container or object", "copy its parts"
    )


def deep_copy(cx: Context, value: Value, copies: dict[int, Value]) -> Any:
    """A copy of all that is in a value; what is in it twice is in the copy twice."""
    if id(value) in copies:
        return copies[id(value)]

    def each(items: Iterable[Value]) -> tuple[Any, ...]:
        return tuple(deep_copy(cx, item, copies) for item in items)

    require_no_code(cx, value, (*HOOKS, "__deepcopy__"))
    if isinstance(value, Tup):
        found: Any = Tup(each(value.items), value.cls)
    elif isinstance(value, Lst) and isinstance(cx.state.get(value), tuple):
        found = copies[id(value)] = Lst(())
        cx.state.set(found, each(cx.state.get(value)))
    elif isinstance(value, (Dct, Obj)):
        found = copies[id(value)] = Dct({}, value.cls) if isinstance(value, Dct) else Obj(value.cls, {})
        content = static_entries(cx, value) if isinstance(value, Dct) else cx.state.get(value)
        cx.state.set(found, dict(zip(content, each(content.values()), strict=True)))
    else:
        if isinstance(value, Lst) and has_references(cx.state.get(value).type):
            raise cx.unsupported(
                "copy.deepcopy of this list", "which of its elements are one array is not known", "copy each"
            )
        found = copy_of(cx, value)
    copies[id(value)] = found
    return found


def require_no_code(cx: Context, value: Value, names: tuple[str, ...]) -> None:
    """Refuse an object whose class says itself how it is copied; from now on the class has to be as it is."""
    cls: Any = getattr(value, "cls", None)
    for name in () if cls is None else names:
        owner = next((k for k in cls.__mro__ if name in vars(k)), object)
        if owner.__flags__ & IMMUTABLE == 0 and not _is_of_python(vars(owner)[name]):
            raise cx.unsupported(
                f"a copy of a {cls.__name__}", f"its class has a `{name}` of its own", "make the copy by hand"
            )
        class_stays(cx, cls, name)


def _is_of_python(code: Any) -> bool:
    """Whether it is what Python's library makes for named tuples, dataclasses and its own containers."""
    home = getattr(getattr(code, "__func__", code), "__module__", None) or ""
    return home.startswith("namedtuple_") or home.partition(".")[0] in sys.stdlib_module_names
