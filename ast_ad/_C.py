"""Where do programs find what PyTorch keeps in its compiled part? A few names of ``torch._C`` that they use."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from .eager.modes import is_grad_enabled, is_inference_mode_enabled
from .eager.node import AccumulateGrad, Node, next_number
from .eager.saved import SavedTensor, SavedVariable
from .eager.state import state
from .eager.tensor import Tensor
from .eager.views import edge_of

__all__ = ["_WeakTensorRef", "_autograd", "_functions", "is_grad_enabled", "is_inference_mode_enabled"]

has_lapack = True


def _set_grad_enabled(mode: bool) -> None:
    """Record, or don't, from now on."""
    state.grad = mode


class _WeakTensorRef:
    """Whether a tensor is still there."""

    def __init__(self, tensor: Tensor) -> None:
        self._ref = weakref.ref(tensor)

    def expired(self) -> bool:
        return self._ref() is None


class _Passing(Node):
    """A node whose results are its inputs, as far as the forward pass is concerned."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._edges = tuple(edge_of(t) for t in tensors)
        self._live = tuple(edge for edge in self._edges if edge[0] is not None)
        self._number = next_number()
        meta = [(t._array.shape, t._array.dtype) for t in tensors]
        self._outputs, self._meta = len(meta), meta[0] if len(meta) == 1 else meta

    def outputs(self, tensors: Sequence[Tensor]) -> Any:
        found = []
        for nr, t in enumerate(tensors):
            out = t.detach()
            if self._live:
                out._node, out._nr, out._requires_grad = self, nr, True
            found.append(out)
        return found[0] if len(found) == 1 else tuple(found)


class _ErrorNode(_Passing):
    message = ""

    def name(self) -> str:
        return "Error"

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        raise RuntimeError(self.message)


_ErrorNode.__name__ = _ErrorNode.__qualname__ = "Error"


class _UndefinedGradNode(_Passing):
    def name(self) -> str:
        return "UndefinedGradBackward"

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        return [None] * len(self._live)


_UndefinedGradNode.__name__ = _UndefinedGradNode.__qualname__ = "UndefinedGradBackward"


class DelayedError(Node):
    """``DelayedError(message, n)(*tensors)`` returns them; a gradient sent through the results raises."""

    def __init__(self, message: str, inputs: int) -> None:
        self.message = message

    def __call__(self, *tensors: Tensor) -> Any:
        node = _ErrorNode(tensors)
        node.message = self.message
        return node.outputs(tensors)


class UndefinedGrad(Node):
    """``UndefinedGrad()(*tensors)`` returns them; the gradient that goes through the results is lost."""

    def __call__(self, *tensors: Tensor) -> Any:
        return _UndefinedGradNode(tensors).outputs(tensors)


def _make_saved_tensor(tensor: Tensor, is_output: bool = False) -> SavedVariable:
    return SavedVariable(tensor, output=0 if is_output else None)


def _sweep() -> Any:
    if state.sweep is None:
        raise RuntimeError("no backward pass is under way")
    return state.sweep


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the sweep under way comes to a node."""
    return bool(_sweep().reaches(node))


_autograd = SimpleNamespace(
    SavedTensor=SavedTensor,
    _get_current_graph_task_keep_graph=lambda: state.sweep is not None and state.sweep.keep,
    _get_current_graph_task_id=lambda: -1 if state.sweep is None else id(state.sweep),
    _make_saved_tensor=_make_saved_tensor,
    _saved_tensors_hooks_is_enabled=lambda: state.no_pack is None,
)
_functions = SimpleNamespace(
    AccumulateGrad=AccumulateGrad, DelayedError=DelayedError, UndefinedGrad=UndefinedGrad
)
