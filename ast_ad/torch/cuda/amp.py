"""What becomes of ``torch.cuda.amp``? There is no CUDA: what it names warns, and switches itself off."""

from __future__ import annotations

import warnings
from typing import Any

from ..amp import GradScaler as _GradScaler, autocast as _autocast

__all__ = ["GradScaler", "autocast"]
DEPRECATED = (
    "`torch.cuda.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}('cuda', args...)` instead."
)


class autocast(_autocast):
    """``ast_ad.amp.autocast`` for the device "cuda"."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        warnings.warn(DEPRECATED.format("autocast"), FutureWarning, stacklevel=2)
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(_GradScaler):
    """``ast_ad.amp.GradScaler`` for the device "cuda"."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        warnings.warn(DEPRECATED.format("GradScaler"), FutureWarning, stacklevel=2)
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
