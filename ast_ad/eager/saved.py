"""How does a node keep a tensor? With its version, and packed if there are hooks for that."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from . import doors
from .dtypes import legacy_name
from .state import state, watch

_HINT = (
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved "
)
FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have "
    f"already been freed). {_HINT}tensors after calling backward."
)
FREED_BEFORE_HOOKS = (
    "Calling register_hooks on a saved tensor after it has been freed. "
    f"{_HINT}variables after calling backward."
)
HOOKED_BEFORE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
    "hooks is allowed at a time."
)
NONE_FORBIDDEN = "Calling register_hooks on a saved tensor with value None is forbidden"
CHANGED_BY_PACK = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
    "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
    "you need to perform in-place operations on the input to a pack hook."
)
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
    "use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)


DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
    "supported, please use out-of-place `.detach()` instead"
)


class DetachedVersion(int):
    """The version of a tensor that ``detach_`` has cut off its history since it was made."""

    tensor: weakref.ref[Any]

    def __bool__(self) -> bool:
        return True  # nodes that expect version 0 have to look closer


def check_version(now: int, then: int, owner: Any) -> bool:
    """Whether a saved tensor is as it was.

    Raises:
        RuntimeError: ``owner``, the tensor itself, has lost its history in place.
    """
    if now.__class__ is DetachedVersion and now is not then and now == then:
        if owner is not None and owner is now.tensor():
            raise RuntimeError(DETACHED)
    return now == then


def pack_guarded(pack: Callable[[Any], Any], tensor: Any) -> Any:
    """``pack(tensor)``, with nothing recorded meanwhile; the tensor must not be changed by it."""
    counter = tensor._version_counter
    version = counter[0]
    grad, state.grad = state.grad, False
    try:
        packed = pack(tensor)
    finally:
        state.grad = grad
    if counter[0] != version:
        raise RuntimeError(CHANGED_BY_PACK)
    return packed


class SavedValue:
    """A tensor that a pair of hooks has packed: what pack returned, and how to get it back.

    What ``unpack`` makes takes the place of the tensor in the graph: it gets the tensor's ``edge``. Of an
    output of the node itself no edge is kept (``output`` is its number): that would be a cycle.
    """

    __slots__ = ("edge", "output", "packed", "unpack")

    def __init__(self, tensor: Any, hooks: Any, node: Any) -> None:
        pack, self.unpack = hooks
        self.packed = pack_guarded(pack, tensor)
        own = node is not None and tensor._node is node
        self.output = tensor._nr if own else None
        self.edge = (None, 0) if own else doors.edge_of(tensor)

    def tensor(self, node: Any, result_node: Any = None) -> Any:
        """The tensor, unpacked, with the history of the one that was packed.

        ``result_node``: to which an output of ``node`` belongs, if not to ``node``.
        """
        outer, state.node = state.node, node
        try:
            found = self.unpack(self.packed)
        finally:
            state.node = outer
        if not hasattr(type(found), "_is_eager_tensor"):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}"
            )
        edge = self.edge if self.output is None else (result_node or node, self.output)
        if edge[0] is None and not found.requires_grad:
            return found
        return linked(found, edge)


def linked(t: Any, edge: tuple[Any, int]) -> Any:
    """A tensor on the memory of ``t`` whose gradient goes along ``edge``."""
    found = t._face._of(t._array)
    found._version_counter = t._version_counter
    node, nr = edge
    if node is None:
        return found
    found._requires_grad = True
    if hasattr(node, "variable"):  # of a leaf: what arrives is accumulated there
        found._accumulator = weakref.ref(node)
    else:
        found._node, found._nr = node, nr
    return found


class SavedTensor:
    """A tensor that the node of an operation keeps; hooks may be set for it. Only nodes make them."""

    def __init__(self, node: Any = None, place: int = 0) -> None:
        if node is None:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        self._node, self._place = node, place

    def _packed(self) -> SavedValue | None:
        if self._node.values is None:
            raise RuntimeError(FREED)
        value = self._node.values[self._place]
        return value if isinstance(value, SavedValue) else None

    @property
    def data(self) -> Any:
        """The tensor as it is kept: packed, if there are hooks."""
        packed = self._packed()
        return self._node.saved(self._place) if packed is None else packed.packed

    @property
    def unpack_hook(self) -> Any:
        """The hook that gives the tensor back, or None."""
        packed = self._packed()
        return None if packed is None else packed.unpack

    def unpack(self) -> Any:
        """The tensor, in the version in which it was saved."""
        return self._node.saved(self._place)

    def register_hooks(self, *hooks: Callable[[Any], Any]) -> None:
        """``register_hooks(pack, unpack)`` packs the tensor now; ``unpack`` gives it back when needed."""
        node, place = self._node, self._place
        check_hooks(self, hooks)
        if node.values is None:
            raise RuntimeError(FREED_BEFORE_HOOKS)
        if isinstance(node.values[place], SavedValue):
            raise RuntimeError(HOOKED_BEFORE)
        node.pack(place, hooks)


SavedTensor.__module__ = "torch._C._autograd"  # as messages name it


class SavedVariable(SavedTensor):
    """A tensor, or None, that the node of an ``autograd.Function`` keeps; ``node`` None: none does."""

    def __init__(self, tensor: Any, node: Any = None, output: int | None = None) -> None:
        self._node = (lambda: None) if node is None else weakref.ref(node)
        self._value: Any = None
        self._freed = False
        self._tensor = tensor
        if tensor is None:
            return
        if tensor._inference:
            raise RuntimeError(INFERENCE_SAVED)
        own = node is not None and tensor._node is node
        if state.pack is not None:
            self._value = SavedValue(tensor, state.pack, node)
            self._tensor = None
            return
        self._counter, self._version = tensor._version_counter, tensor._version_counter[0]
        self._output = tensor._nr if own else output
        if self._output is not None:
            self._tensor = tensor.detach()

    def _packed(self) -> SavedValue | None:
        value: SavedValue | None = self._value
        return value

    @property
    def data(self) -> Any:
        """The tensor as it is kept: packed, if there are hooks."""
        return self._tensor if self._value is None else self._value.packed

    def unpack(self) -> Any:
        """The tensor, in the version in which it was saved."""
        if self._freed:
            raise RuntimeError(FREED)
        node = self._node()
        if self._value is not None:
            return self._value.tensor(node)
        t = self._tensor
        if t is None:
            return None
        now = self._counter[0]
        if now != self._version:
            owner, nr = (t.grad_fn, t._nr) if self._output is None else (node, self._output)
            raise RuntimeError(changed_text(t._array, owner, nr, now, self._version))
        return t if self._output is None else linked(t, (node, self._output))

    def register_hooks(self, *hooks: Callable[[Any], Any]) -> None:
        """As ``SavedTensor.register_hooks``."""
        check_hooks(self, hooks)
        if self._freed:
            raise RuntimeError(FREED_BEFORE_HOOKS)
        if self._value is not None:
            raise RuntimeError(HOOKED_BEFORE)
        if self._tensor is None:
            raise RuntimeError(NONE_FORBIDDEN)
        self._value = SavedValue(self.unpack(), hooks, self._node())
        self._tensor = None

    def release(self) -> None:
        """Forget the tensor."""
        self._freed, self._value, self._tensor = True, None, None


def check_hooks(saved: Any, hooks: tuple[Any, ...]) -> None:
    if len(hooks) != 2 or not all(map(callable, hooks)):
        raise TypeError(
            "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
            "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: "
            f"collections.abc.Callable) -> None\n\nInvoked with: {', '.join(map(repr, (saved, *hooks)))}"
        )


def changed_text(array: Any, owner: Any, nr: int, now: int, then: int) -> str:
    """What to say of a saved tensor that has been changed in place."""
    of = "" if owner is None else f", which is output {nr} of {producer(owner)},"
    hint = (
        "the backtrace further above shows the operation that failed to compute its gradient. The variable "
        "in question was changed in there or anywhere later. Good luck!"
        if watch.anomaly
        else "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{legacy_name(array.dtype)} {list(array.shape)}]{of} is at version {now}; "
        f"expected version {then} instead. Hint: {hint}"
    )


def producer(node: Any) -> str:
    """The name of the operation that a node belongs to: 'Exp' of ExpBackward0."""
    name = str(node.name())
    if name.endswith("Backwards"):
        return name
    operation, _, number = name.rpartition("Backward")
    return operation + number.removeprefix("0")
