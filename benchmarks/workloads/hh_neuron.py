"""Hodgkin-Huxley neuron: a long scalar program, with rates of gates in small functions."""

import math

import numpy as np

from benchmarks.compiled import compiled, exp

UNSEEN = True
SIZE, TINY, WRT = {"steps": 30000, "dt": 0.01}, {"steps": 40, "dt": 0.02}, (0, 1, 2, 3, 4)
CAPACITY, E_NA, E_K, E_LEAK = 1.0, 50.0, -77.0, -54.387  # microfarads per square centimetre; millivolts


def arguments(steps, dt):
    draw = np.random.default_rng(24)  # no voltage is so near the limits that quotients lose digits
    times = dt * np.arange(steps)
    current = 10.0 * (times > 5.0) + 5.0 * (times > 50.0) + draw.normal(size=steps)
    measured = -60.0 + 10.0 * np.sin(0.4 * times)
    return 120.0, 36.0, 0.3, np.array([-65.0, 0.0529, 0.5961, 0.3177]), current, measured, dt


def vtrap(x, y):
    """The quotient ``x / (exp(x / y) - 1)``, and its limit near zero."""
    if abs(x / y) < 1e-6:
        return y * (1.0 - x / y / 2.0)
    return x / (math.exp(x / y) - 1.0)


def alpha_m(v):
    return 0.1 * vtrap(-(v + 40.0), 10.0)


def beta_m(v):
    return 4.0 * math.exp(-(v + 65.0) / 18.0)


def alpha_h(v):
    return 0.07 * math.exp(-(v + 65.0) / 20.0)


def beta_h(v):
    return 1.0 / (1.0 + math.exp(-(v + 35.0) / 10.0))


def alpha_n(v):
    return 0.01 * vtrap(-(v + 55.0), 10.0)


def beta_n(v):
    return 0.125 * math.exp(-(v + 65.0) / 80.0)


def primal(g_na, g_k, g_leak, state, current, measured, dt):
    """The mean square of what the membrane's voltage differs from a measured one."""
    v, m, h, n = state
    error = 0.0
    for t in range(len(current)):
        i_na = g_na * m**3 * h * (v - E_NA)
        i_k = g_k * n**4 * (v - E_K)
        i_leak = g_leak * (v - E_LEAK)
        dv = (current[t] - i_na - i_k - i_leak) / CAPACITY
        dm = alpha_m(v) * (1.0 - m) - beta_m(v) * m
        dh = alpha_h(v) * (1.0 - h) - beta_h(v) * h
        dn = alpha_n(v) * (1.0 - n) - beta_n(v) * n
        v = v + dt * dv
        m = m + dt * dm
        h = h + dt * dh
        n = n + dt * dn
        error += (v - measured[t]) ** 2
    return error / len(current)


BLOCK = 128  # steps whose partial derivatives are computed at once
# exp(-v / 10), exp(-v / 20) and exp(-v / 80) are powers of one another: two exponentials make all six
M, H, N = math.exp((65 - 40) / 10), math.exp((65 - 35) / 10), math.exp((65 - 55) / 10)


@compiled
def trap(x, power):
    """``x / (power - 1)``, where ``power`` is the exponential of ``x``, and its derivative."""
    near, inverse = abs(x) < 1e-6, 1.0 / (power - 1.0)
    quotient = 1.0 - 0.5 * x if near else x * inverse
    return quotient, -0.5 if near else inverse * (1.0 - quotient * power)


@compiled
def rates(v):
    """Of opening and closing of the three gates, and the derivatives of two."""
    slow, fast = exp((v + 65.0) * (-1.0 / 80.0)), exp((v + 65.0) * (-1.0 / 18.0))
    middle = slow * slow
    middle = middle * middle  # exp(-(v + 65) / 20)
    tenth = middle * middle
    open_m, slope_m = trap(-0.1 * (v + 40.0), M * tenth)
    open_n, slope_n = trap(-0.1 * (v + 55.0), N * tenth)
    closing = 4.0 * fast, 1.0 / (1.0 + H * tenth), 0.125 * slow
    return (open_m, 0.07 * middle, 0.1 * open_n), closing, (-0.1 * slope_m, -0.01 * slope_n)


@compiled
def trajectory(g_na, g_k, g_leak, state, current, dt):
    """The states, one row for each of v, m, h, n."""
    states = np.empty((4, current.size + 1))
    v, m, h, n = state[0], state[1], state[2], state[3]
    states[:, 0] = state
    rate = dt / CAPACITY
    for t in range(current.size):
        (open_m, open_h, open_n), (close_m, close_h, close_n), _ = rates(v)
        cube, square = m * m * m, n * n
        leak = current[t] - g_leak * (v - E_LEAK)
        v += rate * (leak - g_na * cube * h * (v - E_NA) - g_k * square * square * (v - E_K))
        m += dt * (open_m - (open_m + close_m) * m)
        h += dt * (open_h - (open_h + close_h) * h)
        n += dt * (open_n - (open_n + close_n) * n)
        states[0, t + 1], states[1, t + 1], states[2, t + 1], states[3, t + 1] = v, m, h, n
    return states


