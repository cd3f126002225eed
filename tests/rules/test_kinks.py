"""Which value does a derivative have where the function has a kink, a tie, or a zero factor?"""

from __future__ import annotations

import math
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special as sp

sys.path.insert(0, str(Path(__file__).parent))

from sample import Sample

import ast_ad
import ast_ad.rules
from ast_ad import tracing as fallback
from ast_ad.rule.direct import cotangents
from ast_ad.rules.registry import lookup

ZERO, INF = np.zeros(1), np.inf


def gradient(fn: Any, *args: Any, **kwargs: Any) -> list[Any]:
    """The cotangents of a cotangent of ones, as lists."""
    primitive = lookup(fn)
    assert primitive is not None
    with np.errstate(all="ignore"):
        ans = fn(*args, **kwargs)
        found = cotangents(primitive, np.ones_like(ans), ans, Sample(args, kwargs))
    return [None if c is None else np.asarray(c).tolist() for c in found.values()]


@pytest.mark.parametrize(
    ("fn", "args", "expected"),
    [
        (np.abs, (ZERO,), [[0.0]]),
        (np.abs, (np.zeros(1, complex),), [[0.0]]),
        (np.maximum, (ZERO, 0.0), [[0.5], 0.5]),
        (np.minimum, (ZERO, 0.0), [[0.5], 0.5]),
        (np.maximum, (np.array([-INF]), -INF), [[0.5], 0.5]),
        (np.clip, (ZERO, 0.0, INF), [[0.0], 1.0, 0.0]),
        (np.clip, (np.ones(1), 0.0, 1.0), [[0.0], 0.0, 1.0]),
        (np.where, (np.array([True]), ZERO, 1.0), [None, [1.0], 0.0]),
        (np.sqrt, (ZERO,), [[INF]]),
        (np.cbrt, (ZERO,), [[INF]]),
        (np.hypot, (ZERO, ZERO), [[0.0], [0.0]]),
        (np.power, (ZERO, 2), [[0.0], None]),
        (np.power, (ZERO, 1), [[1.0], None]),
        (np.power, (ZERO, 0), [[0.0], None]),
        (np.power, (ZERO, 0.5), [[INF], 0.0]),
        (np.power, (ZERO, 2.0), [[0.0], 0.0]),
        (np.power, (ZERO, np.zeros(1)), [[0.0], [0.0]]),
        (np.sinc, (ZERO,), [[0.0]]),
        (np.logaddexp, (np.array([-INF]), np.array([-INF])), [[0.0], [0.0]]),
        (np.logaddexp, (np.array([-INF]), np.array([1.0])), [[0.0], [1.0]]),
        (np.logaddexp, (np.array([INF]), np.array([1.0])), [[1.0], [0.0]]),
        (np.max, (np.array([1.0, 3.0, 3.0]),), [[0.0, 0.5, 0.5]]),
        (np.min, (np.array([1.0, 1.0, 3.0, 1.0]),), [[1 / 3, 1 / 3, 0.0, 1 / 3]]),
        (np.max, (np.array([-INF, -INF]),), [[0.5, 0.5]]),
        (np.nanmax, (np.array([np.nan, 2.0]),), [[0.0, 1.0]]),
        (max, (2.0, 2.0), [0.5, 0.5]),
        (min, ([2.0, 2.0, 3.0],), [[0.5, 0.5, 0.0]]),
        (np.prod, (np.array([2.0, 0.0, 3.0]),), [[0.0, 6.0, 0.0]]),
        (np.prod, (np.array([2.0, 0.0, 0.0]),), [[0.0, 0.0, 0.0]]),
        (math.prod, ([2.0, 0.0, 3.0],), [[0.0, 6.0, 0.0]]),
        (np.cumprod, (np.array([2.0, 0.0, 3.0]),), [[1.0, 8.0, 0.0]]),
        (np.std, (np.ones(3),), [[0.0, 0.0, 0.0]]),
        (np.unique, (np.array([1.0, 1.0, 2.0]),), [[0.5, 0.5, 1.0]]),
        (math.hypot, (0.0, 0.0), [0.0, 0.0]),
        (np.sign, (np.array([0.0, 2.0]),), [None]),
    ],
)
def test_convention(fn: Any, args: tuple[Any, ...], expected: list[Any]) -> None:
    assert gradient(fn, *args) == expected


def test_legendre_functions_have_slopes_at_their_ends_where_they_have_values() -> None:
    cases = [(0, 3, 1.0, 6.0), (0, 3, -1.0, 6.0), (1, 2, 1.0, INF), (1, 2, -1.0, INF), (2, 2, 1.0, -6.0)]
    cases += [(-2, 2, -1.0, 0.25), (3, 4, 1.0, 0.0), (0, 2, 1.5, 4.5)]
    without = [(2, 2, 1.5), (-2, 0, 1.0), (-1, 0, -1.0), (2, 0.5, -1.0), (1, 2, -2.0)]
    for m, v, x, slope in [*cases, *((*case, np.nan) for case in without)]:
        (found,) = (c for c in gradient(sp.lpmv, m, v, np.array([x])) if c is not None)
        np.testing.assert_allclose(found, [slope], rtol=1e-14, err_msg=f"{m}, {v}, {x}")


