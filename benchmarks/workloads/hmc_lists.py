"""HMC trajectory, lists: leapfrog steps for a logistic regression, kept in a list until the U-turn."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE = {"observations": 1000, "features": 25, "limit": 100}
TINY = {"observations": 7, "features": 3, "limit": 60}
WRT = (0, 1, 2, 4)
WIDTH = 128  # observations that are taken together, as many as the first cache has room for


def arguments(observations, features, limit):
    draw = np.random.default_rng(21)
    x = draw.normal(size=(observations, features))
    x[:, 0] = 1.0
    chance = 1.0 / (1.0 + np.exp(-x @ draw.normal(size=features) / features**0.5))
    y = (draw.uniform(size=observations) < chance).astype(float)
    q, p = 0.3 * draw.normal(size=features), draw.normal(size=features)
    return q, p, x, y, 0.1 / observations**0.5, limit


def gradient(q, x, y):
    """Of the logarithm of the posterior density, with a normal prior."""
    return x.T @ (y - 1.0 / (1.0 + np.exp(-(x @ q)))) - q


def primal(q, p, x, y, step, limit):
    start = q
    trajectory = [q]
    p = p + 0.5 * step * gradient(q, x, y)
    for _ in range(limit):
        q = q + step * p
        trajectory.append(q)
        if np.dot(q - start, p) < 0.0:
            break
        p = p + step * gradient(q, x, y)
    positions = np.stack(trajectory)
    displacement = np.mean(np.sum((positions - start) ** 2, axis=1))
    return displacement + sum([np.dot(one, one) for one in trajectory]) + 0.5 * np.dot(p, p)


@compiled
def tiled(x):
    """``x`` transposed, in tiles of as many observations as a first cache holds; zeros fill the last."""
    observations, features = x.shape
    tiles = np.zeros(((observations + WIDTH - 1) // WIDTH, features, WIDTH))
    for i in range(observations):
        for k in range(features):
            tiles[i // WIDTH, k, i % WIDTH] = x[i, k]
    return tiles


@compiled
def products(tile, q, out):
    """Every observation of a tile times ``q``."""
    features = q.size
    out[:] = 0.0
    for k in range(0, features - 3, 4):
        a, b, c, d = q[k], q[k + 1], q[k + 2], q[k + 3]
        for j in range(WIDTH):
            out[j] += a * tile[k, j] + b * tile[k + 1, j] + c * tile[k + 2, j] + d * tile[k + 3, j]
    for k in range(features - features % 4, features):
        for j in range(WIDTH):
            out[j] += q[k] * tile[k, j]


@compiled
def add_sums(tile, weights, out):
    """Adds the weighted sum of a tile's observations."""
    features = out.size
    for k in range(0, features - 3, 4):
        a = b = c = d = 0.0
        for j in range(WIDTH):
            a += weights[j] * tile[k, j]
            b += weights[j] * tile[k + 1, j]
            c += weights[j] * tile[k + 2, j]
            d += weights[j] * tile[k + 3, j]
        out[k] += a
        out[k + 1] += b
        out[k + 2] += c
        out[k + 3] += d
    for k in range(features - features % 4, features):
        a = 0.0
        for j in range(WIDTH):
            a += weights[j] * tile[k, j]
        out[k] += a


@compiled
def force_at(q, tiles, y, residuals, force):
    for k in range(q.size):
        force[k] = -q[k]
    for t in range(tiles.shape[0]):
        residual = residuals[t]
        products(tiles[t], q, residual)
        for j in range(WIDTH):
            residual[j] = y[t, j] - 1.0 / (1.0 + exp(-residual[j]))
        add_sums(tiles[t], residual, force)


@compiled
def pull_force(bar, tiles, y, residuals, z_bars, q_bar):
    """Adds to ``q_bar`` what the adjoint ``bar`` of a force makes; keeps the adjoints of the products."""
    for k in range(bar.size):
        q_bar[k] -= bar[k]
    for t in range(tiles.shape[0]):
        z_bar = z_bars[t]
        products(tiles[t], bar, z_bar)
        for j in range(WIDTH):
            chance = y[t, j] - residuals[t, j]
            z_bar[j] *= chance * (chance - 1.0)
        add_sums(tiles[t], z_bar, q_bar)


@compiled
def hand(q, p, x, y, step, limit):
    """Keeps positions, momenta and forces; the gradient of ``x`` is a product of matrices at the end."""
    observations, features = x.shape
    tiles = tiled(x)
    count = tiles.shape[0]
    labels = np.zeros((count, WIDTH))
    labels.ravel()[:observations] = y
    residuals, z_bars = np.empty((limit + 1, count, WIDTH)), np.empty((limit + 1, count, WIDTH))
    qs, ps = np.empty((limit + 1, features)), np.empty((limit + 1, features))
    forces, bars = np.empty((limit + 1, features)), np.empty((limit + 1, features))
    qs[0] = q
    force_at(qs[0], tiles, labels, residuals[0], forces[0])
    ps[0] = p + 0.5 * step * forces[0]
    last, kicks = 0, 0  # the last position, and how many forces but the first have moved the momentum
    for i in range(1, limit + 1):
        qs[i] = qs[i - 1] + step * ps[i - 1]
        last = i
        if np.sum((qs[i] - q) * ps[i - 1]) < 0.0:
            break
        force_at(qs[i], tiles, labels, residuals[i], forces[i])
        ps[i] = ps[i - 1] + step * forces[i]
        kicks = i
    value = 0.5 * np.sum(ps[kicks] ** 2)
    start_bar, q_bar, p_bar = np.zeros(features), np.zeros(features), ps[kicks].copy()
    step_bar, share = 0.0, 1.0 / (last + 1)
    for i in range(last, -1, -1):
        for k in range(features):
            away = qs[i, k] - q[k]
            value += share * away * away + qs[i, k] * qs[i, k]
            q_bar[k] += 2.0 * (share * away + qs[i, k])
            start_bar[k] -= 2.0 * share * away
        if i <= kicks:
            kick = step if i > 0 else 0.5 * step
            for k in range(features):
                bars[i, k] = kick * p_bar[k]
                step_bar += (1.0 if i > 0 else 0.5) * p_bar[k] * forces[i, k]
            pull_force(bars[i], tiles, labels, residuals[i], z_bars[i], q_bar)
        if i > 0:
            for k in range(features):
                p_bar[k] += step * q_bar[k]
                step_bar += q_bar[k] * ps[i - 1, k]
    used = kicks + 1
    pairs = count * WIDTH
    x_bar = np.dot(residuals[:used].reshape(used, pairs).T, bars[:used])
    x_bar += np.dot(z_bars[:used].reshape(used, pairs).T, qs[:used])
    return value, q_bar + start_bar, p_bar, x_bar[:observations], step_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def force(q, x, y):
        return x.T @ (y - jax.nn.sigmoid(x @ q)) - q

    def cost(q, p, x, y, step, limit):
        start = q

        def body(state, _):
            q, p, used = state
            q = q + step * p
            going = used & (jnp.dot(q - start, p) >= 0.0)
            p = jnp.where(going, p + step * force(q, x, y), p)
            return (q, p, going), (q, used)

        first = (q, p + 0.5 * step * force(q, x, y), True)
        (_, p, _), (positions, used) = jax.lax.scan(body, first, None, limit)
        away = jnp.sum(jnp.where(used[:, None], (positions - start) ** 2, 0.0)) / (1 + jnp.sum(used))
        squares = jnp.dot(start, start) + jnp.sum(jnp.where(used[:, None], positions**2, 0.0))
        return away + squares + 0.5 * jnp.dot(p, p)

    return cost
