"""What does ``obj.name = value`` do? What its class says: a slot, a setter, a ``__setattr__``."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from ....rules.memory import ArrayFlags
from ...ir.ops import Lit, Var
from ...ir.types import Array, Scalar
from .. import doors
from ..context import Context
from ..guards import ATTRIBUTE, ITEM, Guard, Path
from ..outside_values import class_member, class_stays, outside_value
from ..store.identities import set_attribute, without_attribute
from ..store.memory_layouts import OWNER, set_writeable
from ..store.outer_stores import (
    Attributes,
    found_in_class,
    is_bound,
    is_stored,
    read,
    store,
    store_attribute_outside,
    store_global,
)
from ..store.sole_names import set_shape
from ..tables import handles, method
from ..types.type_questions import require_plain
from ..values import Arr, Live, Maybe, Obj, Unbound, Value
from .attributes import load_attribute
from .descriptors import store_by_code
from .local_classes import is_local, store_slot
from .own_attributes import own_attribute

# Of an array's attributes those that show the array itself, so that their setters write what is there.
WRITTEN = "real", "imag"


def store_attribute(cx: Context, base: Value, name: str, value: Value) -> None:
    """``base.name = value``."""
    cls = base.cls if isinstance(base, Obj) else type(base.value) if isinstance(base, Live) else object
    hook = cls.__setattr__
    if isinstance(hook, types.FunctionType):
        class_member(cx, cls, "__setattr__")
        doors.call(cx, Lit(hook), [base, Lit(name), value], {})
    else:
        store_plainly(cx, base, name, value)


def store_flag(cx: Context, flags: Obj, name: str, value: Value) -> None:
    if name != "writeable":
        why = "arrays lie as they lie, but for this one flag"
        raise cx.unsupported(f"a store to `flags.{name}` of an array", why, "leave it out")
    set_writeable(cx, cx.state.get(flags)[OWNER], value)


@handles(object.__setattr__)
def b_object_setattr(cx: Context, base: Value, name: Value, value: Value) -> Any:
    store_plainly(cx, base, cx.demand(name, "an attribute name"), value, hooked=True)
    return Lit(None)


def store_plainly(cx: Context, base: Value, name: str, value: Value, hooked: bool = False) -> None:
    """What ``object.__setattr__`` does; ``hooked``: it was asked for by name."""
    if isinstance(base, Obj):
        if base.cls is ArrayFlags:
            store_flag(cx, base, name, value)
            return
        if not store_by_code(cx, base, base.cls, name, value):
            require_plain(cx, base.cls, name, "__setattr__", hooked)
            class_stays(cx, base.cls, "__setattr__")
            set_attribute(cx, base, name, value)
        return
    if isinstance(base, Arr) and name == "shape":
        set_shape(cx, base, value)
        return
    if isinstance(base, Arr) and name in WRITTEN and (name == "real" or is_complex(cx, base)):
        doors.store_item(cx, load_attribute(cx, base, name), Lit(...), value)
        return
    if isinstance(base, Arr) and name == "flat":
        doors.store_item(cx, load_attribute(cx, base, name), Lit(...), value)
        return
    if isinstance(base, Live):
        if not store_by_code(cx, base, type(base.value), name, value):
            store_attribute_outside(cx, base.value, base.path, name, value, hooked)
        return
    owner = base.value if isinstance(base, Lit) else None
    if isinstance(owner, type) and is_local(owner):
        store_slot(cx, owner, name, value)
    elif isinstance(owner, (type, types.FunctionType)):
        store_attribute_outside(cx, owner, Path.of_object(owner, owner.__name__), name, value)
    elif type(owner) is types.ModuleType:
        store_global(cx, vars(owner), name, value)
    elif has_no_attributes(cx, base, name):
        why = "numbers and arrays take none"
        raise cx.unsupported(f"assignment to attribute `{name}`", why, "use a variable", AttributeError)
    else:
        raise cx.unsupported(
            f"assignment to attribute `{name}`",
            "the object outlives the call",
            "return the value instead, or create the object inside the function",
        )


def delete_attribute(cx: Context, base: Value, name: str) -> None:
    """``del base.name``, of an object of the program's own that certainly has it."""
    held = cx.state.get(base).get(name) if isinstance(base, Obj) else None
    if not isinstance(base, Obj) or held is None or isinstance(held, (Maybe, Unbound)):
        raise cx.unsupported(
            f"`del` of the attribute `{name}`", "whether the object has it can't be told", "rebind it instead"
        )
    raw = found_in_class(base.cls, name)
    slot = isinstance(raw, types.MemberDescriptorType)
    deleting: Any = base.cls.__delattr__
    usual = deleting in (object.__delattr__, types.SimpleNamespace.__delattr__)
    if not usual or hasattr(type(raw), "__delete__") and not slot:
        raise cx.unsupported(
            f"`del` of the attribute `{name}`", "its class has code for that", "rebind it instead"
        )
    class_stays(cx, base.cls, "__delattr__")
    class_stays(cx, base.cls, name)
    without_attribute(cx, base, name)


