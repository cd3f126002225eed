"""Rosenbrock, slices: one chain of elementwise operations on shifted views."""

import numpy as np

from benchmarks.compiled import compiled

SIZE, TINY, WRT = {"n": 100_000}, {"n": 7}, (0,)


def arguments(n):
    return (np.random.default_rng(1).uniform(-1.5, 1.5, n),)


def primal(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@compiled
def hand(x):
    n = x.size
    x_bar = np.empty(n)
    value, from_left = 0.0, 0.0
    for i in range(n - 1):
        bend, gap = x[i + 1] - x[i] * x[i], 1.0 - x[i]
        value += 100.0 * bend * bend + gap * gap
        before = x[i] - x[i - 1] * x[i - 1] if i else 0.0
        x_bar[i] = 200.0 * before - 400.0 * bend * x[i] - 2.0 * gap
        from_left = bend
    x_bar[n - 1] = 200.0 * from_left
    return value, x_bar


def generic(np):
    return lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