def test_nan_reaches_the_gradient_of_an_extremum() -> None:
    (x_bar,) = gradient(np.max, np.array([1.0, np.nan]))
    assert np.isnan(x_bar).all()


def test_later_write_wins() -> None:
    from ast_ad.rules.helpers import setitem

    _, _, v_bar = gradient(setitem, np.zeros(2), np.array([0, 0, 1]), np.array([1.0, 2.0, 3.0]))
    assert v_bar == [0.0, 1.0, 1.0]


def test_a_masked_infinite_partial_stays_out() -> None:
    from ast_ad.rules.helpers import safe_product

    assert safe_product(0.0, INF) == 0 and safe_product(2.0, INF) == INF


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("value", [0.253, 0.1, 1 / 3, 1e8 / 7, -3.3])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_the_deviation_of_equal_numbers_has_gradient_zero_however_their_mean_is_rounded(value, backend):
    def f(x, s):
        return np.std(np.full(6, s)) + np.sum(np.std(x, axis=1, ddof=1))

    x_bar, s_bar = ast_ad.grad(f, argnums=(0, 1), backend=backend)(np.full((2, 7), value), value)
    assert s_bar == 0 and not x_bar.any()


def test_second_order_of_what_is_masked():
    """The branch that is not taken is infinite: neither derivative may see that."""

    def masked(x):
        u = x * x
        return np.sum(np.where(u > 9, np.tan(np.inf * u), u))

    def along(direction, x):
        return np.sum(ast_ad.grad(masked)(x) * direction)

    x, direction = np.array([0.3, 0.2, 0.7]), np.array([1.0, 0.5, 0.3])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(ast_ad.grad(along, argnums=1)(direction, x), 2 * direction)


@pytest.mark.parametrize("turns", [1, 3])
def test_second_order_of_what_is_masked_in_a_loop(turns):
    """What a loop saves for its sweep is masked item by item."""

    def masked(x):
        u, total = x * 1.0, 0.0
        for _ in range(turns):
            u = u * u
            total = total + np.sum(np.where(u > 9, np.tan(np.inf * u), u))
        return np.sum(u) + total

    def along(direction, x):
        return np.sum(ast_ad.grad(masked)(x) * direction)

    x, direction = np.array([0.3, 0.2, 0.7]), np.array([1.0, 0.5, 0.3])
    powers = [2**k for k in range(1, turns + 1)]
    expected = sum(p * (p - 1) * x ** (p - 2) * direction for p in [*powers, powers[-1]])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ast_ad.grad(along, argnums=1)(direction, x), expected, rtol=1e-12)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_equal_numbers_share_the_gradient_of_pythons_extrema(backend):
    def f(x):
        squares = [t * t for t in x if t > 0.0]
        return 3.0 * max(squares, default=-x[0]) + min((t * t for t in x if t > 0.0), default=2.0)

    x = np.array([0.5, -3.0, 0.5])
    derivative = ast_ad.grad(f, backend=backend, fallback="error")
    np.testing.assert_allclose(derivative(x), [2.0, 0.0, 2.0])
    _, pullback = fallback.trace(f, [x], {}, [0])
    np.testing.assert_allclose(pullback([1.0])[0], [2.0, 0.0, 2.0])
    np.testing.assert_allclose(derivative(-x), [0.0, 24.0, 0.0])
    np.testing.assert_allclose(derivative(np.array([-1.0, -2.0])), [-3.0, 0.0])


@pytest.mark.parametrize("fn", [np.nanmean, np.nanvar, np.nanstd], ids=lambda fn: fn.__name__)
def test_rows_of_too_few_numbers(fn):
    """Their results are NaN, and where these are not chosen they contribute nothing."""
    a = np.array([[1.0, np.nan], [2.0, 3.5], [np.nan, np.nan]])
    options = {} if fn is np.nanmean else {"ddof": 1}

    def chosen(a):
        found = fn(a, axis=1, **options)
        return np.sum(np.where(np.isnan(found), 0, found))

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ast_ad.grad(chosen, fallback="error")(a)
        row = ast_ad.grad(lambda row: fn(row, **options), fallback="error")(a[1])
    np.testing.assert_allclose(found[1], row)
    assert found[0].tolist() == [1.0 if fn is np.nanmean else 0.0, 0.0] and not np.any(found[2])


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_nan_is_pythons_extremum_where_it_comes_first(backend):
    """No number beats it there, and it beats none elsewhere."""
    nan = math.nan
    for pick in (lambda a, b, c: max(a, b, c), lambda a, b, c: min(a, b, c)):
        gradient = ast_ad.grad(pick, (0, 1, 2), backend=backend)
        assert gradient(nan, 2.0, 2.0) == (1.0, 0.0, 0.0)
        assert gradient(2.0, nan, 2.0) == (0.5, 0.0, 0.5)
        assert gradient(nan, nan, 1.0) == (1.0, 0.0, 0.0)
        assert np.isnan(pick(nan, 2.0, 2.0))
