"""LSTM: the Hessian times a vector of a sequence's loss in all weights, which lie in one vector."""

import numpy as np

KIND, SIZE, TINY = "hvp", {"steps": 30, "units": 12, "inputs": 3}, {"steps": 3, "units": 2, "inputs": 2}


def arguments(steps, units, inputs):
    draw = np.random.default_rng(0)
    size = 4 * units * (units + inputs + 1) + units + 1
    w = 0.3 * draw.normal(size=size)
    return w, draw.normal(size=(steps, inputs)), draw.normal(size=steps), units, draw.normal(size=size)


def sigmoid(x):
    return 0.5 * (np.tanh(0.5 * x) + 1.0)


def primal(w, xs, ys, units):
    inputs = xs.shape[1]
    cut = 4 * units * (units + inputs)
    gates = w[:cut].reshape(4 * units, units + inputs)
    bias = w[cut : cut + 4 * units]
    read = w[cut + 4 * units :]
    h, c = np.zeros(units), np.zeros(units)
    loss = 0.0
    for t in range(len(xs)):
        a = gates @ np.concatenate((h, xs[t])) + bias
        take, keep = sigmoid(a[:units]), sigmoid(a[units : 2 * units])
        show, new = sigmoid(a[2 * units : 3 * units]), np.tanh(a[3 * units :])
        c = keep * c + take * new
        h = show * np.tanh(c)
        loss += (read[:units] @ h + read[units] - ys[t]) ** 2
    return loss / len(xs)


def jax_version():
    import jax
    import jax.numpy as jnp

    def loss(w, xs, ys, units):
        inputs = xs.shape[1]
        cut = 4 * units * (units + inputs)
        gates, bias = w[:cut].reshape(4 * units, units + inputs), w[cut : cut + 4 * units]
        read = w[cut + 4 * units :]

        def step(state, row):
            (h, c), (x, y) = state, row
            take, keep, show, new = jnp.split(gates @ jnp.concatenate((h, x)) + bias, 4)
            c = jax.nn.sigmoid(keep) * c + jax.nn.sigmoid(take) * jnp.tanh(new)
            h = jax.nn.sigmoid(show) * jnp.tanh(c)
            return (h, c), (read[:units] @ h + read[units] - y) ** 2

        start = jnp.zeros(units), jnp.zeros(units)
        return jnp.mean(jax.lax.scan(step, start, (xs, ys))[1])

    return loss
