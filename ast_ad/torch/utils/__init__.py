"""Where are PyTorch's ``torch.utils`` names? Those of ``torch.utils.checkpoint`` and ``torch.utils.data``."""

from __future__ import annotations

from typing import Any

__all__ = ["checkpoint", "data"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in __all__:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
