"""Does every form of asking for a derivative work, and does a call leave everything else alone?"""

import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import linecache
import multiprocessing
import os
import pickle
import sys
import threading
import traceback

import numpy as np
import pytest
import scipy.optimize

import ast_ad
from ast_ad import AdError, InputTypeError, InputValueError, grad, inspect, value_and_grad, vjp

X = np.array([0.5, -1.5, 2.0])
Point = collections.namedtuple("Point", "x y")


def quadratic(x, y=2.0, *, power=2):
    return np.sum(x**power) * y


def three(a, b, c):
    return np.sum(a * b**2) + c**3


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float
    name: str = "layer"


class Model:
    rate = 0.5

    def __init__(self, w):
        self.w = np.asarray(w, float)

    def loss(self, x):
        return np.sum(np.tanh(self.w * x) ** 2) * self.rate

    @grad
    def slope(self, x):
        return np.sum(self.w * x**2)

    @value_and_grad(wrt="b")
    def both(self, a, b):
        return np.sum(self.w * a * b**3)

    @staticmethod
    @grad
    def free(x):
        return np.sum(x**3)


def sum_of_cubes(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 3
    return total


# ----- which arguments
def test_argnums_and_names():
    a, b, c = X, X + 1, 2.0
    ga, gb, gc = b**2, 2 * a * b, 12.0
    np.testing.assert_allclose(grad(three)(a, b, c), ga)
    np.testing.assert_allclose(grad(three, 1)(a, b, c), gb)
    np.testing.assert_allclose(grad(three, argnums=-2)(a, b, c), gb)
    assert grad(three, -1)(a, b, c) == gc
    for found in (
        grad(three, (2, 0))(a, b, c),
        grad(three, wrt=("c", "a"))(a, b, c),
        grad(three, [2, 0])(a, b, c),
    ):
        assert isinstance(found, tuple) and found[0] == gc
        np.testing.assert_allclose(found[1], ga)
    (one,) = grad(three, (1,))(a, b, c)
    np.testing.assert_allclose(one, gb)
    np.testing.assert_allclose(grad(three, wrt="b")(a, c=c, b=b), gb)
    np.testing.assert_allclose(grad(three, np.int64(1))(a, b, c), gb)


@pytest.mark.parametrize(
    "ask, error, words",
    [
        (lambda: grad(three, 3)(X, X, 1.0), InputValueError, "argnums=3"),
        (lambda: grad(three, -4)(X, X, 1.0), InputValueError, "argnums=-4"),
        (lambda: grad(three, "b"), InputTypeError, "wrt="),
        (lambda: grad(three, np.array([0, 1])), InputTypeError, "it is no integer"),
        (lambda: grad(three, True), InputTypeError, "it is no integer"),
        (lambda: grad(lambda *args: args[0], wrt="args"), InputValueError, "argnums="),
        (lambda: grad(len)(argparse.Namespace(a=X)), InputTypeError, "choose its parts"),
        (lambda: grad(three, 0, wrt="a"), InputTypeError, "together"),
        (lambda: grad(three, wrt="d"), InputValueError, "no such parameter"),
        (lambda: grad(3.0), InputTypeError, "not callable"),
        (lambda: grad(three, fallback="eager"), InputValueError, "fallback"),
        (lambda: grad(three, colour=1), AdError, "colour"),
    ],
)
def test_questions_without_a_meaning(ask, error, words):
    with pytest.raises(error, match=words):
        ask()


def test_keywords():
    np.testing.assert_allclose(grad(quadratic)(X), 4 * X)
    np.testing.assert_allclose(grad(quadratic)(X, y=3.0), 6 * X)
    np.testing.assert_allclose(grad(quadratic)(X, power=3), 6 * X**2)
    np.testing.assert_allclose(grad(quadratic)(x=X, power=3), 6 * X**2)
    assert grad(quadratic, wrt="y")(X, 5.0) == np.sum(X**2)
    with pytest.raises(TypeError):
        grad(quadratic)(X, nothing=1)
    with pytest.raises(TypeError):
        grad(quadratic)()


def test_parameters_with_defaults_and_keyword_only_ones():
    def f(x, y=2.0, *rest, a=3.0, b):
        return np.sum(x) * y**2 + a**3 * b + sum(rest)

    assert grad(f, wrt="y")(X, b=1.0) == 4 * np.sum(X)
    assert grad(f, 1)(X, b=1.0) == 4 * np.sum(X)
    assert grad(f, wrt="b")(X, b=1.0) == 27.0
    assert grad(f, wrt=("b", "a"))(X, b=1.0) == (27.0, 27.0)
    assert grad(f, wrt="a")(X, 1.0, 5.0, 6.0, b=2.0) == 54.0
    assert grad(f, wrt="b")(X, 1.0, 5.0, 6.0, b=2.0, a=1.0) == 1.0
    assert grad(f, 3)(X, 1.0, 5.0, 6.0, b=2.0) == 1.0
    f.__defaults__ = (5.0,)
    assert grad(f, 1)(X, b=1.0) == 10 * np.sum(X)


def test_variadic_functions():
    def f(*args, **options):
        total = 0.0
        for a in args:
            total = total + np.sum(a**2)
        return total * options.get("scale", 1.0)

    np.testing.assert_allclose(grad(f, (0, 2))(X, 1.0, X + 1)[1], 2 * (X + 1))
    np.testing.assert_allclose(grad(f)(X, scale=3.0), 6 * X)


# ----- containers
def test_containers_in_and_out():
    def loss(p):
        return (
            np.sum(p["w"][0] ** 2) * p["pair"].x + np.sum(p["w"][1]) * p["data"].b ** 2 if p["flag"] else 0.0
        )

    p = {"w": [X, X + 1], "pair": Point(2.0, 1.0), "data": Params(X, 3.0), "flag": True, "none": None}
    value, g = value_and_grad(loss)({**p, "w": [X, X + 1]})
    assert value == loss(p)
    assert (
        list(g) == list(p) and type(g["w"]) is list and type(g["pair"]) is Point and type(g["data"]) is Params
    )
    np.testing.assert_allclose(g["w"][0], 4 * X)
    np.testing.assert_allclose(g["w"][1], np.full(3, 9.0))
    assert g["pair"] == (np.sum(X**2), 0.0)
    assert g["data"].b == 6.0 * np.sum(X + 1) and g["data"].name == "layer" and not g["data"].w.any()
    assert g["flag"] is True and g["none"] is None


def test_containers_as_results_of_aux_and_vjp():
    def f(x):
        return np.sum(x**2), {"x": x, "pair": Point(x[0], [1, "a"]), "params": Params(2 * x, 1.5)}

    g, aux = grad(f, has_aux=True)(X)
    (value, again), g2 = value_and_grad(f, has_aux=True)(X)
    np.testing.assert_allclose(g, 2 * X)
    np.testing.assert_array_equal(g, g2)
    assert value == np.sum(X**2)
    for found in (aux, again):
        assert (
            type(found["pair"]) is Point and found["pair"].y == [1, "a"] and type(found["params"]) is Params
        )
        np.testing.assert_array_equal(found["params"].w, 2 * X)

    def parts(x):
        return {"a": x**2, "b": (np.sum(x), [x[0]])}

    value, pull = vjp(parts, X)
    (g,) = pull({"a": np.ones(3), "b": (2.0, [10.0])})
    np.testing.assert_allclose(g, 2 * X + 2 + np.array([10.0, 0, 0]))
    assert list(value) == ["a", "b"]


def test_has_aux_needs_a_pair():
    with pytest.raises(InputTypeError, match="pair"):
        grad(lambda x: np.sum(x), has_aux=True)(X)


# ----- forms of functions
def test_decorators():
    @grad
    def one(x):
        """Doc."""
        return np.sum(x**2)

    @grad(argnums=1)
    def two(a, b):
        return np.sum(a * b**2)

    @value_and_grad(wrt=("a",), has_aux=True)
    def both(a):
        return np.sum(a), a

    np.testing.assert_allclose(one(X), 2 * X)
    np.testing.assert_allclose(two(X, X), 2 * X * X)
    assert both(X)[0][0] == np.sum(X)
    assert one.__name__ == "one" and one.__doc__ == "Doc."


def test_methods():
    m, other = Model([1.0, 2, 3]), Model([4.0, 5, 6])
    np.testing.assert_allclose(m.slope(X), 2 * m.w * X)
    np.testing.assert_allclose(other.slope(X), 2 * other.w * X)
    m.w = np.array([7.0, 8, 9])
    np.testing.assert_allclose(m.slope(X), 2 * m.w * X)
    np.testing.assert_allclose(Model.slope.as_method()(m, X), 2 * m.w * X)
    value, g = m.both(X, X)
    np.testing.assert_allclose(g, 3 * m.w * X * X**2)
    np.testing.assert_allclose(Model.free(X), 3 * X**2)
    np.testing.assert_allclose(m.free(X), 3 * X**2)
    t = np.tanh(m.w * X)
    np.testing.assert_allclose(grad(m.loss)(X), (1 - t**2) * t * m.w)
    np.testing.assert_allclose(grad(Model.loss, 1)(m, X), (1 - t**2) * t * m.w)


def test_objects_of_one_class_share_a_program():
    slope = grad(Model.loss, 1)
    for i in range(5):
        slope(Model([i, 1.0, 2.0]), X)
    assert "1 program compiled" in repr(slope)


def test_decorated_methods_inside_of_compiled_code():
    def outer(m, x):
        return np.sum(m.slope(x) * x)

    m = Model([1.0, 2, 3])
    np.testing.assert_allclose(grad(outer, 1)(m, X), 4 * m.w * X)


def test_dispatchers():
    compiled = pytest.importorskip("numba").njit(sum_of_cubes)
    np.testing.assert_allclose(grad(compiled)(X), 3 * X**2)
    np.testing.assert_allclose(grad(lambda x: compiled(x) ** 2)(X), 6 * X**2 * np.sum(X**3))


def test_partials_and_lambdas():
    np.testing.assert_allclose(grad(functools.partial(quadratic, y=3.0))(X), 6 * X)
    np.testing.assert_allclose(grad(functools.partial(three, X))(X, 1.0), 2 * X * X)
    np.testing.assert_allclose(grad(lambda x: np.sum(np.sin(x)))(X), np.cos(X))

    class Energy:
        k = 2.0

        def __call__(self, x):
            return self.k * np.sum(x**2)

    np.testing.assert_allclose(grad(Energy())(X), 4 * X)
    assert grad(np.sum)(X).tolist() == [1, 1, 1]


# ----- types
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_dtypes_are_kept(dtype):
    x = X.astype(dtype)
    value, g = value_and_grad(lambda x: np.sum(np.abs(x * np.sin(x)) ** 2).astype(np.float32))(x)
    assert g.dtype == dtype and g.shape == x.shape


def test_types_of_numbers():
    assert type(grad(lambda x: x**2)(3.0)) is float
    assert type(grad(lambda x: x**2)(np.float32(3.0))) is np.float32
    assert np.shape(grad(lambda x: x**2)(np.array(3.0))) == ()


@pytest.mark.parametrize("x", [3, True, np.arange(3), np.array([True]), np.int32(2)])
def test_integers_have_no_gradient(x):
    with pytest.raises(
        InputTypeError, match=r"grad requires real- or complex-valued inputs.*sub-dtype of np\.inexact"
    ):
        grad(lambda x: np.sum(x * 2.0))(x)


@pytest.mark.parametrize("x", ["text", None, np.array(["a"]), np.array([None])])
def test_no_numbers_at_all(x):
    with pytest.raises(InputTypeError):
        grad(lambda x: 1.0)(x)


def test_a_result_that_is_no_number():
    with pytest.raises(InputTypeError, match="jacobian.*vjp") as caught:
        grad(lambda x: x**2)(X)
    assert "float64" in str(caught.value)
    for f in (
        lambda x: (x[0], x[1]),
        lambda x: None,
        lambda x: "a",
        lambda x: np.sum(x) + 1j,
        lambda x: {"a": x[0]},
    ):
        with pytest.raises(AdError):
            grad(f)(X)


def test_constant_results():
    with pytest.warns(ast_ad.ZeroGradientWarning, match="does not depend on it"):
        np.testing.assert_array_equal(grad(lambda x: 3.0)(X), np.zeros(3))


# ----- a call changes nothing and shares nothing
def test_arguments_stay():
    def f(x, y):
        x *= 2.0
        y[0] = x[1]
        view = x[1:]
        view += 1.0
        return np.sum(x * y)

    x, y = X.copy(), X + 1
    g = grad(f, (0, 1))(x, y)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(y, X + 1)
    h = 1e-6
    for k, e in enumerate(np.eye(3)):
        assert g[0][k] == pytest.approx((f(X + h * e, X + 1) - f(X - h * e, X + 1)) / (2 * h), abs=1e-6)


def test_overlapping_arguments_that_are_written_to():
    def f(x, y):
        x[0] = 1.0
        return np.sum(x * y)

    a = np.arange(6.0)
    with pytest.raises(InputValueError, match="share memory"):
        grad(f, fallback="error")(a[:3], a[1:4])
    np.testing.assert_array_equal(a, np.arange(6.0))


SHARING = [
    lambda x, y: np.sum(x + y),
    lambda x, y: np.sum(x * y),
    lambda x, y: np.dot(x, y),
    lambda x, y: np.sum(np.stack([x, y])[:, 1:]),
    lambda x, y: np.sum(x.reshape(3, 1) * y),
    lambda x, y: x[0] + y[1],
    lambda x, y: np.sum(x) + np.sum(np.sign(y)),
    lambda x, y: np.sum(x.T.copy()) + 0.5 * np.sum(y * y),
]


@pytest.mark.parametrize("f", SHARING, ids=range(len(SHARING)))
def test_results_are_fresh(f):
    x, y = X.copy(), X + 1
    g = value_and_grad(f, (0, 1))
    first, second = g(x, y)[1], g(x, y)[1]
    arrays = [x, y, *first, *second]
    for i, a in enumerate(arrays):
        assert a.flags.writeable
        assert not any(np.shares_memory(a, b) for b in arrays[:i])
    _, pull = vjp(f, x, y)
    pulled = [x, y, *pull(1.0), *pull(1.0)]
    for i, a in enumerate(pulled):
        assert not any(np.shares_memory(a, b) for b in pulled[:i])
    for a, b in zip(first, pulled[2:], strict=False):
        np.testing.assert_allclose(a, b)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG"])
def test_optimisers_keep_gradients(method):
    """SciPy holds on to the gradient that it was given: a buffer used again would spoil the search."""
    rosen = lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)  # noqa: E731
    found = scipy.optimize.minimize(value_and_grad(rosen), np.zeros(6), jac=True, method=method)
    np.testing.assert_allclose(found.x, np.ones(6), rtol=1e-3)


