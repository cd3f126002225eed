"""What of a trace is left in the user's objects? Plain arrays and numbers, as the plain function leaves them.

What was traced is mostly gone when the trace ends. What is not is held by something that the function wrote
to: a list, a dict, an attribute, a variable of an enclosing function. The traced value is replaced there.
Nothing else is touched: compiled code may be at work on it, on a tuple that is not yet filled for one.
"""

from __future__ import annotations

import gc
import types
from collections import deque
from typing import Any

from .traced import plain

DEPTH = 4  # of tuples in tuples
_HOLDERS = dict, list, deque, types.CellType
_MADE_BY_PROGRAM = 1 << 9  # Py_TPFLAGS_HEAPTYPE, which classes written in Python have


def make_plain(survivors: list[Any]) -> None:
    """Put plain values in the places of traced ones, which have no history any more."""
    while survivors:
        t = survivors.pop()
        _replace(t, plain(t), DEPTH, [survivors])


def _replace(old: Any, new: Any, depth: int, ours: list[Any]) -> None:
    """``ours``: lists of this module, which are no holders."""
    referrers = gc.get_referrers(old)  # no closure here holds ``old``: it would be found as well
    ours = [*ours, referrers]
    for holder in referrers:
        if isinstance(holder, tuple):
            rebuilt = _rebuilt(holder, old, new) if depth and _is_whole(holder, ours, DEPTH) else None
            if rebuilt is not None:
                _replace(holder, rebuilt, depth - 1, ours)
        elif isinstance(holder, dict):
            for key in _places(holder.items(), old):
                holder[key] = new
        elif isinstance(holder, (list, deque)):
            for i in _places(enumerate(holder), old):
                holder[i] = new
        elif type(holder) is types.CellType:
            holder.cell_contents = new
        elif _is_instance(holder):
            _replace_attribute(holder, old, new)


def _is_whole(holder: Any, ours: list[Any], depth: int) -> bool:
    """Whether a tuple is held by something that Python code sees: then it is filled."""
    referrers = gc.get_referrers(holder)
    ours = [*ours, referrers]
    for place in referrers:
        if any(place is known for known in ours):
            continue
        if isinstance(place, _HOLDERS) or _is_instance(place):
            return True
        if isinstance(place, tuple) and depth and _is_whole(place, ours, depth - 1):
            return True
    return False


def _is_instance(value: Any) -> bool:
    """Whether it is an object of a class written in Python."""
    cls = type(value)
    return bool(cls.__flags__ & _MADE_BY_PROGRAM) and not issubclass(cls, type) and not _is_ours(cls)


def _is_ours(cls: type) -> bool:
    return str(cls.__module__).startswith("ast_ad.")


def _places(items: Any, old: Any) -> list[Any]:
    return [key for key, value in items if value is old]


def _rebuilt(holder: Any, old: Any, new: Any) -> Any:
    items = [new if item is old else item for item in holder]
    if type(holder) is tuple:
        return tuple(items)
    return type(holder)._make(items) if hasattr(type(holder), "_make") else None


def _replace_attribute(holder: Any, old: Any, new: Any) -> None:
    names = [*holder.__dict__] if type(holder).__dictoffset__ else []
    names += [name for cls in type(holder).__mro__ for name in _slots(cls)]
    for name in names:
        if getattr(holder, name, None) is old:
            object.__setattr__(holder, name, new)


def _slots(cls: type) -> list[str]:
    found = cls.__dict__.get("__slots__", ())
    return [found] if isinstance(found, str) else list(found)
