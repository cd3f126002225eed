"""Which functions has ``ast_ad.torch.fft``? Those of ``torch.fft``, on tensors.

>>> import ast_ad.torch as torch
>>> torch.fft.rfft(torch.ones(4))
tensor([4.+0.j, 0.+0.j, 0.+0.j])
"""

from __future__ import annotations

from typing import Any

from ..eager import namespace  # noqa: F401  (defines the tensors' methods)
from ..eager.operations.out_arguments import with_out
from ..eager.operations.spectra import FFT

_WITHOUT = {"fftshift", "ifftshift"}
_FUNCTIONS = {name: fn if name in _WITHOUT else with_out(name, fn) for name, fn in FFT.items()}
__all__ = sorted(FFT)


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
