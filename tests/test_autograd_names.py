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


def weighted(a, x):
    return np.sum(a * x**3)


NUMBERED = {
    "grad": lambda **given: ast_ad.grad(weighted, **given)(2.0, X),
    "value_and_grad": lambda **given: ast_ad.value_and_grad(weighted, **given)(2.0, X)[1],
    "vjp": lambda **given: ast_ad.vjp(weighted, **given)(2.0, X)[1](1.0),
    "vjp_at": lambda **given: ast_ad.vjp(weighted, 2.0, X, **given)[1](1.0),
    "jacobian": lambda **given: ast_ad.jacobian(weighted, **given)(2.0, X),
    "jacfwd": lambda **given: ast_ad.jacfwd(weighted, **given)(2.0, X),
    "jacrev": lambda **given: ast_ad.jacrev(weighted, **given)(2.0, X),
    "hessian": lambda **given: np.diag(ast_ad.hessian(weighted, **given)(2.0, X)) * X / 2,
    "decorator": lambda **given: ast_ad.grad(**given)(weighted)(2.0, X),
}


@pytest.mark.parametrize("name", NUMBERED)
def test_argnum_is_argnums(name):
    np.testing.assert_allclose(NUMBERED[name](argnum=1), 6 * X**2)


@pytest.mark.parametrize("name", NUMBERED)
def test_argnum_is_argnums_within_compiled_code(name):
    asked = NUMBERED[name]

    @ast_ad.grad(fallback="error")
    def f(s):
        return s * np.sum(asked(argnum=1))

    np.testing.assert_allclose(f(0.5), np.sum(6 * X**2))


def test_several_argnum():
    by_a, by_x = ast_ad.grad(weighted, argnum=(0, 1))(2.0, X)
    np.testing.assert_allclose([by_a, *by_x], [np.sum(X**3), *(6 * X**2)])

    @ast_ad.value_and_grad(fallback="error")
    def f(s):
        by_a, by_x = ast_ad.grad(weighted, argnum=(0, 1))(s, X)
        return by_a + np.sum(by_x)

    value, slope = f(2.0)
    np.testing.assert_allclose([value, slope], [np.sum(X**3) + np.sum(6 * X**2), np.sum(3 * X**2)])


def test_argnum_and_argnums_are_one_option():
    for ask in (ast_ad.grad, ast_ad.value_and_grad, ast_ad.jacobian, ast_ad.jacfwd, ast_ad.hessian):
        with pytest.raises(InputTypeError, match="argnum and argnums"):
            ask(weighted, 1, argnum=1)


def test_the_function_by_name_within_compiled_code():
    @ast_ad.grad(fallback="error")
    def f(s):
        return s * np.sum(ast_ad.grad(function=weighted, argnum=1)(2.0, X))

    np.testing.assert_allclose(f(0.5), np.sum(6 * X**2))
