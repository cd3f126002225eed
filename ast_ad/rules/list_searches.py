"""Where is an item in a list, how often? ``list.index``, ``count`` and ``remove``, as code that is read.

Python takes an item for equal that is the very same object. Of all values only nan differs from itself, and
of nan a program can't tell whether it is the same one.
"""

from __future__ import annotations

import sys

from .numpy.gather import refuse


def place_in(items, value, start=0, stop=sys.maxsize):
    require_itself(value)
    size = len(items)
    first = max(start + size, 0) if start < 0 else start
    last = stop + size if stop < 0 else min(stop, size)
    for i in range(first, last):
        if items[i] == value:
            return i
    raise ValueError("value is not in list")


def place_to_remove(items, value):
    require_itself(value)
    for i in range(len(items)):
        if items[i] == value:
            return i
    raise ValueError("list.remove(x): x not in list")


def times_in(items, value):
    require_itself(value)
    count = 0
    for item in items:
        if item == value:
            count += 1
    return count


def require_itself(value):
    if value != value:
        refuse("a search of a list for nan", "only the very same one is found", "use np.isnan")
