"""How is a hook taken away again? By the handle that its registration returned."""

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
        """The handle of ``fn``, which is added to ``hooks``."""
        handle = cls(hooks)
        hooks[handle.id] = fn
        return handle

    def remove(self) -> None:
        """Take the hook away."""
        hooks = self.hooks_dict_ref()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, int]:
        """The hooks themselves: a copy's handle removes from the copy."""
        return self.hooks_dict_ref(), self.id

    def __setstate__(self, state: tuple[Any, int]) -> None:
        hooks, self.id = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: Any) -> None:
        self.remove()