# ----- pullbacks
def test_pullbacks():
    value, pull = vjp(lambda x, y: np.outer(np.exp(x), y), X, X[:2])
    gx, gy = pull(np.ones((3, 2)))
    np.testing.assert_allclose(gx, np.exp(X) * X[:2].sum())
    again = pull(np.ones((3, 2)))
    np.testing.assert_array_equal(again[0], gx)
    np.testing.assert_array_equal(pull(2 * np.ones((3, 2)))[1], 2 * gy)
    np.testing.assert_array_equal(pull(np.ones((3, 2), int))[0], gx)
    with pytest.raises(InputValueError, match=r"shape \(3,\).*\n.*\(3, 2\)"):
        pull(np.ones(3))
    with pytest.raises(InputValueError, match="leaves"):
        pull((np.ones((3, 2)), 1.0))
    with pytest.raises(InputTypeError, match="complex"):
        pull(1j * np.ones((3, 2)))


def test_a_pullback_does_not_see_later_writes():
    data = X.copy()

    def f(x):
        return x**2 * data

    x = X.copy()
    value, pull = vjp(f, x)
    expected = pull(np.ones(3))[0]
    x += 1
    data[:] = 7.0
    value[:] = 0.0
    np.testing.assert_array_equal(pull(np.ones(3))[0], expected)
    exponential, pull = vjp(np.exp, X)
    exponential -= 1.0
    np.testing.assert_allclose(pull(np.ones(3))[0], np.exp(X))


