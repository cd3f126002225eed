"""Heston, down-and-out call: simulated paths of a stochastic variance, and a mask of those that live."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY = {"paths": 4096, "steps": 40}, {"paths": 9, "steps": 3}
WRT = (0, 1, 2, 3, 4, 5, 6)
FLOOR, STRIKE, BARRIER, MATURITY = 1e-4, 100.0, 85.0, 1.0


def arguments(paths, steps):
    draw = np.random.default_rng(43)
    z, w = draw.normal(size=(steps, paths)), draw.normal(size=(steps, paths))
    return 100.0, 0.04, 1.5, 0.05, 0.3, -0.6, 0.02, z, w


def primal(spot, variance, kappa, theta, xi, rho, rate, z, w):
    steps, paths = z.shape
    dt = MATURITY / steps
    log_s, v = np.full(paths, np.log(spot)), np.full(paths, variance)
    alive = np.ones(paths, dtype=bool)
    for t in range(steps):
        v_plus = np.maximum(v, FLOOR)
        sigma = np.sqrt(v_plus * dt)
        log_s += (rate - 0.5 * v_plus) * dt + sigma * z[t]
        v = v + kappa * (theta - v_plus) * dt + xi * sigma * (rho * z[t] + np.sqrt(1.0 - rho**2) * w[t])
        alive &= log_s > np.log(BARRIER)
    payoff = np.zeros(paths)
    payoff[alive] = np.maximum(np.exp(log_s[alive]) - STRIKE, 0.0)
    return np.exp(-rate * MATURITY) * np.mean(payoff)


BLOCK = 256  # paths whose variances stay in the cache


@compiled
def forward(sigmas, v, log_s, alive, z, w, begin, numbers):
    """Of the variances only the deviations in a step are kept."""
    kappa, theta, xi, rho, other, rate, dt = numbers
    limit, n = np.log(BARRIER), log_s.size
    for t in range(z.shape[0]):
        sigma, zt, wt = sigmas[t], z[t][begin : begin + n], w[t][begin : begin + n]
        for i in range(n):
            v_plus = max(v[i], FLOOR)
            s = np.sqrt(v_plus * dt)
            sigma[i] = s
            log_s[i] += (rate - 0.5 * v_plus) * dt + s * zt[i]
            v[i] += kappa * dt * (theta - v_plus) + xi * s * (rho * zt[i] + other * wt[i])
            alive[i] = alive[i] if log_s[i] > limit else 0.0


@compiled
def backward(sigmas, log_bar, v_bar, z, w, begin, numbers):
    kappa, theta, xi, rho, other, _, dt = numbers
    kappa_bar = theta_bar = xi_bar = rho_bar = other_bar = 0.0
    n, least, inverse = log_bar.size, np.sqrt(FLOOR * dt), 1.0 / dt
    for t in range(z.shape[0] - 1, -1, -1):
        sigma, zt, wt = sigmas[t], z[t][begin : begin + n], w[t][begin : begin + n]
        for i in range(n):
            s, bar = sigma[i], v_bar[i]
            noise, drawn = rho * zt[i] + other * wt[i], bar * s
            kappa_bar += bar * (theta - s * s * inverse)
            theta_bar += bar
            xi_bar += drawn * noise
            rho_bar += drawn * zt[i]
            other_bar += drawn * wt[i]
            s_bar = bar * xi * noise + log_bar[i] * zt[i]
            plus_bar = 0.5 * dt / s * s_bar - 0.5 * dt * log_bar[i] - kappa * dt * bar
            v_bar[i] = bar + (plus_bar if s > least else 0.0)
    return kappa_bar * dt, theta_bar * kappa * dt, xi_bar, xi * (rho_bar - rho / other * other_bar)


@compiled
def hand(spot, variance, kappa, theta, xi, rho, rate, z, w):
    """The adjoint of the logarithm of a price is the same at all times. Paths go in blocks."""
    steps, paths = z.shape
    dt = MATURITY / steps
    numbers = kappa, theta, xi, rho, np.sqrt(1.0 - rho * rho), rate, dt
    factor = np.exp(-rate * MATURITY) / paths
    sigmas = np.empty((steps, BLOCK))
    value = log_total = start_bar = kappa_bar = theta_bar = xi_bar = rho_bar = 0.0
    for begin in range(0, paths, BLOCK):
        n = min(BLOCK, paths - begin)
        log_s, alive, v = np.full(n, np.log(spot)), np.ones(n), np.full(n, variance)
        forward(sigmas, v, log_s, alive, z, w, begin, numbers)
        for i in range(n):
            price = np.exp(log_s[i])
            inside = alive[i] if price > STRIKE else 0.0
            value += inside * (price - STRIKE)
            alive[i] = factor * inside * price
            log_total += alive[i]
        v[:] = 0.0
        one, two, three, four = backward(sigmas, alive, v, z, w, begin, numbers)
        kappa_bar += one
        theta_bar += two
        xi_bar += three
        rho_bar += four
        start_bar += np.sum(v)
    value *= factor
    rate_bar = MATURITY * (log_total - value)
    return value, log_total / spot, start_bar, kappa_bar, theta_bar, xi_bar, rho_bar, rate_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(spot, variance, kappa, theta, xi, rho, rate, z, w):
        steps, paths = z.shape
        dt = MATURITY / steps

        def step(state, noise):
            log_s, v, alive = state
            zt, wt = noise
            v_plus = jnp.maximum(v, FLOOR)
            sigma = jnp.sqrt(v_plus * dt)
            log_s = log_s + (rate - 0.5 * v_plus) * dt + sigma * zt
            noise = rho * zt + jnp.sqrt(1.0 - rho**2) * wt
            v = v + kappa * (theta - v_plus) * dt + xi * sigma * noise
            return (log_s, v, alive & (log_s > np.log(BARRIER))), None

        start = jnp.full(paths, jnp.log(spot)), jnp.full(paths, variance), jnp.ones(paths, bool)
        (log_s, _, alive), _ = jax.lax.scan(jax.checkpoint(step), start, (z, w))
        payoff = jnp.where(alive, jnp.maximum(jnp.exp(log_s) - STRIKE, 0.0), 0.0)
        return jnp.exp(-rate * MATURITY) * jnp.mean(payoff)

    return cost
