"""Heat 3-d, in place: a stencil in space with a coefficient that has a gradient too."""

import numpy as np

from benchmarks.compiled import compiled

SIZE, TINY, WRT = {"steps": 40, "n": 30}, {"steps": 3, "n": 4}, (0, 1)


def arguments(steps, n):
    return np.random.default_rng(4).normal(size=(n, n, n)), 0.1, steps


def primal(t, rate, steps):
    t = t.copy()
    for _ in range(steps):
        t[1:-1, 1:-1, 1:-1] += rate * (
            (t[2:, 1:-1, 1:-1] - 2.0 * t[1:-1, 1:-1, 1:-1] + t[:-2, 1:-1, 1:-1])
            + (t[1:-1, 2:, 1:-1] - 2.0 * t[1:-1, 1:-1, 1:-1] + t[1:-1, :-2, 1:-1])
            + (t[1:-1, 1:-1, 2:] - 2.0 * t[1:-1, 1:-1, 1:-1] + t[1:-1, 1:-1, :-2])
        )
    return np.sum(t**2)


@compiled
def laplacian(t, i, j, k):
    around = (
        t[i + 1, j, k] + t[i - 1, j, k] + t[i, j + 1, k] + t[i, j - 1, k] + t[i, j, k + 1] + t[i, j, k - 1]
    )
    return around - 6.0 * t[i, j, k]


@compiled
def advance(t, new, rate):
    n, m, l = t.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for k in range(1, l - 1):
                new[i, j, k] = t[i, j, k] + rate * laplacian(t, i, j, k)


@compiled
def retreat(t, inner, new, border, rate):
    """The adjoint of ``advance``: that of the interior in ``new``; returns that of the rate."""
    n, m, l = t.shape
    rate_bar = 0.0
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for k in range(1, l - 1):
                rate_bar += inner[i, j, k] * laplacian(t, i, j, k)
                new[i, j, k] = inner[i, j, k] + rate * laplacian(inner, i, j, k)
    for j in range(1, m - 1):
        for k in range(1, l - 1):
            border[0, j, k] += rate * inner[1, j, k]
            border[n - 1, j, k] += rate * inner[n - 2, j, k]
    for i in range(1, n - 1):
        for k in range(1, l - 1):
            border[i, 0, k] += rate * inner[i, 1, k]
            border[i, m - 1, k] += rate * inner[i, m - 2, k]
        for j in range(1, m - 1):
            border[i, j, 0] += rate * inner[i, j, 1]
            border[i, j, l - 1] += rate * inner[i, j, l - 2]
    return rate_bar


@compiled
def copy(t, new, start):
    """Writes all of ``t`` into ``new`` but ``start`` layers on every side."""
    n, m, l = t.shape
    for i in range(start, n - start):
        for j in range(start, m - start):
            for k in range(start, l - start):
                new[i, j, k] = t[i, j, k]


@compiled
def hand(t, rate, steps):
    n, m, l = t.shape
    path = np.empty((steps + 1, n, m, l))
    copy(t, path[0], 0)
    for s in range(steps):
        copy(path[s], path[s + 1], 0)
        advance(path[s], path[s + 1], rate)
    value, rate_bar = 0.0, 0.0
    border, inner, new = np.empty_like(t), np.zeros_like(t), np.zeros_like(t)
    for i in range(n):
        for j in range(m):
            for k in range(l):
                value += path[steps, i, j, k] ** 2
                border[i, j, k] = 2.0 * path[steps, i, j, k]
    copy(border, inner, 1)
    for s in range(steps - 1, -1, -1):
        rate_bar += retreat(path[s], inner, new, border, rate)
        inner, new = new, inner
    copy(inner, border, 1)
    return value, border, rate_bar


def curvature(t):
    return (
        (t[2:, 1:-1, 1:-1] - 2.0 * t[1:-1, 1:-1, 1:-1] + t[:-2, 1:-1, 1:-1])
        + (t[1:-1, 2:, 1:-1] - 2.0 * t[1:-1, 1:-1, 1:-1] + t[1:-1, :-2, 1:-1])
        + (t[1:-1, 1:-1, 2:] - 2.0 * t[1:-1, 1:-1, 1:-1] + t[1:-1, 1:-1, :-2])
    )


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(t, rate, steps):
        def body(_, t):
            return t.at[1:-1, 1:-1, 1:-1].add(rate * curvature(t))

        return jnp.sum(jax.lax.fori_loop(0, steps, body, t) ** 2)

    return cost


def torch_version():
    import torch

    def cost(t, rate, steps):
        for _ in range(steps):
            new = t.clone()
            new[1:-1, 1:-1, 1:-1] += rate * curvature(t)
            t = new
        return torch.sum(t**2)

    return cost


WITHOUT = {"autograd": "no writes in place"}
