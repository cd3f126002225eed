"""How do kernels compute the exponential of a matrix? By Padé's approximants, scaling and squaring.

The approximant of the least degree is taken that is exact to rounding for the norm of the matrix [1]_; one
with a larger norm is halved before, and the result squared as often. How often its powers tell, whose norms
may be far less than the norm's powers: halved too often, such a matrix loses what is small in its exponential
[2]_.

References:
    .. [1] N. J. Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix
       Anal. Appl. 26 (2005), table 2.3 and equation 2.3.
    .. [2] A. H. Al-Mohy and N. J. Higham, A new scaling and squaring algorithm for the matrix exponential,
       SIAM J. Matrix Anal. Appl. 31 (2009), algorithm 6.1 and equation 5.1.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator"
import math
from typing import Any

import numpy as np

from ..linked import linked
from ..runtime import Mismatch
from .small_matrices import factored, substitute

MOST_ROWS = 32  # of more, where that is known before, SciPy's BLAS pays
_LARGEST = np.array([1.495585217958292e-2, 2.539398330063230e-1, 9.504178996162932e-1, 2.097847961257068e0])
"""Up to which norm the approximants of degree 3, 5, 7 and 9 are exact to rounding."""
_LARGEST_OF_13 = 4.25  # of what the powers tell
_ERROR_OF_13 = math.factorial(13) ** 2 / (math.factorial(26) * math.factorial(27))
_ROUNDING = 2.0**-53
_COEFFICIENTS = np.zeros((5, 14))
for _row, _given in enumerate(
    [
        [120.0, 60.0, 12.0, 1.0],
        [30240.0, 15120.0, 3360.0, 420.0, 30.0, 1.0],
        [17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0],
        [
            *(17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0),
            *(2162160.0, 110880.0, 3960.0, 90.0, 1.0),
        ],
        [
            *(64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0),
            *(129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0),
            *(40840800.0, 960960.0, 16380.0, 182.0, 1.0),
        ],
    ]
):
    _COEFFICIENTS[_row, : len(_given)] = _given


@linked
def product(a: Any, b: Any, out: Any) -> None:
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = 0.0
        for k in range(n):
            factor = a[i, k]
            for j in range(n):
                out[i, j] += factor * b[k, j]


@linked
def largest_column(a: Any) -> float:
    """The 1-norm: NaN if there is one in the matrix."""
    n = a.shape[0]
    largest = 0.0
    for j in range(n):
        total = 0.0
        for i in range(n):
            total += abs(a[i, j])
        if not total <= largest:
            largest = total
    return largest


@linked
def halvings(a: Any, norm: float) -> int:
    """How often a matrix is halved before the approximant of degree 13 is exact to rounding."""
    n = a.shape[0]
    square, fourth, other = np.empty((n, n), a.dtype), np.empty((n, n), a.dtype), np.empty((n, n), a.dtype)
    product(a, a, square)
    product(square, square, fourth)
    product(fourth, square, other)
    sixth = largest_column(other) ** (1 / 6)
    product(fourth, other, square)
    tenth = largest_column(square) ** (1 / 10)
    product(fourth, fourth, other)
    eighth = largest_column(other) ** (1 / 8)
    size = min(max(sixth, eighth), max(eighth, tenth))
    if not np.isfinite(size):
        raise Mismatch
    times = max(int(math.ceil(math.log2(size / _LARGEST_OF_13))), 0) if size > 0.0 else 0
    rest = _ERROR_OF_13 * largest_of_power(a, 27, 0.5**times) / (norm * 0.5**times)
    return times + max(int(math.ceil(math.log2(rest / _ROUNDING) / 26)), 0) if rest > 0.0 else times


@linked
def largest_of_power(a: Any, power: int, scale: float) -> float:
    """The 1-norm of a power of ``scale * abs(a)``."""
    n = a.shape[0]
    row, next_row = np.ones(n), np.empty(n)
    for _ in range(power):
        for j in range(n):
            total = 0.0
            for i in range(n):
                total += row[i] * abs(a[i, j])
            next_row[j] = scale * total
        row, next_row = next_row, row
    return float(np.max(row))


@linked
def exponential(a: Any, out: Any) -> None:
    n = a.shape[0]
    if n == 1:
        out[0, 0] = np.exp(a[0, 0])
        return
    norm = largest_column(a)
    if not np.isfinite(norm):
        raise Mismatch
    degree = 0
    while degree < 4 and norm > _LARGEST[degree]:
        degree += 1
    times = halvings(a, norm) if degree == 4 else 0
    scale = 0.5**times
    scaled = np.empty((n, n), a.dtype)
    for i in range(n):
        for j in range(n):
            scaled[i, j] = a[i, j] * scale
    approximate(scaled, _COEFFICIENTS[degree], 13 if degree == 4 else 3 + 2 * degree, out)
    for _ in range(times):
        for i in range(n):
            for j in range(n):
                scaled[i, j] = out[i, j]
        product(scaled, scaled, out)


@linked
def approximate(a: Any, c: Any, degree: int, out: Any) -> None:
    """The quotient of two polynomials: ``(v - u)^-1 (v + u)``, of even powers v and odd ones u."""
    n = a.shape[0]
    square, power, other = np.empty((n, n), a.dtype), np.empty((n, n), a.dtype), np.empty((n, n), a.dtype)
    u, v = np.zeros((n, n), a.dtype), np.zeros((n, n), a.dtype)
    product(a, a, square)
    for i in range(n):
        for j in range(n):
            power[i, j] = square[i, j]
        u[i, i] = c[1]
        v[i, i] = c[0]
    for k in range(1, degree // 2 + 1):
        for i in range(n):
            for j in range(n):
                u[i, j] += c[2 * k + 1] * power[i, j]
                v[i, j] += c[2 * k] * power[i, j]
        if 2 * k + 2 <= degree:
            product(power, square, other)
            power, other = other, power
    product(a, u, other)
    for i in range(n):
        for j in range(n):
            out[i, j] = v[i, j] + other[i, j]
            v[i, j] -= other[i, j]
    lu, order, _ = factored(v)
    for i in range(n):
        for j in range(n):
            u[i, j] = out[order[i], j]
    substitute(lu, u)
    for i in range(n):
        for j in range(n):
            out[i, j] = u[i, j]
