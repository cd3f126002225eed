"""Burgers by WENO5: periodic shifts, nonlinear weights, three stages a step."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"cells": 600, "steps": 20}, {"cells": 9, "steps": 2}, (0,)


def arguments(cells, steps):
    draw = np.random.default_rng(81)
    x = np.arange(cells) / cells
    u = 0.5 + np.sin(2 * np.pi * x) + 0.05 * draw.normal(size=cells)
    return u, 0.5 + 0.3 * np.cos(2 * np.pi * x), 2.0, 1.0 / cells, 0.2 / cells, steps


def faces(v):
    """The values at the right ends of cells, of three polynomials, smooth ones first."""
    a, b, c, d, e = np.roll(v, 2), np.roll(v, 1), v, np.roll(v, -1), np.roll(v, -2)
    rough = 13.0 / 12.0 * (a - 2 * b + c) ** 2 + 0.25 * (a - 4 * b + 3 * c) ** 2
    rough_1 = 13.0 / 12.0 * (b - 2 * c + d) ** 2 + 0.25 * (b - d) ** 2
    rough_2 = 13.0 / 12.0 * (c - 2 * d + e) ** 2 + 0.25 * (3 * c - 4 * d + e) ** 2
    w, w_1, w_2 = 0.1 / (1e-3 + rough) ** 2, 0.6 / (1e-3 + rough_1) ** 2, 0.3 / (1e-3 + rough_2) ** 2
    mixed = w * (2 * a - 7 * b + 11 * c) + w_1 * (-b + 5 * c + 2 * d) + w_2 * (2 * c + 5 * d - e)
    return mixed / (6.0 * (w + w_1 + w_2))


def rate(u, speed, dx):
    flux = 0.5 * u**2
    right = faces(0.5 * (flux + speed * u))
    left = faces(0.5 * (flux - speed * u)[::-1])[::-1]
    through = right + np.roll(left, -1)
    return (np.roll(through, 1) - through) / dx


def primal(u, target, speed, dx, dt, steps):
    for _ in range(steps):
        first = u + dt * rate(u, speed, dx)
        second = 0.75 * u + 0.25 * (first + dt * rate(first, speed, dx))
        u = (u + 2.0 * (second + dt * rate(second, speed, dx))) / 3.0
    return np.sum((u - target) ** 2)


@compiled
def face(a, b, c, d, e):
    p, q, r = a - 2 * b + c, b - 2 * c + d, c - 2 * d + e
    s, t, o = a - 4 * b + 3 * c, b - d, 3 * c - 4 * d + e
    h = 13.0 / 12.0
    i, j, k = (
        1e-3 + h * p * p + 0.25 * s * s,
        1e-3 + h * q * q + 0.25 * t * t,
        1e-3 + h * r * r + 0.25 * o * o,
    )
    w, x, y = 0.1 / (i * i), 0.6 / (j * j), 0.3 / (k * k)
    return (w * (2 * a - 7 * b + 11 * c) + x * (-b + 5 * c + 2 * d) + y * (2 * c + 5 * d - e)) / (
        6.0 * (w + x + y)
    )


@compiled
def pulled(a, b, c, d, e, g):
    """The cotangents of a face's five cells."""
    p, q, r = a - 2 * b + c, b - 2 * c + d, c - 2 * d + e
    s, t, o = a - 4 * b + 3 * c, b - d, 3 * c - 4 * d + e
    h = 13.0 / 12.0
    i, j, k = (
        1e-3 + h * p * p + 0.25 * s * s,
        1e-3 + h * q * q + 0.25 * t * t,
        1e-3 + h * r * r + 0.25 * o * o,
    )
    over_i, over_j, over_k = 1.0 / i, 1.0 / j, 1.0 / k
    w, x, y = 0.1 * over_i * over_i, 0.6 * over_j * over_j, 0.3 * over_k * over_k
    l, m, n = 2 * a - 7 * b + 11 * c, -b + 5 * c + 2 * d, 2 * c + 5 * d - e
    share = 1.0 / (w + x + y)
    value = (w * l + x * m + y * n) * share
    g = g * share / 6.0
    i = -4.0 * g * (l - value) * w * over_i
    j = -4.0 * g * (m - value) * x * over_j
    k = -4.0 * g * (n - value) * y * over_k
    p, q, r, s, t, o = h * i * p, h * j * q, h * k * r, 0.25 * i * s, 0.25 * j * t, 0.25 * k * o
    w, x, y = w * g, x * g, y * g
    return (
        2 * w + p + s,
        -7 * w - x - 2 * p - 4 * s + q + t,
        11 * w + 5 * x + 2 * y + p + 3 * s - 2 * q + r + 3 * o,
        2 * x + 5 * y + q - t - 2 * r - 4 * o,
        -y + r + o,
    )


