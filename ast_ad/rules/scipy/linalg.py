"""How do the functions of ``scipy.linalg`` pass a cotangent back?

Read by the registry once the user's program has imported ``scipy.linalg``. Calls that overwrite an argument
are not supported.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as sl

from .. import helpers
from ..helpers import mT
from ..numpy import decompositions, linalg, norms
from ..numpy.decompositions import in_triangle
from ..numpy.gather import positions, refuse, scatter_to
from ..numpy.products import H, column
from ..registry import composite, nondifferentiable, vjp

# ----- what NumPy has too -----


@vjp(sl.solve, broadcasts=True)
def solve(g, ans, a, b, lower=False, check_finite=True, assume_a=None, transposed=False):
    if assume_a in ("upper triangular", "lower triangular", "diagonal"):
        kept = one_part(a, assume_a)
        a_bar, b_bar = linalg.solve(g, ans, mT(kept) if transposed else kept, b)
        return one_part(mT(a_bar) if transposed else a_bar, assume_a), b_bar
    if assume_a in (None, "gen", "general"):
        a_bar, b_bar = linalg.solve(g, ans, mT(a) if transposed else a, b)
        return mT(a_bar) if transposed else a_bar, b_bar
    if assume_a not in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        refuse(f"scipy.linalg.solve(assume_a={assume_a!r})", fix="leave assume_a out")
    symmetric = assume_a in ("sym", "symmetric")
    a_bar, b_bar = linalg.solve(g, ans, from_triangle(a, not lower, symmetric), b)
    if symmetric:
        return symmetric_triangle(a_bar, not lower), b_bar
    return in_triangle(a_bar, not lower), b_bar


def refuse_stack(name: str) -> None:
    refuse(f"scipy.linalg.{name} of several matrices", "there is no rule for it", "call it for each of them")


def one_part(a: Any, part: str) -> Any:
    """The part that is read of a matrix that is said to be triangular or diagonal.

    >>> one_part(np.ones((2, 2)), "diagonal")
    array([[1., 0.],
           [0., 1.]])
    """
    above = np.triu(a) if part != "lower triangular" else a
    return np.tril(above) if part != "upper triangular" else above


def from_triangle(a: Any, upper: bool, symmetric: bool) -> Any:
    """The symmetric or Hermitian matrix whose triangle is read.

    >>> from_triangle(np.array([[1.0, 5.0], [2.0, 3.0]]), False, True)
    array([[1., 2.],
           [2., 3.]])
    """
    other = np.triu(a, 1) if upper else np.tril(a, -1)
    return (np.triu(a) if upper else np.tril(a)) + (mT(other) if symmetric else H(other))


def symmetric_triangle(bar: Any, upper: bool) -> Any:
    """The cotangent of a triangle, from that of the whole symmetric matrix which it stands for."""
    return np.triu(bar) + np.triu(mT(bar), 1) if upper else np.tril(bar) + np.tril(mT(bar), -1)


@vjp(sl.inv)
def inv(g, ans, a, check_finite=True):
    return linalg.inv(g, ans, a)


@vjp(sl.det)
def det(g, ans, a, check_finite=True):
    return linalg.det(g, ans, a)


@vjp(sl.norm)
def norm(g, ans, a, ord=None, axis=None, keepdims=False, check_finite=True):
    return norms.norm(g, ans, a, ord, axis, keepdims)


@vjp(sl.pinv)
def pinv(g, ans, a, atol=None, rtol=None, check_finite=True):
    return linalg.pinv(g, ans, a)


@vjp(sl.pinvh)
def pinvh(g, ans, a, atol=None, rtol=None, lower=True, check_finite=True):
    return in_triangle(linalg.pinv_bar(g, ans, from_triangle(a, not lower, False)), not lower)


@vjp(sl.cholesky)
def cholesky(g, ans, a, lower=False, check_finite=True):
    return decompositions.cholesky(g, ans, a, upper=not lower)


@vjp(sl.eigh, absent=True)
def eigh(
    g, ans, a, b=None, lower=True, eigvals_only=False, check_finite=True, subset_by_index=None, driver=None
):
    if b is not None:
        refuse("scipy.linalg.eigh with two matrices", fix="reduce it with a Cholesky factor of b")
    UPLO: Any = "L" if lower else "U"
    if eigvals_only and subset_by_index is None:
        return decompositions.eigvalsh(g, ans, a, UPLO)
    if subset_by_index is None:
        return decompositions.eigh(g, ans, a, UPLO)
    w, v = np.linalg.eigh(a, UPLO)
    first = subset_by_index[0]
    if eigvals_only:
        return decompositions.eigvalsh(with_part(0 * w, g, first), w, a, UPLO)
    w_bar = None if g[0] is None else with_part(0 * w, g[0], first)
    v_bar = None if g[1] is None else with_part(0 * v, g[1], first)
    return decompositions.eigh((w_bar, v_bar), (w, with_part(v, ans[1], first)), a, UPLO)


@vjp(sl.eigvalsh)
def eigvalsh(g, ans, a, b=None, lower=True, check_finite=True, subset_by_index=None, driver=None):
    if b is not None:
        refuse("scipy.linalg.eigvalsh with two matrices", fix="reduce it with a Cholesky factor of b")
    UPLO: Any = "L" if lower else "U"
    if subset_by_index is not None:
        w, _ = np.linalg.eigh(a, UPLO)
        g = with_part(0 * w, g, subset_by_index[0])
    return decompositions.eigvalsh(g, ans, a, UPLO)


def with_part(whole: Any, part: Any, first: int) -> Any:
    """``whole`` with other columns from ``first`` on.

    >>> with_part(np.zeros(4), np.ones(2), 1)
    array([0., 1., 1., 0.])
    """
    return np.concatenate((whole[..., :first], part, whole[..., first + np.shape(part)[-1] :]), axis=-1)


@vjp(sl.svd, absent=True)
def svd(g, ans, a, full_matrices=True, compute_uv=True, check_finite=True, lapack_driver="gesdd"):
    return decompositions.svd(g, ans, a, full_matrices, compute_uv)


@vjp(sl.svdvals)
def svdvals(g, ans, a, check_finite=True):
    return decompositions.singular_values_bar(g, a)


@vjp(sl.qr, absent=True)
def qr(g, ans, a, mode="full", check_finite=True):
    if mode not in ("full", "economic"):
        refuse(f"scipy.linalg.qr(mode={mode!r})", fix="use mode='economic'")
    return decompositions.qr(g, ans, a, "complete" if mode == "full" else "reduced")


# ----- Cholesky factors and triangular matrices -----


@vjp(sl.cho_factor)
def cho_factor(g, ans, a, lower=False, check_finite=True):
    """The other triangle of the result is that of ``a``."""
    c, c_bar = ans[0], g[0]
    if lower:
        return decompositions.cholesky(np.tril(c_bar), np.tril(c), a) + np.triu(c_bar, 1)
    return decompositions.cholesky(np.triu(c_bar), np.triu(c), a, upper=True) + np.tril(c_bar, -1)


@vjp(sl.cho_solve)
def cho_solve(g, ans, c_and_lower, b, check_finite=True):
    """``(f H(f)) ans = b`` with the lower factor ``f``, or ``H(f) f`` with the upper one."""
    c, lower = c_and_lower
    if np.ndim(lower) > 0:
        refuse_stack("cho_factor")
    if np.ndim(b) == 1 and np.ndim(c) > 2:
        c_bar, columns = factored_bars(column(g), column(ans), c_and_lower, column(b))
        return (c_bar, None), sum_of_columns(columns)
    c_bar, b_bar = factored_bars(g, ans, c_and_lower, b)
    return (c_bar, None), b_bar


def factored_bars(g: Any, ans: Any, c_and_lower: Any, b: Any) -> Any:
    """The cotangents of a factor and of what it is solved for: a matrix for a stack of factors."""
    c, lower = c_and_lower
    b_bar = sl.cho_solve(c_and_lower, g)
    product = -(np.outer(b_bar, np.conj(ans)) if np.ndim(b) == 1 else b_bar @ H(ans))
    both = product + H(product)
    return np.tril(both @ np.tril(c)) if lower else np.triu(np.triu(c) @ both), b_bar


def sum_of_columns(x: Any) -> Any:
    """The sum of what a stack of systems with one right-hand side gives it."""
    return np.sum(np.reshape(x, (-1, np.shape(x)[-2])), axis=0)


@vjp(sl.solve_triangular)
def solve_triangular(g, ans, a, b, trans=0, lower=False, unit_diagonal=False, check_finite=True):
    if np.ndim(b) == 1 and np.ndim(a) > 2:  # one vector for a stack of matrices
        bar, columns = triangular_bars(column(g), column(ans), a, column(b), trans, lower, unit_diagonal)
        return bar, sum_of_columns(columns)
    return triangular_bars(g, ans, a, b, trans, lower, unit_diagonal)


def triangular_bars(g: Any, ans: Any, a: Any, b: Any, trans: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The cotangents of a matrix and of what it is solved for: a matrix for a stack of matrices."""
    if trans == 0 or trans == "N":
        b_bar = sl.solve_triangular(a, g, 2, lower, unit_diagonal)
    elif trans == 2 or trans == "C":
        b_bar = sl.solve_triangular(a, g, 0, lower, unit_diagonal)
    else:
        b_bar = sl.solve_triangular(np.conj(a), g, 0, lower, unit_diagonal)
    bar = -np.outer(b_bar, np.conj(ans)) if np.ndim(b) == 1 else -b_bar @ H(ans)
    if trans == 2 or trans == "C":
        bar = H(bar)
    elif trans == 1 or trans == "T":
        bar = mT(bar)
    k = 1 if unit_diagonal else 0
    return np.tril(bar, -k) if lower else np.triu(bar, k), b_bar


