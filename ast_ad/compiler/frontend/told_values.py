"""Which values from outside are told by what they are? Numbers, text, and tuples, sets, ranges of them.

A set may have other members in the next call: they are compared then, in their order (``Guard.content``).
"""

from __future__ import annotations

import types
from typing import Any

_CONSTANTS = (str, bytes, bool, int, float, complex, types.NoneType)
MOST_TOLD = 200  # members of a set: they are compared at every call


def same_constant(value: Any, expected: Any) -> bool:
    """Equality that tells 1 from 1.0 and True and 0.0 from -0.0, and takes nan for itself."""
    if value is expected:
        return True
    if type(value) is not type(expected):
        return False
    if isinstance(expected, tuple):
        return len(value) == len(expected) and all(map(same_constant, value, expected))
    if isinstance(expected, (float, complex)):
        return repr(value) == repr(expected)
    return bool(value == expected)


def is_constant(value: object) -> bool:
    """Whether a value is told by what it is: a number, text, or a tuple of such."""
    return type(value) in _CONSTANTS or (type(value) is tuple and all(map(is_constant, value)))


def is_told(value: Any) -> bool:
    """Whether it is a set of few constants, or a range or slice of constants.

    >>> is_told({"a", "b"}), is_told(range(3)), is_told({object()}), is_told(["a"])
    (True, True, False, False)
    """
    if is_set(value):
        return len(value) <= MOST_TOLD and all(map(is_constant, value))
    return type(value) is range or type(value) is slice and all(map(is_constant, _ends(value)))


def is_set(value: object) -> bool:
    return type(value) in (set, frozenset)


def content(value: Any) -> tuple[Any, ...]:
    """What such a value holds, in its order; ``same_constant`` tells it from what another holds.

    >>> content({1, 2}), content(range(3)), content({1}) == content({True})
    (('set', 'int 1', 'int 2'), ('range', 0, 3, 1), False)
    """
    kind = type(value)
    if is_set(value):
        return (kind.__name__, *map(_text, value))
    return (kind.__name__, *_ends(value)) if kind in (range, slice) else (kind.__name__,)


def _ends(value: Any) -> tuple[Any, Any, Any]:
    return value.start, value.stop, value.step


def _text(value: Any) -> str:
    """A text that only this constant has: 1, 1.0 and True are three."""
    if type(value) is tuple:
        return f"tuple ({', '.join(map(_text, value))})"
    return f"{type(value).__name__} {value!r}"
