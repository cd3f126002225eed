"""Are rules of the user's own composed with operators and with themselves as in JAX?

The rules here differ from the derivatives of the functions, so that it shows which of the two is used: a
first derivative is the rule, a further one that of the rule's code.
"""

import numpy as np
import pytest

import ast_ad

from .test_own_rules import WAYS, X

SIN, COS = np.sin(X), np.cos(X)


def followed(function, way):
    return (lambda *args: eval("f(*args)", {"f": function, "args": args})) if way == "traced" else function


@pytest.fixture(autouse=True)
def _quiet():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ast_ad.FallbackWarning)
        yield


def with_vjp(function, forward, backward):
    found = ast_ad.custom_vjp(function)
    found.defvjp(forward, backward)
    return found


def thrice(x, g):
    return (3.0 * np.cos(x) * g,)


plain = with_vjp(lambda x: np.sin(x), lambda x: (np.sin(x), x), thrice)
itself = with_vjp(lambda x: np.sin(x), lambda x: (itself(x), x), thrice)
both = with_vjp(lambda x: np.sin(x), lambda x: (np.sin(x), x), thrice)
both.defjvp(lambda primals, tangents: (np.sin(primals[0]), 5.0 * np.cos(primals[0]) * tangents[0]))
tangent = ast_ad.custom_jvp(lambda x: np.sin(x))
tangent.defjvp(lambda primals, tangents: (np.sin(primals[0]), 5.0 * np.cos(primals[0]) * tangents[0]))
parts = ast_ad.custom_jvp(lambda x: np.sin(x))
parts.defjvps(lambda t, ans, x: 5.0 * np.cos(x) * t)
opaque = ast_ad.primitive(lambda x: np.array([float(np.sin(v)) for v in x.tolist()]))
ast_ad.defvjp(opaque, lambda ans, x: lambda g: 3.0 * np.cos(x) * g)

# The factor of the first derivative in reverse and forward mode; of the value in the second.
RULES = {
    "plain": (plain, 3.0, None, 1.0),
    "itself": (itself, 3.0, None, 3.0),
    "both": (both, 3.0, 5.0, 1.0),
    "tangent": (tangent, 5.0, 5.0, 1.0),
    "parts": (parts, 5.0, 5.0, 5.0),
    "opaque": (opaque, 3.0, 3.0, 3.0),
}


