"""Pipes: the Jacobian of pressure drops in width, roughness and flow, through friction found by iteration."""

import numpy as np

KIND, SIZE, TINY = "jacobian", {"pipes": 200}, {"pipes": 3}


def arguments(pipes):
    draw = np.random.default_rng(0)
    return np.array([0.1, 0.2, 1.2, 1.0]), draw.uniform(1.0, 50.0, pipes), draw.uniform(0.2, 3.0, pipes)


def primal(p, lengths, speeds):
    width, rough, scale, viscosity = p[0], 1e-3 * p[1], p[2], 1e-6 * p[3]
    drops = np.zeros(len(lengths))
    for i in range(len(lengths)):
        speed = scale * speeds[i]
        reynolds = speed * width / viscosity
        y = 7.0
        change, turns = 1.0, 0
        while abs(change) > 1e-13 and turns < 50:
            change = -2.0 * np.log10(rough / (3.7 * width) + 2.51 * y / reynolds) - y
            y += change
            turns += 1
        drops[i] = lengths[i] / width * 500.0 * speed**2 / y**2
    return drops


def jax_version():
    import jax
    import jax.numpy as jnp

    def drops(p, lengths, speeds):
        width, rough, scale, viscosity = p[0], 1e-3 * p[1], p[2], 1e-6 * p[3]
        speed = scale * speeds
        reynolds = speed * width / viscosity

        def go_on(state):
            y, change, turns = state
            return (jnp.max(jnp.abs(change)) > 1e-13) & (turns < 50)

        def step(state):
            y, _, turns = state
            change = -2.0 * jnp.log10(rough / (3.7 * width) + 2.51 * y / reynolds) - y
            return y + change, change, turns + 1

        start = jnp.full(lengths.shape, 7.0), jnp.ones(lengths.shape), 0
        y = jax.lax.while_loop(go_on, step, start)[0]
        return lengths / width * 500.0 * speed**2 / y**2

    return drops
