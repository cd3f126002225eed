"""What of a trace is left in the user's objects? Plain arrays and numbers, as the plain function leaves them.

What was traced is mostly gone when the trace ends. What is not is held by something that the function wrote
to: a list, a dict, an attribute, a variable of an enclosing function. The traced value is replaced there.
"""

from __future__ import annotations

import gc
import types
from collections import deque
from typing import Any

from .traced import plain

DEPTH = 4  # of tuples in tuples
_CODE = types.FunctionType, types.FrameType, types.ModuleType, type


def make_plain(survivors: list[Any]) -> None:
    """Put plain values in the places of traced ones, which have no history any more."""
    while survivors:
        t = survivors.pop()
        _replace(t, plain(t), DEPTH)


def _replace(old: Any, new: Any, depth: int) -> None:
    for holder in gc.get_referrers(old):  # no closure here holds ``old``: it would be found as well
        kind = type(holder)
        if issubclass(kind, tuple):
            rebuilt = _rebuilt(holder, old, new) if depth else None
            if rebuilt is not None:
                _replace(holder, rebuilt, depth - 1)
        elif isinstance(holder, dict):
            for key in _places(holder.items(), old):
                holder[key] = new
        elif isinstance(holder, (list, deque)):
            for i in _places(enumerate(holder), old):
                holder[i] = new
        elif kind is types.CellType:
            holder.cell_contents = new
        elif not isinstance(holder, _CODE):
            _replace_attribute(holder, old, new)


def _places(items: Any, old: Any) -> list[Any]:
    return [key for key, value in items if value is old]


def _rebuilt(holder: Any, old: Any, new: Any) -> Any:
    items = [new if item is old else item for item in holder]
    if type(holder) is tuple:
        return tuple(items)
    return type(holder)._make(items) if hasattr(type(holder), "_make") else None


def _replace_attribute(holder: Any, old: Any, new: Any) -> None:
    names = [*getattr(holder, "__dict__", ())]
    names += [name for cls in type(holder).__mro__ for name in _slots(cls)]
    for name in names:
        if getattr(holder, name, None) is old and not type(holder).__module__.startswith("ast_ad."):
            object.__setattr__(holder, name, new)


def _slots(cls: type) -> list[str]:
    found = cls.__dict__.get("__slots__", ())
    return [found] if isinstance(found, str) else list(found)
