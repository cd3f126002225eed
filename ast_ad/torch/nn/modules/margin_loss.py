"""Which losses with margins are modules? Those of pairs of vectors, of triplets, and of signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....eager.tensor import Tensor
from ..functional import losses as F
from .distance import PairwiseDistance
from .loss_bases import _Loss

__all__ = [
    "CosineEmbeddingLoss", "HingeEmbeddingLoss", "MarginRankingLoss", "SoftMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]  # fmt: skip


class SoftMarginLoss(_Loss):
    """``log(1 + exp(-target * input))`` for targets 1 and -1.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.
    """

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``soft_margin_loss(input, target)``."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class _WithMargin(_Loss):
    """A loss with a margin."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class HingeEmbeddingLoss(_WithMargin):
    """``input`` for the target 1, ``max(margin - input, 0)`` for -1.

    Shapes: ``(...), (...) -> ()``; ``reduction='none'``: ``(...), (...) -> (...)``.
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Any:
        """``hinge_embedding_loss(input, target)``."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_WithMargin):
    """``1 - cos(input1, input2)`` for the target 1, ``max(cos(input1, input2) - margin, 0)`` for -1.

    Shapes: ``(N, D), (N, D), (N) -> ()``; ``reduction='none'``: ``(N, D), (N, D), (N) -> (N)``.
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Any:
        """``cosine_embedding_loss(input1, input2, target)``."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_WithMargin):
    """``max(-target * (input1 - input2) + margin, 0)``.

    Shapes: ``(...), (...), (...) -> ()``; ``reduction='none'``: ``(...), (...), (...) -> (...)``.
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Any:
        """``margin_ranking_loss(input1, input2, target)``."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """``max(distance(anchor, positive) - distance(anchor, negative) + margin, 0)``.

    Shapes: ``(N, D), (N, D), (N, D) -> ()``; ``reduction='none'``: ``(N, D), (N, D), (N, D) -> (N)``.
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Any:
        """``triplet_margin_loss(anchor, positive, negative)``."""
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """``TripletMarginLoss`` with any distance.

    Shapes: ``(N, D), (N, D), (N, D) -> ()``; ``reduction='none'``: ``(N, D), (N, D), (N, D) -> (N)``.
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Any, Any], Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Any:
        """``triplet_margin_with_distance_loss(anchor, positive, negative)``."""
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
