"""Where are PyTorch's ``torch.backends`` switches, such as ``cudnn.benchmark``? Here; see ``switches``."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from .switches import SWITCHES

    if name in SWITCHES:
        return SWITCHES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
