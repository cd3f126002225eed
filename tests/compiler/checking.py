"""How are adjoints checked? The evaluated joint program against central differences, of order one and two."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import ast_ad.rules  # noqa: F401
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.adjoint.split import split
from ast_ad.compiler.frontend.lower import lower
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Function
from ast_ad.trees import flatten


def primal(function: Callable[..., Any], *args: Any, residuals: str = "cheap") -> Function:
    """The IR of a call."""
    flat = [flatten(arg) for arg in args]
    names = list(inspect.signature(function).parameters)
    leaves = [leaf for own, _ in flat for leaf in own]
    trees = [tree for _, tree in flat]
    return check(lower(function, names, trees, leaves, residuals=residuals).function)


def leaves_of(args: tuple[Any, ...]) -> list[Any]:
    return [leaf for arg in args for leaf in flatten(arg)[0]]


def differentiable(leaves: list[Any]) -> tuple[int, ...]:
    return tuple(i for i, leaf in enumerate(leaves) if np.asarray(leaf).dtype.kind in "fc")


def flatten_values(*values: Any) -> np.ndarray:
    """All numbers in the values, lists included, in one vector."""
    parts = [
        flatten_values(*v) if isinstance(v, (list, tuple)) else np.ravel(v).astype(float) for v in values
    ]
    return np.concatenate([np.zeros(0), *parts])


def difference(function: Callable[..., float], leaves: list[Any], position: int) -> np.ndarray:
    """Central differences of a number by each element of one argument."""
    x = np.asarray(leaves[position], float)
    slope = np.zeros(x.size)
    for k in range(x.size):
        step = 1e-6 * max(1.0, abs(x.flat[k]))
        values = []
        for sign in (1, -1):
            moved = np.array(x)
            moved.flat[k] += sign * step
            changed = moved if np.ndim(leaves[position]) else float(moved)
            values.append(function(*leaves[:position], changed, *leaves[position + 1 :]))
        slope[k] = (values[0] - values[1]) / (2 * step)
    return slope


def verify(function: Callable[..., Any], *args: Any, order: int = 2) -> Function:
    """Check value, gradient, the two halves and (order 2) the gradient of a product with the gradient."""
    program = primal(function, *args)
    leaves = leaves_of(args)
    wrt = differentiable(leaves)
    joint = check(adjoint(program, wrt))
    value, *bars = evaluate(joint, *leaves)
    np.testing.assert_array_equal(value, function(*args))
    for position, bar in zip(wrt, bars, strict=True):
        assert np.shape(bar) == np.shape(leaves[position])
        expected = difference(lambda *a: evaluate(program, *a), leaves, position)
        np.testing.assert_allclose(
            np.ravel(bar), expected, rtol=2e-5, atol=1e-7, err_msg=f"argument {position}"
        )
    verify_halves(program, wrt, leaves, bars)
    if order > 1:
        verify_second(joint, wrt, leaves)
    return joint


def verify_halves(program: Function, wrt: tuple[int, ...], leaves: list[Any], bars: list[Any]) -> None:
    forward, backward = split(adjoint(program, wrt, seed=True), 1, 1)
    _, residuals = evaluate(check(forward), *leaves)
    again = evaluate(check(backward), residuals, 1.0)
    for bar, other in zip(bars, again if len(bars) > 1 else [again], strict=True):
        np.testing.assert_allclose(flatten_values(other), flatten_values(bar), rtol=1e-12)


def verify_second(joint: Function, wrt: tuple[int, ...], leaves: list[Any]) -> None:
    results = evaluate(joint, *leaves)
    random = np.random.default_rng(0)
    seeds = [random.normal(size=np.shape(r)) if np.ndim(r) else float(random.normal()) for r in results]
    twice = check(adjoint(joint, wrt, seed=True))
    bars = evaluate(twice, *leaves, *seeds)[len(results) :]

    def product(*leaves: Any) -> float:
        return float(flatten_values(*evaluate(joint, *leaves)) @ flatten_values(*seeds))

    for position, bar in zip(wrt, bars, strict=True):
        expected = difference(product, leaves, position)
        np.testing.assert_allclose(
            np.ravel(bar), expected, rtol=1e-4, atol=2e-6, err_msg=f"2nd, argument {position}"
        )
