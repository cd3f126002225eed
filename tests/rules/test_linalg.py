"""Are the cotangents of decompositions right where they have to respect a symmetry or a free phase?"""

import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg as sl

sys.path.insert(0, str(Path(__file__).parent))

from sample import cnormal, normal

import ast_ad
from ast_ad import rules  # noqa: F401  (fills the registry)
from ast_ad.errors import NoDerivativeError
from ast_ad.rules.registry import lookup

A, CA = normal(3, 3) + 2 * np.eye(3), cnormal(3, 3) + 2 * np.eye(3)
SPD, HPD = A @ A.T, CA @ CA.conj().T
STEP = 1e-4


def H(a):
    return np.conj(np.swapaxes(a, -1, -2))


def cotangent(fn, g, *args, **kwargs):
    rule = lookup(fn).rule
    found = rule(g, fn(*args, **kwargs), *args, **kwargs)
    return found[0] if isinstance(found, tuple) else found


def random_like(a, seed=5):
    return cnormal(*a.shape, seed=seed) if np.iscomplexobj(a) else normal(*a.shape, seed=seed)


def check(loss, a_bar, a, direction):
    """``loss(a + h v)`` moves by ``h <a_bar, v>``."""
    values = [loss(a + h * direction) for h in (STEP, -STEP, STEP / 2, -STEP / 2)]
    wide, narrow = (values[0] - values[1]) / (2 * STEP), (values[2] - values[3]) / STEP
    expected = (4 * narrow - wide) / 3
    np.testing.assert_allclose(np.sum(np.real(np.conj(a_bar) * direction)), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("a", [SPD, HPD, np.stack([SPD, SPD + np.eye(3)])], ids=["real", "complex", "stack"])
def test_cholesky(a, upper):
    g = random_like(a)
    a_bar = cotangent(np.linalg.cholesky, g, a, upper=upper)
    v = random_like(a, 6)  # the other triangle is not read
    check(lambda x: np.sum(np.real(np.conj(g) * np.linalg.cholesky(x, upper=upper))), a_bar, a, v)
    np.testing.assert_array_equal(a_bar, np.triu(a_bar) if upper else np.tril(a_bar))


def weights(x):
    return np.abs(random_like(np.zeros(x.shape), 7))


def eigen_loss(ans):
    w, v = ans
    return np.sum(np.real(w * weights(w))) + np.sum(weights(v) * np.abs(v) ** 2)


def eigen_cotangents(ans):
    w, v = ans
    return weights(w), 2 * weights(v) * v


@pytest.mark.parametrize("UPLO", "LU")
@pytest.mark.parametrize("a", [SPD, HPD, np.stack([SPD, A + A.T])], ids=["real", "complex", "stack"])
def test_eigh(a, UPLO):
    a_bar = cotangent(np.linalg.eigh, eigen_cotangents(np.linalg.eigh(a, UPLO)), a, UPLO=UPLO)
    v = random_like(a, 6)
    check(lambda x: eigen_loss(np.linalg.eigh(x, UPLO)), a_bar, a, v)
    np.testing.assert_array_equal(a_bar, np.triu(a_bar) if UPLO == "U" else np.tril(a_bar))


@pytest.mark.parametrize("UPLO", "LU")
@pytest.mark.parametrize("a", [SPD, HPD, np.eye(3)], ids=["real", "complex", "repeated"])
def test_eigvalsh(a, UPLO):
    w = np.linalg.eigvalsh(a)
    if w[0] == w[-1]:  # a symmetric function of the eigenvalues has a derivative
        a_bar = cotangent(np.linalg.eigvalsh, 2 * w, a, UPLO=UPLO)
        np.testing.assert_allclose(a_bar, 2 * a)
        return
    a_bar = cotangent(np.linalg.eigvalsh, weights(w), a, UPLO=UPLO)
    check(lambda x: np.sum(weights(w) * np.linalg.eigvalsh(x, UPLO)), a_bar, a, random_like(a, 6))


def test_vectors_of_equal_eigenvalues():
    a = np.diag([1.0, 1.0, 2.0])
    zero = np.zeros((3, 3))
    assert np.isnan(cotangent(np.linalg.eigh, (np.zeros(3), normal(3, 3)), a)).any()
    np.testing.assert_allclose(cotangent(np.linalg.eigh, (np.ones(3), zero), a), np.eye(3))
    np.testing.assert_allclose(cotangent(np.linalg.svd, (zero, np.ones(3), zero), a), np.eye(3))


@pytest.mark.parametrize("a", [A, CA, np.stack([CA, CA @ CA])], ids=["real", "complex", "stack"])
def test_eig(a):
    a_bar = cotangent(np.linalg.eig, eigen_cotangents(np.linalg.eig(a)), a)
    a_bar = a_bar if np.iscomplexobj(a) else np.real(a_bar)
    check(lambda x: eigen_loss(np.linalg.eig(x)), a_bar, a, random_like(a, 6))


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 3, 2)], ids=str)
@pytest.mark.parametrize("kind", [normal, cnormal])
def test_svd(shape, kind):
    a, c = kind(*shape), kind(*shape, seed=9)

    def loss(x):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        moduli = np.sum(weights(u) * np.abs(u) ** 2) + np.sum(weights(vh) * np.abs(vh) ** 2)
        return np.sum(weights(s) * s) + moduli + np.sum(np.real(np.conj(c) * (u @ vh)))

    u, s, vh = np.linalg.svd(a, full_matrices=False)
    g = 2 * weights(u) * u + c @ H(vh), weights(s), 2 * weights(vh) * vh + H(u) @ c
    check(loss, cotangent(np.linalg.svd, g, a, full_matrices=False), a, random_like(a, 6))


