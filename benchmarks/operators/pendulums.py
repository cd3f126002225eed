"""Per-sample gradients, time loop: the gradient of each of 20 pendulums' loss after 1,000 steps."""

import numpy as np

from benchmarks.compiled import compiled

KIND, SIZE, TINY, ROWS = "rows", {"rows": 20, "steps": 1000}, {"rows": 2, "steps": 3}, (True, True, False)


def arguments(rows, steps):
    draw = np.random.default_rng(0)
    return np.array([9.81, 0.1]), draw.uniform(-1.0, 1.0, rows), draw.normal(size=rows), steps


def primal(p, angle, seen, steps):
    speed = 0.0
    for _ in range(steps):
        speed -= 0.001 * (p[0] * np.sin(angle) + p[1] * speed)
        angle += 0.001 * speed
    return (angle - seen) ** 2


@compiled
def hand(p, angles, seen, steps):
    found = np.empty((len(angles), 2))
    path, speeds = np.empty(steps), np.empty(steps)
    for i in range(len(angles)):
        angle, speed = angles[i], 0.0
        for k in range(steps):
            path[k], speeds[k] = angle, speed
            speed -= 0.001 * (p[0] * np.sin(angle) + p[1] * speed)
            angle += 0.001 * speed
        a, s, g, d = 2.0 * (angle - seen[i]), 0.0, 0.0, 0.0
        for k in range(steps - 1, -1, -1):
            s += 0.001 * a
            g -= 0.001 * s * np.sin(path[k])
            d -= 0.001 * s * speeds[k]
            a -= 0.001 * s * p[0] * np.cos(path[k])
            s -= 0.001 * s * p[1]
        found[i, 0], found[i, 1] = g, d
    return found


def jax_version():
    import jax
    import jax.numpy as jnp

    def loss(p, angle, seen, steps):
        def step(state, _):
            angle, speed = state
            speed -= 0.001 * (p[0] * jnp.sin(angle) + p[1] * speed)
            return (angle + 0.001 * speed, speed), None

        return (jax.lax.scan(step, (angle, 0.0), length=steps)[0][0] - seen) ** 2

    return loss
