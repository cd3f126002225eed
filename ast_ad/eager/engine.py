"""How does the reverse sweep run? Newest node first, without recursion.

A node's sequence number is higher than those of all nodes that its edges lead to, so the newest node that has
a gradient has received all of it. Plain sweeps run on arrays; with ``graph`` they run on Tensors and are
recorded themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from ..rules.helpers import unbroadcast
from .node import AccumulateGrad, Node, accumulate_lock
from .state import restore, silence, state, watch

Edge = tuple[Any, int]


def execute(
    roots: Sequence[tuple[Any, int, Any]],
    keep: bool,
    graph: bool,
    targets: Sequence[Edge] | None = None,
) -> dict[Edge, Any] | None:
    """Send gradients from ``roots`` (node, output, Tensor) towards the leaves.

    With ``targets`` only what leads to these edges runs, and their gradients are returned (Tensors); otherwise
    leaves accumulate.
    """
    token = silence()
    grad, state.grad = state.grad, graph
    try:
        return _sweep(roots, keep, graph, targets)
    finally:
        state.grad = grad
        restore(token)


def _sweep(
    roots: Sequence[tuple[Any, int, Any]], keep: bool, graph: bool, targets: Sequence[Edge] | None
) -> dict[Edge, Any] | None:
    heap: list[tuple[int, Any]] = []
    buffers: dict[Any, Any] = {}
    captured: dict[Edge, Any] | None = None if targets is None else {}
    wanted: dict[Any, list[int]] = {}
    needed: set[Any] | None = None
    if targets is not None:
        for target, nr in targets:
            wanted.setdefault(target, []).append(nr)
        needed = leading_to(wanted, [root for root, _, _ in roots])
    for node, nr, g in roots:
        _push(heap, buffers, node, nr, g if graph else g._array)
    watched = watch.anomaly or watch.profiler is not None
    while heap:
        node = heappop(heap)[1]
        g = buffers.pop(node)
        if captured is not None and node not in needed and node not in wanted:  # type: ignore[operator]
            continue
        hooks = node._hooks
        if hooks is not None or node.__class__ is AccumulateGrad:
            g = tensor_hooks(node, g, graph)
        if captured is not None:
            if node in wanted:
                for nr in wanted[node]:
                    captured[node, nr] = g if node._outputs == 1 else g[nr]
            if node not in needed:  # type: ignore[operator]
                continue
        if hooks is not None and hooks.pre:
            g = prehooks(node, g, graph)
        if node.__class__ is AccumulateGrad:
            accumulate(node, g, graph)
            continue
        if g is None and not node._takes_none:
            outs: Sequence[Any] = (None,) * len(node._live)
        else:
            outs = watched_backward(node, g, graph) if watched else node._backward(g, graph)
        if not keep:
            node._release()
        if hooks is not None and hooks.post:
            outs = posthooks(node, outs, g, graph)
        for (target, nr), out in zip(node._live, outs, strict=True):
            if out is None or target._outputs != 1:
                meta = target._meta if target._outputs == 1 else target._meta[nr]
                _push(heap, buffers, target, nr, fitted(out, meta, graph))
                continue
            out = fitted(out, target._meta, graph)
            previous = buffers.get(target)
            if previous is not None:
                buffers[target] = previous + out
            else:
                if target not in buffers:
                    heappush(heap, (-target._number, target))
                buffers[target] = out
    return captured


def _push(heap: list[tuple[int, Any]], buffers: dict[Any, Any], node: Any, nr: int, g: Any) -> None:
    """Add a gradient, which may be None, to what a node has got."""
    single = node._outputs == 1
    if node not in buffers:
        heappush(heap, (-node._number, node))
        buffers[node] = None if single else [None] * node._outputs
    if g is None:
        return
    if single:
        before = buffers[node]
        buffers[node] = g if before is None else before + g
        return
    parts = buffers[node]
    parts[nr] = g if parts[nr] is None else parts[nr] + g


def leading_to(wanted: Any, roots: Sequence[Any]) -> set[Any]:
    """The nodes that have to run: those behind which there is a wanted one."""
    needed: set[Any] = set()
    seen: set[Any] = set()
    stack: list[tuple[Any, bool]] = [(root, False) for root in roots]
    while stack:
        node, done = stack.pop()
        if done:
            if any(after in needed or after in wanted for after, _ in node._live):
                needed.add(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((after, False) for after, _ in node._live)
    return needed


def fitted(g: Any, meta: tuple[Any, Any], graph: bool) -> Any:
    """A gradient in the shape and the dtype of what it is the gradient of."""
    shape, dtype = meta
    if g is None:
        return None
    if graph:
        return g if g._array.shape == shape and g._array.dtype == dtype else fitted_tensor(g, shape, dtype)
    if g.__class__ is not np.ndarray:
        g = np.asarray(g)
    if g.shape != shape:
        g = np.broadcast_to(g, shape) if g.ndim < len(shape) and g.size == 1 else unbroadcast(g, _like(shape))
        if g.__class__ is not np.ndarray:
            g = np.asarray(g)
    if g.dtype is not dtype and g.dtype != dtype:
        g = (g.real if g.dtype.kind == "c" and dtype.kind != "c" else g).astype(dtype)
    return g


def _like(shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(np.False_, shape)


def fitted_tensor(g: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    from .dispatch import call
    from .tensor import Tensor

    if not isinstance(g, Tensor):
        g = Tensor._of(np.asarray(g))
    if g._array.shape != shape:
        fn: Any = unbroadcast
        if g._array.ndim < len(shape):
            g = call(np.broadcast_to, (g, shape))
        else:
            g = call(fn, (g, _like(shape)))
    if g._array.dtype != dtype:
        if g._array.dtype.kind == "c" and dtype.kind != "c":
            g = call(np.real, (g,))
        g = g.to(dtype)
    return g


# ----- hooks


def _wrapped(g: Any, graph: bool) -> Any:
    from .tensor import Tensor

    return g if graph or g is None else Tensor._of(g)


def _unwrapped(t: Any, graph: bool) -> Any:
    return t if graph or t is None else t._array


def tensor_hooks(node: Any, g: Any, graph: bool) -> Any:
    """The gradient after the hooks of the tensors that the node made, and kept for ``retain_grad``."""
    if node.__class__ is AccumulateGrad:
        hooks = node.variable._hooks
        return g if not hooks else _chain(hooks, g, graph)
    by_output, retained = node._hooks.tensor, node._hooks.retain
    if not by_output and not retained:
        return g
    parts = [g] if node._outputs == 1 else list(g)
    for nr, part in enumerate(parts):
        if part is None:
            continue
        if nr in by_output:
            parts[nr] = part = _chain(by_output[nr], part, graph)
        tensor = retained[nr]() if nr in retained else None
        if tensor is not None:
            kept = part if graph else _wrapped(part.copy(), graph)
            tensor._grad = kept if tensor._grad is None else tensor._grad + kept
    return parts[0] if node._outputs == 1 else parts


def _chain(hooks: Any, g: Any, graph: bool) -> Any:
    value = _wrapped(g, graph)
    for hook in list(hooks.values()):
        found = hook(value)
        if found is None:
            continue
        _check_hook(hook, found, value)
        value = found
    return _unwrapped(value, graph)


def _check_hook(hook: Any, found: Any, value: Any) -> None:
    if not hasattr(type(found), "_is_eager_tensor"):
        raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
    name = getattr(hook, "__name__", type(hook).__name__)
    if found._array.shape != value._array.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    if found._array.dtype != value._array.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was torch.{value.type()} got {found.type()})")


def prehooks(node: Any, g: Any, graph: bool) -> Any:
    grads = tuple(_wrapped(p, graph) for p in ([g] if node._outputs == 1 else g))
    for hook in list(node._hooks.pre.values()):
        found = hook(grads)
        if found is not None:
            if not isinstance(found, tuple):
                found = (found,)
            grads = checked_tuple(hook, found, len(grads))
    parts = [_unwrapped(p, graph) for p in grads]
    return parts[0] if node._outputs == 1 else parts


def posthooks(node: Any, outs: Sequence[Any], g: Any, graph: bool) -> Sequence[Any]:
    """The node's results after its hooks, which see an entry per edge and may replace them all."""
    live = iter(outs)
    inputs = []
    for target, nr in node._edges:
        if target is None:
            inputs.append(None)
            continue
        out = next(live)
        meta = target._meta if target._outputs == 1 else target._meta[nr]
        inputs.append(None if out is None else _wrapped(fitted(out, meta, graph), graph))
    grads_in = tuple(inputs)
    grads_out = tuple(_wrapped(p, graph) for p in ([g] if node._outputs == 1 else g))
    for hook in list(node._hooks.post.values()):
        found = hook(grads_in, grads_out)
        if found is not None:
            grads_in = checked_tuple(hook, found, len(grads_in))
    return [_unwrapped(p, graph) for p, (target, _) in zip(grads_in, node._edges, strict=True) if target]


