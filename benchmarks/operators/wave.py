"""Wave function, network: the Laplacian of a network of two layers in 12 coordinates."""

import numpy as np

KIND, SIZE, TINY = "laplacian", {"n": 12, "width": 32}, {"n": 3, "width": 2}


def arguments(n, width):
    draw = np.random.default_rng(0)
    first, second = (
        draw.normal(size=(width, n)) / np.sqrt(n),
        draw.normal(size=(width, width)) / np.sqrt(width),
    )
    return draw.normal(size=n), first, second, draw.normal(size=width)


def primal(x, first, second, last):
    hidden = np.tanh(first @ x)
    hidden = hidden + np.tanh(second @ hidden)
    return last @ hidden - 0.5 * np.sum(x**2)


def jax_version():
    import jax.numpy as jnp

    def value(x, first, second, last):
        hidden = jnp.tanh(first @ x)
        hidden = hidden + jnp.tanh(second @ hidden)
        return last @ hidden - 0.5 * jnp.sum(x**2)

    return value
