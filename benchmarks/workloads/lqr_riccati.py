"""LQR, Riccati: gains by a recursion backwards in time with small solves, then a rollout with noise."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY = {"n": 6, "m": 3, "steps": 800}, {"n": 4, "m": 2, "steps": 5}
WRT = (0, 1, 2, 3)
N, M = 8, 4  # rows and columns in the gradient by hand: whole vectors, zeros past the last state or input


def arguments(n, m, steps):
    draw = np.random.default_rng(34)
    a, b = np.eye(n) + 0.1 * draw.normal(size=(n, n)), 0.3 * draw.normal(size=(n, m))
    return a, b, draw.uniform(0.5, 2.0, n), draw.normal(size=n), 0.1 * draw.normal(size=(steps, n))


def gains(a, b, q, r, steps):
    p, found = q, []
    for _ in range(steps):
        k = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        p = q + a.T @ p @ (a - b @ k)
        found.append(k)
    return found[::-1]


def primal(a, b, q_diagonal, start, noise):
    """What a closed loop costs by fixed weights, for tuning those that the controller is designed by."""
    q, r = np.diag(q_diagonal), 0.1 * np.eye(b.shape[1])
    x, cost = start, 0.0
    for k, w in zip(gains(a, b, q, r, len(noise)), noise, strict=True):
        u = -k @ x
        cost += x @ x + 0.01 * (u @ u)
        x = a @ x + b @ u + w
    return (cost + x @ x) / len(noise)


@compiled
def product(x, y, out, rows):
    """Of matrices in rows of eight; the second one has eight rows."""
    for i in range(rows):
        k = N * i
        a, b, c, d, e, f, g, h = x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7]
        for j in range(N):
            one = a * y[j] + b * y[N + j] + c * y[2 * N + j] + d * y[3 * N + j]
            other = e * y[4 * N + j] + f * y[5 * N + j] + g * y[6 * N + j] + h * y[7 * N + j]
            out[k + j] = one + other


@compiled
def transposed_product(x, y, out, rows):
    """The transpose of the first matrix, which has eight rows, times the second."""
    for i in range(rows):
        a, b, c, d = x[i], x[N + i], x[2 * N + i], x[3 * N + i]
        e, f, g, h = x[4 * N + i], x[5 * N + i], x[6 * N + i], x[7 * N + i]
        for j in range(N):
            one = a * y[j] + b * y[N + j] + c * y[2 * N + j] + d * y[3 * N + j]
            other = e * y[4 * N + j] + f * y[5 * N + j] + g * y[6 * N + j] + h * y[7 * N + j]
            out[N * i + j] = one + other


@compiled
def subtract_product(x, y, out, rows):
    """Subtracts the transpose of the first matrix, which has four rows, times the second."""
    for i in range(rows):
        a, b, c, d = x[i], x[N + i], x[2 * N + i], x[3 * N + i]
        for j in range(N):
            out[N * i + j] -= a * y[j] + b * y[N + j] + c * y[2 * N + j] + d * y[3 * N + j]


@compiled
def applied(x, v, out):
    """The transpose of a matrix of eight rows, times a vector."""
    for j in range(N):
        one = x[j] * v[0] + x[N + j] * v[1] + x[2 * N + j] * v[2] + x[3 * N + j] * v[3]
        other = x[4 * N + j] * v[4] + x[5 * N + j] * v[5] + x[6 * N + j] * v[6] + x[7 * N + j] * v[7]
        out[j] = one + other


@compiled
def dot(x, start, v):
    total = 0.0
    for j in range(N):
        total += x[start + j] * v[j]
    return total


@compiled
def factored(g, m):
    """Replaces a symmetric matrix by its Cholesky factor, with reciprocals on the diagonal."""
    for i in range(m):
        for j in range(i + 1):
            total = g[i, j]
            for k in range(j):
                total -= g[i, k] * g[j, k]
            g[i, j] = 1.0 / np.sqrt(total) if i == j else total * g[j, j]


@compiled
def solve(g, m, x, width):
    """Replaces the rows of ``x``, so wide, by the solution."""
    for i in range(m):
        for k in range(i):
            for j in range(width):
                x[i * width + j] -= g[i, k] * x[k * width + j]
        for j in range(width):
            x[i * width + j] *= g[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            for j in range(width):
                x[i * width + j] -= g[k, i] * x[k * width + j]
        for j in range(width):
            x[i * width + j] *= g[i, i]


@compiled
def riccati(a, bt, q, ps, ks, gs, n, m):
    """The recursion, which keeps what it has found."""
    w, closed, pc = np.zeros(M * N), np.zeros(N * N), np.zeros(N * N)
    for t in range(ks.shape[0]):
        p, g, k = ps[t], gs[t], ks[t]
        product(bt, p, w, m)
        for i in range(m):
            for j in range(i + 1):
                g[i, j] = dot(w, N * i, bt[N * j : N * j + N]) + (0.1 if i == j else 0.0)
        product(w, a, k, m)
        factored(g, m)
        solve(g, m, k, N)
        closed[:] = a
        subtract_product(bt, k, closed, n)
        product(p, closed, pc, n)
        transposed_product(a, pc, ps[t + 1], n)
        for i in range(n):
            ps[t + 1, N * i + i] += q[i]
            for j in range(i):  # what is not symmetric would grow
                ps[t + 1, N * j + i] = ps[t + 1, N * i + j]


@compiled
def roll(at, bt, ks, noise, xs, us, m):
    """The closed loop, and its cost; the last gain comes first."""
    n, steps = noise.shape[1], ks.shape[0]
    cost = 0.0
    for s in range(steps):
        x, u, after, k = xs[s], us[s], xs[s + 1], ks[steps - 1 - s]
        applied(at, x, after)
        for i in range(m):
            u[i] = -dot(k, N * i, x)
            cost += 0.01 * u[i] * u[i]
            for j in range(N):
                after[j] += u[i] * bt[N * i + j]
        cost += dot(x, 0, x)
        for j in range(n):
            after[j] += noise[s, j]
    return cost + dot(xs[steps], 0, xs[steps])


@compiled
def pull_roll(a, bt, ks, xs, us, u_bars, at_bar, bt_bar, m):
    """Returns the adjoint of the first state; keeps those of the inputs."""
    steps = ks.shape[0]
    bar, before = 2.0 * xs[steps], np.zeros(N)
    for s in range(steps - 1, -1, -1):
        x, u, u_bar, k = xs[s], us[s], u_bars[s], ks[steps - 1 - s]
        applied(a, bar, before)
        for j in range(N):
            before[j] += 2.0 * x[j]
        for i in range(m):
            u_bar[i] = 0.02 * u[i] + dot(bt, N * i, bar)
            for j in range(N):
                before[j] -= u_bar[i] * k[N * i + j]
                bt_bar[N * i + j] += u[i] * bar[j]
        for i in range(N):
            for j in range(N):
                at_bar[N * i + j] += x[i] * bar[j]
        bar, before = before, bar
    return bar


@compiled
def pull_gain(bt, p, x, u, closed, force, at_bar, bt_bar, s_bar, work, m):
    """What the adjoint of a gain adds, a matrix of rank one; ``force`` is the solution for the input's."""
    pushed, p_pushed, p_closed = work
    for j in range(N):
        pushed[j] = (
            bt[j] * force[0] + bt[N + j] * force[1] + bt[2 * N + j] * force[2] + bt[3 * N + j] * force[3]
        )
    applied(p, pushed, p_pushed)
    applied(p, closed, p_closed)
    for i in range(m):
        for j in range(N):
            bt_bar[N * i + j] -= force[i] * p_closed[j] + u[i] * p_pushed[j]
    for i in range(N):
        for j in range(N):
            at_bar[N * i + j] -= x[i] * p_pushed[j]
            s_bar[N * i + j] -= 0.5 * (pushed[i] * closed[j] + closed[i] * pushed[j])


