"""Are as many columns of a Jacobian computed in one pass as ``chunk`` says, and is memory bounded?"""

import tracemalloc

import numpy as np
import pytest

import ast_ad

RNG = np.random.default_rng(2)
A = RNG.normal(size=(9, 7))
X = RNG.normal(size=7)


def product(x):
    return np.tanh(A @ x) * np.sum(x**2)


def loop(x):
    y, s = np.zeros(5), x
    for i in range(5):
        s = np.sin(s) * x[0]
        y[i] = np.sum(s * s)
    return y


def branch(x):
    return np.where(x > 0.0, x, x**2) * (np.exp(x[0]) if x[1] > 0.0 else x[2])


def system(x):
    return np.linalg.solve(5.0 * np.eye(7) + A[:7], np.sin(x))


def sorted_ones(x):
    """A pass for several directions has no form: they are taken in turn."""
    return np.sort(x) * x[0]


FUNCTIONS = [product, loop, branch, system, sorted_ones]


@pytest.mark.drawn(of=9)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_chunks(function, backend):
    def total(x):
        return np.sum(function(x) ** 2)

    jacobian = ast_ad.jacrev(function, backend="numpy")(X)
    for operator in (ast_ad.jacfwd, ast_ad.jacrev):
        for chunk in (3,) if backend == "numba" else (1, 3, 20):
            found = operator(function, chunk=chunk, backend=backend, fallback="error")
            np.testing.assert_allclose(found(X), jacobian, rtol=1e-12, atol=1e-14)
    if backend == "numpy":
        hessian = ast_ad.hessian(total, backend="numpy")(X)
        found = ast_ad.hessian(total, chunk=3, backend="numpy", fallback="error")
        np.testing.assert_allclose(found(X), hessian, rtol=1e-11, atol=1e-13)


def test_a_pass_takes_so_many_directions():
    text = ast_ad.jacfwd(product, chunk=3, backend="numpy")
    text(X)
    assert "range(0, size, chunk)" in text.source and "A @ seeds" in text.source


def test_within_other_derivatives_and_by_parts():
    def size(x):
        return np.sum(ast_ad.jacfwd(product, chunk=2)(x) ** 2)

    def whole(x):
        return np.sum(ast_ad.jacfwd(product)(x) ** 2)

    np.testing.assert_allclose(ast_ad.grad(size)(X), ast_ad.grad(whole)(X), rtol=1e-11)
    two = ast_ad.jacfwd(lambda p: product(p["x"]) * p["s"], chunk=3)({"x": X, "s": 2.0})
    np.testing.assert_allclose(two["x"], 2.0 * ast_ad.jacrev(product)(X), rtol=1e-12)
    np.testing.assert_allclose(two["s"], product(X), rtol=1e-12)
    empty = ast_ad.jacfwd(lambda x: x * 2.0, chunk=2)(np.zeros(0))
    assert empty.shape == (0, 0)


@pytest.mark.parametrize("chunk", [None, 1, 8])
def test_memory_is_bounded(chunk):
    """Arrays of 20,000 numbers on the way to a matrix of 200 by 200: few of them at a time."""
    pairs = RNG.integers(0, 200, size=(2, 20_000))

    def energy(x):
        return np.sum(np.sin(x[pairs[0]] - x[pairs[1]]) ** 2)

    x = RNG.normal(size=200)
    hessian = ast_ad.hessian(energy, chunk=chunk, backend="numba")
    hessian(x)
    tracemalloc.start()
    found = hessian(x)
    peak = tracemalloc.get_traced_memory()[1] - found.nbytes
    tracemalloc.stop()
    assert peak < 160_000 * 6 * (chunk or 1)  # where all columns at once would take 32 MB for each array


# ----- matrices ---------------------------------------------------------------------------------------------
B = RNG.normal(size=(4, 3))
M = RNG.normal(size=(3, 5))


def matrix_product(x):
    return np.tanh(B @ x) * np.sum(x**2)


def from_the_right(x):
    return np.sin(x.T @ B[:3])


def gram(x):
    return x.T @ x


def elements(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total = total + np.sin(x[i, j]) * x[i, 0]
    return np.array([total, total**2])


def rows_written(x):
    y = np.zeros((3, 2))
    for i in range(3):
        y[i] = x[i, :2] * x[i, 2]
    return y


def system_of_parts(x):
    return np.linalg.solve(5.0 * np.eye(3) + x[:, :3], x[:, 3])


def row_sums(x):
    return np.sum(np.tanh(x) ** 2, axis=1)


MATRICES = [matrix_product, from_the_right, gram, elements, rows_written, system_of_parts, row_sums]


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", MATRICES, ids=lambda f: f.__name__)
def test_columns_and_rows_of_matrices_come_in_chunks(function, backend):
    jacobian = ast_ad.jacrev(function, backend="numpy")(M)
    for operator in (ast_ad.jacfwd, ast_ad.jacrev):
        for chunk in (4,) if backend == "numba" else (1, 4, 100):
            found = operator(function, chunk=chunk, backend=backend, fallback="error")
            np.testing.assert_allclose(found(M), jacobian, rtol=1e-11, atol=1e-13)
        if backend == "numpy" and (operator is ast_ad.jacfwd or np.ndim(function(M)) == 2):
            assert ", chunk)" in found.source


def test_several_arguments_come_in_chunks():
    def function(x, b):
        return np.outer(np.sin(x[:, 0]), b) @ b + x[:, 1]

    b = RNG.normal(size=4)
    expected = ast_ad.jacrev(function, (0, 1))(M, b)
    for operator in (ast_ad.jacfwd, ast_ad.jacrev):
        for found, one in zip(operator(function, (0, 1), chunk=4)(M, b), expected, strict=True):
            np.testing.assert_allclose(found, one, rtol=1e-11, atol=1e-13)


def test_memory_of_chunks_of_matrices_is_bounded():
    """Of a matrix of 60 x 50: the Jacobian takes 1.4 MB, 16 directions of it at once 0.4."""
    x = RNG.normal(size=(60, 50))
    jacobian = ast_ad.jacfwd(row_sums, chunk=16, backend="numpy")
    jacobian(x)
    tracemalloc.start()
    jacobian(x)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4e6
