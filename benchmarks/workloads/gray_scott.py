"""Gray-Scott: two substances that react and diffuse, in place, on a grid whose borders meet."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"n": 96, "steps": 40}, {"n": 5, "steps": 3}, (0, 1, 2, 3)
DIFFUSION_U, DIFFUSION_V = 0.16, 0.08


def arguments(n, steps):
    draw = np.random.default_rng(45)
    u, v = np.ones((n + 2, n + 2)), np.zeros((n + 2, n + 2))
    u[n // 3 : 2 * n // 3, n // 3 : 2 * n // 3], v[n // 3 : 2 * n // 3, n // 3 : 2 * n // 3] = 0.5, 0.25
    u += 0.02 * draw.normal(size=u.shape)
    v += 0.02 * draw.normal(size=u.shape)
    return u, v, 0.06, 0.062, draw.uniform(0.0, 0.3, (n, n)), steps


def around(w):
    return w[:-2, 1:-1] + w[1:-1, :-2] - 4.0 * w[1:-1, 1:-1] + w[1:-1, 2:] + w[2:, 1:-1]


def close(w):
    """Each border is the row or column at the other side."""
    w[0, :] = w[-2, :]
    w[-1, :] = w[1, :]
    w[:, 0] = w[:, -2]
    w[:, -1] = w[:, 1]


def primal(u, v, feed, kill, target, steps):
    u, v = u.copy(), v.copy()
    inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
    for _ in range(steps):
        spread_u, spread_v = around(u), around(v)
        reaction = inner_u * inner_v * inner_v
        inner_u += DIFFUSION_U * spread_u - reaction + feed * (1.0 - inner_u)
        inner_v += DIFFUSION_V * spread_v + reaction - (feed + kill) * inner_v
        close(u)
        close(v)
    return 0.5 * np.sum((inner_v - target) ** 2)


@compiled
def close_by_hand(w):
    n = w.shape[0]
    for i in range(1, n - 1):
        w[i, 0], w[i, n - 1] = w[i, n - 2], w[i, 1]
    for j in range(n):
        w[0, j], w[n - 1, j] = w[n - 2, j], w[1, j]


@compiled
def forward(u, v, u_new, v_new, feed, kill):
    n = u.shape[0]
    for i in range(1, n - 1):
        a, b, c, p, q, r = u[i - 1], u[i], u[i + 1], v[i - 1], v[i], v[i + 1]
        to_u, to_v = u_new[i], v_new[i]
        for j in range(n - 2):
            x, y = b[j + 1], q[j + 1]
            reaction = x * y * y
            spread = a[j + 1] + c[j + 1] + b[j] + b[j + 2] - 4.0 * x
            to_u[j + 1] = x + DIFFUSION_U * spread - reaction + feed * (1.0 - x)
            spread = p[j + 1] + r[j + 1] + q[j] + q[j + 2] - 4.0 * y
            to_v[j + 1] = y + DIFFUSION_V * spread + reaction - (feed + kill) * y
    close_by_hand(u_new)
    close_by_hand(v_new)


@compiled
def backward(u, v, u_bar, v_bar, u_out, v_out, feed, kill):
    """The adjoints have borders that meet, too, so that neighbours are gathered."""
    n = u.shape[0]
    feed_bar = kill_bar = 0.0
    for i in range(1, n - 1):
        a, b, c, p, q, r = u_bar[i - 1], u_bar[i], u_bar[i + 1], v_bar[i - 1], v_bar[i], v_bar[i + 1]
        xs, ys, to_u, to_v = u[i], v[i], u_out[i], v_out[i]
        for j in range(n - 2):
            x, y, one, two = xs[j + 1], ys[j + 1], b[j + 1], q[j + 1]
            feed_bar += one * (1.0 - x) - two * y
            kill_bar -= two * y
            change = (two - one) * y
            spread = a[j + 1] + c[j + 1] + b[j] + b[j + 2] - 4.0 * one
            to_u[j + 1] = one + DIFFUSION_U * spread + change * y - feed * one
            spread = p[j + 1] + r[j + 1] + q[j] + q[j + 2] - 4.0 * two
            to_v[j + 1] = two + DIFFUSION_V * spread + 2.0 * change * x - (feed + kill) * two
    close_by_hand(u_out)
    close_by_hand(v_out)
    return feed_bar, kill_bar


@compiled
def first_step(u, v, u_bar, v_bar, u_out, v_out, feed, kill):
    """The borders of the arguments are numbers of their own; the inner cells add up as in ``backward``."""
    n = u.shape[0]
    feed_bar = kill_bar = 0.0
    u_out[:], v_out[:] = 0.0, 0.0
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            x, y, one, two = u[i, j], v[i, j], u_bar[i, j], v_bar[i, j]
            change = two - one
            feed_bar += one * (1.0 - x) - two * y
            kill_bar -= two * y
            u_out[i, j] += one * (1.0 - feed - 4.0 * DIFFUSION_U) + change * y * y
            v_out[i, j] += two * (1.0 - feed - kill - 4.0 * DIFFUSION_V) + 2.0 * change * x * y
            u_out[i - 1, j] += DIFFUSION_U * one
            u_out[i + 1, j] += DIFFUSION_U * one
            u_out[i, j - 1] += DIFFUSION_U * one
            u_out[i, j + 1] += DIFFUSION_U * one
            v_out[i - 1, j] += DIFFUSION_V * two
            v_out[i + 1, j] += DIFFUSION_V * two
            v_out[i, j - 1] += DIFFUSION_V * two
            v_out[i, j + 1] += DIFFUSION_V * two
    return feed_bar, kill_bar


@compiled
def hand(u, v, feed, kill, target, steps):
    n = u.shape[0]
    us, vs = np.empty((steps + 1, n, n)), np.empty((steps + 1, n, n))
    us[0], vs[0] = u, v
    for t in range(steps):
        forward(us[t], vs[t], us[t + 1], vs[t + 1], feed, kill)
    value = feed_bar = kill_bar = 0.0
    u_bar, v_bar, u_out, v_out = np.zeros((n, n)), np.zeros((n, n)), np.empty((n, n)), np.empty((n, n))
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            misfit = vs[steps, i, j] - target[i - 1, j - 1]
            value += misfit * misfit
            v_bar[i, j] = misfit
    close_by_hand(v_bar)
    for t in range(steps - 1, -1, -1):
        if t > 0:
            one, two = backward(us[t], vs[t], u_bar, v_bar, u_out, v_out, feed, kill)
        else:
            one, two = first_step(us[t], vs[t], u_bar, v_bar, u_out, v_out, feed, kill)
        feed_bar, kill_bar = feed_bar + one, kill_bar + two
        u_bar, u_out, v_bar, v_out = u_out, u_bar, v_out, v_bar
    return 0.5 * value, u_bar, v_bar, feed_bar, kill_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def closed(w):
        w = jnp.concatenate([w[-1:], w, w[:1]])
        return jnp.concatenate([w[:, -1:], w, w[:, :1]], axis=1)

    def cost(u, v, feed, kill, target, steps):
        @jax.checkpoint
        def body(state, _):
            u, v = state
            x, y = u[1:-1, 1:-1], v[1:-1, 1:-1]
            reaction = x * y * y
            x = x + DIFFUSION_U * around(u) - reaction + feed * (1.0 - x)
            y = y + DIFFUSION_V * around(v) + reaction - (feed + kill) * y
            return (closed(x), closed(y)), None

        _, v = jax.lax.scan(body, (u, v), None, steps)[0]
        return 0.5 * jnp.sum((v[1:-1, 1:-1] - target) ** 2)

    return cost
