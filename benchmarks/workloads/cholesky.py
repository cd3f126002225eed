"""Cholesky, in place: a triangular loop with products of parts of rows."""

import numpy as np

from benchmarks.compiled import compiled

SIZE, TINY, WRT = {"n": 120}, {"n": 4}, (0,)


def arguments(n):
    draw = np.random.default_rng(6)
    a = draw.normal(size=(n, 2 * n))
    return a @ a.T / n + np.eye(n), np.tril(draw.normal(size=(n, n)))


def primal(a, weights):
    c = a.copy()
    for i in range(c.shape[0]):
        for j in range(i):
            c[i, j] = (c[i, j] - np.dot(c[i, :j], c[j, :j])) / c[j, j]
        c[i, i] = np.sqrt(c[i, i] - np.sum(c[i, :i] ** 2))
    return np.sum(weights * np.tril(c))


@compiled
def hand(a, weights):
    c = a.copy()
    n = c.shape[0]
    for i in range(n):
        for j in range(i + 1):
            rest = c[i, j]
            for k in range(j):
                rest -= c[i, k] * c[j, k]
            c[i, j] = rest / c[j, j] if j < i else np.sqrt(rest)
    value = 0.0
    bar = np.zeros_like(c)
    for i in range(n):
        for j in range(i + 1):
            value += weights[i, j] * c[i, j]
            bar[i, j] = weights[i, j]
    for i in range(n - 1, -1, -1):
        part = bar[i, i] / c[i, i]
        bar[i, i] = 0.5 * part
        for k in range(i):
            bar[i, k] -= part * c[i, k]
        for j in range(i - 1, -1, -1):
            part = bar[i, j] / c[j, j]
            bar[i, j] = part
            bar[j, j] -= part * c[i, j]
            for k in range(j):
                bar[i, k] -= part * c[j, k]
            for k in range(j):
                bar[j, k] -= part * c[i, k]
    return value, bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(a, weights):
        rows = jnp.arange(a.shape[0])

        def column(j, c):
            rest = a[:, j] - c @ jnp.where(rows < j, c[j], 0.0)
            return c.at[:, j].set(jnp.where(rows >= j, rest / jnp.sqrt(rest[j]), 0.0))

        return jnp.sum(weights * jax.lax.fori_loop(0, a.shape[0], column, jnp.zeros_like(a)))

    return cost


def generic(np):
    def cost(a, weights):
        lower = np.tril(a)
        return np.sum(weights * np.linalg.cholesky(lower + np.tril(a, -1).T))

    return cost
