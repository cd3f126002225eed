"""Where is what PyTorch keeps in its compiled part? Those names of ``torch._C`` that programs use."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

from .autograd.once import DelayedError, UndefinedGrad
from .eager.modes import is_grad_enabled, is_inference_mode_enabled
from .eager.node import AccumulateGrad
from .eager.saved import SavedTensor, SavedVariable
from .eager.state import state
from .eager.tensor import Tensor

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
