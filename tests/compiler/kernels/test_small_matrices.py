"""Do the factorisations of small matrices give what LAPACK gives, and fail where it fails?"""

import itertools

import numpy as np
import pytest

pytest.importorskip("numba")

import ast_ad
from ast_ad.compiler.kernels.lowering.linear_algebra import TINY
from ast_ad.compiler.kernels.numbers import (
    matrix_functions as large,
    small_matrices as small,
    tiny_matrices as tiny,
)
from ast_ad.compiler.kernels.runtime import Mismatch
from ast_ad.rules.numpy import linalg

rng = np.random.default_rng(17)


def matrices(n):
    a = rng.normal(size=(n, n))
    yield a
    yield a[::-1].copy()
    yield np.tril(a)[:, ::-1].copy()  # whose pivots are on the other diagonal
    yield a * np.logspace(-4, 4, n)[:, None]


def near(found, expected, a):
    bound = 1e-13 * len(a) * np.linalg.cond(a) if len(a) else 0.0
    np.testing.assert_allclose(
        found, expected, rtol=1e-13, atol=bound * np.max(np.abs(expected), initial=0.0)
    )


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8, 16])
def test_general(n):
    for a in matrices(n):
        before, b, v = a.copy(), rng.normal(size=(n, 3)), rng.normal(size=n)
        out, line, square = np.empty((n, 3)), np.empty(n), np.empty((n, n))
        small.solve_small_matrix(a, b, out)
        near(out, np.linalg.solve(a, b), a)
        small.solve_small_vector(a, v, line)
        near(line, np.linalg.solve(a, v), a)
        small.invert_small(a, square)
        near(square, np.linalg.inv(a), a)
        near(small.determinant_of_small(a), np.linalg.det(a), a)
        for of in (a, a * 1e-200):
            sign, log = small.log_determinant_of_small(of)
            assert (sign, log) == (
                np.linalg.slogdet(of)[0],
                pytest.approx(np.linalg.slogdet(of)[1], abs=1e-9),
            )
        assert np.array_equal(a, before)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_large(n):
    """By LAPACK; what is not a number goes through, as in NumPy, and a singular matrix is an error."""
    a, v = rng.normal(size=(n, n)), rng.normal(size=n)
    before, line = a.copy(), np.empty(n)
    large.solve_vector(a, v, line)
    near(line, np.linalg.solve(a, v), a)
    for m in (0, 1, 3):
        b, out = rng.normal(size=(n, m)), np.empty((n, m))
        large.solve_matrix(a, b, out)
        near(out, np.linalg.solve(a, b), a)
    np.testing.assert_array_equal(a, before)
    if n > 1:
        with pytest.raises(Mismatch):
            large.solve_vector(np.ones((n, n)), v, line)
        with pytest.raises(Mismatch):
            large.solve_matrix(np.ones((n, n)), a, np.empty((n, n)))
        a[0, 1] = np.nan
        large.solve_vector(a, v, line)
        np.testing.assert_array_equal(np.isnan(line), np.isnan(np.linalg.solve(a, v)))


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize(("general", "n"), TINY, ids=lambda v: getattr(v, "__name__", str(v)))
def test_of_one_to_three_rows(general, n):
    """The same bits as from the function for any number of rows, and its exception; of four, cofactors."""
    tiny_one = TINY[general, n]
    for a in (rng.normal(size=(n, n)) ** 2 + 3.0 * np.eye(n), np.full((n, n), np.nan), np.zeros((n, n))):
        shape = (n,) if "vector" in general.__name__ else (n, n)
        given = [a]
        if "solve" in general.__name__:
            given.append(rng.normal(size=shape))
        elif "bars" in general.__name__:
            given.insert(0, rng.normal(size=(n, n)))
        if "determinant" in general.__name__:
            np.testing.assert_array_equal(tiny_one(*given), general(*given))
            continue
        found, expected = np.empty(shape), np.empty(shape)
        singular = not a.any()
        if "cofactor" in general.__name__:
            tiny_one(*given, found)
            if np.isfinite(a).all() and not singular:
                general(*given, expected)
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
        elif singular:
            for function in (tiny_one, general):
                with pytest.raises(Mismatch):
                    function(*given, found)
        else:
            tiny_one(*given, found)
            general(*given, expected)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_symmetric(n):
    a = rng.normal(size=(n, n + 2))
    a = a @ a.T
    out = np.empty((n, n))
    small.factor_small(a, out)
    near(out, np.linalg.cholesky(a), a)
    noisy = np.tril(a) + np.triu(rng.normal(size=(n, n)), 1)  # the upper triangle is not read
    small.factor_small(noisy, out)
    near(out, np.linalg.cholesky(noisy), a)
    for spoilt in (a - 2 * a[-1, -1] * np.eye(n), np.zeros((n, n))):
        with pytest.raises(np.linalg.LinAlgError):
            np.linalg.cholesky(spoilt)
        with pytest.raises(Mismatch):
            small.factor_small(spoilt, out)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_singular(n):
    a = np.ones((n, n)) * (n > 1)
    for fn, *args in (
        (small.solve_small_matrix, np.ones((n, 2)), np.empty((n, 2))),
        (small.solve_small_vector, np.ones(n), np.empty(n)),
        (small.invert_small, np.empty((n, n))),
        (small.cofactors_of_small, np.empty((n, n))),
    ):
        with pytest.raises(Mismatch):
            fn(a, *args)
    assert small.determinant_of_small(a) == np.linalg.det(a) == 0.0
    assert small.log_determinant_of_small(a) == tuple(np.linalg.slogdet(a)) == (0.0, -np.inf)