# ----- LU factors and banded matrices -----


@vjp(sl.lu_factor)
def lu_factor(g, ans, a, check_finite=True):
    """``p a = l u`` (square): ``a_bar = p.T H(l)^-1 (tril(H(l) l_bar, -1) + triu(u_bar H(u))) H(u)^-1``."""
    lu, pivots = ans
    if np.ndim(lu) > 2:
        refuse_stack("lu_factor")
    l, u = unit_lower(lu), np.triu(lu)
    inner = np.tril(H(l) @ np.tril(g[0], -1), -1) + np.triu(np.triu(g[0]) @ H(u))
    left = sl.solve_triangular(l, inner, 2, True, True)
    return gather_rows(H(sl.solve_triangular(u, H(left), 0, False)), row_order(pivots))


def unit_lower(lu: Any) -> Any:
    """The lower factor that is stored below the diagonal of ``lu``."""
    return np.tril(lu, -1) + np.eye(np.shape(lu)[-1])


def gather_rows(x: Any, order: Any) -> Any:
    """``out[order] = x``: the rows of ``x`` put back where a permutation took them from."""
    return x[np.argsort(order)]


def row_order(pivots: Any) -> Any:
    """The permutation that exchanging row i with row ``pivots[i]``, one after the other, amounts to.

    >>> row_order(np.array([1, 1]))
    array([1, 0])
    """
    order = np.arange(len(pivots))
    for i, pivot in enumerate(pivots):
        order[[i, pivot]] = order[[pivot, i]]
    return order


