"""Are distances to the nearest points of a tree right, in value and gradient, wherever it was made?"""

import numpy as np
import pytest
from scipy.spatial import KDTree, cKDTree

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.7, 1.3, 0.4, 2.1])
POINTS = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.5], [0.3, 2.0]])
VALUES = np.array([1.0, 2.0, 3.0, 4.0])
COMPILED, PYTHON = cKDTree(POINTS), KDTree(POINTS, leafsize=2)


def followed(x):
    eval("1")  # what no compiler follows
    return x


def outside(x):
    d, i = COMPILED.query(x.reshape(2, 2))
    return np.sum(d**2 * (i + 1))


def outside_in_python(x):
    d, _ = PYTHON.query(x.reshape(2, 2), k=2)
    return np.sum(1 / d)


def made_within(x):
    d, i = cKDTree(POINTS).query(x[:2], k=3, p=1)
    return np.sum(d**2 * VALUES[i])


def one_point(x):
    d, i = COMPILED.query(x[:2])
    return d**2 * (i + 1)


def of_the_data(x):
    d, _ = cKDTree(x.reshape(2, 2)).query(np.array([[0.0, 0.0], [1.0, 1.5]]))
    return np.sum(d)


def of_both(x):
    tree = KDTree(np.stack([x, x**2], 1))
    d, i = tree.query(np.stack([x + 0.1, x], 1), k=2, p=np.inf)
    return np.sum(d**2) + np.sum(x[i] * d)


def within_a_bound(x):
    d, _ = COMPILED.query(x.reshape(2, 2), k=3, distance_upper_bound=1.0)
    near = np.isfinite(d)
    return np.sum(d[near] ** 2)


def inverse_distance_weights(x):
    d, i = COMPILED.query(x.reshape(2, 2), k=3)
    w = 1 / d**2
    return np.sum(np.sum(w * VALUES[i], 1) / np.sum(w, 1))


PROGRAMS = [
    outside,
    outside_in_python,
    made_within,
    one_point,
    of_the_data,
    of_both,
    within_a_bound,
    inverse_distance_weights,
]


def slopes(f, x, h=1e-6):
    return np.array([(f(x + d) - f(x - d)) / (2 * h) for d in h * np.eye(len(x))])


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_compiled(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, fallback="error", check=True)
    value, gradient = derivative(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-13)
    np.testing.assert_allclose(gradient, slopes(f, X), rtol=1e-6, atol=1e-8)
    hessian = slopes(ast_ad.grad(f), X)
    np.testing.assert_allclose(ast_ad.hessian(f)(X), hessian, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", [outside_in_python, of_the_data, of_both], ids=lambda f: f.__name__)
def test_traced(f):
    value, gradient = ast_ad.value_and_grad(lambda x: f(followed(x)))(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-13)
    np.testing.assert_allclose(gradient, slopes(f, X), rtol=1e-6, atol=1e-8)


def test_a_point_of_the_tree_has_the_distance_0_and_no_slope():
    gradient = ast_ad.grad(lambda x: COMPILED.query(x)[0])(np.array([1.0, 1.0]))
    np.testing.assert_array_equal(gradient, [0.0, 0.0])


def test_curvature_along_an_axis_on_which_both_agree():
    hessian = ast_ad.hessian(lambda x: COMPILED.query(x)[0])(np.array([1.0, 1.2]))
    np.testing.assert_allclose(hessian, [[5.0, 0.0], [0.0, 0.0]], atol=1e-12)


def test_what_has_no_rule_is_refused():
    boxed = KDTree(POINTS, boxsize=4.0)
    with pytest.raises(ast_ad.AdError, match="periodic"):
        ast_ad.grad(lambda x: np.sum(boxed.query(x.reshape(2, 2))[0]))(X)
    with pytest.raises(ast_ad.AdError, match="a list as k"):
        ast_ad.grad(lambda x: np.sum(PYTHON.query(x.reshape(2, 2), k=[1, 3])[0]))(X)
    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(lambda x: np.sum(COMPILED.query(followed(x).reshape(2, 2))[0]))(X)
    with pytest.raises(ast_ad.AdError, match="query_ball_point"):
        ast_ad.grad(lambda x: x[cKDTree(x.reshape(2, 2)).query_ball_point([0.0, 0.0], 9.0)[0]])(X)
