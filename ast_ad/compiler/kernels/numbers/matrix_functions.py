"""What do kernels call for inverses, solutions and determinants? LAPACK, by way of Numba and SciPy.

As in NumPy a singular matrix is an error, which NumPy then raises in the kernel's stead.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
from typing import Any

import numpy as np

from ..runtime import Mismatch
from .kernel_math import compiled

WELL_CONDITIONED = 1e7


@compiled
def invert(a: Any, out: Any) -> None:
    out[:, :] = np.linalg.inv(a)


@compiled
def solve_vector(a: Any, b: Any, out: Any) -> None:
    out[:] = np.linalg.solve(a, b)


@compiled
def solve_matrix(a: Any, b: Any, out: Any) -> None:
    out[:, :] = np.linalg.solve(a, b)


@compiled
def factor(a: Any, out: Any) -> None:
    out[:, :] = np.linalg.cholesky(a)


@compiled
def determinant(a: Any) -> float:
    return np.linalg.det(a)


@compiled
def cofactors(a: Any, out: Any) -> None:
    """``det(a) * inv(a).T``; near to singular matrices that is not accurate, and left to others."""
    inverse = np.linalg.inv(a)
    if not np.abs(a).max() * np.abs(inverse).max() * len(a) < WELL_CONDITIONED:
        raise Mismatch
    out[:, :] = np.linalg.det(a) * inverse.T
