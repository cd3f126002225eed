"""Greeks, options in a portfolio: second derivatives of its value in the market's four numbers."""

import numpy as np
from scipy.special import ndtr

KIND, SIZE, TINY = "hessian", {"options": 200}, {"options": 4}


def arguments(options):
    draw = np.random.default_rng(0)
    strikes, years = draw.uniform(80.0, 120.0, options), draw.uniform(0.1, 2.0, options)
    return np.array([100.0, 0.25, 0.03, 0.01]), strikes, years, draw.integers(0, 2, options) * 2 - 1


def primal(market, strikes, years, sides):
    spot, vol, rate, dividend = market
    total = 0.0
    for i in range(len(strikes)):
        spread = vol * np.sqrt(years[i])
        d1 = (np.log(spot / strikes[i]) + (rate - dividend) * years[i]) / spread + 0.5 * spread
        d2 = d1 - spread
        stock, cash = spot * np.exp(-dividend * years[i]), strikes[i] * np.exp(-rate * years[i])
        if sides[i] > 0:
            total += stock * ndtr(d1) - cash * ndtr(d2)
        else:
            total += cash * ndtr(-d2) - stock * ndtr(-d1)
    return total


def jax_version():
    import jax.numpy as jnp
    from jax.scipy.special import ndtr

    def value(market, strikes, years, sides):
        spot, vol, rate, dividend = market
        spread = vol * jnp.sqrt(years)
        d1 = (jnp.log(spot / strikes) + (rate - dividend) * years) / spread + 0.5 * spread
        d2 = d1 - spread
        stock, cash = spot * jnp.exp(-dividend * years), strikes * jnp.exp(-rate * years)
        return jnp.sum(sides * (stock * ndtr(sides * d1) - cash * ndtr(sides * d2)))

    return value
