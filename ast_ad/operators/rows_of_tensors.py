"""What is a mapped function when it is called with tensors? One node of their graph, or a part of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..calls.compiled_pullbacks import CannotCompile
from ..calls.reasons import as_reason
from ..calls.tensor_nodes import has_derivative
from ..calls.with_tensors import AsItIs, TensorCall
from ..eager.dispatch import needs_grad
from ..eager.state import state
from ..eager.tensor import Tensor
from ..eager.views import edge_of
from ..errors import UnsupportedError
from ..tracing.history import ends
from ..tracing.patches import replaced
from ..tracing.recorder import recording
from ..tracing.sought import differentiated_by
from ..tracing.traced_array import plain
from ..trees import flatten


class RowsOfTensors(TensorCall):
    """The loop compiled, as a node; traced in the graph of the tensors, where it can't be compiled."""

    def noted(self) -> Any:
        if not any(has_derivative(plain(leaf)) for leaf in self.leaves):
            return self.in_place()
        try:
            if self.kwargs:
                raise CannotCompile() from UnsupportedError("tensors that are passed by keyword")
            return self.node()
        except CannotCompile as problem:
            reason = as_reason(problem.__cause__)  # type: ignore[arg-type]
        return self.traced_for(reason)

    def in_place(self) -> Any:
        self.mode, kept = "fallback", state.grad
        with recording(), replaced(self.derivative.function), differentiated_by(self.leaves):
            leaves, tree = flatten(AsItIs(self.derivative, self.keywords)(self.values))
        return tree.unflatten(
            [self.part(leaf, kept) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        )

    def part(self, t: Any, kept: bool) -> Any:
        """A tensor of the result, with its graph if there is one here."""
        found = self.face._of(t._array)
        if kept and needs_grad(t) and (self.recorded or any(True for _ in ends([t]))):
            found._node, found._nr = edge_of(t)
            found._requires_grad = True
        return found


class RowsAsTheyAre(AsItIs):
    """The loop over tensors, as it is."""

    def __call__(self, values: Sequence[Any]) -> Any:
        split = len(values) - len(self.keywords)
        return self.owner.function(*values[:split], **dict(zip(self.keywords, values[split:], strict=True)))
