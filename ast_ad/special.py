"""Which functions has ``ast_ad.special``? Those of ``torch.special``, on tensors.

>>> import ast_ad
>>> ast_ad.special.expit(ast_ad.zeros(1))
tensor([0.5000])
"""

from __future__ import annotations

from typing import Any

from .eager import namespace  # noqa: F401  (defines the tensors' methods)
from .eager.special_functions import SPECIAL

__all__ = sorted(SPECIAL)


def __getattr__(name: str) -> Any:
    if name in SPECIAL:
        return SPECIAL[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