def test_singular_vectors_of_a_multiple_of_one_matrix():
    """Those of equal values are turned by some changes of the matrix, and not by its size."""
    u, s, _ = np.linalg.svd(np.eye(3))
    bar = cotangent(np.linalg.svd, (normal(3, 3), s, normal(3, 3, seed=1)), np.eye(3))
    assert np.all(np.isfinite(np.diagonal(bar))) and np.isnan(bar[0, 1])
    found = ast_ad.grad(lambda x: np.sum(np.linalg.svd(x * np.eye(3))[0] * x), fallback="error")(1.3)
    assert found == np.sum(u)


def test_svd_of_full_matrices_refuses_what_is_not_unique():
    a = normal(4, 2)
    u, s, vh = np.linalg.svd(a)
    g = np.zeros_like(u), np.ones_like(s), np.zeros_like(vh)
    np.testing.assert_allclose(cotangent(np.linalg.svd, g, a), cotangent(np.linalg.svdvals, g[1], a))
    with pytest.raises(NoDerivativeError, match="full_matrices"):
        cotangent(np.linalg.svd, (np.ones_like(u), g[1], g[2]), a)


@pytest.mark.parametrize("call", [(np.linalg.qr, "complete"), (sl.qr, "full")], ids=["numpy", "scipy"])
@pytest.mark.parametrize("kind", [normal, cnormal])
def test_full_qr_of_a_tall_matrix_refuses_what_is_not_unique(call, kind):
    fn, mode = call
    a = kind(5, 2)
    q, r = fn(a, mode=mode)
    c, d = kind(5, 2, seed=4), kind(2, 2, seed=5)

    def loss(x):
        q, r = np.linalg.qr(x)
        return np.sum(np.real(np.conj(c) * q)) + np.sum(np.real(np.conj(d) * r))

    g = np.hstack([c, np.zeros((5, 3))]), np.vstack([d, np.ones((3, 2))])
    check(loss, cotangent(fn, g, a, mode=mode), a, random_like(a, 6))
    with pytest.raises(NoDerivativeError, match="qr of a tall matrix"):
        cotangent(fn, (np.ones_like(q), g[1]), a, mode=mode)


def space_beside(vectors, k):
    """The projection on what is orthogonal to a matrix' columns, by the vectors behind the first k."""
    others = vectors[..., k:]
    return others @ H(others)


@pytest.mark.parametrize(
    "fn", [np.linalg.svd, np.linalg.qr, sl.svd, sl.qr], ids=["svd", "qr", "s_svd", "s_qr"]
)
@pytest.mark.parametrize("kind", [normal, cnormal])
@pytest.mark.parametrize("shape", [(5, 2), (4, 3), (2, 5)])
def test_vectors_that_are_not_unique_count_by_what_they_span(fn, kind, shape):
    """What a least-squares residual, or a null space's projection, is made of."""
    a, c = kind(*shape), kind(max(shape), max(shape), seed=4)
    k = min(shape)
    options = {"mode": "complete"} if fn is np.linalg.qr else {}
    if "qr" in fn.__name__ and shape[0] < shape[1]:
        a = H(a)

    def loss(x):
        ans = fn(x, **options)
        vectors = ans[0] if np.shape(ans[0])[0] == max(shape) else H(ans[2])
        return np.sum(np.real(np.conj(c) * space_beside(vectors, k)))

    ans = fn(a, **options)
    side = 0 if np.shape(ans[0])[0] == max(shape) else 2
    vectors = ans[0] if side == 0 else H(ans[2])
    bar = np.zeros_like(vectors)
    bar[:, k:] = (c + H(c)) @ vectors[:, k:]
    g = [np.zeros_like(part) for part in ans]
    g[side] = bar if side == 0 else H(bar)
    check(loss, cotangent(fn, tuple(g), a, **options), a, random_like(a, 6))


