"""How do solves, inverses, determinants and matrix powers pass a cotangent back?

Matrices may be stacked. ``H`` is the conjugate transpose of each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..helpers import mT
from ..registry import composite, nondifferentiable, vjp
from . import decompositions
from .gather import gather, positions, scatter_to
from .products import H, column, row

# ----- solve and inverse -----


@vjp(np.linalg.solve, broadcasts=True)
def solve(g, ans, a, b):
    """``a @ ans = b``: ``b_bar = H(a)^-1 g``, ``a_bar = -b_bar H(ans)`` (Giles 2008)."""
    if np.ndim(b) == 1 and np.ndim(a) == 2:
        b_bar = np.linalg.solve(H(a), g)
        return -np.outer(b_bar, np.conj(ans)), b_bar
    if np.ndim(b) == 1:  # one vector for a stack of matrices
        columns = np.linalg.solve(H(a), column(g))
        return -columns * row(np.conj(ans)), np.squeeze(columns, -1)
    b_bar = np.linalg.solve(H(a), g)
    return -b_bar @ H(ans), b_bar


@vjp(np.linalg.inv)
def inv(g, ans, a):
    return -H(ans) @ g @ H(ans)


@vjp(np.linalg.tensorsolve)
def tensorsolve(g, ans, a, b, axes=None):
    if axes is None:
        return tensorsolve_bars(g, ans, a, b)
    end = tuple([i - len(axes) for i in range(len(axes))])
    a_bar, b_bar = tensorsolve_bars(g, ans, np.moveaxis(a, axes, end), b)
    return np.moveaxis(a_bar, end, axes), b_bar


def tensorsolve_bars(g: Any, ans: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """The cotangents of a tensor whose last axes are those of the result, and of the right-hand side."""
    n = np.size(b)
    b_bar = np.linalg.solve(H(np.reshape(a, (n, n))), np.ravel(g))
    a_bar = -np.outer(b_bar, np.conj(np.ravel(ans)))
    return np.reshape(a_bar, np.shape(a)), np.reshape(b_bar, np.shape(b))


@vjp(np.linalg.tensorinv)
def tensorinv(g, ans, a, ind=2):
    n = leading_size(a, ind)
    inverse = H(np.reshape(ans, (n, n)))
    return np.reshape(-inverse @ np.reshape(g, (n, n)) @ inverse, np.shape(a))


def leading_size(a: Any, ind: int) -> int:
    """The number of elements along the first ``ind`` axes. Reads ``a``'s shape only.

    >>> leading_size(np.zeros((2, 3, 6)), 2)
    6
    """
    return int(np.prod(np.shape(a)[:ind]))


# ----- determinants -----


def per_matrix(x: Any, a: Any) -> Any:
    """``x``, a number for each matrix in ``a``, such that it multiplies the matrices."""
    return x if np.ndim(a) == 2 else np.expand_dims(x, (-2, -1))


@vjp(np.linalg.det)
def det(g, ans, a):
    """The cofactors are the derivative at singular matrices too."""
    return per_matrix(g, a) * np.conj(cofactor(a))


def cofactor(a: Any) -> Any:
    """The matrix of cofactors, ``det(a) * inv(a).T``, also where ``a`` is singular.

    >>> cofactor(np.array([[1.0, 2.0], [2.0, 4.0]])).round(12)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    inverse = _inverse_if_accurate(a)
    return _cofactor_by_values(a) if inverse is None else per_matrix(np.linalg.det(a), a) * mT(inverse)


def _inverse_if_accurate(a: Any) -> Any:
    """The inverse, where it has all digits but three; None near to singular matrices, and of few digits."""
    if np.asarray(a).dtype not in (np.float64, np.complex128):
        return None
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None
    sizes = np.sum(np.abs(a) ** 2, axis=(-2, -1)) * np.sum(np.abs(inverse) ** 2, axis=(-2, -1))
    return inverse if np.all(sizes < 1e6) else None


