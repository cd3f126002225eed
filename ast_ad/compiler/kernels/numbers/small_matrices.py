"""What do kernels call for inverses, solutions and determinants of small matrices? Plain elimination.

By Gauss's algorithm with partial pivoting, and Cholesky's, as LAPACK has them [1]_; for a few rows a call of
LAPACK takes longer than the work itself. A singular matrix is an error, which NumPy raises in the kernel's
stead.

References:
    .. [1] G. H. Golub and C. F. Van Loan, Matrix Computations, 4th edition, sections 3.4 and 4.2.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
from typing import Any

import numpy as np

from ..linked import linked
from ..runtime import Mismatch

MOST_ROWS = 16  # LAPACK takes twice the time for these; longer lengths are seldom known to kernels
WELL_CONDITIONED = 1e7


@linked
def eliminate(a: Any) -> Any:
    """Factor ``a``: both triangles in one array, the order of its rows, and its determinant."""
    n = a.shape[0]
    lu, order, determinant = np.empty((n, n), a.dtype), np.empty(n, np.int64), 1.0
    for i in range(n):
        order[i] = i
        for j in range(n):
            lu[i, j] = a[i, j]
    for k in range(n):
        pivot, largest = k, abs(lu[k, k])
        for i in range(k + 1, n):
            if abs(lu[i, k]) > largest:
                pivot, largest = i, abs(lu[i, k])
        if pivot != k:
            determinant = -determinant
            order[k], order[pivot] = order[pivot], order[k]
            for j in range(n):
                lu[k, j], lu[pivot, j] = lu[pivot, j], lu[k, j]
        determinant *= lu[k, k]
        if lu[k, k] != 0.0:
            for i in range(k + 1, n):
                lu[i, k] /= lu[k, k]  # whose reciprocal may be infinite
                factor = lu[i, k]
                for j in range(k + 1, n):
                    lu[i, j] -= factor * lu[k, j]
    return lu, order, determinant


@linked
def factored(a: Any) -> Any:
    """``eliminate`` for a matrix that is not singular."""
    lu, order, determinant = eliminate(a)
    for k in range(a.shape[0]):
        if lu[k, k] == 0.0:
            raise Mismatch
    return lu, order, determinant


@linked
def substitute(lu: Any, out: Any) -> None:
    """Solve for the columns of ``out``, whose rows are in order, in their place."""
    n, m = out.shape
    for i in range(n):
        for k in range(i):
            factor = lu[i, k]
            for j in range(m):
                out[i, j] -= factor * out[k, j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            factor = lu[i, k]
            for j in range(m):
                out[i, j] -= factor * out[k, j]
        for j in range(m):
            out[i, j] /= lu[i, i]


@linked
def solve_small_matrix(a: Any, b: Any, out: Any) -> None:
    n = a.shape[0]
    lu, order, _ = factored(a)
    for i in range(n):
        for j in range(b.shape[1]):
            out[i, j] = b[order[i], j]
    substitute(lu, out)


@linked
def solve_small_vector(a: Any, b: Any, out: Any) -> None:
    n = a.shape[0]
    lu, order, _ = factored(a)
    for i in range(n):
        total = b[order[i]]
        for k in range(i):
            total -= lu[i, k] * out[k]
        out[i] = total
    for i in range(n - 1, -1, -1):
        total = out[i]
        for k in range(i + 1, n):
            total -= lu[i, k] * out[k]
        out[i] = total / lu[i, i]


@linked
def inverse_and_determinant(a: Any, out: Any) -> float:
    n = a.shape[0]
    lu, order, determinant = factored(a)
    for i in range(n):
        for j in range(n):
            out[i, j] = 0.0
        out[i, order[i]] = 1.0
    substitute(lu, out)
    return determinant


@linked
def invert_small(a: Any, out: Any) -> None:
    inverse_and_determinant(a, out)


@linked
def determinant_of_small(a: Any) -> float:
    return eliminate(a)[2]


@linked
def log_determinant_of_small(a: Any) -> tuple[float, float]:
    """The sign of the determinant and the logarithm of its size, in range where the product is not."""
    lu, order, _ = eliminate(a)
    sign, log = 1.0, 0.0
    for i in range(a.shape[0]):
        if lu[i, i] == 0.0:
            return 0.0, -np.inf
        if lu[i, i] < 0.0:
            sign = -sign
        log += np.log(abs(lu[i, i]))
        for j in range(i):
            if order[j] > order[i]:
                sign = -sign
    return sign, log


@linked
def log_determinant_of_complex(a: Any) -> tuple[complex, float]:
    """``log_determinant_of_small`` of complex numbers; the sign is a direction."""
    lu, order, _ = eliminate(a)
    sign, log = 1.0 + 0.0j, 0.0
    for i in range(a.shape[0]):
        size = abs(lu[i, i])
        if size == 0.0:
            return 0.0 + 0.0j, -np.inf
        sign *= lu[i, i] / size
        log += np.log(size)
        for j in range(i):
            if order[j] > order[i]:
                sign = -sign
    return sign, log


@linked
def require_well_conditioned(a: Any, inverse: Any) -> None:
    n, largest, largest_of_inverse = a.shape[0], 0.0, 0.0
    for i in range(n):
        for j in range(n):
            largest = max(largest, abs(a[i, j]))
            largest_of_inverse = max(largest_of_inverse, abs(inverse[i, j]))
    if not largest * largest_of_inverse * n < WELL_CONDITIONED:
        raise Mismatch


@linked
def accurate_inverse(a: Any, inverse: Any) -> float:
    """The determinant; the inverse is written, and left to others near to singular matrices."""
    determinant = inverse_and_determinant(a, inverse)
    require_well_conditioned(a, inverse)
    return determinant


@linked
def cofactors_of_small(a: Any, out: Any) -> None:
    """``det(a) * inv(a).T``; near to singular matrices that is not accurate, and left to others."""
    n = a.shape[0]
    inverse = np.empty((n, n), a.dtype)
    determinant = accurate_inverse(a, inverse)
    for i in range(n):
        for j in range(n):
            out[i, j] = determinant * inverse[j, i]


@linked
def cofactor_bars_of_small(g: Any, a: Any, out: Any) -> None:
    """The cotangent of ``a`` from that of its cofactors."""
    n = a.shape[0]
    inverse = np.empty((n, n))
    cofactor_bars(g, inverse, accurate_inverse(a, inverse), out)


@linked
def cofactor_bars(g: Any, inverse: Any, determinant: float, out: Any) -> None:
    """``det(a) * (trace(b @ g) * b.T - (b @ g @ b).T)`` with ``b`` for ``inv(a)``."""
    n, trace = g.shape[0], 0.0
    product = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += inverse[i, k] * g[k, j]
            product[i, j] = total
        trace += product[i, i]
    for i in range(n):
        for j in range(n):
            total = trace * inverse[j, i]
            for k in range(n):
                total -= product[j, k] * inverse[k, i]
            out[i, j] = determinant * total


@linked
def factor_small(a: Any, out: Any) -> None:
    """Cholesky's factor, of the lower triangle; where there is none, LAPACK's routine says so, too."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            total = a[i, j]
            for k in range(j):
                total -= out[i, k] * np.conj(out[j, k])
            out[i, j] = total / out[j, j]
        rest = a[i, i].real
        for k in range(i):
            rest -= (out[i, k] * np.conj(out[i, k])).real
        if rest <= 0.0:  # what is not a number goes on, as in LAPACK
            raise Mismatch
        out[i, i] = np.sqrt(rest)
        for j in range(i + 1, n):
            out[i, j] = 0.0
