"""Waveform inversion: a wave of fourth order in space, a sponge, one shot, and the receivers' misfit."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"n": 100, "steps": 80}, {"n": 8, "steps": 3}, (0, 1)
A, B, C = -5.0, 4.0 / 3.0, -1.0 / 12.0


def arguments(n, steps):
    draw = np.random.default_rng(50)
    speed = 0.3 + 0.1 * draw.uniform(size=(n, n))
    t = np.arange(steps) - 0.4 * steps
    source = (1.0 - 0.05 * t**2) * np.exp(-0.025 * t**2)
    distance = np.minimum(np.arange(n), np.arange(n)[::-1])
    edge = np.exp(-((0.015 * np.maximum(n // 6 - distance, 0)) ** 2))
    receivers = np.arange(2, n - 2, 3)
    seen = 0.1 * draw.normal(size=(steps, len(receivers)))
    return speed, source, seen, edge[:, None] * edge, receivers, n // 3, n // 2


def laplacian(u):
    near = u[1:-3, 2:-2] + u[3:-1, 2:-2] + u[2:-2, 1:-3] + u[2:-2, 3:-1]
    far = u[:-4, 2:-2] + u[4:, 2:-2] + u[2:-2, :-4] + u[2:-2, 4:]
    return A * u[2:-2, 2:-2] + B * near + C * far


def primal(speed, source, seen, sponge, receivers, x, y):
    squared = speed[2:-2, 2:-2] ** 2
    before, now = np.zeros_like(speed), np.zeros_like(speed)
    misfit = 0.0
    for t in range(len(source)):
        after = 2.0 * now - before
        after[2:-2, 2:-2] += squared * laplacian(now)
        after[x, y] += source[t]
        after *= sponge
        now *= sponge
        misfit += np.sum((after[2, receivers] - seen[t]) ** 2)
        before, now = now, after
    return 0.5 * misfit


@compiled
def stencil(u, out):
    """Of the places of ``u`` that have two neighbours on each side."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            near = u[i + 1, j + 2] + u[i + 3, j + 2] + u[i + 2, j + 1] + u[i + 2, j + 3]
            far = u[i, j + 2] + u[i + 4, j + 2] + u[i + 2, j] + u[i + 2, j + 4]
            out[i, j] = A * u[i + 2, j + 2] + B * near + C * far


@compiled
def hand(speed, source, seen, sponge, receivers, x, y):
    """The curvatures are kept, which the speed is multiplied with; the adjoint of the stencil is gathered."""
    n, steps = speed.shape[0], source.size
    kept, squared = np.empty((steps, n - 4, n - 4)), speed * speed
    before, now, after = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    misfits = np.empty((steps, receivers.size))
    value = 0.0
    for t in range(steps):
        stencil(now, kept[t])
        for i in range(n):
            for j in range(n):
                after[i, j] = (2.0 * now[i, j] - before[i, j]) * sponge[i, j]
            for j in range(n):
                now[i, j] *= sponge[i, j]
        for i in range(n - 4):
            for j in range(n - 4):
                after[i + 2, j + 2] += squared[i + 2, j + 2] * sponge[i + 2, j + 2] * kept[t, i, j]
        after[x, y] += source[t] * sponge[x, y]
        for k in range(receivers.size):
            misfits[t, k] = after[2, receivers[k]] - seen[t, k]
            value += misfits[t, k] ** 2
        before, now, after = now, after, before
    before_bar, now_bar, other = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    speed_bar, source_bar, weighted = np.zeros((n, n)), np.empty(steps), np.zeros((n + 4, n + 4))
    for t in range(steps - 1, -1, -1):
        for k in range(receivers.size):
            now_bar[2, receivers[k]] += misfits[t, k]
        for i in range(n):
            for j in range(n):
                now_bar[i, j] *= sponge[i, j]
        source_bar[t] = now_bar[x, y]
        for i in range(n - 4):
            for j in range(n - 4):
                speed_bar[i + 2, j + 2] += now_bar[i + 2, j + 2] * kept[t, i, j]
            for j in range(n - 4):
                weighted[i + 4, j + 4] = now_bar[i + 2, j + 2] * squared[i + 2, j + 2]
        stencil(weighted, other)
        for i in range(n):
            for j in range(n):
                other[i, j] += 2.0 * now_bar[i, j] + sponge[i, j] * before_bar[i, j]
                before_bar[i, j] = -now_bar[i, j]
        now_bar, other = other, now_bar
    for i in range(n):
        for j in range(n):
            speed_bar[i, j] *= 2.0 * speed[i, j]
    return 0.5 * value, speed_bar, source_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(speed, source, seen, sponge, receivers, x, y):
        squared = speed[2:-2, 2:-2] ** 2

        def step(state, data):
            before, now = state
            pulse, there = data
            after = (2.0 * now - before).at[2:-2, 2:-2].add(squared * laplacian(now))
            after = after.at[x, y].add(pulse) * sponge
            return (now * sponge, after), jnp.sum((after[2, receivers] - there) ** 2)

        still = jnp.zeros_like(speed)
        return 0.5 * jnp.sum(jax.lax.scan(step, (still, still), (source, seen))[1])

    return cost