def test_vjp_chooses_arguments():
    f = lambda x, n, y: x**n * y  # noqa: E731
    _, pull = vjp(f, X, 2, 3.0)
    gx, gy = pull(np.ones(3))
    np.testing.assert_allclose(gx, 6 * X)
    assert gy == pytest.approx(np.sum(X**2))
    _, pull = vjp(f, X, 2, 3.0, argnums=2)
    assert pull(np.ones(3)) == pytest.approx(np.sum(X**2))
    _, pull = vjp(f, wrt=("y",))(X, 2, 3.0)
    assert pull(np.ones(3)) == (pytest.approx(np.sum(X**2)),)
    _, pull, aux = vjp(lambda x: (x**2, x**3), X, has_aux=True)
    np.testing.assert_allclose(aux, X**3)
    np.testing.assert_allclose(pull(np.ones(3))[0], 2 * X)


def test_float32_pullback():
    value, pull = vjp(lambda x: x * 2, X.astype(np.float32))
    assert pull(np.ones(3))[0].dtype == np.float32


# ----- static arguments
def test_flags():
    def f(x, kind, scale=None, twice=False):
        y = np.tanh(x) if kind == "tanh" else np.sin(x)
        if scale is not None:
            y = y * scale
        return np.sum(y) * (2 if twice else 1)

    g = grad(f)
    np.testing.assert_allclose(g(X, "tanh"), 1 - np.tanh(X) ** 2)
    np.testing.assert_allclose(g(X, "sin"), np.cos(X))
    np.testing.assert_allclose(g(X, "sin", 3.0), 3 * np.cos(X))
    np.testing.assert_allclose(g(X, "sin", twice=True), 2 * np.cos(X))
    assert "4 programs" in repr(g)
    g(X, "tanh")
    assert "4 programs" in repr(g)


