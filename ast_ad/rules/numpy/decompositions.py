"""How do matrix decompositions pass a cotangent back?

The formulas hold for functions of the factors that do not depend on their signs and phases. Of a symmetric
(Hermitian) argument NumPy reads one triangle: that is where the cotangent is. For tensors it is symmetric, as
PyTorch's. Vectors of equal eigenvalues or singular values have no derivative: their cotangents give NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import NoDerivativeError
from .. import helpers
from ..helpers import mT, safe_product
from ..registry import shape, vjp
from .gather import refuse
from .products import H, column, row


def sum_of(a: Any, b: Any) -> Any:
    """``a + b``, where None stands for zeros of any shape."""
    if a is None:
        return b
    return a if b is None else a + b


def symmetrized(a: Any) -> Any:
    """The Hermitian part of each matrix."""
    return (a + H(a)) / 2


def in_triangle(bar: Any, upper: bool = False) -> Any:
    """The cotangent of a triangle, from that of the whole Hermitian matrix which it stands for.

    >>> in_triangle(np.ones((2, 2)))
    array([[1., 0.],
           [2., 1.]])
    """
    both = (bar + H(bar)) * (1 - np.eye(np.shape(bar)[-1]) / 2)
    return np.triu(both) if upper else np.tril(both)


def from_lower(a: Any) -> Any:
    """The Hermitian matrix that is read from the lower triangle, the diagonal's imaginary part left out.

    >>> from_lower(np.array([[1.0, 5.0], [2.0, 3.0]]))
    array([[1., 2.],
           [2., 3.]])
    """
    return (np.tril(a) + H(np.tril(a)) + np.tril(a, -1) + H(np.tril(a, -1))) / 2


def diagonal_matrix(d: Any) -> Any:
    """The vectors ``d`` on the diagonals of square matrices."""
    return np.eye(np.shape(d)[-1]) * row(d)


# ----- Cholesky and QR -----


@vjp(np.linalg.cholesky)
def cholesky(g, ans, a, upper=False):
    return in_triangle(cholesky_bar(g, ans, upper), upper)


def symmetric_cholesky(g: Any, ans: Any, a: Any, upper: bool = False) -> Any:
    """The rule of ``cholesky`` for tensors, whose cotangent is symmetric."""
    return symmetrized(cholesky_bar(g, ans, upper))


def cholesky_bar(g: Any, ans: Any, upper: bool = False) -> Any:
    """``a = l H(l)``: a cotangent of ``a``, whose Hermitian part counts (Murray 2016).

    >>> cholesky_bar(np.eye(2), 2 * np.eye(2))
    array([[0.25, 0.  ],
           [0.  , 0.25]])
    """
    l, l_bar = (H(ans), H(g)) if upper else (ans, g)
    phi = np.tril(H(l) @ l_bar)
    phi = phi - diagonal_matrix(np.diagonal(phi, 0, -2, -1)) / 2
    half = np.linalg.solve(H(l), phi)
    return H(np.linalg.solve(H(l), H(half)))


@vjp(np.linalg.qr, absent=True)
def qr(g, ans, a, mode="reduced"):
    """``a = q r``, its first ``k = len(r)`` columns ``x = q r_x`` (Walter and Lehmann 2010), the rest
    ``y = q r_y`` (there is none in a tall matrix)."""
    if mode == "r":
        q, r = np.linalg.qr(a)
        q_bar, r_bar = np.zeros_like(q), g
    elif mode in ("reduced", "complete"):
        (q, r), (q_bar, r_bar) = ans, g
        q_bar = np.zeros_like(q) if q_bar is None else q_bar
        r_bar = np.zeros_like(r) if r_bar is None else r_bar
    else:
        refuse(f"np.linalg.qr(mode={mode!r})", fix="use mode='reduced'")
    if mode == "complete":  # below a tall matrix' r are zeros
        d = np.diagonal(r, 0, -2, -1)
        q_bar = thin_cotangent(q_bar, q, d, "qr of a tall matrix", "ask for the reduced one")
        q = thin(q, d)
        r, r_bar = r[..., : np.shape(d)[-1], :], r_bar[..., : np.shape(d)[-1], :]
    k = np.shape(r)[-2]
    y, r_x, y_bar = a[..., k:], r[..., :k], q @ r_bar[..., k:]
    q_bar = q_bar + y @ H(r_bar[..., k:])
    m = np.tril(r_x @ H(r_bar[..., :k]) - H(q_bar) @ q)
    lower = np.tril(m, -1)
    mirrored = lower + H(lower) + diagonal_matrix(np.real(np.diagonal(m, 0, -2, -1)))
    x_bar = H(np.linalg.solve(r_x, H(q_bar + q @ mirrored)))
    return np.concatenate((x_bar, y_bar), axis=-1)


# ----- eigenvalues -----


def reciprocal_gaps(w: Any) -> Any:
    """``1 / (w[j] - w[i])`` at i, j; 0 on the diagonal, NaN where two values are equal to rounding.

    >>> reciprocal_gaps(np.array([1.0, 3.0]))
    array([[ 0. ,  0.5],
           [-0.5,  0. ]])
    """
    w = np.asarray(w)
    gaps = w[..., None, :] - w[..., :, None]
    scale = np.max(np.abs(w), axis=-1, initial=0)[..., None, None]
    tolerance = 4 * w.shape[-1] * np.finfo(w.dtype).eps * scale  # the error of LAPACK's grows with the length
    one = np.eye(w.shape[-1], dtype=bool)
    equal = (np.abs(gaps) <= tolerance) & ~one
    return np.where(one, 0, np.where(equal, np.nan, 1 / np.where(equal | one, 1, gaps)))


@vjp(reciprocal_gaps)
def reciprocal_gaps_rule(g, ans, w):
    bar = safe_product(g, -np.conj(ans * ans))
    return np.sum(bar, axis=-2) - np.sum(bar, axis=-1)


@vjp(np.linalg.eigh, absent=True)
def eigh(g, ans, a, UPLO="L"):
    return in_triangle(eigh_bar(g, ans), is_upper(UPLO))


def symmetric_eigh(g: Any, ans: Any, a: Any, UPLO: str = "L") -> Any:
    """The rule of ``eigh`` for tensors, whose cotangent is symmetric."""
    return symmetrized(eigh_bar(g, ans))


def eigh_bar(g: Any, ans: Any) -> Any:
    """The cotangent of a Hermitian matrix from those of its eigenvalues and vectors.

    NaN is in those places only that turn vectors of equal eigenvalues: in none of ``s * np.eye(n)`` by ``s``.

    >>> eigh_bar((np.ones(2), np.ones((2, 2))), (np.ones(2), np.eye(2)))
    array([[ 1., nan],
           [nan,  1.]])
    """
    (w, v), (w_bar, v_bar) = ans, g
    if v_bar is None:
        return (v * row(w_bar)) @ H(v)
    inner = safe_product(H(v) @ v_bar, reciprocal_gaps(w))
    return between_axes(v, inner if w_bar is None else inner + diagonal_matrix(w_bar), H(v))


def between_axes(u: Any, inner: Any, vh: Any) -> Any:
    """``u @ inner @ vh``, with NaN where it depends on what is NaN in ``inner``.

    >>> between_axes(np.eye(2), np.array([[1.0, np.nan], [0.0, 2.0]]), np.eye(2))
    array([[ 1., nan],
           [ 0.,  2.]])
    """
    if not np.any(np.isnan(inner)):
        return u @ inner @ vh
    unknown = np.isnan(inner)
    turned = np.abs(u) @ (unknown * 1.0) @ np.abs(vh) > 0
    return np.where(turned, np.nan, u @ np.where(unknown, 0, inner) @ vh)


@vjp(between_axes)
def between_axes_rule(g, ans, u, inner, vh):
    """Of the product: what is asked about NaN above is no part of it, so that rules stay linear."""
    m, n = np.shape(inner)[-2:]
    u_bar = between_axes(g @ H(vh), H(inner), np.eye(m))
    return u_bar, between_axes(H(u), g, H(vh)), between_axes(np.eye(n), H(inner), H(u) @ g)


@vjp(np.linalg.eigvalsh)
def eigvalsh(g, ans, a, UPLO="L"):
    return in_triangle(eigenvalues_bar(g, a, UPLO), is_upper(UPLO))


def symmetric_eigvalsh(g: Any, ans: Any, a: Any, UPLO: str = "L") -> Any:
    """The rule of ``eigvalsh`` for tensors, whose cotangent is symmetric."""
    return eigenvalues_bar(g, a, UPLO)


def eigenvalues_bar(g: Any, a: Any, UPLO: Any) -> Any:
    """The cotangent of a Hermitian matrix from that of its eigenvalues."""
    _, v = np.linalg.eigh(a, UPLO)
    return (v * row(g)) @ H(v)


def is_upper(UPLO: str) -> bool:
    """Whether ``np.linalg.eigh`` reads the upper triangle.

    >>> is_upper("u")
    True
    """
    return UPLO.upper() == "U"


@vjp(np.linalg.eig, absent=True)
def eig(g, ans, a):
    """Boeddeker et al. 2017, for eigenvectors of length 1."""
    (w, v), (w_bar, v_bar) = ans, g
    if v_bar is None:
        return np.linalg.solve(H(v), column(w_bar) * H(v))
    inner = H(v) @ v_bar
    inner = inner - (H(v) @ v) * row(np.real(np.diagonal(inner, 0, -2, -1)))
    inner = safe_product(inner, np.conj(reciprocal_gaps(w)))
    inner = inner if w_bar is None else inner + diagonal_matrix(w_bar)
    return np.linalg.solve(H(v), inner @ H(v))


@vjp(np.linalg.eigvals)
def eigvals(g, ans, a):
    _, v = np.linalg.eig(a)
    return np.linalg.solve(H(v), column(g) * H(v))


# ----- singular values -----


@vjp(np.linalg.svd, absent=True)
def svd(g, ans, a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        return in_triangle(hermitian_svd_bar(g, ans, a, compute_uv))
    if not compute_uv:
        return singular_values_bar(g, a)
    (u, s, vh), (u_bar, s_bar, vh_bar) = ans, g
    if u_bar is None and vh_bar is None:
        return (thin(u, s) * row(s_bar)) @ H(thin(H(vh), s)) if full_matrices else (u * row(s_bar)) @ vh
    if full_matrices:
        u_bar = None if u_bar is None else thin_cotangent(u_bar, u, s)
        vh_bar = None if vh_bar is None else H(thin_cotangent(H(vh_bar), H(vh), s))
        u, vh = thin(u, s), H(thin(H(vh), s))
    gaps, outside = reciprocal_gaps(s * s), None
    inner = None if s_bar is None else diagonal_matrix(s_bar)
    if u_bar is not None:
        from_u = H(u) @ u_bar
        inner = sum_of(inner, safe_product(from_u - H(from_u), gaps) * row(s))
        if np.iscomplexobj(a):
            phase = 1j * np.imag(np.diagonal(from_u, 0, -2, -1))
            inner = inner + diagonal_matrix(safe_product(phase, 1 / s))
        outside = safe_product(u_bar - u @ from_u, row(1 / s)) @ vh
    if vh_bar is not None:
        from_v = vh @ H(vh_bar)
        inner = sum_of(inner, column(s) * safe_product(from_v - H(from_v), gaps))
        outside = sum_of(outside, u @ safe_product(vh_bar - H(from_v) @ vh, column(1 / s)))
    return between_axes(u, inner, vh) + outside


def hermitian_svd_bar(g: Any, ans: Any, a: Any, compute_uv: bool) -> Any:
    """``u`` are eigenvectors, ``vh`` these times the signs of the eigenvalues, ``s`` without the signs.

    >>> hermitian_svd_bar(np.ones(2), None, np.diag([3.0, -2.0]), False)
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    u, s, vh = ans if compute_uv else np.linalg.svd(a, hermitian=True)
    signs = np.sign(np.real(np.sum(u * mT(vh), axis=-2)))
    if not compute_uv:
        return (u * row(g * signs)) @ H(u)
    u_bar, s_bar, vh_bar = g
    turned = None if vh_bar is None else H(vh_bar) * row(signs)
    w_bar = None if s_bar is None else s_bar * signs
    return eigh_bar((w_bar, sum_of(u_bar, turned)), (s * signs, u))


