"""What do kernels call for inverses, solutions and determinants of one row, or two? A line of arithmetic.

The functions for other small matrices would give the same, and take Numba a second each to compile. Of one
row all are here, of two those that divide by nothing: elimination with pivots is the same work for two as for
more.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
from typing import Any

import numpy as np

from ..linked import linked
from ..runtime import Mismatch


@linked
def invert_one(a: Any, out: Any) -> None:
    if a[0, 0] == 0.0:
        raise Mismatch
    out[0, 0] = 1.0 / a[0, 0]


@linked
def solve_one_vector(a: Any, b: Any, out: Any) -> None:
    if a[0, 0] == 0.0:
        raise Mismatch
    out[0] = b[0] / a[0, 0]


@linked
def solve_one_matrix(a: Any, b: Any, out: Any) -> None:
    if a[0, 0] == 0.0:
        raise Mismatch
    for j in range(out.shape[1]):
        out[0, j] = b[0, j] / a[0, 0]


@linked
def factor_one(a: Any, out: Any) -> None:
    if a[0, 0].real <= 0.0:  # what is not a number goes on, as in LAPACK
        raise Mismatch
    out[0, 0] = np.sqrt(a[0, 0].real)


@linked
def determinant_of_one(a: Any) -> float:
    return a[0, 0]


@linked
def cofactor_of_one(a: Any, out: Any) -> None:
    out[0, 0] = 1.0


@linked
def cofactors_of_two(a: Any, out: Any) -> None:
    out[0, 0], out[0, 1], out[1, 0], out[1, 1] = a[1, 1], -a[1, 0], -a[0, 1], a[0, 0]


@linked
def cofactor_bars_of_one(g: Any, a: Any, out: Any) -> None:
    out[0, 0] = 0.0


@linked
def cofactor_bars_of_two(g: Any, a: Any, out: Any) -> None:
    """Cofactors are linear in the elements, and their own transpose."""
    out[0, 0], out[0, 1], out[1, 0], out[1, 1] = g[1, 1], -g[1, 0], -g[0, 1], g[0, 0]
