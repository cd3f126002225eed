"""Does what can't be compiled give the right gradient, say so once, and leave everything else alone?"""

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad import FallbackWarning, MissingRuleError, UnsupportedError, grad, inspect, value_and_grad, vjp
from ast_ad.errors import InternalError

X = np.array([0.5, -1.5, 2.0])
ignored = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def multiples(x):
    turns = (i for i in range(1, 4))
    yield next(turns) * x
    for i in turns:  # an iterator that is asked in two places: not followed
        yield i * x


def generated(x, scale=2.0):
    return sum(np.sum(np.sin(y) * scale) for y in multiples(x))


def expected(x, scale=2.0):
    return sum(i * np.cos(i * x) * scale for i in range(1, 4))


class Model:
    def __init__(self):
        self.calls, self.seen = 0, []

    def loss(self, x):
        self.calls += 1
        self.seen.append("loss")
        return np.sum(x**2)


def fresh(function):
    """Another function with the same code: one that no warning was given for."""
    return type(function)(function.__code__, function.__globals__, "fresh", function.__defaults__)


# ----- the answer -----------------------------------------------------------------------------------
@ignored
def test_values_and_gradients():
    value, gradient = value_and_grad(generated)(X)
    assert value == generated(X)
    np.testing.assert_allclose(gradient, expected(X))
    g = grad(generated, wrt=("scale", "x"))
    of_scale, of_x = g(X, scale=3.0)
    np.testing.assert_allclose(of_x, expected(X, 3.0))
    assert type(of_scale) is float and of_scale == pytest.approx(generated(X) / 2)


@ignored
def test_structures_types_and_auxiliary_values():
    def loss(p, factor):
        total = sum(np.sum(y) for y in multiples(p["a"] * p["b"][0]))
        return total * factor, {"total": total, "name": "six"}

    p = {"a": X.astype(np.float32), "b": (1.5,)}
    gradient, aux = grad(loss, has_aux=True)(p, 2)
    assert gradient["a"].dtype == np.float32 and type(gradient["b"][0]) is float
    np.testing.assert_allclose(gradient["a"], np.full(3, 18.0))
    assert aux["name"] == "six" and aux["total"] == pytest.approx(6 * 1.5 * X.sum())
    (value, aux), _ = value_and_grad(loss, has_aux=True)(p, 2)
    assert value == pytest.approx(2 * aux["total"]) and not hasattr(type(value), "_is_eager_tensor")


@ignored
def test_pullbacks():
    def several(x, y):
        return [z * y for z in multiples(x)], np.sum(x)

    value, pullback = vjp(several)(X, 2.0)
    assert isinstance(value[0], list) and len(value[0]) == 3
    cotangent = [np.ones(3), np.zeros(3), np.ones(3)], 1.0
    for _ in range(2):
        of_x, of_y = pullback(cotangent)
        np.testing.assert_allclose(of_x, np.full(3, 9.0))
        assert of_y == pytest.approx(4 * X.sum())
    with pytest.raises(ast_ad.InputValueError, match="leaves"):
        pullback(1.0)


@ignored
def test_the_arguments_stay_as_they_are():
    def writes(x):
        x *= 2.0
        return sum(np.sum(y**2) for y in multiples(x))

    x = X.copy()
    np.testing.assert_allclose(grad(writes)(x), 8 * 14 * X)
    np.testing.assert_array_equal(x, X)


