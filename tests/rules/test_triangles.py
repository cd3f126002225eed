"""Is a gradient in the part of a matrix that is read, compiled and traced? The rest of it holds garbage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.stats

import ast_ad
from ast_ad.tracing.recorder import trace

numbers = np.random.default_rng(3)
A = numbers.normal(size=(3, 3)) + 2 * np.eye(3)
CA = A + 1j * numbers.normal(size=(3, 3))
SPD, HPD = A @ A.T, CA @ CA.conj().T
INDEFINITE = np.array([[1.0, 2.0, 0.5], [2.0, -1.5, 0.3], [0.5, 0.3, 0.7]])
GARBAGE = 10.0 + numbers.normal(size=(3, 3))
B, V, W = numbers.normal(size=(3, 2)), numbers.normal(size=3), np.arange(1.0, 10.0).reshape(3, 3)
FOUR = numbers.normal(size=(4, 3))


def lower(a: Any) -> Any:
    """The matrix with garbage above its diagonal."""
    return np.tril(a) + np.triu(GARBAGE, 1)


def upper(a: Any) -> Any:
    return np.triu(a) + np.tril(GARBAGE, -1)


def size(x: Any) -> Any:
    return np.sum(np.abs(x) ** 2 * np.reshape(np.arange(1.0, x.size + 1), x.shape))


PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {}


def case(*args: Any) -> Any:
    def add(f: Any) -> Any:
        name = f"{f.__name__}-{sum(k.startswith(f.__name__ + '-') for k in PROGRAMS)}"
        PROGRAMS[name] = f, args
        return f

    return add


@case(lower(SPD))
@case(lower(HPD))
def np_cholesky(a):
    return size(np.linalg.cholesky(a))


@case(upper(SPD))
@case(upper(HPD))
def np_cholesky_upper(a):
    return size(np.linalg.cholesky(a, upper=True))


@case(lower(SPD))
@case(lower(HPD))
@case(np.stack([lower(SPD), lower(INDEFINITE)]))
def np_eigh(a):
    w, v = np.linalg.eigh(a)
    return size(w) + size(np.abs(v) ** 2)


@case(upper(SPD))
@case(upper(HPD))
def np_eigh_upper(a):
    w, v = np.linalg.eigh(a, "U")
    return size(w) + size(np.abs(v) ** 2)


@case(lower(INDEFINITE))
@case(lower(HPD))
def np_eigvalsh(a):
    return size(np.linalg.eigvalsh(a, UPLO="l"))


@case(upper(INDEFINITE))
def np_eigvalsh_upper(a):
    return size(np.linalg.eigvalsh(a, UPLO="u"))


@case(lower(SPD))
@case(lower(INDEFINITE))
@case(lower(HPD))
@case(np.stack([lower(SPD), lower(INDEFINITE)]))
def np_pinv(a):
    return size(np.linalg.pinv(a, hermitian=True))


@case(lower(np.outer(V, V)))
def np_pinv_of_rank_one(a):
    c = np.tril(a) + np.tril(a, -1).T
    return size(np.linalg.pinv(c @ c + 0.0 * a, rcond=1e-6, hermitian=True) @ c)


@case(lower(SPD))
@case(lower(INDEFINITE))
@case(lower(HPD))
def np_svd(a):
    u, s, vh = np.linalg.svd(a, hermitian=True)
    return size(s) + size(np.abs(u) ** 2) + size((u * s) @ vh)


@case(lower(INDEFINITE))
@case(lower(HPD))
def np_svd_values(a):
    return size(np.linalg.svd(a, compute_uv=False, hermitian=True))


@case(np.array([[1.0, 5.0], [0.0, -1.0]]))
def np_svd_of_opposite_eigenvalues(a):
    u, s, vh = np.linalg.svd(a, hermitian=True)
    return size((u * s**2) @ vh)


@case(lower(SPD))
@case(lower(HPD))
def sl_cholesky(a):
    return size(sl.cholesky(a, lower=True))


@case(upper(SPD))
@case(upper(HPD))
def sl_cholesky_upper(a):
    return size(sl.cholesky(a))


@case(lower(SPD))
@case(lower(HPD))
def sl_eigh(a):
    w, v = sl.eigh(a)
    return size(w) + size(np.abs(v) ** 2)


@case(upper(INDEFINITE))
def sl_eigh_upper(a):
    return size(sl.eigh(a, lower=False, eigvals_only=True))


@case(upper(INDEFINITE))
def sl_eigvalsh_upper(a):
    return size(sl.eigvalsh(a, lower=False))


@case(lower(INDEFINITE))
@case(lower(HPD))
def sl_pinvh(a):
    return size(sl.pinvh(a))


@case(upper(INDEFINITE))
def sl_pinvh_upper(a):
    return size(sl.pinvh(a, lower=False))


@case(upper(SPD), V)
@case(upper(HPD), B)
def sl_solve_positive(a, b):
    return size(sl.solve(a, b, assume_a="pos"))


@case(lower(SPD), V)
@case(lower(HPD), B)
def sl_solve_positive_lower(a, b):
    return size(sl.solve(a, b, lower=True, assume_a="pos"))


@case(upper(INDEFINITE), V)
@case(upper(INDEFINITE + 1j * W), B)
def sl_solve_symmetric(a, b):
    return size(sl.solve(a, b, assume_a="sym"))


@case(lower(INDEFINITE), B)
def sl_solve_symmetric_lower(a, b):
    return size(sl.solve(a, b, lower=True, assume_a="sym"))


@case(lower(HPD), B)
@case(lower(INDEFINITE), B)
def sl_solve_hermitian_lower(a, b):
    return size(sl.solve(a, b, lower=True, assume_a="her"))


@case(A, V)
@case(A, B)
@case(CA, B)
def sl_solve_general(a, b):
    return size(sl.solve(a, b))


@case(A, V)
@case(A, B)
def sl_solve_transposed(a, b):
    return size(sl.solve(a, b, transposed=True))


@case(A, V)
@case(CA, B)
def sl_solve_of_a_part(a, b):
    found = size(sl.solve(a, b, assume_a="diagonal"))
    return found + size(sl.solve(a, b, assume_a="upper triangular")) * size(
        sl.solve(a, b, assume_a="lower triangular")
    )


@case(A, V)
def sl_solve_of_a_part_transposed(a, b):
    found = size(sl.solve(a, b, assume_a="lower triangular", transposed=True))
    return found + size(sl.solve(a, b, assume_a="sym", transposed=True))


def triangular(lower_one: bool, trans: Any, unit: bool) -> Any:
    def sl_triangular(a, b):
        return size(sl.solve_triangular(a, b, trans, lower_one, unit))

    sl_triangular.__name__ = f"sl_triangular_{'lower' if lower_one else 'upper'}_{trans}{'_unit' * unit}"
    return sl_triangular


for lower_one in (False, True):
    for trans in (0, 1, 2, "N", "T", "C"):
        for unit in (False, True):
            for a in (A, CA):
                case(a + GARBAGE * np.eye(3) * unit, B)(triangular(lower_one, trans, unit))


@case(upper(SPD), V)
@case(upper(HPD), B)
def sl_cho(a, b):
    return size(sl.cho_solve(sl.cho_factor(a), b))


@case(lower(SPD), V)
@case(lower(HPD), B)
def sl_cho_lower(a, b):
    return size(sl.cho_solve(sl.cho_factor(a, lower=True), b))


@case(upper(A), V)
@case(upper(CA), B)
def sl_cho_solve(c, b):
    return size(sl.cho_solve((c, False), b))


@case(lower(A), V)
@case(lower(CA), B)
def sl_cho_solve_lower(c, b):
    return size(sl.cho_solve((c, True), b))


@case(FOUR)
@case(FOUR.T.copy())
def np_qr(a):
    q, r = np.linalg.qr(a)
    return size(q) + size(r)


@case(FOUR)
@case(FOUR.T.copy())
def np_qr_r(a):
    return size(np.linalg.qr(a, mode="r"))


@case(FOUR, numbers.normal(size=4))
@case(FOUR, numbers.normal(size=(4, 2)))
def np_lstsq(a, b):
    x, residuals, _, s = np.linalg.lstsq(a, b)
    return size(x) + size(residuals) + size(s)


@case(FOUR.T.copy(), V)
def np_lstsq_wide(a, b):
    x, _, _, s = np.linalg.lstsq(a, b)
    return size(x) + size(s)


@case(np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.3, -1.0, 0.5]]))
@case(np.outer(V, V))
@case(np.zeros((3, 3)))
@case(A)
def np_det(a):
    return np.linalg.det(a)


@case(A)
@case(-A)
@case(CA)
def np_slogdet(a):
    sign, logarithm = np.linalg.slogdet(a)
    return logarithm + np.real(sign) * 0.5 + np.imag(sign)


@case(A)
@case(CA)
def np_matrix_power(a):
    return size(np.linalg.matrix_power(a, -2)) + size(np.linalg.matrix_power(a, 3))


@case(A)
@case(np.diag([1.0, 1.0, 2.0]))
@case(CA)
def sl_expm(a):
    return size(sl.expm(a * 0.5))


@case(A)
@case(CA)
def norms(a):
    total = 0.0
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        total = total + np.linalg.norm(a, order) ** 2
    return total


@case(V)
def vector_norms(x):
    total = 0.0
    for order in (None, 0, 1, -1, 2, 3, -2, 0.5, 2.5, np.inf, -np.inf):
        total = total + np.linalg.norm(x, order) ** 2
    return total


@case(np.stack([SPD, A]))
def norms_along_axes(a):
    total = 0.0
    for order in ("fro", "nuc", 1, 2, -2, np.inf):
        total = total + size(np.linalg.norm(a, order, axis=(2, 0), keepdims=True))
    return total


@case(A)
def np_cond(a):
    return np.linalg.cond(a) + np.linalg.cond(a, 1) + np.linalg.cond(a, "fro") + np.linalg.cond(a, -2)


@case(V, np.array([0.1, 0.2, 0.3]), lower(SPD))
@case(V, np.array([0.1, 0.2, 0.3]), lower(1.4 * np.eye(3)))
@case(FOUR, np.array([0.1, 0.2, 0.3]), lower(np.diag([2.0, 1.0, 2.0])))
@case(FOUR, np.array([0.1, 0.2, 0.3]), np.array([2.0, 1.0, 2.0]))
@case(FOUR, np.array([0.1, 0.2, 0.3]), 1.7)
def normal_density(x, mean, cov):
    density = scipy.stats.multivariate_normal
    return np.sum(density.logpdf(x, mean, cov) * density.pdf(x, mean, cov=cov))


@case(V, 1.3, 0.0)
def normal_density_around_equal_eigenvalues(x, s, t):
    cov = s * np.eye(3) + t * INDEFINITE
    return scipy.stats.multivariate_normal.logpdf(x, np.zeros(3), cov)


@case(numbers.normal(size=4), 1.3)
def normal_densities_of_one_variable(x, s):
    return np.sum(scipy.stats.multivariate_normal.logpdf(x, cov=s) ** 2)


def differences(f: Any, args: tuple[Any, ...], i: int, h: float = 1e-4) -> Any:
    """Central differences of the fourth order; of a complex argument ``df/da + i df/db``."""
    at = np.array(args[i])
    found = np.zeros(at.shape, at.dtype)
    for place in np.ndindex(at.shape):
        for unit in (1.0, 1j) if at.dtype.kind == "c" else (1.0,):
            values = []
            for step in (h, -h, 2 * h, -2 * h):
                moved = at.copy()
                moved[place] += step * unit
                values.append(f(*args[:i], moved, *args[i + 1 :]))
            found[place] += unit * (8 * (values[0] - values[1]) - (values[2] - values[3])) / (12 * h)
    return found


@pytest.mark.drawn(of=18)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_where_the_matrix_is_read(name):
    f, args = PROGRAMS[name]
    wrt = tuple(range(len(args)))
    compiled = ast_ad.grad(f, argnums=wrt)(*args)
    traced = trace(f, args, {}, wrt)[1]([1.0])
    for i in wrt:
        expected = differences(f, args, i)
        np.testing.assert_allclose(compiled[i], expected, rtol=2e-7, atol=2e-8)
        np.testing.assert_allclose(traced[i], expected, rtol=2e-7, atol=2e-8)
