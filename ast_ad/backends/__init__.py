"""How do other compilers run what is emitted?

PyTorch's switches of the same name (``torch.backends.cudnn.benchmark``) are found here too; see ``switches``.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from .switches import SWITCHES

    if name in SWITCHES:
        return SWITCHES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
