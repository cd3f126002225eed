"""Does a class that is derived from ``np.ndarray`` change what arrays do?

``changed_by(kind, free) -> str``, ``is_followed(kind) -> bool``. One that only adds methods and attributes
may stand for its arrays wherever rules and operations take arrays.
"""

from __future__ import annotations

import dis
import functools
import types
from typing import Any

import numpy as np

# What a class may have of its own although arrays have it: nothing of it is asked for while code is traced.
FREE = {"__new__", "__init__", "__doc__", "__dict__", "__module__", "__weakref__", "__array_priority__",
        "__repr__", "__str__", "__reduce__", "__setstate__", "__static_attributes__", "__firstlineno__",
        "__init_subclass__", "__class_getitem__", "__array_finalize__", "__annotations__", "__slots__",
        "__orig_bases__", "__parameters__", "__qualname__"}  # fmt: skip
# What ``__array_finalize__`` may do: hand on attributes of the array from which the new one comes.
HANDING_ON = {"RESUME", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_CONST", "LOAD_ATTR", "STORE_ATTR",
              "STORE_FAST", "LOAD_METHOD", "PRECALL", "CALL", "CALL_FUNCTION", "CALL_METHOD", "KW_NAMES",
              "PUSH_NULL", "POP_TOP", "IS_OP", "RETURN_VALUE", "RETURN_CONST", "NOP", "COPY", "CACHE",
              "POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE", "POP_JUMP_IF_NONE",
              "POP_JUMP_IF_NOT_NONE", "POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_FORWARD_IF_TRUE",
              "POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "JUMP_FORWARD", "TO_BOOL", "EXTENDED_ARG",
              "LOAD_FAST_LOAD_FAST", "STORE_FAST_LOAD_FAST", "LOAD_SMALL_INT", "LOAD_FAST_BORROW",
              "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "NOT_TAKEN"}  # fmt: skip
ASKED = {"getattr", "isinstance"}
# Where it may name NumPy: for a new array of constants, which may be what an attribute is by default.
CREATORS = {"array", "zeros", "ones", "eye", "identity"}
CONSTANTS = set(
    "PUSH_NULL LOAD_CONST LOAD_SMALL_INT BUILD_LIST BUILD_TUPLE LIST_EXTEND PRECALL CACHE".split()
)


@functools.lru_cache(maxsize=256)
def changed_by(kind: Any, free: frozenset[str] = frozenset()) -> str:
    """Why arrays of a class can't be traced; empty if they can.

    ``free``: what else it may have of its own.
    """
    own = [base for base in kind.__mro__ if base not in (*np.ndarray.__mro__,)]
    for base in own:
        changed = sorted(name for name in vars(base) if hasattr(np.ndarray, name) and name not in FREE | free)
        if changed:
            return f"{base.__name__} changes what arrays do: {', '.join(changed)}"
        if not _only_hands_on(vars(base).get("__array_finalize__")):
            return f"{base.__name__}.__array_finalize__ does more than to hand on attributes"
    return ""


def _only_hands_on(finalize: Any) -> bool:
    if finalize is None:
        return True
    if not isinstance(finalize, types.FunctionType) or finalize.__closure__:
        return False
    for step in _without_defaults(list(dis.get_instructions(finalize)), finalize.__globals__):
        if step.opname not in HANDING_ON:
            return False
        if step.opname.startswith("LOAD_GLOBAL") and step.argval not in ASKED | {"None"}:
            return False
        if "ATTR" in step.opname and hasattr(np.ndarray, str(step.argval)):
            return False
        if step.opname == "LOAD_CONST" and isinstance(step.argval, str) and hasattr(np.ndarray, step.argval):
            return False
    return True


def _without_defaults(steps: list[Any], names: dict[str, Any]) -> list[Any]:
    """The instructions without those that make arrays of constants, ``np.array([1.0, 0.0])``."""
    kept: list[Any] = []
    while steps:
        step = steps.pop(0)
        of_numpy = step.opname == "LOAD_GLOBAL" and getattr(names.get(step.argval), "__name__", "") == "numpy"
        if of_numpy and steps[0].argval in CREATORS:
            steps.pop(0)
            while steps and steps[0].opname in CONSTANTS:
                steps.pop(0)
            if steps and steps[0].opname.startswith("CALL"):
                steps.pop(0)
                continue
        kept.append(step)
    return kept


def is_followed(kind: Any) -> bool:
    """Whether arrays of a class can be traced."""
    return kind is np.ndarray or issubclass(kind, np.ndarray) and not changed_by(kind)