@vjp(np.linalg.svdvals)
def svdvals(g, ans, x):
    return singular_values_bar(g, x)


def singular_values_bar(g: Any, a: Any) -> Any:
    """The cotangent of ``a`` from that of its singular values; equal ones do no harm."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return (u * row(g)) @ vh


def thin(u: Any, s: Any) -> Any:
    """The first ``len(s)`` columns."""
    return u[..., : np.shape(s)[-1]]


def thin_cotangent(
    u_bar: Any,
    u: Any,
    s: Any,
    name: str = "np.linalg.svd(full_matrices=True)",
    fix: str = "pass full_matrices=False",
) -> Any:
    """The cotangent of the first ``len(s)`` columns of ``u``, when all others count through what they span.

    Those others are orthogonal to the first ones, and turn with them.

    >>> thin_cotangent(np.eye(3)[:, :2], np.eye(3)[:, :2], np.ones(2)).shape
    (3, 2)
    """
    n = np.shape(s)[-1]
    first, others = u[..., :n], u[..., n:]
    return u_bar[..., :n] - others @ (H(cotangent_of_others(u_bar, u, s, name, fix)) @ first)


def cotangent_of_others(u_bar: Any, u: Any, s: Any, name: str, fix: str) -> Any:
    """The columns behind the first ``len(s)``, after a check that the result is the same for any like them.

    Which ones they are the matrix does not tell: any that span the same would do. Where these make another
    result, to first order, there is no derivative.

    ``name``, ``fix``: the decomposition, and what to write for it, as the error says them.
    """
    n = np.shape(s)[-1]
    bars = u_bar[..., n:]
    turned = H(u[..., n:]) @ bars
    size = np.max(np.abs(bars), initial=0.0)
    if np.any(np.abs(turned - H(turned)) > np.sqrt(np.finfo(np.asarray(bars).dtype).eps) * size):
        raise NoDerivativeError(
            name,
            why="the vectors beyond the rank of the matrix are not unique, and it matters which they are",
            fix=fix,
        )
    return bars


@shape(cotangent_of_others)
def cotangent_of_others_shape(u_bar, u, s, name, fix):
    return (*u_bar[:-1], None)


@vjp(cotangent_of_others, view=True)
def cotangent_of_others_rule(g, ans, u_bar, u, s, name, fix):
    return ending_with(g, u_bar), None, None


def ending_with(x: Any, like: Any) -> Any:
    """``x`` behind columns of zeros, in the shape of ``like``.

    >>> ending_with(np.ones((1, 1)), np.zeros((1, 2)))
    array([[0., 1.]])
    """
    out = np.zeros(np.shape(like), np.asarray(x).dtype)
    out[..., np.shape(like)[-1] - np.shape(x)[-1] :] = x
    return out


@vjp(ending_with)
def ending_with_rule(g, ans, x, like):
    return g[..., np.shape(like)[-1] - np.shape(x)[-1] :], None


helpers.METADATA.update({cotangent_of_others: 2, ending_with: 1})
helpers.SHAPED_LIKE.update({ending_with: (1, (0,))})
