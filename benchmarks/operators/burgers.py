"""PDE residual, banded: the Jacobian of an implicit step of Burgers' equation, written with slices."""

import numpy as np

from benchmarks.compiled import compiled

KIND, SIZE, TINY = "jacobian", {"n": 200}, {"n": 5}


def arguments(n):
    u = np.sin(np.linspace(0.0, np.pi, n))
    return u, 0.9 * u, 1e-3, 1.0 / n, 0.02


def primal(u, old, dt, dx, nu):
    residual = u - old
    flux = 0.5 * u**2
    residual[1:-1] += dt * (flux[2:] - flux[:-2]) / (2.0 * dx)
    residual[1:-1] -= dt * nu * (u[2:] - 2.0 * u[1:-1] + u[:-2]) / dx**2
    residual[0] = u[0]
    residual[-1] = u[-1]
    return residual


@compiled
def hand(u, old, dt, dx, nu):
    n = len(u)
    rows = np.zeros((n, n))
    a, b = dt / (2.0 * dx), dt * nu / dx**2
    for i in range(1, n - 1):
        rows[i, i - 1] = -a * u[i - 1] - b
        rows[i, i] = 1.0 + 2.0 * b
        rows[i, i + 1] = a * u[i + 1] - b
    rows[0, 0] = rows[n - 1, n - 1] = 1.0
    return rows


def jax_version():
    import jax.numpy as jnp

    def residual(u, old, dt, dx, nu):
        flux = 0.5 * u**2
        inner = u[1:-1] - old[1:-1] + dt * (flux[2:] - flux[:-2]) / (2.0 * dx)
        inner -= dt * nu * (u[2:] - 2.0 * u[1:-1] + u[:-2]) / dx**2
        return jnp.concatenate((u[:1], inner, u[-1:]))

    return residual
