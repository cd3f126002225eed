"""Do the benchmarks' gradients agree, at sizes that take no time?"""

import contextlib

import numpy as np
import pytest

import ast_ad
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


@pytest.mark.drawn(of=7)
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
