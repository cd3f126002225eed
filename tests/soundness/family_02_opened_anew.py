"""Windows on an array of several ranks, opened again where it is known which of them it has."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
NOTHING = FOUR[:0]
TABLE = np.arange(12.0).reshape(4, 3) / 7


def zeros(x, y):
    """Of y's shape; without axes where x is empty."""
    kind = 0
    for _ in x:
        kind = y
    return np.zeros_like(kind)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)])
def a_slice_and_a_store(x, y, s):
    state = zeros(x, y)
    window = state[:]
    state[0] = s
    return s * np.sum(window)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)], kernels=False)
def in_a_list(x, y, s):
    state = zeros(x, y)
    both = [state]
    both.append(state[1:])
    state[1] = s + sum(np.sum(one) for one in both)
    return s * np.sum(both[1])


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)], kernels=False)
def written_through(x, y, s):
    state = zeros(x, y)
    window = state[:, 1:]
    window[0] = s
    return np.sum(state * s)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)], kernels=False)
def windows_on_windows(x, y, s):
    state = zeros(x, y)
    backwards = state[::-1]
    right = backwards[:, 1:]
    state[0] = s
    right[1, 1] = s * s
    return s * np.sum(backwards) + np.sum(state[1] * s)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)], kernels=False)
def asked_behind_the_window(x, y, s):
    state = zeros(x, y)
    window = state[:]
    if state.ndim == 0:
        return s * np.sum(window)
    state[0] = s
    return s * s * np.sum(window)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)], kernels=False)
def written_where_it_has_axes(x, y, s):
    state = zeros(x, y)
    window = state[:]
    if np.ndim(state):
        state[0] = s
        window[1] = s
    return s * np.sum(window)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)])
def a_window_in_each_pass(x, y, s):
    state = zeros(x, y)
    for i in range(2):
        window = state[i:]
        state[0] = s
        window[0] = window[0] + s
    return np.sum(state * s) + np.sum(window)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)], kernels=False)
def two_halves(x, y, s):
    state = zeros(x, y)
    upper, lower = state[:2], state[2:]
    upper[0], lower[0] = s, s * s
    return np.sum(state * s) + np.sum(upper * lower)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)], kernels=False)
def a_second_window_where_it_has_rows(x, y, s):
    state = zeros(x, y)
    window = state[:]
    state[0] = s
    window = window[1:]
    window[0] = s
    if window.ndim > 1:
        window = window[:, 1]
        state[2] = s * s
        window[1] = s
    return np.sum(window) * s + np.sum(state)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)], kernels=False)
def rows_or_numbers(x, y, s):
    state = y[0] * s
    for _ in x:
        state = y * s
    window = state[1:]
    right = window[:, 1:]
    state[1, 1] = s
    right += s
    return np.sum(window) * s + np.sum(right)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)], compiled=False)
def caught_where_there_is_none(x, y, s):
    state = zeros(x, y)
    try:
        window = state[:]
        state[0] = s
        window[1] = s * s
    except IndexError:
        return s * s
    return np.sum(window) * s + np.sum(state)


@program(FOUR, TABLE, 1.1, wrt=(2,), later=[(NOTHING, TABLE, 1.1)])
def with_an_axis_in_front(x, y, s):
    state = zeros(x, y)
    window = np.expand_dims(state, 0)
    state[0] = s
    window[0, 1] = s
    return s * np.sum(window[0] * s) + np.sum(state * s)


KNOWN: dict[tuple[str, str, str], str] = {}
