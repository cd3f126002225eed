"""Have products with sparse matrices, and solutions of sparse systems, the derivatives of dense ones?"""

import numpy as np
import pytest
import scipy.sparse as ss
import scipy.sparse.linalg as sla

import ast_ad
from ast_ad import grad

DENSE = np.array([[4.0, 0.0, 0.5, 0.0], [0.0, 3.0, 0.0, 0.7], [0.2, 0.0, 5.0, 0.0], [0.0, -0.4, 0.0, 6.0]])
ROWS, COLUMNS, PLACES = ss.csr_matrix(DENSE), ss.csc_array(DENSE), ss.coo_array(DENSE)
X = np.array([0.3, 1.7, -0.6, 1.1])


def by_rows(x, a=ROWS):
    return np.sum((a @ x) ** 3) + np.sum(a.dot(np.exp(x)))


def by_columns(x):
    return np.sum((COLUMNS @ np.outer(x, x[:2])) ** 2)


def by_places(x):
    return np.sum(np.sin(PLACES @ (x * 2.0)))


def smoothed(x):
    """A step of an implicit scheme, again and again."""
    for _ in range(3):
        x = x + 0.1 * sla.spsolve(COLUMNS, np.tanh(x))
    return np.sum(x * x)


def several(x):
    return np.sum(sla.spsolve(ROWS, np.outer(x, x[:3])) ** 2) + sla.spsolve(ROWS, x[:, None])[0]


COMPILED = [by_rows, by_columns, by_places, smoothed, several]


def transposed(x):
    return np.sum((ROWS.T @ x) ** 2) + np.sum(x @ COLUMNS) ** 2


def made_inside(x):
    """Matrices of constants, put together by what SciPy has in C."""
    a = ss.diags([np.arange(1.0, 5.0), np.ones(3)], [0, 1]).tocsr()
    a = (a @ a + 2.0 * a).tocsc()
    a[0, 2] = 7.0
    return np.sum((a @ x) ** 2) + np.sum(a.toarray() @ x)


def scaled(x):
    """A matrix that is differentiated itself: a number times what is stored."""
    return np.sum((ROWS * x[0] ** 2) @ x)


TRACED = [transposed, made_inside, scaled]


def differences(f, x, step=1e-6):
    return [(f(x + e) - f(x - e)) / (2 * step) for e in step * np.eye(len(x))]


@pytest.mark.parametrize("f", COMPILED)
def test_compiled(f):
    np.testing.assert_allclose(grad(f, fallback="error")(X), differences(f, X), rtol=1e-7, atol=1e-7)


@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
@pytest.mark.parametrize("f", COMPILED + TRACED)
def test_traced(f):
    def traced(x):
        eval("1")  # what no compiler follows
        return f(x)

    value, gradient = ast_ad.value_and_grad(traced)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    np.testing.assert_allclose(gradient, differences(f, X), rtol=1e-7, atol=1e-7)


def test_second_derivative():
    h = ast_ad.hessian(by_rows)(X)
    expected = DENSE.T @ np.diag(6 * (DENSE @ X)) @ DENSE + np.diag(DENSE.sum(0) * np.exp(X))
    np.testing.assert_allclose(h, expected, rtol=1e-12)


def test_numbers_are_read_at_every_call():
    a = ss.csr_matrix(DENSE)
    gradient = grad(lambda x: np.sum(a @ x), fallback="error")
    np.testing.assert_allclose(gradient(X), DENSE.sum(0))
    a.data *= 2
    np.testing.assert_allclose(gradient(X), 2 * DENSE.sum(0))


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize(
    "word, f",
    [
        ("the format dok", lambda x: np.sum(ss.dok_array(np.eye(4)) @ x)),
        ("other than a sparse matrix", lambda x: np.sum(ss.coo_array(np.ones(4)) @ x)),
        ("maximum", lambda x: np.sum(ss.csr_array(np.diag(x)).maximum(ROWS).toarray())),
        ("spsolve with these", lambda x: np.sum(sla.spsolve(PLACES, x))),
    ],
)
@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
def test_refusals(word, f):
    with pytest.raises(ast_ad.AdError, match=word):
        grad(f)(X)


def test_a_product_that_does_not_fit_raises_as_the_function_does():
    with pytest.raises(ValueError):
        ROWS @ X[:2]
    with pytest.raises(ValueError, match="dimension mismatch"):
        grad(lambda x: np.sum(ROWS @ x))(X[:2])


# ----- factors that were made before
FACTORS, SOLVER = sla.splu(ss.csc_matrix(DENSE)), sla.factorized(ss.csc_matrix(DENSE))
SLANTED = sla.splu(ss.csc_matrix(DENSE * (1 + 0.5j)))


class Solver:
    def __init__(self, factors):
        self.factors = factors

    def energy(self, x):
        return x @ self.factors.solve(x)


@pytest.mark.parametrize(
    "function, dense",
    [
        (lambda x: np.sum(FACTORS.solve(x) ** 2), lambda x: np.sum(np.linalg.solve(DENSE, x) ** 2)),
        (lambda x: np.sum(FACTORS.solve(x, "T") ** 2), lambda x: np.sum(np.linalg.solve(DENSE.T, x) ** 2)),
        (lambda x: np.sum(SOLVER(np.sin(x)) ** 2), lambda x: np.sum(np.linalg.solve(DENSE, np.sin(x)) ** 2)),
        (Solver(FACTORS).energy, lambda x: x @ np.linalg.solve(DENSE, x)),
        (
            lambda x: np.sum(FACTORS.solve(np.outer(x, x)) ** 3),
            lambda x: np.sum(np.linalg.solve(DENSE, np.outer(x, x)) ** 3),
        ),
        (
            lambda x: np.sum(np.abs(SLANTED.solve(x * (1 + 2j), "H")) ** 2),
            lambda x: np.sum(np.abs(np.linalg.solve((DENSE * (1 + 0.5j)).conj().T, x * (1 + 2j))) ** 2),
        ),
    ],
)
def test_factors_from_outside(function, dense):
    value, gradient = ast_ad.value_and_grad(function, fallback="error")(X)
    np.testing.assert_allclose(value, function(X), rtol=1e-13)
    np.testing.assert_allclose(gradient, ast_ad.grad(dense)(X), rtol=1e-12)
    np.testing.assert_allclose(ast_ad.hessian(function)(X), ast_ad.hessian(dense)(X), rtol=1e-11, atol=1e-13)


def test_other_factors_under_the_same_name():
    held = Solver(FACTORS)
    derivative = grad(lambda x: np.sum(held.factors.solve(x) ** 2), fallback="error")
    first = derivative(X)
    held.factors = sla.splu(ss.csc_matrix(2 * DENSE))
    np.testing.assert_allclose(derivative(X), first / 4, rtol=1e-13)
