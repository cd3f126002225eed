"""What do the methods of dicts do?"""

from __future__ import annotations

from typing import Any

from ....rules import dicts
from ...ir.ops import Lit, Var
from ...ir.types import ANY_KEY, Scalar, type_of
from .. import doors
from ..context import Context
from ..conversion import from_python
from ..store.dicts import (
    copy_entries,
    fill,
    get_entry,
    is_run_time,
    pop_entry,
    set_default,
    set_entries,
    shown_as,
)
from ..store.identities import no_such_key, set_dict, view_of
from ..tables import handles, method
from ..values import Dct, Tup, Value


@handles(dicts.member)
def b_member(cx: Context, value: Value) -> Any:
    """A number that may have a derivative is a key of which nothing is known but that it can be looked up."""
    if isinstance(value, Tup):
        return Tup(tuple(b_member(cx, item) for item in value.items), value.cls)
    type = value.type if isinstance(value, Var) else type_of(value.value) if isinstance(value, Lit) else None
    if isinstance(type, Scalar) and type.kind in ("float", "complex"):
        return cx.builder.opaque(dicts.member, (value,), ANY_KEY)
    return value


@method("dict", "get")
def dict_get(cx: Context, base: Dct, key: Value, default: Value = Lit(None)) -> Any:
    if is_run_time(cx, base, key):
        return get_entry(cx, base, key, default)
    return cx.state.get(base).get(cx.demand(key, "a dict key"), default)


@method("dict", "items")
def dict_items(cx: Context, base: Dct) -> Any:
    if isinstance(cx.state.get(base), Var):
        return shown_as(cx, base, "items")
    items = [Tup((from_python(cx, k), v)) for k, v in cx.state.get(base).items()]
    return view_of(cx, base, "items", items)


@method("dict", "keys")
def dict_keys(cx: Context, base: Dct) -> Any:
    if isinstance(cx.state.get(base), Var):
        return shown_as(cx, base, "keys")
    return view_of(cx, base, "keys", [from_python(cx, k) for k in cx.state.get(base)])


@method("dict", "values")
def dict_values(cx: Context, base: Dct) -> Any:
    if isinstance(cx.state.get(base), Var):
        return shown_as(cx, base, "values")
    return view_of(cx, base, "values", cx.state.get(base).values())


@method("dict", "copy")
def dict_copy(cx: Context, base: Dct) -> Any:
    if isinstance(cx.state.get(base), Var):
        return copy_entries(cx, base)
    return Dct(dict(cx.state.get(base)), base.cls)


@method("dict", "clear")
def dict_clear(cx: Context, base: Dct) -> Any:
    set_entries(cx, base, {})
    return Lit(None)


@method("dict", "update")
def dict_update(cx: Context, base: Dct, other: Value | None = None, **kwargs: Value) -> Any:
    run_time = [one for one in (base, other) if isinstance(one, Dct) and isinstance(cx.state.get(one), Var)]
    if run_time:
        for more in (other, Dct(dict(kwargs))):
            if more is not None:
                fill(cx, base, dict_items(cx, more) if isinstance(more, Dct) else more)
        return Lit(None)
    extra = cx.state.get(doors.b_dict(cx, other)) if other is not None else {}
    set_dict(cx, base, {**cx.state.get(base), **extra, **kwargs})
    return Lit(None)


@method("dict", "setdefault")
def dict_setdefault(cx: Context, base: Dct, key: Value, default: Value = Lit(None)) -> Any:
    if is_run_time(cx, base, key):
        return set_default(cx, base, key, default)
    name = cx.demand(key, "a dict key")
    if name not in cx.state.get(base):
        set_dict(cx, base, {**cx.state.get(base), name: default})
    return cx.state.get(base)[name]


@method("dict", "pop")
def dict_pop(cx: Context, base: Dct, key: Value, *default: Value) -> Any:
    if is_run_time(cx, base, key):
        return pop_entry(cx, base, key, *default)
    content = dict(cx.state.get(base))
    name = cx.demand(key, "a dict key")
    if name not in content and default:
        return default[0]
    if name not in content:
        raise no_such_key(cx, name)
    found = content.pop(name)
    set_dict(cx, base, content)
    return found
