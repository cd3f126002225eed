"""Sinkhorn, until it converges: entropic transport between two clouds of points, a ``while`` of scalings."""

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY, WRT = {"n": 90, "m": 110, "tolerance": 1e-9}, {"n": 4, "m": 5, "tolerance": 1e-14}, (0, 1, 2, 3)
LIMIT = 200  # scalings that there is room for


def arguments(n, m, tolerance):
    draw = np.random.default_rng(44)
    a, b = draw.uniform(0.5, 1.5, n), draw.uniform(0.5, 1.5, m)
    return (
        draw.normal(size=(n, 2)),
        draw.normal(size=(m, 2)) + 0.5,
        a / np.sum(a),
        b / np.sum(b),
        0.7,
        tolerance,
    )


def primal(x, y, a, b, epsilon, tolerance):
    cost = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    kernel = np.exp(-cost / epsilon)
    u, v = np.ones(len(a)), np.ones(len(b))
    error, turns = 1.0, 0
    while error > tolerance and turns < LIMIT:
        u = a / (kernel @ v)
        error = np.max(np.abs(v * (kernel.T @ u) - b))
        v = b / (kernel.T @ u)
        turns += 1
    plan = u[:, None] * kernel * v[None, :]
    return np.sum(plan * cost)


@compiled
def rows_times(k, v, out):
    for i in range(k.shape[0]):
        total = 0.0
        for j in range(k.shape[1]):
            total += k[i, j] * v[j]
        out[i] = total


@compiled
def hand(x, y, a, b, epsilon, tolerance):
    """The adjoint of the kernel is a sum of outer products, one product of matrices at the end."""
    (n, d), m = x.shape, y.shape[0]
    cost, kernel = np.empty((n, m)), np.empty((n, m))
    for i in range(n):
        for j in range(m):
            total = 0.0
            for k in range(d):
                total += (x[i, k] - y[j, k]) ** 2
            cost[i, j] = total
        for j in range(m):
            kernel[i, j] = exp(-cost[i, j] / epsilon)
    turned = kernel.T.copy()
    us, vs = np.empty((LIMIT + 1, n)), np.empty((LIMIT + 1, m))
    vs[0, :] = 1.0
    reached, turns, error = np.empty(m), 0, 1.0
    while error > tolerance and turns < LIMIT:
        u, v, after = us[turns + 1], vs[turns], vs[turns + 1]
        rows_times(kernel, v, u)
        for i in range(n):
            u[i] = a[i] / u[i]
        rows_times(turned, u, reached)
        error = 0.0
        for j in range(m):
            error = max(error, abs(v[j] * reached[j] - b[j]))
            after[j] = b[j] / reached[j]
        turns += 1
    u, v = us[turns], vs[turns]
    u_bar, v_bar, kernel_bar, cost_bar = np.zeros(n), np.zeros(m), np.empty((n, m)), np.empty((n, m))
    value = 0.0
    for i in range(n):
        for j in range(m):
            weight = kernel[i, j] * cost[i, j]
            u_bar[i] += weight * v[j]
            v_bar[j] += weight * u[i]
            cost_bar[i, j] = u[i] * v[j] * kernel[i, j]
            kernel_bar[i, j] = u[i] * v[j] * cost[i, j]
        value += u_bar[i] * u[i]
    a_bar, b_bar = np.zeros(n), np.zeros(m)
    p, q, pulled = np.empty((turns, m)), np.empty((turns, n)), np.empty(n)
    for t in range(turns - 1, -1, -1):
        u, v = us[t + 1], vs[t + 1]
        for j in range(m):
            ratio = v_bar[j] * v[j] / b[j]
            b_bar[j] += ratio
            p[t, j] = -ratio * v[j]  # of the product of the turned kernel and u
        rows_times(kernel, p[t], pulled)
        for i in range(n):
            ratio = (u_bar[i] + pulled[i]) * u[i] / a[i]
            u_bar[i] = 0.0
            a_bar[i] += ratio
            q[t, i] = -ratio * u[i]
        rows_times(turned, q[t], v_bar)
    kernel_bar += np.dot(us[1 : turns + 1].T, p) + np.dot(q.T, vs[:turns])
    x_bar, y_bar = np.zeros((n, d)), np.zeros((m, d))
    for i in range(n):
        for j in range(m):
            pull = 2.0 * (cost_bar[i, j] - kernel_bar[i, j] * kernel[i, j] / epsilon)
            for k in range(d):
                step = pull * (x[i, k] - y[j, k])
                x_bar[i, k] += step
                y_bar[j, k] -= step
    return value, x_bar, y_bar, a_bar, b_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(x, y, a, b, epsilon, tolerance):
        distance = jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
        kernel = jnp.exp(-distance / epsilon)

        def scaling(state):
            _, v, _ = state
            u = a / (kernel @ v)
            reached = kernel.T @ u
            return u, b / reached, jnp.max(jnp.abs(v * reached - b))

        def body(state, _):
            return jax.lax.cond(state[2] > tolerance, scaling, lambda same: same, state), None

        (u, v, _), _ = jax.lax.scan(body, (0.0 * a, 1.0 + 0.0 * b, 1.0 + 0.0 * a[0]), None, LIMIT)
        return jnp.sum(u[:, None] * kernel * v[None, :] * distance)

    return cost
