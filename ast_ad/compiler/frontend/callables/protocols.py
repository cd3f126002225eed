"""What do functions of NumPy's do with objects whose classes say it themselves?

``__array_ufunc__`` and ``__array_function__`` are asked as NumPy asks them, the first operand that has one
first; ``__array__`` gives the array that ``np.asarray`` makes of an object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...ir.ops import Lit
from .. import doors
from ..constructs.special_methods import class_of, special
from ..context import Context
from ..values import Bound, Callee, Dct, Live, Lst, Obj, Tup, Value

CONVERTING = (np.asarray, np.asanyarray, np.array, np.atleast_1d, np.ascontiguousarray)


def by_protocol(cx: Context, fn: Callee, args: Sequence[Value], kwargs: dict[str, Value]) -> Any:
    """The result by a method of an operand, or None: there is none that has it."""
    if not any(isinstance(a, (Obj, Live, Lst, Tup)) for a in (*args, *kwargs.values())):
        return None
    if isinstance(fn, np.ufunc):
        owner, method = next(having(cx, "__array_ufunc__", args), (None, None))
        if owner is None or method is None:
            return None
        found = doors.call(cx, method, [Lit(fn), Lit("__call__"), *args], dict(kwargs))
    elif any(fn is known for known in CONVERTING) and args and isinstance(args[0], (Obj, Live)):
        owner, method = next(having(cx, "__array__", args[:1]), (None, None))
        if owner is None or method is None:
            return None
        made = doors.call(cx, method, [], {})
        found = doors.call(cx, Lit(fn), [made, *args[1:]], dict(kwargs))
    elif hasattr(fn, "_implementation"):
        owner, method = next(having(cx, "__array_function__", operands(cx, args, kwargs)), (None, None))
        if owner is None or method is None:
            return None
        asked = Lit(fn), Tup((Lit(class_of(owner)),)), Tup(tuple(args)), Dct(dict(kwargs))
        found = doors.call(cx, method, list(asked), {})
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


def having(
    cx: Context, name: str, values: Sequence[Value] | Iterator[Value]
) -> Iterator[tuple[Value, Bound]]:
    """The objects whose class has a method of its own with this name, and that method."""
    for value in values:
        method = special(cx, value, name) if isinstance(value, (Obj, Live)) else None
        if method is not None:
            yield value, method
