"""How are tangents checked? Against the transposed pullback, and against adjoints by the inner product."""

from __future__ import annotations

from typing import Any

import numpy as np

from ast_ad.calls.questions import Pullback
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Function
from ast_ad.compiler.tangent.linear_last import linear_last
from ast_ad.compiler.tangent.tangent import tangent
from ast_ad.rule.direct import dot, random_like
from ast_ad.rule.programs import as_tuple


def transposed_pullback(function: Function, wrt: tuple[int, ...], of: tuple[int, ...]) -> Function:
    """The tangents by two adjoints: the pullback is linear in its seeds. It has these as parameters, too."""
    count, params = len(function.body.results), len(function.params)
    pulled = Pullback().program(function, wrt, of)
    seeds = tuple(range(params, len(pulled.params)))
    bars = tuple(range(count, len(pulled.body.results)))
    return adjoint(pulled, seeds, seed=True, of=bars)


def run(function: Function, *values: Any) -> tuple[Any, ...]:
    with np.errstate(all="ignore"):
        return as_tuple(evaluate(function, *values), function)


def directions(values: list[Any], places: tuple[int, ...], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [random_like(values[i], rng) for i in places]


def verify(
    function: Function, wrt: tuple[int, ...], values: list[Any], of: tuple[int, ...] = (0,)
) -> Function:
    """The tangent agrees with the transposed pullback, and with the adjoint by ``<g, J v> == <J'g, v>``.

    So it does with its linear part behind the rest.
    """
    found = check(tangent(function, wrt, of))
    results = run(function, *values)
    along = directions(values, wrt)
    together = run(found, *values, *along)
    assert len(together) == len(results) + len(of)
    np.testing.assert_equal(together[: len(results)], results)
    dots, seeds = together[len(results) :], [results[i] for i in of]
    twice = transposed_pullback(function, wrt, of)
    expected = run(twice, *values, *seeds, *along)[-len(of) :]
    for own, other, i in zip(dots, expected, of, strict=True):
        assert np.shape(own) == np.shape(results[i])
        np.testing.assert_allclose(own, other, rtol=1e-11, atol=1e-12)
    last = run(linear_last(found, len(wrt)), *values, *along)
    for own, other in zip(last, together, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-12, atol=1e-13)
    pulled = adjoint(function, wrt, True, of)
    back = [random_like(results[i], np.random.default_rng(1)) for i in of]
    bars = run(pulled, *values, *back)[len(results) :]
    forth = sum(dot(g, d) for g, d in zip(back, dots, strict=True))
    np.testing.assert_allclose(forth, sum(map(dot, bars, along)), rtol=1e-11, atol=1e-12)
    return found


def verify_orders(function: Function, wrt: tuple[int, ...], values: list[Any], third: bool = False) -> None:
    """A number's Hessian times a direction, in both orders of both modes, and twice forward."""
    count, params = len(function.body.results), len(function.params)
    v, w = directions(values, wrt, 1), directions(values, wrt, 2)
    bars = tuple(range(count, count + len(wrt)))
    over = check(tangent(adjoint(function, wrt, of=(0,)), wrt, bars))
    products = run(over, *values, *v)[-len(wrt) :]
    forward = tangent(function, wrt, (0,))
    under = check(adjoint(forward, wrt, of=(count,)))
    same(run(under, *values, *v)[-len(wrt) :], products)
    twice = check(tangent(forward, wrt, (count,)))
    same([run(twice, *values, *v, *w)[-1]], [sum(map(dot, products, w))])
    if third:
        thrice = check(tangent(twice, wrt, (count + 1,)))
        u = directions(values, wrt, 3)
        mixed = check(tangent(over, wrt, tuple(range(count + len(wrt), count + 2 * len(wrt)))))
        assert len(mixed.params) == params + 2 * len(wrt)
        *_, value = run(thrice, *values, *v, *w, *u)
        same([sum(map(dot, run(mixed, *values, *v, *w)[-len(wrt) :], u))], [value])


def same(found: Any, expected: Any) -> None:
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
