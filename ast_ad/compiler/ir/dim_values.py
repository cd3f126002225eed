"""Which number is an integer of a program, once its symbols have numbers?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .dims import Atom, Int


def evaluate(dim: Int, values: Mapping[Any, int], default: int | None = None) -> int:
    """The integer, where the keys of its symbols have ``values``; terms that are among them have these.

    Raises KeyError for a symbol without one, if there is no ``default``.
    """
    if isinstance(dim, int):
        return dim
    return dim.const + sum([c * _value(atom, values, default) for atom, c in dim.terms])


def _value(atom: Atom, values: Mapping[Any, int], default: int | None) -> int:
    if atom.key in values:
        return values[atom.key]
    if atom.operands is None:
        if default is None:
            raise KeyError(atom.key)
        return default
    fn, *parts = atom.key
    if fn is math.prod:
        return int(math.prod([_value(a, values, default) ** e for a, e in parts[0]]))
    found = [
        frozenset(evaluate(p, values, default) for p in part)
        if isinstance(part, frozenset)
        else None
        if part is None
        else evaluate(part, values, default)
        for part in parts
    ]
    return int(fn(*found))
