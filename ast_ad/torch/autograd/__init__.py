"""Where are PyTorch's ``torch.autograd`` names? ``backward``, ``grad``, ``Function``, checks, hooks."""

from __future__ import annotations

from typing import Any

from ...eager.modes import (
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from ...eager.saved import SavedTensor
from ...eager.sweeps import backward, grad
from .gradcheck import gradcheck, gradgradcheck

_MODULES = {
    "_functions",
    "anomaly_mode",
    "forward_ad",
    "function",
    "functional",
    "grad_mode",
    "graph",
    "profiler",
    "profiler_util",
    "variable",
}
_HOMES = {
    "_calculate_shape": "..eager.sweeps",
    "_profiler_enabled": "profiler",
    "kineto_available": "profiler",
    "_force_original_view_tracking": "grad_mode",
    "_unsafe_preserve_version_counter": "grad_mode",
    "is_view_replay_enabled": "grad_mode",
    "Function": "function",
    "NestedIOFunction": "function",
    "Variable": "variable",
    "detect_anomaly": "anomaly_mode",
    "set_detect_anomaly": "anomaly_mode",
}

__all__ = [
    "Function",
    "SavedTensor",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        found = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = found
        return found
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name == "torch":  # PyTorch's module has the package under this name too
        return import_module("..", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
