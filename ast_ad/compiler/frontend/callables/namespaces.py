"""Which array library does a program ask for, and which module by its name?

``x.__array_namespace__()``, ``importlib.import_module(name)`` and ``sys.modules[name]`` are how code that is
written for several array libraries finds the one of its arguments. For arrays of NumPy's the answer is known
when the program is read; that a module still stands under its name is guarded.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

from ...ir.ops import Lit
from .. import doors
from ..constructs.attributes import load_attribute
from ..context import Context
from ..guards import Path
from ..outside_values import global_value, has_outside, load_live_item
from ..store.outer_stores import GLOBALS
from ..tables import handles, method
from ..values import Live, Value


@method("array", "__array_namespace__")
def array_namespace(cx: Context, receiver: Value, **options: Value) -> Any:
    """NumPy; another version of the standard than it has is an error, which NumPy raises."""
    version = {name: cx.demand(value, f"`{name}`") for name, value in options.items()}
    if version.get("api_version") is None:
        return Lit(np)
    return doors.fold(cx, lambda: np.empty(0).__array_namespace__(**version))


@handles(importlib.import_module, __import__)
def b_import_module(cx: Context, name: Value, *more: Value, **options: Value) -> Any:
    """A module that is loaded; whether it can be is asked of Python, once."""
    label = cx.demand(name, "the name of a module")
    if more or options or not isinstance(label, str) or label.startswith(".") or label not in sys.modules:
        raise cx.unsupported(f"the import of `{label}`", "it is not loaded yet", "import it before the call")
    return doors.load_item(cx, loaded_modules(), Lit(label))


def loaded_modules() -> Live:
    return Live(sys.modules, Path.of_module(sys, "modules"))


@method("outside dict", "get")
def get_outside(cx: Context, base: Live, key: Value, default: Value = Lit(None)) -> Any:
    """``sys.modules.get(name)``, ``globals().get(name)``."""
    there = has_outside(cx, base, key)
    if isinstance(there, Lit):
        return load_live_item(cx, base, key) if there.value else default
    name = cx.demand(key, "a key of an outside dict")
    return doors.choose(cx, there, lambda: global_value(cx, base.value, name), lambda: default)


# Of dicts from outside: ``super().__getitem__(key)`` in a class of them. Others have methods of their own.
@handles(dict.get)
def get_of_dict(cx: Context, base: Live, key: Value, default: Value = Lit(None)) -> Any:
    return get_outside(cx, base, key, default)


@handles(dict.__getitem__)
def item_of_dict(cx: Context, base: Live, key: Value) -> Any:
    return load_live_item(cx, base, key)


@handles(dict.__contains__)
def has_item_of_dict(cx: Context, base: Live, key: Value) -> Any:
    return has_outside(cx, base, key)


@handles(globals)
def b_globals(cx: Context) -> Any:
    """The names of the module whose function is being read."""
    space = cx.frame.globals
    return Live(space, Path.of_object(space, GLOBALS))


@handles(vars)
def b_vars(cx: Context, *owner: Value) -> Any:
    if not owner:
        raise cx.unsupported("vars()", "it is the names of the frame", "use a dict")
    return load_attribute(cx, owner[0], "__dict__")
