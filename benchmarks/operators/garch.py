"""GARCH: the Hessian of a volatility model's likelihood, a recursion over 1000 returns."""

import numpy as np

KIND, SIZE, TINY = "hessian", {"days": 1000}, {"days": 5}


def arguments(days):
    draw = np.random.default_rng(0)
    return np.array([0.02, -2.5, 0.1, 0.85]), 0.9 * draw.normal(size=days)


def primal(p, returns):
    mean, omega, alpha, beta = p[0], np.exp(p[1]), p[2], p[3]
    variance = omega / (1.0 - alpha - beta)
    total = 0.0
    for r in returns:
        e = r - mean
        total += np.log(variance) + e * e / variance
        variance = omega + alpha * e * e * (1.5 if e < 0.0 else 1.0) + beta * variance
    return 0.5 * total


def jax_version():
    import jax
    import jax.numpy as jnp

    def likelihood(p, returns):
        mean, omega, alpha, beta = p[0], jnp.exp(p[1]), p[2], p[3]

        def step(variance, r):
            e = r - mean
            term = jnp.log(variance) + e * e / variance
            return omega + alpha * e * e * jnp.where(e < 0.0, 1.5, 1.0) + beta * variance, term

        return 0.5 * jnp.sum(jax.lax.scan(step, omega / (1.0 - alpha - beta), returns)[1])

    return likelihood