@vjp(sl.lu_solve)
def lu_solve(g, ans, lu_and_piv, b, trans=0, check_finite=True):
    """``a ans = b`` with ``p a = l u``; the cotangent of ``a`` is passed on to ``l`` and ``u``."""
    lu, pivots = lu_and_piv
    if np.ndim(lu) > 2:
        refuse_stack("lu_solve")
    if trans == 1:
        b_bar = np.conj(sl.lu_solve(lu_and_piv, np.conj(g)))
    else:
        b_bar = sl.lu_solve(lu_and_piv, g, 2 if trans == 0 else 0)
    product = np.outer(b_bar, np.conj(ans)) if np.ndim(b) == 1 else b_bar @ H(ans)
    if trans == 1:
        product = mT(product)
    elif trans == 2:
        product = H(product)
    bar = -product[row_order(pivots)]  # of l @ u
    lu_bar = np.tril(bar @ H(np.triu(lu)), -1) + np.triu(H(unit_lower(lu)) @ bar)
    return (lu_bar, None), b_bar


@vjp(sl.solve_banded)
def solve_banded(g, ans, l_and_u, ab, b, check_finite=True):
    """``ab[u + i - j, j]`` is the element i, j of the matrix."""
    lower, upper = l_and_u
    if np.ndim(ab) > 2 or np.ndim(b) > 2:
        refuse_stack("solve_banded")
    b_bar = sl.solve_banded((upper, lower), transposed_band(np.conj(ab), lower, upper), g)
    rows, columns = band_places(ab, upper)
    x, y = (column(b_bar), column(ans)) if np.ndim(b) == 1 else (b_bar, ans)
    products = np.sum(x[rows] * np.conj(y[columns]), axis=-1)
    return None, -np.where(inside_band(ab, upper), products, 0), b_bar


def band_places(ab: Any, upper: int) -> tuple[Any, Any]:
    """The row and the column of the matrix for each element of ``ab``, rows cut off at the ends."""
    k, n = np.shape(ab)
    i, j = np.arange(k)[:, None] - upper + np.arange(n), np.arange(n) + np.zeros((k, 1), int)
    return np.clip(i, 0, n - 1), j


def inside_band(ab: Any, upper: int) -> Any:
    """Which elements of ``ab`` are elements of the matrix."""
    k, n = np.shape(ab)
    i = np.arange(k)[:, None] - upper + np.arange(n)
    return (i >= 0) & (i < n)


