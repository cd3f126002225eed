"""LSTM, a sequence: gates of a recurrent cell, with products of small matrices in the loop."""

import numpy as np

SIZE, TINY, WRT = {"length": 100, "n": 16, "inputs": 8}, {"length": 3, "n": 2, "inputs": 2}, (0, 1, 2)


def arguments(length, n, inputs):
    draw = np.random.default_rng(11)
    w, u = draw.normal(size=(4, n, inputs)) / inputs**0.5, draw.normal(size=(4, n, n)) / n**0.5
    return w, u, 0.1 * draw.normal(size=(4, n)), draw.normal(size=(length, inputs))


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def primal(w, u, b, xs):
    h, c = np.zeros(w.shape[1]), np.zeros(w.shape[1])
    cost = 0.0
    for x in xs:
        forget = sigmoid(w[0] @ x + u[0] @ h + b[0])
        take = sigmoid(w[1] @ x + u[1] @ h + b[1])
        give = sigmoid(w[2] @ x + u[2] @ h + b[2])
        c = forget * c + take * np.tanh(w[3] @ x + u[3] @ h + b[3])
        h = give * np.tanh(c)
        cost += np.sum(h**2)
    return cost


def cell(np, w, u, b, x, h, c):
    z = w @ x + u @ h + b
    gates = 1.0 / (1.0 + np.exp(-z[:3]))
    c = gates[0] * c + gates[1] * np.tanh(z[3])
    return gates[2] * np.tanh(c), c


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(w, u, b, xs):
        def body(state, x):
            h, c = cell(jnp, w, u, b, x, *state)
            return (h, c), jnp.sum(h**2)

        start = jnp.zeros(w.shape[1]), jnp.zeros(w.shape[1])
        return jnp.sum(jax.lax.scan(body, start, xs)[1])

    return cost


def generic(np):
    def cost(w, u, b, xs):
        h = c = 0.0 * b[0]
        total = 0.0
        for x in xs:
            h, c = cell(np, w, u, b, x, h, c)
            total = total + np.sum(h**2)
        return total

    return cost
