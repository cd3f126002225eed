"""Is the order of objects in lists the one that their class says, and not that of tuples?"""

import functools
import operator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

import ast_ad

X = np.array([0.4, -1.1, 0.7, 0.2])


class Large:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return abs(self.v) < abs(other.v)


@functools.total_ordering
class Total(Large):
    def __eq__(self, other):
        return self.v == other.v


@dataclass(frozen=True)
class Frozen:
    v: float

    def __gt__(self, other):
        return self.v**2 > other.v**2

    def __lt__(self, other):
        return self.v**2 < other.v**2


@dataclass(order=True)
class Ranked:
    """Of equal ranks the first one is the least, whatever ``v`` is."""

    rank: float = 1.0
    v: float = field(default=0.0, compare=False)


class Backwards(NamedTuple):
    v: float

    def __lt__(self, other):
        return self.v > other.v

    def __gt__(self, other):
        return self.v < other.v


class Plain(NamedTuple):
    v: float
    w: float = 0.5


def ranked(v):
    return Ranked(1.0, v)


MAKERS = [Large, Total, Frozen, ranked, Backwards, Plain]


def largest(make, x):
    return max([make(v) for v in x]).v * x[0]


def least(make, x):
    return min([make(v) for v in x]).v * x[0]


def in_order(make, x):
    parts = sorted([make(v) for v in x])
    parts.sort(reverse=True)
    return sum(i * part.v for i, part in enumerate(parts))


def in_tuples(make, x):
    return sorted([(int(v > 0), make(v)) for v in x])[-1][1].v * x[0]


def least_of_keys(make, x):
    return min(x, key=make) * x[1] + sorted(x, key=lambda v: make(-v))[0]


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("f", [largest, least, in_order, in_tuples, least_of_keys])
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_the_class_says_which_is_less(f, make):
    derivative = ast_ad.value_and_grad(f, argnums=1, check=False)
    for x in (X, -X[:3], X[::-1]):
        value, gradient = derivative(make, x)
        assert value == f(make, x)
        slopes = [(f(make, x + d) - f(make, x - d)) / 2e-6 for d in 1e-6 * np.eye(len(x))]
        np.testing.assert_allclose(gradient, slopes, atol=1e-8)


@pytest.mark.parametrize("make", [Plain, operator.neg], ids=["named tuple", "number"])
def test_what_is_compared_as_tuples_is_compiled(make):
    def f(x):
        parts = sorted([make(v) for v in x])
        return np.sum(parts[0]) * x[0]

    derivative = ast_ad.value_and_grad(f, fallback="error", check=False)
    for x in (X, -X[:3]):
        assert derivative(x)[0] == f(x)
