"""Do questions map IR to IR, can they be asked of their answers, and is a new one a class of a few lines?"""

import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.calls.questions import Gradient, Pullback, Question, ValueAndGradient
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, Function, Lit, Op, Var
from ast_ad.compiler.ir.types import Array, Dim, Scalar

X, V = np.array([0.3, -1.2, 2.0]), np.array([1.0, 0.5, -2.0])


def of_numbers(*ops):
    """A function of a number, from pairs of callables and what is added to its operand."""
    x = Var(Scalar("float"), "x")
    statements, value = [], x
    for fn, more in ops:
        out = Var(Scalar("float"))
        statements.append(Op(fn, (value, *more), (out,)))
        value = out
    return Function("f", (x,), Block(statements, (value,)))


def of_arrays():
    """``f(x) = sin(x) * x``, of an array."""
    kind = Array(np.dtype(float), (Dim.fresh(),))
    x, s, y = Var(kind, "x"), Var(kind), Var(kind)
    return Function("f", (x,), Block([Op(np.sin, (x,), (s,)), Op(np.multiply, (s, x), (y,))], (y,)))


@pytest.mark.parametrize("question", [Gradient(), ValueAndGradient()], ids=["gradient", "value_and_gradient"])
def test_the_gradient_of_the_gradient(question):
    cube = of_numbers((operator.pow, (Lit(3),)), (operator.mul, (Lit(2.0),)))
    once = question.program(cube, (0,), (0,))
    assert evaluate(once, 1.5) == (2 * 1.5**3, 6 * 1.5**2)
    twice = question.program(once, (0,), (1,))
    assert evaluate(twice, 1.5) == (2 * 1.5**3, 6 * 1.5**2, 12 * 1.5)
    assert evaluate(question.program(twice, (0,), (2,)), 1.5)[-1] == 12.0
    assert evaluate(cube, 1.5) == 2 * 1.5**3  # what it is asked of stays as it is


def test_the_pullback_of_the_pullback():
    """By the point and by the seed: <w, J'v> is linear in v, and its gradient by x is one of second order."""
    pulled = Pullback().program(of_arrays(), (0,), (0,))
    value, bar = evaluate(pulled, X, V)
    np.testing.assert_allclose(bar, V * (np.cos(X) * X + np.sin(X)), rtol=1e-15)
    second = Pullback().program(pulled, (0, 1), (1,))
    w = np.array([0.7, -0.1, 0.4])
    *_, by_point, by_seed = evaluate(second, X, V, w)
    np.testing.assert_allclose(by_point, w * V * (2 * np.cos(X) - np.sin(X) * X), rtol=1e-14)
    np.testing.assert_allclose(by_seed, w * (np.cos(X) * X + np.sin(X)), rtol=1e-14)


class Tangent(Question):
    """A question that nobody has built in: the tangent, as the transpose of the pullback.

    The pullback is linear in its seeds; the pullback of that, by the seeds, maps tangents to tangents.
    """

    name = "jvp"

    def results(self, structure, function):
        return Pullback().results(structure, function)

    def program(self, function, wrt, of, residuals="cheap", region=False):
        count, params = len(function.body.results), len(function.params)
        pulled = Pullback().program(function, wrt, of, residuals, region)
        seeds = tuple(range(params, len(pulled.params)))
        bars = tuple(range(count, len(pulled.body.results)))
        transposed = adjoint(pulled, seeds, seed=True, of=bars, residuals=residuals)
        kept = [*transposed.body.results[:count], *transposed.body.results[count + len(bars) :]]
        transposed.body.results = tuple(kept)
        return transposed

    def answer(self, value, aux, derivative, together):
        return together(value, derivative)


