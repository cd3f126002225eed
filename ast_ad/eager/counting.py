"""How does a sweep go where a user has numbered the nodes? A node waits until all that lead to it have run.

The sequence numbers then no longer say which node is newer; they only choose among the nodes that could run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from .fitting import fitted
from .steps import Edge, add_to, limits, reachable, step


def counted_sweep(
    roots: Sequence[tuple[Any, int, Any]],
    keep: bool,
    graph: bool,
    targets: Sequence[Edge] | None,
    ends: Sequence[Edge] | None,
) -> dict[Edge, Any] | None:
    """As the sweep of ``engine``, for any numbers."""
    starts = [root for root, _, _ in roots]
    captured: dict[Edge, Any] | None = None if targets is None else {}
    wanted, needed = limits(starts, targets, ends)
    nodes = reachable(starts)
    waiting = Counter(after for node in nodes for after, _ in node._live)
    buffers: dict[Any, Any] = {}
    for node, nr, g in roots:
        add_to(buffers, node, nr, g if graph else g._array)
    ready: list[tuple[int, int, Any]] = []
    for node in dict.fromkeys(starts):
        if not waiting[node]:
            heappush(ready, (-node._number, id(node), node))
    while ready:
        node = heappop(ready)[2]
        outs = step(node, buffers.pop(node), graph, captured, wanted, needed)
        if outs is not None and not keep:
            node._release()
        for i, (after, nr) in enumerate(node._live):
            out = None if outs is None else fitted(outs[i], after._meta_of(nr), graph)
            add_to(buffers, after, nr, out)
            waiting[after] -= 1
            if not waiting[after]:
                heappush(ready, (-after._number, id(after), after))
    return captured
