"""Do operators, rules of users' own, mapped functions and registered containers work within one another?"""

import warnings

import numpy as np
import pytest

import ast_ad

X, V = np.array([0.3, -0.8, 1.2]), np.array([0.7, -0.2, 1.1])


class Pair:
    """Its attributes are set in another order than that of its children."""

    def __init__(self, a, b, unit="m"):
        self.unit, self.b, self.a = unit, b, a


ast_ad.register_container(Pair, lambda p: ((p.a, p.b), p.unit), lambda unit, parts: Pair(*parts, unit))


@ast_ad.custom_jvp
def swelling(x):
    return x * np.exp(x)


swelling.defjvp(
    lambda primals, tangents: (swelling(*primals), tangents[0] * np.exp(*primals) * (1 + primals[0]))
)


@ast_ad.custom_jvp
def products(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] *= y[i - 1]
    return y


@products.defjvp
def products_rule(primals, tangents):
    y, dy = primals[0].copy(), tangents[0].copy()
    for i in range(1, len(y)):
        dy[i] = dy[i] * y[i - 1] + y[i] * dy[i - 1]
        y[i] *= y[i - 1]
    return y, dy


@ast_ad.custom_vjp
def stretched(pair, x):
    return Pair(pair.a * x, pair.b * np.sum(x), pair.unit)


def stretched_backward(kept, g):
    pair, x = kept
    return Pair(g.a * x, g.b * np.sum(x), pair.unit), g.a * pair.a + g.b * pair.b


stretched.defvjp(lambda pair, x: (stretched(pair, x), (pair, x)), stretched_backward)


@ast_ad.custom_jvp
def stretched_along(pair, x):
    return Pair(pair.a * x, pair.b * np.sum(x), pair.unit)


@stretched_along.defjvp
def stretched_along_rule(primals, tangents):
    (pair, x), (t, dx) = primals, tangents
    d = Pair(t.a * x + pair.a * dx, t.b * np.sum(x) + pair.b * np.sum(dx), pair.unit)
    return stretched_along(pair, x), d


def opaque(function):
    """The same without a source: it is traced."""
    return eval("lambda *args: function(*args)", {"function": function})


def in_code(function):
    return function


@pytest.fixture(params=[in_code, opaque], ids=["compiled", "traced"])
def way(request):
    with warnings.catch_warnings():
        if request.param is opaque:
            warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        yield request.param


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("check", ["", "0"])
def test_tangents_of_rows(way, check, monkeypatch):
    """With the check of first calls and without."""
    monkeypatch.setenv("AST_AD_CHECK", check)
    function = way(lambda x: ast_ad.vmap(swelling)(x) * x)
    slope = np.exp(X) * (X**2 + 2.0 * X)
    np.testing.assert_allclose(ast_ad.jvp(function, (X,), (V,))[1], slope * V, rtol=1e-13)
    np.testing.assert_allclose(ast_ad.jacfwd(function)(X), np.diag(slope), rtol=1e-13)
    scalar = way(lambda x: np.sum(ast_ad.vmap(swelling)(x) * x))
    curvature = np.exp(X) * (X**2 + 4.0 * X + 2.0)
    np.testing.assert_allclose(ast_ad.hvp(scalar, (X,), (V,))[0], curvature * V, rtol=1e-12)


def test_tangents_of_rows_that_can_only_be_traced():
    """The mapped function runs as it is, also where its pullback is linearized."""
    cube = opaque(lambda x: x**3)
    with pytest.warns(ast_ad.FallbackWarning):
        found = ast_ad.hvp(opaque(lambda x: np.sum(ast_ad.vmap(cube)(x))), (X,), (V,))[0]
    np.testing.assert_allclose(found, 6.0 * X * V, rtol=1e-13)


def test_a_rule_for_tangents_that_writes_to_copies(way):
    def function(x):
        return np.sum(np.sin(products(x * x)))

    def plain(x):
        return np.sum(np.sin(np.cumprod(x * x)))

    for operator in (ast_ad.hessian, lambda f: ast_ad.jacfwd(ast_ad.grad(f))):
        np.testing.assert_allclose(operator(way(function))(X), ast_ad.hessian(plain)(X), rtol=1e-10)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("ruled", [stretched, stretched_along])
def test_rules_for_registered_containers(ruled, way):
    """Children stand in the order of ``flatten``, whatever that of the attributes is."""

    def function(pair, x):
        result = ruled(pair, x)
        return np.sum(np.sin(result.a)) * result.b

    def plain(pair, x):
        return np.sum(np.sin(pair.a * x)) * pair.b * np.sum(x)

    pair = Pair(X, 2.0)
    gradient, expected = ast_ad.grad(way(function))(pair, V), ast_ad.grad(plain)(pair, V)
    np.testing.assert_allclose(gradient.a, expected.a, rtol=1e-13)
    np.testing.assert_allclose(gradient.b, expected.b, rtol=1e-13)
    by_parts = ast_ad.grad(way(function), (0, 1))(pair, V)
    np.testing.assert_allclose(by_parts[1], ast_ad.grad(plain, 1)(pair, V), rtol=1e-13)
    fallback = "error" if way is in_code else "trace"
    hessian = ast_ad.hessian(way(function), 1, fallback=fallback)(pair, V)
    np.testing.assert_allclose(hessian, ast_ad.hessian(plain, 1)(pair, V), rtol=1e-10)


