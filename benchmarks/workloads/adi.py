"""ADI heat equation: PolyBench's implicit steps along columns, then rows, by recurrences over slices."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"n": 162, "steps": 20}, {"n": 6, "steps": 2}, (0, 1, 2)


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
    """The adjoints of ``a`` and ``b``; ``m_bar`` is multiplied by ``m``."""
    a_bar = b_bar = 0.0
    for j in range(p.size - 2, 0, -1):
        pivot_bar = a * p_bar[j] * m[j] * m[j] - m_bar[j] * m[j]
        a_bar += pivot_bar * p[j - 1] - p_bar[j] * m[j]
        b_bar += pivot_bar
        p_bar[j - 1] += a * pivot_bar
    return a_bar, b_bar


@compiled
def recur(rows, c, first, last, step):
    """The recurrence ``x[j] = s[j] + c[j] * x[j - step]`` along each row, for four rows at a time."""
    count = rows.shape[0]
    for start in range(0, count - 3, 4):
        r0, r1, r2, r3 = rows[start], rows[start + 1], rows[start + 2], rows[start + 3]
        x0, x1, x2, x3 = r0[first - step], r1[first - step], r2[first - step], r3[first - step]
        for j in range(first, last + step, step):
            x0, x1 = r0[j] + c[j] * x0, r1[j] + c[j] * x1
            x2, x3 = r2[j] + c[j] * x2, r3[j] + c[j] * x3
            r0[j], r1[j], r2[j], r3[j] = x0, x1, x2, x3
    for k in range(count - count % 4, count):
        row, x = rows[k], rows[k, first - step]
        for j in range(first, last + step, step):
            row[j] = x = row[j] + c[j] * x


# What is done to one row is a function of one-dimensional arrays, for which LLVM uses vectors.
@compiled
def column_rhs(u, before, out, here, beside, carried):
    for i in range(1, out.size - 1):
        out[i] = here * u[i] - beside * (u[i - 1] + u[i + 1]) - carried * before[i]


@compiled
def row_rhs(above, here, below, out, across, m):
    for j in range(1, out.size - 1):
        out[j] = m[j] * ((1.0 + 2.0 * across) * here[j] - across * (above[j] + below[j]))


@compiled
def add_multiple(source, out, c):
    for i in range(1, out.size - 1):
        out[i] += c * source[i]


@compiled
def column_sweep(u, v, across, along, p, m):
    n = p.size
    v[0], v[n - 1] = 1.0, 1.0
    for j in range(1, n - 1):
        column_rhs(u[j], v[j - 1], v[j], (1.0 + 2.0 * across) * m[j], across * m[j], along * m[j])
    for j in range(n - 2, 0, -1):
        add_multiple(v[j + 1], v[j], p[j])


@compiled
def row_sweep(v, u, across, along, p, m):
    n = p.size
    for i in range(1, n - 1):
        u[i, 0] = u[i, n - 1] = 1.0
        row_rhs(v[i - 1], v[i], v[i + 1], u[i], across, m)
    recur(u[1 : n - 1], -along * m, 1, n - 2, 1)
    recur(u[1 : n - 1], p, n - 2, 1, -1)


@compiled
def add_products(bar, u, p_bar):
    for j in range(1, bar.size - 1):
        p_bar[j] += bar[j] * u[j + 1]


@compiled
def pull_row(bar, u, above, here, below, p, m, m_bar):
    """``m_bar`` gets what is still to be divided by ``m``; two sums."""
    one = other = 0.0
    for j in range(1, bar.size - 1):
        m_bar[j] += bar[j] * (u[j] - p[j] * u[j + 1])
    for j in range(1, bar.size - 1):
        bar[j] *= m[j]
        one += bar[j] * (u[j - 1] - p[j - 1] * u[j])
        other += bar[j] * (2.0 * here[j] - above[j] - below[j])
    return one, other


@compiled
def pull_row_sweep(v, u, bar, across, along, p, m, p_bar, m_bar):
    """``bar``, that of the solution ``u``, becomes that of right-hand sides.

    Returns the adjoint of ``across``, and that of ``along`` but for what the factors have of it.
    """
    n = p.size
    before, after = np.zeros(n), np.zeros(n)
    before[1:], after[: n - 1] = p[: n - 1], -along * m[1:]
    bar[:, 0], bar[:, n - 1] = 0.0, 0.0
    recur(bar[1 : n - 1], before, 1, n - 2, 1)
    for i in range(1, n - 1):
        add_products(bar[i], u[i], p_bar)
    recur(bar[1 : n - 1], after, n - 2, 1, -1)
    across_bar = along_bar = 0.0
    for i in range(1, n - 1):
        one, other = pull_row(bar[i], u[i], v[i - 1], v[i], v[i + 1], p, m, m_bar)
        along_bar -= one
        across_bar += other
    return across_bar, along_bar


@compiled
def pull_substitution(before, after, bar, c):
    """The adjoint of a row of ``column_sweep``'s second loop."""
    total = 0.0
    for i in range(1, bar.size - 1):
        bar[i] += c * before[i]
        total += bar[i] * after[i]
    return total


