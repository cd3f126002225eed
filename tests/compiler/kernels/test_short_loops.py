"""What a turn of a loop over cells has written it does not read again; arrays that only it reads go."""

import re

import numpy as np
import pytest

import ast_ad

RNG = np.random.default_rng(21)
STATE, RATES = RNG.uniform(0.5, 1.5, (37, 3)), RNG.uniform(0.2, 0.4, (2, 37))
LEFT, RIGHT = RNG.integers(0, 37, (2, 90))
LEFT[:5], RIGHT[3:5] = 7, 7


def slope(state, rates):
    out = np.empty_like(state)
    moved = rates[0] * state[:, 0]
    out[:, 0] = -moved
    out[:, 1] = moved - state[:, 1] / (rates[1] + state[:, 1])
    out[:, 2] = state[:, 1] * state[:, 2]
    return out


def staged(state, rates):
    """Two stages of a step, whose slopes are cells of three numbers."""
    total = 0.0
    for _ in range(4):
        k1 = slope(state, rates)
        k2 = slope(state + 0.1 * k1, rates)
        state = state + 0.05 * (k1 + k2)
        total += np.sum(state[:, 1] ** 2)
    return total


def overwritten(state, rates):
    """Elements that are read, written and read again, under literal and computed places."""
    s = state.copy()
    for i in range(s.shape[0]):
        for k in range(3):
            s[i, k] = s[i, (k + 1) % 3] * rates[0, i]
            s[i, 0] += s[i, k] * s[i, 2]
            s[i, -1] = s[i, 0] + s[i, k]
    return np.sum(s**2)


def added(state, rates):
    """Sums into elements of which some are written before and some are not."""
    s, cells = np.zeros_like(state), state * 1.0
    for i in range(s.shape[0]):
        s[i, 1] = rates[1, i]
        for k in range(3):
            s[i, k] += cells[i, k] ** 2
            cells[i, 2 - k] += s[i, k] * rates[0, i]
    return np.sum(s * cells)


def over_edges(state, rates):
    """Cells that edges read and add to, some of them twice: what an edge computes stays in registers."""
    total = 0.0
    for _ in range(3):
        a, b = state[LEFT], state[RIGHT]
        slide = np.sum(a[:, 1:] * b[:, 1:], axis=1) / a[:, 0]
        flux = 0.5 * (a + b) * slide[:, None]
        flux[:, 1:] += rates[0, LEFT, None] * (a[:, :2] - b[:, :2])
        change = np.zeros_like(state)
        np.add.at(change, LEFT, -flux)
        np.add.at(change, RIGHT, flux)
        state = state + 0.01 * change
        total += np.sum(state**2 * rates[1, :, None])
    return total


def compared(f, dtype, tolerance):
    args = STATE.astype(dtype), RATES.astype(dtype)
    compiled = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba")
    value, gradients = compiled(*args)
    assert compiled.backend == "numba"
    _, wanted = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numpy")(*args)
    assert np.isclose(value, f(*args), rtol=tolerance)
    for g, w in zip(gradients, wanted, strict=True):
        assert g.dtype == w.dtype
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)
    return compiled.source, gradients


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-11), (np.float32, 2e-4)])
@pytest.mark.parametrize("f", [staged, overwritten, added, over_edges])
def test_values_and_gradients_are_those_of_numpy_code(f, dtype, tolerance):
    compared(f, dtype, tolerance)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [staged, overwritten, added, over_edges])
def test_gradients_are_those_of_differences(f):
    _, gradients = compared(f, np.float64, 1e-11)
    for position, g in enumerate(gradients):
        args, direction, h = [STATE, RATES], RNG.normal(size=g.shape), 1e-6
        ends = [
            f(*(a + s * h * direction if i == position else a for i, a in enumerate(args))) for s in (1, -1)
        ]
        assert np.isclose(np.sum(g * direction), (ends[0] - ends[1]) / (2 * h), rtol=1e-6)


def test_slopes_are_numbers_not_arrays():
    """The forward pass keeps the state and its slopes in no array of their own."""
    source, _ = compared(staged, np.float64, 1e-11)
    steps = re.search(r"\n( +)for \w+ in range\(4\):\n((?:\1 +.*\n)+)", source)
    assert steps is not None
    written = set(re.findall(r"^ +(\w+)\[.*?\] \+?= ", steps.group(2), re.MULTILINE))
    assert len({name for name in written if "tape" not in name}) == 1, written


def test_edges_keep_cells_in_numbers():
    """Neither the fluxes of an edge nor their cotangents are arrays, and no loop over them writes to one.

    A sum of two numbers that the sweep computes again may be a loop: LLVM writes it out.
    """
    source, _ = compared(over_edges, np.float64, 1e-11)
    assert len(re.findall(r"^@\w*kernel$", source, re.MULTILINE)) == 1
    kernel = source[: source.index("def over_edges_value_and_grad(")]
    for _, turn in re.findall(r"\n( +)for j in range\([12]\):\n((?:\1 +.*\n)+)", kernel):
        assert not re.search(r"\] \+?= ", turn)
    assert not re.search(r"\w+\[[0-9]\] \+?=", kernel)


def branched(state, rates):
    """Products of small matrices on one path only."""
    total, moved = 0.0, np.eye(8)
    for i in range(state.shape[0] - 8):
        if state[i, 0] > 1.0:
            part = np.eye(8) + 0.1 * rates[0, i : i + 8, None] * rates[1, i : i + 8]
            moved = part.T @ moved @ part
            moved = moved / np.trace(moved)
        total += np.sum(moved[1:4, 2:5] ** 2)
    return total


def test_small_arrays_of_a_branch_are_made_before_its_loop():
    """But for what the loop carries, which is another array in each turn."""
    source, _ = compared(branched, np.float64, 1e-11)
    assert "np.dot" in source
    assert len(re.findall(r"\n {12,}\w+ = empty\(", source)) <= 2
