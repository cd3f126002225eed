"""How far apart are tensors? Distances and similarities of vectors, norms that are kept small."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.torch import norms as torch_norms
from ..dispatch import call
from ..surface import attach, function
from ..tensor import Tensor
from .dimensions import axis_of, numpy_names
from .pointwise import floating, require_tensor
from .reductions import norm


@function(method=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = None) -> Any:
    """The distance of each row of ``x1`` from each row of ``x2``; matrices may be stacked.

    Shapes: ``(..., m, d), (..., n, d) -> (..., m, n)``; all ``...`` broadcast.
    """
    for argument, t in (("X1", x1), ("X2", x2)):
        if t._array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {argument} got: {t._array.ndim}D")
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1._array.shape[-1]} X2: "
            f"{x2._array.shape[-1]}"
        )
    return call(torch_norms.cdist, (x1, x2), {"p": float(p)})


@function(method=False)
def pdist(input: Tensor, p: float = 2.0) -> Any:
    """The distances of all pairs of rows of a matrix, as a vector: ``(n, d) -> (n * (n - 1) // 2)``."""
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    first, second = np.triu_indices(input._array.shape[0], 1)
    rows: Any = input
    pairs = rows[Tensor._of(first)] - rows[Tensor._of(second)]
    return norm(pairs, p, -1)


@function(method=False)
@numpy_names
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between the vectors along ``dim``, whose norms count as ``eps`` or more.

    Shapes: ``(N, D, ...), (N, D, ...) -> (N, ...)``; ``dim=-1``: ``(..., D), (..., D) -> (...)``.
    """
    require_tensor("cosine_similarity", x1, "x1")
    axis = axis_of(max(x1._array.ndim, x2._array.ndim), dim)
    return call(torch_norms.cosine_similarity, (x1, x2), {"axis": axis, "eps": eps})


@function(method=False)
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    """The ``p``-norms of ``x1 - x2 + eps`` along the last dimension.

    Shapes: ``(..., D), (..., D) -> (...)``; ``keepdim=True``: ``(..., D), (..., D) -> (..., 1)``.
    """
    parts = floating(x1), floating(x2)
    return call(torch_norms.pairwise_distance, parts, {"p": float(p), "eps": eps, "keepdims": keepdim})


@function()
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Any:
    """``input`` with each slice along ``dim`` whose norm exceeds ``maxnorm`` scaled down to it.

    Shapes: ``(...) -> (...)``.
    """
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input._array.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input._array.ndim} dimensions")
    axis = axis_of(input._array.ndim, dim)
    return call(torch_norms.renorm, (input,), {"p": float(p), "axis": axis, "maxnorm": float(maxnorm)})


def _renorm_in_place(self: Any, p: float, dim: int, maxnorm: float) -> Any:
    """``renorm`` in place."""
    return self.copy_(renorm(self.clone(), p, dim, maxnorm))


attach("renorm_", _renorm_in_place)


@function(method=False)
def nuclear_norm(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The sum of the singular values."""
    return norm(input, "nuc", dim, keepdim)


@function(method=False)
def frobenius_norm(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The square root of the sum of squares."""
    return norm(input, "fro", dim, keepdim)