@compiled
def stage(u, base, share, out, plus, minus, through, speed, scale):
    """``out = (1 - share) base + share (u + dt rate(u))``; what is shifted has cells more at either side."""
    n = u.size
    for i in range(n):
        half = 0.25 * u[i] * u[i]
        plus[i + 2], minus[i + 3] = half + 0.5 * speed * u[i], half - 0.5 * speed * u[i]
    for i in range(2):
        plus[i], plus[n + 2 + i] = plus[n + i], plus[2 + i]
    minus[0], minus[1], minus[2] = minus[n], minus[n + 1], minus[n + 2]
    minus[n + 3], minus[n + 4], minus[n + 5] = minus[3], minus[4], minus[5]
    for i in range(n):
        through[i + 1] = face(plus[i], plus[i + 1], plus[i + 2], plus[i + 3], plus[i + 4]) + face(
            minus[i + 6], minus[i + 5], minus[i + 4], minus[i + 3], minus[i + 2]
        )
    through[0] = through[n]
    for i in range(n):
        out[i] = (1.0 - share) * base[i] + share * (u[i] + scale * (through[i] - through[i + 1]))


@compiled
def stage_back(u, out_bar, share, base_bar, u_bar, plus, minus, parts, speed, scale):
    """Adds to ``base_bar``, and sets ``u_bar``; ``parts``: cotangents by their cell of the face."""
    n = u.size
    for i in range(n):
        half = 0.25 * u[i] * u[i]
        plus[i + 2], minus[i + 3] = half + 0.5 * speed * u[i], half - 0.5 * speed * u[i]
    for i in range(2):
        plus[i], plus[n + 2 + i] = plus[n + i], plus[2 + i]
    minus[0], minus[1], minus[2] = minus[n], minus[n + 1], minus[n + 2]
    minus[n + 3], minus[n + 4], minus[n + 5] = minus[3], minus[4], minus[5]
    force = share * scale
    pa, pb, pc, pd, pe = parts[0], parts[1], parts[2], parts[3], parts[4]
    ma, mb, mc, md, me = parts[5], parts[6], parts[7], parts[8], parts[9]
    wrapped = parts[10]
    for i in range(n - 1):
        wrapped[i] = force * (out_bar[i + 1] - out_bar[i])
    wrapped[n - 1] = force * (out_bar[0] - out_bar[n - 1])
    for i in range(n):
        pa[i + 3], pb[i + 3], pc[i + 3], pd[i + 3], pe[i + 3] = pulled(
            plus[i], plus[i + 1], plus[i + 2], plus[i + 3], plus[i + 4], wrapped[i]
        )
    for i in range(n):
        ma[i + 3], mb[i + 3], mc[i + 3], md[i + 3], me[i + 3] = pulled(
            minus[i + 6], minus[i + 5], minus[i + 4], minus[i + 3], minus[i + 2], wrapped[i]
        )
    for k in range(10):
        row = parts[k]
        row[0], row[1], row[2] = row[n], row[n + 1], row[n + 2]
        row[n + 3], row[n + 4], row[n + 5] = row[3], row[4], row[5]
    for i in range(n):
        j = i + 3
        p = pa[j + 2] + pb[j + 1] + pc[j] + pd[j - 1] + pe[j - 2]
        m = ma[j - 3] + mb[j - 2] + mc[j - 1] + md[j] + me[j + 1]
        u_bar[i] = share * out_bar[i] + 0.5 * u[i] * (p + m) + 0.5 * speed * (p - m)
        base_bar[i] += (1.0 - share) * out_bar[i]


