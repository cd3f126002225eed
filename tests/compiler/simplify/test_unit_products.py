"""Is the product with a direction of a Jacobian a column or a row, without a product?"""

import re

import numpy as np
import pytest

import ast_ad

RNG = np.random.default_rng(3)
X, W, V = RNG.normal(size=(5, 3)), RNG.normal(size=(3, 4)), RNG.normal(size=3)


def matrix_first(w, x, v):
    return np.tanh(x @ w)


def matrix_last(w, x, v):
    return np.tanh(w.T @ x.T)


def last(w, x, v):
    return np.tanh(w @ x[: w.shape[1]])


def vector_first(w, x, v):
    return np.tanh(v @ w)


def vector_last(w, x, v):
    return np.tanh(w.T @ v)


def both(w, x, v):
    return np.tanh(w @ w.T)


def one_column(w, x, v):
    return np.tanh(x @ w[:, :1])


FUNCTIONS = [matrix_first, matrix_last, last, vector_first, vector_last, one_column, both]


@pytest.mark.drawn(of=16)
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_jacobians(function, backend):
    def second(w, x, v):
        return np.sum(function(w, x, v) ** 2)

    for args in ((W, X, V), (W[:, :1], X, V)):
        forward = ast_ad.jacfwd(function, backend=backend, fallback="error")
        np.testing.assert_allclose(forward(*args), ast_ad.jacrev(function)(*args), rtol=1e-13, atol=1e-15)
        hessian = ast_ad.hessian(second, backend=backend, fallback="error")(*args)
        rows = np.zeros((args[0].size, args[0].size))
        for j in range(args[0].size):
            e = np.zeros(args[0].size)
            e[j] = 1.0
            rows[:, j] = ast_ad.hvp(second, args, (e.reshape(args[0].shape), None, None))[0].ravel()
        np.testing.assert_allclose(hessian.reshape(rows.shape), rows, rtol=1e-12, atol=1e-14)
    text = re.sub("#.*", "", forward.source)
    if backend == "numpy":
        assert text.count("@") == (2 if function is one_column else 1)  # the function's own


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_what_is_times_a_zero_of_the_direction_counts_for_nothing(backend):
    x = X.copy()
    x[0, 1] = np.inf
    with np.errstate(invalid="ignore"):
        found = ast_ad.jacfwd(lambda w: x @ w, backend=backend)(W)
    expected = np.einsum("ia,bj->ijab", x, np.zeros((4, 4)))
    for i in range(5):
        for j in range(4):
            expected[i, j] = 0.0
            expected[i, j, :, j] = x[i]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_places_from_the_end(backend):
    def along(w, v, place):
        def first(w):
            return np.tanh(w.T @ v) + np.tanh(X @ w)[0]

        value, lin = ast_ad.linearize(first, w)
        seed = np.zeros(12)
        seed[place] = 1.0
        return lin(seed.reshape(3, 4))

    found = ast_ad.vmap(along, (None, None, 0), backend=backend)(W, V, np.arange(-12, 12))
    jacobian = ast_ad.jacrev(lambda w: np.tanh(w.T @ V) + np.tanh(X @ w)[0])(W).reshape(4, 12)
    np.testing.assert_allclose(found, np.concatenate((jacobian, jacobian), axis=1).T, rtol=1e-13)