def test_functions_as_arguments():
    def f(x, activation):
        return np.sum(activation(x))

    np.testing.assert_allclose(grad(f)(X, np.sin), np.cos(X))
    np.testing.assert_allclose(grad(f)(X, lambda v: v**2), 2 * X)


def test_integers_that_shape_the_program():
    f = lambda x, axis: np.sum(np.sum(x, axis=axis) ** 2)  # noqa: E731
    g, x = grad(f), np.arange(6.0).reshape(2, 3)
    for axis in (0, 1, -1, 0, 1):
        np.testing.assert_allclose(g(x, axis), 2 * np.broadcast_to(x.sum(axis, keepdims=True), x.shape))
    assert "3 programs" in repr(g)

    def power(x, n):
        for _ in range(n):
            x = x * x
        return np.sum(x)

    g = grad(power)
    for n in (1, 2, 3, 0):
        np.testing.assert_allclose(g(X, n), 2**n * X ** (2**n - 1))
    assert "1 program " in repr(g)


def test_new_lengths_compile_nothing():
    g = grad(lambda x: np.sum(x**2), backend="numpy")
    for n in (2, 3, 10):
        g(np.ones(n))
    assert "1 program " in repr(g)
    g(np.ones(1)), g(np.ones((2, 2))), g(np.ones(2, np.float32)), g(1.0)
    assert "5 programs" in repr(g)


