"""Is a pullback that is called within a trace differentiable in its cotangent, to any order?"""

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.3, 0.7, 1.0, 2.0, 0.5, 0.2])
PARTS = {"a": np.array([0.3, 0.7]), "b": np.array([[1.0, 2.0], [0.5, 0.2]])}


def followed(x):
    eval("1")  # what no compiler follows
    return x


def ravelled(parts):
    return np.concatenate([np.ravel(parts[k]) for k in sorted(parts)])


def objective(parts):
    return np.sum(np.sin(parts["a"]) * parts["b"] @ parts["a"] ** 2) + np.sum(np.exp(parts["b"]))


def looped(parts):
    s = parts["a"] * 1.0
    for i in range(4):
        s = np.sin(s) * parts["b"][0] if s[0] > 0.1 else s + parts["b"][i % 2]
    return np.concatenate([s, s**2, s**3])


def pullbacks(kind):
    wrapped = (lambda f: f) if kind == "compiled" else (lambda f: lambda x: f(followed(x)))
    _, unravel = ast_ad.vjp(wrapped(ravelled), PARTS)
    _, of_loop = ast_ad.vjp(wrapped(looped), PARTS)
    _, of_number = ast_ad.vjp(wrapped(lambda x: x**3), 2.0)
    _, of_single = ast_ad.vjp(wrapped(lambda x: x**3), np.float32([2.0, 3.0]))
    _, of_several = ast_ad.vjp(wrapped(lambda x: (x * x, {"s": np.sum(x)})), X)
    return [
        lambda x: objective(unravel(x)[0]),
        lambda x: objective(of_loop(0.1 * x * x)[0]),
        lambda x: of_number(x[0] * x[1])[0] ** 2 * x[2] + of_number(1.0)[0],
        lambda x: np.sum(of_several((x**2, {"s": x[0]}))[0] ** 2),
        lambda x: np.sum(of_several((X, {"s": x[1]}))[0] ** 2),
        lambda x: np.sum(np.float64(1.0) * of_single(x[:2].astype(np.float32))[0]) * x[0],
    ]


def slopes(f, x, h):
    return np.array([(f(x + d) - f(x - d)) / (2 * h) for d in h * np.eye(len(x))])


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("case", range(6))
@pytest.mark.parametrize("kind", ["compiled", "traced"])
def test_derivatives(kind, case):
    f = pullbacks(kind)[case]

    def g(x):
        return f(followed(x))

    single = case == 5
    value, gradient = ast_ad.value_and_grad(g)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-6 if single else 1e-13)
    if single:  # linear in what passes through single precision
        np.testing.assert_allclose(gradient[:2], slopes(f, X, 0.25)[:2], rtol=1e-5)
        return
    np.testing.assert_allclose(gradient, slopes(f, X, 1e-6), rtol=1e-6, atol=1e-8)
    hessian = slopes(ast_ad.grad(g), X, 1e-6)
    np.testing.assert_allclose(ast_ad.hessian(g)(X), hessian, rtol=1e-5, atol=1e-7)
    tangent = ast_ad.hvp(g, (X,), (X,))
    np.testing.assert_allclose(tangent[-1] if isinstance(tangent, tuple) else tangent, hessian @ X, rtol=1e-5)


def test_kernels_and_a_function_that_compiles_around_the_call():
    _, pull = ast_ad.vjp(looped, PARTS)
    derivative = ast_ad.value_and_grad(lambda x: objective(pull(0.1 * x)[0]))
    for _ in range(4):
        value, gradient = derivative(X)
    np.testing.assert_allclose(value, objective(pull(0.1 * X)[0]), rtol=1e-13)
    np.testing.assert_allclose(gradient, slopes(lambda x: objective(pull(0.1 * x)[0]), X, 1e-6), rtol=1e-6)


def test_a_cotangent_of_another_shape_or_kind_is_refused():
    _, pull = ast_ad.vjp(lambda x: followed(x) ** 2, X)
    with pytest.raises(ast_ad.InputValueError, match="shape"):
        ast_ad.grad(lambda x: np.sum(pull(followed(x)[:2])[0]))(X)
    with pytest.raises(ast_ad.InputTypeError, match="complex"):
        ast_ad.grad(lambda x: np.sum(np.abs(pull(followed(x) * 1j)[0])))(X)


def test_what_is_saved_is_that_of_the_call():
    x = np.array([1.0, 2.0])
    _, pull = ast_ad.vjp(lambda x: x**3, x)
    gradient = ast_ad.grad(lambda c: np.sum(pull(followed(c))[0] ** 2))
    before = gradient(np.ones(2))
    x[:] = 5.0
    np.testing.assert_allclose(gradient(np.ones(2)), before)
    np.testing.assert_allclose(before, 2 * (3 * np.array([1.0, 4.0])) ** 2)