def _cofactor_by_values(a: Any) -> Any:
    """By singular values, which takes ten times as long and divides by nothing; NaN where there is any."""
    known = np.all(np.isfinite(a), axis=(-2, -1), keepdims=True)
    u, s, vh = np.linalg.svd(np.where(known, a, 0))
    sign = np.linalg.det(u) * np.linalg.det(vh)
    products = np.prod(np.where(np.eye(np.shape(a)[-1], dtype=bool), 1, row(s)), axis=-1)  # of all but one
    return np.where(known, per_matrix(sign, a) * np.conj(u * row(products)) @ np.conj(vh), np.nan)


@vjp(cofactor)
def cofactor_rule(g, ans, a):
    return cofactor_bar(g, a)


def cofactor_bar(g: Any, a: Any) -> Any:
    """The cotangent of ``a`` from that of ``cofactor(a)``.

    In the basis of the singular vectors ``a`` is diagonal, changed by ``m = H(u) da H(vh)``. To first order
    ``dc_ii = sum_j m_jj p_ij`` and ``dc_ij = -m_ji p_ij``; ``p_ij`` is the product of all ``s`` but two.

    >>> cofactor_bar(np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros((2, 2))).round(12)
    array([[ 4., -3.],
           [-2.,  1.]])
    """
    n = np.shape(a)[-1]
    if n < 2:
        return np.zeros_like(g)
    inverse = _inverse_if_accurate(a)
    if inverse is not None:  # det(a) * (trace(b @ g) * b - b @ g @ b), with b for the inverse, transposed
        product = inverse @ np.conj(g)
        trace = np.trace(product, axis1=-2, axis2=-1)
        turned = per_matrix(np.linalg.det(a), a) * (per_matrix(trace, a) * inverse - product @ inverse)
        return np.conj(mT(turned))
    u, s, vh = np.linalg.svd(a)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    bar = per_matrix(np.conj(sign), a) * (np.conj(H(u)) @ g @ np.conj(H(vh)))
    one = np.eye(n, dtype=bool)
    left_out = one[:, None, :] | one[None, :, :]  # i, j, k: whether k is i or j
    pairs = np.where(one, 0, np.prod(np.where(left_out, 1, s[..., None, None, :]), axis=-1))
    diagonal = np.squeeze(pairs @ column(np.diagonal(bar, 0, -2, -1)), -1)
    return u @ (one * row(diagonal) - mT(pairs * bar)) @ vh


@vjp(cofactor_bar)
def cofactor_bar_rule(h, ans, g, a):
    """The second derivative of ``det`` is symmetric; the third is taken minor by minor."""
    places, signs = minors(a)
    h_minors, a_minors = gather(np.conj(h), places), gather(a, places)
    a_bar = scatter_to(a, places, np.expand_dims(g * signs, (-2, -1)) * cofactor_bar(h_minors, a_minors))
    return np.conj(cofactor_bar(np.conj(h), a)), a_bar


def minors(a: Any) -> Any:
    """The places in ``a`` of the elements of each minor, and the signs with which minors are cofactors.

    >>> minors(np.zeros((2, 2)))[0][0, 1]
    array([[2]])
    """
    n = np.shape(a)[-1]
    kept = np.array([[k for k in range(n) if k != i] for i in range(n)], int).reshape(n, max(n - 1, 0))
    places = positions(a)[..., kept[:, None, :, None], kept[None, :, None, :]]
    return places, (-1.0) ** (np.arange(n)[:, None] + np.arange(n))


@vjp(np.linalg.slogdet)
def slogdet(g, ans, a):
    g_sign, g_log = g
    sign, _ = ans
    weight = g_log
    if np.iscomplexobj(a):  # the sign's phase turns with the imaginary part of trace(a^-1 da)
        weight = g_log - 1j * np.imag(np.conj(g_sign) * sign)
    return per_matrix(weight, a) * H(np.linalg.inv(a))


