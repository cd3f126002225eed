"""What do kernels call for inverses, solutions and determinants? LAPACK, by way of Numba and SciPy.

As in NumPy a singular matrix is an error, which NumPy then raises in the kernel's stead. Results are put
where they belong by loops: an assignment to a slice takes Numba a second to compile, and so does
``np.linalg.solve``, three of them. What that calls is called here instead.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
from typing import Any

import numpy as np
from numba import types
from numba.np.linalg import _LAPACK, F_INT_nptype

from ..linked import linked
from ..runtime import Mismatch
from .small_matrices import cofactor_bars, require_well_conditioned


@linked
def put(found: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = found[i, j]


@linked
def invert(a: Any, out: Any) -> None:
    put(np.linalg.inv(a), out)


_solve_in_place = _LAPACK().numba_xgesv(types.float64)
_DOUBLE = ord("d")


@linked
def solve_vector(a: Any, b: Any, out: Any) -> None:
    n = a.shape[0]
    columns, pivots, x = np.empty((n, n)), np.empty(n, F_INT_nptype), np.empty(n)
    for i in range(n):
        x[i] = b[i]
        for j in range(n):
            columns[j, i] = a[i, j]
    if n > 0 and _solve_in_place(_DOUBLE, n, 1, columns.ctypes, n, pivots.ctypes, x.ctypes, n) != 0:
        raise Mismatch
    require_alive(columns, pivots)
    for i in range(n):
        out[i] = x[i]


@linked
def solve_matrix(a: Any, b: Any, out: Any) -> None:
    n, m = b.shape
    columns, pivots, x = np.empty((n, n)), np.empty(n, F_INT_nptype), np.empty((m, n))
    for i in range(n):
        for j in range(m):
            x[j, i] = b[i, j]
        for j in range(n):
            columns[j, i] = a[i, j]
    if n > 0 and m > 0:
        if _solve_in_place(_DOUBLE, n, m, columns.ctypes, n, pivots.ctypes, x.ctypes, n) != 0:
            raise Mismatch
    require_alive(columns, pivots)
    for i in range(n):
        for j in range(m):
            out[i, j] = x[j, i]


@linked
def require_alive(columns: Any, pivots: Any) -> None:
    """Memory of which LAPACK has the address stays until it is read here."""
    if columns.size < 0 or pivots.size < 0:
        raise Mismatch


@linked
def factor(a: Any, out: Any) -> None:
    put(np.linalg.cholesky(a), out)


@linked
def determinant(a: Any) -> float:
    return np.linalg.det(a)


@linked
def log_determinant(a: Any) -> tuple[float, float]:
    return np.linalg.slogdet(a)


@linked
def cofactors(a: Any, out: Any) -> None:
    """``det(a) * inv(a).T``; near to singular matrices that is not accurate, and left to others."""
    inverse = np.linalg.inv(a)
    require_well_conditioned(a, inverse)
    put(np.linalg.det(a) * inverse.T, out)


@linked
def bars_of_cofactors(g: Any, a: Any, out: Any) -> None:
    """The cotangent of ``a`` from that of its cofactors."""
    inverse = np.linalg.inv(a)
    require_well_conditioned(a, inverse)
    cofactor_bars(g, inverse, np.linalg.det(a), out)
