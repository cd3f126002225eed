"""Lennard-Jones, cut off: molecular dynamics in a periodic box, all pairs, masks for those that are near."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"cells": 4, "steps": 10}, {"cells": 3, "steps": 2}, (0, 1, 2, 3)
DENSITY, CUTOFF, DT = 0.8442, 2.5, 0.004


def arguments(cells, steps):
    """A crystal with four atoms in each cell, a little disturbed, that is about to melt."""
    draw = np.random.default_rng(32)
    corners = np.array([[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]])
    grid = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    side = (4.0 / DENSITY) ** (1.0 / 3.0)
    pos = side * (grid + corners).reshape(-1, 3)
    pos += 0.02 * draw.normal(size=pos.shape)
    vel = draw.normal(size=pos.shape)
    return pos, vel - np.mean(vel, axis=0), 1.0, 1.0, side * cells, steps


def separation(q, box):
    """Of all pairs, along one axis, from the nearest periodic image."""
    d = q[:, None] - q[None, :]
    return d - box * np.round(d / box)


def interactions(pos, epsilon, sigma, box):
    dx, dy, dz = separation(pos[:, 0], box), separation(pos[:, 1], box), separation(pos[:, 2], box)
    r2 = dx**2 + dy**2 + dz**2
    near = (r2 < CUTOFF**2) & (r2 > 0.0)
    s6 = (sigma**2 / r2[near]) ** 3
    e, f = np.zeros_like(r2), np.zeros_like(r2)
    e[near] = 4.0 * epsilon * (s6**2 - s6)
    f[near] = 24.0 * epsilon * (2.0 * s6**2 - s6) / r2[near]
    forces = np.hstack([np.sum(f * d, axis=1, keepdims=True) for d in (dx, dy, dz)])
    return np.sum(np.triu(e, 1)), forces


def primal(pos, vel, epsilon, sigma, box, steps):
    start = pos
    energy, acc = interactions(pos, epsilon, sigma, box)
    for _ in range(steps):
        vel = vel + 0.5 * DT * acc
        pos = pos + DT * vel
        energy, acc = interactions(pos, epsilon, sigma, box)
        vel = vel + 0.5 * DT * acc
    kinetic = 0.5 * np.sum(vel**2)
    drift = np.mean(np.sum((pos - start) ** 2, axis=1))
    return (energy + 0.5 * kinetic) / len(pos) + drift


@compiled
def find_near(pos, box, row, others, apart, inverses, ends, count):
    """Appends the pairs within the cut-off, sorted by the first atom; tells in ``ends`` where each ends."""
    x, y, z = pos[0], pos[1], pos[2]
    inverse, limit = 1.0 / box, CUTOFF * CUTOFF
    dx, dy, dz, r2 = row[0], row[1], row[2], row[3]
    for i in range(x.size):
        for j in range(i):
            a, b, c = x[i] - x[j], y[i] - y[j], z[i] - z[j]
            a -= box * np.rint(a * inverse)
            b -= box * np.rint(b * inverse)
            c -= box * np.rint(c * inverse)
            dx[j], dy[j], dz[j], r2[j] = a, b, c, a * a + b * b + c * c
        begin = count
        for j in range(i):
            others[count] = j
            count += (r2[j] < limit) & (r2[j] > 0.0)
        for k in range(begin, count):
            j = others[k]
            apart[0, k], apart[1, k], apart[2, k], inverses[k] = dx[j], dy[j], dz[j], r2[j]
        ends[i] = count
    return count


@compiled
def pair_forces(inverses, epsilon, sigma, f):
    """The energy of the pairs, and into ``f`` their forces over their distances."""
    square, energy = sigma * sigma, 0.0
    for k in range(inverses.size):
        inverses[k] = 1.0 / inverses[k]
        s2 = square * inverses[k]
        s6 = s2 * s2 * s2
        energy += s6 * s6 - s6
        f[k] = 24.0 * epsilon * (2.0 * s6 * s6 - s6) * inverses[k]
    return 4.0 * epsilon * energy


@compiled
def add_forces(others, apart, ends, begin, f, acc):
    """Adds each pair's force to the one atom, and subtracts it from the other."""
    acc[:] = 0.0
    for i in range(ends.size):
        a = b = c = 0.0
        for k in range(ends[i - 1] if i else begin, ends[i]):
            j, strength = others[k], f[k - begin]
            p, q, r = strength * apart[0, k], strength * apart[1, k], strength * apart[2, k]
            a += p
            b += q
            c += r
            acc[0, j] -= p
            acc[1, j] -= q
            acc[2, j] -= r
        acc[0, i] += a
        acc[1, i] += b
        acc[2, i] += c


@compiled
def gather(others, ends, begin, acc_bar, pulls):
    """The differences of the adjoints of the two forces of each pair."""
    for i in range(ends.size):
        a, b, c = acc_bar[0, i], acc_bar[1, i], acc_bar[2, i]
        for k in range(ends[i - 1] if i else begin, ends[i]):
            j = others[k]
            pulls[0, k - begin] = a - acc_bar[0, j]
            pulls[1, k - begin] = b - acc_bar[1, j]
            pulls[2, k - begin] = c - acc_bar[2, j]


