"""ADI heat equation: PolyBench's implicit steps along columns, then rows, by recurrences over slices."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"n": 162, "steps": 20}, {"n": 6, "steps": 2}, (0, 1, 2)
WIDTH = 8  # lines that are solved together, side by side in vectors


def arguments(n, steps):
    draw = np.random.default_rng(33)
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    return (i + n - j) / n + 0.1 * draw.normal(size=(n, n)), 0.02, 0.01, draw.uniform(size=(n, n)), steps


def primal(u, b1, b2, target, steps):
    n = u.shape[0]
    u, v, p, q = u.copy(), np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    mul1, mul2 = b1 * n**2 / steps, b2 * n**2 / steps
    a, b, c = -0.5 * mul1, 1.0 + mul1, -0.5 * mul1
    d, e, f = -0.5 * mul2, 1.0 + mul2, -0.5 * mul2
    for _ in range(steps):
        # column sweep
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -c / (a * p[1:-1, j - 1] + b)
            rhs = -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - f * u[j, 2:]
            q[1:-1, j] = (rhs - a * q[1:-1, j - 1]) / (a * p[1:-1, j - 1] + b)
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        # row sweep
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -f / (d * p[1:-1, j - 1] + e)
            rhs = -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - c * v[2:, j]
            q[1:-1, j] = (rhs - d * q[1:-1, j - 1]) / (d * p[1:-1, j - 1] + e)
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return np.mean((u - target) ** 2)


@compiled
def factors(a, b, p, m):
    """Of the elimination, which are the same for all lines: ``p`` and the reciprocals of pivots."""
    p[0] = 0.0
    for j in range(1, p.size - 1):
        m[j] = 1.0 / (a * p[j - 1] + b)
        p[j] = -a * m[j]


@compiled
def pull_factors(a, p, m, p_bar, m_bar):
    """The adjoints of ``a`` and ``b``."""
    a_bar = b_bar = 0.0
    for j in range(p.size - 2, 0, -1):
        m_bar[j] -= a * p_bar[j]
        pivot_bar = -m_bar[j] * m[j] * m[j]
        a_bar += pivot_bar * p[j - 1] - p_bar[j] * m[j]
        b_bar += pivot_bar
        p_bar[j - 1] += a * pivot_bar
    return a_bar, b_bar


@compiled
def sweep(source, target, across, along, p, m, panels):
    """Solves along the first axis of ``source``; the solution is written in panels, and transposed."""
    n = p.size
    for panel in range(panels.shape[0]):
        lines, start = panels[panel], panel * WIDTH
        for i in range(WIDTH):
            lines[0, i] = lines[n - 1, i] = 1.0
        for j in range(1, n - 1):
            here, beside, carried = (1.0 + 2.0 * across) * m[j], across * m[j], along * m[j]
            for i in range(WIDTH):
                neighbours = source[j, start + i] + source[j, start + i + 2]
                lines[j, i] = (
                    here * source[j, start + i + 1] - beside * neighbours - carried * lines[j - 1, i]
                )
        for j in range(n - 2, 0, -1):
            for i in range(WIDTH):
                lines[j, i] += p[j] * lines[j + 1, i]
        for j in range(n):
            for i in range(WIDTH):
                target[start + i + 1, j] = lines[j, i]


@compiled
def pull_sweep(source, panels, bar, result, across, along, p, m, lines, p_bar, m_bar):
    """``bar`` is the adjoint of the transposed solution, ``result`` that of right-hand sides.

    Returns the adjoint of ``across``, and that of ``along`` but for what the factors have of it.
    """
    n = p.size
    across_bar = along_bar = 0.0
    for panel in range(panels.shape[0]):
        solution, start = panels[panel], panel * WIDTH
        for j in range(1, n - 1):
            for i in range(WIDTH):
                lines[j, i] = bar[start + i + 1, j]
        for i in range(WIDTH):
            lines[0, i] = lines[n - 1, i] = 0.0
        for j in range(1, n - 1):
            total = 0.0
            for i in range(WIDTH):
                lines[j, i] += p[j - 1] * lines[j - 1, i]
                total += lines[j, i] * solution[j + 1, i]
            p_bar[j] += total
        for j in range(n - 2, 0, -1):
            total = one = other = 0.0
            for i in range(WIDTH):
                q_bar = lines[j, i] - along * lines[j + 1, i]
                total += q_bar * (solution[j, i] - p[j] * solution[j + 1, i])
                lines[j, i] = rhs_bar = m[j] * q_bar
                one -= rhs_bar * (solution[j - 1, i] - p[j - 1] * solution[j, i])
                bend = 2.0 * source[j, start + i + 1] - source[j, start + i] - source[j, start + i + 2]
                other += rhs_bar * bend
                result[j, start + i + 1] = rhs_bar
            m_bar[j] += total / m[j]
            along_bar += one
            across_bar += other
    return across_bar, along_bar


@compiled
def spread(bar, n, across, target):
    """From the adjoint of right-hand sides to that of the source, inside of the border."""
    for j in range(1, n - 1):
        for i in range(1, n - 1):
            target[j, i] = (1.0 + 2.0 * across) * bar[j, i] - across * (bar[j, i - 1] + bar[j, i + 1])


@compiled
def hand(u, b1, b2, target, steps):
    """Keeps what each sweep solves, in panels and transposed; the factors are worked out once.

    Arrays have room for whole panels: what is right of the last column has no part in the gradient.
    """
    n = u.shape[0]
    count = (n - 2 + WIDTH - 1) // WIDTH
    size = count * WIDTH + 2
    states, panels = np.empty((2 * steps + 1, size, size)), np.empty((2 * steps, count, n, WIDTH))
    states[:, :, n:] = 0.0
    states[0, :n, :n] = u
    lines, bar, rhs_bar = np.empty((n, WIDTH)), np.zeros((size, size)), np.zeros((size, size))
    a, b, d, e = (
        -0.5 * b1 * n**2 / steps,
        1.0 + b1 * n**2 / steps,
        -0.5 * b2 * n**2 / steps,
        1.0 + b2 * n**2 / steps,
    )
    p, m, p_bar, m_bar = np.zeros((2, n)), np.zeros((2, n)), np.zeros((2, n)), np.zeros((2, n))
    factors(a, b, p[0], m[0])
    factors(d, e, p[1], m[1])
    for t in range(0, 2 * steps, 2):
        sweep(states[t], states[t + 1], d, a, p[0], m[0], panels[t])
        sweep(states[t + 1], states[t + 2], a, d, p[1], m[1], panels[t + 1])
    last = states[2 * steps]
    last[0, :n], last[n - 1, :n] = u[0], u[n - 1]
    value = a_bar = d_bar = 0.0
    for i in range(n):
        for j in range(n):
            misfit = last[i, j] - target[i, j]
            value += misfit * misfit
            bar[i, j] = 2.0 / n**2 * misfit
    top, bottom = bar[0, :n].copy(), bar[n - 1, :n].copy()
    bar[n - 1] = 0.0
    for t in range(2 * steps - 2, -1, -2):
        one, other = pull_sweep(
            states[t + 1], panels[t + 1], bar, rhs_bar, a, d, p[1], m[1], lines, p_bar[1], m_bar[1]
        )
        a_bar, d_bar = a_bar + one, d_bar + other
        spread(rhs_bar, n, a, bar)
        one, other = pull_sweep(
            states[t], panels[t], bar, rhs_bar, d, a, p[0], m[0], lines, p_bar[0], m_bar[0]
        )
        a_bar, d_bar = a_bar + other, d_bar + one
        spread(rhs_bar, n, d, bar)
    bar[1 : n - 1, 0], bar[1 : n - 1, n - 1] = -d * rhs_bar[1 : n - 1, 1], -d * rhs_bar[1 : n - 1, n - 2]
    bar[0, :n], bar[n - 1, :n] = top, bottom
    one, b_bar = pull_factors(a, p[0], m[0], p_bar[0], m_bar[0])
    other, e_bar = pull_factors(d, p[1], m[1], p_bar[1], m_bar[1])
    b1_bar = (b_bar - 0.5 * (a_bar + one)) * n**2 / steps
    return value / n**2, bar[:n, :n].copy(), b1_bar, (e_bar - 0.5 * (d_bar + other)) * n**2 / steps


def jax_version():
    import jax
    import jax.numpy as jnp

    def sweep(source, across, along):
        """Solves along the first axis; what is on the border is one, and is not returned."""
        rhs = (1.0 + 2.0 * across) * source[:, 1:-1] - across * (source[:, :-2] + source[:, 2:])

        def eliminate(state, row):
            p, q = state
            pivot = along * p + 1.0 - 2.0 * along
            state = -along / pivot, (row - along * q) / pivot
            return state, state

        def substitute(after, factors):
            x = factors[0] * after + factors[1]
            return x, x

        ones = jnp.ones(rhs.shape[1])
        _, both = jax.lax.scan(eliminate, (jnp.zeros(()), ones), rhs[1:-1])
        return jax.lax.scan(substitute, ones, both, reverse=True)[1]

    def cost(u, b1, b2, target, steps):
        n = u.shape[0]
        along_columns, along_rows = -0.5 * b1 * n**2 / steps, -0.5 * b2 * n**2 / steps

        def body(u, _):
            v = jnp.pad(sweep(u, along_rows, along_columns), 1, constant_values=1.0)
            inner = sweep(v.T, along_columns, along_rows).T
            inner = jnp.pad(inner, ((0, 0), (1, 1)), constant_values=1.0)
            return jnp.concatenate([u[:1], inner, u[-1:]]), None

        u, _ = jax.lax.scan(body, u, None, steps)
        return jnp.mean((u - target) ** 2)

    return cost