# ----- objects
def test_pickle():
    for ask in (grad(three, 1), value_and_grad(quadratic), vjp(three), grad(three, wrt=("a", "c"))):
        again = pickle.loads(pickle.dumps(ask))
        assert repr(again) == repr(ask)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(grad(three, 1)))(X, X, 1.0), 2 * X * X)


def gradient_of_three(x):
    return grad(three)(x, x, 1.0)


def test_processes():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for found in pool.map(grad(quadratic), [X, X + 1]):
            assert found.shape == (3,)
        np.testing.assert_allclose(pool.apply(gradient_of_three, (X,)), X**2)


def test_threads():
    asked = [grad(lambda x, k=k: np.sum(np.sin(k * x))) for k in range(4)]
    shared = grad(quadratic)
    barrier = threading.Barrier(8)

    def work(i):
        barrier.wait()
        k = i % 4
        out = [asked[k](X) for _ in range(20)]
        x = np.ones(2 + i) * i
        np.testing.assert_allclose(shared(x), 4 * x)
        np.testing.assert_allclose(out[-1], k * np.cos(k * X))
        return True

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_repr_and_metadata():
    g = grad(three, (0, 2))
    assert repr(g) == "<ast_ad.grad(three) with respect to a, c, 0 programs compiled>"
    assert g.__wrapped__ is three and g.mode is None
    g(X, X, 1.0)
    assert g.mode == "compiled" and "1 program compiled" in repr(g)


