"""What does a library's function make of None?

Most raise an exception, compiled as ever. `np.sum(None)` is None, so that its result may be None, too. But
`np.ndim(None)`, `np.asarray(None)` or `None == 1.0` have a result of another kind, of which no type tells.
A list that began as `[None] * n` is looked through when the program runs: with None in it the call is traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ....interrupts import let_through
from ....rules.required import require_none_absent
from ...ir.ops import Op, Var
from ...ir.types import ListOf, Optional
from ..context import Context
from ..types.dummies import quietly
from ..types.several import of_several
from ..types.type_questions import python_dummies, python_dummy
from ..values import Arr, Callee, Lst, Tup, Value


def require_present(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> None:
    """Refuse an argument that may be None, if the function makes something of None.

    Raises:
        UnsupportedError: then the program is traced.
    """
    given = (*args, *kwargs.values())
    optional = [v for value in given for v in _leaves(cx, value) if _may_be_none(cx, v)]
    for absent in dict.fromkeys(optional):
        dummies = [_dummy(cx, value, absent) for value in given]
        named = dict(zip(kwargs, dummies[len(args) :], strict=True))
        try:
            result = quietly(fn, dummies[: len(args)], named)
        except Exception as problem:
            let_through(problem)
            continue
        if result is not None and _is_list(cx, absent):  # filled meanwhile, most of the time
            items = _items(cx, absent) if isinstance(absent, Lst) else cx.variable(absent)
            cx.builder.append(Op(require_none_absent, (items,), (), {}, cx.builder.span, effect=True))
        elif result is not None:
            name = getattr(fn, "__name__", "this function")
            error = cx.unsupported(
                f"`{name}` of what may be None", "of None it makes something else", "test for None before"
            )
            raise of_several(error, cx.variable(absent))


LIBRARIES = "numpy", "scipy"


@contextmanager
def asked(cx: Context, fn: Callee, args: list[Value], kwargs: dict[str, Value]) -> Iterator[None]:
    """While a Python function is called, whether it is the user's code that asks a library for the result."""
    outer = cx.asked
    if isinstance(fn, np.ufunc) or _package(getattr(fn, "__module__", None)) in LIBRARIES:
        ours = cx.inputs is None or _package(cx.frame.globals.get("__name__")) in (*LIBRARIES, "ast_ad")
        if outer is not cx.frame and not ours:
            require_present(cx, fn, args, kwargs)
        cx.asked = cx.frame
    try:
        yield
    finally:
        cx.asked = outer


def _package(module: str | None) -> str:
    return (module or "").partition(".")[0]


def _leaves(cx: Context, value: Value) -> Iterator[Value]:
    items = _items(cx, value)
    if isinstance(items, (list, tuple)):
        for item in items:
            yield from _leaves(cx, item)
    elif isinstance(value, (Var, Arr, Lst)):
        yield value


def _items(cx: Context, value: Value) -> Any:
    """What a tuple or list holds; a Var, if that is known at run time only; None for anything else."""
    if isinstance(value, Tup):
        return value.items
    return cx.state.get(value) if isinstance(value, Lst) else None


def _may_be_none(cx: Context, value: Value) -> bool:
    type = _items(cx, value).type if isinstance(value, Lst) else cx.variable(value).type
    return isinstance(type.element if isinstance(type, ListOf) else type, Optional)


def _is_list(cx: Context, value: Value) -> bool:
    """Whether it is a list whose length is known at run time only, and which may hold None."""
    items = _items(cx, value) if isinstance(value, Lst) else cx.variable(value)
    return isinstance(items, Var) and isinstance(items.type, ListOf)


def _dummy(cx: Context, value: Value, absent: Value) -> Any:
    """A Python object of the value's class, where ``absent`` is None, or a list of it."""
    items = _items(cx, value)
    if isinstance(items, (list, tuple)):
        return [_dummy(cx, item, absent) for item in items]
    if isinstance(value, Lst) or isinstance(value, Var) and isinstance(value.type, ListOf):
        return [None if value is absent else 0.5]
    if value is absent:
        return None
    return python_dummies(cx, value)[-1] if isinstance(value, (Var, Arr)) else python_dummy(cx, value)
