"""Sums that go where indices say share their loop; what is made in order is told that arrays are apart."""

import re

import numpy as np
import pytest

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


TABLE, PLACES = RNG.normal(size=(3, 23)), RNG.integers(-23, 23, 31)
ROWS = RNG.integers(0, 3, 31)


def index_with_number(table):
    return table[0, PLACES, None] * np.arange(2.0)


def index_behind(table):
    return table[None, ROWS, PLACES, None]


def index_after_slice(table):
    return table[1:, None, PLACES] * 2.0


def index_before_slice(table):
    return table[None, ROWS[:, None], None, ::2]


def index_of_any(table):
    return np.exp(table)[..., None, PLACES[:5, None]]


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize(
    "part", [index_with_number, index_behind, index_after_slice, index_before_slice, index_of_any]
)
def test_none_beside_indices(part):
    """New axes beside integer arrays, in reads, in writes and in sums into what was read."""

    def f(table):
        out = np.sin(part(table))
        total = np.sum(out * np.cos(out))
        other = np.zeros((3, 23))
        np.add.at(other, (1, PLACES, None), table[0, PLACES, None])
        return total + np.sum(other**3)

    compiled = ast_ad.value_and_grad(f, backend="numba")
    value, gradient = compiled(TABLE)
    assert compiled.backend == "numba"
    code = [line for line in compiled.source.splitlines() if not line.lstrip().startswith("#")]
    assert not any("np.add.at" in line or "None" in line for line in code)
    _, wanted = ast_ad.value_and_grad(f, backend="numpy")(TABLE)
    assert np.isclose(value, f(TABLE), rtol=1e-13)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-12, atol=1e-13)
    direction, h = RNG.normal(size=TABLE.shape), 1e-6
    slope = (f(TABLE + h * direction) - f(TABLE - h * direction)) / (2 * h)
    assert np.isclose(np.sum(gradient * direction), slope, rtol=1e-6)


def test_an_index_beyond_the_end_is_numpys_error():
    def f(table, places):
        return np.sum(table[0, places, None] ** 2)

    compiled = ast_ad.value_and_grad(f, backend="numba")
    compiled(TABLE, PLACES)
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(TABLE, np.where(PLACES == PLACES[7], 23, PLACES))


CELLS = 23


def deposited(grid, points):
    """Charges on a periodic grid: places, which are kept, and sums at them."""
    x = points.ravel()
    place = (x % 5.0) * (CELLS / 5.0)
    left = np.floor(place).astype(int) % CELLS
    share = place - np.floor(place)
    density = np.zeros(CELLS)
    np.add.at(density, left, share)
    np.add.at(density, (left + 1) % CELLS, 1.0 - share)
    return np.sum(density**2 * grid) + np.sum(share * grid[left])


def counted(grid, points):
    """Nothing of a point is kept: how much falls into which bin is all that there is."""
    density = np.zeros(CELLS)
    np.add.at(density, (points % 5.0 * 4.0).astype(int), points * 0.5)
    return np.sum(density**2 * grid)


def walked(grid, points):
    """A loop of the user's, which reads what it has stored and what it has summed."""
    x, density, seen = points[0], np.zeros(CELLS), np.zeros(points.shape[1])
    shares = np.empty(len(x))
    for i in range(len(x)):
        place = x[i] % 5.0
        shares[i] = place / (1.0 + place)
        k = int(place)
        density[k] += shares[i] * grid[i % CELLS]
        seen[i] = density[k] ** 2
    return np.sum(density**3) + np.sum(seen * shares)


def overwritten(grid, points):
    """What is added is stored, but overwritten by a later turn."""
    x, density, last = points[0], np.zeros(CELLS), np.zeros(3)
    for i in range(len(x)):
        last[i % 3] = x[i] / (1.0 + x[i])
        density[2 * i % CELLS] += last[i % 3] * grid[i % CELLS]
    return np.sum(density**3) + np.sum(last)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [deposited, counted, walked, overwritten])
def test_sums_that_stand_alone_have_their_values(f):
    compared(f)


@pytest.mark.parametrize("f", [deposited, counted])
def test_remainders_are_computed_without_sums(f):
    """The loop with the remainder adds nothing, and the loop that adds divides nothing."""
    kernel = compared(f)
    loops = re.split(r"\n +for ", kernel)
    assert any("remainder(" in loop for loop in loops)
    for loop in loops:
        assert not ("remainder" in loop.partition("# ")[0] and "] += " in loop.partition("# ")[0]), loop


def test_what_takes_vectors_is_computed_before_it_is_chosen_from():
    """Once for each element; so it is where an index is beyond the end, which is NumPy's error."""

    def f(grid, places):
        return np.sum((np.sin(grid) / (2.0 + grid**2))[places] ** 2)

    compiled = ast_ad.value_and_grad(f, backend="numba")
    value, gradient = compiled(GRID, PLACES)
    assert np.isclose(value, f(GRID, PLACES), rtol=1e-13)
    _, wanted = ast_ad.value_and_grad(f, backend="numpy")(GRID, PLACES)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-12, atol=1e-14)
    chosen = [line for line in compiled.source.splitlines() if "places[" in line]
    assert chosen and not any("sin" in line or "/" in line for line in chosen)
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(GRID, np.where(PLACES == PLACES[7], 23, PLACES))
