"""Are products with Jacobians and Hessians right: on both backends, traced, of tensors, within code?"""

import copy
import functools
import pickle
import warnings

import numpy as np
import pytest
import scipy.linalg

import ast_ad
from ast_ad.errors import InputTypeError, InputValueError, UnsupportedError
from ast_ad.rules import registry

from .functions import OF_ARRAYS, X, differences, loop_with_writes, number, straight

BACKENDS = ["numpy", "numba"]
V = np.array([0.7, -0.2, 1.1])


def along(jacobian, v):
    return np.tensordot(jacobian, v, axes=v.ndim)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_tangents(function, backend):
    """Against differences, the pullback (to rounding) and another point."""
    for x in (X, X + 0.05):
        value, tangent = ast_ad.jvp(function, (x,), (V,), backend=backend, fallback="error")
        np.testing.assert_allclose(value, function(x), rtol=1e-13)
        np.testing.assert_allclose(tangent, along(differences(function, x), V), rtol=1e-7, atol=1e-8)
        _, pull = ast_ad.vjp(function, x)
        g = np.cos(np.arange(np.size(value), dtype=float)).reshape(np.shape(value))[()]
        np.testing.assert_allclose(np.sum(g * tangent), np.sum(pull(g)[0] * V), rtol=1e-12, atol=1e-13)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_traced(function):
    expected = ast_ad.jvp(function, (X,), (V,), backend="numpy")
    opaque = eval("lambda x: function(x)", {"function": function})
    for found in (ast_ad.jvp(opaque, (X,), (V,)), ast_ad.jvp(function, (ast_ad.tensor(X),), (V,))):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-13, atol=1e-13)


@pytest.mark.drawn(of=17)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_hessian_vector_products(function, backend):
    def scalar(x):
        return np.sum(np.sin(function(x)))

    (found,) = ast_ad.hvp(scalar, (X,), (V,), backend=backend, fallback="error")
    np.testing.assert_allclose(found, ast_ad.hessian(scalar, backend="numpy")(X) @ V, rtol=1e-10, atol=1e-12)
    laplacian = ast_ad.laplacian(scalar, backend=backend, fallback="error")(X)
    np.testing.assert_allclose(laplacian, np.trace(ast_ad.hessian(scalar)(X)), rtol=1e-10, atol=1e-12)


