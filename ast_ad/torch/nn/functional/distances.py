"""How far apart are the rows of tensors? Distances and similarities, with PyTorch's parameters."""

from __future__ import annotations

from typing import Any

from ....eager.dispatch import Operation, apply
from ....eager.dtypes import scalar_name
from ....eager.operations.dimensions import axis_of
from ....eager.operations.linear_algebra import LINALG
from ....eager.surface import FUNCTIONS
from ....eager.tensor import Tensor
from ....rules.networks import distances as rules
from ....rules.torch import norms as torch_norms
from .loss_options import check_tensors, plus, together
from .surface import functional

__all__ = ["cosine_similarity", "pairwise_distance", "pdist"]

NORM = Operation(torch_norms.norm, "NormBackward1")
PDIST = Operation(rules.pair_distances, "PdistBackward0")


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
    check_tensors("pairwise_distance", x1=x1, x2=x2)
    how = {"p": float(p), "axis": -1, "keepdims": keepdim}
    return apply(NORM, (plus(x1 - x2, eps),), how)


@functional(rules.cosine_similarity)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between the vectors along ``dim``, whose norms count as ``eps`` or more.

    Shapes: ``(N, D, ...), (N, D, ...) -> (N, ...)``; ``dim=-1``: ``(..., D), (..., D) -> (...)``.

    >>> import ast_ad
    >>> cosine_similarity(ast_ad.tensor([[1.0, 0.0]]), ast_ad.tensor([[3.0, 4.0]]))
    tensor([0.6000])
    """
    check_tensors("cosine_similarity", x1=x1, x2=x2)
    x1, x2 = together(x1, x2)
    if x1._array.dtype.kind not in "fc":
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {scalar_name(x1._array.dtype)}"
        )
    if x1._array.shape != x2._array.shape:
        x1, x2 = FUNCTIONS["broadcast_tensors"](x1, x2)
    axis = axis_of(x1._array.ndim, dim)
    first, second = (t / LINALG["vector_norm"](t, 2.0, axis, keepdim=True).clamp_min(eps) for t in (x1, x2))
    return (first * second).sum(axis)


@functional(rules.pdist)
def pdist(input: Tensor, p: float = 2.0) -> Any:
    """The distances of all pairs of rows of a matrix, as a vector.

    Shapes: ``(n, d) -> (n * (n - 1) // 2)``.

    >>> import ast_ad
    >>> pdist(ast_ad.tensor([[0.0], [1.0], [3.0]]))
    tensor([1., 3., 2.])
    """
    check_tensors("pdist", input=input)
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    return apply(PDIST, (input, float(p)))
