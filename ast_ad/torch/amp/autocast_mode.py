"""What does ``autocast`` do? It warns that precisions are not mixed, and the block computes as without it.

PyTorch does the same wherever it has no mixed precision (an accelerator that is not there, a type that the
processor's kernels do not take): it warns and switches itself off.
"""

from __future__ import annotations

import warnings
from typing import Any

from ...eager.modes import Mode

__all__ = ["autocast", "is_autocast_available"]

ABSENT = "{} is not available. Disabling autocast."
CUDA = "CUDA is not available or torch_xla is imported. Disabling autocast."
WHOLE = (
    "In {} autocast, but precisions are not mixed here: operations compute in their tensors' own precision. "
    "Disabling autocast."
)


def is_autocast_available(device_type: str) -> bool:
    """False: no device mixes precisions."""
    return False


class autocast(Mode):
    """A block or function in which nothing changes, and about which a warning says so.

    Args:
        device_type: "cpu", or the name of a device that is not there.
        dtype: the type that operations would have used.
        enabled: False for no warning.
        cache_enabled: without effect.

    Errors: ``ValueError`` for a ``device_type`` that is no text.

    >>> import ast_ad
    >>> with autocast("cpu", enabled=False):
    ...     ast_ad.ones(1).dtype
    torch.float32
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = device_type
        self.fast_dtype = dtype
        if enabled:
            text = {"cpu": WHOLE, "cuda": CUDA}.get(device_type, ABSENT)
            warnings.warn(text.format(device_type.upper()), stacklevel=2)
        self._enabled = False

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def clone(self) -> Mode:
        return self
