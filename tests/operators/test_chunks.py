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


@pytest.mark.drawn(of=3)
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
