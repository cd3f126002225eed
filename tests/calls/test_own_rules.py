"""Is the derivative of a function with a rule of its own that rule, compiled, in kernels and traced?"""

import functools
import warnings

import numpy as np
import pytest

import ast_ad

X = np.array([0.3, 1.0, 2.0])
WAYS = ["numpy", "numba", "traced"]


def derivative(function, way, asked=ast_ad.grad):
    if way == "traced":
        return asked(lambda *args: eval("f(*args)", {"f": function, "args": args}))
    return asked(function, backend=way, fallback="error")


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        yield


@ast_ad.custom_vjp
def running_sum(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += y[i - 1]
    return y


def _no_derivative(residuals, g):
    return (-np.cos(residuals) * g,)


running_sum.defvjp(lambda x: (running_sum(x), x), _no_derivative)


@pytest.mark.parametrize("way", WAYS)
def test_the_rule_is_used_and_not_the_body(way):
    found = derivative(lambda x: np.sum(running_sum(x) * X), way)(X)
    np.testing.assert_allclose(found, -np.cos(X) * X, rtol=1e-13)
    np.testing.assert_array_equal(running_sum(X), np.cumsum(X))


@pytest.mark.parametrize("way", WAYS)
def test_a_second_derivative_is_that_of_the_rule(way):
    first = derivative(lambda x: np.sum(running_sum(x)), way)
    np.testing.assert_allclose(ast_ad.grad(lambda x: np.sum(first(x)))(X), np.sin(X), rtol=1e-13)


@functools.partial(ast_ad.custom_vjp, nondiff_argnums=(0,))
def applied(function, tree, scale=2.0):
    return {"y": function(tree["x"]) * scale, "n": (tree["b"][0],)}


def _applied_forward(function, tree, scale):
    return applied(function, tree, scale), (tree, "kept", None, scale)


def _applied_backward(function, residuals, g):
    tree, word, none, scale = residuals
    assert word == "kept" and none is None
    return {"x": g["y"] * scale * function(tree["x"]), "b": [g["n"][0] * 7.0]}, None


applied.defvjp(_applied_forward, _applied_backward)


@pytest.mark.parametrize("way", WAYS)
def test_trees_functions_and_defaults(way):
    def loss(tree):
        return np.sum(applied(np.exp, tree)["y"]) + applied(np.sin, tree, scale=3.0)["n"][0]

    found = derivative(loss, way)({"x": X, "b": [1.5]})
    np.testing.assert_allclose(found["x"], 2.0 * np.exp(X), rtol=1e-13)
    assert found["b"] == [7.0]


@ast_ad.custom_jvp
def product(x, y):
    return x * y


product.defjvps(lambda t, ans, x, y: 3.0 * t * y, lambda t, ans, x, y: t * x)


@pytest.mark.parametrize("way", WAYS)
def test_a_tangent_is_transposed(way):
    np.testing.assert_allclose(
        derivative(lambda x: np.sum(product(x, X * x)), way)(X), 4.0 * X * X, rtol=1e-13
    )


def _table(x):
    return np.array([float(v) ** 3 for v in x.tolist()])


table = ast_ad.primitive(_table)
ast_ad.defvjp(table, lambda ans, x: lambda g: 3.0 * g * x * x)


@pytest.mark.parametrize("way", WAYS)
def test_an_opaque_function(way):
    first = derivative(lambda x: np.sum(table(x)), way)
    np.testing.assert_allclose(first(X), 3.0 * X * X, rtol=1e-13)
    np.testing.assert_allclose(ast_ad.grad(lambda x: np.sum(first(x)))(X), 6.0 * X, rtol=1e-13)


@pytest.mark.parametrize("way", WAYS)
def test_stopped_and_mapped(way):
    np.testing.assert_array_equal(derivative(lambda x: np.sum(x * ast_ad.stop_gradient(x)), way)(X), X)

    def doubled(x):
        for _ in range(3):
            x = ast_ad.map_cotangent(x, lambda g: 2.0 * g)
        return np.sum(x)

    np.testing.assert_array_equal(derivative(doubled, way)(X), np.full(3, 8.0))


weights = np.ones(3)


@ast_ad.custom_vjp
def weighted(x):
    return np.sum(x * weights)


weighted.defvjp(lambda x: (weighted(x), None), lambda residuals, g: (2.0 * g * weights,))


def test_what_a_rule_reads_from_outside_is_read_at_each_call():
    global weights
    gradient = ast_ad.grad(weighted)
    np.testing.assert_array_equal(gradient(X), np.full(3, 2.0))
    weights = 5.0 * np.ones(3)
    np.testing.assert_array_equal(gradient(X), np.full(3, 10.0))
    weights = np.ones(3)


WRONG = {
    "no pair": (lambda x: np.sum(x), lambda r, g: (g,), "is no pair"),
    "number": (lambda x: (np.sum(x), x), lambda r, g: (g * r, g), "2 cotangents"),
    "shape": (lambda x: (np.sum(x), x), lambda r, g: (g * r[:2],), r"shape \(2,\)"),
    "dtype": (lambda x: (np.sum(x), x), lambda r, g: ((g * r).astype(np.float32),), "float32"),
    "no tuple": (lambda x: (np.sum(x), x), lambda r, g: g * r, "is no tuple"),
}


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("way", ["numpy", "traced"])
@pytest.mark.parametrize("what", WRONG)
def test_a_rule_that_does_not_fit_is_refused(what, way):
    forward, backward, message = WRONG[what]
    f = ast_ad.custom_vjp(lambda x: np.sum(x))
    f.defvjp(forward, backward)
    with pytest.raises((ast_ad.InputTypeError, ast_ad.InputValueError), match=message):
        derivative(f, way)(X)


def test_a_rule_that_is_missing_is_told():
    f = ast_ad.custom_vjp(lambda x: np.sum(x))
    assert f(X) == np.sum(X)
    with pytest.raises(ast_ad.InputTypeError, match="defvjp was never called"):
        ast_ad.grad(f)(X)


@pytest.mark.parametrize("way", ["numpy", "traced"])
def test_a_tangent_that_is_not_linear_is_refused(way):
    f = ast_ad.custom_jvp(lambda x: np.sum(x))
    f.defjvp(lambda primals, tangents: (np.sum(primals[0]), np.sum(tangents[0] ** 2)))
    with pytest.raises(ast_ad.InputValueError, match="not linear"):
        derivative(f, way)(X)


def test_a_method_and_a_value_from_around():
    class Model:
        scale = 3.0

        @ast_ad.custom_vjp
        def value(self, x):
            return self.scale * np.sum(x)

        value.defvjp(lambda self, x: (self.scale * np.sum(x), x), lambda x, g: (None, g * x))

    model = Model()
    np.testing.assert_array_equal(ast_ad.grad(lambda x: model.value(x))(X), X)

    def around(x):
        scale = x * 2.0
        f = ast_ad.custom_vjp(lambda y: np.sum(y * scale))
        f.defvjp(lambda y: (np.sum(y * scale), None), lambda residuals, g: (g * scale,))
        return f(x)

    with pytest.raises(ast_ad.InputValueError, match="none of its differentiated arguments"):
        ast_ad.grad(around)(X)


# ----- an elementwise rule, of an argument that is a list
def wave(x, y):
    return np.sin(x) * np.asarray(y)


@functools.cache
def with_rule():
    """Registered when a test asks for it: what is there from the start needs samples."""

    @ast_ad.rule.elementwise(wave)
    def _wave_rule(ans, x, y):
        return np.cos(x) * np.asarray(y), np.sin(x)


@pytest.mark.parametrize("way", WAYS)
def test_a_list_is_stretched_as_an_array_is(way):
    with_rule()

    def rows(s):
        return np.sum(wave(np.ones((2, 3)), [s, s, s]) * wave(X, [s]) * wave(np.ones((2, 3)), [[s], [s * s]]))

    total = np.sin(1.0) ** 2 * np.sum(np.sin(X))  # times s**3 + s**4
    np.testing.assert_allclose(derivative(rows, way)(0.7), total * (3 * 0.7**2 + 4 * 0.7**3), rtol=1e-13)
    second = ast_ad.grad(derivative(rows, way))(0.7)
    np.testing.assert_allclose(second, total * (6 * 0.7 + 12 * 0.7**2), rtol=1e-13)
