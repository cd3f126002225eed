"""What does ``DataParallel`` do without accelerators? It calls its module, as PyTorch's does then."""

from __future__ import annotations

from typing import Any

from .module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """``module``, under the name ``module``: state dicts have the keys that PyTorch's have.

    Args:
        module: what to call.
        device_ids, output_device, dim: without effect, as there is one device.

    >>> import ast_ad
    >>> list(DataParallel(ast_ad.nn.Linear(2, 1)).state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """``module(*inputs, **kwargs)``."""
        return self.module(*inputs, **kwargs)
