"""What do ``operator.itemgetter``, ``attrgetter`` and ``methodcaller`` get, made within or outside?"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...ir.ops import Lit
from .. import doors
from ..constructs.attributes import load_attribute
from ..context import Context
from ..conversion import from_python
from ..tables import Intrinsic, handles
from ..values import Bound, Callee, Tup, Value

GETTERS = operator.itemgetter, operator.attrgetter, operator.methodcaller


@handles(operator.itemgetter)
def b_itemgetter(cx: Context, *keys: Value) -> Any:
    return Bound(Lit(Intrinsic(get_items)), (Tup(keys),))


def get_items(cx: Context, keys: Tup, value: Value) -> Any:
    found = tuple(doors.load_item(cx, value, key) for key in keys.items)
    return found[0] if len(found) == 1 else Tup(found)


@handles(operator.attrgetter)
def b_attrgetter(cx: Context, *names: Value) -> Any:
    return Bound(Lit(Intrinsic(get_attributes)), (Tup(names),))


def get_attributes(cx: Context, names: Tup, value: Value) -> Any:
    found = []
    for name in names.items:
        part = value
        for step in cx.demand(name, "an attribute name").split("."):
            part = load_attribute(cx, part, step)
        found.append(part)
    return found[0] if len(found) == 1 else Tup(tuple(found))


@handles(operator.methodcaller)
def b_methodcaller(cx: Context, name: Value, *args: Value, **kwargs: Value) -> Any:
    return Bound(Lit(Intrinsic(call_method_of)), (name, Tup(args)), kwargs)


def call_method_of(cx: Context, name: Value, args: Tup, value: Value, **kwargs: Value) -> Any:
    method = load_attribute(cx, value, cx.demand(name, "the name of a method"))
    return doors.call(cx, method, list(args.items), kwargs)


def made_outside(cx: Context, fn: Callee) -> Callable[..., Any] | None:
    """How a getter that was made outside is read: it tells what it was made with, and never changes."""
    if type(fn) not in GETTERS:
        return None
    reduced: Any = fn.__reduce__()
    make, given = reduced
    if type(make) is not type:  # functools.partial, for keywords
        return lambda value: call_method_of(
            cx,
            from_python(cx, make.args[0]),
            Tup(tuple(from_python(cx, a) for a in given)),
            value,
            **{k: from_python(cx, v) for k, v in make.keywords.items()},
        )
    getter = doors.call(cx, Lit(make), [from_python(cx, part) for part in given], {})
    return lambda value: doors.call(cx, getter, [value], {})
