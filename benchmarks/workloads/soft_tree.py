"""A soft decision tree: a function that calls itself at both children, for a batch of samples."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, WRT = {"samples": 1000, "features": 8, "depth": 5}, (0, 1, 2)
TINY = {"samples": 4, "features": 3, "depth": 2}


def arguments(samples, features, depth):
    draw = np.random.default_rng(93)
    return (
        draw.normal(size=(2**depth - 1, features)),
        draw.normal(size=2**depth - 1),
        draw.normal(size=2**depth),
        draw.normal(size=(samples, features)),
        draw.normal(size=samples),
    )


def primal(weights, bias, leaves, x, y):
    def below(node):
        if node >= len(bias):
            return leaves[node - len(bias)]
        right = 1.0 / (1.0 + np.exp(-(x @ weights[node] + bias[node])))
        return (1.0 - right) * below(2 * node + 1) + right * below(2 * node + 2)

    return np.mean((below(0) - y) ** 2)


@compiled
def hand(weights, bias, leaves, x, y):
    """Blocks of 100 samples, on the inner axis; a node's value for all of them is a row."""
    n, features, nodes, size = x.shape[0], x.shape[1], bias.size, 100
    weights_bar, bias_bar, leaves_bar = np.zeros(weights.shape), np.zeros(nodes), np.zeros(leaves.size)
    columns, shares = np.empty((features, size)), np.empty((nodes, size))
    values, bars = np.empty((2 * nodes + 1, size)), np.empty((2 * nodes + 1, size))
    value = 0.0
    for k in range(leaves.size):
        values[nodes + k] = leaves[k]
    for begin in range(0, n, size):
        m = min(size, n - begin)
        for f in range(features):
            for i in range(m):
                columns[f, i] = x[begin + i, f]
        for node in range(nodes - 1, -1, -1):
            share, w = shares[node], weights[node]
            for i in range(m):
                share[i] = -bias[node]
            for f in range(features):
                column, c = columns[f], w[f]
                for i in range(m):
                    share[i] -= column[i] * c
            here, left, right = values[node], values[2 * node + 1], values[2 * node + 2]
            for i in range(m):
                s = 1.0 / (1.0 + exp(share[i]))
                share[i] = s
                here[i] = left[i] + s * (right[i] - left[i])
        top = bars[0]
        for i in range(m):
            miss = values[0, i] - y[begin + i]
            value += miss * miss
            top[i] = 2.0 * miss / n
        for node in range(nodes):
            share, bar = shares[node], bars[node]
            left, right = values[2 * node + 1], values[2 * node + 2]
            left_bar, right_bar, total = bars[2 * node + 1], bars[2 * node + 2], 0.0
            for i in range(m):
                s, g = share[i], bar[i]
                left_bar[i], right_bar[i] = (1.0 - s) * g, s * g
                moved = (right[i] - left[i]) * s * (1.0 - s) * g
                share[i] = moved
                total += moved
            bias_bar[node] += total
            for f in range(features):
                column, part = columns[f], 0.0
                for i in range(m):
                    part += column[i] * share[i]
                weights_bar[node, f] += part
        for k in range(leaves.size):
            part, row = 0.0, bars[nodes + k]
            for i in range(m):
                part += row[i]
            leaves_bar[k] += part
    return value / n, weights_bar, bias_bar, leaves_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(weights, bias, leaves, x, y):
        nodes = bias.shape[0]
        right = jax.nn.sigmoid(x @ weights.T + bias)
        values = jnp.broadcast_to(leaves, (x.shape[0], nodes + 1))
        while nodes > 0:
            first = nodes // 2
            share = right[:, first:nodes]
            values = (1.0 - share) * values[:, 0::2] + share * values[:, 1::2]
            nodes = first
        return jnp.mean((values[:, 0] - y) ** 2)

    return cost
