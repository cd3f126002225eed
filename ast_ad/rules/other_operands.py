"""What does NumPy do with an operator of an array, or a number of its own, and an object of another class?

It leaves the operator to the object if the class says so (by ``__array_ufunc__ = None``, or else by a higher
``__array_priority__``), asks the ``__array_ufunc__`` of the class, or takes the object for an array: of its
items if it is a sequence, else of one element of dtype object.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

UFUNCS: dict[Callable[..., Any], np.ufunc] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.true_divide,
    operator.floordiv: np.floor_divide,
    operator.mod: np.remainder,
    operator.pow: np.power,
    operator.matmul: np.matmul,
    operator.and_: np.bitwise_and,
    operator.or_: np.bitwise_or,
    operator.xor: np.bitwise_xor,
    operator.lshift: np.left_shift,
    operator.rshift: np.right_shift,
    operator.lt: np.less,
    operator.le: np.less_equal,
    operator.gt: np.greater,
    operator.ge: np.greater_equal,
    operator.eq: np.equal,
    operator.ne: np.not_equal,
    divmod: np.divmod,
}
LOWEST = -1000000.0  # the priority of NumPy's numbers, and of objects that have none
CONVERTING = "__array__", "__array_interface__", "__array_struct__", "__buffer__"


def is_left_to(other: Any, own: float) -> bool:
    """Whether an operator is left to its right operand, an object or a class, by one of the priority ``own``.

    >>> class Own:
    ...     __array_priority__ = 1.0
    >>> is_left_to(Own(), own=0.0), is_left_to("text", own=0.0)
    (True, False)
    """
    cls = other if isinstance(other, type) else type(other)
    if hasattr(cls, "__array_ufunc__"):
        return cls.__array_ufunc__ is None
    return own < getattr(other, "__array_priority__", LOWEST)


def has_ufunc(cls: type) -> bool:
    """Whether a class says itself what ufuncs do with its objects."""
    return getattr(cls, "__array_ufunc__", None) is not None


def is_converted(cls: type) -> bool:
    """Whether NumPy makes an array of the items of an object."""
    sequence = hasattr(cls, "__len__") and hasattr(cls, "__getitem__")
    return sequence or any(hasattr(cls, name) for name in CONVERTING)
