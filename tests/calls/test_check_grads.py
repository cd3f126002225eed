"""Does check_grads find derivatives that are wrong, and nothing else?"""

import functools

import numpy as np
import pytest

import ast_ad
from ast_ad import check_grads
from ast_ad.errors import InputTypeError, InputValueError
from ast_ad.operators import products

from .checks.rules import install_rule

X = np.array([0.4, -1.3, 2.1, 0.9, -0.2])


def compiled(x):
    return np.sin(x)


def traced(x):
    return eval("np.sin(x)")


def tangent_by_transposition(f, primals, tangents):
    """What ``jvp`` answers, as the pullback of the pullback."""
    argnums = tuple(i for i, tangent in enumerate(tangents) if tangent is not None)
    value, _ = ast_ad.vjp(f, *primals, argnums=argnums)

    def pulled(cotangent):
        return ast_ad.vjp(f, *primals, argnums=argnums)[1](cotangent)

    zero = np.zeros_like(value)[()]
    _, transposed = ast_ad.vjp(pulled, zero, argnums=0)
    return value, transposed(tuple(tangents[i] for i in argnums))


def swapped(g):
    return g[[1, 0, *range(2, len(g))]] if np.ndim(g) and len(g) > 1 else g


FAULTS = {
    "sign": lambda ans, x: -np.cos(x),
    "factor": lambda ans, x: np.cos(x) * (1 + 1e-6),
    "zero": lambda ans, x: 0.0 * x,
    "one of five": lambda ans, x: np.cos(x) * np.where(np.arange(5) == 2, 1.5, 1.0),
    "swapped": lambda ans, x: np.cos(x)[np.array([1, 0, 2, 3, 4])],
    "nan": lambda ans, x: np.cos(x) * np.nan,
}


@pytest.mark.parametrize("function", [compiled, traced])
@pytest.mark.parametrize("rule", FAULTS.values(), ids=FAULTS)
def test_a_wrong_rule_is_found(function, rule, monkeypatch):
    install_rule(monkeypatch, rule)
    with pytest.raises(AssertionError, match=r"mode 'rev', order 1: the derivative of result\[\d\] by `x"):
        check_grads(_anew(function), (X,), order=1, modes=["rev"])


@pytest.mark.parametrize("function", [compiled, traced])
def test_a_rule_that_is_right_to_first_order_only_is_found(function, monkeypatch):
    def rule(ans, x):  # its values are right, its derivative is zero at these points
        return np.where(x == X, np.cos(X), np.cos(x))

    install_rule(monkeypatch, rule)
    check_grads(_anew(function), (X,), order=1, modes=["rev"])
    with pytest.raises(AssertionError, match="mode 'rev', order 2"):
        check_grads(_anew(function), (X,), order=2, modes=["rev"])


