"""Has the user's function its effects once for each call of an operator, whatever rule it has?"""

import warnings

import numpy as np
import pytest

import ast_ad

X, V = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])


def with_a_rule(kind, calls):
    def cube(x):
        calls.append(1)
        return x**3

    if kind == "primitive":
        own = ast_ad.primitive(cube)
        ast_ad.defvjp(own, lambda ans, x: lambda g: 3.0 * x * x * g)
        return own
    if kind == "custom_jvp":
        own = ast_ad.custom_jvp(cube)
        own.defjvps(lambda t, ans, x: 3.0 * x * x * t)
        return own
    if kind == "custom_vjp":

        def forward(x):
            calls.append(1)
            return x**3, x

        own = ast_ad.custom_vjp(cube)
        own.defvjp(forward, lambda x, g: (3.0 * x * x * g,))
        own.defjvps(lambda t, ans, x: 3.0 * x * x * t)
        return own
    return cube


CUBES, DIAGONAL = X**4, np.diag(4.0 * X**3)
OPERATORS = {
    "grad": (lambda f: lambda x: ast_ad.grad(lambda x: np.sum(f(x)))(x), 4.0 * X**3),
    "value_and_grad": (lambda f: lambda x: ast_ad.value_and_grad(lambda x: np.sum(f(x)))(x)[1], 4.0 * X**3),
    "jvp": (lambda f: lambda x: ast_ad.jvp(f, (x,), (V,))[1], 4.0 * X**3 * V),
    "vjp": (lambda f: lambda x: ast_ad.vjp(f)(x)[1](V)[0], 4.0 * X**3 * V),
    "linearize": (lambda f: lambda x: ast_ad.linearize(f, x)[1](V), 4.0 * X**3 * V),
    "jacrev": (ast_ad.jacrev, DIAGONAL),
    "jacfwd": (ast_ad.jacfwd, DIAGONAL),
    "jacobian": (ast_ad.jacobian, DIAGONAL),
    "hessian": (lambda f: ast_ad.hessian(lambda x: np.sum(f(x))), np.diag(12.0 * X**2)),
    "hvp": (lambda f: lambda x: ast_ad.hvp(lambda x: np.sum(f(x)), (x,), (V,))[0], 12.0 * X**2 * V),
}


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("kind", ["none", "primitive", "custom_jvp", "custom_vjp"])
@pytest.mark.parametrize("name", OPERATORS)
def test_each_call_has_the_effects_once(name, kind):
    make, expected = OPERATORS[name]
    calls = []
    own = with_a_rule(kind, calls)

    def function(x):
        return own(x) * x

    operator = make(function)
    for _ in range(3):
        calls.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ast_ad.FallbackWarning)
            found = operator(X)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert len(calls) == 1


@pytest.mark.parametrize("kind", ["none", "primitive", "custom_jvp", "custom_vjp"])
def test_each_row_has_them_once(kind):
    calls = []
    own = with_a_rule(kind, calls)
    for _ in range(2):
        calls.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ast_ad.FallbackWarning)
            found = ast_ad.vmap(lambda x: own(x) * x)(X)
        np.testing.assert_allclose(found, X**4, rtol=1e-12)
        assert len(calls) == 3


def test_a_primitive_without_effects_is_compiled():
    import math

    cube = ast_ad.primitive(lambda x: math.pow(x, 3.0))
    ast_ad.defvjp(cube, lambda ans, x: lambda g: 3.0 * x * x * g)

    def total(x):
        s = 0.0
        for v in x:
            s += cube(v) * v
        return s

    gradient = ast_ad.grad(total, fallback="error")
    np.testing.assert_allclose(gradient(X), 4.0 * X**3, rtol=1e-12)
