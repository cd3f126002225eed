"""How does the reverse sweep run? Newest node first, without recursion.

A node's sequence number is higher than those of all nodes that its edges lead to, so the newest node that has
a gradient has received all of it. Plain sweeps run on arrays; with ``graph`` they run on Tensors and are
recorded themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from sys import getrefcount
from typing import Any

import numpy as np
from numpy import ndarray

from ..rules.helpers import unbroadcast
from .accumulation import ALONE, accumulate, hookless
from .hooks import posthooks, prehooks, tensor_hooks, unwrapped, wrapped
from .node import AccumulateGrad, Node
from .state import restore, silence, state, watch
from .sweep_depth import LEVELS, in_another_thread

Edge = tuple[Any, int]


_next_sweep = itertools.count().__next__


class Sweep:
    """A sweep under way. Hooks of several tensors ask which of their nodes it will come to."""

    __slots__ = (
        "__weakref__", "_found", "callbacks", "collects", "depth", "keep", "number", "roots", "targets",
    )  # fmt: skip

    def __init__(
        self,
        roots: Sequence[tuple[Any, int, Any]],
        targets: Sequence[Edge] | None,
        keep: bool,
        collects: bool,
    ) -> None:
        self.roots, self.targets, self.keep, self.collects = roots, targets, keep, collects
        self.number = _next_sweep()
        self.depth = 0 if state.sweep is None else state.sweep.depth + 1
        self._found: set[Any] | None = None
        self.callbacks: list[Callable[[], Any]] = []  # to be called at the end

    def reaches(self, node: Any) -> bool:
        """Whether the gradient of an output of ``node`` will be computed."""
        return node in self.nodes()

    def nodes(self) -> set[Any]:
        """The nodes that the sweep comes to; the newest is the first."""
        if self._found is None:
            ends = [root for root, _, _ in self.roots]
            if self.targets is None:
                self._found = reachable(ends)
            else:
                wanted = dict.fromkeys(target for target, _ in self.targets)
                self._found = leading_to(wanted, ends) | (reachable(ends) & set(wanted))
        return self._found


def reachable(ends: Sequence[Any]) -> set[Any]:
    """The nodes to which paths from ``ends`` lead."""
    seen: set[Any] = set()
    stack = list(ends)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(after for after, _ in node._live)
    return seen


def execute(
    roots: Sequence[tuple[Any, int, Any]],
    keep: bool,
    graph: bool,
    targets: Sequence[Edge] | None = None,
    ends: Sequence[Edge] | None = None,
) -> dict[Edge, Any] | None:
    """Send gradients from ``roots`` (node, output, Tensor) towards the leaves.

    With ``targets`` only what leads to these edges runs, and their gradients are returned (Tensors);
    otherwise leaves accumulate. With ``ends`` only what leads to the nodes of these edges runs, and those
    nodes.
    """
    sweep = Sweep(roots, ends if targets is None else targets, keep, targets is not None)
    outer, state.sweep = state.sweep, sweep
    packs = state.packs, state.pack, state.ordinary
    grad, state.grad = state.grad, graph
    token = silence()
    try:
        run = _sweep if not Node.renumbered else counted_sweep()
        if sweep.depth % LEVELS or not sweep.depth:
            found = run(roots, keep, graph, targets, ends)
        else:
            found = in_another_thread(run, roots, keep, graph, targets, ends)
        for callback in sweep.callbacks:
            callback()
        return found
    finally:
        state.sweep = outer
        state.grad = grad
        state.packs, state.pack, state.ordinary = packs  # what hooks have entered or left meanwhile
        restore(token)


def _sweep(
    roots: Sequence[tuple[Any, int, Any]],
    keep: bool,
    graph: bool,
    targets: Sequence[Edge] | None,
    ends: Sequence[Edge] | None,
) -> dict[Edge, Any] | None:
    heap: list[tuple[int, Any]] = []
    buffers: dict[Any, Any] = {}
    captured: dict[Edge, Any] | None = None if targets is None else {}
    wanted, needed = limits([root for root, _, _ in roots], targets, ends)
    for node, nr, g in roots:
        _push(heap, buffers, node, nr, g if graph else g._array)
    plain = needed is None and not watch.anomaly and watch.profiler is None
    node = None  # the newest node with a gradient, where it is known without asking the heap
    while heap or node is not None:
        if node is None:
            node = heappop(heap)[1]
        g = buffers.pop(node)
        if plain and node._hooks is None and node.__class__ is not AccumulateGrad and g is not None:
            if graph or not node.quick or (values := node.values) is None:
                outs: Any = node._backward(g, graph)
                if node._hooks is not None:
                    outs = late_hooks(node, outs, graph)
            else:
                for counter in node.checks:
                    if counter is not None and counter[0]:
                        node._backward(g, graph)  # raises if it changed
                outs = node.slice.run(g, *values)
        else:
            outs = out = None  # so that nothing here refers to the gradient a second time
            own = getrefcount(g) == ALONE
            outs = step(node, g, graph, captured, wanted, needed, own)
            if outs is None:
                node = None
                continue
        if not keep:
            node._release()
        live, node = node._live, None
        for (target, nr), out in zip(live, outs, strict=True):
            meta = target._meta
            if out is None or target._outputs != 1:
                meta = meta if target._outputs == 1 else meta[nr]
                _push(heap, buffers, target, nr, fitted(out, meta, graph))
                continue
            if graph or out.__class__ is not ndarray or out.shape != meta[0] or out.dtype is not meta[1]:
                out = fitted(out, meta, graph)
            if target not in buffers:
                buffers[target] = out
                if node is None and (not heap or target._number > -heap[0][0]):
                    node = target
                    continue
                heappush(heap, (-target._number, target))
            else:
                previous = buffers[target]
                buffers[target] = out if previous is None else previous + out
        if node is not None and heap and -heap[0][0] > node._number:
            heappush(heap, (-node._number, node))
            node = None
    return captured


def counted_sweep() -> Any:
    from .counting import counted_sweep as found

    return found


def limits(
    starts: Sequence[Any], targets: Sequence[Edge] | None, ends: Sequence[Edge] | None
) -> tuple[dict[Any, list[int]], set[Any] | None]:
    """The outputs whose gradients are wanted, by node, and the nodes that have to run; None: all."""
    wanted: dict[Any, list[int]] = {}
    if targets is not None:
        for target, nr in targets:
            wanted.setdefault(target, []).append(nr)
        return wanted, leading_to(wanted, starts)
    if ends is not None:
        last = {end for end, _ in ends}
        return wanted, last | leading_to(last, starts)
    return wanted, None


def step(
    node: Any,
    g: Any,
    graph: bool,
    captured: dict[Edge, Any] | None,
    wanted: Any,
    needed: set[Any] | None,
    own: bool = False,
) -> Sequence[Any] | None:
    """One node with all that may be asked of it: hooks, captures, a leaf; None if nothing goes on from it.

    ``own``: nothing but the caller refers to ``g``.
    """
    hooks, hooked = node._hooks, node._hooks is not None and node._hooks.post
    leaf = node.__class__ is AccumulateGrad
    if needed is not None:
        if node not in needed:
            if captured is not None and node in wanted:
                seen = tensor_hooks(node, g, graph) if hooks is not None or leaf else g
                capture(captured, node, wanted[node], seen)
            return None
        if captured is not None and node in wanted:  # before the hooks, which run with the node
            capture(captured, node, wanted[node], g)
    if hooks is not None or leaf:
        g = tensor_hooks(node, g, graph)
    if hooks is not None and hooks.pre:
        g = prehooks(node, g, graph)
    if leaf:
        own = own and captured is None and hookless(node)  # hooks may have kept it
        if watch.profiler is None:
            accumulate(node, g, graph, own)
        else:
            with watch.profiler.node(node):
                accumulate(node, g, graph)
        return None
    if g is None and not node._takes_none:
        outs: Sequence[Any] = (None,) * len(node._live)
    elif watch.anomaly or watch.profiler is not None:
        outs = watched_backward(node, g, graph)
    else:
        outs = node._backward(g, graph)
    if not hooked:
        return outs if node._hooks is None else late_hooks(node, outs, graph)
    if needed is not None and not node._takes_none:  # hooks see what is needed only
        pairs = zip(outs, node._live, strict=True)
        outs = [out if after in needed or after in wanted else None for out, (after, _) in pairs]
    return posthooks(node, outs, g, graph)


def late_hooks(node: Any, outs: Sequence[Any], graph: bool) -> Sequence[Any]:
    """The results after hooks that were registered while the node ran; they aren't shown what went in."""
    nothing = None if node._outputs == 1 else [None] * node._outputs
    return posthooks(node, outs, nothing, graph) if node._hooks.post else outs


