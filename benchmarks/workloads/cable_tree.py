"""Neuron as a tree of cables: implicit steps, Hines elimination from the leaves to the root, sodium gates."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY, WRT = {"compartments": 80, "steps": 200}, {"compartments": 7, "steps": 4}, (0, 1, 2, 3)


def arguments(compartments, steps):
    draw = np.random.default_rng(94)
    parent = np.array([0] + [draw.integers(max(0, i - 4), i) for i in range(1, compartments)])
    current = np.where(np.arange(steps) % 50 < 25, 12.0, 0.0)
    axial, leak = draw.uniform(0.5, 2.0, compartments), draw.uniform(0.05, 0.15, compartments)
    seen = draw.uniform(-70.0, -20.0, (steps, 2))
    return axial, leak, draw.uniform(0.1, 0.6, compartments), 1.0, parent, current, seen, 0.1


def primal(axial, leak, sodium, capacity, parent, current, seen, dt):
    n = len(parent)
    v, m = np.full(n, -65.0), np.full(n, 0.05)
    misfit = 0.0
    for t in range(len(current)):
        opened = 1.0 / (1.0 + np.exp(-(v + 40.0) / 9.0))
        m = m + dt * (opened - m) / 0.5
        active = sodium * m**3
        diagonal = capacity / dt + leak + active
        right = capacity / dt * v - 65.0 * leak + 50.0 * active
        right[0] += current[t]
        for i in range(1, n):
            diagonal[i] += axial[i]
            diagonal[parent[i]] += axial[i]
        for i in range(n - 1, 0, -1):
            factor = axial[i] / diagonal[i]
            diagonal[parent[i]] -= factor * axial[i]
            right[parent[i]] += factor * right[i]
        v = np.zeros(n)
        v[0] = right[0] / diagonal[0]
        for i in range(1, n):
            v[i] = (right[i] + axial[i] * v[parent[i]]) / diagonal[i]
        misfit += (v[0] - seen[t, 0]) ** 2 + (v[n - 1] - seen[t, 1]) ** 2
    return misfit


@compiled
def hand(axial, leak, sodium, capacity, parent, current, seen, dt):
    """The matrix is symmetric: its kept factors solve for the cotangents too."""
    n, steps = parent.size, current.size
    volts, gates, opened = np.empty((steps + 1, n)), np.empty((steps + 1, n)), np.empty((steps, n))
    pivots, right, value, still = np.empty((steps, n)), np.empty(n), 0.0, np.zeros(n)
    for i in range(n):
        volts[0, i], gates[0, i] = -65.0, 0.05
    for i in range(1, n):
        still[i] += axial[i]
        still[parent[i]] += axial[i]
    for t in range(steps):
        v, m, new, gate, share, pivot = volts[t], gates[t], volts[t + 1], gates[t + 1], opened[t], pivots[t]
        for i in range(n):
            share[i] = 1.0 / (1.0 + exp(-(v[i] + 40.0) / 9.0))
            gate[i] = m[i] + dt * (share[i] - m[i]) / 0.5
            active = sodium[i] * gate[i] * gate[i] * gate[i]
            pivot[i] = capacity / dt + leak[i] + active + still[i]
            right[i] = capacity / dt * v[i] - 65.0 * leak[i] + 50.0 * active
        right[0] += current[t]
        for i in range(n - 1, 0, -1):
            p, inverse = parent[i], 1.0 / pivot[i]
            factor = axial[i] * inverse
            pivot[i] = inverse
            pivot[p] -= factor * axial[i]
            right[p] += factor * right[i]
        pivot[0] = 1.0 / pivot[0]
        new[0] = right[0] * pivot[0]
        for i in range(1, n):
            new[i] = (right[i] + axial[i] * new[parent[i]]) * pivot[i]
        first, second = new[0] - seen[t, 0], new[n - 1] - seen[t, 1]
        value += first * first + second * second
    axial_bar, leak_bar, sodium_bar, capacity_bar = np.zeros(n), np.zeros(n), np.zeros(n), 0.0
    v_bar, m_bar, solved = np.zeros(n), np.zeros(n), np.empty(n)
    for t in range(steps - 1, -1, -1):
        v, gate, new, share, pivot = volts[t], gates[t + 1], volts[t + 1], opened[t], pivots[t]
        v_bar[0] += 2.0 * (new[0] - seen[t, 0])
        v_bar[n - 1] += 2.0 * (new[n - 1] - seen[t, 1])
        for i in range(n - 1, 0, -1):
            v_bar[parent[i]] += axial[i] * pivot[i] * v_bar[i]
        solved[0] = v_bar[0] * pivot[0]
        for i in range(1, n):
            p = parent[i]
            solved[i] = (v_bar[i] + axial[i] * solved[p]) * pivot[i]
            axial_bar[i] -= (solved[i] - solved[p]) * (new[i] - new[p])
        change = 0.0
        for i in range(n):
            w = solved[i]
            change += w * (v[i] - new[i])
            leak_bar[i] += w * (-65.0 - new[i])
            active_bar = w * (50.0 - new[i])
            square = gate[i] * gate[i]
            sodium_bar[i] += active_bar * square * gate[i]
            gate_bar = m_bar[i] + 3.0 * active_bar * sodium[i] * square
            m_bar[i] = gate_bar * (1.0 - dt / 0.5)
            v_bar[i] = w * capacity / dt + gate_bar * dt / 0.5 * share[i] * (1.0 - share[i]) / 9.0
        capacity_bar += change / dt
    return value, axial_bar, leak_bar, sodium_bar, capacity_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(axial, leak, sodium, capacity, parent, current, seen, dt):
        n = len(parent)
        axial = axial.at[0].set(0.0)
        still = axial.at[parent].add(axial)

        def solved(diagonal, right):
            def up(state, i):
                diagonal, right = state
                factor = axial[i] / diagonal[i]
                diagonal = diagonal.at[parent[i]].add(-factor * axial[i])
                return (diagonal, right.at[parent[i]].add(factor * right[i])), None

            (diagonal, right), _ = jax.lax.scan(up, (diagonal, right), jnp.arange(n - 1, 0, -1))

            def down(v, i):
                return v.at[i].set((right[i] + axial[i] * v[parent[i]]) / diagonal[i]), None

            first = jnp.zeros(n).at[0].set(right[0] / diagonal[0])
            return jax.lax.scan(down, first, jnp.arange(1, n))[0]

        def matrix(diagonal, v):
            moved = axial * (v[parent])
            return diagonal * v - moved - jnp.zeros(n).at[parent].add(axial * v)

        def step(state, given):
            v, m = state
            m = m + dt * (1.0 / (1.0 + jnp.exp(-(v + 40.0) / 9.0)) - m) / 0.5
            active = sodium * m**3
            diagonal = capacity / dt + leak + active + still
            right = capacity / dt * v - 65.0 * leak + 50.0 * active
            right = right.at[0].add(given[0])
            v = jax.lax.custom_linear_solve(
                lambda u: matrix(diagonal, u), right, lambda _, b: solved(diagonal, b), symmetric=True
            )
            return (v, m), (v[0] - given[1]) ** 2 + (v[n - 1] - given[2]) ** 2

        given = jnp.concatenate([current[:, None], seen], axis=1)
        return jnp.sum(jax.lax.scan(step, (jnp.full(n, -65.0), jnp.full(n, 0.05)), given)[1])

    return cost
