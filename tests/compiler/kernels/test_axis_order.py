"""Arrays whose columns loops of vectors go down lie column by column; the numbers stay."""

import re

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

RNG = np.random.default_rng(5)
X = RNG.uniform(0.5, 1.5, (17, 23))


def smoothed(x, a):
    """A recurrence along the rows, for all rows at once."""
    s = np.zeros(x.shape)
    s[:, 0] = x[:, 0]
    for t in range(1, x.shape[1]):
        s[:, t] = a * s[:, t - 1] + (1.0 - a) * np.tanh(x[:, t] * s[:, t - 1])
    return np.mean(s**2)


def both_ways(x, a):
    """Down the columns in one sweep, along the rows in the next one, which tells what comes after it."""
    s = x * a
    for _ in range(3):
        for i in range(1, x.shape[0]):
            s[i, :] = s[i, :] * a + s[i - 1, :] ** 2 * 0.1
        for j in range(x.shape[1] - 2, -1, -1):
            s[:, j] = np.sin(s[:, j]) + a * s[:, j + 1] - 0.1 * s[:, j] * s[:, j + 1]
    return np.sum(s * x)


def planes(x, a):
    """Of three axes the middle one is gone along last."""
    s = np.empty((x.shape[0], 18, x.shape[1]))
    s[:, 0, :] = x
    for k in range(1, 18):
        s[:, k, 0] = x[:, k] * s[:, k - 1, 0]
        for j in range(1, x.shape[1]):
            s[:, k, j] = a * s[:, k - 1, j - 1] + 0.5 * s[:, k, j - 1] * x[:, j]
    return np.sum(s[:, -1, 1:]) + np.sum(np.cos(s[:, 5, 0]))


def around_the_end(x, a):
    """The first turn reads the last column."""
    s = x * 1.0
    for t in range(x.shape[1]):
        s[:, t] = a * s[:, t - 1] + s[:, t] ** 2
    return np.sum(np.sqrt(s))


def multiplied(x, a):
    """What a product of matrices reads stays as it is."""
    s = np.zeros(x.shape)
    for t in range(1, x.shape[1]):
        s[:, t] = a * s[:, t - 1] + x[:, t]
    return np.sum((s @ x.T) ** 2) * 1e-3


def of_single_places(x, a):
    """Loops with branches and indices that come twice."""
    s, where = x * a, np.array([3, 1, 2, 3, 0])
    for t in range(1, x.shape[1]):
        for i in range(x.shape[0]):
            if s[i, t - 1] > a:
                s[i, t] += 0.3 * s[i, t - 1]
        for i in where:
            s[i, t] *= s[i, t - 1]
    return np.sum(s)


def deflated(x, a):
    """Each column is taken from all behind it; the gradient, a result, is gone down in the same way."""
    u = x.copy()
    for k in range(u.shape[1]):
        u[:, k] = np.sin(u[:, k]) / (a + np.sum(u[:, k] ** 2))
        u[:, k + 1 :] -= np.outer(u[:, k], u[:, k] @ u[:, k + 1 :])
    return np.sum(u**2)


def framed(x, a):
    """Margins are few of the columns that whole images have."""
    for _ in range(3):
        t = np.pad(x, 1, mode="edge")
        x = x + a * (t[2:, 1:-1] + t[:-2, 1:-1] + t[1:-1, 2:] + t[1:-1, :-2] - 4.0 * x) ** 2
    return np.sum(x**2)


PROGRAMS = [smoothed, both_ways, planes, around_the_end, multiplied, of_single_places, deflated, framed]


def compared(f, x, a):
    compiled = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba", fallback="error")
    value, (g, g_a) = compiled(x, a)
    expected, (wanted, wanted_a) = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numpy")(x, a)
    tolerance = 1e-11 if x.dtype == float else 2e-4
    assert np.isclose(value, f(x, a), rtol=tolerance) and np.isclose(value, expected, rtol=tolerance)
    assert g.dtype == wanted.dtype and g.flags.c_contiguous
    np.testing.assert_allclose(g, wanted, rtol=tolerance, atol=tolerance * np.max(np.abs(wanted)))
    np.testing.assert_allclose(g_a, wanted_a, rtol=10 * tolerance)
    return compiled.source


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_gradients_are_those_of_numpy_code(f):
    compared(f, X, 0.6)


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("f", [smoothed, both_ways])
def test_in_single_precision(f):
    compared(f, X.astype(np.float32), np.float32(0.6))


