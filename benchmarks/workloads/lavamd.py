"""Particles in boxes: potentials and forces among neighbouring boxes, as in Rodinia's lavaMD."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY, WRT = {"side": 3, "each": 16}, {"side": 2, "each": 3}, (0, 1, 2)


def arguments(side, each):
    draw = np.random.default_rng(93)
    boxes = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    near = [np.flatnonzero(np.max(np.abs(boxes - b), axis=1) <= 1) for b in boxes]
    neighbours = np.zeros((len(boxes), max(map(len, near))), int)
    for row, who in zip(neighbours, near, strict=True):
        row[: len(who)] = who
    places = boxes[:, None, :] + draw.uniform(size=(len(boxes), each, 3))
    return (
        0.6,
        places,
        draw.uniform(0.1, 1.0, (len(boxes), each)),
        neighbours,
        np.array([len(n) for n in near]),
    )


def primal(alpha, places, charges, neighbours, counts):
    a2 = 2.0 * alpha * alpha
    potential, force = np.zeros(charges.shape), np.zeros(places.shape)
    for b in range(len(places)):
        for c in neighbours[b, : counts[b]]:
            d = places[b][:, None, :] - places[c][None, :, :]
            weight = np.exp(-a2 * np.sum(d * d, axis=2))
            potential[b] += weight @ charges[c]
            force[b] += np.sum((2.0 * a2 * charges[c] * weight)[:, :, None] * d, axis=1)
    return np.sum(potential**2) + np.sum(force**2)


@compiled
def hand(alpha, places, charges, neighbours, counts):
    """One pass for potentials and forces, one for their cotangents, with coordinates apart; nothing kept."""
    boxes, n = charges.shape
    a2, x = 2.0 * alpha * alpha, np.empty((boxes, 3, n))
    potential, force = np.zeros((boxes, n)), np.zeros((boxes, n, 3))
    bars, charges_bar, a2_bar = np.zeros((boxes, 3, n)), np.zeros((boxes, n)), 0.0
    value, places_bar = 0.0, np.empty((boxes, n, 3))
    for b in range(boxes):
        for i in range(n):
            for k in range(3):
                x[b, k, i] = places[b, i, k]
    for b in range(boxes):
        for i in range(n):
            px, py, pz = x[b, 0, i], x[b, 1, i], x[b, 2, i]
            v, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
            for m in range(counts[b]):
                c = neighbours[b, m]
                xs, ys, zs, q = x[c, 0], x[c, 1], x[c, 2], charges[c]
                for j in range(n):
                    dx, dy, dz = px - xs[j], py - ys[j], pz - zs[j]
                    w = q[j] * exp(-a2 * (dx * dx + dy * dy + dz * dz))
                    v += w
                    fx += w * dx
                    fy += w * dy
                    fz += w * dz
            s = 2.0 * a2
            potential[b, i], force[b, i, 0], force[b, i, 1], force[b, i, 2] = v, s * fx, s * fy, s * fz
            value += v * v + s * s * (fx * fx + fy * fy + fz * fz)
    for b in range(boxes):
        for i in range(n):
            px, py, pz = x[b, 0, i], x[b, 1, i], x[b, 2, i]
            v = 2.0 * potential[b, i]
            fx, fy, fz = 2.0 * force[b, i, 0], 2.0 * force[b, i, 1], 2.0 * force[b, i, 2]
            ux, uy, uz = 0.0, 0.0, 0.0
            for m in range(counts[b]):
                c = neighbours[b, m]
                xs, ys, zs, q = x[c, 0], x[c, 1], x[c, 2], charges[c]
                gx, gy, gz, q_bar = bars[c, 0], bars[c, 1], bars[c, 2], charges_bar[c]
                for j in range(n):
                    dx, dy, dz = px - xs[j], py - ys[j], pz - zs[j]
                    r2 = dx * dx + dy * dy + dz * dz
                    e = exp(-a2 * r2)
                    along = fx * dx + fy * dy + fz * dz
                    pull = v + 2.0 * a2 * along
                    w = q[j] * e
                    q_bar[j] += e * pull
                    a2_bar += w * (2.0 * along - r2 * pull)
                    s, u = -2.0 * a2 * w * pull, 2.0 * a2 * w
                    tx, ty, tz = s * dx + u * fx, s * dy + u * fy, s * dz + u * fz
                    ux += tx
                    uy += ty
                    uz += tz
                    gx[j] -= tx
                    gy[j] -= ty
                    gz[j] -= tz
            bars[b, 0, i] += ux
            bars[b, 1, i] += uy
            bars[b, 2, i] += uz
    for b in range(boxes):
        for i in range(n):
            for k in range(3):
                places_bar[b, i, k] = bars[b, k, i]
    return value, 4.0 * alpha * a2_bar, places_bar, charges_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(alpha, places, charges, neighbours, counts):
        a2 = 2.0 * alpha * alpha

        def box(mine, near, count):
            there = (jnp.arange(len(near)) < count)[:, None]
            d = mine[:, None, None, :] - places[near][None]
            weight = jnp.where(there, charges[near] * jnp.exp(-a2 * jnp.sum(d * d, axis=3)), 0.0)
            force = 2.0 * a2 * jnp.sum(weight[..., None] * d, axis=(1, 2))
            return jnp.sum(jnp.sum(weight, axis=(1, 2)) ** 2) + jnp.sum(force**2)

        return jnp.sum(jax.vmap(box)(places, neighbours, counts))

    return cost
