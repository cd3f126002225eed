"""Robot arm, second order: the Hessian of the squared distance of six links' hand to a target."""

import numpy as np

from benchmarks.operators import arm

KIND, SIZE, TINY = "hessian", {}, {}


def arguments():
    return (*arm.arguments(), np.array([-0.4, 0.3, 0.2]))


def primal(q, a, d, alpha, target):
    away = arm.primal(q, a, d, alpha) - target
    return 0.5 * away @ away + 1e-3 * np.sum(q**2)


def jax_version():
    import jax.numpy as jnp

    place = arm.jax_version()

    def energy(q, a, d, alpha, target):
        away = place(q, a, d, alpha) - target
        return 0.5 * away @ away + 1e-3 * jnp.sum(q**2)

    return energy
