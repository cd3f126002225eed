"""How does a user look on? Handles of hooks, and pairs of hooks for saved tensors."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

_numbers = itertools.count()


class RemovableHandle:
    """What a registration returns: ``remove()`` takes the hook away, and so does leaving a ``with`` block."""

    def __init__(self, hooks: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref: Any = weakref.ref(hooks)
        self.id = next(_numbers)

    @classmethod
    def added(cls, hooks: OrderedDict[int, Callable[..., Any]], fn: Callable[..., Any]) -> RemovableHandle:
        handle = cls(hooks)
        hooks[handle.id] = fn
        return handle

    def remove(self) -> None:
        hooks = self.hooks_dict_ref()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: Any) -> None:
        self.remove()