def capture(captured: dict[Edge, Any], node: Any, outputs: Sequence[int], g: Any) -> None:
    """Note the gradients of some outputs of a node."""
    for nr in outputs:
        captured[node, nr] = g if node._outputs == 1 else g[nr]


def _push(heap: list[tuple[int, Any]], buffers: dict[Any, Any], node: Any, nr: int, g: Any) -> None:
    """Add a gradient, which may be None, to what a node has got, and let the node wait for its turn."""
    if node not in buffers:
        heappush(heap, (-node._number, node))
    add_to(buffers, node, nr, g)


def add_to(buffers: dict[Any, Any], node: Any, nr: int, g: Any) -> None:
    """Add a gradient, which may be None, to what a node has got."""
    single = node._outputs == 1
    if node not in buffers:
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
        own: Any = getattr(g, "_array", None)  # a rule that reads a shape only may answer with an array
        fits = own is not None and own.shape == shape
        fits = fits and (dtype is None or dtype == own.dtype)  # not `in`: None equals np.dtype(float)
        return g if fits else fitted_tensor(g, shape, dtype)
    if g.__class__ is not np.ndarray:
        g = np.asarray(g)
    if g.shape != shape:
        g = np.asarray(_summed_to(g, shape))
    if dtype is not None and g.dtype is not dtype and g.dtype != dtype:
        g = (g.real if g.dtype.kind == "c" and dtype.kind != "c" else g).astype(dtype)
    return g


