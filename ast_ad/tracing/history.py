"""Did a function that was traced read a tensor that is none of its arguments?

``trace_alone(function, args, kwargs, wrt, writes) -> tuple[Any, TracedPullback]``. In place of ``trace``,
where the gradient is handed out as plain arrays.

The gradient of a trace is plain numbers: what it owes to another tensor that requires grad would be lost
without a word. So the graph of the trace may end in the arguments only, and in what a derivative that is
called in the function has made of plain ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..eager.node import AccumulateGrad, next_number
from ..eager.views import edge_of
from ..errors import UnsupportedError
from .recorder import TracedPullback, trace


def trace_alone(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    wrt: Sequence[int],
    writes: bool = False,
) -> tuple[Any, TracedPullback]:
    """``trace``, of a function whose result has no history but that of its arguments.

    Raises:
        UnsupportedError: it has.
    """
    began = next_number()
    value, pullback = trace(function, args, kwargs, wrt, writes)
    found = ends(pullback.outputs, pullback.starts)
    if not all(
        getattr(tensor, "_made_at", -1) > began for tensor in found
    ):  # a point of a trace around it, too
        raise UnsupportedError(
            f"a tensor from outside, in `{getattr(function, '__name__', 'function')}`, which is traced",
            why="it requires grad, and the gradient, which is an array, would lose its history",
            fix="pass it as an argument, or a detached one",
        )
    return value, pullback


def ends(outputs: Sequence[Any], starts: Sequence[Any] = ()) -> Iterator[Any]:
    """The tensors that require grad in which the history of values ends, those in ``starts`` left out."""
    return (node.variable for node in nodes_of(outputs, starts) if isinstance(node, AccumulateGrad))


def nodes_of(outputs: Sequence[Any], starts: Sequence[Any] = ()) -> Iterator[Any]:
    """The nodes of the graph behind values, up to those of ``starts``."""
    first = {edge_of(start)[0] for start in starts}
    pending = [edge_of(out)[0] for out in outputs if hasattr(type(out), "_is_eager_tensor")]
    seen: set[Any] = set()
    while pending:
        node = pending.pop()
        if node is None or node in seen or node in first:
            continue
        seen.add(node)
        yield node
        pending += [target for target, _ in node._live]
