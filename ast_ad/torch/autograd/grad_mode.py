"""Is what runs recorded? The modes, under the name of PyTorch's module."""

from __future__ import annotations

from typing import Any

from ...eager.modes import (
    Mode,
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from ...eager.state import state
from ...eager.tensor import Tensor

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]


class _force_original_view_tracking(Mode):
    """Whether a view that is changed keeps the name of its operation in the graph, at once or in a block."""

    def __init__(self, mode: bool) -> None:
        self.previous, self.mode = state.replays, bool(mode)
        state.replays = self.mode

    def __call__(self, function: Any) -> Any:
        state.replays = self.previous
        return super().__call__(function)

    def __enter__(self) -> None:
        state.replays = self.mode

    def __exit__(self, *error: Any) -> None:
        state.replays = self.previous

    def clone(self) -> Mode:
        return type(self)(self.mode)


def is_view_replay_enabled() -> bool:
    """What ``_force_original_view_tracking`` has set last, in this thread."""
    return state.replays


class _unsafe_preserve_version_counter(Mode):
    """Changes of the tensors within the block are not counted: nothing notices them."""

    def __init__(self, tensors: Any) -> None:
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tensors
        self.versions = tuple(t._version for t in self.tensors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        for t, version in zip(self.tensors, self.versions, strict=True):
            t._version_counter[0] = version