@pytest.mark.drawn(of=12)
@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_are_those_of_differences(f):
    direction, h = RNG.normal(size=X.shape), 1e-6
    derivative = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba", fallback="error")
    _, (g, g_a) = derivative(X, 0.6)  # the program that is compared above
    along = (f(X + h * direction, 0.6) - f(X - h * direction, 0.6)) / (2 * h)
    assert np.isclose(np.sum(g * direction), along, rtol=1e-6)
    assert np.isclose(g_a, (f(X, 0.6 + h) - f(X, 0.6 - h)) / (2 * h), rtol=1e-6)


def test_a_recurrence_along_rows_has_neighbours_in_vectors():
    """But for the argument, and its gradient, which lie as the caller has them."""
    source = compared(smoothed, X, 0.6)
    places = re.findall(r"\b(?:s|s_bar|tape)\[([^\[\]]*\bi\b[^\[\]]*)\]", source)
    assert len(places) > 8 and all(place.endswith(", i") for place in places)
    # what goes through whole arrays goes through them as they lie
    assert re.search(r"for j in .*:\n +for i in .*:\n +s\[j, i\] = 0.0", source)


def test_what_matrix_products_read_keeps_its_order():
    source = compared(multiplied, X, 0.6)
    assert re.search(r"\bs\[i\w*, \w+\] = ", source) and not re.search(r"\bs\[\w+, i\w*\] = ", source)


def test_a_result_gets_its_rows_at_the_end():
    source = compared(deflated, X, 0.6)
    assert re.search(r"for i in .*:\n +for j in .*:\n +u_bar\[i, j\] = \w+\[j, i\]", source)
    assert not re.search(r"u_bar\[\w+, k\w*\] \+?= ", source)


def test_margins_do_not_turn_what_whole_arrays_are_read_into():
    source = compared(framed, X, 0.01)
    assert not re.search(r"\[j, i\]|for j in .*:\n +for i in ", source)


def rendered(density, colours, points):
    """Rays through a grid: running products of what is gathered, which comes back to scattered places."""
    low = np.floor(points).astype(int)
    part = points - low
    i, j = low[..., 0], low[..., 1]
    dense, colour = 0.0, 0.0
    for a in (0, 1):
        for b in (0, 1):
            weight = (part[..., 0] if a else 1.0 - part[..., 0]) * (part[..., 1] if b else 1.0 - part[..., 1])
            dense = dense + weight * density[i + a, j + b]
            colour = colour + weight[..., None] * colours[i + a, j + b]
    alpha = 1.0 - np.exp(-0.1 * np.log1p(np.exp(dense)))
    passed = np.cumprod(1.0 - alpha, axis=1)
    light = np.concatenate([np.ones((len(points), 1)), passed[:, :-1]], axis=1)
    return np.sum(np.sum((light * alpha)[..., None] / (1.0 + np.exp(-colour)), axis=1) ** 2)


def test_what_comes_back_to_scattered_places_lies_along_its_rows():
    """Running products alone would turn all that gathers, and sums at scattered places, go through."""
    grid = RNG.normal(size=(9, 9)), RNG.normal(size=(9, 9, 3))
    points = RNG.uniform(0.0, 7.9, (19, 21, 2))
    compiled = ast_ad.value_and_grad(rendered, argnums=(0, 1), backend="numba", fallback="error")
    value, gradients = compiled(*grid, points)
    expected, wanted = ast_ad.value_and_grad(rendered, argnums=(0, 1), backend="numpy")(*grid, points)
    assert np.isclose(value, expected, rtol=1e-12)
    for found, right in zip(gradients, wanted, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-11, atol=1e-12)
    assert re.search(r"colours_bar\[.*\+= .*\bweight\w*\[i, j\]", compiled.source)
    assert not re.search(r"\bweight\w*\[j, i\]", compiled.source)
