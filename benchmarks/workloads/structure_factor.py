"""Structure factors: misfit of a crystal's diffraction, complex exponentials, sums over atoms."""

import numpy as np

from benchmarks.compiled import compiled, cos, exp, sin

UNSEEN = True
SIZE, TINY, WRT = {"reflections": 600, "atoms": 80}, {"reflections": 5, "atoms": 3}, (0, 1, 4)


def arguments(reflections, atoms):
    draw = np.random.default_rng(48)
    hkl = draw.integers(-8, 9, (reflections, 3)).astype(float)
    return (
        draw.uniform(size=(atoms, 3)),
        draw.uniform(0.5, 3.0, atoms),
        draw.choice([6.0, 7.0, 8.0], atoms),
        hkl,
        1.1,
        0.3 * np.sqrt(np.sum(hkl**2, axis=1)),
        np.sqrt(atoms) * draw.uniform(1.0, 10.0, reflections),
    )


def generic(np):
    def cost(positions, b, factors, hkl, scale, s, seen):
        phases = 2.0 * np.pi * (hkl @ positions.T)
        damped = factors * np.exp(-0.01 * b * s[:, None] ** 2)
        amplitudes = np.abs(np.sum(damped * np.exp(1j * phases), axis=1))
        return np.sum((scale * amplitudes - seen) ** 2) / np.sum(seen**2)

    return cost


def primal(positions, b, factors, hkl, scale, s, seen):
    """Atoms at fractions of the cell, with a Debye-Waller factor each; amplitudes are seen, no phases."""
    phases = 2.0 * np.pi * (hkl @ positions.T)
    damped = factors * np.exp(-0.01 * b * s[:, None] ** 2)
    amplitudes = np.abs(np.sum(damped * np.exp(1j * phases), axis=1))
    return np.sum((scale * amplitudes - seen) ** 2) / np.sum(seen**2)


@compiled
def hand(positions, b, factors, hkl, scale, s, seen):
    """A reflection at a time: its atoms' waves stay in the cache, read again when the sum is known."""
    n, m = positions.shape[0], hkl.shape[0]
    places = (2.0 * np.pi) * positions.T.copy()
    x, y, z = places[0], places[1], places[2]
    x_bar, y_bar, z_bar, b_bar = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    along, across = np.empty(n), np.empty(n)
    value, scale_bar, norm = 0.0, 0.0, 0.0
    for i in range(m):
        norm += seen[i] * seen[i]
    for i in range(m):
        h, k, l = hkl[i, 0], hkl[i, 1], hkl[i, 2]
        q = -0.01 * s[i] * s[i]
        re = im = 0.0
        for j in range(n):
            phase = h * x[j] + k * y[j] + l * z[j]
            damped = factors[j] * exp(q * b[j])
            along[j], across[j] = damped * cos(phase), damped * sin(phase)
            re += along[j]
            im += across[j]
        amplitude = np.sqrt(re * re + im * im)
        misfit = scale * amplitude - seen[i]
        value += misfit * misfit
        scale_bar += 2.0 * misfit * amplitude / norm
        pull = 2.0 * misfit * scale / (norm * amplitude)
        re_bar, im_bar = pull * re, pull * im
        for j in range(n):
            b_bar[j] += q * (re_bar * along[j] + im_bar * across[j])
            phase_bar = im_bar * along[j] - re_bar * across[j]
            x_bar[j] += h * phase_bar
            y_bar[j] += k * phase_bar
            z_bar[j] += l * phase_bar
    bars = np.empty((n, 3))
    for j in range(n):
        bars[j, 0], bars[j, 1], bars[j, 2] = x_bar[j], y_bar[j], z_bar[j]
    return value / norm, bars * (2.0 * np.pi), b_bar, scale_bar
