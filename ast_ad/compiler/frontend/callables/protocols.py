"""What do functions of NumPy's do with objects whose classes say it themselves?

``__array_ufunc__`` and ``__array_function__`` are asked as NumPy asks them, the first operand that has one
first; ``__array__`` gives the array that ``np.asarray`` makes of an object.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...ir.ops import Lit
from .. import doors
from ..constructs.attributes import load_attribute
from ..context import Context
from ..values import Callee, Dct, Lst, Obj, Tup, Value

CONVERTING = (np.asarray, np.asanyarray, np.array)


def by_protocol(cx: Context, fn: Callee, args: Sequence[Value], kwargs: dict[str, Value]) -> Any:
    """The result by a method of an operand, or None: there is none that has it."""
    if not any(isinstance(a, (Obj, Lst, Tup)) for a in (*args, *kwargs.values())):
        return None
    if isinstance(fn, np.ufunc):
        owner = next(having("__array_ufunc__", args), None)
        if owner is None:
            return None
        method = load_attribute(cx, owner, "__array_ufunc__")
        found = doors.call(cx, method, [Lit(fn), Lit("__call__"), *args], dict(kwargs))
    elif fn in CONVERTING and args and isinstance(args[0], Obj):
        owner = next(having("__array__", args[:1]), None)
        if owner is None:
            return None
        made = doors.call(cx, load_attribute(cx, owner, "__array__"), [], {})
        found = doors.call(cx, Lit(fn), [made, *args[1:]], dict(kwargs))
    elif hasattr(fn, "_implementation"):
        owner = next(having("__array_function__", operands(cx, args, kwargs)), None)
        if owner is None:
            return None
        method = load_attribute(cx, owner, "__array_function__")
        found = doors.call(
            cx, method, [Lit(fn), Tup((Lit(owner.cls),)), Tup(tuple(args)), Dct(dict(kwargs))], {}
        )
    else:
        return None
    if isinstance(found, Lit) and found.value is NotImplemented:
        raise cx.unsupported(
            f"`{fn.__name__}` of this object", "its class does not define it", "call a method"
        )
    return found


def operands(cx: Context, args: Sequence[Value], kwargs: dict[str, Value]) -> Iterator[Value]:
    """The arguments, and what is in lists and tuples of them."""
    for value in (*args, *kwargs.values()):
        content = (
            value.items if isinstance(value, Tup) else cx.state.get(value) if isinstance(value, Lst) else ()
        )
        yield value
        yield from content if isinstance(content, tuple) else ()


def having(name: str, values: Sequence[Value] | Iterator[Value]) -> Iterator[Obj]:
    """The objects whose class has a method of its own with this name."""
    for value in values:
        if isinstance(value, Obj) and isinstance(getattr(value.cls, name, None), types.FunctionType):
            yield value
