"""How far apart are the rows of tensors? Distances and similarities, with PyTorch's parameters."""

from __future__ import annotations

from typing import Any

from ....eager.operations import distances as eager
from ....eager.tensor import Tensor
from ....rules.networks import distances as rules
from .surface import functional

__all__ = ["cosine_similarity", "pairwise_distance", "pdist"]


@functional(rules.pairwise_distance)
def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The ``p``-norms of ``x1 - x2 + eps`` along the last dimension.

    Shapes: ``(..., D), (..., D) -> (...)``; ``keepdim=True``: ``(..., D), (..., D) -> (..., 1)``.

    Args:
        x1, x2: of shapes ``(N, D)`` or ``(D)``, or others that broadcast.
        p: the order of the norm.
        eps: keeps the gradient finite where the vectors are the same.
        keepdim: whether the last dimension stays, with length 1.

    >>> import ast_ad
    >>> pairwise_distance(ast_ad.tensor([[3.0, 0.0]]), ast_ad.tensor([[0.0, 4.0]]))
    tensor([5.])
    """
    return eager.pairwise_distance(x1, x2, p, eps, keepdim)


@functional(rules.cosine_similarity)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between the vectors along ``dim``, whose norms count as ``eps`` or more.

    Shapes: ``(N, D, ...), (N, D, ...) -> (N, ...)``; ``dim=-1``: ``(..., D), (..., D) -> (...)``.

    >>> import ast_ad
    >>> cosine_similarity(ast_ad.tensor([[1.0, 0.0]]), ast_ad.tensor([[3.0, 4.0]]))
    tensor([0.6000])
    """
    return eager.cosine_similarity(x1, x2, dim, eps)


@functional(rules.pdist)
def pdist(input: Tensor, p: float = 2.0) -> Any:
    """The distances of all pairs of rows of a matrix, as a vector.

    Shapes: ``(n, d) -> (n * (n - 1) // 2)``.

    >>> import ast_ad
    >>> pdist(ast_ad.tensor([[0.0], [1.0], [3.0]]))
    tensor([1., 3., 2.])
    """
    return eager.pdist(input, p)
