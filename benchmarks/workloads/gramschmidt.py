"""Gram-Schmidt, by columns: PolyBench's modified process, with products of columns and parts of rows."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"m": 220, "n": 180}, {"m": 5, "n": 4}, (0,)
PANEL = 32  # columns that are taken together, so that the rest is touched by products of matrices


def arguments(m, n):
    draw = np.random.default_rng(23)
    return draw.normal(size=(m, n)), draw.normal(size=(m, n)), draw.normal(size=(n, n))


def primal(a, q_weights, r_weights):
    a = a.copy()
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return np.sum(q_weights * q) + np.sum(r_weights * r)


@compiled
def forward_panel(columns, q, r, start, stop):
    """The process for the rows ``start`` to ``stop`` of ``q``, which are columns of the matrix."""
    m = q.shape[1]
    for k in range(start, stop):
        square = 0.0
        for i in range(m):
            square += columns[k, i] * columns[k, i]
        r[k, k] = np.sqrt(square)
        for i in range(m):
            q[k, i] = columns[k, i] / r[k, k]
        for j in range(k + 1, stop):
            part = 0.0
            for i in range(m):
                part += q[k, i] * columns[j, i]
            r[k, j] = part
            for i in range(m):
                columns[j, i] -= part * q[k, i]


@compiled
def pull_panel(columns, bars, q, q_bars, r, r_bars, start, stop):
    """The adjoint of ``forward_panel``; ``columns`` go back to what they were before it."""
    m = q.shape[1]
    for k in range(stop - 1, start - 1, -1):
        for j in range(k + 1, stop):
            part, part_bar = r[k, j], r_bars[k, j]
            for i in range(m):
                part_bar -= q[k, i] * bars[j, i]
            for i in range(m):
                columns[j, i] += part * q[k, i]
                q_bars[k, i] += part_bar * columns[j, i] - part * bars[j, i]
                bars[j, i] += part_bar * q[k, i]
        along = 0.0
        for i in range(m):
            along += q[k, i] * q_bars[k, i]
        inverse = 1.0 / r[k, k]
        along = r_bars[k, k] - along * inverse
        for i in range(m):
            bars[k, i] = inverse * q_bars[k, i] + along * q[k, i]


@compiled
def pull_rest(rest, bars, q, q_bar, r, r_bar):
    """The adjoint of what a panel ``q`` takes from the columns behind it, which ``rest`` has afterwards.

    Within a panel each column takes its part from what those before it have left, hence the triangle.
    """
    part = np.ascontiguousarray(r)
    part_bar = r_bar - np.dot(q, bars.T)
    both = np.dot(part_bar, part.T)
    for k in range(q.shape[0]):
        for i in range(k):
            both[k, i] = 0.0
        for i in range(k + 1, q.shape[0]):
            both[k, i] -= both[i, k]
    q_bar += np.dot(part_bar, rest)
    q_bar -= np.dot(part, bars)
    q_bar += np.dot(both, q)
    bars += np.dot(part_bar.T, q)


@compiled
def hand(a, q_weights, r_weights):
    """Columns are kept as rows, and so is what each panel leaves of the columns behind it."""
    m, n = a.shape
    panels = (n + PANEL - 1) // PANEL
    rests = np.empty((panels + 1, n, m))
    q, r = np.empty((n, m)), np.zeros((n, n))
    rests[0] = a.T
    for p in range(panels):
        start, stop = p * PANEL, min(n, (p + 1) * PANEL)
        forward_panel(rests[p], q, r, start, stop)
        part = np.dot(q[start:stop], rests[p, stop:].T)
        r[start:stop, stop:] = part
        np.dot(part.T, q[start:stop], rests[p + 1, stop:])
        for j in range(stop, n):
            for i in range(m):
                rests[p + 1, j, i] = rests[p, j, i] - rests[p + 1, j, i]
    value = 0.0
    q_bar, bars = q_weights.T.copy(), np.zeros((n, m))
    for k in range(n):
        for i in range(m):
            value += q_bar[k, i] * q[k, i]
        for j in range(k, n):
            value += r_weights[k, j] * r[k, j]
    for p in range(panels - 1, -1, -1):
        start, stop = p * PANEL, min(n, (p + 1) * PANEL)
        part, part_bar = r[start:stop, stop:], r_weights[start:stop, stop:]
        pull_rest(rests[p + 1, stop:], bars[stop:], q[start:stop], q_bar[start:stop], part, part_bar)
        pull_panel(rests[p], bars, q, q_bar, r, r_weights, start, stop)
    return value, bars.T


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(a, q_weights, r_weights):
        columns = jnp.arange(a.shape[1])

        def body(a, k):
            column = jax.lax.dynamic_index_in_dim(a, k, 1, keepdims=False)
            norm = jnp.sqrt(jnp.dot(column, column))
            q = column / norm
            r = jnp.where(columns > k, q @ a, 0.0)
            return a - jnp.outer(q, r), (q, jnp.where(columns == k, norm, r))

        _, (q, r) = jax.lax.scan(body, a, columns)
        return jnp.sum(q_weights * q.T) + jnp.sum(r_weights * r)

    return cost
