"""What does a dict do whose keys are known at run time only?

Its content in the store is a value of the program, a ``DictOf``. What it holds are elements, as those of a
list of run-time length are (holding.py): an array or a list that is read out of it is a view of it. Keys are
ints, strings and tuples of them, which carry no derivative, and all of one type.
"""

from __future__ import annotations

import contextlib
from typing import Any

from ....rules import dicts
from ...ir.ops import Arg, Lit, Op, Var, variables
from ...ir.types import NOTHING, Array, DictOf, ListOf, Opaque, Scalar, dict_of, element_of
from .. import doors
from ..builder import type_of_arg
from ..constructs.boundness import Raised
from ..constructs.branches import branch, choose
from ..constructs.subscripts import element, load_item, window
from ..context import Context
from ..loops.written_out import write_out_for
from ..tables import method
from ..types.joins import ShapeChange, join, join_dicts
from ..values import Dct, Iterable, Lst, Tup, Value
from .holding import element_value, hold_element, pools_of, popped, refers, settled, share
from .identities import changed, check_run_over
from .inner_lists import load_inner
from .keys import key_type


# ----- keys
def is_run_time(cx: Context, base: Dct, key: Value) -> bool:
    """Whether a look-up has to be made at run time; perhaps the key can be made static instead."""
    if isinstance(cx.state.get(base), Var):
        return True
    if cx.is_static(key):
        return False
    if cx.inputs is not None:
        cx.inputs.demand(list(variables(cx.arg(key))))
        write_out_for(cx, key)
    key_arg(cx, key)
    return True


def key_arg(cx: Context, key: Value) -> Arg:
    """A key as an argument."""
    arg = cx.arg(key)
    if key_type(arg) is None:
        raise cx.unsupported(
            "a dict key that is known at run time only",
            "it is no int, string, or tuple of them",
            "use an int",
        )
    return arg


# ----- the content
def entries(cx: Context, base: Dct) -> Var:
    """The content of a dict as a run-time dict; from now on it is one."""
    content = cx.state.get(base)
    if isinstance(content, Var):
        return content
    if base.cls is not dict or base.serial < 0:
        raise cx.unsupported(
            "a dict key that is known at run time only",
            "the structure of the program depends on it",
            "use an array",
        )
    var = dynamic_dict(cx, content, base)
    cx.state.set(base, var)
    return var


def dynamic_dict(cx: Context, content: dict[Any, Value], base: Dct) -> Var:
    """``{k: v}`` at run time."""
    var = cx.builder.opaque(dicts.dict_empty, (), DictOf(NOTHING, NOTHING))
    for key, value in content.items():
        hold_element(cx, pools_of(cx, base), value, once=True)
        var = stored(cx, var, key_arg(cx, Lit(key)), doors.element_arg(cx, value))
    return var


def stored(cx: Context, content: Var, key: Arg, value: Arg) -> Var:
    """The content with ``value`` at ``key``."""
    kind = key_type(key)
    assert kind is not None and isinstance(content.type, DictOf)
    try:
        type = join_dicts(content.type, dict_of(kind, type_of_arg(value)))
    except ShapeChange as change:
        raise cx.unsupported(
            "a dict with unlike keys or values, whose keys are known at run time only",
            change.among("a value"),
            "give all of them one type",
        ) from None
    after = cx.builder.opaque(dicts.dict_set, (content, key, value), type)
    after.hint = content.hint
    return after


def set_entries(cx: Context, base: Dct, content: Any, key: Value | None = None) -> None:
    """The dict holds ``content`` from now on; ``key``: the only one that may have been added."""
    check_run_over(cx, base, key)
    settled(cx, base)
    changed(cx, base)
    cx.state.set(base, content)


# ----- one entry
def load_entry(cx: Context, base: Dct, key: Value) -> Any:
    """``d[k]``."""
    content, position = entries(cx, base), key_arg(cx, key)
    assert isinstance(content.type, DictOf)
    if content.type.key == NOTHING:
        raise_key_error(cx, content, position)
    value = element_of(content.type)
    if isinstance(value, ListOf):
        return load_inner(cx, base, content, position)
    if not isinstance(value, Array):
        return element_value(cx, base, cx.builder.opaque(dicts.dict_get, (content, position), value))
    return window(
        cx,
        base,
        lambda v: cx.builder.opaque(dicts.dict_get, (v, position), value),
        lambda v, new: cx.builder.opaque(dicts.dict_set, (v, position, new), v.type),
        None,
        value,
    )


