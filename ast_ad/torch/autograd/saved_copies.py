"""How may a tensor be changed in place though it is saved? It is copied first: copy on write."""

from __future__ import annotations

import weakref
from typing import Any

from ...eager.places import root_of
from ...eager.state import state
from ...eager.tensor import Tensor

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was "
    "originally recorded."
)


class Handle:
    """Stands for a saved tensor; it lives as long as a node keeps it."""

    __slots__ = ("__weakref__",)


class SavedCopies:
    """What is saved in the block: tensors (``original``), or copies (``cloned``) of those that were changed.

    ``tid_to_weakhandle`` finds the handle of a tensor in a version, ``by_memory`` those of all tensors on
    the same memory, which change together.
    """

    def __init__(self) -> None:
        self.cloned: weakref.WeakKeyDictionary[Handle, Tensor] = weakref.WeakKeyDictionary()
        self.original: weakref.WeakKeyDictionary[Handle, Tensor] = weakref.WeakKeyDictionary()
        self.tid_to_weakhandle: weakref.WeakValueDictionary[Any, Handle] = weakref.WeakValueDictionary()
        self.by_memory: dict[int, weakref.WeakSet[Handle]] = {}

    def pack(self, t: Tensor) -> Handle:
        """The handle of a tensor that is saved."""
        tid = id(t), t._array.__array_interface__["data"][0], int(t._version_counter[0])
        handle = self.tid_to_weakhandle.get(tid)
        if handle is None or handle not in self.original:
            handle = self.tid_to_weakhandle[tid] = Handle()
            self.original[handle] = t
        self.by_memory.setdefault(id(root_of(t._array)), weakref.WeakSet()).add(handle)
        return handle

    def unpack(self, handle: Handle) -> Tensor:
        """The tensor as it was when it was saved."""
        if state.before_change != self.copy_saved:
            raise AssertionError(OUTSIDE)
        found = self.cloned.get(handle)
        return self.original[handle] if found is None else found

    def copy_saved(self, t: Tensor) -> None:
        """Copy what is saved on the memory of ``t``, which is about to change."""
        for handle in list(self.by_memory.pop(id(root_of(t._array)), ())):
            kept = self.original.pop(handle, None)
            if kept is not None:
                self.cloned[handle] = Tensor._of(kept._array.copy())

    def clear(self) -> None:
        """Forget everything."""
        self.cloned.clear()
        self.original.clear()
        self.tid_to_weakhandle.clear()
        self.by_memory.clear()
