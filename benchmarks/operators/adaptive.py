"""Sensitivities, adaptive steps: the Jacobian of a predator model's end in 6 numbers, by an embedded pair."""

import numpy as np

KIND, SIZE, TINY = "jacobian", {"end": 20.0}, {"end": 0.5}


def arguments(end):
    return np.array([1.1, 0.4, 0.1, 0.4, 10.0, 5.0]), end, 1e-6


def rate(s, p):
    return np.array([p[0] * s[0] - p[1] * s[0] * s[1], p[2] * s[0] * s[1] - p[3] * s[1]])


def primal(p, end, tolerance):
    s = p[4:6].copy()
    t, h = 0.0, 0.01
    while t < end:
        if t + h > end:
            h = end - t
        k1 = rate(s, p)
        k2 = rate(s + 0.5 * h * k1, p)
        k3 = rate(s + 0.75 * h * k2, p)
        new = s + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
        k4 = rate(new, p)
        gap = h * (-5.0 * k1 / 72.0 + k2 / 12.0 + k3 / 9.0 - k4 / 8.0)
        error = np.sqrt(np.mean(gap**2))
        if error < tolerance:
            t = t + h
            s = new
        h = h * 2.0 if error < 0.1 * tolerance else (h if error < tolerance else 0.5 * h)
    return s


def jax_version():
    import jax
    import jax.numpy as jnp

    def end_state(p, end, tolerance):
        f = lambda s: jnp.stack([p[0] * s[0] - p[1] * s[0] * s[1], p[2] * s[0] * s[1] - p[3] * s[1]])  # noqa: E731

        def step(carry):
            t, h, s = carry
            h = jnp.minimum(h, end - t)
            k1 = f(s)
            k2 = f(s + 0.5 * h * k1)
            k3 = f(s + 0.75 * h * k2)
            new = s + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
            gap = h * (-5.0 * k1 / 72.0 + k2 / 12.0 + k3 / 9.0 - f(new) / 8.0)
            error = jnp.sqrt(jnp.mean(jax.lax.stop_gradient(gap) ** 2))
            fits = error < tolerance
            grown = jnp.where(error < 0.1 * tolerance, 2.0 * h, jnp.where(fits, h, 0.5 * h))
            return jnp.where(fits, t + h, t), grown, jnp.where(fits, new, s)

        return jax.lax.while_loop(lambda c: c[0] < end, step, (0.0, 0.01, p[4:6]))[2]

    return end_state
