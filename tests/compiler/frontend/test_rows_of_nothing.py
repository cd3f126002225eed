"""Is an array of rows right where there are no rows? NumPy makes a vector of floats of nothing."""

import warnings

import numpy as np
import pytest

import ast_ad


def arrays(x):
    r = [x * i for i in range(len(x)) if x[i] > 1.0]
    return np.sum(np.array(r)) + np.sum(x)


def lists(x):
    r = [[v, v * 2] for v in x if v > 1.0]
    return np.sum(np.array(r)) + np.sum(x)


def pairs(x):
    r = [(v, v * 2) for v in x if v > 1.0]
    return np.sum(np.array(r) ** 2) + np.sum(x)


def ints(x):
    r = [(i, 2) for i in range(len(x)) if x[i] > 1.0]
    return np.sum(np.array(r)) * x[0] + np.sum(x)


def mixed(x):
    r = [(i, v) for i, v in enumerate(x) if v > 1.0]
    return np.sum(np.array(r)) + np.sum(x)


def iterated(x):
    r = [[i, 2] for i in range(len(x)) if x[i] > 1.0]
    s = 0.0
    for i, k in np.array(r):
        s = s + x[i] * k
    return s + np.sum(x)


def turned(x):
    r = [(v, 1.0) for v in x if v > 1.0]
    return np.sum(np.array(r).T) + np.sum(x)


def axes(x):
    r = [(v, 1.0) for v in x if v > 1.0]
    return np.array(r).ndim * np.sum(x)


def joined(x):
    r = [np.array([v, 1.0]) for v in x if v > 1.0]
    return np.asarray(r).size * np.sum(x) + np.mean(np.array(r + [np.array([x[0], 2.0])]))


def with_dtype(x):
    r = [(v, v) for v in x if v > 1.0]
    return np.sum(np.asarray(r, dtype=float)) * x[1] + np.sum(x)


PROGRAMS = [arrays, lists, pairs, ints, mixed, iterated, turned, axes, joined, with_dtype]
SOME = np.array([0.1, 1.2, 0.3, 1.4, 0.2, 1.1, 0.3, 0.4])
NONE = np.array([0.1, 0.2, 0.3, 0.4])


def by_differences(f, x):
    return np.array([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))])


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("calls", [(SOME,), (NONE,), (SOME, NONE, SOME), (NONE, SOME)])
@pytest.mark.parametrize("f", PROGRAMS)
def test_of_some_and_of_none(f, calls, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend)
    for x in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ast_ad.FallbackWarning)
            value, gradient = derivative(x)
        np.testing.assert_allclose(value, f(x), rtol=1e-12)
        np.testing.assert_allclose(gradient, by_differences(f, x), atol=1e-6)
        assert derivative.mode == ("compiled" if x is SOME else "fallback")
