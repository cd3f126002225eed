"""What may a function, and what it calls, find: in globals, closures, defaults, attributes, containers?"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..registered import instance_attributes
from .purity import read_outside


def within_reach(function: Any, given: Iterable[Any]) -> Iterator[Any]:
    """What a function, and what it calls, may find by any names, and what that holds.

    ``given``: what else it gets.
    """
    objects = list(given)
    pending, seen = [(value, objects) for value in (function, *objects)], dict[int, Any]()
    while pending:
        value, objects = pending.pop()
        if id(value) not in seen and not isinstance(value, PLAIN):
            seen[id(value)] = value
            yield value
            pending += _next_to(value, objects)


PLAIN = int, float, complex, str, bytes, np.ndarray, np.generic, types.ModuleType, type, type(None)


def _next_to(value: Any, objects: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """What a value leads to; each with the objects whose attributes it may read, if it is a function."""
    found: Iterable[Any]
    if isinstance(value, types.FunctionType):
        found = (getattr(value, "__wrapped__", None), *read_outside(value, objects))
        objects = [*objects, *(v for v in found if not isinstance(v, (*PLAIN, types.FunctionType)))]
    elif isinstance(value, (types.MethodType, types.BuiltinMethodType)):
        found, objects = (value.__self__, getattr(value, "__func__", None)), [value.__self__]
    elif hasattr(type(value), "__ast_ad_lower__"):  # a derivative, or a function with rules
        runs = getattr(value, "roots", None) or (getattr(value, "function", None),)
        found = (*runs, getattr(value, "__wrapped__", None))
    elif isinstance(value, functools.partial):
        found = (value.func, value.args, value.keywords)
    elif isinstance(value, (dict, list, tuple, set, frozenset)):
        found = value.values() if isinstance(value, dict) else value
    else:
        called = getattr(type(value), "__call__", None)  # noqa: B004
        found, objects = (*instance_attributes(value).values(), called), [value]
    return ((v, objects) for v in found)
