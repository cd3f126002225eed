"""What does a program require of values that show at run time only?

Each function does nothing where that holds. Else it raises Python's own exception, or, where the rest of the
program would be another one, an error of ours: the call is traced then.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import UnsupportedError


def require_some(count: int) -> None:
    """Nothing, where NumPy gets rows, or numbers that are no floats: of nothing it makes a vector of floats.

    >>> require_some(1)
    """
    if not count:
        raise UnsupportedError(
            "an array of an empty list, which otherwise holds rows, or no floats",
            why="NumPy makes a vector of floats of nothing, so that the types of all that follows are others",
            fix="give the dtype, np.array(items, dtype=int), or treat what is empty by a branch",
        )


def require_none_absent(xs: Any) -> None:
    """Nothing, where NumPy gets a list without None: with it, it makes an array of objects.

    >>> require_none_absent([1.0, 2.0])
    """
    if any([x is None for x in xs]):
        raise UnsupportedError(
            "an array of a list in which there is None",
            why="NumPy makes an array of objects of it",
            fix="make the array when the list is filled",
        )


def require_items(count: int, expected: int, more: bool = False) -> None:
    """What unpacking asks: that there are as many items as names; ``more``: at least as many.

    >>> require_items(3, 3), require_items(3, 2, True)
    (None, None)
    """
    if count < expected:
        wanted = f"at least {expected}" if more else f"{expected}"
        raise ValueError(f"not enough values to unpack (expected {wanted}, got {count})")
    if count > expected and not more:
        got = f", got {count}" if sys.version_info >= (3, 14) else ""
        raise ValueError(f"too many values to unpack (expected {expected}{got})")


def require_as_many(count: int, other: int) -> None:
    """What ``zip(strict=True)`` asks, which raises at its end only: there the plain function does.

    >>> require_as_many(3, 3)
    """
    if count != other:
        raise UnsupportedError(
            "zip(strict=True) of unequal lengths",
            why=f"{count} items stand beside {other}",
            fix="compare the lengths before",
        )


def require_real(x: Any) -> None:
    """Nothing, where a power of Python's numbers is real: of a negative one it may be complex.

    >>> require_real(0.5**0.5)
    """
    if isinstance(x, complex):
        raise UnsupportedError(
            "a power of a negative number that is complex",
            why="elsewhere it is real, so that the types of all that follows are others",
            fix="take the power of `complex(x)`, or `np.power`, which gives nan",
        )


def require_told_apart(a: Any, b: Any) -> None:
    """Nothing, where no nan of one is compared with one of the other: containers ask whether it is the same.

    >>> require_told_apart([1.0, float("nan")], 2.0)
    """
    if _holds_nan(a) and _holds_nan(b):
        raise UnsupportedError(
            "a comparison of containers that hold nan",
            why="it is equal to itself only, and which objects are the same is known to Python alone",
            fix="use np.isnan",
        )


def _holds_nan(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any([_holds_nan(item) for item in value])
    return isinstance(value, (float, complex, np.inexact)) and bool(value != value)
