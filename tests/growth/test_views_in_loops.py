"""Does the derivative of a loop over a view touch as many numbers as the loop, times a constant?

What is counted are numbers that operations on arrays read or write, in runs of the generated NumPy code. No
time is measured.
"""

from __future__ import annotations

import numpy as np
import pytest

import ast_ad

from .counting import work

DRAW = np.random.default_rng(4)


def square(n):
    return [DRAW.random((n, n)) + 0.1]


def line(n):
    return [DRAW.random(6 * n) + 0.1]


def rows_of_a_transpose(a):
    turned, total = a.T, 0.0
    for i in range(len(a)):
        total = total + np.sum(turned[i]) ** 2 * i
    return total


def recurrence_along_columns(a):
    turned, state = a.T, np.zeros_like(a)
    for i in range(1, len(a)):
        state[i] = 0.5 * state[i - 1] + turned[i]
    return np.sum(state**2)


def interior_rows(a):
    inner, total = a[1:-1, 1:-1], 0.0
    for i in range(len(inner)):
        total = total + inner[i] @ inner[i]
    return total


def halves_of_a_state(y):
    x, v, total = y[: len(y) // 2], y[len(y) // 2 :], 0.0
    for i in range(len(x)):
        total = total + x[i] * v[i] ** 2
    return total


def split_state(y):
    x, v = np.split(y, 2)
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] * v[i] ** 2
    return total


def stretched_row(a):
    wide, state = np.broadcast_to(a[0], a.shape), np.zeros_like(a)
    for i in range(1, len(a)):
        state[i] = 0.5 * state[i - 1] + wide[i] * a[i]
    return np.sum(state**2)


def view_that_the_loop_takes(a):
    total = 0.0
    for i in range(len(a)):
        total = total + a.T[i] @ a[1:, 1:][i - 1, 0] if i < 0 else total + np.sum(a.T[i] ** 2)
    return total


def written_by_columns(a):
    state = np.zeros_like(a)
    turned = state.T
    for i in range(len(a)):
        turned[i] = a[i] ** 2
    return np.sum(state**3)


def written_interior(a):
    state = a.copy()
    inner = state[1:-1, 1:-1]
    for i in range(len(inner)):
        inner[i] *= a[i, 1:-1]
    return np.sum(state**2)


def right_hand_side(y):
    n = len(y) // 2
    x, v = y[:n], y[n:]
    slope = np.zeros_like(y)
    dx, dv = slope[:n], slope[n:]
    for i in range(n):
        dx[i] = v[i]
        dv[i] = -(x[i] ** 3)
    return np.sum(slope**2)


def rows_of_a_state(y):
    n = len(y) // 6
    position, velocity = y[: 3 * n].reshape(n, 3), y[3 * n :].reshape(n, 3)
    slope = np.zeros_like(y)
    dx, dv = slope[: 3 * n].reshape(n, 3), slope[3 * n :].reshape(n, 3)
    for i in range(n):
        dx[i] = velocity[i]
        if i:
            apart = position[i] - position[i - 1]
            dv[i] -= apart
            dv[i - 1] += apart
    return np.sum(slope**2)


def blocks(a):
    n = len(a) // 2
    whole = np.zeros_like(a)
    one, other = whole[:n, :n], whole[n:, n:]
    for i in range(n):
        one[i] = a[i, :n] ** 2
        other[:, i] += a[:n, i]
    return np.sum(whole**3)


def flat(a):
    state = a.copy()
    every = state.ravel()
    for i in range(len(every)):
        every[i] = every[i] ** 2
    return np.sum(state)


def tail_of_each_turn(y):
    total = 0.0
    for i in range(len(y)):
        total = total + y[i:][0] ** 2
    return total


def view_read_by_a_test(a):
    state = a.copy()
    for k in range(len(a) - 1):
        below = state[k + 1 :]
        for i in range(3):
            if i < len(below):
                below[i] = below[i] * 0.9
    return np.sum(state**2)


SLOW = {
    flat: "whether another shape of an array is a view depends on its order in memory",
    tail_of_each_turn: "a view that is another one in each turn has a cotangent of its own",
    view_read_by_a_test: "a view that is taken before a branch has a cotangent on both sides",
}
PROGRAMS = [
    (rows_of_a_transpose, square), (recurrence_along_columns, square), (interior_rows, square),
    (halves_of_a_state, line), (split_state, line), (stretched_row, square), (written_by_columns, square),
    (written_interior, square), (right_hand_side, line), (rows_of_a_state, line), (blocks, square),
    (view_that_the_loop_takes, square), (flat, square), (tail_of_each_turn, line),
    (view_read_by_a_test, square),
]  # fmt: skip


def gradient_of(function, args):
    """The text of the gradient as a function, and its answer."""
    derivative = ast_ad.value_and_grad(function, backend="numpy", check=False, fallback="error")
    answer = derivative(*args)
    space = {}
    exec(compile(derivative.source, "<generated>", "exec"), space)
    return space[f"{function.__name__}_value_and_grad"], answer


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize(
    "function, make",
    [
        pytest.param(*case, marks=pytest.mark.xfail(strict=True, reason=SLOW[case[0]]))
        if case[0] in SLOW
        else case
        for case in PROGRAMS
    ],
    ids=lambda v: v.__name__,
)
def test_work_grows_like_the_function(function, make):
    ratios = []
    for n in (8, 40):
        args = make(n)
        gradient, _ = gradient_of(function, args)
        ratios.append(work(gradient, args) / work(function, args))
    assert ratios[1] < 1.4 * ratios[0]


@pytest.mark.drawn(of=24)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function, make", PROGRAMS, ids=lambda v: v.__name__)
def test_gradients(function, make, backend):
    derivative = ast_ad.value_and_grad(function, backend=backend, check=False, fallback="error")
    for n in (2, 6):
        (x,) = make(n)
        value, bar = derivative(x)
        np.testing.assert_allclose(value, function(x), rtol=1e-13)
        along, step = DRAW.normal(size=x.shape), 1e-5
        slope = (function(x + step * along) - function(x - step * along)) / (2 * step)
        np.testing.assert_allclose(np.sum(bar * along), slope, rtol=1e-7, atol=1e-8)
