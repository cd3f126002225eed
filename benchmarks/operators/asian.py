"""Greeks, Asian option: second derivatives of a smoothed Monte Carlo price in the market's three numbers."""

import numpy as np

KIND, SIZE, TINY = "hessian", {"paths": 500, "steps": 24}, {"paths": 3, "steps": 2}


def arguments(paths, steps):
    normals = np.random.default_rng(0).normal(size=(paths, steps))
    return np.array([100.0, 0.25, 0.05]), normals, 100.0, 1.0


def primal(market, normals, strike, years):
    spot, vol, rate = market
    paths, steps = normals.shape
    dt = years / steps
    total = 0.0
    for i in range(paths):
        s, mean = spot, 0.0
        for k in range(steps):
            s *= np.exp((rate - 0.5 * vol**2) * dt + vol * np.sqrt(dt) * normals[i, k])
            mean += s / steps
        gain = mean - strike
        total += gain / (1.0 + np.exp(-gain))
    return np.exp(-rate * years) * total / paths


def jax_version():
    import jax.numpy as jnp

    def price(market, normals, strike, years):
        spot, vol, rate = market
        paths, steps = normals.shape
        dt = years / steps
        logs = jnp.cumsum((rate - 0.5 * vol**2) * dt + vol * jnp.sqrt(dt) * normals, axis=1)
        gain = jnp.mean(spot * jnp.exp(logs), axis=1) - strike
        return jnp.exp(-rate * years) * jnp.mean(gain / (1.0 + jnp.exp(-gain)))

    return price
