"""Greeks, Crank-Nicolson: second derivatives of an option's price on a grid, where each step is a system."""

import numpy as np

KIND, SIZE, TINY = "hessian", {"nodes": 60, "steps": 30}, {"nodes": 6, "steps": 2}


def arguments(nodes, steps):
    return np.array([100.0, 0.25, 0.05]), 97.0, 1.0, nodes, steps


def primal(market, strike, years, nodes, steps):
    spot, vol, rate = market
    dt = years / steps
    width = 3.0 / nodes
    price = np.zeros(nodes + 1)
    for j in range(nodes + 1):
        price[j] = max(spot * np.exp(j * width - 1.5) - strike, 0.0)
    drift = (rate - 0.5 * vol * vol) * dt / (4.0 * width)
    spread = vol * vol * dt / (4.0 * width * width)
    low, high = spread - drift, spread + drift
    middle = -2.0 * spread - 0.5 * rate * dt
    factor, right = np.zeros(nodes + 1), np.zeros(nodes + 1)
    for n in range(steps):
        top = spot * np.exp(1.5) - strike * np.exp(-rate * dt * (n + 1))
        for j in range(1, nodes):
            known = low * price[j - 1] + (1.0 + middle) * price[j] + high * price[j + 1]
            pivot = 1.0 - middle + low * factor[j - 1]
            factor[j] = high / pivot
            right[j] = (known + low * right[j - 1]) / pivot
        price[nodes] = top
        for j in range(nodes - 1, 0, -1):
            price[j] = right[j] + factor[j] * price[j + 1]
    return price[nodes // 2]


def jax_version():
    import jax
    import jax.numpy as jnp

    def value(market, strike, years, nodes, steps):
        spot, vol, rate = market
        dt = years / steps
        width = 3.0 / nodes
        price = jnp.maximum(spot * jnp.exp(jnp.arange(nodes + 1) * width - 1.5) - strike, 0.0)
        drift = (rate - 0.5 * vol * vol) * dt / (4.0 * width)
        spread = vol * vol * dt / (4.0 * width * width)
        low, high = spread - drift, spread + drift
        middle = -2.0 * spread - 0.5 * rate * dt

        def forward(carry, known):
            factor, right = carry
            pivot = 1.0 - middle + low * factor
            carry = high / pivot, (known + low * right) / pivot
            return carry, carry

        def back(after, row):
            factor, right = row
            now = right + factor * after
            return now, now

        def step(price, n):
            known = low * price[:-2] + (1.0 + middle) * price[1:-1] + high * price[2:]
            rows = jax.lax.scan(forward, (0.0 * low, 0.0 * low), known)[1]
            top = spot * jnp.exp(1.5) - strike * jnp.exp(-rate * dt * (n + 1))
            inner = jax.lax.scan(back, top, rows, reverse=True)[1]
            return jnp.concatenate((price[:1], inner, top[None])), None

        return jax.lax.scan(step, price, jnp.arange(steps))[0][nodes // 2]

    return value