def test_rows_of_registered_containers(way):
    def function(pair):
        return Pair(pair.a * pair.b, pair.b**2, pair.unit)

    fallback = "error" if way is in_code else "trace"
    a = np.outer([1.0, 2.0], X)
    found = ast_ad.vmap(way(function), fallback=fallback)(Pair(a, np.array([3.0, 4.0]), "cm"))
    assert type(found) is Pair and found.unit == "cm"
    np.testing.assert_array_equal(found.a, a * [[3.0], [4.0]])
    np.testing.assert_array_equal(found.b, [9.0, 16.0])
    axes = {"in_axes": (Pair(1, None),), "out_axes": Pair(1, 0)}
    found = ast_ad.vmap(way(function), **axes, fallback=fallback)(Pair(a, 3.0))
    np.testing.assert_array_equal(found.a, 3.0 * a)
    np.testing.assert_array_equal(found.b, np.full(3, 9.0))
    gradient = ast_ad.grad(lambda pair: np.sum(ast_ad.vmap(way(function))(pair).a))(
        Pair(a, np.array([3.0, 4.0]))
    )
    np.testing.assert_array_equal(gradient.a, np.outer([3.0, 4.0], np.ones(3)))
    np.testing.assert_allclose(gradient.b, a.sum(axis=1), rtol=1e-13)


def test_gradients_of_rows_by_registered_containers(way):
    def loss(pair, x):
        return np.sum(pair.a) * pair.b * x

    found = ast_ad.vmap(ast_ad.grad(way(loss)), in_axes=(None, 0))(Pair(X, 2.0), V)
    assert type(found) is Pair
    np.testing.assert_allclose(found.a, np.outer(2.0 * V, np.ones(3)), rtol=1e-13)
    np.testing.assert_allclose(found.b, np.sum(X) * V, rtol=1e-13)


def test_what_rows_are_made_of_may_differ():
    """A tag that is another one for another row has no place in one object."""

    def function(x):
        return Pair(x, x, "m" if x > 0.0 else "cm")

    with pytest.raises(ast_ad.AdError, match="structure"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        ast_ad.vmap(function)(X)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_infinite_slopes_stay_in_their_place(backend, way):
    """The zeros of a unit vector meet an infinite factor."""

    def function(x):
        return np.append(np.sqrt(x), [x[1] + np.sqrt(x[0]), x[1]])

    x = np.array([0.0, 4.0])
    expected = [[np.inf, 0.0], [0.0, 0.25], [np.inf, 1.0], [0.0, 1.0]]
    with np.errstate(all="ignore"):
        for jacobian in (ast_ad.jacfwd, ast_ad.jacrev):
            np.testing.assert_allclose(jacobian(way(function), backend=backend)(x), expected, rtol=1e-15)
        _, pull = ast_ad.vjp(way(function), x, backend=backend)
        np.testing.assert_allclose(pull(np.array([0.0, 1.0, 0.0, 1.0]))[0], [0.0, 1.25], rtol=1e-15)


def curve(p, t):
    r = np.zeros(len(t))
    for i in range(len(t)):
        r[i] = p[0] * np.exp(-p[1] * t[i]) + p[2] * np.sin(t[i])
    return r


def fitted(y, t):
    """Three steps of Gauss and Newton: each has a Jacobian, whose loop is read in its turn, and later."""
    p = np.array([1.0, 0.5, 0.1])
    for _ in range(3):
        r, slopes = curve(p, t) - y, ast_ad.jacfwd(curve)(p, t)
        p = p - np.linalg.solve(slopes.T @ slopes + 1e-6 * np.eye(3), slopes.T @ r)
    return p


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("operator", [ast_ad.jacrev, ast_ad.jacfwd])
def test_jacobians_in_a_loop_that_is_differentiated_stay_in_kernels(operator):
    t = np.linspace(0.0, 2.0, 7)
    y = 1.2 * np.exp(-0.4 * t) + 0.2 * np.sin(t) + 0.01 * np.cos(9.0 * t)
    compiled = operator(fitted, backend="numba")
    found, steps = compiled(y, t), 1e-5 * np.eye(7)
    np.testing.assert_allclose(found, operator(fitted, backend="numpy")(y, t), rtol=1e-9, atol=1e-12)
    differences = np.stack([(fitted(y + h, t) - fitted(y - h, t)) / 2e-5 for h in steps], axis=-1)
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-8)
    assert ".append(" not in compiled.source
    assert "NumPy code" not in compiled.explain()
