"""How large is a matrix? Norms, the condition number, the rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.torch import norms as torch_norms
from ..dispatch import Operation, apply, plain_of
from ..tensor import Tensor
from .dimensions import axes_of, axis_of, numpy_names
from .linear_algebra import check_inexact, check_matrices, linalg, run_checked
from .reductions import check_identity

COND = Operation(np.linalg.cond, "DivBackward0")
VECTOR_NORM = Operation(torch_norms.norm, "LinalgVectorNormBackward0")
MATRIX_NORM = Operation(np.linalg.norm, "AmaxBackward0")


@linalg()
@numpy_names
def vector_norm(
    x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """The norm of order ``ord`` over all dimensions or over ``dim``.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    x = x if dtype is None else x.to(dtype)
    check_inexact("vector_norm", x)
    axis = axes_of(x._array.ndim, dim)
    check_identity(x, float(ord), axis)
    return apply(VECTOR_NORM, (x,), {"p": float(ord), "axis": axis, "keepdims": keepdim})


@linalg()
@numpy_names
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """The norm of each matrix: 'fro', 'nuc', infinity, 1, 2, or their negatives.

    Shapes: ``(..., m, n) -> (...)``; ``keepdim=True``: ``(..., m, n) -> (..., 1, 1)``.
    """
    A = A if dtype is None else A.to(dtype)
    check_inexact("matrix_norm", A)
    axes = tuple(axis_of(A._array.ndim, d) for d in dim)
    if ord == "fro":
        return apply(VECTOR_NORM, (A,), {"p": 2.0, "axis": axes, "keepdims": keepdim})
    return run_checked("matrix_norm", MATRIX_NORM, (A,), ord=ord, axis=axes, keepdims=keepdim)


@linalg("norm")
@numpy_names
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """A vector norm, or, of a matrix or of two dimensions and with ``ord``, a matrix norm.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    dims = (dim,) if isinstance(dim, int) else dim
    if ord is not None and dims is None and A._array.ndim > 2:
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{A._array.ndim}D."
        )
    if ord is not None and (len(dims) == 2 if dims is not None else A._array.ndim == 2):
        return matrix_norm(A, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


@linalg()
def cond(A: Tensor, p: Any = None) -> Any:
    """The condition number with respect to a norm: ``(..., m, n) -> (...)``."""
    check_matrices("cond", A)
    return run_checked("cond", COND, (A,), p=p)


@linalg()
def matrix_rank(
    A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:
    """The number of singular values above ``max(atol, rtol * largest)``; ``tol`` alone is absolute.

    Shapes: ``(..., m, n) -> (...)``.
    """
    check_matrices("matrix_rank", A, hermitian)
    if tol is not None:
        atol, rtol = tol, 0.0
    x = A._array
    if not x.size:
        return Tensor._of(np.zeros(x.shape[:-2], np.int64))
    values = np.abs(np.linalg.eigvalsh(x)) if hermitian else np.linalg.svdvals(x)
    least, share = plain_of(0.0 if atol is None else atol), plain_of(rtol)
    if rtol is None:
        share = np.where(np.greater(least, 0), 0.0, max(x.shape[-2:]) * float(np.finfo(x.dtype).eps))
    bound = np.maximum(least, share * values.max(-1))
    return Tensor._of(np.asarray(np.sum(values > bound[..., None], -1), np.int64))
