"""Are two values the same: type, dtype, shape, structure, and every number?"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...interrupts import let_through
from ...registered import entry_of, instance_attributes

SPREAD = 10.0  # how many times the spread of rounding kernels may be off
NUMBERS = bool, int, float, complex, np.generic


def difference(
    expected: Any, found: Any, where: str = "the value", exact: bool = True, single: bool = False
) -> str | None:
    """What is different about two values, in words; None where nothing is.

    ``exact``: whether numbers have to be equal to the bit and of one type, or to a bound and of one kind;
    ``single``: that of single precision, in which something was computed that numbers in double inherit.
    """
    if isinstance(expected, np.ndarray) or isinstance(found, np.ndarray):
        return _arrays(expected, found, where, exact, single)
    if isinstance(expected, NUMBERS) and isinstance(found, NUMBERS):
        return _numbers(expected, found, where, exact, single)
    if type(expected) is not type(found):
        return f"{where} is a {type(found).__name__}, not a {type(expected).__name__}"
    if isinstance(expected, dict):
        if list(expected) != list(found):
            return f"the keys of {where} are {list(found)}, not {list(expected)}"
        return _first(expected.items(), found.values(), where, exact, single)
    if isinstance(expected, (list, tuple)):
        if len(expected) != len(found):
            return f"{where} has {len(found)} items, not {len(expected)}"
        return _first(enumerate(expected), found, where, exact, single)
    if dataclasses.is_dataclass(expected) or entry_of(type(expected)) is not None:
        one, other = instance_attributes(expected), instance_attributes(found)
        if one.keys() != other.keys():
            return f"{where} has the attributes {list(other)}, not {list(one)}"
        return _first(one.items(), [other[name] for name in one], where, exact, single)
    return None if _equal(expected, found) else f"{where} is {found!r}, not {expected!r}"


def _first(expected: Any, found: Any, where: str, exact: bool, single: bool) -> str | None:
    pairs = zip(expected, found, strict=True)
    differences = (difference(a, b, f"item {key!r} of {where}", exact, single) for (key, a), b in pairs)
    return next(filter(None, differences), None)


def _arrays(expected: Any, found: Any, where: str, exact: bool, single: bool) -> str | None:
    a, b = (v if isinstance(v, np.ndarray) else np.asarray(v) for v in (expected, found))
    if exact and type(expected) is not type(found):
        return f"{where} is a {type(found).__name__}, not a {type(expected).__name__}"
    if a.shape != b.shape:
        return f"{where} has shape {b.shape}, not {a.shape}"
    if a.dtype != b.dtype:
        return f"{where} has dtype {b.dtype}, not {a.dtype}"
    if a.dtype.kind not in "biufc":
        return None
    return None if _agree(a, b, exact, single) else f"{where} is {_short(b)}, not {_short(a)}"


def _numbers(expected: Any, found: Any, where: str, exact: bool, single: bool) -> str | None:
    # A gradient within a program is NumPy's number, which is one of Python's, too.
    if exact and not isinstance(found, type(expected)):
        return f"{where} is a {type(found).__name__}, not a {type(expected).__name__}"
    a, b = np.asarray(expected), np.asarray(found)
    if a.dtype.kind == "O" or b.dtype.kind == "O":  # integers that no dtype holds
        return None if expected == found else f"{where} is {found!r}, not {expected!r}"
    if a.dtype != b.dtype:
        return f"{where} is of type {b.dtype}, not {a.dtype}"
    return None if _agree(a, b, exact, single) else f"{where} is {found!r}, not {expected!r}"


def _agree(a: np.ndarray, b: np.ndarray, exact: bool, single: bool) -> bool:
    if exact or a.dtype.kind in "biu":
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    return distance(a, b) <= bound(np.dtype(np.float32) if single else a.dtype)


def distance(first: Any, second: Any) -> float:
    """The largest difference of two arrays, relative to the largest number of the first; inf for nan."""
    a, b = np.asarray(first), np.asarray(second)
    if not a.size or np.array_equal(a, b):
        return 0.0
    with np.errstate(all="ignore"):
        same = (a == b) | ((a != a) & (b != b))
        apart = np.abs(np.where(same, 0, a - b))
        finite = np.abs(a[np.isfinite(a)])
        scale: float = np.max(finite, initial=0.0).item() or 1.0
        worst: float = np.max(apart).item()
        relative: float = worst / scale if math.isfinite(worst) else math.inf
    return relative


def bound(dtype: np.dtype) -> float:
    """How far kernels may be from NumPy, relative to the largest number: rounding of long sums."""
    return math.sqrt(np.finfo(dtype).eps)


def near(expected: Any, found: Any, others: Callable[[], Sequence[Any]], single: bool) -> bool:
    """Whether a number is another one but for rounding; ``others``: the first as rounding may have it."""
    if np.shape(expected) != np.shape(found):
        return False
    dtype = np.result_type(expected)
    if dtype.kind not in "fc":
        return bool(np.array_equal(expected, found))
    apart = distance(expected, found)
    if apart <= bound(np.dtype(np.float32) if single else dtype):
        return True
    return apart <= SPREAD * max([distance(expected, other) for other in others()], default=0.0)


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    try:
        return bool(a == b) or "__eq__" not in vars(type(a))
    except Exception as error:  # it does not say
        let_through(error)
        return True


def _short(array: np.ndarray) -> str:
    return np.array2string(array, threshold=6, edgeitems=2, precision=6).replace("\n", "")
