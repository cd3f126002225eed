"""How does a leaf take a gradient up? In place, as a copy that lies in memory as the leaf does."""

from __future__ import annotations

from typing import Any

import numpy as np

from .hooks import after_accumulation
from .node import accumulate_lock


def accumulate(node: Any, g: Any, graph: bool) -> None:
    """Add to the ``grad`` of a leaf: in place, unless the sum belongs to a graph."""
    leaf = node.variable
    if leaf._requires_grad and g is not None:
        fresh = leaf._grad is None and not graph
        with accumulate_lock:
            _add_to_grad(leaf, g, graph)
        if fresh and leaf._grad is not None:  # hooks that run after this one see the same memory
            g = leaf._grad._array
    if leaf._post_accumulate or node._hooks is not None:
        after_accumulation(node, g, graph)


def _add_to_grad(leaf: Any, g: Any, graph: bool) -> None:
    from .tensor import Tensor

    held = leaf._grad
    if held is None:
        if graph:
            leaf._grad = (
                _recorded_copy(g, leaf) if g._requires_grad else Tensor._of(as_leaf(g._array, leaf._array))
            )
        else:
            leaf._grad = Tensor._of(as_leaf(g, leaf._array))
    elif graph:
        leaf._grad = held + g
    else:
        np.add(held._array, g, out=held._array, casting="same_kind")
        held._version_counter[0] += 1


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


def is_dense(a: np.ndarray) -> bool:
    """Whether the elements fill one block of memory, without gaps and without overlap."""
    expected = a.itemsize
    for stride, n in sorted((s, n) for s, n in zip(a.strides, a.shape, strict=True) if n != 1):
        if stride != expected:
            return False
        expected *= n
    return True
