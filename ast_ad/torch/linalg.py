"""Which functions has ``ast_ad.linalg``? Those of ``torch.linalg``, on tensors.

>>> import ast_ad
>>> ast_ad.linalg.det(ast_ad.eye(2))
tensor(1.)
"""

from __future__ import annotations

from typing import Any

from ..eager import namespace  # noqa: F401  (defines the tensors' methods)
from ..eager.operations.linear_algebra import LINALG
from ..eager.operations.out_arguments import with_out

_WITHOUT = {"diagonal"}
_FUNCTIONS = {name: fn if name in _WITHOUT else with_out(name, fn) for name, fn in LINALG.items()}
__all__ = sorted(LINALG)


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
