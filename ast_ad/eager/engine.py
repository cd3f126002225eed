"""How does the reverse sweep run? Newest node first, without recursion.

``execute(roots, keep, graph, targets, ends) -> dict[Edge, Any] | None``. Called by ``backward`` and ``grad``
(``sweeps``) with the first gradients; at each node it runs the slice of the rule, by ``step`` where hooks or
a leaf want more, and ``fitted`` gives each result the shape and the dtype of its input.

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

from . import doors
from .accumulation import ALONE, accumulate
from .counting import counted_sweep
from .fitting import fitted
from .hooks import unwrapped, wrapped
from .node import AccumulateGrad, Node
from .state import restore, silence, state, watch
from .steps import Edge, add_to, late_hooks, leading_to, limits, reachable, step
from .sweep_depth import LEVELS, in_another_thread

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
        run = _sweep if not Node.renumbered else counted_sweep
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


def _push(heap: list[tuple[int, Any]], buffers: dict[Any, Any], node: Any, nr: int, g: Any) -> None:
    """Add a gradient, which may be None, to what a node has got, and let the node wait for its turn."""
    if node not in buffers:
        heappush(heap, (-node._number, node))
    add_to(buffers, node, nr, g)


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


doors.apply_node = apply_node
