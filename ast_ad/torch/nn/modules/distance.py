"""Which distances are modules? That of pairs of vectors, and the cosine of the angle between them."""

from __future__ import annotations

from typing import Any

from ....eager.tensor import Tensor
from ..functional import distances as F
from .module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The ``p``-norms of ``x1 - x2 + eps`` along the last dimension.

    Shapes: ``(..., D), (..., D) -> (...)``.

    >>> import ast_ad
    >>> PairwiseDistance()(ast_ad.tensor([[3.0, 0.0]]), ast_ad.tensor([[0.0, 4.0]]))
    tensor([5.])
    """

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Any:
        """``pairwise_distance(x1, x2)``."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between the vectors along ``dim``.

    Shapes: ``(N, D, ...), (N, D, ...) -> (N, ...)``.

    >>> import ast_ad
    >>> CosineSimilarity()(ast_ad.tensor([[1.0, 0.0]]), ast_ad.tensor([[3.0, 4.0]]))
    tensor([0.6000])
    """

    __constants__ = ["dim", "eps"]

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Any:
        """``cosine_similarity(x1, x2)``."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
