"""Do the benchmarks' gradients agree, at sizes that take no time?"""

import contextlib

import numpy as np
import pytest

import ast_ad
from benchmarks.operators import Operator, operators
from benchmarks.tools import difference, prepare
from benchmarks.workloads import names, workload

TRACED: dict[str, str] = {}


def slope(function, args, wrt, directions, h):
    """The derivative along a direction by central differences of fourth order."""

    def at(s):
        moved = dict(zip(wrt, directions, strict=True))
        return function(*[a + s * moved[i] if i in moved else a for i, a in enumerate(args)])

    return (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


@pytest.mark.drawn(of=18)
@pytest.mark.parametrize("name", [*names(), *names(unseen=True)])
def test_gradients_agree(name):
    one = workload(name)
    args = one.arguments(tiny=True)
    with pytest.warns(ast_ad.FallbackWarning) if name in TRACED else contextlib.nullcontext():
        value, gradients = ast_ad.value_and_grad(one.primal, argnums=one.wrt, backend="numpy")(*args)
    assert np.isclose(value, one.primal(*args), rtol=1e-7 * one.tolerance)
    if one.hand is not None:
        by_hand = getattr(one.hand, "py_func", one.hand)(*args)
        assert difference((value, gradients), (by_hand[0], by_hand[1:])) < 1e-2 * one.tolerance
    draw = np.random.default_rng(0)
    directions = [0.1 * draw.normal(size=np.shape(args[i])) for i in one.wrt]
    args = [a.astype(float) if getattr(a, "dtype", None) == np.float32 else a for a in args]
    expected = slope(one.primal, args, one.wrt, directions, 1e-3)
    got = sum(np.sum(g * d) for g, d in zip(gradients, directions, strict=True))
    assert np.isclose(got, expected, rtol=100 * one.tolerance)


@pytest.mark.drawn(of=42)
@pytest.mark.parametrize("name", names(unseen=True))
def test_jax_agrees(name):
    """Before anything is timed: two gradients that this library has no part in."""
    pytest.importorskip("jax")
    one = workload(name)
    args = one.arguments(tiny=True)
    value, gradients = prepare("jax", one, args)()
    by_hand = getattr(one.hand, "py_func", one.hand)(*args)
    assert difference((value, gradients), (by_hand[0], by_hand[1:])) < 1e-2 * one.tolerance
    assert np.isclose(by_hand[0], one.primal(*args), rtol=1e-2 * one.tolerance)


def second(function, x, direction, h):
    """The second derivative along a direction, by differences of fourth order."""
    near = function(x + h * direction) + function(x - h * direction)
    far = function(x + 2 * h * direction) + function(x - 2 * h * direction)
    return (16.0 * near - far - 30.0 * function(x)) / (12.0 * h * h)


def by_differences(one, args, got):
    """What a derivative comes to along a direction, and the same by differences of the plain function."""
    x, *rest = args
    direction = np.random.default_rng(0).normal(size=np.shape(x)) * (0.1 + np.abs(x))

    def function(x):
        return one.primal(x, *(rest[:-1] if one.kind == "hvp" else rest))

    if one.kind == "jacobian":
        return got @ direction, slope(function, (x,), (0,), (direction,), 1e-3)
    if one.kind == "hessian":
        flat = direction.ravel()
        return flat @ got.reshape(flat.size, flat.size) @ flat, second(function, x, direction, 1e-3)
    if one.kind == "hvp":
        return rest[-1] @ got, second(function, x, rest[-1], 1e-3)
    if one.kind == "laplacian":
        return got, sum(second(function, x, e, 1e-3) for e in np.eye(len(x)))
    rows = [[a[i] if m else a for a, m in zip(rest, one.module.ROWS, strict=True)] for i in range(len(got))]
    return got @ direction, [slope(one.primal, (x, *row), (0,), (direction,), 1e-3) for row in rows]


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize("name", operators())
def test_derivatives_beyond_the_gradient_agree(name):
    one = Operator(name)
    args = one.arguments(tiny=True)
    got = np.asarray(one.by(ast_ad, one.primal, backend="numpy")(*args))
    if one.hand is not None:
        by_hand = getattr(one.hand, "py_func", one.hand)(*args)
        np.testing.assert_allclose(got, by_hand, rtol=1e-10, atol=1e-12 * np.max(np.abs(by_hand)))
    along, expected = by_differences(one, args, got)
    np.testing.assert_allclose(along, expected, rtol=1e-5, atol=1e-6 * np.max(np.abs(expected)))