def test_a_tangent_is_the_transposed_pullback():
    program = Tangent().program(of_arrays(), (0,), (0,))
    zero = np.zeros(3)  # the seed: a tangent does not depend on it
    value, tangent = evaluate(program, X, zero, V)
    np.testing.assert_array_equal(value, np.sin(X) * X)
    np.testing.assert_allclose(tangent, V * (np.cos(X) * X + np.sin(X)), rtol=1e-15)
    again = evaluate(program, X, np.array([5.0, 6.0, 7.0]), V)
    np.testing.assert_array_equal(again[1], tangent)
    bar = evaluate(Pullback().program(of_arrays(), (0,), (0,)), X, V)[1]
    w = np.array([0.7, -0.1, 0.4])
    np.testing.assert_allclose(w @ evaluate(program, X, zero, V)[1], evaluate(program, X, zero, w)[1] @ V)
    np.testing.assert_allclose(bar @ w, V @ evaluate(program, X, zero, w)[1], rtol=1e-14)


def value_of(x):
    return np.sum(np.sin(x) * x)


def beyond_the_compiler(x):
    return eval("np.sum(np.sin(x) * x)")


@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
@pytest.mark.parametrize("has_aux", [False, True])
@pytest.mark.parametrize("asked", [ast_ad.grad, ast_ad.value_and_grad, ast_ad.vjp])
def test_the_answer_is_the_same_wherever_it_is_asked_for(asked, has_aux):
    """Compiled, traced, with tensors, within compiled code: one declaration of what the user gets."""

    def question(function):
        def f(x):
            return (function(x), 2.0 * x[0]) if has_aux else function(x)

        derivative = asked(f, has_aux=has_aux)

        def answer(x):
            found = derivative(x)
            if asked is not ast_ad.vjp:
                return found
            value, pullback, *aux = found
            return (value, pullback(1.0), *aux)

        return answer

    expected = question(value_of)(X)
    assert len(flat(expected)) == (asked is not ast_ad.grad) + 3 + has_aux
    for found in (
        question(beyond_the_compiler)(X),
        question(value_of)(ast_ad.tensor(X, requires_grad=True)),
        question(beyond_the_compiler)(ast_ad.tensor(X, requires_grad=True)),
    ):
        assert structure(found) == structure(expected)
        np.testing.assert_allclose(flat(found), flat(expected), rtol=1e-13)

    answer = question(value_of)

    def inside(x):
        return total(answer(x))

    def total(found):
        if isinstance(found, tuple):
            result = 0.0
            for part in found:
                result = result + total(part)
            return result
        return np.sum(np.exp(found))

    derivative = ast_ad.value_and_grad(inside, fallback="error")
    np.testing.assert_allclose(derivative(X)[0], np.sum(np.exp(flat(expected))), rtol=1e-13)


def flat(found):
    leaves = ast_ad.trees.flatten(found)[0]
    return np.concatenate([np.ravel(getattr(leaf, "_array", leaf)) for leaf in leaves])


def structure(found):
    return ast_ad.trees.flatten(found)[1]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_aux_of_a_pullback_within_compiled_code(backend):
    def h(x):
        value, pullback, aux = ast_ad.vjp(lambda y: (y * y * y, y + 1.0), x, has_aux=True)
        return np.sum(pullback(np.ones(3))[0] * aux) + np.sum(value)

    derivative = ast_ad.value_and_grad(h, backend=backend, fallback="error")
    value, gradient = derivative(X)
    np.testing.assert_allclose(value, np.sum(3 * X**2 * (X + 1)) + np.sum(X**3), rtol=1e-14)
    np.testing.assert_allclose(gradient, 6 * X * (X + 1) + 3 * X**2 + 3 * X**2, rtol=1e-14)


def test_a_program_that_is_laid_out_otherwise_is_a_defect(monkeypatch):
    """Results are read by their positions: what a question returns beside them would be taken for others."""

    def program(self, function, *args, **options):
        joint = adjoint(function, *args[:1], of=args[1])
        joint.body.results = (*joint.body.results, Lit(1.0))
        return joint

    monkeypatch.setattr(Gradient, "program", program)
    with pytest.raises(ast_ad.errors.InternalError, match="the program of `grad`.*"):
        ast_ad.grad(value_of, fallback="error")(X)
