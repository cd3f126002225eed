"""GRU: the Hessian times a vector of a recurrent network's loss in all its weights."""

import numpy as np

KIND, SIZE, TINY = "hvp", {"steps": 40, "units": 16, "inputs": 4}, {"steps": 3, "units": 2, "inputs": 2}


def arguments(steps, units, inputs):
    draw = np.random.default_rng(0)
    size = 3 * units * (units + inputs + 1) + units
    w = 0.3 * draw.normal(size=size)
    return w, draw.normal(size=(steps, inputs)), draw.normal(size=steps), units, draw.normal(size=size)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def primal(w, xs, ys, units):
    width = units + xs.shape[1] + 1
    n = units * width
    reset, update, fresh = (w[k * n : (k + 1) * n].reshape(units, width) for k in range(3))
    read = w[3 * n :]
    h = np.zeros(units)
    loss = 0.0
    for t in range(len(xs)):
        z = np.concatenate((h, xs[t], np.ones(1)))
        r = sigmoid(reset @ z)
        u = sigmoid(update @ z)
        c = np.tanh(fresh @ np.concatenate((r * h, xs[t], np.ones(1))))
        h = (1.0 - u) * h + u * c
        loss += (read @ h - ys[t]) ** 2
    return loss / len(xs)


def jax_version():
    import jax
    import jax.numpy as jnp

    def loss(w, xs, ys, units):
        width = units + xs.shape[1] + 1
        n = units * width
        reset, update, fresh = w[: 3 * n].reshape(3, units, width)
        gates, read = jnp.concatenate((reset, update)), w[3 * n :]

        def step(h, row):
            x, y = row
            r, u = jnp.split(jax.nn.sigmoid(gates @ jnp.concatenate((h, x, jnp.ones(1)))), 2)
            c = jnp.tanh(fresh @ jnp.concatenate((r * h, x, jnp.ones(1))))
            h = (1.0 - u) * h + u * c
            return h, (read @ h - y) ** 2

        return jnp.mean(jax.lax.scan(step, jnp.zeros(units), (xs, ys))[1])

    return loss