def test_vectors_that_are_not_unique_in_programs():
    def residual(a, b):
        q, _ = np.linalg.qr(a, mode="complete")
        return np.sum((q[:, 2:].T @ b) ** 2)

    def singled_out(a, b):
        q, _ = np.linalg.qr(a, mode="complete")
        return np.sum(q[:, 3] ** 2 * b)

    a, b = normal(5, 2), normal(5, seed=3)

    def by_least_squares(a, b):
        return np.sum((b - a @ np.linalg.solve(a.T @ a, a.T @ b)) ** 2)

    for derivative in (ast_ad.grad, ast_ad.hessian):
        found = derivative(residual, fallback="error")(a, b)
        np.testing.assert_allclose(found, derivative(by_least_squares, fallback="error")(a, b), atol=1e-10)
    with pytest.raises(NoDerivativeError, match="which they are"):
        ast_ad.grad(singled_out)(a, b)


def test_singular_determinant():
    found = cotangent(np.linalg.det, 1.0, np.array([[1.0, 2.0], [2.0, 4.0]]))
    np.testing.assert_allclose(found, [[4.0, -2.0], [-2.0, 1.0]], atol=1e-12)


@pytest.mark.parametrize(
    "kwargs", [{}, {"ord": 2}, {"ord": 1}, {"ord": 3}, {"axis": 0}, {"ord": np.inf}], ids=str
)
def test_norm_of_zero(kwargs):
    np.testing.assert_array_equal(cotangent(np.linalg.norm, 1.0, np.zeros(3), **kwargs), np.zeros(3))


def test_norm_with_ties_splits_evenly():
    np.testing.assert_array_equal(
        cotangent(np.linalg.norm, 1.0, np.array([1.0, -1.0, 0.5]), np.inf), [0.5, -0.5, 0]
    )
    np.testing.assert_allclose(cotangent(np.linalg.norm, 1.0, np.eye(2), 2), np.eye(2) / 2)


@pytest.mark.parametrize("fn", [sl.cholesky, sl.cho_factor])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("a", [SPD, HPD], ids=["real", "complex"])
def test_scipy_cholesky(a, lower, fn):
    g = np.tril(random_like(a)) if lower else np.triu(random_like(a))
    a_bar = cotangent(fn, g if fn is sl.cholesky else (g, None), a, lower=lower)
    v = random_like(a, 6) + H(random_like(a, 6))
    check(lambda x: np.sum(np.real(np.conj(g) * sl.cholesky(x, lower=lower))), a_bar, a, v)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("a", [SPD, HPD], ids=["real", "complex"])
def test_scipy_eigh(a, lower):
    v = random_like(a, 6)
    a_bar = cotangent(sl.eigh, eigen_cotangents(sl.eigh(a, lower=lower)), a, lower=lower)
    check(lambda x: eigen_loss(sl.eigh(x, lower=lower)), a_bar, a, v)
    a_bar = cotangent(sl.eigvalsh, weights(a[0]), a, lower=lower)
    check(lambda x: np.sum(weights(x[0]) * sl.eigvalsh(x, lower=lower)), a_bar, a, v)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("structure", ["pos", "sym", "her"])
def test_scipy_solve_reads_one_triangle(structure, lower):
    b, g, options = normal(3), normal(3, seed=1), {"assume_a": structure, "lower": lower}
    a = np.tril(SPD) if lower else np.triu(SPD)
    a_bar, b_bar = lookup(sl.solve).rule(g, sl.solve(a, b, **options), a, b, **options)
    check(lambda x: g @ sl.solve(x, b, **options), a_bar, a, normal(3, 3, seed=2))
    check(lambda y: g @ sl.solve(a, y, **options), b_bar, b, normal(3, seed=2))
    np.testing.assert_array_equal(a_bar, np.tril(a_bar) if lower else np.triu(a_bar))