@compiled
def pull_column(u, above, here, below, bar, bar_below, along, p_above, p, m):
    """The adjoint of a row of its first loop; three sums."""
    total = one = other = 0.0
    for i in range(1, u.size - 1):
        q_bar = bar[i] - along * bar_below[i]
        rhs_bar = m * q_bar
        total += q_bar * (here[i] - p * below[i])
        one += rhs_bar * (above[i] - p_above * here[i])
        other += rhs_bar * (2.0 * u[i] - u[i - 1] - u[i + 1])
        bar[i] = rhs_bar
    return total, one, other


@compiled
def pull_column_sweep(u, v, bar, across, along, p, m, p_bar, m_bar):
    """As for rows."""
    n = p.size
    bar[0], bar[n - 1] = 0.0, 0.0
    for j in range(1, n - 1):
        p_bar[j] += pull_substitution(bar[j - 1], v[j + 1], bar[j], p[j - 1])
    across_bar = along_bar = 0.0
    for j in range(n - 2, 0, -1):
        more = pull_column(u[j], v[j - 1], v[j], v[j + 1], bar[j], bar[j + 1], along, p[j - 1], p[j], m[j])
        m_bar[j] += more[0]
        along_bar -= more[1]
        across_bar += more[2]
    return across_bar, along_bar


@compiled
def hand(u, b1, b2, target, steps):
    """Keeps what each sweep solves; the factors are worked out once."""
    n = u.shape[0]
    states = np.empty((2 * steps + 1, n, n))
    states[0] = u
    ones, zeros = np.ones(n), np.zeros(n)
    bar, other_bar = np.empty((n, n)), np.zeros((n, n))
    a, b = -0.5 * b1 * n**2 / steps, 1.0 + b1 * n**2 / steps
    d, e = -0.5 * b2 * n**2 / steps, 1.0 + b2 * n**2 / steps
    p, m, p_bar, m_bar = np.zeros((2, n)), np.zeros((2, n)), np.zeros((2, n)), np.zeros((2, n))
    factors(a, b, p[0], m[0])
    factors(d, e, p[1], m[1])
    for t in range(0, 2 * steps, 2):
        column_sweep(states[t], states[t + 1], d, a, p[0], m[0])
        row_sweep(states[t + 1], states[t + 2], a, d, p[1], m[1])
    last = states[2 * steps]
    last[0], last[n - 1] = u[0], u[n - 1]
    value = a_bar = d_bar = 0.0
    for i in range(n):
        for j in range(n):
            misfit = last[i, j] - target[i, j]
            value += misfit * misfit
            bar[i, j] = 2.0 / n**2 * misfit
    top, bottom = bar[0].copy(), bar[n - 1].copy()
    bar[0], bar[n - 1] = 0.0, 0.0
    for t in range(2 * steps - 2, -1, -2):
        one, other = pull_row_sweep(states[t + 1], states[t + 2], bar, a, d, p[1], m[1], p_bar[1], m_bar[1])
        a_bar, d_bar = a_bar + one, d_bar + other
        for i in range(1, n - 1):
            row_rhs(bar[i - 1], bar[i], bar[i + 1], other_bar[i], a, ones)
        one, other = pull_column_sweep(
            states[t], states[t + 1], other_bar, d, a, p[0], m[0], p_bar[0], m_bar[0]
        )
        a_bar, d_bar = a_bar + other, d_bar + one
        for i in range(1, n - 1):
            column_rhs(other_bar[i], zeros, bar[i], 1.0 + 2.0 * d, d, 0.0)
    bar[1 : n - 1, 0], bar[1 : n - 1, n - 1] = -d * other_bar[1 : n - 1, 1], -d * other_bar[1 : n - 1, n - 2]
    bar[0], bar[n - 1] = top, bottom
    one, b_bar = pull_factors(a, p[0], m[0], p_bar[0], m_bar[0])
    other, e_bar = pull_factors(d, p[1], m[1], p_bar[1], m_bar[1])
    b1_bar = (b_bar - 0.5 * (a_bar + one)) * n**2 / steps
    return value / n**2, bar, b1_bar, (e_bar - 0.5 * (d_bar + other)) * n**2 / steps


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
