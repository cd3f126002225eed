"""Kriging: the likelihood of a Gaussian field, Matern covariances of all pairs, Cholesky."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY, WRT = {"sites": 120}, {"sites": 6}, (0, 2, 3, 4)


def arguments(sites):
    draw = np.random.default_rng(74)
    return draw.uniform(0.0, 4.0, (sites, 2)), draw.normal(size=sites), np.array([0.8, 1.3]), 1.5, 0.2


def primal(places, values, lengths, level, noise):
    scaled = places / lengths
    apart = scaled[:, None, :] - scaled[None, :, :]
    r = np.sqrt(3.0 * np.sum(apart**2, axis=2) + 1e-12)
    covariance = level * (1.0 + r) * np.exp(-r) + noise * np.eye(len(places))
    factor = np.linalg.cholesky(covariance)
    white = np.linalg.solve(factor, values)
    return 0.5 * np.sum(white**2) + np.sum(np.log(np.diag(factor)))


@compiled
def hand(places, values, lengths, level, noise):
    """The adjoint of the covariance is half of its inverse less the outer product of what it solves."""
    n = places.shape[0]
    x, y, k, e = places[:, 0] / lengths[0], places[:, 1] / lengths[1], np.empty((n, n)), np.empty((n, n))
    for i in range(n):
        row, kept = k[i], e[i]
        for j in range(n):
            p, q = x[i] - x[j], y[i] - y[j]
            r = np.sqrt(3.0 * (p * p + q * q) + 1e-12)
            kept[j] = exp(-r)
            row[j] = level * (1.0 + r) * kept[j]
        row[i] += noise
    factor = np.linalg.cholesky(k)
    inverse = np.linalg.inv(k)
    solved = inverse @ values
    value, level_bar, noise_bar, first, second = 0.0, 0.0, 0.0, 0.0, 0.0
    places_bar = np.empty((n, 2))
    for i in range(n):
        value += 0.5 * values[i] * solved[i] + np.log(factor[i, i])
        row, kept, u, v = inverse[i], e[i], 0.0, 0.0
        noise_bar += 0.5 * (row[i] - solved[i] * solved[i])
        for j in range(n):
            bar, p, q = 0.5 * (row[j] - solved[i] * solved[j]), x[i] - x[j], y[i] - y[j]
            r = np.sqrt(3.0 * (p * p + q * q) + 1e-12)
            level_bar += bar * (1.0 + r) * kept[j]
            slope = -6.0 * bar * level * kept[j]  # of r twice, as each pair comes twice
            u += slope * p
            v += slope * q
            first -= 0.5 * slope * p * p
            second -= 0.5 * slope * q * q
        places_bar[i, 0], places_bar[i, 1] = u / lengths[0], v / lengths[1]
    return value, places_bar, np.array([first / lengths[0], second / lengths[1]]), level_bar, noise_bar


def jax_version():
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    def cost(places, values, lengths, level, noise):
        scaled = places / lengths
        apart = scaled[:, None, :] - scaled[None, :, :]
        r = jnp.sqrt(3.0 * jnp.sum(apart**2, axis=2) + 1e-12)
        covariance = level * (1.0 + r) * jnp.exp(-r) + noise * jnp.eye(len(places))
        factor = jnp.linalg.cholesky(covariance)
        white = solve_triangular(factor, values, lower=True)
        return 0.5 * jnp.sum(white**2) + jnp.sum(jnp.log(jnp.diag(factor)))

    return cost