@compiled
def partials(g_na, g_k, g_leak, vs, ms, hs, ns, dt, out):
    """What one step's state is moved by the one before, for a block of steps."""
    rate = dt / CAPACITY
    for t in range(vs.size):
        v, m, h, n = vs[t], ms[t], hs[t], ns[t]
        (open_m, open_h, open_n), (close_m, close_h, close_n), (slope_m, slope_n) = rates(v)
        square, third = m * m, n * n * n
        na, k = rate * g_na * (v - E_NA), rate * g_k * (v - E_K)
        out[0, t] = 1.0 - rate * (g_na * square * m * h + g_k * third * n + g_leak)
        out[1, t], out[2, t], out[3, t] = -3.0 * na * square * h, -na * square * m, -4.0 * k * third
        out[4, t] = 1.0 - dt * (open_m + close_m)
        out[5, t] = 1.0 - dt * (open_h + close_h)
        out[6, t] = 1.0 - dt * (open_n + close_n)
        out[7, t] = dt * (slope_m * (1.0 - m) + (1.0 / 18.0) * close_m * m)
        out[8, t] = dt * (-0.05 * open_h * (1.0 - h) - 0.1 * close_h * (1.0 - close_h) * h)
        out[9, t] = dt * (slope_n * (1.0 - n) + (1.0 / 80.0) * close_n * n)


@compiled
def hand(g_na, g_k, g_leak, state, current, measured, dt):
    """Keeps the states; partial derivatives are computed for blocks of steps, then multiplied one by one."""
    steps = current.size
    states = trajectory(g_na, g_k, g_leak, state, current, dt)
    vs, ms, hs, ns = states[0], states[1], states[2], states[3]
    out, current_bar, measured_bar = np.empty((10, BLOCK)), np.empty(steps), np.empty(steps)
    error, scale, rate = 0.0, 2.0 / steps, dt / CAPACITY
    for t in range(steps):
        miss = vs[t + 1] - measured[t]
        error += miss * miss
        measured_bar[t] = -scale * miss
    v_bar = m_bar = h_bar = n_bar = 0.0
    na_bar = k_bar = leak_bar = 0.0
    for start in range((steps - 1) // BLOCK * BLOCK, -1, -BLOCK):
        stop = min(start + BLOCK, steps)
        part = slice(start, stop)
        partials(g_na, g_k, g_leak, vs[part], ms[part], hs[part], ns[part], dt, out)
        for t in range(stop - start - 1, -1, -1):
            v_bar -= measured_bar[start + t]
            current_bar[start + t] = rate * v_bar
            m_new = out[4, t] * m_bar + out[1, t] * v_bar
            h_new = out[5, t] * h_bar + out[2, t] * v_bar
            n_new = out[6, t] * n_bar + out[3, t] * v_bar
            v_bar = out[0, t] * v_bar + out[7, t] * m_bar + out[8, t] * h_bar + out[9, t] * n_bar
            m_bar, h_bar, n_bar = m_new, h_new, n_new
        for t in range(start, stop):
            v, square = vs[t], ns[t] * ns[t]
            na_bar -= current_bar[t] * ms[t] * ms[t] * ms[t] * hs[t] * (v - E_NA)
            k_bar -= current_bar[t] * square * square * (v - E_K)
            leak_bar -= current_bar[t] * (v - E_LEAK)
    state_bar = np.array([v_bar, m_bar, h_bar, n_bar])
    return error / steps, na_bar, k_bar, leak_bar, state_bar, current_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def vtrap(x):
        near = jnp.abs(x) < 1e-6
        safe = jnp.where(near, 1.0, x)
        return jnp.where(near, 1.0 - x / 2.0, safe / (jnp.exp(safe) - 1.0))

    def slopes(v, m, h, n):
        open_m = vtrap(-(v + 40.0) / 10.0)
        open_h = 0.07 * jnp.exp(-(v + 65.0) / 20.0)
        open_n = 0.1 * vtrap(-(v + 55.0) / 10.0)
        close_m = 4.0 * jnp.exp(-(v + 65.0) / 18.0)
        close_h = 1.0 / (1.0 + jnp.exp(-(v + 35.0) / 10.0))
        close_n = 0.125 * jnp.exp(-(v + 65.0) / 80.0)
        return (
            open_m * (1.0 - m) - close_m * m,
            open_h * (1.0 - h) - close_h * h,
            open_n * (1.0 - n) - close_n * n,
        )

    def cost(g_na, g_k, g_leak, state, current, measured, dt):
        def body(state, now):
            v, m, h, n = state
            inward = now - g_na * m**3 * h * (v - E_NA) - g_k * n**4 * (v - E_K) - g_leak * (v - E_LEAK)
            dm, dh, dn = slopes(v, m, h, n)
            v = v + dt * inward / CAPACITY
            return (v, m + dt * dm, h + dt * dh, n + dt * dn), v

        _, vs = jax.lax.scan(body, tuple(state), current)
        return jnp.mean((vs - measured) ** 2)

    return cost
