"""How do the functions of Python's ``statistics`` differentiate, which compute with fractions of integers?"""

import math
import statistics
from typing import Any

import numpy as np

from ..containers import array_from_list, list_fill
from ..helpers import list_from_array
from ..registry import elementwise, vjp

SQRT_2_PI = math.sqrt(2 * math.pi)


def items_of(bars, data):
    """The cotangents of the items, as what the data are."""
    if isinstance(data, tuple):
        return tuple([bars[i] for i in range(len(data))])
    return list_from_array(bars, data)


def values_of(data):
    return np.array(data) if isinstance(data, tuple) else array_from_list(data)


def deviations(data):
    values = values_of(data)
    return values - np.mean(values)


@vjp(statistics.mean)
def mean(g, ans, data):
    each = g / len(data)
    return ((each,) * len(data),) if isinstance(data, tuple) else list_fill(data, each)


@vjp(statistics.fmean)
def fmean(g, ans, data, weights=None):
    if weights is None:
        each = g / len(data)
        return (each,) * len(data) if isinstance(data, tuple) else list_fill(data, each), None
    each = g / math.fsum(weights)
    data_bar, weights_bar = each * values_of(weights), each * (values_of(data) - ans)
    return items_of(data_bar, data), items_of(weights_bar, weights)


@vjp(statistics.variance)
def variance(g, ans, data):
    return (items_of(g * 2 * deviations(data) / (len(data) - 1), data),)


@vjp(statistics.pvariance)
def pvariance(g, ans, data):
    return (items_of(g * 2 * deviations(data) / len(data), data),)


@vjp(statistics.stdev)
def stdev(g, ans, data):
    return (items_of(g * deviations(data) / ((len(data) - 1) * ans), data),)


@vjp(statistics.pstdev)
def pstdev(g, ans, data):
    return (items_of(g * deviations(data) / (len(data) * ans), data),)


@vjp(statistics.harmonic_mean)
def harmonic_mean(g, ans, data, weights=None):
    """``sum(w) / sum(w / x)``, all weights 1 if there are none; 0 where one of the data is."""
    values = values_of(data)
    if weights is None:
        return items_of(g * (ans / values) ** 2 / len(data), data), None
    shares, ratios = values_of(weights) / math.fsum(weights), ans / values
    weights_bar = g * ans * (1 - ratios) / math.fsum(weights)
    return items_of(g * shares * ratios**2, data), items_of(weights_bar, weights)


_inv_cdf: Any = vars(statistics).get("_normal_dist_inv_cdf")  # what ``NormalDist.inv_cdf`` calls


if _inv_cdf is not None:

    @elementwise(_inv_cdf)
    def inv_cdf(ans, p, mu, sigma):
        z = (ans - mu) / sigma
        return sigma * SQRT_2_PI * np.exp(z * z / 2), 1, z
