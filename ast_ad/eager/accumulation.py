"""How does a leaf take a gradient up? In place; at first as a copy that lies in memory as the leaf does.

An array that nothing else refers to needs no copy.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from .hooks import after_accumulation
from .node import accumulate_lock
from .places import is_dense
from .tensor import Tensor


def _references() -> tuple[int, int]:
    """What ``getrefcount`` says of an array that one name refers to, and of one that one view refers to."""
    alone = np.empty(1)
    view = np.empty(2)[:1]
    return getrefcount(alone), getrefcount(view.base)


ALONE, UNDER_ONE_VIEW = _references()


def hookless(node: Any) -> bool:
    """Whether no hook runs before a gradient is accumulated."""
    return node._hooks is None and not node.variable._hooks


def accumulate(node: Any, g: Any, graph: bool, own: bool = False) -> None:
    """Add to the ``grad`` of a leaf: in place, unless the sum belongs to a graph.

    ``own``: nothing but the caller refers to ``g``.

    Raises:
        RuntimeError: the leaf has a history by now.
    """
    leaf = node.variable
    if leaf._node is not None:
        raise RuntimeError("leaf variable has been moved into the graph interior")
    if leaf._requires_grad and g is not None:
        fresh = leaf._grad is None and not graph
        with accumulate_lock:
            _add_to_grad(leaf, g, graph, own)
        if fresh and leaf._grad is not None:  # hooks that run after this one see the same memory
            g = leaf._grad._array
    if leaf._post_accumulate or node._hooks is not None:
        after_accumulation(node, g, graph)


def _add_to_grad(leaf: Any, g: Any, graph: bool, own: bool) -> None:
    held = leaf._grad
    if held is None:
        if graph:
            leaf._grad = (
                _recorded_copy(g, leaf) if g._requires_grad else Tensor._of(as_leaf(g._array, leaf._array))
            )
        else:
            usable = own and _may_keep(g, leaf._array)
            leaf._grad = Tensor._of(g if usable else as_leaf(g, leaf._array))
    elif graph:
        leaf._grad = held + g
    else:
        np.add(held._array, g, out=held._array, casting="same_kind")
        held._version_counter[0] += 1


def _may_keep(g: np.ndarray, like: np.ndarray) -> bool:
    """Whether a gradient can be kept as it is: its memory is its own, and lies as that of the leaf does."""
    flags = g.flags
    if g.dtype != like.dtype or g.strides != like.strides or not flags.writeable:
        return False
    if not flags.owndata:
        of_array = type(g.base) is np.ndarray and g.base.flags.owndata and g.base.nbytes == g.nbytes
        if not of_array or getrefcount(g.base) != UNDER_ONE_VIEW:
            return False
    return flags.c_contiguous or is_dense(g)


def _recorded_copy(g: Any, leaf: Any) -> Any:
    """A copy of a gradient that has a history, with the strides of the leaf if that is dense."""
    if not is_dense(leaf._array):
        return g.clone()
    copy = type(leaf)._face._of(np.empty_like(leaf._array))
    return copy.copy_(g)


def as_leaf(g: np.ndarray, like: np.ndarray) -> np.ndarray:
    """A copy of a gradient, with the strides of the leaf if that is dense, else row by row."""
    if like.flags.c_contiguous:
        return g.copy()
    out = np.empty_like(like, g.dtype) if is_dense(like) else np.empty(like.shape, g.dtype)
    out[...] = g
    return out


def clear_grad(param: Any, set_to_none: bool) -> None:
    """Remove the gradient of a parameter, or cut it off its history and fill it with zeros."""
    grad = param._grad
    if grad is None:
        return
    if set_to_none:
        param._grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()
