"""Least squares, three exponentials: the Jacobian of the residuals of a decay curve in its 7 parameters."""

import numpy as np

from benchmarks.compiled import compiled

KIND, SIZE, TINY = "jacobian", {"points": 500}, {"points": 5}


def arguments(points):
    t = np.linspace(0.0, 5.0, points)
    p = np.array([2.0, 0.3, 1.0, 1.5, 0.5, 6.0, 0.1])
    return p, t, 2.0 * np.exp(-0.4 * t) + np.exp(-2.0 * t), np.full(points, 0.05)


def primal(p, t, y, sigma):
    residuals = np.empty(len(t))
    for i in range(len(t)):
        model = p[6]
        for k in range(3):
            model += p[2 * k] * np.exp(-p[2 * k + 1] * t[i])
        residuals[i] = (model - y[i]) / sigma[i]
    return residuals


@compiled
def hand(p, t, y, sigma):
    rows = np.empty((len(t), 7))
    for i in range(len(t)):
        weight = 1.0 / sigma[i]
        for k in range(3):
            decay = np.exp(-p[2 * k + 1] * t[i]) * weight
            rows[i, 2 * k] = decay
            rows[i, 2 * k + 1] = -p[2 * k] * t[i] * decay
        rows[i, 6] = weight
    return rows


def jax_version():
    import jax.numpy as jnp

    def residuals(p, t, y, sigma):
        return (jnp.exp(-jnp.outer(t, p[1:6:2])) @ p[0:6:2] + p[6] - y) / sigma

    return residuals
