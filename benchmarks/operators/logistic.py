"""Logistic regression: the Hessian of the penalised likelihood, written with arrays."""

import numpy as np

from benchmarks.compiled import compiled, exp

KIND, SIZE, TINY = "hessian", {"rows": 2000}, {"rows": 6}


def arguments(rows):
    draw = np.random.default_rng(0)
    return draw.normal(size=12), draw.normal(size=(rows, 12)), draw.integers(0, 2, rows).astype(float), 0.1


def primal(w, x, y, penalty):
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z) + 0.5 * penalty * np.sum(w[1:] ** 2)


@compiled
def hand(w, x, y, penalty):
    rows, n = x.shape
    z = x @ w
    scaled = np.empty((n, rows))
    for i in range(rows):
        e = exp(-np.abs(z[i]))
        weight = e / ((1.0 + e) * (1.0 + e)) / rows
        for j in range(n):
            scaled[j, i] = weight * x[i, j]
    found = scaled @ x
    for j in range(1, n):
        found[j, j] += penalty
    return found


def jax_version():
    import jax.numpy as jnp

    def loss(w, x, y, penalty):
        z = x @ w
        return jnp.mean(jnp.logaddexp(0.0, z) - y * z) + 0.5 * penalty * jnp.sum(w[1:] ** 2)

    return loss