CHANGES = {
    "sign": np.negative,
    "factor": lambda t: t * (1 + 1e-6),
    "zero": lambda t: 0.0 * t,
    "one of five": lambda t: t * np.where(np.arange(5) == 2, 1.5, 1.0),
    "swapped": swapped,
    "nan": lambda t: t * np.nan,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_wrong_tangent_is_found(change, monkeypatch):
    def wrong(f, primals, tangents):
        value, tangent = tangent_by_transposition(f, primals, tangents)
        return value, change(tangent)

    monkeypatch.setattr(products, "jvp", wrong)
    with pytest.raises(AssertionError, match=r"mode 'fwd', order 1: .* by ast_ad\.jvp"):
        check_grads(compiled, (X,), order=1, modes=["fwd"])


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_both_modes(order):
    check_grads(compiled, (X,), order=order)
    check_grads(lambda x, y: np.sum(x**2) * y, (X, 2.0), order=order)
    check_grads(
        lambda p, n: {"y": p["x"] ** n * p["s"], "n": n}, ({"x": X, "s": 0.5, "k": 3}, 2), order=order
    )


def test_modes_that_differ_where_differences_have_no_verdict(monkeypatch):
    def doubled(f, primals, tangents):
        value, tangent = tangent_by_transposition(f, primals, tangents)
        return value, tangent + 1.0

    monkeypatch.setattr(products, "jvp", doubled)
    with pytest.raises(AssertionError, match="modes 'fwd' and 'rev', order 1"):
        check_grads(abs, (0.0,), order=1)


def _anew(function):
    """The function without what was compiled of it, so that a rule is read again."""
    import types

    return types.FunctionType(function.__code__, function.__globals__, function.__name__)


@pytest.mark.parametrize(
    "function, args",
    [
        (lambda x: np.tanh(1e4 * (x - 0.5)), (0.50003,)),
        (lambda x: 1e8 + np.sin(x), (0.5,)),
        (lambda x: 1e8 * np.exp(1e6 * x), (np.array([1e-6, 2e-6]),)),
        (lambda x: (np.sin(x), 1e-9 * np.sum(x**2)), (X,)),
        (lambda x: x * np.sin(x), (X.astype(np.float32),)),
        (lambda z: z**2 * np.conj(z), (np.array([1 + 2j, 0.3 - 0.1j]),)),
        (lambda z: np.sum(np.abs(z) ** 2 * np.sin(z).real), (np.array([1 + 2j, 0.3 - 0.1j]),)),
        (lambda p, n: {"a": np.sin(p["w"]) * p["b"] * n, "n": n}, ({"w": X, "b": 2.0, "k": 3}, 2)),
        (lambda x: x * x, (0.0,)),
        (lambda x: (1e8 + x) - 1e8, (0.3,)),
    ],
)
def test_no_alarm(function, args):
    check_grads(function, args, order=2, modes=["rev"])


@pytest.mark.parametrize(
    "function, args",
    [
        (abs, (0.0,)),
        (np.max, (np.array([2.0, 1.0, 2.0]),)),
        (np.linalg.norm, (np.zeros(3),)),
        (np.sqrt, (0.0,)),
        (lambda x: np.clip(x, -1.0, 1.0), (1.0,)),
        (lambda x: np.round(x, 12), (0.3,)),
        (np.floor, (2.0,)),
    ],
)
def test_nothing_is_said_at_kinks_and_jumps(function, args):
    check_grads(function, args, order=1, modes=["rev"])


SQUARE = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.6], [0.7, -0.2, 1.8]])


@pytest.mark.parametrize(
    "function, args",
    [
        (lambda a, b: np.linalg.solve(a, b) ** 2, (SQUARE, SQUARE)),
        (lambda a: np.std(a, axis=0), (SQUARE[:2],)),
    ],
)
def test_no_alarm_at_what_is_zero_but_for_rounding(function, args):
    """Of such a derivative differences may be exact, and the modes have other last bits."""
    check_grads(function, args, order=2)


@pytest.mark.parametrize("at", [3, 250])
def test_one_wrong_entry_of_many_is_found_and_named(at, monkeypatch):
    n = 300
    factors = np.where(np.arange(n) == at, 1.01, 1.0)
    install_rule(monkeypatch, lambda ans, x: np.cos(x) * factors)
    with pytest.raises(AssertionError, match=rf"by `x\[{at}\]`|by `x`\[{at}\]"):
        check_grads(_anew(compiled), (np.linspace(-1.0, 1.0, n),), order=1, modes=["rev"])


def test_a_complex_step_tells_where_differences_alone_are_less_sure(monkeypatch):
    """The value is so large that differences are good to few digits."""
    install_rule(monkeypatch, lambda ans, x: np.cos(x) * (1 + 2e-4))
    with pytest.raises(AssertionError):
        check_grads(lambda x: 1e8 + np.sin(x), (0.5,), order=1, modes=["rev"])


