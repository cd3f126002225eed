"""Softmax, rows: reductions along an axis and their results spread over it again."""

import numpy as np

from benchmarks.compiled import compiled, exp

SIZE, TINY, WRT = {"rows": 4000, "n": 100}, {"rows": 3, "n": 4}, (0,)


def arguments(rows, n):
    draw = np.random.default_rng(7)
    return 3.0 * draw.normal(size=(rows, n)), draw.normal(size=(rows, n))


def primal(x, weights):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(weights * (e / np.sum(e, axis=1, keepdims=True)))


@compiled
def hand(x, weights):
    rows, n = x.shape
    bar = np.empty_like(x)
    total = 0.0
    for i in range(rows):
        largest = x[i, 0]
        for j in range(n):
            largest = max(largest, x[i, j])
        whole, weighted = 0.0, 0.0
        for j in range(n):
            e = exp(x[i, j] - largest)
            bar[i, j] = e
            whole += e
            weighted += weights[i, j] * e
        mean, scale = weighted / whole, 1.0 / whole
        total += mean
        for j in range(n):
            bar[i, j] *= scale * (weights[i, j] - mean)
    return total, bar


def generic(np):
    def cost(x, weights):
        e = np.exp(x - np.amax(x, 1)[:, None])
        return np.sum(weights * (e / np.sum(e, 1)[:, None]))

    return cost