@pytest.mark.parametrize(
    "what", ["source", "forward_source", "backward_source", "ir", "adjoint_ir", "explain"]
)
def test_nothing_to_see_before_the_first_call(what):
    g = grad(three)
    with pytest.raises(InputValueError, match="call it first"):
        getattr(g, what)() if what == "explain" else getattr(g, what)
    g(X, X, 1.0)
    found = getattr(g, what)
    assert isinstance(found() if callable(found) else found, str)


def test_inspect_runs_nothing():
    ran = inspect(three, X, X, 1.0)
    assert "three_value_and_grad" in ran.source and "three_backward" in ran.backward_source
    asked = grad(three, 1)
    assert inspect(asked, X, X, 1.0) is asked and asked.mode == "compiled"


# ----- the generated file
def raises(x):
    y = np.sum(x)
    if y > 0:
        raise ValueError("too large")
    return y


def test_generated_code_is_a_file():
    g = grad(three)
    g(X, X, 1.0)
    module = sys.modules[g._last.run.__module__]
    assert os.path.exists(module.__file__)
    with open(module.__file__) as file:
        assert g.source.strip() in file.read()
    line = g._last.run.__code__.co_firstlineno
    assert linecache.getline(module.__file__, line).startswith("def three_value_and_grad")


def test_tracebacks_name_the_line_of_the_user():
    with pytest.raises(ValueError, match="too large") as caught:
        grad(raises)(np.ones(3))
    text = "".join(traceback.format_exception(caught.value))
    assert "test_api.py" in text and 'raise ValueError("too large")' in text
    assert any("test_api.py" in note for note in caught.value.__notes__)
    np.testing.assert_array_equal(grad(raises)(-np.ones(3)), np.ones(3))


def test_lazy_names():
    assert ast_ad.grad is grad and set(ast_ad.__all__) <= set(dir(ast_ad))
    with pytest.raises(AttributeError):
        ast_ad.nothing  # noqa: B018


def test_names_that_completion_offers():
    """They are public, each of them is there, and nothing of the package's own making is among them."""
    names = dir(ast_ad)
    assert {"grad", "value_and_grad", "rule", "torch", "tensor", "nn", "AdError", "FallbackWarning"} <= set(
        names
    )
    assert [name for name in names if not hasattr(ast_ad, name)] == []
    private = [name for name in names if name.startswith("_") and name not in ("__version__", "_C")]
    assert private == []
    assert set(names).isdisjoint(
        {"annotations", "Any", "TYPE_CHECKING", "register", "compiler", "calls", "eager"}
    )
    assert set(dir(ast_ad.rule)) == set(ast_ad.rule.__all__)
