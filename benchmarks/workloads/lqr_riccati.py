"""LQR, Riccati: gains by a recursion backwards in time with small solves, then a rollout of the closed loop."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"n": 6, "m": 3, "steps": 300}, {"n": 4, "m": 2, "steps": 5}, (0, 1, 2, 3)


def arguments(n, m, steps):
    draw = np.random.default_rng(34)
    a = np.eye(n) + 0.1 * draw.normal(size=(n, n))
    return a, 0.3 * draw.normal(size=(n, m)), draw.uniform(0.5, 2.0, n), draw.normal(size=n), steps


def gains(a, b, q, r, steps):
    p, found = q, []
    for _ in range(steps):
        k = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        p = q + a.T @ p @ (a - b @ k)
        found.append(k)
    return found[::-1]


def primal(a, b, q_diagonal, start, steps):
    q, r = np.diag(q_diagonal), 0.1 * np.eye(b.shape[1])
    x, cost = start, 0.0
    for k in gains(a, b, q, r, steps):
        u = -k @ x
        cost += x @ q @ x + u @ r @ u
        x = a @ x + b @ u
    return cost + x @ q @ x


@compiled
def times(x, y, out, rows, inner):
    """A product whose rows are whole vectors."""
    columns = out.shape[1]
    for i in range(rows):
        for j in range(columns):
            out[i, j] = 0.0
        for k in range(inner):
            for j in range(columns):
                out[i, j] += x[i, k] * y[k, j]
