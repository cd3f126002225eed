"""Orbit, implicit function: the Jacobian of radial velocities; Kepler's equation has a rule of its own."""

import numpy as np

import ast_ad

KIND, SIZE, TINY = "jacobian", {"times": 200}, {"times": 4}


def arguments(times):
    return np.array([30.0, 0.4, 1.1, 0.2, 5.3, 0.5]), np.linspace(0.0, 40.0, times)


@ast_ad.custom_jvp
def anomaly(mean, e):
    """E of E - e sin E = mean, by Newton's method."""
    big = mean + e * np.sin(mean)
    for _ in range(50):
        step = (big - e * np.sin(big) - mean) / (1.0 - e * np.cos(big))
        big -= step
        if abs(step) < 1e-13:
            break
    return big


@anomaly.defjvp
def _anomaly_tangent(primals, tangents):
    mean, e = primals
    big = anomaly(mean, e)
    return big, (tangents[0] + np.sin(big) * tangents[1]) / (1.0 - e * np.cos(big))


def primal(p, times):
    amplitude, e, omega, start, period, offset = p
    speeds = np.zeros(len(times))
    for i in range(len(times)):
        big = anomaly(2.0 * np.pi * (times[i] - start) / period, e)
        true = 2.0 * np.arctan2(np.sqrt(1.0 + e) * np.sin(big / 2.0), np.sqrt(1.0 - e) * np.cos(big / 2.0))
        speeds[i] = offset + amplitude * (np.cos(true + omega) + e * np.cos(omega))
    return speeds


def jax_version():
    import jax
    import jax.numpy as jnp

    @jax.custom_jvp
    def anomaly(mean, e):
        def more(carry):
            return (jnp.max(jnp.abs(carry[1])) >= 1e-13) & (carry[2] < 50)

        def newton(carry):
            big, _, n = carry
            step = (big - e * jnp.sin(big) - mean) / (1.0 - e * jnp.cos(big))
            return big - step, step, n + 1

        return jax.lax.while_loop(more, newton, (mean + e * jnp.sin(mean), jnp.ones_like(mean), 0))[0]

    @anomaly.defjvp
    def tangent(primals, tangents):
        mean, e = primals
        big = anomaly(mean, e)
        return big, (tangents[0] + jnp.sin(big) * tangents[1]) / (1.0 - e * jnp.cos(big))

    def speeds(p, times):
        amplitude, e, omega, start, period, offset = p
        big = anomaly(2.0 * jnp.pi * (times - start) / period, e)
        true = 2.0 * jnp.arctan2(
            jnp.sqrt(1.0 + e) * jnp.sin(big / 2.0), jnp.sqrt(1.0 - e) * jnp.cos(big / 2.0)
        )
        return offset + amplitude * (jnp.cos(true + omega) + e * jnp.cos(omega))

    return speeds