@ignored
def test_arguments_that_share_memory():
    def product(x, y, z):
        return sum(np.sum(u * y) + np.sum(z) for u in multiples(x))

    value, gradients = value_and_grad(product, (0, 1))(X, X, X)
    assert value == product(X, X, X)
    for gradient in gradients:
        np.testing.assert_allclose(gradient, 6 * X)
    np.testing.assert_allclose(grad(product, 1)(X[1:], X[:-1], X[1:]), 6 * X[1:])

    def writes(x, y, z):
        y[0] = 2.0
        return sum(np.sum(u * y) + np.sum(z) for u in multiples(x))

    with pytest.raises(ast_ad.InputValueError, match="share memory"):
        grad(writes)(X, X, 1.0)
    a, b = X.copy(), X.copy()
    np.testing.assert_allclose(grad(writes)(b, a, a), 6 * np.array([2.0, *X[1:]]))

    def compilable(x, y):
        y[0] = 2.0
        return np.sum(x * y)

    g = grad(compilable)  # by the one array: of 2 * 2 + x[1]**2 + x[2]**2
    np.testing.assert_allclose(g(a, a), [0.0, 2 * X[1], 2 * X[2]])
    with pytest.raises(ast_ad.InputValueError, match="share memory"):
        grad(compilable, (0, 1))(a, a)
    with pytest.raises(ast_ad.InputValueError, match="share memory"):
        g(a[1:], a[:-1])

    def shown(x, y, z):
        y[0] = 2.0
        return sum(np.sum(u * z) for u in multiples(x))

    np.testing.assert_allclose(grad(shown)(b, a, a), 6 * np.array([2.0, *X[1:]]))
    np.testing.assert_array_equal(a, X)


@ignored
def test_effects_happen_once_for_each_call():
    model = Model()
    g = grad(model.loss)
    for calls in (1, 2, 3):
        np.testing.assert_allclose(g(X), 2 * X)
        assert model.calls == len(model.seen) == calls
    assert g.mode == "compiled"


@ignored
def test_a_method():
    class Quadratic(Model):
        loss = grad(Model.loss)

    model = Quadratic()
    np.testing.assert_allclose(model.loss(X), 2 * X)
    assert model.calls == 1


def recovers(x):
    try:
        return x.reshape(2, 3)[1, 2] ** 2
    except ValueError:
        return np.sum(x**3)


def test_a_handler_that_runs_is_traced_in_that_call():
    g = grad(fresh(recovers))
    np.testing.assert_array_equal(g(np.ones(6)), 2.0 * np.eye(6)[5])
    assert g.mode == "compiled" and "return" in g.source
    with pytest.warns(FallbackWarning, match="exception at run time.*ValueError"):
        np.testing.assert_allclose(g(X), 3 * X**2)
    assert g.mode == "fallback"
    g(np.ones(6))
    assert g.mode == "compiled"


@ignored
def test_code_without_source():
    namespace = {"np": np}
    exec("def f(x):\n    return np.sum(x ** 3)", namespace)
    g = grad(namespace["f"])
    np.testing.assert_allclose(g(X), 3 * X**2)
    assert g.mode == "fallback" and "source" in g.explain()


@ignored
def test_higher_derivatives():
    second = grad(lambda x: np.sum(grad(generated)(x) ** 2))
    at = sum(2 * -(i**2) * np.sin(i * X) * 2.0 for i in range(1, 4)) * expected(X)
    np.testing.assert_allclose(second(X), at)

    def around(x):
        return sum(np.sum(y**2) for y in [grad(generated)(z) for z in multiples(x)][:1])

    outer = grad(around)
    np.testing.assert_allclose(outer(X), at)


# ----- what is told ---------------------------------------------------------------------------------
def test_one_warning_names_the_construct_and_the_line():
    f = fresh(generated)
    line = multiples.__code__.co_firstlineno + 3
    with pytest.warns(FallbackWarning) as caught:
        grad(f)(X)
        grad(f)(X[:2])
        value_and_grad(f)(X)
    (warning,) = caught
    assert warning.filename == __file__
    assert "a read of an iterator" in str(warning.message) and f"{__file__}:{line}" in str(warning.message)


@ignored
def test_mode_and_explain():
    g = grad(generated)
    assert g.mode is None
    g(X)
    assert g.mode == "fallback"
    report = g.explain()
    for part in (
        "is not compiled",
        "a read of an iterator",
        "it was read before",
        "fallback='error'",
    ):
        assert part in report
    for name in ("source", "forward_source", "backward_source", "ir", "adjoint_ir"):
        with pytest.raises(ast_ad.InputValueError, match="traced: a read of an iterator"):
            getattr(g, name)


