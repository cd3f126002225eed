"""Sensitivities, twenty directions: the Jacobian of a reaction network's end in its 20 rates."""

import numpy as np

from benchmarks.compiled import compiled

KIND, SIZE, TINY = "jacobian", {"steps": 500}, {"steps": 3}


def arguments(steps):
    draw = np.random.default_rng(0)
    return draw.uniform(0.1, 1.0, 20), draw.uniform(0.5, 1.5, 10), 0.01, steps


def rate(s, p):
    n = len(s)
    out = np.zeros(n)
    for i in range(n):
        flow = p[i] * s[i] - p[n + i] * s[(i + 1) % n] ** 2
        out[i] -= flow
        out[(i + 1) % n] += flow
    return out


def primal(p, start, h, steps):
    s = start.copy()
    for _ in range(steps):
        k = rate(s, p)
        s = s + h * rate(s + 0.5 * h * k, p)
    return s


@compiled
def _rates(s, ds, p, out, dout):
    n = len(s)
    out[:] = 0.0
    dout[:] = 0.0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        flow = p[i] * s[i] - p[n + i] * s[j] ** 2
        out[i] -= flow
        out[j] += flow
        for k in range(2 * n):
            d = p[i] * ds[i, k] - 2.0 * p[n + i] * s[j] * ds[j, k]
            dout[i, k] -= d
            dout[j, k] += d
        dout[i, i] -= s[i]
        dout[j, i] += s[i]
        dout[i, n + i] += s[j] ** 2
        dout[j, n + i] -= s[j] ** 2


@compiled
def hand(p, start, h, steps):
    n = len(start)
    s, ds = start.copy(), np.zeros((n, 2 * n))
    k, dk, mid, dmid = np.empty(n), np.empty((n, 2 * n)), np.empty(n), np.empty((n, 2 * n))
    for _ in range(steps):
        _rates(s, ds, p, k, dk)
        for i in range(n):
            mid[i] = s[i] + 0.5 * h * k[i]
            for j in range(2 * n):
                dmid[i, j] = ds[i, j] + 0.5 * h * dk[i, j]
        _rates(mid, dmid, p, k, dk)
        for i in range(n):
            s[i] += h * k[i]
            for j in range(2 * n):
                ds[i, j] += h * dk[i, j]
    return ds


def jax_version():
    import jax
    import jax.numpy as jnp

    def end_state(p, start, h, steps):
        n = len(start)

        def f(s):
            flow = p[:n] * s - p[n:] * jnp.roll(s, -1) ** 2
            return jnp.roll(flow, 1) - flow

        return jax.lax.scan(lambda s, _: (s + h * f(s + 0.5 * h * f(s)), None), start, length=steps)[0]

    return end_state
