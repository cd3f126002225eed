"""What stands for a compiled derivative in the graph of tensors? One node, which has its pullback."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..eager.dispatch import needs_grad
from ..eager.node import Node, next_number
from ..eager.saved import FREED
from ..eager.state import state
from ..eager.tensor import Tensor
from ..eager.views import edge_of
from ..tracing.pullbacks import spread
from ..tracing.traced_array import plain


class CompiledBackward(Node):
    """The node of a compiled function: it sends gradients back with the function's pullback."""

    _pullback: Any = None

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        if self._pullback is None:
            raise RuntimeError(FREED)
        given = [g] if self._outputs == 1 else list(g)
        arrays = [plain(bar) if bar is not None else None for bar in given]
        if not graph:
            found: Sequence[Any] = self._pullback(arrays)
        else:
            values, second = self._pullback.linearize(arrays)
            # The edges that it was made with: what was traced has none any more when its trace is over.
            edges = [*self._edges, *edges_of(bar for bar in given if bar is not None)]
            found = recorded(values, second, edges, Tensor)
        return [bar for bar, edge in zip(found, self._edges, strict=True) if edge[0] is not None]

    def _release(self) -> None:
        self._pullback = None


Edge = tuple[Node | None, int]


def edges_of(inputs: Iterable[Any]) -> list[Edge]:
    """Where the gradients of inputs go; those of what has no graph go nowhere."""
    return [edge_of(t) if isinstance(t, Tensor) and needs_grad(t) else (None, 0) for t in inputs]


def recorded(values: Sequence[Any], pullback: Any, edges: Sequence[Edge], face: Any) -> list[Any]:
    """The values as tensors with one node, which has these edges: one for each input of the pullback."""
    outputs = [face._of(value) if has_derivative(value) else value for value in values]
    live = tuple(edge for edge in edges if edge[0] is not None)
    made = [t for t in outputs if isinstance(t, Tensor)]
    if not state.grad or not live or not made:
        return outputs
    node = CompiledBackward()
    node._number = next_number()
    node._edges, node._live = tuple(edges), live
    floats = [i for i, t in enumerate(outputs) if isinstance(t, Tensor)]
    node._pullback = (
        pullback if len(floats) == len(outputs) else spread(pullback, floats, len(outputs), len(edges))
    )
    node._outputs = len(made)
    metas = [(t._array.shape, t._array.dtype) for t in made]
    node._meta = metas[0] if len(metas) == 1 else metas
    for nr, t in enumerate(made):
        t._node, t._nr, t._requires_grad = node, nr, True
    return outputs


def has_derivative(leaf: Any) -> bool:
    """Whether a leaf of an argument or a value is a number or an array of floats."""
    if isinstance(leaf, Tensor):
        return leaf._array.dtype.kind in "fc"
    return isinstance(leaf, (float, complex, np.ndarray, np.generic)) and np.result_type(leaf).kind in "fc"