@pytest.mark.drawn(of=12)
@pytest.mark.parametrize("way", WAYS[::2])
@pytest.mark.parametrize("name", RULES)
def test_operators_take_the_rule(name, way):
    f, reverse, forward, further = RULES[name]
    loss = followed(lambda x: np.sum(f(x) ** 2), way)
    found = followed(f, way)
    np.testing.assert_allclose(ast_ad.grad(loss)(X), 2 * reverse * SIN * COS, rtol=1e-12)
    np.testing.assert_allclose(ast_ad.jacrev(found)(X), np.diag(reverse * COS), rtol=1e-12)
    if forward is None:
        for ask in (lambda: ast_ad.jvp(loss, (X,), (X,)), lambda: ast_ad.jacfwd(found)(X)):
            with pytest.raises(ast_ad.InputTypeError, match="a tangent of"):
                ask()
    else:
        np.testing.assert_allclose(ast_ad.jacfwd(found)(X), np.diag(forward * COS), rtol=1e-12)
        _, push = ast_ad.linearize(loss, X)
        np.testing.assert_allclose(push(X), np.sum(2 * forward * SIN * COS * X), rtol=1e-12)
    second = 2 * reverse * (further * COS**2 - SIN**2)
    np.testing.assert_allclose(ast_ad.hessian(loss)(X), np.diag(second), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(ast_ad.hvp(loss, (X,), (X,))[0], second * X, rtol=1e-12)
    twice = ast_ad.grad(lambda x: np.sum(ast_ad.grad(loss)(x)))
    np.testing.assert_allclose(twice(X), second, rtol=1e-12)
    assert ast_ad.laplacian(loss)(X) == pytest.approx(np.sum(second))


def nested_twice(x):
    return inner(x) * x


def nested_forward(x):
    return inner(x) * x, (x, tangent(x))


inner = with_vjp(lambda x: np.sin(x), lambda x: (np.sin(x), x), thrice)
nested = with_vjp(nested_twice, nested_forward, lambda r, g: (g * r[1] + inner(r[0]),))


@pytest.mark.parametrize("way", WAYS[::2])
def test_rules_within_rules_at_the_third_order(way):
    """The numbers are JAX's, of the same program."""
    loss = followed(lambda x: np.sum(nested(x) ** 2), way)

    def squares(x):
        return np.sum(ast_ad.grad(loss)(x) ** 2)

    third = ast_ad.grad(lambda x: np.sum(ast_ad.grad(squares)(x)))
    np.testing.assert_allclose(third(X), [18.9817714, 77.44681345, -221.3281019], rtol=1e-8)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("way", WAYS)
def test_the_fifth_derivative(way):
    cube = with_vjp(lambda x: x * x * x, lambda x: (cube(x), x), lambda x, g: (3.0 * x * x * g,))
    found = followed(lambda x: cube(x) * x**4, way)
    for _ in range(5):
        found = (lambda f: ast_ad.grad(lambda x: f(x)))(found)
    assert found(1.1) == pytest.approx(2520.0 * 1.1**2)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("way", WAYS)
def test_derivatives_within_differentiated_code(way):
    def loss(x):
        value, gradient = ast_ad.value_and_grad(lambda z: np.sum(plain(z) * x))(x)
        outer = ast_ad.grad(lambda z: np.sum(z * z * plain(x)))(X)
        rows = ast_ad.jacrev(lambda z: plain(z))(x)
        _, along = ast_ad.jvp(lambda z: tangent(z), (x,), (X,))
        return value + np.sum(gradient) + np.sum(outer) + np.sum(rows) + np.sum(along)

    found = ast_ad.grad(followed(loss, way))(X)
    value = COS * X + SIN
    gradient = 3.0 * COS - 3.0 * SIN * X
    wanted = value + gradient + 6.0 * X * COS - 3.0 * SIN - 5.0 * SIN * X
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("way", WAYS[::2])
def test_a_cotangent_that_is_changed_has_a_tangent_where_that_is_linear(way):
    def loss(change):
        return followed(lambda x: np.sum(ast_ad.map_cotangent(x, change) ** 3), way)

    scaled, clipped = loss(lambda g: 2.0 * g), loss(lambda g: np.clip(g, -1.0, 1.0))
    assert ast_ad.jvp(scaled, (X,), (X,))[1] == pytest.approx(np.sum(6.0 * X**3))
    np.testing.assert_allclose(ast_ad.hvp(scaled, (X,), (X,))[0], 12.0 * X * X)
    np.testing.assert_allclose(ast_ad.hvp(clipped, (X,), (X,))[0], 6.0 * X * X * (3.0 * X**2 < 1.0))
    for change in (clipped, loss(lambda g: g * g), loss(lambda g: g + 1.0), loss(lambda g: g / (1 + g * g))):
        with pytest.raises(ast_ad.AdError, match="a tangent of"):
            ast_ad.jvp(change, (X,), (X,))


@pytest.mark.drawn(of=7)
@pytest.mark.parametrize("way", WAYS[::2])
@pytest.mark.parametrize(
    "rule",
    [
        lambda x, t: t + x,
        lambda x, t: np.abs(t),
        lambda x, t: t * t,
        lambda x, t: np.where(x > 0.5, t, x),
        lambda x, t: np.cos(x),
        lambda x, t: np.ones(len(x)),
    ],
)
def test_a_tangent_that_is_not_linear_is_refused(rule, way):
    f = ast_ad.custom_jvp(lambda x: x * x)
    f.defjvp(lambda primals, tangents: (primals[0] ** 2, rule(primals[0], tangents[0])))
    for ask in (ast_ad.grad, lambda g: lambda x: ast_ad.jvp(g, (x,), (x,))):
        with pytest.raises(ast_ad.InputValueError, match="not linear"):
            ask(followed(lambda x: np.sum(f(x)), way))(X)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("way", WAYS[::2])
@pytest.mark.parametrize("rule", [lambda x, t: np.zeros_like(x), lambda x, t: 0.0 * x, lambda x, t: None])
def test_a_tangent_of_zeros_is_linear(rule, way):
    f = ast_ad.custom_jvp(lambda x: x * x)
    f.defjvp(lambda primals, tangents: (primals[0] ** 2, rule(primals[0], tangents[0])))
    function = followed(lambda x: np.sum(f(x) + x), way)
    np.testing.assert_allclose(ast_ad.grad(function)(X), np.ones_like(X))
    np.testing.assert_allclose(ast_ad.jvp(function, (X,), (X,))[1], np.sum(X))


def test_what_is_added_to_zeros_is_linear():
    def rule(primals, tangents):
        out, total = np.zeros(3), 0.0
        for i in range(3):
            total = total + tangents[0][i]
            out[i] = total
        return np.cumsum(primals[0]), 0.0 + out + np.where(primals[0] > 5.0, tangents[0], 0.0)

    f = ast_ad.custom_jvp(lambda x: np.cumsum(x))
    f.defjvp(rule)
    found = ast_ad.grad(lambda x: np.sum(f(x)), fallback="error")(X)
    np.testing.assert_array_equal(found, [3.0, 2.0, 1.0])


def test_check_grads_finds_a_wrong_rule():
    right = with_vjp(lambda x: x * x, lambda x: (x * x, x), lambda x, g: (2.0 * x * g,))
    ast_ad.check_grads(lambda x: right(x) * X, (X,), order=2, modes=("rev",))
    for wrong, modes in ((plain, ("rev",)), (tangent, ("fwd", "rev")), (parts, ("fwd",))):
        with pytest.raises(AssertionError):
            ast_ad.check_grads(lambda x, f=wrong: np.sum(f(x)), (X,), order=1, modes=modes)


def test_a_check_of_the_program_is_none_of_the_rule():
    np.testing.assert_allclose(ast_ad.grad(lambda x: np.sum(plain(x)), check=True)(X), 3.0 * COS)
    traced = ast_ad.grad(lambda x: np.sum(eval("f(x)", {"f": plain, "x": x})), check=True)
    np.testing.assert_allclose(traced(X), 3.0 * COS)


def test_tensors():
    x = ast_ad.torch.tensor(X, requires_grad=True)
    (found,) = ast_ad.torch.autograd.grad(plain(x).sum(), x, create_graph=True)
    (found * found).sum().backward()
    np.testing.assert_allclose(found.detach().numpy(), 3.0 * COS)
    np.testing.assert_allclose(x.grad.numpy(), -18.0 * COS * SIN)
    y = ast_ad.torch.tensor(X, requires_grad=True)
    ast_ad.grad(lambda x: np.sum(tangent(x) * X))(y).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), -5.0 * SIN * X)
    with pytest.raises(ast_ad.InputTypeError, match="a tangent of"):
        ast_ad.jvp(lambda x: plain(x), (y,), (y,))
