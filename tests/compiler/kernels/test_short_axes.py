"""Arrays of short cells lie so that loops over the cells are vectors; the numbers stay."""

import re

import numpy as np
import pytest

import ast_ad

CX, CY = [0, 1, 0, -1, 1], [1, 0, -1, 0, -1]
WEIGHTS = [0.4, 0.2, 0.2, 0.1, 0.1]
RNG = np.random.default_rng(11)
F = RNG.uniform(0.5, 1.5, (18, 19, 5))
SOLID = RNG.uniform(size=(18, 19)) < 0.2


def cells(f, tau, solid):
    """Five numbers a cell: moved along planes, summed, relaxed, and put back where walls are."""
    f = f.copy()
    for _ in range(3):
        for i, (x, y) in enumerate(zip(CX, CY, strict=True)):
            f[:, :, i] = np.roll(np.roll(f[:, :, i], x, axis=1), y, axis=0)
        kept = f[solid, :]
        rho = np.sum(f, axis=2)
        u = np.sum(f * np.array(CX, dtype=f.dtype), axis=2) / rho
        rest = np.zeros_like(f)
        for i, (x, w) in enumerate(zip(CX, WEIGHTS, strict=True)):
            rest[:, :, i] = rho * w * (1.0 + 3.0 * (x * u) + 4.5 * (x * u) ** 2)
        f += -(1.0 / tau) * (f - rest)
        f[solid, :] = kept
    return np.mean(np.sum(f[:, :, 1:] ** 2, axis=2))


def stacks(f, tau, solid):
    """Cells of 2 by 3 numbers."""
    s = np.empty((*f.shape[:2], 2, 3))
    s[:, :, 0, :] = f[:, :, :3] * tau
    s[:, :, 1, :] = f[:, :, 2:] ** 2
    total = 0.0
    for _ in range(3):
        s = s + 0.1 * np.sum(s, axis=(2, 3))[:, :, None, None] * s
        total += np.sum(s[:, :, 1, 2] * s[:, :, 0, 1])
    return total


def down_each_row(f, tau, solid):
    """A recurrence from cell to cell: no turn can be made at once with another."""
    s = f.copy()
    for i in range(f.shape[0]):
        for j in range(1, f.shape[1]):
            for k in range(5):
                s[i, j, k] = tau * s[i, j - 1, k] * s[i, j, 4 - k] + np.sin(s[i, j, k])
    return np.sum(s * s)


def some_cells(f, tau, solid):
    """Cells by indices, which may come twice."""
    s, rows = f * tau, np.array([3, 1, 2, 3, 0, 5, 4, 4])
    total = 0.0
    for i in range(f.shape[0]):
        for j in rows:
            for k in range(5):
                total += np.sin(s[i, j, k]) * s[i, 0, k]
    return total


def compared(f, dtype, tolerance):
    args = F.astype(dtype), 0.6, SOLID
    compiled = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba")
    value, gradients = compiled(*args)
    assert compiled.backend == "numba"
    expected, wanted = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numpy")(*args)
    assert np.isclose(value, f(*args), rtol=tolerance)
    assert np.isclose(value, expected, rtol=tolerance)
    for g, w in zip(gradients, wanted, strict=True):
        assert np.asarray(g).dtype == np.asarray(w).dtype
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)
    return compiled.source


@pytest.mark.drawn(of=8)
@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-11), (np.float32, 2e-4)])
@pytest.mark.parametrize("f", [cells, stacks, down_each_row, some_cells])
def test_values_and_gradients_are_those_of_numpy_code(f, dtype, tolerance):
    compared(f, dtype, tolerance)


@pytest.mark.parametrize("f", [cells, stacks])
def test_gradients_are_those_of_differences(f):
    direction = RNG.normal(size=F.shape)
    _, (g, g_tau) = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba")(F, 0.6, SOLID)
    h = 1e-5
    along = (f(F + h * direction, 0.6, SOLID) - f(F - h * direction, 0.6, SOLID)) / (2 * h)
    assert np.isclose(np.sum(g * direction), along, rtol=1e-6)
    assert np.isclose(g_tau, (f(F, 0.6 + h, SOLID) - f(F, 0.6 - h, SOLID)) / (2 * h), rtol=1e-6)


def test_short_axes_come_first_and_their_loops_are_written_out():
    source = compared(cells, np.float64, 1e-11)
    assert re.search(r"empty\(\(5, ", source)
    assert re.search(r"tape\w*\[3, k, i, j\]", source)
    assert re.search(r"\[3, i, j\]", source)
    steps = source[source.index("for k in range(3)") : source.index("# return np.mean")]
    assert not re.search(r"for \w+ in range\(n_1\):\n(?:(?!\n +for).)*\n +for \w+ in range\(5\)", steps)


def test_what_a_mask_chooses_is_written_in_loops_of_its_own():
    """Where places that are chosen are written one behind the other nothing else is computed."""
    source = compared(cells, np.float64, 1e-11)
    for body in re.findall(r"\n +for i in range\(n\):\n +for j in range\(n_1\):\n((?: {16}.*\n)+)", source):
        if "if solid" in body:
            assert not re.search(r"\*|/", body)


def test_a_recurrence_keeps_the_order_of_its_axes():
    source = compared(down_each_row, np.float64, 1e-11)
    assert "empty((5" not in source
    assert "for k in range(5)" in source
