"""Are systems solved by substitution where their matrix is triangular for certain, and only there?"""

import re

import numpy as np
import pytest

import ast_ad
from ast_ad.rules.triangular import solve_triangular

RNG = np.random.default_rng(5)
M = RNG.normal(size=(6, 6)) + 4.0 * np.eye(6)
B, V = RNG.normal(size=(6, 3)), RNG.normal(size=6)


def likelihood(m, v):
    l = np.linalg.cholesky(m @ m.T)
    return v @ np.linalg.solve(l.T, np.linalg.solve(l, v)) + np.sum(np.log(np.diag(l)))


def upper_factor(m, v):
    u = np.linalg.cholesky(m @ m.T, upper=True)
    return np.sum(np.linalg.solve(u, v) ** 2)


def parts(m, v):
    l, u = np.tril(m) + np.tril(m, -1), -np.triu(m, 1) + np.eye(6)
    return np.sum(
        np.linalg.solve(l, np.outer(v, v)) * np.linalg.solve(np.swapaxes(l, 0, 1), np.outer(v, v))
    ) + (np.sum(np.linalg.solve(u.T, v) ** 2))


def branch(m, v):
    l = np.tril(m) if v[0] > 0.0 else np.linalg.cholesky(m @ m.T)
    return np.sum(np.linalg.solve(l, v) ** 2)


def in_a_loop(m, v):
    total = 0.0
    for i in range(3):
        l = np.linalg.cholesky(m @ m.T + i * np.eye(6))
        v = np.linalg.solve(l, v) + np.linalg.solve(l.T, np.outer(v, v))[:, i]
        total += v[i] ** 2
    return total


def complex_factor(m, v):
    l = np.linalg.cholesky((m + 1j * m.T) @ np.conj(m + 1j * m.T).T)
    return np.sum(np.abs(np.linalg.solve(l, v)) ** 2)


def overwritten(m, v):
    l = np.linalg.cholesky(m @ m.T)
    l[0, 5] = v[1]
    return np.sum(np.linalg.solve(l, v) ** 2)


def more_than_a_triangle(m, v):
    return np.sum(np.linalg.solve(np.tril(m, 1), v) ** 2) + np.sum(
        np.linalg.solve(np.tril(m) + np.triu(m), v)
    )


def scaled(m, v):
    return np.sum(np.linalg.solve(np.tril(m) * m, v) ** 2)


TRIANGULAR = [likelihood, upper_factor, parts, branch, in_a_loop, complex_factor]
OTHERS = [overwritten, more_than_a_triangle, scaled]
IN_FUNCTION = {likelihood: 2, in_a_loop: 2}


def systems(derivative):
    """How many are solved by substitution, and by elimination."""
    text = re.sub("#.*", "", derivative.source)
    return len(re.findall(r"solve_triangular\(|substitute_(vector|matrix)\(", text)), len(
        re.findall(r"linalg\.solve\(|solve_(small_)?(vector|matrix)\(", text)
    )


@pytest.mark.drawn(of=12)
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", TRIANGULAR + OTHERS, ids=lambda f: f.__name__)
def test_derivatives(function, backend):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend, fallback="error")
    value, bars = derivative(M, V)
    if backend == "numpy":
        assert value == function(M, V)
    np.testing.assert_allclose(value, function(M, V), rtol=1e-12)
    if backend == "numpy":
        ast_ad.check_grads(function, (M, V), order=1)
    by_substitution, by_elimination = systems(derivative)
    assert bool(by_substitution) == (function in TRIANGULAR or function is overwritten)  # Cholesky's own rule
    if function in TRIANGULAR and (backend == "numba" or function in IN_FUNCTION):
        assert by_elimination == (IN_FUNCTION[function] if backend == "numpy" else 0)
    if function in OTHERS:
        assert by_elimination >= 2
    if backend == "numba" and function not in IN_FUNCTION:
        return
    hessian = ast_ad.hessian(function, 1, backend=backend)(M, V)
    h = 1e-5
    gradient = ast_ad.grad(function, 1, backend="numpy")
    rows = [(gradient(M, V + h * e) - gradient(M, V - h * e)) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(hessian, rows, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_zero_on_the_diagonal_is_an_error(backend):
    def f(m, v):
        return np.sum(np.linalg.solve(np.tril(m), v) ** 2)

    derivative = ast_ad.grad(f, argnums=(0, 1), backend=backend)
    derivative(M, V)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        derivative(M - np.diag(np.diag(M)), V)


@pytest.mark.slow(one_in=10)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "f2"])
@pytest.mark.parametrize("shape", [(6,), (6, 3), (6, 0), (0,)])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_solve_triangular(dtype, shape, lower, order):
    n = shape[0]
    a = (np.tril if lower else np.triu)(M[:n, :n]).astype(dtype)
    b = RNG.normal(size=shape).astype(dtype)
    if a.dtype.kind == "c":
        a, b = a * (1 + 0.5j), b * (2 - 1j)
    if order == "F":
        a, b = np.asfortranarray(a), np.asfortranarray(b)
    elif order == "strided":
        a, b = np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2], np.repeat(b, 2, 0)[::2]
    if dtype == "f2":
        with pytest.raises(TypeError):
            solve_triangular(a, b, lower)
        return
    kept = a.copy(), b.copy()
    x = solve_triangular(a, b, lower)
    expected = np.linalg.solve(a, b)
    assert x.dtype == expected.dtype and x.shape == expected.shape
    np.testing.assert_allclose(x, expected, rtol=1e-4 if dtype in ("f4", "c8") else 1e-12)
    np.testing.assert_array_equal(kept[0], a)
    np.testing.assert_array_equal(kept[1], b)
    mixed = solve_triangular(a, b.real.copy(), lower)
    np.testing.assert_allclose(mixed, np.linalg.solve(a, b.real), rtol=1e-4)
