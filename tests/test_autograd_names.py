"""Do the operators of the package ``autograd`` give what they give there, in the same forms?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import InputTypeError
from ast_ad.operators import products

X, V = np.array([0.3, -1.2, 2.0]), np.array([1.0, 0.5, -2.0])
A = np.array([[1.0, 2.0, 0.5], [0.0, 1.0, -1.0]])


def cubes(x, scale=1.0):
    return np.sum(scale * x**3)


def test_make_vjp_gives_the_pullback_first():
    pullback, value = ast_ad.make_vjp(lambda y, x: y * np.sin(x), 1)(2.0, X)
    np.testing.assert_allclose(value, 2 * np.sin(X))
    np.testing.assert_allclose(pullback(V), 2 * V * np.cos(X))
    pullback, _ = ast_ad.make_vjp(lambda y, x: y * np.sin(x), (0, 1))(2.0, X)
    by_y, by_x = pullback(V)
    np.testing.assert_allclose(by_y, V @ np.sin(X))
    np.testing.assert_allclose(by_x, 2 * V * np.cos(X))


def test_keyword_arguments():
    pullback, _ = ast_ad.make_vjp(cubes)(X, scale=2.0)
    np.testing.assert_allclose(pullback(1.0), 6 * X**2)
    np.testing.assert_allclose(ast_ad.make_hvp(cubes)(X, scale=2.0)[0](V), 12 * X * V)


def test_make_jvp(monkeypatch):
    """It asks ``jvp`` for the tangent of one argument, or of several."""
    asked = []

    def jvp(f, primals, tangents):
        asked.append(tangents)
        return f(*primals), "tangent"

    monkeypatch.setattr(products, "jvp", jvp)
    assert ast_ad.make_jvp(lambda a, x: a * x, 1)(2.0, 3.0)(5.0) == (6.0, "tangent")
    assert ast_ad.make_jvp(lambda a, x: a * x, (1, 0))(2.0, 3.0)((5.0, 7.0)) == (6.0, "tangent")
    assert asked == [(None, 5.0), (7.0, 5.0)]
    assert ast_ad.make_jvp(cubes)(2.0, scale=3.0)(1.0) == (24.0, "tangent")


def test_make_jvp_reversemode():
    np.testing.assert_allclose(
        ast_ad.make_jvp_reversemode(lambda x: A @ np.sin(x))(X)(V), A @ (np.cos(X) * V)
    )


def test_hessians():
    hvp, gradient = ast_ad.make_hvp(cubes)(X)
    np.testing.assert_allclose(gradient, 3 * X**2)
    np.testing.assert_allclose(hvp(V), 6 * X * V)
    for product in (ast_ad.hessian_tensor_product, ast_ad.hessian_vector_product):
        np.testing.assert_allclose(product(cubes)(X, V), 6 * X * V)
    matrix = X[:, None] * np.ones(2)
    np.testing.assert_allclose(ast_ad.hessian_tensor_product(cubes)(matrix, matrix), 6 * matrix**2)


def test_gauss_newton():
    inner = A * np.cos(X)  # the Jacobian of A @ sin(x)
    np.testing.assert_allclose(ast_ad.make_ggnvp(lambda x: A @ np.sin(x))(X)(V), inner.T @ inner @ V)
    curved = ast_ad.make_ggnvp(lambda x: A @ np.sin(x), lambda y: np.sum(y**4))(X)(V)
    np.testing.assert_allclose(curved, inner.T @ (12 * (A @ np.sin(X)) ** 2 * (inner @ V)))


def test_tensor_jacobian_products():
    w = np.array([0.5, -3.0])
    for product in (ast_ad.tensor_jacobian_product, ast_ad.vector_jacobian_product):
        np.testing.assert_allclose(product(lambda x: A @ np.sin(x))(X, w), w @ (A * np.cos(X)))
    outer = ast_ad.tensor_jacobian_product(lambda x: np.outer(x**2, x))(X, V)
    expected = np.einsum("i,ij,k->kj", V, np.diag(2 * X), X) + np.eye(3) * (V @ X**2)
    np.testing.assert_allclose(outer, expected)


def test_elementwise_grad():
    np.testing.assert_allclose(ast_ad.elementwise_grad(np.tanh)(X), 1 - np.tanh(X) ** 2)
    second = ast_ad.elementwise_grad(ast_ad.elementwise_grad(np.tanh))(X)
    np.testing.assert_allclose(second, -2 * np.tanh(X) * (1 - np.tanh(X) ** 2))
    with pytest.raises(InputTypeError, match="complex value"):
        ast_ad.elementwise_grad(lambda x: 1j * x)(X)


def test_multigrad_dict():
    def f(x, *more, scale=2.0, **others):
        return scale * np.sum(x * more[0]) + others["shift"] ** 2

    found = ast_ad.multigrad_dict(f)(X, V, shift=3.0)
    assert list(found) == ["x", "more", "scale", "others"]
    np.testing.assert_allclose(found["x"], 2 * V)
    np.testing.assert_allclose(found["more"][0], 2 * X)
    np.testing.assert_allclose(found["scale"], X @ V)
    assert found["others"] == {"shift": 6.0}
