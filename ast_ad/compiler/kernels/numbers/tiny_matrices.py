"""What do kernels call for inverses, solutions and determinants of one row to four? Arithmetic, no memory.

The functions for other small matrices would give the same, and take Numba a second each to compile. Of one
row all are here, of more those that divide by nothing, and determinants: elimination with the same pivots, as
numbers, takes a tenth of the time that it takes in memory of its own.
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
def last_two(before: Any, p: Any, q: Any, r: Any, s: Any) -> Any:
    """The determinant of the rows ``p, q`` and ``r, s``, times that of what was eliminated before."""
    if abs(r) > abs(p):
        return -before * r * (q - p / r * s)
    return before * p * (s - r / p * q if p != 0.0 else s)


@linked
def determinant_of_two(a: Any) -> Any:
    return last_two(1.0, a[0, 0], a[0, 1], a[1, 0], a[1, 1])


@linked
def determinant_of_three(a: Any) -> Any:
    u, v, w, sign = 0, 1, 2, 1.0
    if abs(a[1, 0]) > abs(a[0, 0]):
        u, v, sign = 1, 0, -1.0
    if abs(a[2, 0]) > abs(a[u, 0]):
        u, w, sign = 2, u, -sign
    pivot, f, g = a[u, 0], 0.0 * a[u, 0], 0.0 * a[u, 0]
    if pivot != 0.0:
        f, g = a[v, 0] / pivot, a[w, 0] / pivot
    p, q = a[v, 1] - f * a[u, 1], a[v, 2] - f * a[u, 2]
    r, s = a[w, 1] - g * a[u, 1], a[w, 2] - g * a[u, 2]
    return last_two(sign * pivot, p, q, r, s)


@linked
def cofactor_of_one(a: Any, out: Any) -> None:
    out[0, 0] = 1.0


@linked
def cofactors_of_two(a: Any, out: Any) -> None:
    out[0, 0], out[0, 1], out[1, 0], out[1, 1] = a[1, 1], -a[1, 0], -a[0, 1], a[0, 0]


@linked
def cofactors_of_three(a: Any, out: Any) -> None:
    """Each by the two rows and columns behind its own, round the end: their order is the sign."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i, 0] = a[j, 1] * a[k, 2] - a[j, 2] * a[k, 1]
        out[i, 1] = a[j, 2] * a[k, 0] - a[j, 0] * a[k, 2]
        out[i, 2] = a[j, 0] * a[k, 1] - a[j, 1] * a[k, 0]


@linked
def cofactors_of_four(a: Any, out: Any) -> None:
    """Each row by the other one of its half, and the minors of two rows of the other half (Laplace)."""
    for row in range(4):
        partner, sign = row ^ 1, 1.0 - 2.0 * (row % 2)
        i = 2 - 2 * (row // 2)
        j = i + 1
        m01, m02 = a[i, 0] * a[j, 1] - a[i, 1] * a[j, 0], a[i, 0] * a[j, 2] - a[i, 2] * a[j, 0]
        m03, m12 = a[i, 0] * a[j, 3] - a[i, 3] * a[j, 0], a[i, 1] * a[j, 2] - a[i, 2] * a[j, 1]
        m13, m23 = a[i, 1] * a[j, 3] - a[i, 3] * a[j, 1], a[i, 2] * a[j, 3] - a[i, 3] * a[j, 2]
        v0, v1, v2, v3 = a[partner, 0], a[partner, 1], a[partner, 2], a[partner, 3]
        out[row, 0] = sign * (v1 * m23 - v2 * m13 + v3 * m12)
        out[row, 1] = -sign * (v0 * m23 - v2 * m03 + v3 * m02)
        out[row, 2] = sign * (v0 * m13 - v1 * m03 + v3 * m01)
        out[row, 3] = -sign * (v0 * m12 - v1 * m02 + v2 * m01)


@linked
def cofactor_bars_of_one(g: Any, a: Any, out: Any) -> None:
    out[0, 0] = 0.0


@linked
def cofactor_bars_of_two(g: Any, a: Any, out: Any) -> None:
    """Cofactors are linear in the elements, and their own transpose."""
    out[0, 0], out[0, 1], out[1, 0], out[1, 1] = g[1, 1], -g[1, 0], -g[0, 1], g[0, 0]