def checked_tuple(hook: Any, found: Any, n: int) -> tuple[Any, ...]:
    if not isinstance(found, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(found).__name__}'")
    if len(found) != n:
        name = getattr(hook, "__name__", type(hook).__name__)
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values (got {len(found)}, but expected {n})"
        )
    for item in found:
        if item is not None and not hasattr(type(item), "_is_eager_tensor"):
            raise TypeError(f"expected Variable, but hook returned '{type(item).__name__}'")
    return found


# ----- leaves


def accumulate(node: Any, g: Any, graph: bool) -> None:
    """Add to the ``grad`` of a leaf: in place, unless the sum belongs to a graph."""
    leaf = node.variable
    if leaf._requires_grad:
        with accumulate_lock:
            _add_to_grad(leaf, g, graph)
    after = leaf._post_accumulate
    if after:
        for hook in list(after.values()):
            found = hook(leaf)
            if found is not None:
                raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
    if node._hooks is not None:
        shown = (_wrapped(g, graph),)
        for hook in list(node._hooks.post.values()):
            found = hook((), shown)
            if found is not None:
                checked_tuple(hook, found, 0)


def _add_to_grad(leaf: Any, g: Any, graph: bool) -> None:
    from .tensor import Tensor

    held = leaf._grad
    if held is None:
        if graph:
            leaf._grad = g.clone() if g._requires_grad else Tensor._of(as_leaf(g._array, leaf._array))
        else:
            leaf._grad = Tensor._of(as_leaf(g, leaf._array))
    elif graph:
        leaf._grad = held + g
    else:
        held._array += g
        held._version_counter[0] += 1


