"""Is ``x[b]`` with one boolean an axis of length one or none, known when the program runs?"""

from math import inf

import numpy as np
import pytest

import ast_ad

POINTS = np.array([0.5, 0.6]), np.array([0.1, 0.6])


def length(x):
    found = x[x[0] > 0.3]
    return np.sum(found * found) + len(found) * x[0]


def behind(x):
    found = x.reshape(1, 2)[:, x[0] > 0.3]
    return np.sum(found * found) + found.shape[1] * x[0]


def last(x):
    found = x[..., bool(x[0] > 0.3)]
    return np.sum(found * found) + found.shape[-1] * x[0]


def beside_a_slice(x):
    found = x[x[0] > 0.3, 1:]
    return np.sum(found * found) + found.shape[0] * x[0]


def of_a_number(x):
    found = np.sin(x[0])[x[0] > 0.3]
    return np.sum(found * found) + len(found) * x[0]


def stored(x):
    y = x * 2.0
    chosen = x[0] > 0.3
    y[chosen] = y[chosen] * x[1]
    return np.sum(y * y)


def number_or_array(x):
    """As packages write it that take both: the item of a number can't be set."""
    y = np.sin(x[0])
    flat = np.abs(np.cos(x[0])) <= 0.9
    try:
        y[flat] = np.sign(x[0][flat]) * inf
    except TypeError:
        if flat:
            y = np.sign(x[0]) * x[1] * 3
    return y * 2.0


def of_ones(x):
    found = x[x[0] > 0.3]
    return np.sum(found * np.ones(found.shape) * found.size)


def two(x):
    found = x[x[0] > 0.3, x > 0.2]
    return np.sum(found) * 2


def counted(x):
    total = 0.0
    for row in x[x[0] > 0.3]:
        total += np.sum(row**2)
    return total


PROGRAMS = [length, behind, last, beside_a_slice, of_a_number, stored, number_or_array, of_ones, two, counted]


@pytest.mark.slow(beyond=2)
@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_both_lengths(function, backend):
    """One program for both, whichever comes first."""
    for points in (POINTS, POINTS[::-1]):
        gradient = ast_ad.grad(function, backend=backend)
        for x in points:
            wanted = [(function(x + d) - function(x - d)) / 2e-6 for d in 1e-6 * np.eye(2)]
            np.testing.assert_allclose(gradient(x), wanted, rtol=1e-6, atol=1e-8)
        assert gradient.mode == "compiled"
