"""Is what a function with a cache returned before what it returns still, as in a plain call?"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.5, 1.5])
RATE, TABLE, CONFIG, MODE = 2.0, np.ones(3), {"rate": 1.0}, "linear"


class Owner:
    def __init__(self):
        self.rate = 2.0

    @functools.lru_cache  # noqa: B019
    def scaled(self, n):
        return n * self.rate


OWNER = Owner()


def doubled(n):
    return n * RATE


@functools.lru_cache
def of_number(n):
    return n * RATE


@functools.cache
def of_array(n):
    return n * TABLE[0]


@functools.cache
def of_dict(n):
    return n * CONFIG["rate"]


@functools.lru_cache(8)
def of_text(n):
    return n * 2.0 if MODE == "linear" else n**2.0


@functools.lru_cache
def of_helper(n):
    return doubled(n)


@functools.lru_cache
def of_nothing(n, tolerance=0.5):
    return n * tolerance * math.pi + np.pi


def change():
    global RATE, MODE
    RATE, MODE = 5.0, "square"
    TABLE[0], CONFIG["rate"], OWNER.rate = 4.0, 7.0, 6.0


def restore():
    global RATE, MODE
    RATE, MODE = 2.0, "linear"
    TABLE[0], CONFIG["rate"], OWNER.rate = 1.0, 1.0, 2.0
    for cached in (of_number, of_array, of_dict, of_text, of_helper, Owner.scaled):
        cached.cache_clear()


READS = [
    lambda x: np.sum(x) * of_number(3),
    lambda x: np.sum(x) * of_array(3),
    lambda x: np.sum(x) * of_dict(3),
    lambda x: np.sum(x) * of_text(3),
    lambda x: np.sum(x) * of_helper(3) * RATE,
    lambda x: np.sum(x) * OWNER.scaled(3),
]


@pytest.mark.parametrize("f", READS)
def test_what_a_cache_holds_is_not_computed_anew(f: Any) -> None:
    restore()
    derivative = ast_ad.value_and_grad(f)
    for _ in range(2):
        value, gradient = derivative(X)
        assert value == f(X)
        np.testing.assert_allclose(np.sum(gradient * X), value)
        change()
    restore()


def test_a_function_with_a_cache_that_reads_nothing_is_compiled() -> None:
    gradient = ast_ad.grad(lambda x: np.sum(x) * of_nothing(3), fallback="error")
    np.testing.assert_allclose(gradient(X), of_nothing(3))


def of_an_array(x):
    return squares(x)


def of_a_list(x):
    return of_items([x[0]])


def of_a_tuple(x):
    return of_items((x[0], 2.0))


@functools.lru_cache
def squares(x):
    return np.sum(x * x)


@functools.cache
def of_items(items):
    return items[0] ** 2


@pytest.mark.parametrize("f", [squares, of_an_array, of_a_list])
@pytest.mark.parametrize("choices", [{}, {"check": False}])
def test_keys_without_a_hash_are_refused_as_by_python(f, choices):
    with pytest.raises(TypeError, match="unhashable type"):
        f(X)
    with pytest.raises(TypeError, match="unhashable type"):
        ast_ad.grad(f, **choices)(X)


def test_numbers_that_are_differentiated_are_keys():
    assert np.array_equal(ast_ad.grad(of_a_tuple)(X), [2 * X[0], 0.0])
