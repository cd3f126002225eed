"""What do the modules of losses share? A reduction, and weights that are a buffer."""

from __future__ import annotations

from typing import Any

from ....eager.tensor import Tensor
from ..functional.loss_options import reduction_of
from .module import Module

__all__: list[str] = []


class _Loss(Module):
    """A loss with its reduction: 'none', 'mean' or 'sum'."""

    reduction: str

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = reduction_of(size_average, reduce, reduction)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with weights, which are a buffer."""

    weight: Any

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
