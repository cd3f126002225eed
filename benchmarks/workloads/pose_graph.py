"""Pose graph: the misfit of measured steps between poses in the plane, each edge with a robust cost."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"poses": 2000, "closures": 4000}, {"poses": 4, "closures": 5}, (0, 2)
LIMIT = 4.0


def arguments(poses, closures):
    draw = np.random.default_rng(46)
    truth = np.cumsum(draw.normal(size=(poses, 3)) * [1.0, 1.0, 0.3], axis=0)
    chain = np.stack([np.arange(poses - 1), np.arange(1, poses)], axis=1)
    edges = np.concatenate([chain, draw.integers(0, poses, (closures, 2))])
    i, j = truth[edges[:, 0]], truth[edges[:, 1]]
    c, s = np.cos(i[:, 2]), np.sin(i[:, 2])
    dx, dy = (j - i)[:, 0], (j - i)[:, 1]
    measured = np.stack([c * dx + s * dy, c * dy - s * dx, wrapped((j - i)[:, 2])], axis=1)
    measured += 0.1 * draw.standard_t(2.0, size=measured.shape)
    return truth + 0.05 * draw.normal(size=truth.shape), edges, measured, np.array([5.0, 5.0, 20.0])


def wrapped(angle):
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def primal(poses, edges, measured, weights):
    """With a prior on the first pose; Huber's cost of the squared misfit of each edge."""
    i, j = edges[:, 0], edges[:, 1]
    delta = poses[j] - poses[i]
    c, s = np.cos(poses[i, 2]), np.sin(poses[i, 2])
    misfit = np.empty((len(edges), 3))
    misfit[:, 0] = c * delta[:, 0] + s * delta[:, 1] - measured[:, 0]
    misfit[:, 1] = c * delta[:, 1] - s * delta[:, 0] - measured[:, 1]
    misfit[:, 2] = wrapped(delta[:, 2] - measured[:, 2])
    chi = np.sum(weights * misfit**2, axis=1)
    far = chi > LIMIT
    chi[far] = 2.0 * np.sqrt(LIMIT * chi[far]) - LIMIT
    return 0.5 * np.sum(chi) + 0.5 * np.sum(poses[0] ** 2)


@compiled
def hand(poses, edges, measured, weights):
    """Sines and cosines of each pose once; one pass over the edges."""
    n, m = poses.shape[0], edges.shape[0]
    cosines, sines = np.empty(n), np.empty(n)
    for i in range(n):
        cosines[i], sines[i] = np.cos(poses[i, 2]), np.sin(poses[i, 2])
    bars, out = np.zeros((n, 3)), np.zeros((m, 3))
    p, q, r = weights[0], weights[1], weights[2]
    value, full = 0.0, 2.0 * np.pi
    for e in range(m):
        i, j = edges[e, 0], edges[e, 1]
        dx, dy, turn = poses[j, 0] - poses[i, 0], poses[j, 1] - poses[i, 1], poses[j, 2] - poses[i, 2]
        c, s = cosines[i], sines[i]
        along, across = c * dx + s * dy, c * dy - s * dx
        a, b = along - measured[e, 0], across - measured[e, 1]
        shifted = turn - measured[e, 2] + np.pi
        t = shifted - full * np.floor(shifted / full) - np.pi
        chi = p * a * a + q * b * b + r * t * t
        factor = 1.0
        if chi > LIMIT:
            root = np.sqrt(LIMIT * chi)
            factor = LIMIT / root
            chi = 2.0 * root - LIMIT
        value += chi
        a, b, t = factor * p * a, factor * q * b, factor * r * t
        out[e, 0], out[e, 1], out[e, 2] = -a, -b, -t
        x_bar, y_bar = c * a - s * b, s * a + c * b
        bars[j, 0] += x_bar
        bars[j, 1] += y_bar
        bars[j, 2] += t
        bars[i, 0] -= x_bar
        bars[i, 1] -= y_bar
        bars[i, 2] += across * a - along * b - t
    for k in range(3):
        value += poses[0, k] * poses[0, k]
        bars[0, k] += poses[0, k]
    return 0.5 * value, bars, out


def jax_version():
    import jax.numpy as jnp

    def cost(poses, edges, measured, weights):
        one, other = poses[edges[:, 0]], poses[edges[:, 1]]
        delta = other - one
        c, s = jnp.cos(one[:, 2]), jnp.sin(one[:, 2])
        a = c * delta[:, 0] + s * delta[:, 1] - measured[:, 0]
        b = c * delta[:, 1] - s * delta[:, 0] - measured[:, 1]
        t = wrapped(delta[:, 2] - measured[:, 2])
        chi = weights[0] * a**2 + weights[1] * b**2 + weights[2] * t**2
        far = chi > LIMIT
        robust = jnp.where(far, 2.0 * jnp.sqrt(LIMIT * jnp.where(far, chi, 1.0)) - LIMIT, chi)
        return 0.5 * jnp.sum(robust) + 0.5 * jnp.sum(poses[0] ** 2)

    return cost
