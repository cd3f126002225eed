"""What do ``inv_ex`` and ``cholesky_ex`` return of a matrix without inverse or factor? NaN, and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..tensor import Tensor
from . import return_types
from .arithmetic import mul
from .linear_algebra import LinAlgError, check_matrices, cholesky, inv, linalg
from .selections import where

SINGULAR = (
    "The diagonal element {} is zero, the inversion could not be completed because the input matrix is "
    "singular."
)
INDEFINITE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor "
    "of order {} is not positive-definite)."
)


@linalg()
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse of each matrix, and 0, or which diagonal element of its factor is zero (then NaN).

    Shapes: ``(..., n, n) -> (..., n, n), (...)``.
    """
    check_matrices("inv_ex", A, True)
    info = _failures(A._array, np.linalg.inv, zero_pivot)
    if check_errors:
        _require("inv_ex", info, SINGULAR)
    return return_types.linalg_inv_ex(_where_possible(inv, A, info), Tensor._of(info))


@linalg()
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The factor of each matrix, and 0, or the order of the first minor that is not positive (then NaN).

    Shapes: ``(..., n, n) -> (..., n, n), (...)``.
    """
    check_matrices("cholesky_ex", A, True)

    def factor(a: Any) -> Any:
        return np.linalg.cholesky(a, upper=upper)

    info = _failures(A._array, factor, lambda a: indefinite_minor(a, factor))
    if check_errors:
        _require("cholesky_ex", info, INDEFINITE)
    found = _where_possible(lambda a: cholesky(a, upper=upper), A, info)
    return return_types.linalg_cholesky_ex(found, Tensor._of(info))


def _failures(a: Any, run: Callable[[Any], Any], order: Callable[[Any], int]) -> Any:
    """For each matrix 0, or where ``run`` fails on it."""
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        run(a)
    except np.linalg.LinAlgError:
        for place in np.ndindex(info.shape):
            try:
                run(a[place])
            except np.linalg.LinAlgError:
                info[place] = order(a[place])
    return info


def _require(name: str, info: Any, text: str) -> None:
    failed = np.flatnonzero(info)
    if len(failed):
        batch = f"(Batch element {failed[0]}): " if info.ndim else ""
        raise LinAlgError(f"linalg.{name}: {batch}{text.format(info.flat[failed[0]])}")


def _where_possible(run: Callable[[Any], Any], A: Tensor, info: Any) -> Any:
    """``run(A)``; NaN, in the gradient too, for the matrices on which it fails."""
    if not np.any(info):
        return run(A)
    shape = A._array.shape
    failed = Tensor._of(np.broadcast_to((info != 0)[..., None, None], shape).copy())
    one = Tensor._of(np.broadcast_to(np.eye(shape[-1], dtype=A._array.dtype), shape).copy())
    unknown = Tensor._of(np.where(failed._array, np.nan, 1).astype(A._array.dtype))
    return where(failed, mul(A, unknown), run(where(failed, one, A)))


def zero_pivot(a: Any) -> int:
    """Which diagonal element is zero, counted from 1, when a matrix is factored with row exchanges.

    >>> zero_pivot(np.array([[1.0, 2.0], [2.0, 4.0]]))
    2
    """
    u = np.array(a)
    for k in range(len(u)):
        p = k + int(np.argmax(np.abs(u[k:, k])))
        if u[p, k] == 0:
            return k + 1
        u[[k, p]] = u[[p, k]]
        u[k + 1 :] -= np.outer(u[k + 1 :, k] / u[k, k], u[k])
    return len(u)


def indefinite_minor(a: Any, factor: Callable[[Any], Any]) -> int:
    """The order of the first leading minor that has no factor.

    >>> indefinite_minor(np.array([[1.0, 2.0], [2.0, 1.0]]), np.linalg.cholesky)
    2
    """
    for k in range(1, len(a)):
        try:
            factor(a[:k, :k])
        except np.linalg.LinAlgError:
            return k
    return len(a)