def test_cofactors():
    a, out = rng.normal(size=(4, 4)), np.empty((4, 4))
    small.cofactors_of_small(a, out)
    near(out, np.linalg.det(a) * np.linalg.inv(a).T, a)
    a[0] = a[1] * (1 + 1e-9)  # near to singular
    with pytest.raises(Mismatch):
        small.cofactors_of_small(a, out)


def test_what_is_not_a_number_comes_through():
    a = np.array([[1.0, np.nan], [0.0, 1.0]])
    out, square = np.empty(2), np.empty((2, 2))
    small.solve_small_vector(a, np.ones(2), out)
    small.factor_small(np.full((2, 2), np.nan), square)
    with np.errstate(invalid="ignore"):
        assert np.array_equal(np.isnan(out), np.isnan(np.linalg.solve(a, np.ones(2))))
        assert np.isnan(small.determinant_of_small(a)) and np.isnan(np.linalg.det(a))
    assert np.isnan(square[0, 0]) and np.isnan(square[1]).all()


def test_pivots_whose_reciprocals_are_infinite():
    a, out = np.array([[1e-310, 2e-310], [0.5e-310, 3e-310]]), np.empty(2)
    small.solve_small_vector(a, np.array([3e-310, 3.5e-310]), out)
    np.testing.assert_allclose(out, np.ones(2), rtol=1e-12)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_cotangents_of_cofactors(n):
    """Against the rule that takes singular matrices, too; those are left to it from three rows on."""
    for a in matrices(n):
        g, out = rng.normal(size=(n, n)), np.empty((n, n))
        well = bool(np.linalg.cond(a) < 1e5)
        exact = {1: [tiny.cofactor_bars_of_one], 2: [tiny.cofactor_bars_of_two]}.get(n, [])
        for function in exact + [small.cofactor_bars_of_small, large.bars_of_cofactors] * well:
            function(g, a, out)
            near(out, linalg.cofactor_bar(g, a), a)
    singular = np.ones((n, n))
    for function in exact:
        function(g, singular, out)
        np.testing.assert_allclose(out, linalg.cofactor_bar(g, singular), atol=1e-12)
    if n > 1:
        with pytest.raises(Mismatch):
            small.cofactor_bars_of_small(g, singular, out)


