"""Does a trace reach the parts of a library that its code imports when it runs, by a class's own name?"""

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_array, csr_matrix, diags
from scipy.sparse.linalg import spsolve

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.7, 1.3, -0.4, 1.9])
PLACES = np.array([0, 1, 2, 0]), np.array([0, 1, 2, 2])


def dense(x):
    return np.sum(csr_matrix((x, PLACES), shape=(3, 3)).toarray() ** 2)


def product(x):
    return np.sum(csr_array((x * x, PLACES), shape=(3, 3)) @ x[:3])


def coordinates(x):
    return np.sum(coo_matrix((x**3, PLACES), shape=(3, 3)).tocsr().dot(x[1:]))


def system(x):
    return np.sum(spsolve(csr_matrix((x**2 + 1, PLACES), shape=(3, 3)), np.arange(1.0, 4.0)) ** 2)


def three_diagonals(x):
    return np.sum(spsolve(diags([x**2 + 4, x[1:], x[:-1]], [0, 1, -1], format="csc"), x) ** 2)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("function", [dense, product, coordinates, system, three_diagonals])
def test_gradient(function):
    expected = [(function(X + 1e-6 * e) - function(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    value, gradient = ast_ad.value_and_grad(function)(X)
    np.testing.assert_allclose(gradient, expected, rtol=2e-7, atol=2e-8)
    np.testing.assert_allclose(value, function(X), rtol=1e-13)
