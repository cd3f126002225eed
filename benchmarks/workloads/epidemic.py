"""Epidemic on a network: infection along weighted edges, ``np.add.at``, rates of each node."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY, WRT = {"nodes": 400, "edges": 3200, "steps": 40}, {"nodes": 5, "edges": 9, "steps": 3}, (0, 1, 2)


def arguments(nodes, edges, steps):
    draw = np.random.default_rng(71)
    source, target = draw.integers(0, nodes, (2, edges))
    weight = draw.uniform(0.2, 1.0, edges)
    rates = draw.uniform(0.1, 0.3, nodes), draw.uniform(0.05, 0.15, nodes)
    return *rates, weight, source, target, draw.uniform(0.0, 0.05, (steps, nodes))


def primal(beta, gamma, weight, source, target, seen):
    healthy, ill = np.full(len(beta), 0.99), np.full(len(beta), 0.01)
    misfit = 0.0
    for t in range(len(seen)):
        pressure = np.zeros(len(beta))
        np.add.at(pressure, target, weight * ill[source])
        fallen = healthy * (1.0 - np.exp(-beta * pressure))
        healthy = healthy - fallen
        ill = ill + fallen - gamma * ill
        misfit += np.sum((fallen - seen[t]) ** 2)
    return misfit


@compiled
def hand(beta, gamma, weight, source, target, seen):
    """Keeps the ill, the healthy and the share that escapes; edges once forth and once back in each step."""
    n, steps, edges = beta.size, seen.shape[0], weight.size
    ill, healthy, escaped = np.empty((steps + 1, n)), np.empty((steps + 1, n)), np.empty((steps, n))
    pressures = np.zeros((steps, n))
    ill[0], healthy[0] = 0.01, 0.99
    value = 0.0
    for t in range(steps):
        pressure, now = pressures[t], ill[t]
        for e in range(edges):
            pressure[target[e]] += weight[e] * now[source[e]]
        was, after, next_ill, kept, there = healthy[t], healthy[t + 1], ill[t + 1], escaped[t], seen[t]
        for i in range(n):
            kept[i] = exp(-beta[i] * pressure[i])
            fallen = was[i] * (1.0 - kept[i])
            after[i] = was[i] - fallen
            next_ill[i] = now[i] + fallen - gamma[i] * now[i]
            miss = fallen - there[i]
            value += miss * miss
    beta_bar, gamma_bar, weight_bar = np.zeros(n), np.zeros(n), np.zeros(edges)
    ill_bar, healthy_bar, pull = np.zeros(n), np.zeros(n), np.empty(n)
    for t in range(steps - 1, -1, -1):
        was, now, kept, there, pressure = healthy[t], ill[t], escaped[t], seen[t], pressures[t]
        for i in range(n):
            fallen_bar = 2.0 * (was[i] * (1.0 - kept[i]) - there[i]) + ill_bar[i] - healthy_bar[i]
            gamma_bar[i] -= ill_bar[i] * now[i]
            ill_bar[i] *= 1.0 - gamma[i]
            healthy_bar[i] += fallen_bar * (1.0 - kept[i])
            slope = fallen_bar * was[i] * kept[i]
            beta_bar[i] += slope * pressure[i]
            pull[i] = slope * beta[i]
        for e in range(edges):
            there_bar, j = pull[target[e]], source[e]
            weight_bar[e] += there_bar * now[j]
            ill_bar[j] += there_bar * weight[e]
    return value, beta_bar, gamma_bar, weight_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(beta, gamma, weight, source, target, seen):
        def step(state, there):
            healthy, ill = state
            pressure = jnp.zeros_like(beta).at[target].add(weight * ill[source])
            fallen = healthy * (1.0 - jnp.exp(-beta * pressure))
            return (healthy - fallen, ill + fallen - gamma * ill), jnp.sum((fallen - there) ** 2)

        first = jnp.full(beta.shape, 0.99), jnp.full(beta.shape, 0.01)
        return jnp.sum(jax.lax.scan(step, first, seen)[1])

    return cost
