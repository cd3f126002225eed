"""Gauss-Seidel, in place: each new value needs its neighbour's, so that nothing is an operation on arrays."""

import numpy as np

from benchmarks.compiled import compiled

SIZE, TINY, WRT = {"sweeps": 6, "n": 60}, {"sweeps": 2, "n": 5}, (0, 1)


def arguments(sweeps, n):
    draw = np.random.default_rng(5)
    return draw.normal(size=(n, n)), draw.normal(size=(n, n)), sweeps


def primal(u, f, sweeps):
    u = u.copy()
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
    return np.sum(u**2)


@compiled
def hand(u, f, sweeps):
    u = u.copy()
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
    value = 0.0
    f_bar = np.zeros_like(f)
    for i in range(n):
        for j in range(m):
            value += u[i, j] * u[i, j]
            u[i, j] *= 2.0  # a linear program: u becomes its own adjoint
    for _ in range(sweeps):
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                part = 0.25 * u[i, j]
                u[i, j] = 0.0
                u[i - 1, j] += part
                u[i + 1, j] += part
                u[i, j - 1] += part
                u[i, j + 1] += part
                f_bar[i, j] -= part
    return value, u, f_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(u, f, sweeps):
        n, m = u.shape

        def row(i, u):
            def column(left, known):
                new = 0.25 * (left + known)
                return new, new

            known = u[i - 1, 1:-1] + u[i + 1, 1:-1] + u[i, 2:] - f[i, 1:-1]
            _, new = jax.lax.scan(column, u[i, 0], known)
            return u.at[i, 1:-1].set(new)

        sweep = lambda _, u: jax.lax.fori_loop(1, n - 1, row, u)  # noqa: E731
        return jnp.sum(jax.lax.fori_loop(0, sweeps, sweep, u) ** 2)

    return cost


def torch_version():
    import torch

    def cost(u, f, sweeps):
        rows = list(u)
        for _ in range(sweeps):
            for i in range(1, len(rows) - 1):
                known = rows[i - 1][1:-1] + rows[i + 1][1:-1] + rows[i][2:] - f[i, 1:-1]
                new = [rows[i][0]]
                for number in known.unbind():
                    new.append(0.25 * (new[-1] + number))
                rows[i] = torch.stack([*new, rows[i][-1]])
        return torch.sum(torch.stack(rows) ** 2)

    return cost


WITHOUT = {"autograd": "no writes in place"}