def test_scipy_root_of_a_real_matrix():
    for a in (A, A - 3 * np.eye(3), np.array([[0.0, 0.3, 0.1], [-3.1, -1.0, 0.2], [0.2, 0.1, 1.0]])):
        a_bar = cotangent(sl.sqrtm, np.ones((3, 3)), a)
        assert not np.iscomplexobj(a_bar)
        check(lambda x: np.sum(sl.sqrtm(x).real), a_bar, a, normal(3, 3, seed=2))


@pytest.mark.parametrize("solve", [sl.solve_continuous_are, sl.solve_discrete_are])
@pytest.mark.parametrize("kind", [normal, cnormal])
def test_riccati_equations_by_their_symmetric_matrices(solve, kind):
    """Also by the Hermitian ones; the cotangent is not Hermitian."""
    a, b, g = kind(3, 3) / 2, kind(3, 2, seed=1), kind(3, 3, seed=2)
    q, r = np.diag([2.0, 1.0, 1.5]) + 0 * a, np.diag([0.7, 1.2]) + 0 * a[:2, :2]
    args = [a, b, q, r]
    bars = lookup(solve).rule(g, solve(*args), *args)
    for i, bar in enumerate(bars[:4]):
        v = kind(*args[i].shape, seed=3)
        v = v + H(v) if i > 1 else v

        def loss(x, i=i):
            return np.sum(np.real(np.conj(g) * solve(*args[:i], x, *args[i + 1 :])))

        check(loss, bar, args[i], v)


@pytest.mark.parametrize("solve", [sl.solve_continuous_are, sl.solve_discrete_are])
@pytest.mark.parametrize("kind", [normal, cnormal])
@pytest.mark.parametrize("which", ["e", "s", "es"])
def test_riccati_equations_of_more_matrices(solve, kind, which):
    a, b, g = kind(3, 3) / 2, kind(3, 2, seed=1), kind(3, 3, seed=2)
    e = np.eye(3) + 0.2 * kind(3, 3, seed=4) if "e" in which else None
    s = 0.1 * kind(3, 2, seed=5) if "s" in which else None
    args = [a, b, np.diag([2.0, 1.0, 1.5]) + 0 * a, np.diag([0.7, 1.2]) + 0 * a[:2, :2], e, s]
    bars = lookup(solve).rule(g, solve(*args), *args)
    for i, bar in enumerate(bars):
        if args[i] is None:
            assert bar is None
            continue
        v = kind(*args[i].shape, seed=3)
        v = v + H(v) if i in (2, 3) else v

        def loss(x, i=i):
            return np.sum(np.real(np.conj(g) * solve(*args[:i], x, *args[i + 1 :])))

        check(loss, bar, args[i], v)


@pytest.mark.parametrize("solve", [sl.solve_continuous_are, sl.solve_discrete_are])
def test_what_does_not_solve_its_equation_has_no_derivative(solve):
    """SciPy's own balancing, where there is a matrix ``e``."""
    a, e = normal(3, 3) + 2 * np.eye(3), np.eye(3) + 0.1 * normal(3, 3)
    args = [a / 2, normal(3, 2), a @ a.T, np.array([[1.5, 0.2], [0.2, 0.7]]), e]
    plain, found = (solve(*args, balanced=balanced) for balanced in (False, True))
    if not np.allclose(plain, found):
        with pytest.raises(NoDerivativeError, match="does not solve"):
            ast_ad.grad(lambda a: np.sum(solve(a, *args[1:])))(args[0])
    gradient = ast_ad.grad(lambda a: np.sum(solve(a, *args[1:], balanced=False)))(args[0])
    check(lambda a: np.sum(solve(a, *args[1:], balanced=False)), gradient, args[0], normal(3, 3, seed=3))


