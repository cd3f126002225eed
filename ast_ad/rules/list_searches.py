"""Where is an item in a list, how often? ``list.index``, ``count`` and ``remove``, as code that is read.

Python takes an item for equal that is the very same object. Of numbers only nan differs from itself, and of
nan a program can't tell whether it is the same one; objects are asked as seldom as Python asks them.
"""

from __future__ import annotations

import sys

import numpy as np

from .numpy.gather import refuse


def place_in(items, value, start=0, stop=sys.maxsize):
    require_itself(value)
    size = len(items)
    first = max(start + size, 0) if start < 0 else start
    last = stop + size if stop < 0 else min(stop, size)
    for i in range(first, last):
        if is_or_equals(items[i], value):
            return i
    raise ValueError("value is not in list")


def place_to_remove(items, value):
    require_itself(value)
    for i in range(len(items)):
        if is_or_equals(items[i], value):
            return i
    raise ValueError("list.remove(x): x not in list")


def times_in(items, value):
    require_itself(value)
    count = 0
    for item in items:
        if is_or_equals(item, value):
            count += 1
    return count


def is_or_equals(item, value):
    """As lists compare; the compiler knows which objects are one."""
    return item is value or bool(item == value)


def may_be_nan(value):
    """Whether it is no object of a class, which the compiler tells."""
    return isinstance(value, (float, complex, np.generic, np.ndarray))


def require_itself(value):
    if may_be_nan(value) and value != value:
        refuse("a search of a list for nan", "only the very same one is found", "use np.isnan")
