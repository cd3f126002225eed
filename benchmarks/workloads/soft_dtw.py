"""Soft-DTW: the alignment of two time series, a table filled cell by cell with a soft minimum."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"n": 160, "m": 180, "d": 3}, {"n": 5, "m": 4, "d": 2}, (0, 1, 2)
FAR = 1e10


def arguments(n, m, d):
    draw = np.random.default_rng(41)
    return np.cumsum(draw.normal(size=(n, d)), axis=0), np.cumsum(draw.normal(size=(m, d)), axis=0), 2.0


def soft_minimum(a, b, c, gamma):
    a, b, c = -a / gamma, -b / gamma, -c / gamma
    top = max(a, b, c)
    return -gamma * (np.log(np.exp(a - top) + np.exp(b - top) + np.exp(c - top)) + top)


def primal(x, y, gamma):
    n, m = len(x), len(y)
    cost = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)
    table = np.full((n + 1, m + 1), FAR)
    table[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            before = soft_minimum(table[i - 1, j - 1], table[i - 1, j], table[i, j - 1], gamma)
            table[i, j] = cost[i - 1, j - 1] + before
    return table[n, m]


@compiled
def hand(x, y, gamma):
    """Keeps the weights of the three neighbours, and of each cell what its soft minimum has beside theirs."""
    (n, d), m = x.shape, y.shape[0]
    inverse = 1.0 / gamma
    weights, spread = np.empty((n + 1, m + 1, 3)), np.empty((n + 1, m + 1))
    above, here = np.full(m + 1, FAR), np.full(m + 1, FAR)
    above[0] = 0.0
    for i in range(1, n + 1):
        left, corner = FAR, above[0]
        here[0] = FAR
        for j in range(1, m + 1):
            cost = 0.0
            for k in range(d):
                step = x[i - 1, k] - y[j - 1, k]
                cost += step * step
            up = above[j]
            low = min(corner, up, left)
            a = np.exp((low - corner) * inverse)
            b = np.exp((low - up) * inverse)
            c = np.exp((low - left) * inverse)
            total = a + b + c
            scale = 1.0 / total
            a, b, c = a * scale, b * scale, c * scale
            weights[i, j, 0], weights[i, j, 1], weights[i, j, 2] = a, b, c
            before = low - gamma * np.log(total)
            spread[i, j] = (before - a * corner - b * up - c * left) * inverse
            left = cost + before
            here[j] = left
            corner = up
        above, here = here, above
    value = above[m]
    x_bar, y_bar, gamma_bar = np.zeros((n, d)), np.zeros((m, d)), 0.0
    below, bars = np.zeros(m + 1), np.zeros(m + 1)
    below[m] = 1.0
    for i in range(n, 0, -1):
        bars[:] = 0.0
        for j in range(m, 0, -1):
            bar = below[j]
            bars[j] += bar * weights[i, j, 1]
            bars[j - 1] = bar * weights[i, j, 0]
            below[j - 1] += bar * weights[i, j, 2]
            gamma_bar += bar * spread[i, j]
            for k in range(d):
                step = 2.0 * bar * (x[i - 1, k] - y[j - 1, k])
                x_bar[i - 1, k] += step
                y_bar[j - 1, k] -= step
        below, bars = bars, below
    return value, x_bar, y_bar, gamma_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(x, y, gamma):
        """Along the diagonals that rise to the right, whose cells don't need each other."""
        n, m = len(x), len(y)
        costs = jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)
        rows = jnp.arange(1, n + 1)

        def step(state, t):
            older, newer = state  # cells (i, t - 2 - i) and (i, t - 1 - i)
            columns = t - rows
            inside = (columns >= 1) & (columns <= m)
            three = jnp.stack([older[:-1], newer[:-1], newer[1:]])
            before = -gamma * jax.nn.logsumexp(-three / gamma, axis=0)
            cells = costs[rows - 1, jnp.clip(columns - 1, 0, m - 1)] + before
            latest = jnp.concatenate([jnp.array([FAR]), jnp.where(inside, cells, FAR)])
            return (newer, latest), None

        start = jnp.full(n + 1, FAR).at[0].set(0.0), jnp.full(n + 1, FAR)
        (_, last), _ = jax.lax.scan(step, start, jnp.arange(2, n + m + 1))
        return last[n]

    return cost
