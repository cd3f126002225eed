"""Do the columns of a state that a loop writes for its next turn stay in registers, each by itself?"""

import itertools

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba", reason="the optional backend is not installed")


def pendulum(y, g, steps):
    """Two columns, forwards and, in the sweep, backwards."""
    path = np.zeros((steps + 1, 2))
    path[0, 0] = y[0]
    path[0, 1] = y[1]
    for i in range(steps):
        path[i + 1, 0] = path[i, 0] + 0.01 * path[i, 1]
        path[i + 1, 1] = path[i, 1] - 0.01 * g * np.sin(path[i, 0])
    return np.sum(path * path)


def epidemic(y, g, steps):
    """Columns along the other axis, one of them added to."""
    state = np.zeros((3, steps + 1))
    state[:, 0] = y
    for i in range(steps):
        new = g * state[0, i] * state[1, i]
        state[0, i + 1] = state[0, i] - 0.01 * new
        state[1, i + 1] = state[1, i] + 0.01 * new - 0.02 * state[1, i]
        state[2, i + 1] = state[2, i]
        state[2, i + 1] += 0.02 * state[1, i]
    return np.sum(state[:, -1] ** 2) + np.mean(state[1])


def backwards(y, g, steps):
    """A loop that counts down, and sets what it has read to a literal."""
    t = np.zeros((steps + 1, 2))
    t[steps, 0] = y[0]
    t[steps, 1] = y[1]
    total = 0.0
    for i in range(steps - 1, -1, -1):
        t[i, 0] = g * t[i + 1, 0] + 0.1 * t[i + 1, 1]
        t[i, 1] = t[i + 1, 1] - 0.1 * t[i + 1, 0]
        t[i + 1, 0] = 0.0
        t[i + 1, 1] = 1.0
        total += t[i, 0] * t[i + 1, 1]
    return total + np.sum(t * t)


def from_the_end(y, g, steps):
    """Places that count from different ends may be the same."""
    t = np.zeros((steps + 1, 2))
    t[0, 0] = y[0]
    t[0, -1] = y[1]
    for i in range(steps):
        t[i + 1, 1] = 0.5 * t[i, -1] + t[i, 0]
        t[i + 1, -1] = t[i + 1, -1] * g
        t[i + 1, 0] = t[i, 1] * 0.5
    return np.sum(t * t)


def at_places(y, g, steps):
    """Columns that are known at run time only may be one."""
    total = 0.0
    for k in range(2):
        t = np.zeros((steps + 1, 3))
        t[0, 0] = y[0]
        t[0, 1] = y[1]
        for i in range(steps):
            t[i + 1, 1] = 0.5 * t[i, k] + 0.1
            t[i + 1, k] = t[i, 1] * g + t[i + 1, 1]
        total += np.sum(t * t)
    return total


def two_steps(y, g, steps):
    """What was written two turns ago is read from memory."""
    t = np.zeros((steps + 2, 2))
    t[0, 0] = y[0]
    t[1, 1] = y[1]
    for i in range(steps):
        t[i + 2, 0] = 0.5 * t[i + 1, 1] + t[i, 0] * g
        t[i + 2, 1] = 0.5 * t[i, 1] + t[i + 1, 0]
    return np.sum(t * t)


PROGRAMS = [pendulum, epidemic, backwards, from_the_end, at_places, two_steps]


def state(function):
    return np.array([0.7, 0.4, 0.1]) if function is epidemic else np.array([0.7, 0.4])


def flat(results):
    return np.concatenate([np.ravel(r) for r in (results[0], *results[1])])


@pytest.mark.drawn(of=7)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("steps", [0, 1, 2, 25])
def test_kernels_agree_with_numpy_code(function, steps):
    args = state(function), 0.8, steps
    one, other = (
        flat(ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend, fallback="error")(*args))
        for backend in ("numba", "numpy")
    )
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(one[0], function(*args), rtol=1e-12)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_slopes_agree_with_differences(function):
    y = state(function)
    _, (y_bar, g_bar) = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba")(y, 0.8, 12)
    h = 1e-6
    np.testing.assert_allclose(
        g_bar, (function(y, 0.8 + h, 12) - function(y, 0.8 - h, 12)) / (2 * h), rtol=1e-6
    )
    for k, one in enumerate(np.eye(len(y)) * h):
        expected = (function(y + one, 0.8, 12) - function(y - one, 0.8, 12)) / (2 * h)
        np.testing.assert_allclose(y_bar[k], expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("function", [pendulum, epidemic], ids=lambda f: f.__name__)
def test_what_the_last_turn_wrote_is_not_read_again(function):
    """All columns that a turn reads of the one before are carried: none is loaded in the first loop."""
    found = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba", fallback="error")
    found(state(function), 0.8, 20)
    lines = found.source.splitlines()
    start = next(k for k, line in enumerate(lines) if "for i in range(steps)" in line)
    loop = list(itertools.takewhile(lambda line: line.startswith("        "), lines[start + 1 :]))
    name = "path" if function is pendulum else "state"
    assert not any(f"= {name}[i," in line or f"= {name}[0, i]" in line for line in loop)
    assert sum("before" in line for line in lines) > 3


def test_columns_that_may_be_one_are_read_from_memory():
    found = ast_ad.value_and_grad(at_places, argnums=(0, 1), backend="numba", fallback="error")
    found(state(at_places), 0.8, 20)
    assert "before = t[" not in found.source
