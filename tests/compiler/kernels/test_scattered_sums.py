"""Sums that go where indices say share their loop; what is made in order is told that arrays are apart."""

import re

import numpy as np

import ast_ad

RNG = np.random.default_rng(5)
GRID, POINTS = RNG.normal(size=23), RNG.uniform(0.0, 21.9, (4, 30))


def interpolated(grid, points):
    """Each point reads two neighbours: its cotangent goes to both."""
    low = np.floor(points).astype(int)
    part = points - low
    return np.sum(np.sin((1.0 - part) * grid[low] + part * grid[low + 1]))


def shut(grid, points):
    """What is left is all less what was taken, which is all less it: rounded as it is written."""
    low = np.floor(points).astype(int)
    whole = 1.0 + np.abs(points)
    taken = whole - np.exp(-np.abs(grid[low]))
    return np.sum((whole - taken) * points)


def compared(f):
    compiled = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba")
    value, gradients = compiled(GRID, POINTS)
    assert compiled.backend == "numba"
    _, wanted = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numpy")(GRID, POINTS)
    assert np.isclose(value, f(GRID, POINTS), rtol=1e-13)
    for g, w, k in zip(gradients, wanted, (0, 1), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-13)
        args, direction, h = [GRID, POINTS], RNG.normal(size=w.shape), 1e-6
        ends = [f(*(a + s * h * direction if i == k else a for i, a in enumerate(args))) for s in (1, -1)]
        assert np.isclose(np.sum(g * direction), (ends[0] - ends[1]) / (2 * h), rtol=1e-6)
    return compiled.source


def test_scattered_sums_into_one_array_share_their_loop():
    source = compared(interpolated)
    bodies = re.split(r"\n +for .*:", source)
    assert [
        len(re.findall(r"grid_bar\[.*\] \+=", body)) for body in bodies if "grid_bar[position" in body
    ] == [2]


def test_exact_kernels_are_told_that_arrays_are_apart():
    assert "@exact_apart_kernel" in compared(shut)
