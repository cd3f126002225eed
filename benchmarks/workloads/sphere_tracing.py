"""Sphere tracing: rays that march until all have met merged spheres, by masks in a while loop."""

import numpy as np

from benchmarks.compiled import compiled, exp, log

UNSEEN = True
SIZE, TINY, WRT = {"side": 32, "balls": 5}, {"side": 3, "balls": 2}, (0, 1)


def arguments(side, balls):
    draw = np.random.default_rng(85)
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, side), np.linspace(-0.5, 0.5, side))
    rays = np.stack([x.ravel(), y.ravel(), np.ones(side * side)], axis=1)
    rays /= np.sqrt(np.sum(rays**2, axis=1, keepdims=True))
    centres = draw.uniform(-0.7, 0.7, (balls, 3)) + np.array([0.0, 0.0, 3.0])
    return centres, draw.uniform(0.3, 0.8, balls), rays, draw.uniform(0.2, 0.5, side * side), 8.0


def gaps(points, centres, radii, sharp):
    """How far points are from the surface, by a smooth minimum."""
    away = points[:, None, :] - centres[None, :, :]
    each = np.sqrt(np.sum(away**2, axis=2)) - radii
    return -np.log(np.sum(np.exp(-sharp * each), axis=1)) / sharp


def primal(centres, radii, rays, seen, sharp):
    depth, going, turns = np.ones(len(rays)), np.ones(len(rays), dtype=bool), 0
    while np.any(going) and turns < 24:
        gap = gaps(depth[:, None] * rays, centres, radii, sharp)
        going = going & (gap > 1e-4) & (depth < 6.0)
        depth = np.where(going, depth + gap, depth)
        turns += 1
    return np.mean((np.exp(-0.4 * depth) - seen) ** 2)


@compiled
def hand(centres, radii, rays, seen, sharp):
    """Rays that still go, one step of all of them after the other; back by the depths that were saved."""
    n, balls = rays.shape[0], radii.size
    depths, last = np.empty((25, n)), np.zeros(n, np.int32)
    along, square = np.empty((balls, n)), np.empty(balls)
    for k in range(balls):
        for i in range(n):
            along[k, i] = centres[k, 0] * rays[i, 0] + centres[k, 1] * rays[i, 1] + centres[k, 2] * rays[i, 2]
        square[k] = centres[k, 0] ** 2 + centres[k, 1] ** 2 + centres[k, 2] ** 2
    order, count, turn = np.arange(n), n, 0
    for i in range(n):
        depths[0, i] = 1.0
    sums, value = np.empty(n), 0.0
    while count > 0 and turn < 24:
        now, then = depths[turn], depths[turn + 1]
        sums[:count] = 0.0
        for k in range(balls):
            for m in range(count):
                i = order[m]
                t = now[i]
                sums[m] += exp(-sharp * (np.sqrt(t * t - 2.0 * t * along[k, i] + square[k]) - radii[k]))
        left = 0
        for m in range(count):
            i = order[m]
            gap = -log(sums[m]) / sharp
            if gap > 1e-4 and now[i] < 6.0:
                then[i] = now[i] + gap
                last[i] = turn + 1
                order[left] = i
                left += 1
        count = left
        turn += 1
    bar = np.empty(n)
    for i in range(n):
        shade = exp(-0.4 * depths[last[i], i])
        miss = shade - seen[i]
        value += miss * miss
        bar[i] = -0.8 * miss * shade / n
    centres_bar, radii_bar = np.zeros((balls, 3)), np.zeros(balls)
    weights, lengths, rates = np.empty((balls, n)), np.empty((balls, n)), np.empty(n)
    for step in range(turn - 1, -1, -1):
        now, count = depths[step], 0
        for i in range(n):
            if last[i] > step:
                order[count] = i
                count += 1
        sums[:count] = 0.0
        for k in range(balls):
            for m in range(count):
                i = order[m]
                t = now[i]
                length = np.sqrt(t * t - 2.0 * t * along[k, i] + square[k])
                lengths[k, m] = 1.0 / length
                weights[k, m] = exp(-sharp * (length - radii[k]))
                sums[m] += weights[k, m]
        for m in range(count):
            sums[m] = 1.0 / sums[m]
            rates[m] = 0.0
        for k in range(balls):
            a = b = c = r = s = 0.0
            for m in range(count):
                i = order[m]
                t = now[i]
                share = bar[i] * weights[k, m] * sums[m]
                r += share
                share *= lengths[k, m]
                rates[m] += share * (t - along[k, i])
                s += share
                share *= t
                a += share * rays[i, 0]
                b += share * rays[i, 1]
                c += share * rays[i, 2]
            radii_bar[k] -= r
            centres_bar[k, 0] += centres[k, 0] * s - a
            centres_bar[k, 1] += centres[k, 1] * s - b
            centres_bar[k, 2] += centres[k, 2] * s - c
        for m in range(count):
            bar[order[m]] += rates[m]
    return value / n, centres_bar, radii_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(centres, radii, rays, seen, sharp):
        def step(state, _):
            depth, going = state
            away = (depth[:, None] * rays)[:, None, :] - centres[None]
            each = jnp.sqrt(jnp.sum(away**2, axis=2)) - radii
            gap = -jnp.log(jnp.sum(jnp.exp(-sharp * each), axis=1)) / sharp
            going = going & (gap > 1e-4) & (depth < 6.0)
            return (jnp.where(going, depth + gap, depth), going), None

        first = jnp.ones(len(rays)), jnp.ones(len(rays), dtype=bool)
        (depth, _), _ = jax.lax.scan(step, first, None, length=24)
        return jnp.mean((jnp.exp(-0.4 * depth) - seen) ** 2)

    return cost
