"""Where is what PyTorch keeps in its compiled part? Those names of ``torch._C`` that programs use."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

from ..eager.modes import is_grad_enabled, is_inference_mode_enabled, is_multithreading_enabled
from ..eager.node import AccumulateGrad, Node
from ..eager.saved import SavedTensor, SavedVariable
from ..eager.state import state
from ..eager.tensor import Tensor
from .autograd.once import DelayedError, UndefinedGrad

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


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the sweep under way comes to a node."""
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    sweep = state.sweep
    if sweep is None:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    if sweep.collects and isinstance(node, AccumulateGrad):
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running "
            "autograd.grad(). This is currently not supported."
        )
    return bool(sweep.reaches(node))


def _current_autograd_node() -> Any:
    """The node whose backward, or whose unpacking of saved tensors, is running the user's code; or None."""
    return state.node


def _current_graph_task_id() -> int:
    """The number of the sweep under way, -1 outside of one."""
    return -1 if state.sweep is None else state.sweep.number


def _current_graph_task_execution_order() -> list[Any]:
    """The nodes to which the sweep under way comes, in the order of their execution."""
    if state.sweep is None:
        raise RuntimeError(
            "_current_graph_task_execution_order should only be called during the backward pass"
        )
    if is_multithreading_enabled():
        raise RuntimeError(
            "_current_graph_task_execution_order expects the current backward to be executed with "
            "multithreading disabled, e.g. by running:\n\n>>> with torch.autograd.set_multithreading_enabled("
            "False):\n...     torch.autograd.grad(...)\n"
        )
    return sorted(state.sweep.nodes(), key=lambda node: -node._number)


def _unsafe_set_version_counter(tensors: Any, versions: Any) -> None:
    """Set the version counters of tensors."""
    for t, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        t._version_counter[0] = version


_autograd = SimpleNamespace(
    _unsafe_set_version_counter=_unsafe_set_version_counter,
    SavedTensor=SavedTensor,
    _get_current_graph_task_keep_graph=lambda: state.sweep is not None and state.sweep.keep,
    _get_current_graph_task_id=_current_graph_task_id,
    _make_saved_tensor=_make_saved_tensor,
    _saved_tensors_hooks_is_enabled=lambda: state.no_pack is None,
)
_functions = SimpleNamespace(
    AccumulateGrad=AccumulateGrad, DelayedError=DelayedError, UndefinedGrad=UndefinedGrad
)
