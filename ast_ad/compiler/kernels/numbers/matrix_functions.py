"""What do kernels call for inverses, solutions and determinants? LAPACK, by way of Numba and SciPy.

As in NumPy a singular matrix is an error, which NumPy then raises in the kernel's stead. Results are put
where they belong by loops: an assignment to a slice takes Numba a second to compile.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
from typing import Any

import numpy as np

from ..runtime import Mismatch
from .kernel_math import compiled
from .small_matrices import cofactor_bars, require_well_conditioned


@compiled
def put(found: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = found[i, j]


@compiled
def invert(a: Any, out: Any) -> None:
    put(np.linalg.inv(a), out)


@compiled
def solve_vector(a: Any, b: Any, out: Any) -> None:
    found = np.linalg.solve(a, b)
    for i in range(len(out)):
        out[i] = found[i]


@compiled
def solve_matrix(a: Any, b: Any, out: Any) -> None:
    put(np.linalg.solve(a, b), out)


@compiled
def substitute_vector(a: Any, b: Any, lower: bool, out: Any) -> None:
    """The solution of a system whose matrix is triangular."""
    n = len(out)
    for m in range(n):
        i = m if lower else n - 1 - m
        if a[i, i] == 0.0:
            raise Mismatch
        total = b[i]
        for k in range(0 if lower else i + 1, i if lower else n):
            total -= a[i, k] * out[k]
        out[i] = total / a[i, i]


@compiled
def substitute_matrix(a: Any, b: Any, lower: bool, out: Any) -> None:
    n, columns = out.shape
    for m in range(n):
        i = m if lower else n - 1 - m
        if a[i, i] == 0.0:
            raise Mismatch
        for j in range(columns):
            out[i, j] = b[i, j]
        for k in range(0 if lower else i + 1, i if lower else n):
            factor = a[i, k]
            for j in range(columns):
                out[i, j] -= factor * out[k, j]
        for j in range(columns):
            out[i, j] /= a[i, i]


@compiled
def factor(a: Any, out: Any) -> None:
    put(np.linalg.cholesky(a), out)


@compiled
def determinant(a: Any) -> float:
    return np.linalg.det(a)


@compiled
def cofactors(a: Any, out: Any) -> None:
    """``det(a) * inv(a).T``; near to singular matrices that is not accurate, and left to others."""
    inverse = np.linalg.inv(a)
    require_well_conditioned(a, inverse)
    put(np.linalg.det(a) * inverse.T, out)


@compiled
def bars_of_cofactors(g: Any, a: Any, out: Any) -> None:
    """The cotangent of ``a`` from that of its cofactors."""
    inverse = np.linalg.inv(a)
    require_well_conditioned(a, inverse)
    cofactor_bars(g, inverse, np.linalg.det(a), out)