def likelihood(p, z):
    """Of a filter with two measurements."""
    h, total = np.array([[1.0, 0.0], [1.0, 1.0]]), 0.0
    x, cov = np.zeros(2), np.eye(2) * 4.0
    for i in range(len(z)):
        cov = cov + p[0] * np.array([[1.0, 0.5], [0.5, 1.0]])
        s = h @ cov @ h.T + p[1] * np.eye(2)
        e = z[i] - h @ x
        gain = cov @ h.T @ np.linalg.inv(s)
        x, cov = x + gain @ e, cov - gain @ h @ cov
        total -= 0.5 * (np.log(np.linalg.det(s)) + e @ np.linalg.solve(s, e))
    return total


def log_likelihoods(a, b):
    """Of small matrices, whose length is known, and of one that is as large as its argument."""
    total = 0.0
    for i in range(3):
        sign, log = np.linalg.slogdet(a + (i + 1) * np.eye(3) + b[i])
        total += sign * log + np.linalg.slogdet(np.outer(b, b) + (i + 2) * np.eye(len(b)))[1]
    return total


@pytest.mark.slow
def test_logarithms_of_determinants_in_a_loop_are_kernels():
    a, b = rng.normal(size=(3, 3)), rng.normal(size=20)
    derivative = ast_ad.value_and_grad(log_likelihoods, argnums=(0, 1), backend="numba", fallback="error")
    value, bars = derivative(a, b)
    assert value == pytest.approx(log_likelihoods(a, b), rel=1e-12)
    assert "NumPy code" not in derivative.explain()
    for bar, other in zip(
        bars, ast_ad.grad(log_likelihoods, argnums=(0, 1), backend="numpy")(a, b), strict=True
    ):
        np.testing.assert_allclose(bar, other, rtol=1e-9, atol=1e-12)


def test_the_hessian_of_a_determinant_in_a_loop_is_kernels():
    p, z = np.array([0.3, 0.7]), rng.normal(size=(5, 2))
    found = {}
    for backend in ("numpy", "numba"):
        hessian = ast_ad.hessian(likelihood, backend=backend)
        found[backend] = hessian(p, z)
    np.testing.assert_allclose(found["numba"], found["numpy"], rtol=1e-10)
    assert "NumPy code" not in hessian.explain()
    h, gradient = 1e-6, ast_ad.grad(likelihood)
    for column, e in zip(found["numba"].T, np.eye(2), strict=True):
        along = (gradient(p + h * e, z) - gradient(p - h * e, z)) / (2 * h)
        np.testing.assert_allclose(column, along, rtol=1e-6)


def test_determinants_of_three_rows_in_any_order():
    """All orders of pivots, and zeros where one is looked for; near to singular as exact as LAPACK's."""
    a = np.array([[1e-3, 2.0, 0.5], [1.0, -0.5, 2.0], [-4.0, 1.0, 1.0]])
    for rows in itertools.permutations(range(3)):
        for columns in itertools.permutations(range(3)):
            for zeros in ([], [0], [0, 1], [1, 2]):
                b = a[list(rows)][:, list(columns)].copy()
                b[zeros, 0] = 0.0
                assert tiny.determinant_of_three(b) == small.determinant_of_small(b)
                assert tiny.determinant_of_two(b[:2, :2]) == small.determinant_of_small(b[:2, :2].copy())
    flat = np.ones((3, 3)) + 1e-8 * rng.normal(size=(3, 3))
    np.testing.assert_allclose(tiny.determinant_of_three(flat), np.linalg.det(flat), rtol=1e-6)


def test_cofactors_of_three_rows_where_there_is_no_inverse():
    out = np.empty((3, 3))
    for a in (np.zeros((3, 3)), np.outer([1.0, 2.0, -1.0], [3.0, 0.5, 2.0]), np.diag([2.0, 0.0, 3.0])):
        tiny.cofactors_of_three(a, out)
        np.testing.assert_allclose(out, linalg.cofactor(a), atol=1e-14)