# ----- powers -----


@vjp(np.linalg.matrix_power, view=True)
def matrix_power(g, ans, a, n):
    """The upper right block of ``[[h, g], [0, h]] ** n`` is ``sum(h**i g h**(n-1-i))``, with ``h = H(a)``."""
    return upper_right(np.linalg.matrix_power(block_triangular(H(a), g), n), a), None


def block_triangular(h: Any, g: Any) -> Any:
    """``[[h, g], [0, h]]``, for each pair of matrices."""
    upper = np.concatenate((h, g), axis=-1)
    lower = np.concatenate((np.zeros_like(g), h), axis=-1)
    return np.concatenate((upper, lower), axis=-2)


def upper_right(blocks: Any, a: Any) -> Any:
    """The upper right quarter of matrices twice the size of ``a``."""
    n = np.shape(a)[-1]
    return blocks[..., :n, n:]


# ----- least squares -----


@vjp(np.linalg.pinv)
def pinv(g, ans, a, rcond=None, hermitian=False, rtol=None):
    if hermitian:  # one triangle is read
        return decompositions.in_triangle(pinv_bar(g, ans, decompositions.from_lower(a)))
    return pinv_bar(g, ans, a)


def symmetric_pinv(g: Any, ans: Any, a: Any, rcond: Any = None, hermitian: bool = False) -> Any:
    """The rule of ``pinv`` for tensors; that of a Hermitian matrix has a symmetric cotangent."""
    if hermitian:
        return decompositions.symmetrized(pinv_bar(g, ans, decompositions.from_lower(a)))
    return pinv_bar(g, ans, a)


def pinv_bar(g: Any, ans: Any, a: Any) -> Any:
    """Golub and Pereyra 1973; where the rank of ``a`` changes there is no derivative.

    >>> pinv_bar(np.eye(2), np.eye(2) / 2, np.eye(2) * 2)
    array([[-0.25,  0.  ],
           [ 0.  , -0.25]])
    """
    p, g_h = ans, H(g)
    left = g_h @ p @ H(p)
    right = H(p) @ p @ g_h
    a_bar = -H(p @ g_h @ p) + (left - a @ (p @ left)) + (right - (right @ p) @ a)
    if is_cut(a, p):
        a_bar = a_bar + left_out(g_h, a, p)
    return a_bar


def is_cut(a: Any, p: Any) -> bool:
    """Whether ``p`` may leave out singular values of ``a`` that are not zero, as far as a product tells.

    >>> is_cut(np.diag([4.0, 1.0]), np.diag([0.25, 0.0])), is_cut(np.diag([4.0, 0.0]), np.diag([0.25, 0.0]))
    (True, False)
    """
    eps = float(np.finfo(np.asarray(p).dtype).eps)
    return bool(np.max(np.abs(a @ (p @ a) - a), initial=0.0) > 100 * eps * np.max(np.abs(a), initial=0.0))


nondifferentiable(is_cut)


def left_out(g_h: Any, a: Any, p: Any) -> Any:
    """What Golub and Pereyra's formula lacks where singular values below a cutoff are taken as zero.

    A change of ``a`` turns the vectors of those that are kept (``high``) towards the others (``low``), and
    the formula has ``low = 0``. In the basis of singular vectors, of the entries between the two:

    >>> left_out(np.array([[0.0, 1.0], [0.0, 0.0]]), np.diag([2.0, 1.0]), np.diag([0.5, 0.0])).round(4)
    array([[0.    , 0.0833],
           [0.1667, 0.    ]])
    """
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    kept = np.real(np.einsum("...ij,...ji->...i", vh @ p, u)) * s > 0.5
    between = column(kept) != row(kept)
    high, low = np.maximum(column(s), row(s)), np.minimum(column(s), row(s))
    safe_high, safe_low = np.where(between, high, 1), np.where(between, low, 0)
    turned = H(u) @ g_h @ H(vh)
    pair = (turned + (safe_low / safe_high) * H(turned)) / (safe_high**2 - safe_low**2)
    return u @ np.where(between, pair - turned / safe_high**2, 0) @ vh