def test_a_linearization_serves_many_tangents():
    value, push = ast_ad.linearize(loop_with_writes, X)
    jacobian = differences(loop_with_writes, X)
    for v in (V, 2.0 * V, np.zeros(3)):
        np.testing.assert_allclose(push(v), jacobian @ v, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(push(V + X), push(V) + push(X), rtol=1e-14)
    assert repr(push) == "<pushforward of loop_with_writes>"


def test_arguments_that_are_not_varied():
    def f(p, n, a):
        return {"y": p["x"] ** n * a, "n": n}

    p, dp = {"x": X, "k": 3}, {"x": V, "k": 0}
    value, tangent = ast_ad.jvp(f, (p, 3, 2.0), (dp, None, None))
    np.testing.assert_allclose(tangent["y"], 6.0 * X**2 * V)
    assert tangent["n"] == 0
    _, tangent = ast_ad.jvp(f, (p, 3, 2.0), (dp, None, 0.5))
    np.testing.assert_allclose(tangent["y"], 6.0 * X**2 * V + 0.5 * X**3)
    _, tangent = ast_ad.jvp(f, (p, 3, 2.0), (0.5,), argnums=2)
    np.testing.assert_allclose(tangent["y"], 0.5 * X**3)
    assert ast_ad.hvp(lambda x, n: np.sum(x**n), (X, 2), (V, None))[1] is None
    (found,) = ast_ad.hvp(lambda x, n: np.sum(x**n), (X, 2), (V,), argnums=0)
    np.testing.assert_allclose(found, 2.0 * V)


def scaled_power(p, x, n):
    return np.sum(x ** p["n"]) * p["s"] * n


def scaled_power_of_items(p, x, n):
    """The same, for traces only."""
    return eval("np.sum(x ** p['n'])", {"np": np}, {"x": x, "p": p}) * p["s"] * n


@pytest.mark.parametrize("function", [scaled_power, scaled_power_of_items])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_without_argnums_floats_beside_integers_are_varied(function, backend):
    """By all that ask for derivatives by every argument; an argument of integers alone is not."""
    p = {"n": 2, "s": 1.5}
    asked = {"backend": backend}
    _, pull = ast_ad.vjp(function, p, X, 3, **asked)
    of_p, of_x = pull(1.0)
    assert of_p["n"] == 0 and type(of_p["n"]) is int
    np.testing.assert_allclose((of_p["s"], *of_x), (3.0 * np.sum(X**2), *(9.0 * X)))
    assert of_p == ast_ad.grad(function, **asked)(p, X, 3)
    _, push = ast_ad.linearize(function, p, X, 3, **asked)
    for tangent in (
        push({"n": 0, "s": 0.5}, V, None),
        ast_ad.jvp(function, (p, X, 3), ({"n": 0, "s": 0.5}, V, None), **asked)[1],
    ):
        np.testing.assert_allclose(tangent, 0.5 * of_p["s"] + V @ of_x)


def test_floats_beside_integers_are_varied_within_compiled_code():
    def f(x):
        _, pull = ast_ad.vjp(scaled_power, {"n": 2, "s": x[0]}, x, 3)
        of_p, of_x = pull(1.0)
        return of_p["s"] + of_p["n"] + np.sum(of_x)

    np.testing.assert_allclose(
        ast_ad.grad(f, fallback="error")(X), 6.0 * X + 6.0 * X[0] + 6.0 * np.sum(X) * np.eye(len(X))[0]
    )


def test_infinite_numbers_beside_what_is_varied():
    """The zero tangent, or cotangent, of a number is no multiple of it."""

    def f(p):
        return p["a"] * 2.0, p["b"] * p["c"]

    p = {"a": np.inf, "b": 1.0, "c": 2.0}
    for operator in (ast_ad.jacfwd, ast_ad.jacrev):
        assert operator(f)(p) == ({"a": 2.0, "b": 0.0, "c": 0.0}, {"a": 0.0, "b": 2.0, "c": 1.0})
        complex_, single = operator(lambda z: z * z, holomorphic=True), operator(lambda s: s * s)
        assert complex_(2.0 + 1.0j) == 4.0 + 2.0j and complex_.mode == "compiled"
        found = single(np.float32(3.0))
        assert found == 6.0 and found.dtype == np.float32 and single.mode == "compiled"


@pytest.mark.parametrize("argnums, tangents", [(0, (V,)), (-2, (V,)), ((1, 0), (0.5, V)), (None, (V, None))])
def test_numbers_of_arguments_within_compiled_code(argnums, tangents):
    def f(x):
        value, tangent = ast_ad.jvp(lambda x, s: x * x * s, (x, 3.0), tangents, argnums=argnums)
        return np.sum(tangent)

    expected = 6.0 * V + (X if argnums == (1, 0) else 0.0)
    np.testing.assert_allclose(ast_ad.grad(f, fallback="error")(X), expected)


def test_operators_are_pickled_and_copied():
    for ask in (ast_ad.jacfwd, ast_ad.jacrev, ast_ad.jacobian, ast_ad.hessian):
        operator = ask(loop_with_writes, backend="numpy")
        for again in (pickle.loads(pickle.dumps(operator)), copy.deepcopy(operator)):
            np.testing.assert_array_equal(again(X), operator(X))
            assert repr(again).split(",")[0] == repr(operator).split(",")[0]


def test_aux_and_precision():
    value, tangent, aux = ast_ad.jvp(lambda x: (x * x, len(x)), (X,), (V,), has_aux=True)
    np.testing.assert_allclose(tangent, 2.0 * X * V)
    assert aux == 3
    single = X.astype(np.float32)
    for backend in BACKENDS:
        _, tangent = ast_ad.jvp(straight, (single,), (V,), backend=backend)
        assert tangent.dtype == np.float32


def test_complex_tangents_are_derivatives_along_them():
    z, v = np.array([0.3 + 0.4j, -1.0 + 0.2j]), np.array([0.2 - 0.5j, 1.0j])

    def f(z):
        return np.abs(z) ** 2 * np.exp(z)

    _, tangent = ast_ad.jvp(f, (z,), (v,))
    h = 1e-6
    np.testing.assert_allclose(tangent, (f(z + h * v) - f(z - h * v)) / (2 * h), rtol=1e-8)


def test_a_zero_tangent_meets_no_infinite_partial():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for backend in BACKENDS:
            _, tangent = ast_ad.jvp(
                lambda x: x[1] + np.sqrt(x[0]),
                (np.array([0.0, 1.0]),),
                (np.array([0.0, 1.0]),),
                backend=backend,
            )
            assert tangent == 1.0


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_within_a_function_that_is_differentiated(backend):
    """The derivative of the directional derivatives, by the point and by the direction."""

    def f(x, v):
        value, tangent = ast_ad.jvp(loop_with_writes, (x,), (v,))
        (second,) = ast_ad.hvp(number, (x,), (v,))
        return np.sum(tangent**2) + np.sum(second * value[:3]) + ast_ad.laplacian(number)(x)

    gradient = ast_ad.grad(f, argnums=(0, 1), backend=backend, fallback="error")
    for found, at in zip(gradient(X, V), (lambda x: f(x, V), lambda v: f(X, v)), strict=True):
        np.testing.assert_allclose(found, differences(at, X if at(X) == f(X, V) else V), rtol=1e-6)


def of_a_dict(p):
    return {"u": p["a"] * 2.0, "v": (p["b"] * 3.0, 7)}


ANY_ORDER = {"b": 1.0, "a": 10.0}
BACK = {"v": [1.0, None], "u": 10.0}


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_loop_of_unknown_length_within_a_function_that_is_differentiated(backend, monkeypatch):
    """The turns of the second loop read an index and a number of those of the first."""
    monkeypatch.setenv("AST_AD_CHECK", "1")

    def until(v):
        s, k = 1.0, 0
        while s < 3.0:
            s = s * v[k] + k
            k += 1
        return s

    def product(v):
        return ast_ad.linearize(until, v)[1](v)

    v = np.array([0.3, 1.2, 0.5, 1.5, 1.0])
    _, pull = ast_ad.vjp(product, backend=backend, fallback="error")(v)
    np.testing.assert_allclose(pull(1.0)[0], differences(product, v), rtol=1e-7, atol=1e-8)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("opaque", [False, True])
@pytest.mark.parametrize("tensors", [False, True])
def test_parts_belong_together_by_their_names(opaque, tensors):
    """Compiled, traced and with tensors: dicts in another order, a list for a tuple, None for an integer."""
    function = eval("lambda p: f(p)", {"f": of_a_dict}) if opaque else of_a_dict
    p = {name: ast_ad.tensor(value) if tensors else value for name, value in (("a", 1.0), ("b", 2.0))}
    _, push = ast_ad.linearize(function, p)
    given = {n: ast_ad.tensor(t) if tensors else t for n, t in ANY_ORDER.items()}
    _, pull = ast_ad.vjp(function, p)
    for tangent in (push(given), ast_ad.jvp(function, (p,), (given,))[1]):
        assert float(tangent["u"]) == 20.0 and float(tangent["v"][0]) == 3.0 and tangent["v"][1] == 0
    bars = pull(BACK)[0]
    assert float(bars["a"]) == 20.0 and float(bars["b"]) == 3.0
    wrong = {"a": 1.0, "c": 2.0}, {"a": 1.0}, {"a": (1.0,), "b": 2.0}, (1.0, 2.0), 1.0
    for other in wrong:
        with pytest.raises(InputValueError, match="structure"):
            push(other)
    for other in ({"u": 1.0, "w": (1.0, 7)}, {"u": 1.0, "v": (1.0,)}, (1.0, 1.0), 1.0):
        with pytest.raises(InputValueError, match="structure"):
            pull(other)


@pytest.mark.parametrize("backend", BACKENDS)
def test_parts_belong_together_by_their_names_within_compiled_code(backend):
    def f(a, b):
        p = {"a": a, "b": b}
        value, pull = ast_ad.vjp(of_a_dict, p)
        bars = pull({"v": [a, 0], "u": b})[0]
        _, tangent = ast_ad.jvp(of_a_dict, (p,), ({"b": a, "a": b},))
        return bars["a"] * 1000.0 + bars["b"] * 100.0 + tangent["u"] * 10.0 + tangent["v"][0]

    value, (by_a, by_b) = ast_ad.value_and_grad(f, argnums=(0, 1), backend=backend, fallback="error")(
        1.0, 2.0
    )
    assert (value, by_a, by_b) == (4000.0 + 300.0 + 40.0 + 3.0, 303.0, 2020.0)


def test_another_structure_within_compiled_code_is_an_error():
    def f(a):
        return ast_ad.vjp(of_a_dict, {"a": a, "b": a})[1]({"u": a, "w": (a, 0)})[0]["a"]

    with pytest.raises(InputValueError, match="structure"):
        ast_ad.grad(f, fallback="error")(1.0)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("opaque", [False, True])
def test_by_the_tangent_where_it_is_traced(opaque):
    """The arguments are plain, and the tangents part of a trace."""
    function = eval("lambda x: f(x)", {"f": loop_with_writes}) if opaque else loop_with_writes

    def f(v):
        return eval("g(v)", {"g": lambda v: np.sum(ast_ad.jvp(function, (X,), (v,))[1] ** 2), "v": v})

    gradient = ast_ad.grad(f)
    jacobian = ast_ad.jacrev(loop_with_writes)(X)
    np.testing.assert_allclose(gradient(V), 2.0 * jacobian.T @ jacobian @ V, rtol=1e-12)
    assert gradient.mode == "fallback"


def test_tensors_as_tangents_of_plain_arguments_are_refused():
    _, push = ast_ad.linearize(straight, X)
    with pytest.raises(InputTypeError, match="tensors as tangents"):
        push(ast_ad.tensor(V, requires_grad=True))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("at", [3.0, ast_ad.tensor(3.0), ast_ad.tensor(3.0, requires_grad=True)])
def test_tensors_that_the_function_reads_keep_their_part_of_the_graph(at):
    """Of the value, the tangent and the gradient, whether what they are taken by is a tensor or not."""
    w = ast_ad.tensor(2.0, requires_grad=True)

    def f(x):
        return x * x * w

    one = 1.0 if isinstance(at, float) else ast_ad.tensor(1.0)
    value, push = ast_ad.linearize(f, at)
    again, pull = ast_ad.vjp(f, at)
    parts = [value, push(one), again, pull(one)[0], *ast_ad.jvp(f, (at,), (one,))]
    parts += ast_ad.value_and_grad(f)(at) if isinstance(at, float) else ()
    for n, part in enumerate(parts):
        w.grad = None
        (part * 1.0).backward()
        assert float(w.grad) == (9.0, 6.0)[n % 2]


def clipped(x):
    return x * 1.0


def kept_where_positive(x):
    return x * 1.0


RULES = {
    clipped: lambda g, ans, x: np.clip(g, -1.0, 1.0),
    kept_where_positive: lambda g, ans, x: np.where(g > 0.0, g, 0.0),
}


@pytest.fixture
def rules_of_pullbacks(monkeypatch):
    """Rules that users may give, and that are not linear in the cotangent."""
    for function, rule in RULES.items():
        monkeypatch.setitem(registry._primitives, function, registry.Primitive(function, "vjp", rule))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::ast_ad.errors.DefectWarning")
@pytest.mark.parametrize("x", [X, ast_ad.tensor(X)], ids=["array", "tensor"])
@pytest.mark.parametrize("opaque", [False, True])
@pytest.mark.parametrize("inner", RULES)
def test_a_rule_that_is_not_linear_has_no_tangent(inner, opaque, x, rules_of_pullbacks):
    """It is a pullback's alone: told, and never passed off as the derivative."""

    def f(x):
        return inner(np.sin(x)) * 3.0

    function = eval("lambda x: f(x)", {"f": f}) if opaque else f
    assert len(ast_ad.jacrev(f, check=False)(X)) == 3
    for ask in (
        lambda: ast_ad.linearize(function, x, check=False)[1](V),
        lambda: ast_ad.jvp(function, (x,), (V,), check=False),
        lambda: ast_ad.jacfwd(function, check=False)(x),
    ):
        with pytest.raises(UnsupportedError, match="not linear in the cotangent"):
            ask()


def test_elementwise():
    np.testing.assert_allclose(ast_ad.elementwise_grad(np.tanh)(X), 1.0 / np.cosh(X) ** 2)
    second = ast_ad.elementwise_grad(ast_ad.elementwise_grad(np.tanh))
    np.testing.assert_allclose(second(X), -2.0 * np.tanh(X) / np.cosh(X) ** 2, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("traced", [False, True])
def test_arguments_by_keyword(traced, backend):
    def cubes(x, a=2.0, *, k):
        found = a * k * x**3
        return eval("found", {"found": found}) if traced else found

    def total(x, a=2.0, *, k):
        return np.sum(cubes(x, a, k=k))

    options = dict(backend=backend, fallback="trace" if traced else "error")
    elementwise = ast_ad.elementwise_grad(cubes, **options)
    laplacian = ast_ad.laplacian(total, **options)
    for args, kwargs, factor in (((X,), {"k": 2}, 4.0), ((), {"k": 2.0, "a": 1.0, "x": X}, 2.0)):
        np.testing.assert_allclose(elementwise(*args, **kwargs), factor * 3 * X**2, rtol=1e-13)
        np.testing.assert_allclose(laplacian(*args, **kwargs), factor * np.sum(6 * X), rtol=1e-13)


@pytest.mark.parametrize(
    "primals, tangents, error, told",
    [
        (X, (V,), InputTypeError, "primals of type ndarray"),
        ((X,), V, InputTypeError, "tangents of type ndarray"),
        ((X,), (V, V), InputValueError, "2 tangents"),
        ((X,), (V[:2],), InputValueError, "shape"),
        ((X,), (V[:2],), InputValueError, "argument 0 has shape"),
        ((), (), InputValueError, "without primals"),
        ((X,), ((V, V),), InputValueError, "structure"),
        ((X,), (V * 1j,), InputTypeError, "complex tangent"),
        ((np.arange(3),), (V,), InputTypeError, "no floats"),
        ((X,), (np.array(["a", "b", "c"]),), InputTypeError, "dtype"),
    ],
)
def test_bad_input(primals, tangents, error, told):
    with pytest.raises(error, match=told):
        ast_ad.jvp(straight, primals, tangents)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_other_arguments_than_the_function_has():
    """The exception of a call of the function, through the gradient within, too."""

    def product(x, y):
        return np.sum(x * y)

    for operator in (ast_ad.jvp, ast_ad.hvp):
        with pytest.raises(TypeError, match="missing a required argument: 'y'"):
            operator(product, (X,), (V,))
        with pytest.raises(TypeError, match="too many positional"):
            operator(product, (X, X, X), (V, V, V))


class Spring:
    def __init__(self, stiffness, rest):
        self.stiffness, self.rest = stiffness, rest

    def energy(self, x):
        return 0.5 * np.sum(self.stiffness * (x - self.rest) ** 2) ** 2


def weighted(p, x, n):
    return np.sum(p["w"] * x**n) * p["b"] ** 2


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("way", [*BACKENDS, "traced"])
def test_along_parts_of_arguments(way):
    p = {"w": V, "b": 3.0}
    f = eval("lambda p, x, n: f(p, x, n)", {"f": weighted}) if way == "traced" else weighted
    options = {} if way == "traced" else dict(backend=way, fallback="error")
    whole = functools.partial(ast_ad.jvp, weighted, (p, X, 3))
    zero = {"w": 0.0 * V, "b": 0.0}
    for wrt, tangents, same in [
        ("x", (V,), (None, V, None)),
        ("p['b']", (2.0,), (zero | {"b": 2.0}, None, None)),
        (["x", "p['w']"], (V, X), (zero | {"w": X}, V, None)),
    ]:
        value, tangent = ast_ad.jvp(f, (p, X, 3), tangents, wrt=wrt, **options)
        np.testing.assert_allclose((value, tangent), whole(same), rtol=1e-13)
    x_part, b_part = ast_ad.hvp(f, (p, X, 3), (V, 2.0), wrt=("x", "p['b']"), **options)
    both = ast_ad.hvp(weighted, (p, X, 3), (zero | {"b": 2.0}, V, None))
    np.testing.assert_allclose(x_part, both[1], rtol=1e-13)
    np.testing.assert_allclose(b_part, both[0]["b"], rtol=1e-13)

    def within(x):
        return (
            ast_ad.jvp(f, (p, x, 3), (2.0,), wrt="p['b']")[1] + ast_ad.hvp(f, (p, x, 3), (X,), wrt="x")[0][1]
        )

    found = ast_ad.grad(within, **options)(X)
    expected = 2.0 * 6.0 * p["b"] * V * X**2
    expected[1] += 6.0 * V[1] * X[1] * p["b"] ** 2
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_along_parts_of_the_owner_of_a_method():
    spring = Spring(2.0, V)
    value, tangent = ast_ad.jvp(spring.energy, (X,), (1.0,), wrt="self.stiffness")
    np.testing.assert_allclose(tangent, value, rtol=1e-14)  # twice the value over the stiffness of 2
    (second,) = ast_ad.hvp(spring.energy, (X,), (1.0,), wrt="self.stiffness")
    np.testing.assert_allclose(second, value / 2.0, rtol=1e-14)


@pytest.mark.parametrize("operator", [ast_ad.jvp, ast_ad.hvp])
@pytest.mark.parametrize(
    "tangents, options, error, told",
    [
        ((V,), dict(wrt="q"), InputValueError, "no parameter `q`"),
        ((V,), dict(wrt="x", argnums=1), InputTypeError, "argnums and wrt together"),
        ((V, V), dict(wrt="x"), InputValueError, "1 arguments in wrt"),
        ((V[:2],), dict(wrt="p['w']"), InputValueError, r"part `p\['w'\]` has shape"),
        ((1.0,), dict(wrt="p['z']"), InputValueError, "no item 'z'"),
        ((1.0,), dict(wrt="n"), InputTypeError, "a tangent of part `n`"),
    ],
)
def test_bad_parts(operator, tangents, options, error, told):
    with pytest.raises(error, match=told):
        operator(weighted, ({"w": V, "b": 3.0}, X, 3), tangents, **options)


def test_the_result_of_hvp_is_a_number():
    with pytest.raises(InputTypeError):
        ast_ad.hvp(straight, (X,), (V,))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_no_graph_is_left_on_what_belongs_to_none():
    x = ast_ad.tensor([1.0, 2.0])
    f = eval("lambda x: x * x")
    for found in (
        ast_ad.jacrev(f)(x),
        ast_ad.jacfwd(f)(x),
        *ast_ad.vjp(f, x)[1](x),
        *ast_ad.jvp(f, (x,), (x,)),
    ):
        assert not found.requires_grad and found.grad_fn is None


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("way", [*BACKENDS, "traced"])
@pytest.mark.parametrize("function", [lambda x: x, lambda x: x[1:], lambda x: (x, 2.0 * x)])
def test_results_share_memory_with_no_argument(function, way):
    """Where the function returns its argument, value and tangent are arrays of their own, and so is aux."""
    given = eval("lambda x: function(x)", {"function": function}) if way == "traced" else function
    options = {} if way == "traced" else dict(backend=way, fallback="error")
    x, v = X.copy(), V.copy()
    found = ast_ad.jvp(lambda x: (given(x), x), (x,), (v,), has_aux=True, **options)
    products = ast_ad.hvp(lambda x: 0.5 * np.sum(x * x), (x,), (v,), **options)
    rows = ast_ad.vmap(function, **options)(x[None])
    for leaf in ast_ad.trees.flatten((found, products, rows))[0]:
        assert not np.shares_memory(leaf, x) and not np.shares_memory(leaf, v)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_laplacian_by_a_part_of_an_argument(backend):
    def f(p, scale):
        return scale * np.sum(p["x"] ** 3) + p["y"] ** 2 * scale**4

    p = {"x": X, "y": 2.0}
    by_x, by_y, by_scale = (
        ast_ad.laplacian(f, wrt=wrt, backend=backend)(p, 2.0) for wrt in ("p['x']", "p['y']", "scale")
    )
    np.testing.assert_allclose((by_x, by_y, by_scale), (12.0 * np.sum(X), 32.0, 192.0), rtol=1e-12)

    def of_scale(scale):
        return ast_ad.laplacian(f, wrt="p['x']")(p, scale)

    assert ast_ad.grad(of_scale, backend=backend)(2.0) == pytest.approx(6.0 * np.sum(X))
    with pytest.raises(InputTypeError, match="several arguments"):
        ast_ad.laplacian(f, wrt=("p", "scale"))
    with pytest.raises(InputTypeError, match="argnums and wrt together"):
        ast_ad.laplacian(f, 1, wrt="p")


@pytest.mark.parametrize(
    "square", [np.diag([1.0, 2.0, 4.0]) + 0.1, np.eye(3)[[1, 2, 0]] + np.diag([1.0, 0.5, 0.0])]
)
@pytest.mark.parametrize("function", [np.linalg.eigvals, scipy.linalg.sqrtm, lambda a: np.roots(a[0] + 1.0)])
def test_tangents_are_real_where_values_are(function, square):
    """By the value: that of a matrix is real or complex, whatever the matrix."""

    def f(a):
        return function(a)

    direction = np.cos(np.arange(9.0)).reshape(3, 3)
    options = dict(backend="numpy", fallback="error")
    value, tangent = ast_ad.jvp(f, (square,), (direction,), **options)
    _, push = ast_ad.linearize(f, square, **options)
    expected = (f(square + 1e-6 * direction) - f(square - 1e-6 * direction)) / 2e-6
    for found in (tangent, push(direction)):
        assert found.dtype == value.dtype == f(square).dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("backend", BACKENDS)
def test_second_derivatives_of_a_root(backend):
    """The gradient's tangent is complex on the way, as the roots may be."""

    def largest(p):
        return np.max(np.real(np.roots(p)))

    p, v = np.array([1.0, -3.0, 1.5]), np.array([0.1, 0.2, 0.3])
    (found,) = ast_ad.hvp(largest, (p,), (v,), backend=backend, fallback="error")
    gradient = ast_ad.grad(largest)
    expected = (gradient(p + 1e-5 * v) - gradient(p - 1e-5 * v)) / 2e-5
    np.testing.assert_allclose(found, expected, rtol=1e-7)


# ----- functions whose paths meet, or whose lists have two names
def raising(x, s):
    try:
        p = x[0] / s
        if p < 0:
            raise ValueError("negative")
    except ValueError:
        p = x[0] * s
        if p < -5:
            raise RuntimeError("far too small") from None
    return p * p


def raising_in_a_callee(x, s):
    def scaled(y):
        if y > 100:
            raise ValueError("large")
        return y * s

    try:
        r = scaled(x[0])
    except ValueError:
        r = x[1]
    return r


def rows_of_two_names(x, s):
    rows = [[0.0] * 3 for _ in range(2)]
    rows[0][1] = x[1]
    same = rows[:]
    same[0][1] *= s
    return rows[0][1] ** 2


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", [raising, raising_in_a_callee, rows_of_two_names])
@pytest.mark.parametrize("first", [0.4, -0.6])
def test_paths_that_meet_are_no_writes_to_the_caller(f, first, backend):
    point, along = (np.array([first, -1.2]), 0.5), (np.array([0.3, 0.7]), -1.5)
    value, tangent = ast_ad.jvp(f, point, along, backend=backend, fallback="error")
    gradient = ast_ad.grad(f, argnums=(0, 1), backend=backend, fallback="error")(*point)
    assert value == f(*point)
    np.testing.assert_allclose(tangent, gradient[0] @ along[0] + gradient[1] * along[1], rtol=1e-12)


def test_a_write_to_a_variable_of_the_caller_is_still_refused():
    def outer(x):
        kept = 0.0

        def loss(y):
            nonlocal kept
            kept = y * y
            return y * x

        return ast_ad.grad(loss)(x) + kept

    with pytest.raises(ast_ad.UnsupportedError, match="a write to a local variable outside"):
        ast_ad.grad(outer, fallback="error")(3.0)


def displays(x, s):
    y = np.ones((2, 2)) - [x * s, x]
    return np.sum(y * (s, x[0])) + np.sum(np.subtract([x, [s, 2.0]], y)) + np.sum(x + [s])


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_displays_beside_arrays(backend):
    """Of arrays and numbers: they are arrays to operators and ufuncs, in both directions."""
    point, along = (np.array([0.4, -1.2]), 0.5), (np.array([0.3, 0.7]), -1.5)
    value, tangent = ast_ad.jvp(displays, point, along, backend=backend, fallback="error")
    gradient = ast_ad.grad(displays, argnums=(0, 1), backend=backend, fallback="error")(*point)
    np.testing.assert_allclose(value, displays(*point), rtol=1e-14)
    np.testing.assert_allclose(tangent, gradient[0] @ along[0] + gradient[1] * along[1], rtol=1e-12)
    ast_ad.check_grads(displays, point, order=2)


@pytest.mark.parametrize("backend", BACKENDS)
def test_derivatives_of_numbers_of_python_are_such(backend):
    """As the gradient is: of a float a float, of NumPy's number one of NumPy."""

    def f(x, y):
        return x**3 * np.float64(1.0) * y

    (by_float, by_numpy) = ast_ad.hvp(f, (2.0, np.float64(3.0)), (1.0, 0.0), backend=backend)
    assert (type(by_float), type(by_numpy)) == (float, np.float64)
    assert (by_float, by_numpy) == (36.0, 12.0)
    assert type(ast_ad.hvp(lambda x: x["a"] ** 2, ({"a": 1.0},), ({"a": 1.0},))[0]["a"]) is float
    value, tangent = ast_ad.jvp(lambda x: x**3, (2.0,), (1.0,), backend=backend)
    assert (type(value), type(tangent), tangent) == (float, float, 12.0)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("ask", ["jvp", "vjp", "linearize"])
@pytest.mark.parametrize(
    "function",
    [lambda x: "a", lambda x: f"{x}", lambda x: b"a", lambda x: np.sin, lambda x: eval("str(x)", {"x": x})],
)
def test_text_and_functions_have_no_derivative(function, ask):
    with pytest.raises(InputTypeError, match="the derivative of .*|it is no number"):
        if ask == "jvp":
            ast_ad.jvp(function, (1.0,), (1.0,))
        else:
            getattr(ast_ad, ask)(function, 1.0)
    assert ast_ad.vjp(lambda x: (x, "a"), 1.0, has_aux=True)[2] == "a"


def mixed(p, x):
    return {"h": x * p["a"] * p["layers"][0]["w"] * p["k"], "n": p["k"]}


MIXED = {"a": 2.0, "k": 3, "layers": [{"w": np.array([1.0, 4.0]), "on": True}]}
ALONG_MIXED = {"a": 1.0, "k": None, "layers": [{"w": np.array([10.0, 0.0]), "on": None}]}


def pushed_within(p, x):
    return ast_ad.linearize(mixed, p, x)[1](ALONG_MIXED, 1.0)["h"]


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("opaque", [False, True])
def test_an_argument_with_integers_among_its_floats_is_varied(opaque):
    """Its tangent counts, though nobody has chosen the argument: integers in it are left alone."""
    function = eval("lambda p, x: f(p, x)", {"f": mixed}) if opaque else mixed
    _, push = ast_ad.linearize(function, MIXED, 5.0)
    expected = ast_ad.jvp(function, (MIXED, 5.0), (ALONG_MIXED, 1.0))[1]
    found = push(ALONG_MIXED, 1.0)
    np.testing.assert_allclose(found["h"], [3 * (1 * 2 + 5 * 1 + 5 * 20), 3 * 4 * (2 + 5)])
    np.testing.assert_array_equal(found["h"], expected["h"])
    assert found["n"] == 0
    np.testing.assert_allclose(push(None, 1.0)["h"], [6.0, 24.0])


def test_an_argument_with_integers_among_its_floats_within_compiled_code():
    found = ast_ad.jacfwd(pushed_within, argnums=1, fallback="error")(MIXED, 5.0)
    np.testing.assert_allclose(found, [3 * (1 + 20), 3 * 4])


def test_a_tangent_that_would_be_dropped_is_refused():
    _, push = ast_ad.linearize(lambda x, n: x * n, 2.0, 3)
    assert push(1.0, None) == 3.0
    with pytest.raises(InputTypeError, match="a tangent of argument `n`"):
        push(1.0, 1.0)

    def within(x):
        return ast_ad.linearize(lambda x, n: x * n, x, 3)[1](1.0, 1.0)

    with pytest.raises(InputTypeError, match="a tangent of argument `n`"):
        ast_ad.grad(within)(2.0)


def test_tangents_of_what_is_passed_by_keyword():
    """In the order of the parameters."""

    def f(a, b=2.0, *, k=3.0, n=1):
        return a * b * k * n

    derivative = ast_ad.linearize(f)
    assert derivative(5.0, k=7.0)[1](1.0, 1.0) == 2.0 * 7.0 + 5.0 * 2.0
    assert derivative(5.0, n=4, k=7.0)[1](1.0, 1.0, None) == 4 * (2.0 * 7.0 + 5.0 * 2.0)
    assert derivative(5.0, k=7.0, b=1.0)[1](0.0, 1.0, 1.0) == 5.0 * 7.0 + 5.0
    with pytest.raises(InputTypeError, match="a tangent of argument `n`"):
        derivative(5.0, n=4)[1](1.0, 1.0)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_tangents_of_pythons_numbers_do_not_widen(backend):
    """``s * x`` is in single precision, where ``s`` is a float; so is its tangent."""
    x = np.array([0.5, 1.0, 2.0], np.float32)
    for given in (2.0, np.float64(2.0), np.ones(()) * 2.0, 2):
        value, push = ast_ad.linearize(lambda x, s: s * x, backend=backend, fallback="error")(x, 3.0)
        assert value.dtype == push(x, given).dtype == np.float32
        np.testing.assert_array_equal(push(x, given), 5.0 * x)


def test_hvp_with_aux():
    def f(x, y):
        return np.sum(x**3 * y), (2 * x, "text")

    x, y, v = X, X + 2.0, np.ones_like(X)
    (by_x, by_y), aux = ast_ad.hvp(f, (x, y), (v, None), has_aux=True)
    np.testing.assert_allclose(by_x, 6 * x * y)
    assert by_y is None and aux[1] == "text" and np.array_equal(aux[0], 2 * x)
    (by_named,), _ = ast_ad.hvp(f, (x, y), (v,), wrt="x", has_aux=True)
    np.testing.assert_allclose(by_named, by_x)

    def inside(x):
        (product,), (twice, _) = ast_ad.hvp(f, (x, y), (v,), argnums=0, has_aux=True)
        return np.sum(product) + np.sum(twice)

    np.testing.assert_allclose(ast_ad.grad(inside, fallback="error")(x), 6 * y + 2)