@compiled
def pull_pairs(apart, inverses, begin, end, epsilon, sigma, energy_bar, pulls):
    """``pulls`` become the adjoints of the separations; returns the adjoints of epsilon and sigma."""
    square, epsilon_bar, sigma_bar = sigma * sigma, 0.0, 0.0
    for k in range(begin, end):
        m, x, y, z = k - begin, apart[0, k], apart[1, k], apart[2, k]
        near = inverses[k]
        s2 = square * near
        s6 = s2 * s2 * s2
        s12 = s6 * s6
        f = 24.0 * epsilon * (2.0 * s12 - s6) * near
        along = (pulls[0, m] * x + pulls[1, m] * y + pulls[2, m] * z) * near
        both = 48.0 * epsilon * (4.0 * s6 - 14.0 * s12) * near * along - energy_bar * f
        epsilon_bar += along * (48.0 * s12 - 24.0 * s6) + energy_bar * 4.0 * (s12 - s6)
        sigma_bar += along * (576.0 * s12 - 144.0 * s6) + energy_bar * (48.0 * s12 - 24.0 * s6)
        pulls[0, m] = f * pulls[0, m] + both * x
        pulls[1, m] = f * pulls[1, m] + both * y
        pulls[2, m] = f * pulls[2, m] + both * z
    return epsilon_bar, sigma_bar * epsilon / sigma


@compiled
def scatter(others, ends, begin, pulls, pos_bar):
    for i in range(ends.size):
        a = b = c = 0.0
        for k in range(ends[i - 1] if i else begin, ends[i]):
            j, m = others[k], k - begin
            a += pulls[0, m]
            b += pulls[1, m]
            c += pulls[2, m]
            pos_bar[0, j] -= pulls[0, m]
            pos_bar[1, j] -= pulls[1, m]
            pos_bar[2, j] -= pulls[2, m]
        pos_bar[0, i] += a
        pos_bar[1, i] += b
        pos_bar[2, i] += c


@compiled
def hand(pos, vel, epsilon, sigma, box, steps):
    """Keeps the pairs that were near at each step, with their separations and 1 / r**2."""
    n = pos.shape[0]
    pairs = n * (n - 1) // 2
    start, pos, vel = pos, pos.T.copy(), vel.T.copy()
    acc, row, f = np.empty((3, n)), np.empty((4, n)), np.empty(pairs)
    others, ends = np.empty((steps + 1) * pairs, np.uint32), np.empty((steps + 1, n), np.int64)
    apart, inverses = np.empty((3, (steps + 1) * pairs)), np.empty((steps + 1) * pairs)
    begins = np.zeros(steps + 2, np.int64)
    energy = 0.0
    for t in range(steps + 1):
        if t > 0:
            vel += 0.5 * DT * acc
            pos += DT * vel
        begin = begins[t]
        begins[t + 1] = end = find_near(pos, box, row, others, apart, inverses, ends[t], begin)
        energy = pair_forces(inverses[begin:end], epsilon, sigma, f)
        add_forces(others, apart, ends[t], begin, f, acc)
        if t > 0:
            vel += 0.5 * DT * acc
    moved = pos - start.T
    value = (energy + 0.25 * np.sum(vel * vel)) / n + np.sum(moved * moved) / n
    pos_bar, vel_bar, acc_bar = 2.0 / n * moved, 0.5 / n * vel, np.zeros((3, n))
    start_bar = -pos_bar
    epsilon_bar = sigma_bar = 0.0
    pulls = np.empty((3, pairs))
    for t in range(steps, -1, -1):
        if t > 0:
            acc_bar += 0.5 * DT * vel_bar
        gather(others, ends[t], begins[t], acc_bar, pulls)
        energy_bar = 1.0 / n if t == steps else 0.0
        one, other = pull_pairs(apart, inverses, begins[t], begins[t + 1], epsilon, sigma, energy_bar, pulls)
        epsilon_bar += one
        sigma_bar += other
        scatter(others, ends[t], begins[t], pulls, pos_bar)
        if t > 0:
            vel_bar += DT * pos_bar
            acc_bar = 0.5 * DT * vel_bar
    return value, (pos_bar + start_bar).T.copy(), vel_bar.T.copy(), epsilon_bar, sigma_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def separation(q, box):
        d = q[:, None] - q[None, :]
        return d - box * jnp.round(d / box)

    def interactions(pos, epsilon, sigma, box):
        dx, dy, dz = (separation(pos[k], box) for k in range(3))
        r2 = dx**2 + dy**2 + dz**2
        near = (r2 < CUTOFF**2) & (r2 > 0.0)
        inverse = jnp.where(near, 1.0 / jnp.where(near, r2, 1.0), 0.0)
        s2 = sigma**2 * inverse
        s6 = s2 * s2 * s2
        f = 24.0 * epsilon * (2.0 * s6**2 - s6) * inverse
        forces = jnp.stack([jnp.sum(f * d, axis=1) for d in (dx, dy, dz)])
        return 2.0 * epsilon * jnp.sum(s6**2 - s6), forces

    def cost(pos, vel, epsilon, sigma, box, steps):
        def body(state, _):
            pos, vel, _, acc = state
            vel = vel + 0.5 * DT * acc
            pos = pos + DT * vel
            energy, acc = interactions(pos, epsilon, sigma, box)
            return (pos, vel + 0.5 * DT * acc, energy, acc), None

        pos, vel = pos.T, vel.T
        first = (pos, vel, *interactions(pos, epsilon, sigma, box))
        (last, vel, energy, _), _ = jax.lax.scan(jax.checkpoint(body), first, None, steps)
        drift = jnp.sum((last - pos) ** 2) / pos.shape[1]
        return (energy + 0.25 * jnp.sum(vel**2)) / pos.shape[1] + drift

    return cost
