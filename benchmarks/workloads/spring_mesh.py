"""Cloth, springs: edges gather the places of their ends and scatter forces to them, in steps of time."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"side": 40, "steps": 20}, {"side": 3, "steps": 3}, (0, 1, 2)
DT, MASS, DAMPING, GRAVITY = 0.005, 0.05, 0.1, np.array([0.0, 0.0, -9.81])


def grid_edges(side):
    """Structural springs to the right and below, shear springs along both diagonals."""
    node = np.arange(side * side).reshape(side, side)
    pairs = [
        (node[:, :-1], node[:, 1:]),
        (node[:-1, :], node[1:, :]),
        (node[:-1, :-1], node[1:, 1:]),
        (node[:-1, 1:], node[1:, :-1]),
    ]
    return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])


def arguments(side, steps):
    draw = np.random.default_rng(35)
    i, j = np.divmod(np.arange(side * side), side)
    flat = 0.1 * np.stack([j, i, np.zeros(side * side)], axis=1)
    edges = grid_edges(side)
    rest = np.linalg.norm(flat[edges[:, 1]] - flat[edges[:, 0]], axis=1)
    x = flat + 0.01 * draw.normal(size=flat.shape)
    stiffness = draw.uniform(20.0, 60.0, len(edges))
    target = flat + np.array([0.0, 0.0, -0.2]) * np.sin(np.pi * j / (side - 1))[:, None]
    return x, rest, stiffness, edges, np.array([0, side - 1]), target, steps


def forces(x, v, rest, stiffness, edges):
    d = x[edges[:, 1]] - x[edges[:, 0]]
    length = np.sqrt(np.sum(d**2, axis=1))
    pull = (stiffness * (length - rest) / length)[:, None] * d
    f = MASS * GRAVITY - DAMPING * v
    np.add.at(f, edges[:, 0], pull)
    np.add.at(f, edges[:, 1], -pull)
    return f


def primal(x, rest, stiffness, edges, pinned, target, steps):
    v = np.zeros_like(x)
    for _ in range(steps):
        v = v + DT / MASS * forces(x, v, rest, stiffness, edges)
        v[pinned] = 0.0
        x = x + DT * v
    return np.mean(np.sum((x - target) ** 2, axis=1))


@compiled
def gather(first, second, places, apart):
    """The differences of what the two ends of each edge have."""
    x, y, z, dx, dy, dz = places[0], places[1], places[2], apart[0], apart[1], apart[2]
    for e in range(first.size):
        a, b = first[e], second[e]
        dx[e] = x[b] - x[a]
        dy[e] = y[b] - y[a]
        dz[e] = z[b] - z[a]


@compiled
def scatter(first, second, pulls, out):
    """Adds each edge's pull to what its first end has, and subtracts it from the second."""
    x, y, z, px, py, pz = out[0], out[1], out[2], pulls[0], pulls[1], pulls[2]
    for e in range(first.size):
        a, b, p, q, r = first[e], second[e], px[e], py[e], pz[e]
        x[a] += p
        y[a] += q
        z[a] += r
        x[b] -= p
        y[b] -= q
        z[b] -= r


@compiled
def stretch(apart, rest, stiffness, inverse, pulls):
    """The pull of each edge, and the reciprocal of its length."""
    for e in range(rest.size):
        x, y, z = apart[0, e], apart[1, e], apart[2, e]
        inverse[e] = near = 1.0 / np.sqrt(x * x + y * y + z * z)
        strength = stiffness[e] * (1.0 - rest[e] * near)
        pulls[0, e], pulls[1, e], pulls[2, e] = strength * x, strength * y, strength * z


@compiled
def pull_stretch(apart, rest, stiffness, inverse, bars, rest_bar, stiffness_bar):
    """``bars`` are differences of the adjoints of forces; they become the adjoints of ``apart``."""
    for e in range(rest.size):
        x, y, z, near = apart[0, e], apart[1, e], apart[2, e], inverse[e]
        p, q, r = bars[0, e], bars[1, e], bars[2, e]
        along = -(p * x + q * y + r * z)
        share = 1.0 - rest[e] * near
        stiffness_bar[e] += along * share
        rest_bar[e] -= along * stiffness[e] * near
        strength, turned = -stiffness[e] * share, along * stiffness[e] * rest[e] * near * near * near
        bars[0, e] = -(strength * p + turned * x)
        bars[1, e] = -(strength * q + turned * y)
        bars[2, e] = -(strength * r + turned * z)


@compiled
def hand(x, rest, stiffness, edges, pinned, target, steps):
    """Keeps the edges' vectors and reciprocal lengths; loops over edges gather, compute or scatter."""
    n, count = x.shape[0], edges.shape[0]
    first, second = edges[:, 0].astype(np.uint32), edges[:, 1].astype(np.uint32)
    place, v, f, pulls = x.T.copy(), np.zeros((3, n)), np.empty((3, n)), np.empty((3, count))
    apart, inverse = np.empty((steps, 3, count)), np.empty((steps, count))
    kept, kick = 1.0 - DT / MASS * DAMPING, DT / MASS
    for t in range(steps):
        gather(first, second, place, apart[t])
        stretch(apart[t], rest, stiffness, inverse[t], pulls)
        f[0], f[1], f[2] = MASS * GRAVITY[0], MASS * GRAVITY[1], MASS * GRAVITY[2]
        scatter(first, second, pulls, f)
        for axis in range(3):
            for i in range(n):
                v[axis, i] = kept * v[axis, i] + kick * f[axis, i]
            for i in pinned:
                v[axis, i] = 0.0
            for i in range(n):
                place[axis, i] += DT * v[axis, i]
    misfit = place - target.T
    value = np.sum(misfit * misfit) / n
    bar, v_bar = 2.0 / n * misfit, np.zeros((3, n))
    rest_bar, stiffness_bar = np.zeros(count), np.zeros(count)
    for t in range(steps - 1, -1, -1):
        for axis in range(3):
            for i in range(n):
                v_bar[axis, i] += DT * bar[axis, i]
            for i in pinned:
                v_bar[axis, i] = 0.0
            for i in range(n):
                f[axis, i] = kick * v_bar[axis, i]
                v_bar[axis, i] *= kept
        gather(first, second, f, pulls)
        pull_stretch(apart[t], rest, stiffness, inverse[t], pulls, rest_bar, stiffness_bar)
        scatter(first, second, pulls, bar)
    return value, bar.T.copy(), rest_bar, stiffness_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(x, rest, stiffness, edges, pinned, target, steps):
        first, second = edges[:, 0], edges[:, 1]

        def body(state, _):
            x, v = state
            d = x[second] - x[first]
            length = jnp.sqrt(jnp.sum(d**2, axis=1))
            pull = (stiffness * (length - rest) / length)[:, None] * d
            f = MASS * GRAVITY - DAMPING * v
            f = f.at[first].add(pull).at[second].add(-pull)
            v = (v + DT / MASS * f).at[pinned].set(0.0)
            return (x + DT * v, v), None

        (x, _), _ = jax.lax.scan(body, (x, jnp.zeros_like(x)), None, steps)
        return jnp.mean(jnp.sum((x - target) ** 2, axis=1))

    return cost
