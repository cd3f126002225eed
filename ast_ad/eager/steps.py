"""What does a sweep do at one node, and at which nodes?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .accumulation import accumulate, hookless
from .hooks import posthooks, prehooks, tensor_hooks
from .node import AccumulateGrad
from .state import watch

Edge = tuple[Any, int]


# ----- which nodes


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


# ----- one node


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


def watched_backward(node: Any, g: Any, graph: bool) -> Sequence[Any]:
    """A step of the sweep under a profiler or the detection of anomalies."""
    from .anomaly import checked_backward

    if watch.profiler is None:
        return checked_backward(node, g, graph) if watch.anomaly else node._backward(g, graph)
    with watch.profiler.node(node) as span:
        outs = checked_backward(node, g, graph) if watch.anomaly else node._backward(g, graph)
        span.result(list(outs))
        return outs


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
