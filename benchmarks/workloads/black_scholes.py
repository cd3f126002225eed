"""Black-Scholes, Greeks: long elementwise chains with logarithms, exponentials and error functions."""

import numpy as np
from scipy.special import erf as erf_of_arrays

from benchmarks.compiled import compiled, erf, exp, log

SIZE, TINY, WRT = {"n": 100_000}, {"n": 6}, (0, 1, 2, 3)
ROOT_HALF, ROOT_TAU = 0.5**0.5, (2.0 * np.pi) ** 0.5


def arguments(n):
    draw = np.random.default_rng(2).uniform
    return draw(70, 130, n), draw(0.1, 3.0, n), draw(0.1, 0.6, n), 0.02, draw(70, 130, n)


def normal_cdf(x):
    return 0.5 + 0.5 * erf_of_arrays(x * ROOT_HALF)


def primal(spot, time, volatility, rate, strike):
    spread = volatility * np.sqrt(time)
    up = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / spread
    price = spot * normal_cdf(up) - strike * np.exp(-rate * time) * normal_cdf(up - spread)
    return np.mean(price)


@compiled
def hand(spot, time, volatility, rate, strike):
    n = spot.size
    spot_bar, time_bar, volatility_bar = np.empty(n), np.empty(n), np.empty(n)
    total, rate_bar, share = 0.0, 0.0, 1.0 / n
    for i in range(n):
        s, t, v, k = spot[i], time[i], volatility[i], strike[i]
        root = np.sqrt(t)
        spread = v * root
        drift = rate + 0.5 * v * v
        up = (log(s / k) + drift * t) / spread
        down = up - spread
        cdf_up, cdf_down = 0.5 + 0.5 * erf(up * ROOT_HALF), 0.5 + 0.5 * erf(down * ROOT_HALF)
        due = k * exp(-rate * t)
        total += s * cdf_up - due * cdf_down
        down_bar = -due * exp(-0.5 * down * down) / ROOT_TAU * share
        up_bar = s * exp(-0.5 * up * up) / ROOT_TAU * share + down_bar
        numerator_bar = up_bar / spread
        spread_bar = -down_bar - numerator_bar * up
        discount_bar = due * cdf_down * share  # of rate * t
        spot_bar[i] = cdf_up * share + numerator_bar / s
        time_bar[i] = 0.5 * spread_bar * v / root + numerator_bar * drift + discount_bar * rate
        volatility_bar[i] = spread_bar * root + numerator_bar * t * v
        rate_bar += numerator_bar * t + discount_bar * t
    return total * share, spot_bar, time_bar, volatility_bar, rate_bar


def generic_with(np, erf):
    def cdf(x):
        return 0.5 + 0.5 * erf(x * ROOT_HALF)

    def price(spot, time, volatility, rate, strike):
        spread = volatility * np.sqrt(time)
        up = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / spread
        return np.mean(spot * cdf(up) - strike * np.exp(-rate * time) * cdf(up - spread))

    return price


def jax_version():
    import jax

    return generic_with(jax.numpy, jax.scipy.special.erf)


def torch_version():
    import torch

    return generic_with(torch, torch.erf)


def autograd_version():
    import autograd.numpy
    import autograd.scipy.special

    return generic_with(autograd.numpy, autograd.scipy.special.erf)
