"""How are functions and values called in messages, and which of a function's parameters decide structure?"""

from __future__ import annotations

import functools
import inspect

import numpy as np

from ...rules.registry import lookup
from ..ir.show import ufunc_name
from .values import Callee, Value

SPLITS = frozenset("split array_split hsplit vsplit dsplit unsplit".split())
ITERATED = {np.diff, np.linalg.matrix_power}
STRUCTURAL = frozenset(
    "axis axes axis1 axis2 axisa axisb axisc source destination ord kth ndmin indices_or_sections"
    " pad_width deg keepdims subscripts".split()
)


def is_free(fn: Callee, name: str, places: bool) -> bool:
    """Whether there are as many results, with as many axes, whatever a structural argument is.

    ``places``: whether it is a sequence, the places of cuts.
    """
    if fn is np.diff:
        return name == "n"
    if name == "pad_width":
        return getattr(fn, "__name__", "") in ("pad", "unpadded", "folded")
    return places and name == "indices_or_sections" and getattr(fn, "__name__", "") in SPLITS


@functools.cache
def parameter_names(fn: Callee) -> tuple[str, ...]:
    """The names of a function's parameters, where NumPy tells them, or its derivative rule."""
    if isinstance(fn, np.ufunc):
        return ()
    if not (getattr(fn, "__module__", None) or "").startswith(("numpy", "ast_ad")):
        primitive = lookup(fn)
        given = {"composite": 0, "vjp": 2}.get(primitive.kind if primitive is not None else "")
        if primitive is None or primitive.rule is None or given is None:
            return ()
        return tuple(inspect.signature(primitive.rule).parameters)[given:]
    try:
        return tuple(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return ()


def with_named_first(
    fn: Callee, args: list[Value], kwargs: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """A first argument that is given by name stands where it is looked for."""
    if args or not kwargs:
        return args, kwargs
    first = "start" if fn is np.arange else next(iter(parameter_names(fn)), None)
    if first not in kwargs:
        return args, kwargs
    return [kwargs[first]], {k: v for k, v in kwargs.items() if k != first}


def describe(value: object) -> str:
    """What an abstract value is, in a reader's words."""
    words = {
        "Closure": "function",
        "Bound": "function",
        "Obj": "object",
        "Dct": "dict",
        "ArrayMethod": "method",
        "Comprehension": "generator",
        "Generator": "generator",
    }
    return words.get(type(value).__name__, type(value).__name__)


def with_article(noun: str) -> str:
    """
    >>> with_article("object"), with_article("dict")
    ('an object', 'a dict')
    """
    return f"an {noun}" if noun[:1].lower() in "aeio" else f"a {noun}"


def name_of(fn: Callee) -> str:
    """How a reader spells a callable.

    >>> name_of(np.tan), name_of(np.linalg.inv), name_of(abs)
    ('np.tan', 'np.linalg.inv', 'abs')
    """
    if isinstance(fn, np.ufunc):
        return ufunc_name(fn)
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn)
    module = getattr(fn, "__module__", None) or ""
    if module.startswith("numpy"):
        return "np." + ("linalg." if "linalg" in module else "fft." if "fft" in module else "") + name
    return name if module in ("builtins", "_operator", "") else f"{module}.{name}"
