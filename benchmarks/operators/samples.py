"""Per-sample gradients, network: the gradient of each of 128 rows' loss in a small network's weights."""

import numpy as np

KIND, SIZE, TINY, ROWS = "rows", {"rows": 128}, {"rows": 3}, (True, True)


def arguments(rows):
    draw = np.random.default_rng(0)
    return 0.5 * draw.normal(size=10 * 16 + 16 + 16 + 1), draw.normal(size=(rows, 10)), draw.normal(size=rows)


def primal(w, x, y):
    first = w[:160].reshape(16, 10)
    hidden = np.tanh(first @ x + w[160:176])
    return (hidden @ w[176:192] + w[192] - y) ** 2


def jax_version():
    import jax.numpy as jnp

    def loss(w, x, y):
        hidden = jnp.tanh(w[:160].reshape(16, 10) @ x + w[160:176])
        return (hidden @ w[176:192] + w[192] - y) ** 2

    return loss