@compiled
def hand(u, target, speed, dx, dt, steps):
    """Saves the three states of a step; all else is computed again."""
    n, scale = u.size, dt / dx
    states = np.empty((steps, 3, n))
    plus, minus, through = np.empty(n + 4), np.empty(n + 6), np.empty(n + 1)
    now = u.copy()
    for s in range(steps):
        first, second, third = states[s, 0], states[s, 1], states[s, 2]
        first[:] = now
        stage(first, first, 1.0, second, plus, minus, through, speed, scale)
        stage(second, first, 0.25, third, plus, minus, through, speed, scale)
        stage(third, first, 2.0 / 3.0, now, plus, minus, through, speed, scale)
    value, bar = 0.0, np.empty(n)
    for i in range(n):
        miss = now[i] - target[i]
        value += miss * miss
        bar[i] = 2.0 * miss
    parts, base_bar, second_bar, third_bar = np.empty((11, n + 6)), np.empty(n), np.empty(n), np.empty(n)
    for s in range(steps - 1, -1, -1):
        base_bar[:] = 0.0
        stage_back(states[s, 2], bar, 2.0 / 3.0, base_bar, third_bar, plus, minus, parts, speed, scale)
        stage_back(states[s, 1], third_bar, 0.25, base_bar, second_bar, plus, minus, parts, speed, scale)
        stage_back(states[s, 0], second_bar, 1.0, base_bar, bar, plus, minus, parts, speed, scale)
        for i in range(n):
            bar[i] += base_bar[i]
    return value, bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def faces(v):
        a, b, c, d, e = jnp.roll(v, 2), jnp.roll(v, 1), v, jnp.roll(v, -1), jnp.roll(v, -2)
        rough = 13.0 / 12.0 * (a - 2 * b + c) ** 2 + 0.25 * (a - 4 * b + 3 * c) ** 2
        rough_1 = 13.0 / 12.0 * (b - 2 * c + d) ** 2 + 0.25 * (b - d) ** 2
        rough_2 = 13.0 / 12.0 * (c - 2 * d + e) ** 2 + 0.25 * (3 * c - 4 * d + e) ** 2
        w, w_1, w_2 = 0.1 / (1e-3 + rough) ** 2, 0.6 / (1e-3 + rough_1) ** 2, 0.3 / (1e-3 + rough_2) ** 2
        mixed = w * (2 * a - 7 * b + 11 * c) + w_1 * (-b + 5 * c + 2 * d) + w_2 * (2 * c + 5 * d - e)
        return mixed / (6.0 * (w + w_1 + w_2))

    def rate(u, speed, dx):
        flux = 0.5 * u**2
        right = faces(0.5 * (flux + speed * u))
        left = faces(0.5 * (flux - speed * u)[::-1])[::-1]
        through = right + jnp.roll(left, -1)
        return (jnp.roll(through, 1) - through) / dx

    def cost(u, target, speed, dx, dt, steps):
        def step(u, _):
            first = u + dt * rate(u, speed, dx)
            second = 0.75 * u + 0.25 * (first + dt * rate(first, speed, dx))
            return (u + 2.0 * (second + dt * rate(second, speed, dx))) / 3.0, None

        u, _ = jax.lax.scan(step, u, None, length=steps)
        return jnp.sum((u - target) ** 2)

    return cost
