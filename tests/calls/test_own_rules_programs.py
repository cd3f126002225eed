"""Do rules of the user's own hold in odd programs: writes, loops, trees, aliases, methods, wrong rules?"""

import dataclasses
import functools
import math

import numpy as np
import pytest

import ast_ad

from .test_own_rules import WAYS, X, derivative
from .test_own_rules_composed import _quiet, with_vjp  # noqa: F401

seven = with_vjp(lambda x: x * x, lambda x: (x * x, x), lambda x, g: (7.0 * x * g,))
five = with_vjp(
    lambda xs: [x * 2 for x in xs], lambda xs: ([x * 2 for x in xs], None), lambda r, g: ([5 * b for b in g],)
)
applied = ast_ad.custom_vjp(lambda f, x: f(x), nondiff_argnums=0)
applied.defvjp(lambda f, x: (f(x), x), lambda f, x, g: (g * f(x),))


def written(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = seven(y[i]) + (y[i - 1] if i > 0 else 0.0)
    return np.sum(y)


def early(x):
    n, t = 0, x[0]
    while n < 3:
        if t > 50.0:
            return t
        t = seven(t)
        n += 1
    return t + x[1]


def branches(x):
    total = 0.0
    for i in range(3):
        if x[i] > 0.5:
            total = total + seven(x[i])
        else:
            total = total + x[i]
    return total


def _doubled_in_place(residuals, g):
    g *= 2.0
    g[0] = 0.0
    return (g,)


in_place = with_vjp(lambda x: x * 1.0, lambda x: (x * 1.0, None), _doubled_in_place)


def shared_cotangent(x):
    return np.sum(in_place(x) + x * 1.0)


product = with_vjp(
    lambda x, y: x * y, lambda x, y: (x * y, (x, y)), lambda r, g: (3.0 * g * r[1], 5.0 * g * r[0])
)
first_only = with_vjp(lambda x, y: x * y, lambda x, y: (x * y, y), lambda y, g: [g * y, None])
several = with_vjp(
    lambda x: (x * x, 3, np.argmax(x)), lambda x: ((x * x, 3, np.argmax(x)), x), lambda x, g: (g[0] * x,)
)


def integers_beside(x):
    a, n, k = several(x)
    return np.sum(a) * n + k * np.sum(a)


def run_time_list(x):
    values, total = [], 0.0
    for v in x:
        values.append(v * 1.0)
    for v in five(values):
        total = total + v
    return total


def residuals_of_all_kinds(x):
    return np.sin(x), {"k": (x, "s", None, [1, 2.0]), "f": np.cos}


kinds = with_vjp(np.sin, residuals_of_all_kinds, lambda r, g: (r["f"](r["k"][0]) * g * r["k"][3][1],))


@ast_ad.custom_vjp
def power(x, n):
    return x if n == 0 else x * power(x, n - 1)


power.defvjp(lambda x, n: (power(x, n), (x, n)), lambda r, g: (2.0 * g * (r[1] + 1) * r[0] ** r[1], None))
root = with_vjp(math.sqrt, lambda x: (math.sqrt(x), x), lambda x, g: (5.0 * g * x,))


class Layer:
    weight = 3.0

    @ast_ad.custom_jvp
    def __call__(self, x):
        return x * self.weight

    __call__.defjvp(lambda primals, tangents: (primals[1] * primals[0].weight, 11.0 * tangents[1]))

    @ast_ad.custom_vjp
    def scaled(self, x):
        return x * self.weight

    scaled.defvjp(lambda self, x: (x * self.weight, None), lambda r, g: (None, 13.0 * g))


layer = Layer()
signs = with_vjp(
    lambda x: x if x > 0 else -x,
    lambda x: (x, True) if x > 0 else (-x, False),
    lambda positive, g: (g,) if positive else (-2.0 * g,),
)

PROGRAMS = {
    "writes in a loop": (written, 7.0 * X * [3.0, 2.0, 1.0]),
    "while and return": (lambda x: early(x * 1.0), [7.0**3 * 0.3**7, 1.0, 0.0]),
    "branches": (branches, [1.0, 7.0, 14.0]),
    "a cotangent written in place": (shared_cotangent, [1.0, 3.0, 3.0]),
    "an argument twice": (lambda x: np.sum(product(x, x)), 8.0 * X),
    "None": (lambda x: np.sum(first_only(x, x)), X),
    "integers among results": (integers_beside, 5.0 * X),
    "an integer argument": (
        lambda x: np.sum(x * seven(3)) + np.sum(x * seven(np.arange(3))),
        9.0 + np.arange(3) ** 2,
    ),
    "a list": (lambda x: np.sum(five([x, x * X])[1]), 5.0 * X),
    "a list of run time": (run_time_list, np.full(3, 5.0)),
    "residuals": (lambda x: np.sum(kinds(x)), 2.0 * np.cos(X)),
    "recursion": (lambda x: power(x[0], 3) + 0.0 * np.sum(x), [8.0 * 0.3**3, 0.0, 0.0]),
    "a function of C": (lambda x: root(x[2]), [0.0, 0.0, 10.0]),
    "a function with a rule as an argument": (lambda x: np.sum(applied(seven, x)), X * X),
    "an object that is called": (lambda x: np.sum(layer(x)), np.full(3, 11.0)),
    "a method": (lambda x: np.sum(layer.scaled(x)), np.full(3, 13.0)),
    "a partial": (lambda x: np.sum(functools.partial(product, y=2.0 * X)(x)), 6.0 * X),
    "a value decides": (lambda x: signs(x[0]) + signs(-x[1]), [1.0, 2.0, 0.0]),
    "numbers of a comprehension": (lambda x: sum([seven(v) for v in x]), 7.0 * X),
    "a stopped write": (lambda x: stopped(x), [0.0, 1.0, 0.0]),
    "printing": (lambda x: np.sum(ast_ad.map_cotangent(x, lambda g: print(end="")) * X), X),
}


def stopped(x):
    y = ast_ad.stop_gradient({"x": x, "n": 3})["x"] * 1.0
    y[0] = x[1]
    return np.sum(y)


@pytest.mark.drawn(of=7)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, way):
    function, wanted = PROGRAMS[name]
    np.testing.assert_allclose(derivative(function, way)(X), wanted, rtol=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_complex_and_single_precision(way):
    z = X + 1j * X[::-1]
    square = with_vjp(lambda z: z * z, lambda z: (z * z, z), lambda z, g: (2.0 * np.conj(z) * g,))
    wanted = ast_ad.grad(lambda z: np.sum(np.abs(z * z) ** 2))(z)
    np.testing.assert_allclose(derivative(lambda z: np.sum(np.abs(square(z)) ** 2), way)(z), wanted)
    conjugate = ast_ad.custom_jvp(lambda z: np.conj(z))
    conjugate.defjvp(lambda primals, tangents: (np.conj(primals[0]), np.conj(tangents[0])))
    wanted = ast_ad.grad(lambda x: np.sum(np.real(np.conj(x) * z)))(z)
    np.testing.assert_allclose(derivative(lambda x: np.sum(np.real(conjugate(x) * z)), way)(z), wanted)
    found = derivative(lambda x: np.sum(seven(x)), way)(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 7.0 * X, rtol=1e-6)


weights = np.ones(3)
weighted = with_vjp(lambda x: x * weights, lambda x: (x * weights, None), lambda r, g: (g * weights,))
changing = with_vjp(lambda x: x * x, lambda x: (x * x, x), lambda x, g: (x * g,))


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("way", WAYS)
def test_what_rules_read_and_rules_themselves_may_change(way, monkeypatch):
    gradient = derivative(lambda x: np.sum(weighted(x)), way)
    np.testing.assert_array_equal(gradient(X), np.ones(3))
    monkeypatch.setitem(globals(), "weights", np.full(3, 2.0))
    np.testing.assert_array_equal(gradient(X), np.full(3, 2.0))
    weights[0] = 9.0
    np.testing.assert_array_equal(gradient(X), [9.0, 2.0, 2.0])
    gradient = derivative(lambda x: np.sum(changing(x)), way)
    for factor in (1.0, 4.0):
        changing.defvjp(lambda x: (x * x, x), lambda x, g, k=factor: (k * x * g,))
        np.testing.assert_array_equal(gradient(X), factor * X)


class Mine(Exception):
    pass


def _raises_for_large(x, g):
    if x[0] > 1.0:
        raise Mine("from the rule")
    return (g,)


raising = with_vjp(lambda x: x * 1.0, lambda x: (x * 1.0, x), _raises_for_large)


@pytest.mark.parametrize("way", [*WAYS, "first"])
def test_an_exception_of_a_rule_comes_through(way):
    gradient = derivative(lambda x: np.sum(raising(x)), "numpy" if way == "first" else way)
    if way != "first":
        np.testing.assert_array_equal(gradient(X), np.ones(3))
    for _ in range(2):
        with pytest.raises(Mine, match="from the rule"):
            gradient(X + 1.0)
    np.testing.assert_array_equal(gradient(X), np.ones(3))


itself = with_vjp(lambda x: x, lambda x: (x, None), lambda r, g: (5.0 * g,))


def read_after_the_result_was_written(x):
    z = x * 1.0
    y = itself(z)
    y[0] = 3.0
    return np.sum(z * X) + np.sum(y)


def result_read_after_a_write(x):
    z = x * 1.0
    y = itself(z)
    z[0] = 3.0
    return np.sum(y)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", [read_after_the_result_was_written, result_read_after_a_write])
def test_a_result_that_is_the_argument_is_not_written(function, way):
    with pytest.raises(ast_ad.AdError, match="write|written"):
        derivative(function, way)(X)


def _sum(forward, backward):
    return with_vjp(lambda x: np.sum(x), forward, backward)


def _writes(x):
    x[0] = 1.0
    return np.sum(x)


def _pairs(g):
    f = ast_ad.custom_jvp(lambda x: np.sum(x))
    f.defjvp(g)
    return f


keyword = with_vjp(lambda x, *, k=2.0: x * k, lambda x: (x * 2.0, None), lambda r, g: (2.0 * g,))
unruled = ast_ad.primitive(lambda x, y: np.array(x.tolist()) * y)
ast_ad.defvjp(unruled, lambda ans, x, y: lambda g: g * y)


class Pair:
    def __init__(self, value):
        self.value = value


ast_ad.register_container(Pair, lambda p: ((p.value,), None), lambda aux, parts: Pair(*parts))


def _to_list(held):
    held[0] = held[0] * 2.0
    return held[0]


def _to_the_end(held):
    held.append(2.0)
    return held[0] * held[-1]


def _to_dict(held):
    held["x"] = held["x"] * 2.0
    return held["x"]


def _to_object(held):
    held.value = held.value * 2.0
    return held.value


WRITES = {
    _to_list: lambda x: [x],
    _to_the_end: lambda x: [x],
    _to_dict: lambda x: {"x": x},
    _to_object: lambda x: Pair(x),
}


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("writes", WRITES)
def test_containers_are_not_written(writes, way):
    held = WRITES[writes]
    f = with_vjp(writes, lambda given: (writes(given), None), lambda r, g: (held(2.0 * g),))
    with pytest.raises(ast_ad.InputValueError, match=f"a write of `{writes.__name__}` to its argument"):
        derivative(lambda x: np.sum(f(held(x))), way)(X)


@dataclasses.dataclass(slots=True)
class Slotted:
    a: np.ndarray
    b: np.ndarray


@pytest.mark.parametrize("way", WAYS)
def test_cotangents_of_dataclasses_with_slots(way):
    f = with_vjp(
        lambda p: np.sum(p.a * p.b),
        lambda p: (np.sum(p.a * p.b), p),
        lambda p, g: (Slotted(b=g * p.a, a=7.0 * g * p.b),),
    )
    np.testing.assert_allclose(derivative(lambda x: f(Slotted(x, x * x)), way)(X), 7.0 * X**2 + 2.0 * X**2)


@pytest.mark.parametrize(
    "function, position", [(lambda x, y: x * y, 2), (lambda x, y: x * y, -3), (lambda *xs: xs[0] * xs[1], -1)]
)
def test_arguments_without_derivative_that_there_are_not(function, position):
    with pytest.raises(ast_ad.InputValueError, match=f"nondiff_argnums={position}"):
        ast_ad.custom_vjp(function, nondiff_argnums=position)
    with pytest.raises(ast_ad.InputTypeError, match="nondiff_argnums='a'"):
        ast_ad.custom_vjp(function, nondiff_argnums="a")
    assert ast_ad.custom_vjp(lambda x, *rest: x, nondiff_argnums=(3,)).nondiff == {3}


REFUSED = {
    "complex": (_sum(lambda x: (np.sum(x), x), lambda x, g: (g * x * 1j,)), "complex.*argument 0, `x`"),
    "a write": (
        with_vjp(_writes, lambda x: (_writes(x), None), lambda r, g: (g * X,)),
        "a write of `_writes`",
    ),
    "no pair of tangents": (_pairs(lambda p, t: np.sum(p[0])), "no pair"),
    "the shape of a tangent": (_pairs(lambda p, t: (np.sum(p[0]), t[0])), "an array of shape"),
    "an unknown value": (lambda x: np.sum(applied(lambda t: t * np.sum(x), x)), "none of its differentiated"),
    "by name only": (lambda x: np.sum(keyword(x, k=3.0)), "the argument `k`"),
    "no rule for the argument": (lambda x: np.sum(unruled(X, x)), "without a rule"),
    "defjvp": (ast_ad.custom_jvp(lambda x: np.sum(x)), "defjvp was never called"),
    "a changed cotangent": (lambda x: np.sum(ast_ad.map_cotangent(x, np.sum)), "map_cotangent"),
}


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("way", WAYS[::2])
@pytest.mark.parametrize("name", REFUSED)
def test_wrong_rules(name, way):
    function, message = REFUSED[name]
    with pytest.raises(ast_ad.AdError, match=message):
        derivative(function, way)(X)


@pytest.mark.parametrize("name", ["structure", "dtype", "shape"])
def test_a_rule_has_the_value_of_its_function(name):
    functions = {
        "structure": lambda x: (x, x),
        "dtype": lambda x: x.astype(np.float32),
        "shape": lambda x: np.sum(x),
    }
    f = with_vjp(functions[name], lambda x: (x * 1.0, None), lambda r, g: (g,))
    with pytest.raises(ast_ad.InputTypeError, match="the value that `fwd`"):
        ast_ad.grad(lambda x: np.sum(f(x)), check=True)(X)


def test_defaults_and_names():
    tree = with_vjp(
        lambda p, s=2.0: {"a": p["w"] * s, "b": (p["v"][0],)},
        lambda p, s: ({"a": p["w"] * s, "b": (p["v"][0],)}, (p, s)),
        lambda r, g: ({"w": g["a"] * r[1], "v": (g["b"][0] * 3.0, None)}, np.sum(g["a"] * r[0]["w"])),
    )
    given = {"w": X, "v": (1.0, 2.0)}
    for way in WAYS:
        found = derivative(lambda p: np.sum(tree(p, s=3.0)["a"]) + tree(p)["b"][0], way)(given)
        np.testing.assert_array_equal(found["w"], np.full(3, 3.0))
        assert found["v"] == (3.0, 0.0)
        assert derivative(lambda s: np.sum(tree(given, s=s)["a"]), way)(3.0) == pytest.approx(np.sum(X))


def test_a_recorded_cotangent():
    seen = []
    found = ast_ad.grad(lambda x: np.sum(ast_ad.map_cotangent(x, lambda g: seen.append(np.array(g))) * X))(X)
    np.testing.assert_array_equal(found, X)
    assert len(seen) == 1
    np.testing.assert_array_equal(seen[0], X)
