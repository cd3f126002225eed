"""N-body, one energy: loops over pairs of particles, written with numbers."""

import numpy as np

from benchmarks.compiled import compiled

SIZE, TINY, WRT = {"n": 150}, {"n": 4}, (0, 1)


def arguments(n):
    draw = np.random.default_rng(10)
    return draw.normal(size=(n, 3)), draw.uniform(0.5, 1.5, n)


def primal(x, mass):
    energy = 0.0
    for i in range(len(mass)):
        for j in range(i):
            dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            energy -= mass[i] * mass[j] / np.sqrt(dx**2 + dy**2 + dz**2 + 0.01)
    return energy


@compiled
def hand(x, mass):
    x_bar, mass_bar = np.zeros_like(x), np.zeros_like(mass)
    energy = 0.0
    for i in range(mass.size):
        a, b, c, m_bar = 0.0, 0.0, 0.0, 0.0
        for j in range(i):
            dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            near = 1.0 / np.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
            energy -= mass[i] * mass[j] * near
            m_bar -= mass[j] * near
            mass_bar[j] -= mass[i] * near
            pull = mass[i] * mass[j] * near * near * near
            a += pull * dx
            b += pull * dy
            c += pull * dz
            x_bar[j, 0] -= pull * dx
            x_bar[j, 1] -= pull * dy
            x_bar[j, 2] -= pull * dz
        x_bar[i, 0] += a
        x_bar[i, 1] += b
        x_bar[i, 2] += c
        mass_bar[i] += m_bar
    return energy, x_bar, mass_bar


def generic(np):
    """All pairs at once, as one writes it for operations on arrays."""

    def energy(x, mass):
        d = x[:, None, :] - x[None, :, :]
        near = 1.0 / np.sqrt(np.sum(d**2, 2) + 0.01)
        return -0.5 * (mass @ near @ mass) + 5.0 * np.sum(mass**2)

    return energy
