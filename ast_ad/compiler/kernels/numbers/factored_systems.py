"""What do kernels call for systems with triangular, banded and factored matrices? Plain substitution.

As ``scipy.linalg`` has them [1]_; a matrix that is singular, or not positive definite, and numbers that are
not finite are errors, which SciPy raises in the kernel's stead.

References:
    .. [1] G. H. Golub and C. F. Van Loan, Matrix Computations, 4th edition, sections 3.1, 3.4, 4.2 and 4.3.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator, no-any-return"
from typing import Any

import numpy as np

from ..linked import linked
from ..runtime import Mismatch
from .small_matrices import factored, substitute

PLAIN, TRANSPOSED, ADJOINT = 0, 1, 2
NEARLY_SINGULAR = 1e-10  # of the largest pivot: SciPy warns of some such matrices


@linked
def require_finite(a: Any) -> None:
    for x in a.flat:
        if not np.isfinite(x):
            raise Mismatch


@linked
def element(a: Any, i: int, j: int, turned: int) -> Any:
    if turned == PLAIN:
        return a[i, j]
    return a[j, i] if turned == TRANSPOSED else np.conj(a[j, i])


@linked
def triangular_vector(a: Any, b: Any, turned: int, lower: bool, unit: bool, out: Any) -> None:
    n = len(b)
    down = lower == (turned == PLAIN)
    for m in range(n):
        i = m if down else n - 1 - m
        if not unit and a[i, i] == 0.0:
            raise Mismatch
        total = b[i]
        for k in range(0 if down else i + 1, i if down else n):
            total -= element(a, i, k, turned) * out[k]
        out[i] = total if unit else total / element(a, i, i, turned)


@linked
def triangular_matrix(a: Any, b: Any, turned: int, lower: bool, unit: bool, out: Any) -> None:
    n, columns = b.shape
    down = lower == (turned == PLAIN)
    for m in range(n):
        i = m if down else n - 1 - m
        if not unit and a[i, i] == 0.0:
            raise Mismatch
        for j in range(columns):
            out[i, j] = b[i, j]
        for k in range(0 if down else i + 1, i if down else n):
            factor = element(a, i, k, turned)
            for j in range(columns):
                out[i, j] -= factor * out[k, j]
        if not unit:
            pivot = element(a, i, i, turned)
            for j in range(columns):
                out[i, j] /= pivot


@linked
def cholesky_factor(a: Any, lower: bool, out: Any) -> None:
    """One triangle is the factor, the other one that of ``a``."""
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = a[i, j]
    for j in range(n):
        total = a[j, j].real
        for k in range(j):
            part = out[j, k] if lower else out[k, j]
            total -= (part * np.conj(part)).real
        if not total > 0.0:
            raise Mismatch
        root = np.sqrt(total)
        out[j, j] = root
        for i in range(j + 1, n):
            if lower:
                rest = a[i, j]
                for k in range(j):
                    rest -= out[i, k] * np.conj(out[j, k])
                out[i, j] = rest / root
            else:
                rest = a[j, i]
                for k in range(j):
                    rest -= np.conj(out[k, j]) * out[k, i]
                out[j, i] = rest / root


@linked
def one_cholesky_factor(a: Any, lower: bool, out: Any) -> None:
    """With zeros in the other triangle."""
    cholesky_factor(a, lower, out)
    for i in range(a.shape[0]):
        for j in range(i):
            if lower:
                out[j, i] = 0.0
            else:
                out[i, j] = 0.0


@linked
def cholesky_vector(c: Any, b: Any, lower: bool, out: Any) -> None:
    between = np.empty_like(out)
    triangular_vector(c, b, PLAIN if lower else ADJOINT, lower, False, between)
    triangular_vector(c, between, ADJOINT if lower else PLAIN, lower, False, out)


@linked
def cholesky_matrix(c: Any, b: Any, lower: bool, out: Any) -> None:
    between = np.empty_like(out)
    triangular_matrix(c, b, PLAIN if lower else ADJOINT, lower, False, between)
    triangular_matrix(c, between, ADJOINT if lower else PLAIN, lower, False, out)


@linked
def lu_factors(a: Any, lu: Any, pivots: Any) -> None:
    """Both factors in one array, and with which row each was exchanged."""
    n = a.shape[0]
    found, order, _ = factored(a)
    for i in range(n):
        for j in range(n):
            lu[i, j] = found[i, j]
    rows = np.arange(n)
    for k in range(n):
        at = k
        while rows[at] != order[k]:
            at += 1
        pivots[k] = at
        rows[k], rows[at] = rows[at], rows[k]


@linked
def exchange(x: Any, i: int, k: int) -> None:
    for j in range(x.shape[1]):
        x[i, j], x[k, j] = x[k, j], x[i, j]


@linked
def lu_matrix(lu: Any, pivots: Any, b: Any, turned: int, out: Any) -> None:
    n, columns = b.shape
    given, between = np.empty((n, columns), out.dtype), np.empty((n, columns), out.dtype)
    for i in range(n):
        for j in range(columns):
            given[i, j] = b[i, j]
    if turned == PLAIN:
        for i in range(n):
            exchange(given, i, pivots[i])
        triangular_matrix(lu, given, PLAIN, True, True, between)
        triangular_matrix(lu, between, PLAIN, False, False, out)
    else:
        triangular_matrix(lu, given, turned, False, False, between)
        triangular_matrix(lu, between, turned, True, True, out)
        for i in range(n - 1, -1, -1):
            exchange(out, i, pivots[i])


@linked
def lu_vector(lu: Any, pivots: Any, b: Any, turned: int, out: Any) -> None:
    n = len(b)
    given, between = np.empty(n, out.dtype), np.empty(n, out.dtype)
    for i in range(n):
        given[i] = b[i]
    if turned == PLAIN:
        for i in range(n):
            given[i], given[pivots[i]] = given[pivots[i]], given[i]
        triangular_vector(lu, given, PLAIN, True, True, between)
        triangular_vector(lu, between, PLAIN, False, False, out)
    else:
        triangular_vector(lu, given, turned, False, False, between)
        triangular_vector(lu, between, turned, True, True, out)
        for i in range(n - 1, -1, -1):
            out[i], out[pivots[i]] = out[pivots[i]], out[i]


@linked
def regular(a: Any) -> Any:
    """``factored`` of a matrix whose pivots are far enough from zero."""
    lu, order, _ = factored(a)
    largest = 0.0
    for k in range(lu.shape[0]):
        largest = max(largest, abs(lu[k, k]))
    for k in range(lu.shape[0]):
        if not abs(lu[k, k]) > NEARLY_SINGULAR * largest:
            raise Mismatch
    return lu, order


@linked
def solve_vector(a: Any, b: Any, out: Any) -> None:
    lu, order = regular(a)
    between, given = np.empty_like(out), np.empty_like(out)
    for i in range(len(b)):
        given[i] = b[order[i]]
    triangular_vector(lu, given, PLAIN, True, True, between)
    triangular_vector(lu, between, PLAIN, False, False, out)


@linked
def solve_matrix(a: Any, b: Any, out: Any) -> None:
    lu, order = regular(a)
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = b[order[i], j]
    substitute(lu, out)


@linked
def band_rows(lower: int, upper: int, ab: Any) -> Any:
    """The band row by row, element i, j at ``[i, lower + j - i]``, with room for what pivots bring in."""
    n = ab.shape[1]
    rows = np.zeros((n, 2 * lower + upper + 1), ab.dtype)
    for i in range(n):
        for j in range(max(0, i - lower), min(n, i + upper + 1)):
            rows[i, lower + j - i] = ab[upper + i - j, j]
    return rows


@linked
def banded_matrix(lower: int, upper: int, ab: Any, b: Any, out: Any) -> None:
    n, columns = b.shape
    rows, width = band_rows(lower, upper, ab), lower + upper
    for i in range(n):
        for c in range(columns):
            out[i, c] = b[i, c]
    for k in range(n):
        pivot, last = k, min(n - 1, k + lower)
        for i in range(k + 1, last + 1):
            if abs(rows[i, lower + k - i]) > abs(rows[pivot, lower + k - pivot]):
                pivot = i
        if rows[pivot, lower + k - pivot] == 0.0:
            raise Mismatch
        end = min(n, k + width + 1)
        if pivot != k:
            for j in range(k, end):
                one, other = lower + j - k, lower + j - pivot
                rows[k, one], rows[pivot, other] = rows[pivot, other], rows[k, one]
            exchange(out, k, pivot)
        for i in range(k + 1, last + 1):
            factor = rows[i, lower + k - i] / rows[k, lower]
            if factor != 0.0:
                for j in range(k + 1, end):
                    rows[i, lower + j - i] -= factor * rows[k, lower + j - k]
                for c in range(columns):
                    out[i, c] -= factor * out[k, c]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, min(n, i + width + 1)):
            factor = rows[i, lower + j - i]
            for c in range(columns):
                out[i, c] -= factor * out[j, c]
        for c in range(columns):
            out[i, c] /= rows[i, lower]


@linked
def banded_vector(lower: int, upper: int, ab: Any, b: Any, out: Any) -> None:
    n = len(b)
    given, solved = np.empty((n, 1), out.dtype), np.empty((n, 1), out.dtype)
    for i in range(n):
        given[i, 0] = b[i]
    banded_matrix(lower, upper, ab, given, solved)
    for i in range(n):
        out[i] = solved[i, 0]
