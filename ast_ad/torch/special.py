"""Which functions has ``ast_ad.special``? Those of ``torch.special``, on tensors.

>>> import ast_ad
>>> ast_ad.special.expit(ast_ad.zeros(1))
tensor([0.5000])
"""

from __future__ import annotations

from typing import Any

from ..eager import namespace  # noqa: F401  (defines the tensors' methods)
from ..eager.operations.out_arguments import with_out
from ..eager.operations.special_functions import SPECIAL

_WITHOUT = {"softmax", "log_softmax"}
_FUNCTIONS = {name: fn if name in _WITHOUT else with_out(name, fn) for name, fn in SPECIAL.items()}
__all__ = sorted(SPECIAL)


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
