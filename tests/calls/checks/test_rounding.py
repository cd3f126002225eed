"""Results that are rounding and nothing else are no defect of the program; those that are wrong stay one."""

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import pipeline
from ast_ad.calls.checks.rounding import Noise, spread
from ast_ad.compiler.ir.ops import Op, walk
from ast_ad.errors import DefectWarning

DRAW = np.random.default_rng(3)
PHASES = DRAW.random(12)
WEIGHTS = DRAW.random((2, 12, 12))


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    monkeypatch.delenv("AST_AD_CHECK", raising=False)
    monkeypatch.setenv("AST_AD_CACHE", "0")


def synchronised(phases, weights, turns):
    """Oscillators that come to one phase: what they began with is forgotten, and the gradient is rounding."""
    for _ in range(turns):
        apart = phases[None, :] - phases[:, None]
        phases = phases + 0.05 * np.sum(weights[0] * np.sin(apart) * weights[1], axis=1)
    return np.abs(np.mean(np.exp(1j * phases)))


@pytest.mark.parametrize("turns", [30, 300])
def test_a_state_that_settles_is_no_wrong_program(turns):
    derivative = ast_ad.value_and_grad(synchronised, argnums=(0, 1), backend="numba")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DefectWarning)
        value, (phases, weights) = derivative(PHASES, WEIGHTS, turns)
    np.testing.assert_allclose(value, synchronised(PHASES, WEIGHTS, turns), rtol=1e-12)
    expected = ast_ad.grad(synchronised, argnums=(0, 1), backend="numpy")(PHASES, WEIGHTS, turns)
    for found, right in zip((phases, weights), expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-6, atol=1e-15)


def rounded_down(x, s):
    """0.3 / 0.1 is a hair under 3: rounded otherwise, another item is read."""
    return x[int(np.floor(s / 0.1))] * np.sin(s)


@pytest.mark.parametrize("function, args", [(rounded_down, (np.arange(5.0) ** 2, 0.3)), (synchronised, None)])
def test_kernels_that_are_wrong_are_found(function, args, monkeypatch):
    def wrong(pure, *given, **kwargs):
        for op in walk(pure.function.body):
            if isinstance(op, Op) and op.fn is np.sin:
                op.fn = np.tanh
        return kernel_code(pure, *given, **kwargs)

    kernel_code = pipeline.kernel_code
    monkeypatch.setattr(pipeline, "kernel_code", wrong)
    args = args or (PHASES, WEIGHTS, 10)
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba")
    with pytest.warns(DefectWarning, match="E903"):
        value, _ = derivative(*args)
    np.testing.assert_allclose(value, function(*args))


def test_runs_that_decide_otherwise_tell_nothing():
    def run(inputs, noise):
        found = noise.moved(inputs[0] * 0.1)
        noise.decided(found < 0.07 * 0.1)
        return [found]

    assert len(spread(run, [0.5])) == 4  # with arguments that are moved, and with all that is computed
    assert len(spread(run, [0.07])) < 4  # 0.07 * 0.1, a unit more or less
    assert spread(lambda inputs, noise: None, [0.5]) == []


def test_what_differs_without_rounding_is_none():
    """A program that returns memory that it never wrote to gives something else in each run."""
    left = iter(np.arange(1.0, 100.0) * 1e-300)
    assert spread(lambda inputs, noise: [np.array([next(left), inputs[0]])], [0.5]) == []
    assert len(spread(lambda inputs, noise: [np.array([np.nan, inputs[0]])], [0.5])) == 4


def test_what_is_moved():
    noise = Noise(0)
    x = np.array([0.5, 0.1, 3.0, 0.0, np.inf])
    moved = noise.moved(x.copy())
    assert moved[2] == 3.0 and moved[3] == 0.0 and moved[4] == np.inf  # whole numbers: indices, masks
    assert np.all(moved[:2] != x[:2]) and np.allclose(moved[:2], x[:2], rtol=3e-16)
    single = noise.moved(np.float32(0.1))
    assert type(single) is np.float32 and abs(single - np.float32(0.1)) == np.spacing(np.float32(0.1))
    assert noise.moved(7) == 7 and noise.moved(True) is True
    z = noise.moved(0.1 + 0.2j)
    assert type(z) is complex and z != 0.1 + 0.2j and abs(z - (0.1 + 0.2j)) < 1e-16
    zs = np.array([[0.1 + 0.2j, 0.3]]).T
    assert noise.moved(zs) is zs and np.all(zs.ravel() != [0.1 + 0.2j, 0.3])
    assert Noise(None).moved(0.1) == 0.1


def test_a_value_that_is_rounding_alone_is_no_defect():
    """Along a shift of all costs the gradient of a transport plan's cost does not change."""

    def cost(c):
        k = np.exp(-c / 0.2)
        u = np.ones(c.shape[0])
        for _ in range(10):
            v = 1.0 / (k.T @ u)
            u = 1.0 / (k @ v)
        return np.sum(u[:, None] * k * c * v[None, :])

    c = np.random.default_rng(0).uniform(size=(12, 12))
    shifts = np.ones_like(c)
    product = ast_ad.hvp(cost, (c,), (shifts,), backend="numba", fallback="error")[0]
    assert np.abs(product).max() < 1e-13
    way = np.random.default_rng(1).normal(size=c.shape)
    product = ast_ad.hvp(cost, (c,), (way,), backend="numba", fallback="error")[0]
    slope = ast_ad.grad(cost)(c + 1e-6 * way) - ast_ad.grad(cost)(c - 1e-6 * way)
    np.testing.assert_allclose(product, slope / 2e-6, rtol=1e-5, atol=1e-7)
