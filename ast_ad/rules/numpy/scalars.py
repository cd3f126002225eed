"""How do Python's own functions of numbers and lists of numbers differentiate?"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from ..containers import array_from_list, list_fill
from ..helpers import exact_product, list_from_array, unbroadcast
from ..partials import polygamma, ratio
from ..registry import elementwise, vjp
from .cumulative import exclusive_product

TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)

# ----- conversions -----


def conversion(ans, x):
    return 1


for _type in (float, np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128):
    elementwise(_type, view=True)(conversion)


@elementwise(builtins.complex)
def complex_rule(ans, real=0.0, imag=0.0):
    return 1, 1j


# ----- special functions -----


@elementwise(math.erf)
def erf(ans, x):
    return TWO_OVER_SQRT_PI * np.exp(-x * x)


@elementwise(math.erfc)
def erfc(ans, x):
    return -TWO_OVER_SQRT_PI * np.exp(-x * x)


@elementwise(math.gamma)
def gamma(ans, x):
    return ans * polygamma(0, x)


@elementwise(math.lgamma)
def lgamma(ans, x):
    return polygamma(0, x)


# ----- several numbers -----


@vjp(math.hypot)
def hypot(g, ans, *coordinates):
    return tuple(g * ratio(x, ans) for x in coordinates)


@vjp(math.dist)
def dist(g, ans, p, q):
    p_bar = g * ratio(array_from_list(p) - array_from_list(q), ans)
    return list_from_array(p_bar, p), list_from_array(-p_bar, q)


@vjp(math.fsum)
def fsum(g, ans, seq):
    return list_fill(seq, g)


@vjp(builtins.sum)
def sum_rule(g, ans, iterable, start=0):
    number = isinstance(iterable, list) and np.ndim(iterable[0]) == 0
    return [g] * len(iterable) if number else list_fill(iterable, g), unbroadcast(g, start)


@vjp(math.prod)
def prod(g, ans, iterable, start=1):
    values = array_from_list(iterable)
    others = exclusive_product(values, 0) * start
    return list_from_array(g * np.conj(others), iterable), g * np.conj(np.prod(values))


@vjp(builtins.max)
def max_rule(g, ans, *values):
    """Equal extrema share the gradient evenly; the others have none, whatever it is."""
    if len(values) == 1:
        return of_list(g, ans, values[0])
    if len(values) == 2:
        x, y = values
        return of_two(g, x, y, y > x)
    beaten = [
        builtins.sum([other > value for j, other in enumerate(values) if j != i])
        for i, value in enumerate(values)
    ]
    return of_several(g, values, beaten)


@vjp(builtins.min)
def min_rule(g, ans, *values):
    if len(values) == 1:
        return of_list(g, ans, values[0])
    if len(values) == 2:
        x, y = values
        return of_two(g, x, y, y < x)
    beaten = [
        builtins.sum([other < value for j, other in enumerate(values) if j != i])
        for i, value in enumerate(values)
    ]
    return of_several(g, values, beaten)


def of_list(g: Any, ans: Any, values: Any) -> Any:
    picked = array_from_list(values) == ans
    return list_from_array(exact_product(g, picked / np.sum(picked)), values)


# Of a few numbers, values are compared with each other and never with the extremum: where they are computed
# again, and it is not, none may equal it to the last bit.
def of_two(g: Any, x: Any, y: Any, beaten: Any) -> tuple[Any, Any]:
    """Python's extremum is the first number unless the other one beats it."""
    share = beaten + 0.5 * (x == y)
    return exact_product(g, 1.0 - share), exact_product(g, share)


def of_several(g: Any, values: Any, beaten: Any) -> Any:
    """``beaten``: by how many others each number is. NaN is by none, and the extremum if it comes first."""
    first = values[0] == values[0]
    others = [(n == 0) & (value == value) & first for value, n in zip(values[1:], beaten[1:], strict=True)]
    picked = [beaten[0] == 0, *others]
    ties = builtins.sum(picked)
    return tuple(exact_product(g, one / ties) for one in picked)


# ----- newer Python versions -----


def sumprod(g, ans, p, q):
    return list_from_array(g * array_from_list(q), p), list_from_array(g * array_from_list(p), q)


def fma(ans, x, y, z):
    return y, x, 1


if hasattr(math, "sumprod"):
    vjp(math.sumprod)(sumprod)
if hasattr(math, "fma"):
    elementwise(math.fma)(fma)
