"""How far apart are tensors? Distances and similarities of vectors, norms that are kept small."""

from __future__ import annotations

from typing import Any

from ...rules.networks.distances import pair_distances
from ...rules.torch import norms as torch_norms
from ..dispatch import Operation, apply, call
from ..dtypes import scalar_name
from ..surface import attach, function
from ..tensor import Tensor
from .composing import plus, together
from .dimensions import axis_of, numpy_names
from .matrix_norms import vector_norm
from .pointwise import require_tensors
from .reductions import norm
from .shapes import broadcast_tensors

NORM = Operation(torch_norms.norm, "NormBackward1")
PDIST = Operation(pair_distances, "PdistBackward0")


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
    require_tensors("pdist", input=input)
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    return apply(PDIST, (input, float(p)))


@function(method=False)
@numpy_names
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between the vectors along ``dim``, whose norms count as ``eps`` or more.

    Shapes: ``(N, D, ...), (N, D, ...) -> (N, ...)``; ``dim=-1``: ``(..., D), (..., D) -> (...)``.
    """
    require_tensors("cosine_similarity", x1=x1, x2=x2)
    x1, x2 = together(x1, x2)
    if x1._array.dtype.kind not in "fc":
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {scalar_name(x1._array.dtype)}"
        )
    if x1._array.shape != x2._array.shape:
        x1, x2 = broadcast_tensors(x1, x2)
    axis = axis_of(x1._array.ndim, dim)
    units: Any = [t / vector_norm(t, 2.0, axis, keepdim=True).clamp_min(eps) for t in (x1, x2)]
    return (units[0] * units[1]).sum(axis)


@function(method=False)
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    """The ``p``-norms of ``x1 - x2 + eps`` along the last dimension.

    Shapes: ``(..., D), (..., D) -> (...)``; ``keepdim=True``: ``(..., D), (..., D) -> (..., 1)``.
    """
    require_tensors("pairwise_distance", x1=x1, x2=x2)
    apart: Any = x1 - x2  # type: ignore[operator]
    return apply(NORM, (plus(apart, eps),), {"p": float(p), "axis": -1, "keepdims": keepdim})


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
