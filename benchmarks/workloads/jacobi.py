"""Jacobi 2-d, in place: two arrays that are written in turn, through slices."""

import numpy as np

from benchmarks.compiled import compiled

SIZE, TINY, WRT = {"sweeps": 50, "n": 150}, {"sweeps": 3, "n": 5}, (0, 1)


def arguments(sweeps, n):
    draw = np.random.default_rng(3)
    return draw.normal(size=(n, n)), draw.normal(size=(n, n)), sweeps


def primal(a, b, sweeps):
    a, b = a.copy(), b.copy()
    for _ in range(sweeps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2])
    return np.sum(a**2)


@compiled
def sweep(source, target):
    rows, columns = source.shape
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            target[i, j] = 0.2 * (
                source[i, j] + source[i + 1, j] + source[i - 1, j] + source[i, j + 1] + source[i, j - 1]
            )


@compiled
def to_border(inner, border):
    """What a sweep's adjoint adds to the border; in the interior a sweep is its own adjoint."""
    rows, columns = inner.shape
    for j in range(1, columns - 1):
        border[0, j] += 0.2 * inner[1, j]
        border[rows - 1, j] += 0.2 * inner[rows - 2, j]
    for i in range(1, rows - 1):
        border[i, 0] += 0.2 * inner[i, 1]
        border[i, columns - 1] += 0.2 * inner[i, columns - 2]


@compiled
def copy_inner(source, target):
    rows, columns = source.shape
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            target[i, j] = source[i, j]


@compiled
def hand(a, b, sweeps):
    a, b = a.copy(), b.copy()
    rows, columns = a.shape
    for _ in range(sweeps):
        sweep(a, b)
        sweep(b, a)
    value = 0.0
    a_bar, b_bar = np.zeros_like(a), np.zeros_like(a)  # of the borders, and at last of all
    inner_a, inner_b = np.zeros_like(a), np.zeros_like(a)  # their borders stay zero
    for i in range(rows):
        for j in range(columns):
            value += a[i, j] * a[i, j]
            a_bar[i, j] = 2.0 * a[i, j]
    copy_inner(a_bar, inner_a)
    for _ in range(sweeps):
        to_border(inner_a, b_bar)
        sweep(inner_a, inner_b)
        to_border(inner_b, a_bar)
        sweep(inner_b, inner_a)
    copy_inner(inner_a, a_bar)
    return value, a_bar, b_bar


def mean_of_five(a):
    return 0.2 * (a[1:-1, 1:-1] + a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(a, b, sweeps):
        def body(_, state):
            a, b = state
            b = b.at[1:-1, 1:-1].set(mean_of_five(a))
            return a.at[1:-1, 1:-1].set(mean_of_five(b)), b

        a, b = jax.lax.fori_loop(0, sweeps, body, (a, b))
        return jnp.sum(a**2)

    return cost


def torch_version():
    import torch

    def cost(a, b, sweeps):
        for _ in range(sweeps):
            b = b.clone()
            b[1:-1, 1:-1] = mean_of_five(a)
            a = a.clone()
            a[1:-1, 1:-1] = mean_of_five(b)
        return torch.sum(a**2)

    return cost


def autograd_version():
    import autograd.numpy as anp

    def with_interior(a, inner):
        middle = anp.concatenate([a[1:-1, :1], inner, a[1:-1, -1:]], axis=1)
        return anp.concatenate([a[:1], middle, a[-1:]])

    def cost(a, b, sweeps):
        for _ in range(sweeps):
            b = with_interior(b, mean_of_five(a))
            a = with_interior(a, mean_of_five(b))
        return anp.sum(a**2)

    return cost
