"""Is the second derivative right where a compiled program calls the derivative of a function that is traced?

The inner trace is over when its pullback is asked for its own: what it kept must still have its history.
"""

import math
from typing import NamedTuple

import numpy as np
import pytest

from ast_ad import grad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.5, -1.5, 2.0, 0.75])
S = 0.625


class Pair(NamedTuple):
    left: object
    right: object


def turns():
    """Numbers from an iterator that is asked in two places: who reads them is traced."""
    numbers = (i for i in range(1, 4))
    yield next(numbers)
    yield from numbers


def newton(x, s):
    t = x[-1]
    for _ in turns():
        t -= (t**3 - s) / (3 * t**2 + 1.0)
    return t * s


def newton_of_pythons(x, s):
    t = s
    for _ in turns():
        t -= (t**3 - 0.3 * s) / (3 * t**2 + 1.0)
    return t * np.sum(x**2)


def powers(x, s):
    return sum(s**i * x[0] ** i + x[i] ** 3 * s**2 for i in turns())


def of_math(x, s):
    return sum(math.exp(s * i) * math.sin(s) / (1.0 + s * s) for i in turns()) * np.sum(np.sin(x) * s)


def of_numpy(x, s):
    return sum(np.exp(x[1] * i) * np.sin(s) / np.sqrt(1.0 + s * s) for i in turns()) + np.prod(x * s)


def numbers_in_lists(x, s):
    rows = [x[0] * i * s for i in turns()]
    a, b = np.stack([*rows, s]), np.array([s * s, x[1] * s, s, x[0]])
    return np.dot(a, b) * np.sum(np.linalg.multi_dot([np.outer(a, b), np.outer(b, a), a]))


def numbers_in_pairs(x, s):
    return sum(np.prod(np.stack(Pair(s * i, x[0] * s))) + np.hypot(*Pair(s * i, x[1])) for i in turns())


def numbers_kept(x, s):
    kept = {}
    for i in turns():
        kept[i] = s * x[i] * kept.get(i - 1, 1.0)
    return np.sum(np.outer(x * s, list(kept.values())) ** 2)


def items(x, s):
    return sum((x * s).tolist()[i] ** 2 * x.item(i - 1) / float(1.0 + s * s) for i in turns())


def single_numbers(x, s):
    a = np.float64(s)
    for i in turns():
        a = np.maximum(a * s, -a) / i + a**2 * x[i]
    return a * abs(s)


FUNCTIONS = [
    newton, newton_of_pythons, powers, of_math, of_numpy, numbers_in_lists, numbers_in_pairs, numbers_kept,
    items, single_numbers,
]  # fmt: skip


def differences(h, x, s, step=1e-5):
    """The gradient of ``h`` by differences."""
    moves = [*np.eye(len(x) + 1) * step]
    return [(h(x + d[:-1], s + d[-1]) - h(x - d[:-1], s - d[-1])) / (2 * step) for d in moves]


def combined(f):
    """A sum of the entries of the gradient of ``f``, each with a weight of its own."""
    inner = grad(f, argnums=(0, 1))

    def h(x, s):
        of_x, of_s = inner(x, s)
        return np.sum(of_x * np.cos(np.arange(len(of_x)))) + 0.3 * of_s**2

    return inner, h


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivatives(function):
    inner, h = combined(function)
    outer = grad(h, argnums=(0, 1))
    for x, s in ((X, S), (X[::-1] * 0.8, -0.4), (X.copy(), np.float64(1.25))):
        of_x, of_s = outer(x, s)
        np.testing.assert_allclose([*of_x, of_s], differences(h, x, s), rtol=1e-6, atol=1e-6)
    assert outer.mode == "compiled"
    assert inner.mode == "fallback"


@pytest.mark.parametrize("function", [newton, of_math, single_numbers], ids=lambda f: f.__name__)
def test_third_derivatives(function):
    _, h = combined(combined(function)[1])
    of_x, of_s = grad(h, argnums=(0, 1))(X, S)
    np.testing.assert_allclose([*of_x, of_s], differences(h, X, S), rtol=1e-5, atol=1e-5)