@compiled
def hand(a, b, q_diagonal, start, noise):
    """A gain is where its step's matrix is least, so that this matrix has no adjoint by way of it."""
    (steps, n), m = noise.shape, b.shape[1]
    if n > N or m > M:
        raise ValueError("more states or inputs than there is room for")
    wide, tall, bt = np.zeros((N, N)), np.zeros((N, N)), np.zeros((M, N))
    wide[:n, :n], tall[:n, :n], bt[:m, :n] = a, a.T, b.T
    a, at, bt = wide.ravel(), tall.ravel(), bt.ravel()
    ps, ks, gs = np.zeros((steps + 1, N * N)), np.zeros((steps, M * N)), np.zeros((steps, M, M))
    for i in range(n):
        ps[0, N * i + i] = q_diagonal[i]
    riccati(a, bt, q_diagonal, ps, ks, gs, n, m)
    xs, us, u_bars = np.zeros((steps + 1, N)), np.zeros((steps, M)), np.zeros((steps, M))
    xs[0, :n] = start
    cost = roll(at, bt, ks, noise, xs, us, m)
    at_bar, bt_bar, q_bar = np.zeros(N * N), np.zeros(M * N), np.zeros(n)
    start_bar = pull_roll(a, bt, ks, xs, us, u_bars, at_bar, bt_bar, m)
    s_bar, ct, v, vp, kvp = (
        np.zeros(N * N),
        np.zeros(N * N),
        np.zeros(N * N),
        np.zeros(N * N),
        np.zeros(M * N),
    )
    closed, work = np.zeros(N), (np.zeros(N), np.zeros(N), np.zeros(N))
    for s in range(steps):
        t = steps - 1 - s
        p, k, x, force = ps[t], ks[t], xs[s], u_bars[s]
        ct[:] = at
        subtract_product(k, bt, ct, n)
        product(s_bar, ct, v, n)
        product(v, p, vp, n)
        product(k, vp, kvp, m)
        for j in range(N * N):
            at_bar[j] += 2.0 * vp[j]
        for j in range(M * N):
            bt_bar[j] -= 2.0 * kvp[j]
        for i in range(n):
            q_bar[i] += s_bar[N * i + i]
        transposed_product(ct, v, s_bar, n)
        applied(ct, x, closed)
        solve(gs[t], m, force, 1)
        pull_gain(bt, p, x, us[s], closed, force, at_bar, bt_bar, s_bar, work, m)
    for i in range(n):
        q_bar[i] += s_bar[N * i + i]
    a_bar, b_bar = at_bar.reshape(N, N).T[:n, :n] / steps, bt_bar.reshape(M, N).T[:n, :m] / steps
    return cost / steps, a_bar, b_bar, q_bar / steps, start_bar[:n] / steps


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(a, b, q_diagonal, start, noise):
        q, r = jnp.diag(q_diagonal), 0.1 * jnp.eye(b.shape[1])

        def backwards(p, _):
            k = jnp.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
            return q + a.T @ p @ (a - b @ k), k

        def forwards(x, step):
            k, w = step
            u = -k @ x
            return a @ x + b @ u + w, x @ x + 0.01 * (u @ u)

        _, gains = jax.lax.scan(backwards, q, None, len(noise))
        x, costs = jax.lax.scan(forwards, start, (gains[::-1], noise))
        return (jnp.sum(costs) + x @ x) / len(noise)

    return cost
