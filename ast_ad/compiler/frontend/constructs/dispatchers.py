"""Which function does ``functools.singledispatch`` choose, and ``singledispatchmethod``?"""

from __future__ import annotations

import functools
import types
from typing import Any

from ...ir.ops import Lit
from .. import doors
from ..context import Context
from ..guards import Guard, Path
from ..tables import Intrinsic
from ..types.type_questions import asked
from ..values import Bound, Live, Obj, Value


def is_dispatcher(fn: object) -> bool:
    """Whether it is a function that ``functools.singledispatch`` has made."""
    return isinstance(fn, types.FunctionType) and fn.__code__ is DISPATCHER


DISPATCHER = functools.singledispatch(lambda _: None).__code__  # type: ignore[attr-defined]


def call_dispatcher(cx: Context, fn: Any, *args: Value, **kwargs: Value) -> Any:
    """A call of such a function: of the implementation for the class of the first argument."""
    if not args:
        raise cx.unsupported("a call without arguments", "the first one chooses the function", "pass it")
    return doors.call(cx, Lit(implementation(cx, fn, args[0])), list(args), kwargs)


def method_for(raw: functools.singledispatchmethod[Any], base: Obj | Live) -> Bound:
    """What reading such a method of an object gives."""
    return Bound(Lit(Intrinsic(call_dispatched)), (Lit(raw), base))


def call_dispatched(cx: Context, method: Lit, base: Value, *args: Value, **kwargs: Value) -> Any:
    """The same for ``functools.singledispatchmethod``: the implementation is a method."""
    if not args:
        raise cx.unsupported("a call without arguments", "the first one chooses the method", "pass it")
    found = implementation(cx, method.value.dispatcher, args[0])
    owner: Any = base
    if isinstance(found, classmethod):
        owner = Lit(base.cls if isinstance(base, Obj) else type(base.value))  # type: ignore[union-attr]
    given = args if isinstance(found, staticmethod) else (owner, *args)
    return doors.call(cx, Lit(getattr(found, "__func__", found)), list(given), kwargs)


def implementation(cx: Context, fn: Any, argument: Value) -> Any:
    """The function that is registered for the class of a value: which ones there are is guarded."""
    cls = asked(cx, type, argument)
    if cx.inputs is not None:
        registry = Path.of_object(fn, fn.__name__).attribute("registry")
        cx.inputs.guards.add(Guard.keys(registry, fn.registry))
        for one, registered in fn.registry.items():
            cx.inputs.guards.add(Guard.value(registry.item(one), registered))
    return fn.dispatch(cls)
