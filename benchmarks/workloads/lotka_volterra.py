"""Lotka-Volterra, RK4: a long loop of arithmetic on plain numbers."""

import numpy as np

from benchmarks.compiled import compiled

SIZE, TINY, WRT = {"steps": 5000}, {"steps": 4}, (0, 1, 2, 3, 4, 5)


def arguments(steps):
    return 0.9, 0.6, 1.0, 0.5, 0.2, 0.3, steps


def primal(x, y, birth, hunt, gain, death, steps):
    h = 0.004
    cost = 0.0
    for _ in range(steps):
        px = x * (birth - hunt * y)
        py = y * (gain * x - death)
        x2, y2 = x + 0.5 * h * px, y + 0.5 * h * py
        qx = x2 * (birth - hunt * y2)
        qy = y2 * (gain * x2 - death)
        x3, y3 = x + 0.5 * h * qx, y + 0.5 * h * qy
        rx = x3 * (birth - hunt * y3)
        ry = y3 * (gain * x3 - death)
        x4, y4 = x + h * rx, y + h * ry
        sx = x4 * (birth - hunt * y4)
        sy = y4 * (gain * x4 - death)
        x += h * (px + 2.0 * qx + 2.0 * rx + sx) / 6.0
        y += h * (py + 2.0 * qy + 2.0 * ry + sy) / 6.0
        cost += h * (x - y) ** 2
    return cost + x * y


@compiled
def slopes(x, y, birth, hunt, gain, death):
    return x * (birth - hunt * y), y * (gain * x - death)


@compiled
def stages(x, y, birth, hunt, gain, death, h):
    """The four points at which slopes are taken, and the next state."""
    px, py = slopes(x, y, birth, hunt, gain, death)
    x2, y2 = x + 0.5 * h * px, y + 0.5 * h * py
    qx, qy = slopes(x2, y2, birth, hunt, gain, death)
    x3, y3 = x + 0.5 * h * qx, y + 0.5 * h * qy
    rx, ry = slopes(x3, y3, birth, hunt, gain, death)
    x4, y4 = x + h * rx, y + h * ry
    sx, sy = slopes(x4, y4, birth, hunt, gain, death)
    new_x = x + h / 6.0 * (px + 2.0 * qx + 2.0 * rx + sx)
    new_y = y + h / 6.0 * (py + 2.0 * qy + 2.0 * ry + sy)
    return x2, y2, x3, y3, x4, y4, new_x, new_y


@compiled
def pull(x, y, birth, hunt, gain, death, u, v):
    """The adjoints of a point, from those of its slopes."""
    return u * (birth - hunt * y) + v * gain * y, v * (gain * x - death) - u * hunt * x


@compiled
def hand(x, y, birth, hunt, gain, death, steps):
    """Keeps the states; the points of a step are computed again."""
    h = 0.004
    xs, ys = np.empty(steps + 1), np.empty(steps + 1)
    xs[0], ys[0] = x, y
    cost = 0.0
    for i in range(steps):
        _, _, _, _, _, _, x, y = stages(x, y, birth, hunt, gain, death, h)
        xs[i + 1], ys[i + 1] = x, y
        cost += h * (x - y) ** 2
    x_bar, y_bar = y, x
    b_bar, h_bar, g_bar, d_bar = 0.0, 0.0, 0.0, 0.0
    for i in range(steps - 1, -1, -1):
        diff = 2.0 * h * (xs[i + 1] - ys[i + 1])
        x_bar += diff
        y_bar -= diff
        x, y = xs[i], ys[i]
        x2, y2, x3, y3, x4, y4, _, _ = stages(x, y, birth, hunt, gain, death, h)
        u4, v4 = h / 6.0 * x_bar, h / 6.0 * y_bar
        a4, c4 = pull(x4, y4, birth, hunt, gain, death, u4, v4)
        u3, v3 = 2.0 * u4 + h * a4, 2.0 * v4 + h * c4
        a3, c3 = pull(x3, y3, birth, hunt, gain, death, u3, v3)
        u2, v2 = 2.0 * u4 + 0.5 * h * a3, 2.0 * v4 + 0.5 * h * c3
        a2, c2 = pull(x2, y2, birth, hunt, gain, death, u2, v2)
        u1, v1 = u4 + 0.5 * h * a2, v4 + 0.5 * h * c2
        a1, c1 = pull(x, y, birth, hunt, gain, death, u1, v1)
        b_bar += u1 * x + u2 * x2 + u3 * x3 + u4 * x4
        h_bar -= u1 * x * y + u2 * x2 * y2 + u3 * x3 * y3 + u4 * x4 * y4
        g_bar += v1 * x * y + v2 * x2 * y2 + v3 * x3 * y3 + v4 * x4 * y4
        d_bar -= v1 * y + v2 * y2 + v3 * y3 + v4 * y4
        x_bar += a1 + a2 + a3 + a4
        y_bar += c1 + c2 + c3 + c4
    return cost + xs[steps] * ys[steps], x_bar, y_bar, b_bar, h_bar, g_bar, d_bar


def step(x, y, rates):
    h = 0.004

    def f(x, y):
        return x * (rates[0] - rates[1] * y), y * (rates[2] * x - rates[3])

    p = f(x, y)
    q = f(x + 0.5 * h * p[0], y + 0.5 * h * p[1])
    r = f(x + 0.5 * h * q[0], y + 0.5 * h * q[1])
    s = f(x + h * r[0], y + h * r[1])
    x = x + h * (p[0] + 2.0 * q[0] + 2.0 * r[0] + s[0]) / 6.0
    y = y + h * (p[1] + 2.0 * q[1] + 2.0 * r[1] + s[1]) / 6.0
    return x, y, h * (x - y) ** 2


def jax_version():
    import jax

    def cost(x, y, birth, hunt, gain, death, steps):
        def body(i, state):
            x, y, more = step(state[0], state[1], (birth, hunt, gain, death))
            return x, y, state[2] + more

        x, y, total = jax.lax.fori_loop(0, steps, body, (x, y, 0.0))
        return total + x * y

    return cost


def generic(np):
    def cost(x, y, birth, hunt, gain, death, steps):
        total = 0.0
        for _ in range(steps):
            x, y, more = step(x, y, (birth, hunt, gain, death))
            total = total + more
        return total + x * y

    return cost
