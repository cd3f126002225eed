"""Do systems with triangular, banded and factored matrices stay in kernels, as SciPy solves them?"""

import itertools

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")
pytest.importorskip("scipy")
import scipy.linalg as sl

from ast_ad.compiler.kernels.numbers import factored_systems as systems
from ast_ad.compiler.kernels.runtime import Mismatch
from tests.compiler.kernels.comparing import differ

DRAW = np.random.default_rng(5)
V, A = DRAW.normal(size=6), DRAW.normal(size=(4, 4))
BANDS = [(0, 0), (1, 1), (0, 1), (2, 1), (1, 3), (4, 4)]


def drawn(complex_ones, *shape):
    a = DRAW.normal(size=shape)
    return a + 1j * DRAW.normal(size=shape) if complex_ones else a


def near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


# ----- what kernels call
@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("n, complex_ones", list(itertools.product([1, 2, 5, 9], [False, True])))
def test_triangles(n, complex_ones):
    a, b = drawn(complex_ones, n, n) + 3 * np.eye(n), drawn(complex_ones, n, 3)
    out, line = np.empty_like(b), np.empty_like(b[:, 0])
    for lower, trans, unit in itertools.product((True, False), (0, 1, 2), (False, True)):
        systems.triangular_matrix(a, b, trans, lower, unit, out)
        near(out, sl.solve_triangular(a, b, trans, lower, unit))
        systems.triangular_vector(a.T.copy().T, b[:, 1], trans, lower, unit, line)
        near(line, sl.solve_triangular(a, b[:, 1], trans, lower, unit))


@pytest.mark.drawn(of=12)
@pytest.mark.parametrize("n, complex_ones", list(itertools.product([1, 2, 5, 9], [False, True])))
def test_factors_of_positive_definite_matrices(n, complex_ones):
    a, b = drawn(complex_ones, n, n), drawn(complex_ones, n, 2)
    out, line, c = np.empty_like(b), np.empty_like(b[:, 0]), np.empty_like(a)
    for lower in (True, False):
        matrix = a @ a.conj().T + np.eye(n)
        matrix[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = 7.0  # nobody reads that
        systems.one_cholesky_factor(matrix, lower, c)
        near(c, sl.cholesky(matrix, lower))
        systems.cholesky_factor(matrix, lower, c)
        near(c, sl.cho_factor(matrix, lower)[0])
        systems.cholesky_matrix(c, b, lower, out)
        near(out, sl.cho_solve((c, lower), b))
        systems.cholesky_vector(c, b[:, 0], lower, line)
        near(line, sl.cho_solve((c, lower), b[:, 0]))
        with pytest.raises(Mismatch):
            systems.cholesky_factor(matrix - 1e3 * np.eye(n), lower, c)


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_factors_of_any_matrix(n):
    a, b = drawn(False, n, n), drawn(False, n, 2)
    lu, pivots, out, line = np.empty_like(a), np.empty(n, np.int32), np.empty_like(b), np.empty(n)
    systems.lu_factors(a, lu, pivots)
    expected = sl.lu_factor(a)
    near(lu, expected[0])
    np.testing.assert_array_equal(pivots, expected[1])
    for trans in (0, 1, 2):
        systems.lu_matrix(*expected, b, trans, out)
        near(out, sl.lu_solve(expected, b, trans))
        systems.lu_vector(*expected, b[:, 1], trans, line)
        near(line, sl.lu_solve(expected, b[:, 1], trans))
    systems.solve_vector(a, b[:, 0], line)
    near(line, sl.solve(a, b[:, 0]))
    systems.solve_matrix(a.T, b, out)
    near(out, sl.solve(a, b, transposed=True))


@pytest.mark.drawn(of=32)
@pytest.mark.parametrize("band, n", [(band, n) for band in BANDS for n in (1, 2, 5, 12) if max(band) < n])
def test_bands(band, n):
    for complex_ones in (False, True):
        ab, b = drawn(complex_ones, sum(band) + 1, n), drawn(complex_ones, n, 2)
        out, line = np.empty_like(b), np.empty_like(b[:, 0])
        for matrix in (ab, np.asfortranarray(ab)):
            systems.banded_matrix(*band, matrix, b, out)
            np.testing.assert_allclose(out, sl.solve_banded(band, ab, b), rtol=1e-6, atol=1e-7)
            systems.banded_vector(*band, matrix, b[:, 0], line)
            np.testing.assert_allclose(line, sl.solve_banded(band, ab, b[:, 0]), rtol=1e-6, atol=1e-7)


def test_errors_are_scipys():
    zero, one = np.zeros((2, 2)), np.ones(2)
    for call in (
        lambda: systems.triangular_vector(zero, one, 0, True, False, np.empty(2)),
        lambda: systems.lu_factors(zero, np.empty((2, 2)), np.empty(2, int)),
        lambda: systems.solve_vector(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-13]]), one, np.empty(2)),
        lambda: systems.banded_vector(0, 1, zero, one, np.empty(2)),
        lambda: systems.require_finite(np.array([1.0, np.nan])),
        lambda: systems.require_finite(np.array([[1.0, np.inf * 1j]])),
    ):
        with pytest.raises(Mismatch):
            call()


