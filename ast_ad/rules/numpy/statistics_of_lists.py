"""How do the functions of Python's ``statistics`` differentiate, which compute with fractions of integers?"""

import statistics

import numpy as np

from ..containers import array_from_list, list_fill
from ..helpers import list_from_array
from ..registry import vjp


def items_of(bars, data):
    """The cotangents of the items, as what the data are: those of the one argument that there is."""
    if isinstance(data, tuple):
        return (tuple([bars[i] for i in range(len(data))]),)
    return list_from_array(bars, data)


def deviations(data):
    values = np.array(data) if isinstance(data, tuple) else array_from_list(data)
    return values - np.mean(values)


@vjp(statistics.mean, statistics.fmean)
def mean(g, ans, data):
    each = g / len(data)
    return ((each,) * len(data),) if isinstance(data, tuple) else list_fill(data, each)


@vjp(statistics.variance)
def variance(g, ans, data):
    return items_of(g * 2 * deviations(data) / (len(data) - 1), data)


@vjp(statistics.pvariance)
def pvariance(g, ans, data):
    return items_of(g * 2 * deviations(data) / len(data), data)


@vjp(statistics.stdev)
def stdev(g, ans, data):
    return items_of(g * deviations(data) / ((len(data) - 1) * ans), data)


@vjp(statistics.pstdev)
def pstdev(g, ans, data):
    return items_of(g * deviations(data) / (len(data) * ans), data)