@vjp(np.linalg.lstsq, absent=True)
def lstsq(g, ans, a, b, rcond=None):
    """``x = pinv(a) @ b``; the rank of ``a`` must not change nearby (full rank is safe)."""
    x_bar, residuals_bar, _, s_bar = g
    x, y = (column(ans[0]), column(b)) if np.ndim(b) == 1 else (ans[0], b)
    rest = y - a @ x  # orthogonal to the columns of a: a change of x doesn't change its length
    a_bar, y_bar = None, None
    if x_bar is not None:
        a_bar, y_bar = solution_bar(column(x_bar) if np.ndim(b) == 1 else x_bar, x, y, rest, a, rcond)
    if residuals_bar is not None:
        slack = 2 * rest * padded_to(residuals_bar, np.shape(y)[1])
        a_bar, y_bar = decompositions.sum_of(a_bar, -slack @ H(x)), decompositions.sum_of(y_bar, slack)
    if s_bar is not None:
        a_bar = decompositions.sum_of(a_bar, decompositions.singular_values_bar(s_bar, a))
    return a_bar, None if y_bar is None else np.reshape(y_bar, np.shape(b))


def solution_bar(x_bar: Any, x: Any, y: Any, rest: Any, a: Any, rcond: Any) -> Any:
    """The cotangents of ``a`` and ``y`` from that of ``x``, where ``rest`` is ``y - a @ x``: of ``pinv``."""
    p = np.linalg.pinv(a, rcond=cutoff(a, rcond))
    y_bar = H(p) @ x_bar
    kept = x_bar - p @ (a @ x_bar)
    a_bar = -y_bar @ H(x) + rest @ H(p @ y_bar) + H(p) @ x @ H(kept)
    if is_cut(a, p):
        a_bar = a_bar + left_out(y @ H(x_bar), a, p)
    return a_bar, y_bar


def padded_to(x: Any, n: int) -> Any:
    """The residuals of ``n`` systems, zeros where there are none (where the rank is not full).

    >>> padded_to(np.zeros(0), 2)
    array([0., 0.])
    """
    flat = np.ravel(x)
    return np.concatenate((flat, np.zeros(n - flat.size, flat.dtype)))


@vjp(padded_to)
def padded_to_rule(g, ans, x, n):
    return np.reshape(g[: np.size(x)], np.shape(x)), None


def cutoff(a: Any, rcond: float | None) -> float:
    """The ratio of singular values below which ``np.linalg.lstsq`` takes them as zero.

    LAPACK takes a ratio of 1 or more, which would leave none, for the machine's precision.

    >>> cutoff(np.ones((2, 2)), 0.1), cutoff(np.ones((2, 2)), 1.0)
    (0.1, 2.220446049250313e-16)
    """
    dtype = np.asarray(a).dtype
    eps = float(np.finfo(dtype if dtype.kind in "fc" else float).eps)
    return max(np.shape(a)) * eps if rcond is None else max(float(rcond) if rcond < 1 else 0.0, eps)


@composite(np.linalg.cond)
def cond(x, p=None):
    if p is None or p == 2:
        s = np.linalg.svdvals(x)
        return s[..., 0] / s[..., -1]
    if p == -2:
        s = np.linalg.svdvals(x)
        return s[..., -1] / s[..., 0]
    axes = (-2, -1)
    return np.linalg.norm(x, ord=p, axis=axes) * np.linalg.norm(np.linalg.inv(x), ord=p, axis=axes)


nondifferentiable(np.linalg.matrix_rank, leading_size, cutoff, minors)
helpers.METADATA.update({leading_size: 0, cutoff: 0, minors: 0})
helpers.SHAPED_LIKE.update({cofactor: (0, (0,)), cofactor_bar: (1, (0, 1))})
