"""Do small programs of every style have the gradient that differences give?"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ast_ad

PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def program(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program with the arguments that it is differentiated at (all of them)."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, args))
        return function

    return register


def differences(function: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
    """Central differences with one step of extrapolation."""
    found = []
    for i, arg in enumerate(args):
        flat = np.array(arg, dtype=float).ravel()
        gradient = np.zeros(flat.size)
        for j in range(flat.size):
            slopes = []
            for step in (2e-4, 1e-4):
                values = []
                for sign in (1, -1):
                    moved = flat.copy()
                    moved[j] += sign * step
                    new = moved.reshape(np.shape(arg)) if isinstance(arg, np.ndarray) else float(moved[0])
                    values.append(float(function(*(*args[:i], new, *args[i + 1 :]))))
                slopes.append((values[0] - values[1]) / (2 * step))
            gradient[j] = (4 * slopes[1] - slopes[0]) / 3
        found.append(gradient.reshape(np.shape(arg)))
    return found


@program(0.4, 2.5)
def returns_from_elif(x: float, a: float) -> float:
    if x == 1.0:
        return a
    elif x == 0.0:
        return x
    return a / x


@program(0.4)
def breaks_from_elif(x: float) -> float:
    total = 0.0
    for i in range(6):
        if i == 1:
            continue
        elif total > 2.0 * x:
            break
        total += x * math.sin(x * i + 0.5)
    return total


@program(0.4, -0.9)
def nested_choices(x: float, y: float) -> float:
    positive = x >= 0.0
    total = x + y
    if (positive and total < 0.0) or (not positive and total > 0.0):
        y = -0.5 * x
    return x + y * (x and (y or x) and total)


@program(np.array([0.4, -0.9, 1.3]))
def folds_with_branches(x: np.ndarray) -> float:
    def larger(a: float, b: float) -> float:
        if a * a > b:
            return a * b
        return b - a

    return functools.reduce(larger, x, 0.7) + sum(larger(v, 0.2) for v in x)


def fourier(x: np.ndarray) -> np.ndarray:
    n = len(x)
    if n == 1:
        return x
    even, odd = fourier(x[::2]), fourier(x[1::2])
    turn = np.exp(-2j * np.pi * np.arange(n // 2) / n)
    return np.concatenate([even + turn * odd, even - turn * odd])


@program(np.array([0.4, -0.9, 1.3, 0.2, -0.7, 0.5, 1.1, -1.6]))
def recursion_on_a_length(x: np.ndarray) -> float:
    return (np.abs(fourier(x * (1 + 0j))) * np.arange(8.0)).sum()


@program(np.array([[0.5, 1.2, -0.3], [0.8, -0.6, 1.7]]))
def integer_weights(x: np.ndarray) -> float:
    return np.average(x, weights=[[1, 2, 3], [4, 5, 6]])


@program(0.4)
def write_into_a_number(x: float) -> float:
    y = np.asarray(x * x)
    mask = y > 0.0
    out = np.zeros(())
    out[mask] = y[mask] * x
    return out[()]


@program(0.4)
@program(2.5)
def method_chosen_at_run_time(x: float) -> float:
    method = "laminar" if x > 1.0 else "turbulent"
    if method == "laminar":
        return x**2
    elif method != "turbulent":
        return 0.0
    return x**3


POINTS = np.array([0.0, 1.0, 4.0])


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: np.where(x > 0, x * np.log(x), 0.0).sum(), [0.0, 1.0, 1.0 + math.log(4.0)]),
        (lambda x: np.clip(np.log(x), -3.0, 3.0).sum(), [0.0, 1.0, 0.25]),
        (lambda x: np.maximum(np.sqrt(x), 0.1).sum(), [0.0, 0.5, 0.25]),
        (lambda x: np.nan_to_num(np.sqrt(x - 2.0)).sum(), [0.0, 0.0, 0.5 / math.sqrt(2.0)]),
        (lambda x: np.nan_to_num(np.sqrt(x - 2.0), True, 0.5).sum(), [0.0, 0.0, 0.5 / math.sqrt(2.0)]),
        (lambda x: np.nansum(np.where(x > 0, 2.0 * np.log(x), np.nan)), [0.0, 2.0, 0.5]),
    ],
)
def test_what_is_not_selected_has_no_share(function: Callable[..., Any], expected: list[float]) -> None:
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ast_ad.grad(function)(POINTS), expected)


def filled(x: np.ndarray, nan: float, high: float, low: float) -> float:
    """By position, and in the place of what it is given."""
    y = x * 2
    z = np.nan_to_num(y, False, nan, high, low)
    return np.sum(z * np.arange(6)) + np.sum(y)


@pytest.mark.slow
def test_numbers_for_what_is_none_come_by_position() -> None:
    x = np.array([0.3, np.nan, np.inf, -np.inf, 0.7, np.nan])
    derivative = ast_ad.value_and_grad(filled, argnums=(0, 1, 2, 3))
    value, gradients = derivative(x, 0.3, 1.2, -0.7)
    assert derivative.mode == "compiled"
    assert value == filled(x.copy(), 0.3, 1.2, -0.7)
    np.testing.assert_array_equal(gradients[0], [2.0, 0.0, 0.0, 0.0, 10.0, 0.0])
    assert gradients[1:] == (8.0, 3.0, 4.0)


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize(("function", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_gradient(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    before = repr(args)
    value, gradients = ast_ad.value_and_grad(function, argnums=tuple(range(len(args))))(*args)
    assert repr(args) == before
    assert np.isclose(value, function(*args), rtol=1e-12)
    for found, expected in zip(gradients, differences(function, args), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.slow
def test_compiled_code_that_fills_its_argument_is_refused() -> None:
    ndimage = pytest.importorskip("scipy.ndimage")

    def f(c: np.ndarray) -> float:
        return ndimage.fourier_gaussian(np.arange(12.0).reshape(4, 3) ** 2, c).sum()

    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(f, fallback="error")(np.array([0.5, 1.2]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("norm.pdf", (np.array([0.3, -1.2]), 0.1, 1.3)),
        ("gamma.logpdf", (np.array([0.3, 1.2]), 1.4)),
        ("expon.cdf", (np.array([0.3, 1.2]), 0.1, 1.3)),
        ("norm.ppf", (np.array([0.3, 0.7]),)),
        ("skew", (np.array([0.3, 1.2, 0.7]),)),
        ("gmean", (np.array([0.3, 1.2, 0.7]),)),
    ],
)
def test_statistics_of_scipy(name: str, args: tuple[Any, ...]) -> None:
    stats = pytest.importorskip("scipy.stats")
    method = stats
    for part in name.split("."):
        method = getattr(method, part)

    def f(*parameters: Any) -> float:
        return np.sum(method(*parameters))

    value, gradients = ast_ad.value_and_grad(f, argnums=tuple(range(len(args))))(*args)
    assert np.isclose(value, f(*args), rtol=1e-12)
    for found, expected in zip(gradients, differences(f, args), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


SPREAD = np.array([1e16, 1.0, -1e16, 0.1])


def sum_of_array(x: np.ndarray, s: float) -> float:
    return math.fsum(x) * s


def sum_of_list(x: np.ndarray, s: float) -> float:
    seen = []
    for v in x:
        seen.append(v * s)
    return math.fsum(seen)


def sum_of_tuple(x: np.ndarray, s: float) -> float:
    return math.fsum((x[0], s, -x[0], 2))


def sums_of_generators(x: np.ndarray, s: float) -> float:
    return math.fsum(s * math.fsum(v * s for v in x[i:]) for i in range(2))


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("function", [sum_of_array, sum_of_list, sum_of_tuple, sums_of_generators])
def test_fsum_rounds_once(function: Callable[..., Any]) -> None:
    value, gradient = ast_ad.value_and_grad(function, argnums=(0, 1), fallback="error")(SPREAD, 0.3)
    expected = function(SPREAD, 0.3)
    assert value == expected and type(value) is type(expected)
    smooth = np.array([0.3, 1.0, -0.2, 0.1])
    _, gradient = ast_ad.value_and_grad(function, argnums=(0, 1))(smooth, 0.3)
    for found, wanted in zip(gradient, differences(function, (smooth, 0.3)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-7)


@pytest.mark.slow
def test_a_gradient_keeps_single_precision_where_a_cotangent_is_the_number_zero() -> None:
    def f(x: np.ndarray, n: int) -> float:
        u = math.exp(-(x[0] ** 2))
        for _ in range(n):
            u = np.flip(x)
        total = np.sum(np.sin(u))
        for _ in range(x.shape[0]):
            return np.sum(x)
        return total

    gradient = ast_ad.grad(f)(np.array([1.0, 2.0], np.float32), 3)
    assert gradient.dtype == np.float32 and np.all(gradient == 1)
