"""Does a trace find the names of a function that a library has wrapped?"""

import contextlib
import functools
import types

import numpy as np
import pytest

from ast_ad import tracing as fallback

ELSEWHERE = types.ModuleType("elsewhere")
exec(
    """
import contextlib, functools
import numpy as np

@np.errstate(all="ignore")
def written(x):
    y = np.zeros(3)
    y[1:] = x[:2] * x[1:]
    return np.sum(np.array([y[1], x[0]])) + np.sum(y**2)

@functools.singledispatch
def chosen(x):
    y = np.zeros(3)
    y[:] = x * x
    return np.sum(y)
""",
    vars(ELSEWHERE),
)
X = np.array([0.7, -1.3, 2.1])


@np.errstate(all="ignore")
def written(x):
    y = np.zeros(3)
    y[1:] = x[:2] * x[1:]
    return np.sum(np.array([y[1], x[0]])) + np.sum(y**2)


@contextlib.contextmanager
def nothing():
    yield


@nothing()
def within(x):
    y = np.zeros(3)
    y[:] = x * x
    return np.sum(y)


@functools.singledispatch
def chosen(x):
    y = np.zeros(3)
    y[:] = x * x
    return np.sum(y)


def closed(written, chosen):
    def program(x):
        return written(x) + chosen(x)

    return program


caller_elsewhere = closed(ELSEWHERE.written, ELSEWHERE.chosen)


def caller(x):
    return written(x) + within(x) * chosen(x)


@pytest.mark.parametrize("program", [written, within, chosen, caller, caller_elsewhere])
def test_traced(program):
    value, pullback = fallback.trace(program, (X.copy(),), {}, (0,))
    assert value == program(X)
    steps = 1e-6 * np.eye(3)
    slope = [(program(X + s) - program(X - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(pullback([1.0])[0], slope, rtol=1e-7)
