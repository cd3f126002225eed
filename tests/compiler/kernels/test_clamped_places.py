"""Places that are clamped to an array's ends need no checks, and loops between the ends no bounds."""

import re

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

RNG = np.random.default_rng(11)
X = RNG.uniform(0.5, 1.5, (19, 21))


def smoothed(x, k):
    """Both neighbours of a vector, which are itself at the ends."""
    i = np.arange(len(x))
    left, right = np.maximum(i - 1, 0), np.minimum(i + 1, len(x) - 1)
    for _ in range(3):
        x = x + 0.1 * (x[left] * x[right] - 2.0 * x)
    return np.sum(x**2)


def flux(x, k):
    """Along both axes, one of them by two places."""
    i, j = np.arange(x.shape[0]), np.arange(x.shape[1])
    down, west = np.minimum(i + 1, x.shape[0] - 1), np.maximum(j - 2, 0)
    for _ in range(2):
        x = x + 0.2 * np.sin(x[down] - x) * (x[:, west] - x)
    return np.sum(x**2)


def moved(x, k):
    """By a number that the caller gives, so that all places may be one."""
    i = np.clip(np.arange(len(x)) + k, 0, len(x) - 1)
    return np.sum(np.sin(x) * x[i] ** 2)


def one_by_one(x, k):
    total = 0.0
    for j in range(len(x)):
        total += x[max(j - 1, 0)] * x[min(j + 2, len(x) - 1)] ** 2
    return total


def in_turn(x, k):
    """Each turn reads what the one before has written: the order of the turns stays."""
    x = x * 1.0
    for j in range(len(x)):
        x[j] = np.sin(x[j]) + 0.5 * x[max(j - 1, 0)] * x[min(j + 1, len(x) - 1)]
    return np.sum(x**2)


def as_a_number(x, k):
    """The place is a factor, too."""
    i = np.maximum(np.arange(len(x)) - 3, 0)
    return np.sum(x[i] ** 2 * i)


def added(x, k):
    """Places that several turns add to."""
    i = np.minimum(np.arange(len(x)) + 2, len(x) - 1)
    y = np.zeros_like(x)
    np.add.at(y, i, x**2)
    return np.sum(y * x)


def counted_from_the_end(x, k):
    """What is bounded by -1 is the last one."""
    i = np.maximum(np.arange(len(x)) - 2, -1)
    return np.sum(x[i] * x**2)


def of_another_length(x, k):
    """The bounds are those of a shorter array than the loop's."""
    y = x[:7] ** 2
    i = np.minimum(np.arange(len(x)), 6)
    return np.sum(y[i] * x)


def between_numbers(x, k):
    """Bounds that are met within the array, in either order."""
    i = np.minimum(np.maximum(np.arange(len(x)) + 1, 4), 9)
    j = np.maximum(np.minimum(np.arange(len(x)) - 1, 4), 9)
    return np.sum(x[i] * x[j] * x)


def short(x, k):
    """Integers of 16 bits, whose sums wrap."""
    i = np.maximum(np.arange(len(x)).astype(np.int16) - np.int16(1), np.int16(0))
    return np.sum(x[i] * x)


VECTORS = [smoothed, moved, one_by_one, in_turn, as_a_number, added, counted_from_the_end]
LONG = [of_another_length, between_numbers, short]


def compared(f, x, k=1):
    derivative = ast_ad.value_and_grad(f, backend="numba", fallback="error")
    value, g = derivative(x, k)
    expected, wanted = ast_ad.value_and_grad(f, backend="numpy")(x, k)
    tolerance = 1e-12 if x.dtype == float else 1e-5
    assert np.isclose(value, f(x, k), rtol=tolerance) and np.isclose(value, expected, rtol=tolerance)
    np.testing.assert_allclose(g, wanted, rtol=tolerance, atol=10 * tolerance)
    direction, h = RNG.normal(size=x.shape), 1e-6
    if x.dtype == float:
        along = (f(x + h * direction, k) - f(x - h * direction, k)) / (2 * h)
        assert np.isclose(np.sum(g * direction), along, rtol=1e-6, atol=1e-8)
    return derivative


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("f", [*VECTORS, *LONG])
def test_values_and_gradients_of_vectors(f):
    compared(f, X[0])


@pytest.mark.drawn(of=2)
@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("f", [smoothed, one_by_one, added, counted_from_the_end])
def test_arrays_that_are_shorter_than_the_way_to_a_neighbour(f, n):
    compared(f, X[0, :n])


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("f", [flux])
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_values_and_gradients_of_matrices(f, dtype):
    compared(f, X.astype(dtype))


def test_all_ways_to_move():
    derivative = compared(moved, X[0])
    for k in (-100, -3, 0, 2, 20, 21, 1000, 2**61, -(2**61)):
        value, g = derivative(X[0], k)
        expected, wanted = ast_ad.value_and_grad(moved, backend="numpy")(X[0], k)
        assert np.isclose(value, expected, rtol=1e-12)
        np.testing.assert_allclose(g, wanted, rtol=1e-12)


def test_a_place_beyond_the_end_is_an_error():
    def beyond(x):
        return np.sum(x[np.minimum(np.arange(len(x)) + 1, len(x))])

    with pytest.raises(IndexError):
        ast_ad.grad(beyond, backend="numba")(X[0])


def test_between_the_ends_there_are_no_bounds_and_no_checks():
    source = compared(flux, X).source
    assert not re.search(r"wrapped|inside", source) and "position(m" not in source
    assert re.search(r"for j in range\(2, \w+\):(\n +[^f\n]\S.*)*\n +.*\[\w+, j - 2\]", source)
    checked = compared(counted_from_the_end, X[0]).source
    assert re.search(r"wrapped|position\(", checked)