def raise_key_error(cx: Context, content: Var, key: Arg) -> None:
    """Read an entry of a dict that has none."""
    never = (Var(Opaque()),)
    cx.builder.append(Op(dicts.dict_get, (content, key), never, {}, cx.builder.span, effect=True))
    raise Raised


def store_entry(cx: Context, base: Dct, key: Value, value: Value) -> None:
    """``d[k] = v``."""
    content, position = entries(cx, base), key_arg(cx, key)
    set_entries(cx, base, stored(cx, content, position, element(cx, base, value)), key)


def has_entry(cx: Context, base: Dct, key: Value) -> Any:
    """``k in d``."""
    content = entries(cx, base)
    assert isinstance(content.type, DictOf)
    if content.type.key == NOTHING:
        return Lit(False)
    return cx.builder.opaque(dicts.dict_has, (content, key_arg(cx, key)), Scalar("bool"))


def get_entry(cx: Context, base: Dct, key: Value, default: Value) -> Any:
    """``d.get(k, default)``."""
    content, position = entries(cx, base), key_arg(cx, key)
    assert isinstance(content.type, DictOf)
    if content.type.key == NOTHING:
        return default
    if isinstance(default, Lit) and isinstance(content.type.element, Scalar):
        with contextlib.suppress(ShapeChange):
            type = join(content.type.element, type_of_arg(default))
            return cx.wrap_var(cx.builder.opaque(dicts.dict_get_or, (content, position, default), type))
    return choose(cx, has_entry(cx, base, key), lambda: load_entry(cx, base, key), lambda: default)


def set_default(cx: Context, base: Dct, key: Value, default: Value) -> Any:
    """``d.setdefault(k, default)``."""
    there = has_entry(cx, base, key)
    if isinstance(there, Lit):
        store_entry(cx, base, key, default)
    else:
        branch(cx, there, lambda: None, lambda: store_entry(cx, base, key, default), None)
    return load_entry(cx, base, key)


def pop_entry(cx: Context, base: Dct, key: Value, *default: Value) -> Any:
    """``d.pop(k)``, or ``d.pop(k, default)``."""
    content, position = entries(cx, base), key_arg(cx, key)
    assert isinstance(content.type, DictOf)
    if content.type.key == NOTHING:
        if default:
            return default[0]
        raise_key_error(cx, content, position)
    if default:
        there = has_entry(cx, base, key)
        return choose(cx, there, lambda: pop_entry(cx, base, key), lambda: default[0])
    rest, item = Var(content.type, content.hint), Var(element_of(content.type))
    cx.builder.append(Op(dicts.dict_pop, (content, position), (rest, item), {}, cx.builder.span))
    set_entries(cx, base, rest)
    return popped(cx, base, item)


def copy_entries(cx: Context, base: Dct) -> Dct:
    """``d.copy()``."""
    content = entries(cx, base)
    assert isinstance(content.type, DictOf)
    if refers(content.type.element):
        share(cx, pools_of(cx, base), "an array or list that is an element of several dicts")
    return Dct(content, pools=base.pools)


# ----- all entries
def shown_as(cx: Context, base: Dct, what: str) -> Iterable:
    """``d``, ``d.values()`` or ``d.items()`` of a run-time dict, as something to run over."""
    content = entries(cx, base)
    assert isinstance(content.type, DictOf)
    keys = Lst(cx.builder.opaque(dicts.dict_keys, (content,), ListOf(content.type.key)))
    return Iterable("entries", (base, keys), (what, []))


@method("iterable", "entries")
def indexable_entries(cx: Context, source: Iterable) -> Any:
    base, keys = source.sources
    what, handed = source.start

    def get(index: Value) -> Any:
        key = load_item(cx, keys, index)
        handed.append(key)
        if what == "keys":
            return key
        value = load_entry(cx, base, key)
        return value if what == "values" else Tup((key, value))

    return doors.length(cx, keys), get


def fill(cx: Context, base: Dct, pairs: Value) -> None:
    """``d[k] = v`` for each of the pairs."""

    def store(pair: Value) -> None:
        key, value = doors.items_of(cx, pair, 2)
        store_entry(cx, base, key, value)

    doors.run_for(cx, pairs, store, set())


doors.dynamic_dict = dynamic_dict
doors.has_entry = has_entry
doors.is_run_time = is_run_time
doors.load_entry = load_entry
doors.pop_entry = pop_entry
doors.shown_as = shown_as
doors.store_entry = store_entry