# ----- programs
def likelihoods(v, a):
    """Of Gaussian processes, by a factor and by a triangular system."""
    total = 0.0
    for i in range(3):
        k = a @ a.T + (1.0 + v[i] ** 2) * np.eye(4)
        low = np.linalg.cholesky(k)
        z = sl.solve_triangular(low, v[:4], lower=True)
        c, d = sl.cho_factor(k), sl.cho_factor(k, lower=True)
        total -= 0.5 * z @ z + np.sum(np.log(np.diag(low))) + v[2:] @ sl.cho_solve(c, v[2:])
        total += np.trace(sl.cho_solve(d, a)) + c[0][0, 1] * d[0][2, 1] + d[0][0, 2]
    return total


def triangles(v, a):
    """All kinds, of vectors and of matrices."""
    total = 0.0
    for i in range(2):
        m = a * v[i] + 3.0 * np.eye(4)
        x = sl.solve_triangular(m, v[:4])
        y = sl.solve_triangular(m, a, trans=1, lower=True)
        z = sl.solve_triangular(m, v[1:5], "C", unit_diagonal=True, check_finite=False)
        total += x @ z + np.sum(y * y.T) + sl.solve_triangular(m, y, 2, True)[1, 2]
    return total


def both_factors(v, a):
    """Reused for several systems; factors and pivots are read."""
    total = 0.0
    for i in range(3):
        lu = sl.lu_factor(a + v[i] * np.eye(4))
        x = sl.lu_solve(lu, v[:4])
        y = sl.lu_solve(lu, a[:, :2], trans=1)
        total += np.sum(x**2) + y[1, 1] + np.sum(np.log(np.abs(np.diag(lu[0])))) + lu[1][0] * x[0]
    return total


def implicit_steps(v, a):
    """A diffusion with a reaction, by a band that depends on the parameters."""
    u = np.concatenate((v, v * 0.5))
    n = len(u)
    for i in range(4):
        r = 0.1 + a[0, 0] ** 2 * 0.1 + 0.01 * i
        ab = np.zeros((3, n))
        ab[0, 1:] = -r
        ab[1] = 1.0 + 2.0 * r + 0.1 * u
        ab[2, :-1] = -r
        u = sl.solve_banded((1, 1), ab, u + 0.01 * u * (1.0 - u))
    return np.sum(u**2)


def several_bands(v, a):
    """Wider on one side, several right-hand sides."""
    total = 0.0
    for i in range(2):
        ab = np.outer(np.array([0.3, 0.1, 4.0, 0.7]), v**2 + 1.0 + i)
        x = sl.solve_banded((1, 2), ab, np.stack((v, v**3), axis=1))
        total += np.sum(x[:, 0] * x[:, 1]) + x[0, 0]
    return total


def solutions(v, a):
    total = 0.0
    x = v[:4]
    for i in range(3):
        x = sl.solve(a + (3.0 + x[0]) * np.eye(4), x + v[i])
        y = sl.solve(a - 4.0 * np.eye(4), a, transposed=True)
        total += (
            np.sum(y * a) + np.sum(sl.cholesky(a @ a.T + np.eye(4)) ** 3) + sl.cholesky(a @ a.T, True)[1, 0]
        )
    return total + np.sum(x)


def spectral_norms(v, a):
    total = 0.0
    for i in range(3):
        total += np.linalg.norm(a * v[i], 2) + np.linalg.norm(a + v[i], -2) + np.linalg.norm(a * v[i])
    return total


@pytest.mark.drawn(of=18)
@pytest.mark.slow(beyond=2)
@pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")
@pytest.mark.parametrize(
    "function",
    [likelihoods, triangles, both_factors, implicit_steps, several_bands, solutions, spectral_norms],
)
def test_programs(function):
    kernels = ast_ad.value_and_grad(function, (0, 1), backend="numba", fallback="error")
    numpy = ast_ad.value_and_grad(function, (0, 1), backend="numpy", fallback="error")
    with np.errstate(all="ignore"):
        for v, a in ((V, A), (-V[::-1], A.T), (V * 0.7, A[::-1, ::-1])):
            found, expected = kernels(v, a), numpy(v, a)
            assert found[0] == pytest.approx(function(v, a), rel=1e-9)
            assert not differ(found, expected, 1e-8)
    inside = [line for line in kernels.explain().splitlines() if "NumPy code" in line]
    assert not inside, inside


def singular(x, n):
    total = 0.0
    for i in range(n):
        total += np.sum(sl.solve_triangular(np.diag(x - i), x))
    return total


@pytest.mark.slow(beyond=2)
def test_scipys_errors_are_the_users():
    derivative = ast_ad.value_and_grad(singular, backend="numba")
    x = np.array([0.5, 2.0])
    assert derivative(x, 2)[0] == pytest.approx(singular(x, 2))
    with pytest.raises(np.linalg.LinAlgError):
        derivative(x, 3)
    with pytest.raises(ValueError, match="infs or NaNs"):
        derivative(x * np.nan, 1)
    assert derivative(x, 2)[0] == pytest.approx(singular(x, 2))
