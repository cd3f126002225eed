"""How is a view made? Its array shares memory; its node and its ``_view`` say how to get there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from .dtypes import as_numpy  # noqa: F401
from .node import next_number
from .recording import make_node, needs_grad
from .state import state, watch
from .table import Operation
from .tensor import Tensor
from .views import View, edge_of, make_view


def look(op: Operation, t: Tensor, *args: Any, array: Any = None, creation: str = "") -> Any:
    """The view ``op.fn(t, *args)``; ``array``: its array, where that is made in another way."""
    if watch.profiler is not None:
        with watch.profiler.operation(op, (t,)) as span:
            return span.result(_look(op, t, args, array, creation))
    return _look(op, t, args, array, creation)


def _look(op: Operation, t: Tensor, args: tuple[Any, ...], array: Any, creation: str) -> Any:
    x = t._array
    if array is None:
        array = op.fn(x, *args)
    v = t._face._of(array)
    recorded = state.grad and needs_grad(t) and array.dtype.kind in "fc" and not t._inference
    make_view(v, t, (op.fn, args), creation)
    v._inference = t._inference
    if recorded:
        v._node, v._requires_grad = _node(op, t, x, args, array), True
    return v


def _node(op: Operation, t: Tensor, x: np.ndarray, args: tuple[Any, ...], array: np.ndarray) -> Any:
    """The node of a view, the short way if nobody looks on: ``args`` hold no tensors."""
    n = len(args)
    if array.dtype.kind == "f" and x.dtype.kind == "f" and state.ordinary and not watch.anomaly:
        plan = op.singles.get(n)
        if plan is None:
            plan = op.singles[n] = op.plan((True, *(False,) * n), (), False, False)
        node = op.node()
        if plan.save_one(node, None, t, array, x, args):
            node.slice, node._meta = plan, (array.shape, array.dtype)
            edge = (t._node, t._nr) if t._view is None and t._node is not None else edge_of(t)
            node._live = node._edges = (edge,)
            node._number = next_number()
            return node
    return make_node(op, (t, *args), (x, *args), array, {}, (True, *(False,) * n), None)


def look_several(op: Operation, t: Tensor, args: tuple[Any, ...], steps: Sequence[Any]) -> tuple[Any, ...]:
    """The views that ``op.fn(t, *args)`` returns; ``steps``: for each the function that leads to it.

    They share one node, and must not be changed in place.
    """
    arrays = op.fn(t._array, *args)
    recorded = state.grad and needs_grad(t) and t._array.dtype.kind in "fc" and arrays and not t._inference
    node = None
    if recorded:
        active = (True, *(False,) * len(args))
        node = make_node(op, (t, *args), (t._array, *args), arrays[0], {}, active, None)
        node.take_the_long_way()
        node._outputs, node._meta = len(arrays), [(a.shape, a.dtype) for a in arrays]
        if len(arrays) == 1:
            node._outputs, node._meta, node.boxed = 1, node._meta[0], True
    found = []
    for nr, (array, step) in enumerate(zip(arrays, steps, strict=True)):
        v = t._face._of(array)
        make_view(v, t, step, "multi" if state.grad else "")
        v._inference = t._inference
        if node is not None:
            v._node, v._nr, v._requires_grad = node, nr, True
        found.append(v)
    return tuple(found)


def look_from_base(op: Operation, t: Tensor, args: tuple[Any, ...], array: Any, step: Any) -> Any:
    """A view that is reached from ``t``'s base by ``step`` alone, whatever ``t`` itself shows of it."""
    v = _look(op, t, args, array, "")
    if v._view is not None:  # of what was made in inference mode no way is kept
        v._view = View(v._view.base, (step,), v._view.creation, v._view.version)
    return v


def fresh(op: Operation, t: Tensor, *args: Any, order: Literal["C", "K"] = "C") -> Any:
    """``op.fn(t, *args)`` as a tensor with memory of its own, where ``op.fn`` may return a view.

    ``order``: 'K' keeps the order of the dimensions in memory.
    """
    out = op.fn(t._array, *args)
    if out.base is not None or not out.flags.c_contiguous or out is t._array:
        out = np.array(out, order=order, copy=True)
    found = t._face._of(out)
    if state.grad and needs_grad(t) and out.dtype.kind in "fc":
        active = (True, *(False,) * len(args))
        node = make_node(op, (t, *args), (t._array, *args), found._array, {}, active, found._version_counter)
        found._node, found._requires_grad = node, True
    return found


def restrided(x: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
    """``x`` with another shape and strides (in bytes), within its memory."""
    if x.flags.c_contiguous and x.size:
        return np.ndarray(shape, x.dtype, x, 0, strides)  # as_strided, several times as fast
    return np.lib.stride_tricks.as_strided(x, shape, strides)


def strides_of(array: np.ndarray) -> tuple[int, ...]:
    """The strides, counted in elements; that of an axis of length 1 as if there were more of it."""
    out = [s // array.itemsize for s in array.strides]
    if 0 in out or array.size == 0:
        shape = array.shape
        if array.size == 0 and (array.flags.owndata or 0 in out):
            step = 1
            for i in range(len(shape) - 1, -1, -1):
                out[i] = step
                step *= max(shape[i], 1)
            return tuple(out)
        for i in range(len(shape) - 1, -1, -1):
            if shape[i] == 1 and out[i] == 0:
                out[i] = shape[i + 1] * out[i + 1] if i + 1 < len(shape) else 1
    return tuple(out)


Maker = Callable[..., Any]
