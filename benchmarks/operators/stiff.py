"""Sensitivities, stiff: the Jacobian of Robertson's reaction's end, implicit steps by Newton's method."""

import numpy as np

KIND, SIZE, TINY = "jacobian", {"steps": 200}, {"steps": 3}


def arguments(steps):
    return np.array([0.04, 3e3, 1e2, 1.0, 0.0, 0.0]), 0.05, steps


def primal(p, h, steps):
    k1, k2, k3 = p[0], p[1], p[2]
    s = p[3:6].copy()
    for _ in range(steps):
        new = s.copy()
        change = 1.0
        turns = 0
        while change > 1e-10 and turns < 20:
            a, b, c = new
            r1, r2, r3 = k1 * a, k2 * b * c, k3 * b * b
            f = np.array([-r1 + r2, r1 - r2 - r3, r3])
            j = np.array(
                [[-k1, k2 * c, k2 * b], [k1, -k2 * c - 2.0 * k3 * b, -k2 * b], [0.0, 2.0 * k3 * b, 0.0]]
            )
            step = np.linalg.solve(np.eye(3) - h * j, s + h * f - new)
            new += step
            change = np.max(np.abs(step))
            turns += 1
        s = new
    return s


def jax_version():
    import jax
    import jax.numpy as jnp

    def end_state(p, h, steps):
        k1, k2, k3 = p[0], p[1], p[2]

        def step(s, _):
            def newton(carry):
                new, _, n = carry
                a, b, c = new
                r1, r2, r3 = k1 * a, k2 * b * c, k3 * b * b
                f = jnp.array([-r1 + r2, r1 - r2 - r3, r3])
                rows = [
                    [-k1, k2 * c, k2 * b],
                    [k1, -k2 * c - 2.0 * k3 * b, -k2 * b],
                    [0.0, 2.0 * k3 * b, 0.0],
                ]
                step = jnp.linalg.solve(jnp.eye(3) - h * jnp.array(rows), s + h * f - new)
                return new + step, jnp.max(jnp.abs(step)), n + 1

            more = lambda c: (c[1] > 1e-10) & (c[2] < 20)  # noqa: E731
            return jax.lax.while_loop(more, newton, (s, 1.0, 0))[0], None

        return jax.lax.scan(step, p[3:6], length=steps)[0]

    return end_state
