"""Of which kind is a value that reaches a program, as far as the program depends on it?"""

from __future__ import annotations

import enum
import inspect
import types
from typing import Any

import numpy as np

from ...homes import home_of
from ...rules.of_numba import is_ufunc
from ...rules.random_draws import GENERATORS
from ..ir.types import ListOf, Scalar, TupleOf, is_strange, list_of, type_of
from .length_patterns import SMALL


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
        if value and type(value[0]) is tuple:
            return list, _rows(value)
        return list, signature(
            next((v for v in value if hasattr(type(v), "_is_eager_tensor")), value[0])
        ) if value else None
    return type(value)


def _rows(value: list[Any]) -> frozenset[Any]:
    """Of which types the tuples in a list are: a program reads each row as it read the first one."""
    return frozenset([tuple(map(type, row)) if type(row) is tuple else type(row) for row in value])


ITEMS_APART = ("items apart",)
"""Among the constants of a build: long lists of numbers are read item by item."""


def list_type(value: list[Any]) -> ListOf | None:
    """The type of a long list of numbers, or of tuples of plain ones, whose items are read at run time.

    None for others, and where they are not all of one kind.
    """
    if len(value) <= SMALL or not all(type(v) is type(value[0]) for v in value):
        return None
    if type(value[0]) is not tuple:
        number = isinstance(value[0], (int, float)) and not is_strange(value[0])
        return list_of(type_of(value[0])) if number else None
    kinds = _rows(value)
    (first,) = kinds if len(kinds) == 1 else (None,)
    if type(first) is not tuple or not first or not all(kind in (int, float) for kind in first):
        return None
    return ListOf(TupleOf(tuple(Scalar(kind.__name__) for kind in first)))


def is_table(value: object) -> bool:
    """Whether an argument is a long list of ints, or of tuples of as many ints: read as one from outside is.

    >>> is_table([(i, i + 1) for i in range(17)]), is_table([(0, 1)] * 4), is_table([0.5] * 17)
    (True, False, False)
    """
    if type(value) is not list or len(value) <= SMALL:
        return False
    if type(value[0]) is not tuple:
        return type(value[0]) is int and all([type(v) is int for v in value])
    count = len(value[0])
    rows = all([type(row) is tuple and len(row) == count for row in value])
    return rows and count > 0 and all([type(v) is int for row in value for v in row])


def is_object(value: object) -> bool:
    """Whether an argument that is no number is an instance of a user's class, read attribute by attribute."""
    plain = isinstance(value, (bool, str, bytes, enum.Enum, types.MethodType, types.NoneType))
    return not plain and home_of(type(value)) not in ("builtins", "numpy") and not is_code(value)


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
        or home_of(type(value)).startswith(("numpy", "functools"))
        or any(value is drawing for drawing in (np.random.default_rng, np.random.seed))  # `in` asks `__eq__`
        or lookup(value) is not None
    )
