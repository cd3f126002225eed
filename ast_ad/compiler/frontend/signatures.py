"""Of which kind is a value that reaches a program, as far as the program depends on it?"""

from __future__ import annotations

import enum
import inspect
import types
from typing import Any

import numpy as np

from ...rules.of_numba import is_ufunc
from ...rules.random_draws import GENERATORS
from ..ir.types import is_strange


def signature(value: object) -> Any:
    """What of a number or array a compiled program depends on."""
    if hasattr(type(value), "_is_eager_tensor"):
        return type(value)
    if isinstance(value, np.ndarray):
        if is_strange(value):
            return type(value)
        shape = value.shape
        return value.dtype, tuple([n == 1 for n in shape]) if 1 in shape else len(shape)
    if isinstance(value, list):
        return list, signature(
            next((v for v in value if hasattr(type(v), "_is_eager_tensor")), value[0])
        ) if value else None
    return type(value)


def is_object(value: object) -> bool:
    """Whether an argument that is no number is an instance of a user's class, read attribute by attribute."""
    plain = isinstance(value, (bool, str, bytes, enum.Enum, types.MethodType, types.NoneType))
    return not plain and type(value).__module__ not in ("builtins", "numpy") and not is_code(value)


def is_code(value: Any) -> bool:
    """Whether an object is known by its identity, and not by what it holds."""
    if isinstance(value, GENERATORS):
        return False
    from ...rules.registry import lookup  # all rules, which a call of known code does without

    return (
        isinstance(
            value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, np.dtype)
        )
        or callable(value)
        and not hasattr(value, "__dict__")
        and not isinstance(type(value).__call__, types.FunctionType)
        or inspect.getattr_static(value, "py_func", None) is not None  # never asks a user's __getattr__
        or is_ufunc(value)
        or hasattr(type(value), "__ast_ad_lower__")
        or type(value).__module__.startswith(("numpy", "functools"))
        or any(value is drawing for drawing in (np.random.default_rng, np.random.seed))  # `in` asks `__eq__`
        or lookup(value) is not None
    )
