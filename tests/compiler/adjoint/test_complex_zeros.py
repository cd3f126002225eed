"""Eigenvalues that are complex by their type and real by their value: what is added to their cotangents."""

import numpy as np
import pytest
import scipy.linalg

import ast_ad

W = np.array([1.0, 2.0, 3.0])
X, ALONG = np.array([0.3, 1.0, 2.0]), np.array([0.5, -0.7, 0.2])


def matrix(x):
    return np.outer(x, x) + np.diag(W) + 0.1 * np.triu(np.ones((3, 3)))


def weighted(x):
    return np.sum(np.real(np.linalg.eig(matrix(x))[0]) * W)


def items(x):
    w, _ = np.linalg.eig(matrix(x))
    return w[0].real * 2 + w[1].real


def item_of_parts(x):
    w, v = scipy.linalg.eig(matrix(x))
    w = np.real(w)
    return w[0] * w[1] + np.real(v[1, 0])


def slices(x):
    w, _ = np.linalg.eig(matrix(x))
    z = w * w + 1.0
    return np.sum(z[::-1].real * W) + np.sum(z[1:].real)


def written(x):
    w, _ = np.linalg.eig(matrix(x))
    w = w.real.copy()
    w[0] = 3.0
    return np.sum(w * W)


def one_by_one(x):
    w, total = np.linalg.eigvals(matrix(x)), 0.0
    for i in range(3):
        total += w[i].real * W[i]
    return total


def sorted_vectors(x):
    w, v = np.linalg.eig(matrix(x))
    w = np.take_along_axis(w, np.argsort(w), axis=-1)
    return np.sum(np.sqrt(np.real(w)) * W) + np.real(v[0, 0]) ** 2


def shifted(x):
    total, m = 0.0, matrix(x)
    for _ in range(4):
        w, _ = np.linalg.eig(m)
        total = total + np.real(w[0])
        m = m + 0.1 * np.real(w[1]) * np.eye(3)
        if total > 5:
            total = total + np.real(w)[2]
    return total


def of_polynomials(x):
    total = 0.0
    for z in np.roots(np.array([1.0, -6.0, 11.0, -6.0]) + 0.01 * np.append(x, 1.0)):
        total = total + z.real**2 * 1.5 + z.real
    return total


def complex_ones(x):
    w, _ = np.linalg.eig(matrix(x) + 5 * np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    return w[0].real * 2 + np.sum(np.abs(w.imag) * W)


PROGRAMS = [
    weighted,
    items,
    item_of_parts,
    slices,
    written,
    one_by_one,
    sorted_vectors,
    shifted,
    of_polynomials,
    complex_ones,
]


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_real_eigenvalues(function, backend):
    value, bar = ast_ad.value_and_grad(function, backend=backend, fallback="error")(X)
    assert value == pytest.approx(function(X), rel=1e-13)
    step = 1e-6 * ALONG
    assert np.sum(bar * ALONG) == pytest.approx((function(X + step) - function(X - step)) / 2e-6, rel=1e-6)