def test_tolerances(monkeypatch):
    install_rule(monkeypatch, lambda ans, x: np.cos(x) * (1 + 1e-3))
    check_grads(_anew(compiled), (X,), order=1, modes=["rev"], rtol=2e-3)
    check_grads(_anew(compiled), (X,), order=1, modes=["rev"], atol=2e-3)
    with pytest.raises(AssertionError):
        check_grads(_anew(compiled), (X,), order=1, modes=["rev"], eps=1e-3)


@pytest.mark.parametrize(
    "call, error",
    [
        (functools.partial(check_grads, compiled, [X], 1), InputTypeError),
        (functools.partial(check_grads, compiled, (X,), 0), InputValueError),
        (functools.partial(check_grads, compiled, (X,), 1, ["backward"]), InputValueError),
        (functools.partial(check_grads, compiled, (X,), 1, []), InputValueError),
        (functools.partial(check_grads, lambda n: 2.0 * n, (3,), 1), InputTypeError),
        (functools.partial(check_grads, lambda x: "text", (X,), 1), InputTypeError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()


def test_the_arguments_stay(monkeypatch):
    def writes(x):
        x[0] *= 2.0
        return np.sum(x**3)

    x = X.copy()
    check_grads(writes, (x,), order=2, modes=["rev"])
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize(
    "wrong, error, told",
    [
        (lambda: check_grads(3, (X,), order=1), InputTypeError, "check_grads of a int"),
        (lambda: check_grads(np.sin, (X,), order=1, modes=3), InputTypeError, "modes=3"),
        (lambda: check_grads(np.sin, (X,), order=1, atol="a"), InputTypeError, "atol='a'"),
        (lambda: check_grads(np.sin, (X,), order=1, rtol=-1.0), InputValueError, "rtol=-1.0"),
        (lambda: check_grads(np.sin, (X,), order=1, eps=0.0), InputValueError, "eps=0.0"),
    ],
)
def test_bad_input_names_the_argument(wrong, error, told):
    with pytest.raises(error, match=told):
        wrong()


def rule_of_the_pullback(part_of_g):
    """A sine whose pullback, an operation itself, depends on its cotangent as it should, but for a factor."""

    @ast_ad.custom_vjp
    def pulled(g, x):
        return g * np.cos(x)

    pulled.defvjp(
        lambda g, x: (pulled(g, x), (g, x)),
        lambda residuals, bar: (
            part_of_g(bar * np.cos(residuals[1])),
            -bar * residuals[0] * np.sin(residuals[1]),
        ),
    )

    @ast_ad.custom_vjp
    def sine(x):
        return np.sin(x)

    sine.defvjp(lambda x: (sine(x), x), lambda x, g: (pulled(g, x),))
    return sine


@pytest.mark.parametrize(
    "part", [lambda g: g * 1.001, lambda g: -g, lambda g: 0.0 * g, lambda g: g[np.array([1, 0, 2, 3, 4])]]
)
def test_a_pullback_that_depends_otherwise_on_its_cotangent_is_found(part):
    check_grads(rule_of_the_pullback(lambda g: g), (X,), order=2, modes=["rev"])
    wrong = rule_of_the_pullback(part)
    check_grads(wrong, (X,), order=1, modes=["rev"])
    with pytest.raises(AssertionError, match="mode 'rev', order 2: .* by `scale_of_the_cotangent`"):
        check_grads(wrong, (X,), order=2, modes=["rev"])


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize(
    "function, args",
    [
        (lambda x: np.sin(x), (X.astype(np.float32),)),
        (lambda x: np.sum(x), (X.astype(np.float32),)),
        (lambda x, n: {"a": np.sin(x) * n, "n": n, "first": x[0]}, (X, 2)),
        (lambda x: x * np.exp(1j * x), (X + 1j,)),
        (lambda x: x**3, (2.0,)),
        (lambda p: (p["a"] * p["b"][0], 3), ({"a": X, "b": [1.5]},)),
    ],
)
def test_no_alarm_at_scales_of_cotangents_and_tangents(function, args):
    check_grads(function, args, order=2)
