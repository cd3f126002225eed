"""How large is a matrix? Norms, the condition number, the rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rules import torch_norms
from .dimensions import axes_of, axis_of, numpy_names
from .dispatch import Operation, apply
from .linear_algebra import check_inexact, check_matrices, linalg, run_checked
from .tensor import Tensor

COND = Operation(np.linalg.cond, "DivBackward0", ("self",))
VECTOR_NORM = Operation(torch_norms.norm, "LinalgVectorNormBackward0", ("self",))
MATRIX_NORM = Operation(np.linalg.norm, "AmaxBackward0", ("self",))


@linalg()
@numpy_names
def vector_norm(
    x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """The norm of order ``ord`` over all dimensions or over ``dim``."""
    x = x if dtype is None else x.to(dtype)
    check_inexact("vector_norm", x)
    axis = axes_of(x._array.ndim, dim)
    return apply(VECTOR_NORM, (x,), {"p": float(ord), "axis": axis, "keepdims": keepdim})


@linalg()
@numpy_names
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """The norm of each matrix: 'fro', 'nuc', infinity, 1, 2, or their negatives."""
    A = A if dtype is None else A.to(dtype)
    check_inexact("matrix_norm", A)
    axes = tuple(axis_of(A._array.ndim, d) for d in dim)
    if ord == "fro":
        return apply(VECTOR_NORM, (A,), {"p": 2.0, "axis": axes, "keepdims": keepdim})
    return run_checked("matrix_norm", MATRIX_NORM, (A,), ord=ord, axis=axes, keepdims=keepdim)


@linalg("norm")
@numpy_names
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """A vector norm, or, of a matrix or of two dimensions and with ``ord``, a matrix norm."""
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
    """The condition number with respect to a norm."""
    check_matrices("cond", A)
    return run_checked("cond", COND, (A,), p=p)


@linalg()
def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False) -> Tensor:
    """The number of singular values that are not negligible."""
    check_matrices("matrix_rank", A)
    found = np.linalg.matrix_rank(A._array, tol, hermitian)
    return Tensor._of(np.asarray(found, np.int64))