@pytest.mark.parametrize("kind", [normal, cnormal])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("part", [(0, 0), (1, 2), (0, 3), (3, 3)])
def test_some_eigenvalues_and_their_vectors(kind, lower, part):
    """Of four; the vectors of a part have signs of their own."""
    a = kind(4, 4)
    a = a + H(a)

    def loss(x):
        w, v = sl.eigh(x, lower=lower, subset_by_index=part, driver="evr")
        return eigen_loss((w, v)) + np.sum(sl.eigvalsh(x, lower=lower, subset_by_index=part) ** 2)

    options = {"lower": lower, "subset_by_index": part}
    ans = sl.eigh(a, **options, driver="evr")
    bar = lookup(sl.eigh).rule(eigen_cotangents(ans), ans, a, **options, driver="evr")
    values = sl.eigvalsh(a, **options)
    bar = bar + lookup(sl.eigvalsh).rule(2 * values, values, a, **options)
    only = sl.eigh(a, **options, eigvals_only=True)
    again = lookup(sl.eigh).rule(2 * only, only, a, **options, eigvals_only=True)
    np.testing.assert_allclose(again, lookup(sl.eigvalsh).rule(2 * values, values, a, **options))
    v = kind(4, 4, seed=7)
    check(loss, bar, a, v + H(v))


def test_tridiagonal_vectors():
    d, e = normal(4), normal(3, seed=1)
    ans = sl.eigh_tridiagonal(d, e)
    bars = lookup(sl.eigh_tridiagonal).rule(eigen_cotangents(ans), ans, d, e)
    check(lambda x: eigen_loss(sl.eigh_tridiagonal(x, e)), bars[0], d, normal(4, seed=2))
    check(lambda x: eigen_loss(sl.eigh_tridiagonal(d, x)), bars[1], e, normal(3, seed=2))


@pytest.mark.parametrize("a", [A, CA], ids=["real", "complex"])
def test_scipy_eig(a):
    a_bar = cotangent(sl.eig, eigen_cotangents(sl.eig(a)), a)
    a_bar = a_bar if np.iscomplexobj(a) else np.real(a_bar)
    check(lambda x: eigen_loss(sl.eig(x)), a_bar, a, random_like(a, 6))


def test_norm_by_its_order():
    x, h = normal(4), 1e-5
    _, p_bar = lookup(np.linalg.norm).rule(1.0, np.linalg.norm(x, 3.0), x, 3.0)
    np.testing.assert_allclose(
        p_bar, (np.linalg.norm(x, 3 + h) - np.linalg.norm(x, 3 - h)) / (2 * h), rtol=1e-6
    )


def of_eigenvalues(x):
    return np.linalg.eigvalsh(x @ x.T)[-1] ** 2


def of_eigenvectors(x):
    values, vectors = np.linalg.eigh(x @ x.T)
    return values[-1] * np.sum(vectors[:, -1] ** 4)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_tangents_where_eigenvalues_are_equal(backend):
    x, x_dot = np.random.default_rng(3).normal(size=(2, 5, 2))  # three eigenvalues are 0 to rounding
    for f in (of_eigenvalues, of_eigenvectors):
        gradient = ast_ad.grad(f)(x)
        _, tangent = ast_ad.jvp(f, (x,), (x_dot,), backend=backend)
        assert tangent == pytest.approx(np.sum(gradient * x_dot), rel=1e-10)


@pytest.mark.parametrize("operator", [ast_ad.jvp, ast_ad.vjp])
def test_second_derivatives_where_eigenvalues_are_equal_are_never_wrong(operator):
    x, x_dot = np.random.default_rng(3).normal(size=(2, 5, 2))
    gradient, h = ast_ad.grad(of_eigenvalues), 1e-5
    expected = (gradient(x + h * x_dot) - gradient(x - h * x_dot)) / (2 * h)
    if operator is ast_ad.jvp:
        found = ast_ad.jvp(gradient, (x,), (x_dot,))[1]
    else:
        found = ast_ad.grad(lambda x: np.sum(gradient(x) * x_dot))(x)
    unknown = np.isnan(found)  # the vectors of equal eigenvalues have no derivative
    np.testing.assert_allclose(found[~unknown], expected[~unknown], rtol=1e-6)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # NumPy's own
def test_determinants_of_what_is_no_number():
    a = np.array([[[1.0, 2.0], [3.0, 4.0]], [[np.nan, 2.0], [1.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]]])
    derivative = ast_ad.value_and_grad(lambda x: np.sum(np.linalg.det(x)), backend="numpy")
    value, gradient = derivative(a)
    assert np.isnan(value)
    np.testing.assert_allclose(gradient[0], [[4.0, -3.0], [-2.0, 1.0]], rtol=1e-12)
    assert np.isnan(gradient[1]).all()
    np.testing.assert_allclose(gradient[2], [[4.0, -2.0], [-2.0, 1.0]], rtol=1e-12)