def test_it_can_be_forbidden():
    for make in (grad, value_and_grad, vjp):
        with pytest.raises(UnsupportedError, match="an iterator"):
            make(generated, fallback="error")(X)
    with pytest.raises(UnsupportedError, match="exception at run time"):
        grad(recovers, fallback="error")(X)
    with pytest.raises(ast_ad.InputValueError, match="'trace'"):
        grad(generated, fallback="never")


def test_inspect_runs_nothing():
    model = Model()
    found = inspect(model.loss, X)
    assert model.calls == 0 and model.seen == [] and found.mode == "compiled"
    assert "Stored outside" in found.explain()
    traced = inspect(lambda x: eval("x") * 2.0, 1.0)
    assert traced.mode == "fallback" and "not compiled" in traced.explain()


def test_a_failing_compiler_is_told(monkeypatch):
    import ast_ad.calls.questions

    def crash(*args, **kwargs):
        raise KeyError("oops")

    monkeypatch.setattr(ast_ad.calls.questions, "adjoint", crash)
    g = grad(lambda x: np.sum(x**2))
    with pytest.warns(FallbackWarning, match="the compiler failed: KeyError"):
        np.testing.assert_allclose(g(X), 2 * X)
    assert "please report it" in g.explain()
    with pytest.raises(InternalError, match="KeyError"):
        grad(lambda x: np.sum(x**2), fallback="error")(X)


# ----- what stays an error --------------------------------------------------------------------------
@ignored
def test_arrays_of_objects_lose_no_gradient():
    halves = np.frompyfunc(lambda v: v / 2, 1, 1)
    with pytest.raises(MissingRuleError, match="can't be recorded"):
        grad(lambda x: np.sum(halves(next(multiples(x)))))(X)


@ignored
def test_floating_point_errors_are_reported_as_in_a_plain_call():
    def logarithm(x):
        try:
            return np.sum(np.log(next(multiples(x))))
        except FloatingPointError:
            return np.sum(x)

    g = value_and_grad(logarithm)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert g(np.zeros(2))[0] == -np.inf
    with np.errstate(divide="raise"):
        value, gradient = g(np.zeros(2))
    assert (value, g.mode, list(gradient)) == (0.0, "fallback", [1.0, 1.0])


@ignored
def test_exceptions_of_the_user_come_as_they_are():
    def fails(x):
        for y in multiples(x):
            raise ValueError("the user's own")
        return 0.0

    with pytest.raises(ValueError, match="the user's own") as caught:
        grad(fails)(X)
    assert type(caught.value) is ValueError and caught.value.__cause__ is None is caught.value.__context__
    assert caught.traceback[-1].name == "fails" and not getattr(caught.value, "__notes__", [])

    def unhandled(x):
        try:
            return x[5] ** 2
        except KeyError:
            return np.sum(x)

    with pytest.raises(IndexError) as caught:
        grad(unhandled)(X)
    assert caught.value.__cause__ is None is caught.value.__context__


def test_wrong_arguments_are_errors_before_anything_runs():
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError):
            grad(model.loss)()
        with pytest.raises(ast_ad.InputTypeError, match="integer"):
            grad(model.loss)(np.arange(3))
    assert model.calls == 0


@ignored
@pytest.mark.parametrize(
    "result", [lambda x: [*multiples(x)][0], lambda x: (x[0], *multiples(x)), lambda x: "".join("ab")]
)
def test_results_without_a_gradient(result):
    with pytest.raises(ast_ad.InputTypeError):
        grad(result)(X)


@ignored
def test_what_neither_can_do_is_a_clear_error():
    def detaches(x):
        return sum({y[0]: 1.0}[y[0]] for y in multiples(x))

    with pytest.raises(ast_ad.AdError, match="hash") as caught:
        grad(detaches)(X)
    assert any("can't be compiled" in note for note in caught.value.__notes__)