def _summed_to(g: np.ndarray, shape: tuple[int, ...]) -> Any:
    """``g`` summed over the axes along which ``shape`` was broadcast; a lone number is repeated."""
    if not shape:
        return g.sum()
    extra = g.ndim - len(shape)
    if extra < 0:
        return np.broadcast_to(g, shape) if g.size == 1 else unbroadcast(g, _like(shape))
    wide = g.shape
    axes = tuple([i for i in range(g.ndim) if i < extra or shape[i - extra] == 1 != wide[i]])
    return g.sum(axes).reshape(shape) if axes else unbroadcast(g, _like(shape))


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
    if dtype is not None and g._array.dtype != dtype:
        if g._array.dtype.kind == "c" and dtype.kind != "c":
            g = call(np.real, (g,))
        g = g.to(dtype)
    return g


# ----- one node, and nodes that are watched


def apply_node(node: Node, grads: Sequence[Any]) -> Any:
    """The gradients of a node's inputs, recorded if gradients are: what calling a node gives."""
    if len(grads) != node._outputs:
        raise TypeError(f"expected {node._outputs} arguments, got {len(grads)} instead")
    graph = state.grad
    parts = [unwrapped(p, graph) for p in grads]
    given: Any = parts if node._outputs != 1 else parts[0]
    if node.__class__ is AccumulateGrad:
        accumulate(node, given, graph)
        return ()
    nothing = given is None and not node._takes_none
    outs = iter((None,) * len(node._live) if nothing else node._backward(given, graph))
    found = []
    for target, _ in node._edges:
        out = next(outs) if target is not None else None
        found.append(out if out is None or graph else wrapped(np.asarray(out), graph))
    return found[0] if len(found) == 1 else tuple(found)


def watched_backward(node: Any, g: Any, graph: bool) -> Sequence[Any]:
    """A step of the sweep under a profiler or the detection of anomalies."""
    from .anomaly import checked_backward

    if watch.profiler is None:
        return checked_backward(node, g, graph) if watch.anomaly else node._backward(g, graph)
    with watch.profiler.node(node) as span:
        outs = checked_backward(node, g, graph) if watch.anomaly else node._backward(g, graph)
        span.result(list(outs))
        return outs
