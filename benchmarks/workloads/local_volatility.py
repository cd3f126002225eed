"""Local volatility: an option by Crank-Nicolson steps, each a tridiagonal system by Thomas's algorithm."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"nodes": 200, "steps": 100}, {"nodes": 6, "steps": 3}, (0, 1)


def arguments(nodes, steps):
    draw = np.random.default_rng(91)
    spots = np.linspace(0.0, 4.0, nodes)
    smile = 0.2 + 0.05 * (spots - 1.0) ** 2 * np.exp(-spots) + 0.02 * draw.normal(size=(steps, nodes))
    weights = np.exp(-4.0 * (spots - 1.0) ** 2)
    quotes = np.maximum(spots - 0.95, 0.0) + 0.08 * weights
    return smile, 0.03, spots, weights, quotes, 1.0, 1.0 / steps


def primal(volatility, rate, spots, weights, quotes, strike, dt):
    """The misfit of call prices; ``volatility`` has a row for each step back in time."""
    n, ratio = len(spots), spots / (spots[1] - spots[0])
    value = np.maximum(spots - strike, 0.0)
    for t in range(volatility.shape[0]):
        diffusion = 0.25 * dt * (volatility[t] * ratio) ** 2
        drift = 0.25 * dt * rate * ratio
        lower, upper = diffusion - drift, diffusion + drift
        centre = 2.0 * diffusion + 0.5 * dt * rate
        right = (1.0 - centre) * value
        right[1:-1] += lower[1:-1] * value[:-2] + upper[1:-1] * value[2:]
        right[0] = 0.0
        right[-1] = spots[-1] - strike * np.exp(-rate * dt * (t + 1))
        ahead = np.zeros(n)
        for i in range(1, n - 1):
            pivot = 1.0 + centre[i] - lower[i] * ahead[i - 1]
            ahead[i] = upper[i] / pivot
            right[i] = (right[i] + lower[i] * right[i - 1]) / pivot
        for i in range(n - 2, 0, -1):
            right[i] += ahead[i] * right[i + 1]
        value = right
    return np.sum(weights * (value - quotes) ** 2)


@compiled
def hand(volatility, rate, spots, weights, quotes, strike, dt):
    """Keeps values, what is ahead and one over the pivots of all steps; coefficients are computed again."""
    steps, n = volatility.shape
    ratio = spots / (spots[1] - spots[0])
    values, aheads, inverses = np.empty((steps + 1, n)), np.zeros((steps, n)), np.empty((steps, n))
    values[0] = np.maximum(spots - strike, 0.0)
    half = 0.5 * dt * rate
    for t in range(steps):
        old, new, ahead, inverse = values[t], values[t + 1], aheads[t], inverses[t]
        new[0], new[n - 1] = 0.0, spots[n - 1] - strike * np.exp(-rate * dt * (t + 1))
        before, ahead_before = 0.0, 0.0
        for i in range(1, n - 1):
            s = volatility[t, i] * ratio[i]
            diffusion, drift = 0.25 * dt * s * s, 0.5 * half * ratio[i]
            lower, upper, centre = diffusion - drift, diffusion + drift, 2.0 * diffusion + half
            right = (1.0 - centre) * old[i] + lower * old[i - 1] + upper * old[i + 1]
            over = 1.0 / (1.0 + centre - lower * ahead_before)
            inverse[i] = over
            ahead_before = upper * over
            ahead[i] = ahead_before
            before = (right + lower * before) * over
            new[i] = before
        after = new[n - 1]
        for i in range(n - 2, 0, -1):
            after = new[i] + ahead[i] * after
            new[i] = after
    value, bar = 0.0, np.empty(n)
    for i in range(n):
        miss = values[steps, i] - quotes[i]
        value += weights[i] * miss * miss
        bar[i] = 2.0 * weights[i] * miss
    volatility_bar, rate_bar = np.zeros((steps, n)), 0.0
    right_bar, ahead_bar = np.empty(n), np.empty(n)
    for t in range(steps - 1, -1, -1):
        old, new, ahead, inverse = values[t], values[t + 1], aheads[t], inverses[t]
        # the way back of the substitution, which ran from the last row to the first
        carried = 0.0
        for i in range(1, n - 1):
            whole = bar[i] + carried
            right_bar[i] = whole
            ahead_bar[i] = whole * new[i + 1]
            carried = whole * ahead[i]
        last_bar = bar[n - 1] + carried
        rate_bar += last_bar * strike * dt * (t + 1) * np.exp(-rate * dt * (t + 1))
        # what the elimination had stored is the solution less what is ahead of it
        bar[0] = bar[n - 1] = bar[n - 2] = 0.0
        through, more = 0.0, 0.0
        for i in range(n - 2, 0, -1):
            s = volatility[t, i] * ratio[i]
            diffusion, drift = 0.25 * dt * s * s, 0.5 * half * ratio[i]
            lower, upper, centre = diffusion - drift, diffusion + drift, 2.0 * diffusion + half
            over = inverse[i]
            stored = new[i] - ahead[i] * new[i + 1]
            stored_before = new[i - 1] - ahead[i - 1] * new[i] if i > 1 else 0.0
            given = (right_bar[i] + through) * over
            a_bar = (ahead_bar[i] + more) * over
            pivot_bar = -(given * stored + a_bar * ahead[i])
            through, more = given * lower, -pivot_bar * lower
            lower_bar = given * (stored_before + old[i - 1]) - pivot_bar * ahead[i - 1]
            upper_bar = a_bar + given * old[i + 1]
            centre_bar = pivot_bar - given * old[i]
            diffusion_bar = lower_bar + upper_bar + 2.0 * centre_bar
            volatility_bar[t, i] = 0.5 * dt * s * ratio[i] * diffusion_bar
            rate_bar += 0.25 * dt * ratio[i] * (upper_bar - lower_bar) + 0.5 * dt * centre_bar
            bar[i - 1], bar[i] = given * lower, bar[i] + given * (1.0 - centre)
            right_bar[i] = given * upper
        for i in range(1, n - 1):
            bar[i + 1] += right_bar[i]
    return value, volatility_bar, rate_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(volatility, rate, spots, weights, quotes, strike, dt):
        ratio = spots / (spots[1] - spots[0])

        def step(value, data):
            row, t = data
            diffusion, drift = 0.25 * dt * (row * ratio) ** 2, 0.25 * dt * rate * ratio
            lower, upper = (diffusion - drift)[1:-1], (diffusion + drift)[1:-1]
            centre = (2.0 * diffusion + 0.5 * dt * rate)[1:-1]
            right = (1.0 - centre) * value[1:-1] + lower * value[:-2] + upper * value[2:]
            last = spots[-1] - strike * jnp.exp(-rate * dt * (t + 1))

            def down(carried, data):
                low, up, c, r = data
                pivot = 1.0 + c - low * carried[0]
                new = up / pivot, (r + low * carried[1]) / pivot
                return new, new

            def up(after, data):
                new = data[1] + data[0] * after
                return new, new

            _, reduced = jax.lax.scan(down, (0.0, 0.0), (lower, upper, centre, right))
            _, inner = jax.lax.scan(up, last, reduced, reverse=True)
            return jnp.concatenate([jnp.zeros(1), inner, last[None]]), None

        begin = jnp.maximum(spots - strike, 0.0)
        value, _ = jax.lax.scan(step, begin, (volatility, jnp.arange(volatility.shape[0])))
        return jnp.sum(weights * (value - quotes) ** 2)

    return cost
