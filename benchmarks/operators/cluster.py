"""Cluster, Lennard-Jones: the Hessian of 13 atoms' energy in their 39 coordinates."""

import numpy as np

from benchmarks.compiled import compiled

KIND, SIZE, TINY = "hessian", {"atoms": 13}, {"atoms": 3}


def arguments(atoms):
    grid = np.array([[i % 3, i // 3 % 3, i // 9] for i in range(atoms)], dtype=float)
    return ((1.1 * grid + 0.05 * np.random.default_rng(0).normal(size=grid.shape)).ravel(),)


def primal(x):
    r = x.reshape(-1, 3)
    energy = 0.0
    for i in range(len(r)):
        for j in range(i):
            d = r[i] - r[j]
            inverse = 1.0 / np.sum(d * d) ** 3
            energy += 4.0 * inverse * (inverse - 1.0)
    return energy


@compiled
def hand(x):
    n = len(x) // 3
    found = np.zeros((3 * n, 3 * n))
    d = np.empty(3)
    for i in range(n):
        for j in range(i):
            square = 0.0
            for a in range(3):
                d[a] = x[3 * i + a] - x[3 * j + a]
                square += d[a] * d[a]
            s2 = 1.0 / square
            s6 = s2 * s2 * s2
            first = 4.0 * (-6.0 * s6 * s6 + 3.0 * s6) * s2  # derivative in the square
            second = 4.0 * (42.0 * s6 * s6 - 12.0 * s6) * s2 * s2
            for a in range(3):
                for b in range(3):
                    h = 4.0 * second * d[a] * d[b] + (2.0 * first if a == b else 0.0)
                    found[3 * i + a, 3 * i + b] += h
                    found[3 * j + a, 3 * j + b] += h
                    found[3 * i + a, 3 * j + b] -= h
                    found[3 * j + a, 3 * i + b] -= h
    return found


def jax_version():
    import jax.numpy as jnp

    def energy(x):
        r = x.reshape(-1, 3)
        i, j = np.tril_indices(len(r), -1)
        inverse = 1.0 / jnp.sum((r[i] - r[j]) ** 2, axis=1) ** 3
        return jnp.sum(4.0 * inverse * (inverse - 1.0))

    return energy
