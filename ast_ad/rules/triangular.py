"""How is a system solved whose matrix is known to be triangular? By substitution, without factoring it.

The compiler calls this for ``np.linalg.solve`` where it has proven that the matrix is triangular, as a factor
of Cholesky's is. Derivatives of the factor solve with it again and again.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .helpers import mT
from .registry import vjp


def solve_triangular(a: Any, b: Any, lower: bool) -> Any:
    """``np.linalg.solve(a, b)`` of a matrix whose elements above (or below) the diagonal are zeros.

    (n, n), (n,) -> (n,); (n, n), (n, m) -> (n, m)

    >>> solve_triangular(np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([2.0, 3.0]), True)
    array([1., 2.])
    """
    a, b = np.asarray(a), np.asarray(b)
    routines = _routines(np.result_type(a, b).char)
    if routines is None or a.ndim != 2 or a.shape[0] != a.shape[1] or b.shape[:1] != a.shape[:1]:
        return np.linalg.solve(a, b)
    if b.ndim not in (1, 2) or b.size == 0:
        return np.linalg.solve(a, b)
    if not a.diagonal().all():
        raise np.linalg.LinAlgError("Singular matrix")
    by_vector, by_matrix = routines
    turned = not a.flags.f_contiguous  # the transpose of rows in order is columns in order
    columns, lower_columns = (a.T, not lower) if turned else (a, lower)
    if b.ndim == 1:
        return by_vector(columns, b, lower=lower_columns, trans=turned)
    # x.T = b.T a^-T: rows of ``b`` and of the result stay in order
    return by_matrix(1.0, columns, b.T, side=1, lower=lower_columns, trans_a=not turned).T


@cache
def _routines(char: str) -> tuple[Any, Any] | None:
    """BLAS's for a vector and for a matrix on the right-hand side; None if there are none for this dtype."""
    if char not in "fdFD":
        return None
    try:
        from scipy.linalg import blas
    except ImportError:
        return None
    prefix = {"f": "s", "d": "d", "F": "c", "D": "z"}[char]
    return getattr(blas, f"{prefix}trsv"), getattr(blas, f"{prefix}trsm")


@vjp(solve_triangular)
def solve_triangular_rule(g, ans, a, b, lower):
    b_bar = solve_triangular(np.conj(mT(a)), g, not lower)
    bar = -np.outer(b_bar, np.conj(ans)) if np.ndim(b) == 1 else -b_bar @ np.conj(mT(ans))
    return np.tril(bar) if lower else np.triu(bar), b_bar, None
