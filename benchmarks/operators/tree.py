"""Greeks, American put: second derivatives of a binomial tree's price, which is written in place."""

import numpy as np

KIND, SIZE, TINY = "hessian", {"steps": 200}, {"steps": 6}


def arguments(steps):
    return np.array([100.0, 0.25, 0.05]), 105.0, 1.0, steps


def primal(market, strike, years, steps):
    spot, vol, rate = market
    dt = years / steps
    up = np.exp(vol * np.sqrt(dt))
    down = 1.0 / up
    discount = np.exp(-rate * dt)
    p = (np.exp(rate * dt) - down) / (up - down)
    values = np.zeros(steps + 1)
    for j in range(steps + 1):
        values[j] = max(strike - spot * up ** (2 * j - steps), 0.0)
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            hold = discount * (p * values[j + 1] + (1.0 - p) * values[j])
            exercise = strike - spot * up ** (2 * j - i)
            values[j] = exercise if exercise > hold else hold
    return values[0]


def jax_version():
    import jax
    import jax.numpy as jnp

    def price(market, strike, years, steps):
        spot, vol, rate = market
        dt = years / steps
        log_up = vol * jnp.sqrt(dt)
        up = jnp.exp(log_up)
        discount = jnp.exp(-rate * dt)
        p = (jnp.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
        j = jnp.arange(steps + 1)
        values = jnp.maximum(strike - spot * jnp.exp(log_up * (2 * j - steps)), 0.0)

        def back(values, i):
            hold = discount * (p * jnp.roll(values, -1) + (1.0 - p) * values)
            return jnp.maximum(hold, strike - spot * jnp.exp(log_up * (2 * j - i))), None

        return jax.lax.scan(back, values, jnp.arange(steps - 1, -1, -1))[0][0]

    return price