def transposed_band(ab: Any, lower: int, upper: int) -> Any:
    """The transposed matrix in diagonal ordered form.

    >>> transposed_band(np.array([[0.0, 1.0], [2.0, 3.0]]), 0, 1)
    array([[2., 3.],
           [1., 0.]])
    """
    k, n = np.shape(ab)
    out = np.zeros_like(ab)
    for row in range(k):  # the diagonal at distance d = upper - row from the main one
        d = upper - row
        out[k - 1 - row, max(-d, 0) : n + min(-d, 0)] = ab[row, max(d, 0) : n + min(d, 0)]
    return out


@vjp(transposed_band)
def transposed_band_rule(g, ans, ab, lower, upper):
    return transposed_band(g, upper, lower), None, None


# ----- functions of matrices and matrix equations -----


@vjp(sl.expm)
def expm(g, ans, A):
    """The upper right block of ``expm([[h, g], [0, h]])``, with ``h = H(A)``."""
    return linalg.upper_right(sl.expm(linalg.block_triangular(H(A), g)), A)


@vjp(sl.sqrtm)
def sqrtm(g, ans, A):
    """``ans @ ans = A``; of a real matrix the root may be complex, its cotangent is real."""
    root = H(ans) * (1 + 0j) if np.iscomplexobj(ans) else H(ans)  # SciPy fails for a real one, a complex g
    bar = sl.solve_sylvester(root, root, g)
    return bar if np.iscomplexobj(A) else np.real(bar)


helpers.COMPLEX_BY_VALUE.add(sl.sqrtm)


@vjp(sl.solve_sylvester)
def solve_sylvester(g, ans, a, b, q):
    """``a @ ans + ans @ b = q``."""
    q_bar = sl.solve_sylvester(H(a), H(b), g)
    return -q_bar @ H(ans), -H(ans) @ q_bar, q_bar


@vjp(sl.lstsq, absent=True)
def lstsq(g, ans, a, b, cond=None, check_finite=True):
    if np.ndim(a) > 2 or np.ndim(b) > 2:
        refuse_stack("lstsq")
    return linalg.lstsq(g, ans, a, b, cond)


# ----- special matrices -----


@vjp(sl.block_diag)
def block_diag(g, ans, *arrs):
    return diagonal_blocks(g, tuple([np.asarray(x) for x in arrs]))  # nested lists among them


def diagonal_blocks(g: Any, arrs: Any) -> tuple[Any, ...]:
    """The blocks of ``g`` where ``scipy.linalg.block_diag(*arrs)`` puts ``arrs``. Reads shapes only.

    >>> diagonal_blocks(np.arange(4.0).reshape(2, 2), (1.0, np.zeros((1, 1))))
    (np.float64(0.0), array([[3.]]))
    """
    blocks, row, col = [], 0, 0
    for x in arrs:
        m, n = np.shape(np.atleast_2d(x))[-2:]
        blocks.append(np.reshape(g[..., row : row + m, col : col + n], np.shape(x))[()])
        row, col = row + m, col + n
    return tuple(blocks)


@vjp(diagonal_blocks, view=True)
def diagonal_blocks_rule(g, ans, x, arrs):
    return sl.block_diag(*g), None


@vjp(sl.toeplitz)
def toeplitz(g, ans, c, r=None):
    if np.ndim(ans) > 2:
        refuse_stack("toeplitz")
    from_c, from_r = toeplitz_places(c, c if r is None else r)
    c_bar = scatter_to(c, from_c, g)
    if r is None:
        return c_bar + np.conj(scatter_to(c, from_r, g))
    return c_bar, scatter_to(r, from_r, g)


@composite(sl.circulant)
def circulant(c):
    if np.ndim(c) > 1:
        refuse_stack("circulant")
    return sl.toeplitz(c, np.roll(c[::-1], 1))


def toeplitz_places(c: Any, r: Any) -> tuple[Any, Any]:
    """Which elements of ``c``, and which of ``r``, stand in ``scipy.linalg.toeplitz(c, r)``.

    >>> toeplitz_places(np.zeros(2), np.zeros(2))[1]
    array([[-1,  1],
           [-1, -1]])
    """
    in_c, in_r = np.ravel(positions(c)), np.ravel(positions(r))
    return sl.toeplitz(in_c, -np.ones_like(in_r)), sl.toeplitz(-np.ones_like(in_c), in_r)


helpers.METADATA.update({diagonal_blocks: 1, band_places: 0, inside_band: 0})
helpers.SHAPED_LIKE[diagonal_blocks] = 1, (0,)
helpers.OF_PARTS.add(diagonal_blocks)
nondifferentiable(toeplitz_places, row_order, band_places, inside_band)
helpers.SHAPED_LIKE.update({sl.solve_banded: (2, (1, 2)), transposed_band: (0, (0,))})
