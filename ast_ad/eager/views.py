"""What happens to the graph when memory changes? Views, in-place operations, and the history of their base.

The scheme is that of PyTorch's autograd: a view knows its base and the way to it; an in-place operation on a
view rewrites the history of the base (``CopySlices``), and every other view finds out by the version counter
that its own history has to be derived anew from that of the base.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import UnsupportedError
from ..rules.helpers import hollow
from ..rules.numpy.views import add_view, take_view, write_view
from ..rules.torch.views import at_places
from . import doors
from .fitting import fitted
from .node import NO_EDGE, AccumulateGrad, Node, next_number, node_class
from .places import places_among
from .saved import FREED, producer
from .state import state

AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
    "moving both the view and the inplace either both inside the {0} block (if you don't want the inplace to "
    "be tracked) or both outside (if you want the inplace to be tracked)."
)
FORBIDDEN = {
    "multi": "This view is the output of a function that returns multiple views. Such functions do not allow "
    "the output views to be modified inplace. You should replace the inplace operation by an out-of-place "
    "one.",
    "function": "This view was created inside a custom Function (or because an input was returned as-is) and "
    "the autograd logic to handle view+inplace would override the custom backward associated with the custom "
    "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the "
    "output of the custom Function.",
}
OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
    "location. Please clone() the tensor before performing the operation."
)


class View:
    """How a tensor looks into another. ``steps``: functions with arguments, from the base's array to its own.

    ``creation``: '' or what forbids in-place operations ('no_grad', 'inference', 'multi', 'function').
    ``version``: at which the tensor's own ``grad_fn`` was right. ``origin``: the base's array, to which
    ``steps`` belong.
    """

    __slots__ = ("base", "creation", "origin", "steps", "version")

    def __init__(self, base: Any, steps: tuple[Any, ...], creation: str, version: int) -> None:
        self.base, self.steps, self.creation, self.version = base, steps, creation, version
        self.origin = base._array


def make_view(t: Any, source: Any, step: tuple[Any, tuple[Any, ...]], creation: str = "") -> None:
    """Declare ``t``, whose array was made from ``source``'s by ``step``, a view of ``source``'s base."""
    counter = t._version_counter = source._version_counter
    if source._inference:  # nothing is recorded of what was made in inference mode
        t._inference = True
        return
    t._inference = False
    if not state.grad:
        creation = "inference" if state.inference else "no_grad"
    outer = source._view
    if outer is None:
        t._view = View(source, (step,), creation, counter[0])
    else:
        steps = steps_of(outer, source._array)
        t._view = View(outer.base, (*steps, step), creation or outer.creation, counter[0])


def edge_of(t: Any) -> tuple[Node | None, int]:
    """Where the gradient of a tensor goes."""
    if t._view is not None:
        refresh(t)
    if t._node is not None:
        return t._node, t._nr
    if t._requires_grad:
        return accumulator(t), 0
    if t._view is not None and t._view.base._requires_grad:
        return DeadEnd(t), 0
    return NO_EDGE


class DeadEnd(Node):
    """Where the gradient of a view ends that was made while nothing was recorded, of what requires grad."""

    def __init__(self, t: Any) -> None:
        self._number = next_number()
        self._meta = t._array.shape, t._array.dtype

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        return ()


def accumulator(leaf: Any) -> AccumulateGrad:
    """The node of a leaf: one for all its uses, alive as long as a graph needs it."""
    found = leaf._accumulator() if leaf._accumulator is not None else None
    if found is None:
        import weakref

        found = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(found)
    return found


def refresh(t: Any) -> None:
    """Derive the history of a view anew if its base has been changed since.

    Raises:
        RuntimeError: the view was made where nothing is recorded, or is one of several.
    """
    view = t._view
    if view.version == t._version_counter[0]:
        return
    base = view.base
    if t._node is None and not base._requires_grad:
        return
    check_creation(t, "its base or another view of its base has been")
    node = view_node(t)
    move_retain(t, node)
    t._node, t._nr, t._requires_grad = node, 0, True
    view.version = t._version_counter[0]


def steps_of(view: View, array: np.ndarray) -> tuple[Any, ...]:
    """The way from the base to a view, which shows ``array``.

    If the base looks at its memory in another way since the view was made (after ``t_`` and the like), the
    way is found anew: by where the elements lie in memory.

    Raises:
        RuntimeError: the base has other memory now.
    """
    base = view.base._array
    if base is not view.origin:
        places = places_among(base, array)
        if places is None:
            raise RuntimeError(
                "a view is being used whose base was given other memory since the view was made, or shows "
                "elements of it twice (by set_(), resize_(), as_strided_() or through .data). Make the view "
                "anew."
            )
        view.steps, view.origin = ((at_places, (places,)),), base
    return view.steps


class ViewNode(node_class("AsStridedBackward0")):  # type: ignore[misc]
    """The way from a view back to its base, after the base was changed."""

    def __init__(self, edge: tuple[Any, int], like: Any, steps: tuple[Any, ...], meta: Any) -> None:
        self._edges = (edge,)
        self._live = () if edge[0] is None else (edge,)  # the base may have been detached since
        self._number = next_number()
        self.like, self.steps, self._meta = like, steps, meta

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        return [_pure(add_view, graph, self.like, self.steps, g) for _ in self._live]

    def _release(self) -> None:
        pass

    def _places_of_saved(self) -> dict[str, int]:
        return {}


ViewNode.__name__ = ViewNode.__qualname__ = "AsStridedBackward0"


def view_node(t: Any) -> ViewNode:
    """The new history of a view; with ``replays`` it is named after the operation that made the view."""
    base, array = t._view.base, t._array
    steps = steps_of(t._view, array)
    node = ViewNode(edge_of(base), hollow(base._array), steps, (array.shape, array.dtype))
    if state.replays and t._node is not None:
        name = type(t._node).__name__
        node.__class__ = type(name, (ViewNode,), {"__module__": "torch.autograd"})
    return node


class CopySlices(Node):
    """A change of a view, as the history of its base: the part seen by the view goes through ``inner``."""

    freed = False

    def __init__(self, base: Any, steps: tuple[Any, ...], inner: Any) -> None:
        first = edge_of(base)
        self._edges = (first, *inner._edges[1:])
        self.through = inner._edges[0][0] is not None  # the view's old value has a gradient of its own
        rest = inner._live[1:] if self.through else inner._live
        self._live = (first, *rest) if first[0] is not None else tuple(rest)
        self.keeps_first = first[0] is not None
        self._number = next_number()
        self.steps, self.inner = steps, inner
        self._meta = base._array.shape, base._array.dtype

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        if self.freed:
            raise RuntimeError(FREED)
        seen = _pure(take_view, graph, g, self.steps)
        if not graph:
            seen = np.array(seen)
        outs = list(self.inner._backward(seen, graph) if not graph else self._inner_recorded(seen))
        through = outs.pop(0) if self.through else None
        if not self.keeps_first:
            return outs
        part: Any = 0.0
        if through is not None:
            array = seen._array if graph else seen
            part = fitted(through, (array.shape, array.dtype), graph)
        return [_pure(write_view, graph, g, self.steps, part), *outs]

    def _inner_recorded(self, g: Any) -> Sequence[Any]:
        """The inner cotangents, as tensors of the graph.

        A result that ``inner`` has saved is the changed view, whose way leads through this node: ``inner``
        itself is no node of the graph, and is freed with this one.
        """
        like = hollow(np.broadcast_to(np.zeros((), self._meta[1]), self._meta[0]))
        self.inner.result_node = ViewNode((self, 0), like, self.steps, self.inner._meta)
        try:
            return list(self.inner._backward(g, True))
        finally:
            self.inner.result_node = None

    def _release(self) -> None:
        self.inner._release()
        self.freed = True


def _pure(fn: Any, graph: bool, *args: Any) -> Any:
    if not graph:
        return fn(*args)
    return doors.call(fn, args)


# ----- in-place operations


def check_inplace(t: Any) -> None:
    """Refuse a recorded in-place operation on what must not change.

    Raises:
        RuntimeError: a leaf that requires grad or a view of one, or a view that forbids it.
    """
    view = t._view
    if view is not None:
        check_creation(t)
        if t.requires_grad and view.base._node is None:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation."
            )
    if t._requires_grad and t._node is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def check_creation(t: Any, what: str = "is being") -> None:
    """Refuse to change a view that forbids it; ``what`` was done to what."""
    creation, node = t._view.creation, t._node
    if not creation:
        return
    name = "" if node is None else f"Output {t._nr} of {producer(node)}"
    if name and creation in FORBIDDEN:
        raise RuntimeError(f"{name} is a view and {what} modified inplace. {FORBIDDEN[creation]}")
    header = f"{name} is a view of a view which was created in" if name else "A view was created in"
    if creation == "inference":
        header += f" inference mode and {what} modified inplace in normal mode."
    else:
        header += f" no_grad mode and {what} modified inplace with grad mode enabled."
    mode = "inference_mode" if creation == "inference" else creation
    raise RuntimeError(f"{header} {FORBIDDEN.get(creation) or AMBIGUOUS.format(mode)}")


def check_inference(t: Any) -> None:
    """Refuse to change an inference tensor; who wants to know of changes before they are made is told."""
    if t._inference and not state.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to "
            "get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for "
            "more details."
        )
    if state.before_change is not None:
        state.before_change(t)


def check_overlap(x: np.ndarray, constant: bool = False) -> None:
    """Refuse to write to an array that shows one element at several places.

    ``constant``: one number is written everywhere, so that only stretched arrays are refused.

    Raises:
        RuntimeError, in a trace UnsupportedError: it does.
    """
    if overlaps(x) and (not constant or 0 in x.strides):
        if state.tracing:
            raise UnsupportedError(
                "a write to an array that shows one element at several places",
                why="what is there behind it depends on the order in which NumPy writes",
                fix="write to the array of which it is a view",
            )
        raise RuntimeError(OVERLAP)


def overlaps(x: np.ndarray) -> bool:
    """Whether an array shows one element at several places."""
    if x.flags.c_contiguous or x.size < 2:
        return False
    reach = 0
    for step, n in sorted((abs(s), n) for s, n in zip(x.strides, x.shape, strict=True) if n > 1):
        if step <= reach:  # a dimension falls within the others: only counting tells
            break
        reach += step * (n - 1)
    else:
        return False
    places: Any = 0
    own: Any
    for own, step in zip(np.indices(x.shape, sparse=True), x.strides, strict=True):
        places = places + own * step
    return bool(np.unique(places).size < x.size)


def rebase(t: Any, node: Any) -> None:
    """Give a changed tensor its new history; ``node``'s first edge leads to the old one."""
    view = t._view
    if view is None:
        move_retain(t, node)
        t._node, t._nr, t._requires_grad = node, 0, True
        return
    base = view.base
    copy = CopySlices(base, steps_of(view, t._array), node)
    move_retain(base, copy)
    base._node, base._nr, base._requires_grad = copy, 0, True
    refreshed = view_node(t)
    move_retain(t, refreshed)
    t._node, t._nr, t._requires_grad = refreshed, 0, True
    view.version = t._version_counter[0]


def move_retain(t: Any, node: Any, nr: int = 0) -> None:
    """``retain_grad`` is a wish about the tensor, and follows it to its new history."""
    old = t._node
    if old is None or old._hooks is None:
        return
    kept = old._hooks.retain.get(t._nr)
    if kept is not None and kept() is t:
        del old._hooks.retain[t._nr]
        node._hooked().retain[nr] = kept


doors.edge_of, doors.refresh = edge_of, refresh
