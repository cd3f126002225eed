"""Where are PyTorch's ``torch.utils`` names? So far those of ``torch.utils.checkpoint``."""

from __future__ import annotations

from typing import Any

__all__ = ["checkpoint"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "checkpoint":
        return import_module(".checkpoint", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
