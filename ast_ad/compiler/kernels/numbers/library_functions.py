"""What do kernels call for eigenvalues, singular values, orthogonal factors and transforms?

NumPy's own loops. Where these have not converged they say it by NaN: the kernel fails then, and NumPy
answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..linked import linked
from ..runtime import Mismatch
from .library_loops import LOOPS

EPS = float(np.finfo(np.float64).eps)


def of_values(name: str) -> Callable[..., Any] | None:
    """What computes values of a matrix, which are real, by a loop; None if there is no such loop."""
    loop = LOOPS.get(name)
    if loop is None:
        return None

    def values(a: Any, w: Any) -> None:
        loop(a, w)
        if w.shape[0] > 0 and math.isnan(w[0]):
            raise Mismatch

    return _named(values, name)


def with_vectors(name: str) -> Callable[..., Any] | None:
    """What computes values of a matrix, and vectors."""
    loop = LOOPS.get(name)
    if loop is None:
        return None

    def decomposed(a: Any, w: Any, v: Any) -> None:
        loop(a, w, v)
        if w.shape[0] > 0 and math.isnan(w[0]):
            raise Mismatch

    return _named(decomposed, name)


def singular(name: str) -> Callable[..., Any] | None:
    """What computes singular values, and vectors on both sides of them."""
    loop = LOOPS.get(name)
    if loop is None:
        return None

    def decomposed(a: Any, u: Any, w: Any, v: Any) -> None:
        loop(a, u, w, v)
        if w.shape[0] > 0 and math.isnan(w[0]):
            raise Mismatch

    return _named(decomposed, name)


def orthogonal(kind: str) -> Callable[..., Any] | None:
    """What computes the orthogonal and the triangular factor of a matrix."""
    factor, product = LOOPS.get(f"qr_r_raw_{kind}"), LOOPS.get(f"qr_reduced_{kind}")
    if factor is None or product is None:
        return None

    def factors(a: Any, q: Any, r: Any) -> None:
        m, n = a.shape
        k = r.shape[0]
        packed, scales = np.empty((m, n), a.dtype), np.empty(k, a.dtype)
        for i in range(m):
            for j in range(n):
                packed[i, j] = a[i, j]
        factor(packed, scales)
        product(packed, scales, q)
        for i in range(k):
            for j in range(n):
                r[i, j] = packed[i, j] if i <= j else 0.0

    return _named(factors, f"qr_{kind}")


def least_squares(kind: str) -> Callable[..., Any] | None:
    """What computes solutions, sums of squares and singular values, and returns the rank.

    Where NumPy does not tell the sums, but somebody reads them, it fails. ``cut``: the ratio of singular
    values below which they are taken as zero.
    """
    loop = LOOPS.get(f"lstsq_{kind}")
    if loop is None:
        return None

    def solved(a: Any, b: Any, x: Any, sums: Any, s: Any, cut: float) -> int:
        (m, n), rank = a.shape, np.zeros(1, np.int32)
        if m == 0 or n == 0 or b.shape[1] == 0:
            raise Mismatch
        told = np.empty(b.shape[1])
        loop(a, b, cut, x, told, rank, s)
        if math.isnan(s[0]) or math.isnan(abs(x[0, 0])) or (len(sums) > 0 and (rank[0] != n or m <= n)):
            raise Mismatch
        for i in range(len(sums)):
            sums[i] = told[i]
        return int(rank[0])

    return _named(solved, f"lstsq_matrix_{kind}")


def least_squares_of_vector(kind: str) -> Callable[..., Any] | None:
    """The same with one right-hand side."""
    solved = CALLS.get(f"lstsq_matrix_{kind}")
    if solved is None:
        return None

    def of_vector(a: Any, b: Any, x: Any, sums: Any, s: Any, cut: float) -> int:
        right, found = np.empty((len(b), 1), a.dtype), np.empty((len(x), 1), a.dtype)
        right[:, 0] = b
        rank = solved(a, right, found, sums, s, cut)
        x[:] = found[:, 0]
        return rank

    return _named(of_vector, f"lstsq_vector_{kind}")


def pseudo_inverse(kind: str) -> Callable[..., Any] | None:
    """What computes the pseudo-inverse of Moore and Penrose, by singular values, as NumPy does."""
    loop = LOOPS.get(f"svd_s_{kind}")
    if loop is None:
        return None

    def inverse(a: Any, out: Any, cut: float) -> None:
        m, n = a.shape
        k = min(m, n)
        if k == 0:
            raise Mismatch
        u, s, vh = np.empty((m, k), a.dtype), np.empty(k), np.empty((k, n), a.dtype)
        loop(np.conj(a), u, s, vh)
        if math.isnan(s[0]):
            raise Mismatch
        out[...] = 0.0
        for at in range(k):
            if s[at] > cut * s[0]:
                for i in range(n):
                    factor = vh[at, i] / s[at]
                    for j in range(m):
                        out[i, j] += factor * u[j, at]

    return _named(inverse, f"pinv_{kind}")


@linked
def require_all_kept(a: Any, p: Any) -> None:
    """That a pseudo-inverse leaves out no singular values but zeros: ``is_cut`` of the rules says no."""
    m, n = a.shape
    inner = np.zeros((n, n), a.dtype)
    for i in range(n):
        for k in range(m):
            for j in range(n):
                inner[i, j] += p[i, k] * a[k, j]
    most, size = 0.0, 0.0
    for i in range(m):
        for j in range(n):
            total = -a[i, j]
            for k in range(n):
                total += a[i, k] * inner[k, j]
            if math.isnan(abs(total)):
                return
            most, size = max(most, abs(total)), max(size, abs(a[i, j]))
    if most > 100 * EPS * size:
        raise Mismatch


def transform(name: str) -> Callable[..., Any] | None:
    """What transforms a vector; ``scale``: what the result is multiplied by."""
    loop = LOOPS.get(name)
    if loop is None:
        return None

    def transformed(a: Any, out: Any, scale: float) -> None:
        if len(out) < 1:
            raise Mismatch
        loop(a, scale, out)

    return _named(transformed, name)


def transform_of_real() -> Callable[..., Any] | None:
    """The transform of ``n`` real numbers, the first ones and zeros; it is another one for odd lengths."""
    even, odd = LOOPS.get("rfft_n_even_d"), LOOPS.get("rfft_n_odd_d")
    if even is None or odd is None:
        return None

    def transformed(a: Any, out: Any, scale: float, n: int) -> None:
        if n < 1:
            raise Mismatch
        if n % 2 == 0:
            even(a, scale, out)
        else:
            odd(a, scale, out)

    return _named(transformed, "rfft")


def _named(function: Any, name: str) -> Any:
    """The function as kernels call it, by which name their text finds it."""
    function.__name__ = function.__qualname__ = f"library_{name}"
    found = globals()[function.__name__] = linked(function)
    return found


KINDS = {np.dtype(np.float64): "d", np.dtype(np.complex128): "D"}
CALLS: dict[str, Any] = {
    **{
        f"{name}_{kind}": make(f"{name}_{kind}")
        for make, names in (
            (of_values, ("eigvalsh_lo", "eigvalsh_up", "svd")),
            (with_vectors, ("eigh_lo", "eigh_up")),
            (singular, ("svd_s",)),
        )
        for name in names
        for kind in "dD"
    },
    **{f"qr_{kind}": orthogonal(kind) for kind in "dD"},
    **{f"lstsq_matrix_{kind}": least_squares(kind) for kind in "dD"},
    **{f"pinv_{kind}": pseudo_inverse(kind) for kind in "dD"},
    **{name: transform(f"{name}_D") for name in ("fft", "ifft", "irfft")},
    "rfft": transform_of_real(),
}
CALLS |= {f"lstsq_vector_{kind}": least_squares_of_vector(kind) for kind in "dD"}