def as_leaf(g: np.ndarray, like: np.ndarray) -> np.ndarray:
    """A copy of a gradient, with the strides of the leaf if that is dense, else row by row."""
    if like.flags.c_contiguous:
        return g.copy()
    out = np.empty_like(like) if is_dense(like) else np.empty(like.shape, like.dtype)
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


# ----- one node, and nodes that are watched


def apply_node(node: Node, grads: Sequence[Any]) -> Any:
    """The gradients of a node's inputs, recorded if gradients are: what calling a node gives."""
    given: Any = list(grads) if node._outputs != 1 else grads[0]
    graph = state.grad
    if node.__class__ is AccumulateGrad:
        accumulate(node, _unwrapped(given, graph), graph)
        return None
    arrays = [_unwrapped(p, graph) for p in given] if node._outputs != 1 else _unwrapped(given, graph)
    outs = iter(node._backward(arrays, graph))
    found = []
    for target, nr in node._edges:
        out = next(outs) if target is not None else None
        meta = None if target is None else target._meta if target._outputs == 1 else target._meta[nr]
        found.append(None if out is None else _wrapped(fitted(out, meta, graph), graph))
    return found[0] if len(found) == 1 else tuple(found)


def watched_backward(node: Any, g: Any, graph: bool) -> Sequence[Any]:
    """A step of the sweep under a profiler or the detection of anomalies."""
    from ..autograd.anomaly_mode import checked_backward

    if watch.profiler is None:
        return checked_backward(node, g, graph) if watch.anomaly else node._backward(g, graph)
    with watch.profiler.node(node):
        return checked_backward(node, g, graph) if watch.anomaly else node._backward(g, graph)