def is_complex(cx: Context, base: Arr) -> bool:
    """Whether it is certainly an array of complex numbers: the imaginary parts of others can't be set."""
    type = cx.read(base).type
    return isinstance(type, Array) and type.dtype is not None and type.dtype.kind == "c"


def has_no_attributes(cx: Context, base: Value, name: str) -> bool:
    """Whether it is a number or an array, neither of which takes an attribute of such a name."""
    if any(hasattr(cls, name) for cls in (np.ndarray, np.generic, float, int)):
        return False
    if isinstance(base, Lit):
        return isinstance(base.value, (bool, int, float, complex, np.generic))
    content = cx.read(base) if isinstance(base, Arr) else base
    return isinstance(content, Var) and isinstance(content.type, (Scalar, Array))


# ----- ``obj.__dict__``
def is_hidden(base: Attributes, name: str) -> bool:
    """Whether the class has something under a name that is asked before ``__dict__`` is."""
    assert base.base is not None
    return hasattr(type(found_in_class(type(base.base.value), name)), "__set__")


def load_entry(cx: Context, base: Attributes, key: Value) -> Any:
    """``obj.__dict__[key]``"""
    name, owner = cx.demand(key, "the name of an attribute"), base.base
    assert owner is not None
    path = base.path.item(name)

    def load() -> Any:
        if name not in base.value:
            error = KeyError(name)
            raise cx.unsupported(f"an item {name!r}", "there is no such attribute", "check it", None, error)
        cx.outside().guards.add(Guard.present(path))
        return outside_value(cx, base.value[name], path)

    if is_hidden(base, name):
        return read(cx, base.value, base.path, ITEM, name, name, load)
    if name in base.value:
        cx.outside().guards.add(Guard.present(path))
        return own_attribute(cx, owner.value, owner.path, name)
    cx.outside().guards.add(Guard.missing(path))
    return read(cx, owner.value, owner.path, ATTRIBUTE, name, name, load)


def store_entry(cx: Context, base: Attributes, key: Value, value: Value) -> None:
    """``obj.__dict__[key] = value``, which asks no code of the class."""
    name, owner = cx.demand(key, "the name of an attribute"), base.base
    assert owner is not None
    if is_hidden(base, name):
        store(cx, cx.outside().places.of(base.value, base.path, ITEM, name, name), value)
    else:
        store_attribute_outside(cx, owner.value, owner.path, name, value, hooked=True)


def has_entry(cx: Context, base: Attributes, key: Value) -> Any:
    """``key in obj.__dict__``: a boolean, known or not."""
    name, owner = cx.demand(key, "the name of an attribute"), base.base
    assert owner is not None
    place = base.value if is_hidden(base, name) else owner.value
    if is_stored(cx, place, name):
        bound = is_bound(cx, place, name)
        if cx.static_value(bound) is True or name not in base.value:
            return bound
    there = name in base.value
    cx.outside().guards.add((Guard.present if there else Guard.missing)(base.path.item(name)))
    return Lit(there)


@method("attributes", "get")
def attributes_get(cx: Context, base: Attributes, key: Value, default: Value = Lit(None)) -> Any:
    there = has_entry(cx, base, key)
    if isinstance(there, Lit):
        return load_entry(cx, base, key) if there.value else default
    return doors.choose(cx, there, lambda: load_entry(cx, base, key), lambda: default)


@method("attributes", "setdefault")
def attributes_setdefault(cx: Context, base: Attributes, key: Value, default: Value = Lit(None)) -> Any:
    there = has_entry(cx, base, key)
    if not isinstance(there, Lit):
        raise cx.unsupported(
            "setdefault of an attribute that is there on some paths", "it is not followed", "use `if`"
        )
    if not there.value:
        store_entry(cx, base, key, default)
    return load_entry(cx, base, key)


@method("attributes", "update")
def attributes_update(cx: Context, base: Attributes, other: Value | None = None, **kwargs: Value) -> Any:
    entries = {} if other is None else cx.state.get(doors.b_dict(cx, other))
    for name, value in {**entries, **kwargs}.items():
        store_entry(cx, base, Lit(name), value)
    return Lit(None)


@method("attributes", "pop")
def attributes_pop(cx: Context, base: Attributes, key: Value, *default: Value) -> Any:
    there = has_entry(cx, base, key)
    if default and isinstance(there, Lit) and not there.value:
        return default[0]
    raise cx.unsupported("an attribute that is deleted", "the compiler does not follow it", "rebind it")
