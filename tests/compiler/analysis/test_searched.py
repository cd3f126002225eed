"""Is it told that an argument only decides how a search goes on, and of nothing else that is compared?"""

import math
import warnings

import numpy as np
import pytest

import ast_ad


def residual(m, y):
    return m**3 + m - y


def bisection(y):
    low, high = 0.0, 10.0
    for _ in range(60):
        mid = 0.5 * (low + high)
        if residual(mid, y) < 0:
            low = mid
        else:
            high = mid
    return mid


def to_a_tolerance(y, tolerance=1e-12):
    a, b = 0.0, 10.0
    while b - a > tolerance:
        m = (a + b) / 2
        if m**3 + m < y:
            a = m
        else:
            b = m
    return (a + b) / 2


def by_products(y):
    a, b = 0.0, 10.0
    fa = residual(a, y)
    for _ in range(80):
        m = (a + b) / 2
        fm = residual(m, y)
        if fm == 0:
            return m
        elif fa * fm < 0:
            b = m
        else:
            a, fa = m, fm
    return m


def by_signs(y):
    a, b = 0.0, 10.0
    for _ in range(80):
        m = (a + b) / 2
        if np.sign(residual(a, y)) == np.sign(residual(m, y)):
            a = m
        else:
            b = m
        if b - a < 1e-13:
            break
    return m


def returned_from_within(y):
    low, high = 0.0, 10.0
    for _ in range(200):
        mid = (low + high) / 2
        v = residual(mid, y)
        if abs(v) < 1e-12 or high - low < 1e-13:
            return mid
        if v < 0:
            low = mid
        else:
            high = mid
    raise ValueError("none was found")


def in_pairs(y):
    low, high = 0.0, 10.0
    for _ in range(60):
        mid = (low + high) / 2
        low, high = (mid, high) if residual(mid, y) < 0 else (low, mid)
    return low


def multiplied(y):
    low, high = 0.0, 10.0
    for _ in range(60):
        mid = (low + high) / 2
        below = residual(mid, y) < 0
        low = low + below * (mid - low)
        high = high - (not below) * (high - mid)
    return low


def halved_steps(y):
    m, h = 5.0, 2.5
    for _ in range(60):
        m = m - h * np.sign(residual(m, y))
        h = h / 2
    return m


def golden_section(y):
    a, b = 0.0, 10.0
    r = (math.sqrt(5) - 1) / 2
    for _ in range(80):
        c = b - r * (b - a)
        d = a + r * (b - a)
        if (c - y) ** 2 < (d - y) ** 2:
            b = d
        else:
            a = c
    return (a + b) / 2


def root(f, low, high):
    for _ in range(60):
        mid = (low + high) / 2
        if f(mid) < 0:
            low = mid
        else:
            high = mid
    return mid


def by_a_helper(y):
    return root(lambda m: residual(m, y), 0.0, 10.0) ** 2


def of_arrays(y):
    ys = y * np.array([1.0, 2.0])
    low, high = np.zeros_like(ys), np.full_like(ys, 10.0)
    for _ in range(60):
        mid = 0.5 * (low + high)
        below = residual(mid, ys) < 0
        low = np.where(below, mid, low)
        high = np.where(below, high, mid)
    return np.sum(mid)


def stored(y):
    low, high = np.zeros(2), np.ones(2) * 10.0
    for _ in range(60):
        mid = 0.5 * (low + high)
        below = residual(mid, y) < 0
        low[below] = mid[below]
        high[~below] = mid[~below]
    return np.sum(mid)


SEARCHES = (
    bisection, to_a_tolerance, by_products, by_signs, returned_from_within, in_pairs, multiplied,
    halved_steps, golden_section, by_a_helper, of_arrays, stored,
)  # fmt: skip


def spikes(y):
    v, n = 0.0, 0.0
    for _ in range(50):
        v = v + 0.1 * (y - v)
        if v > 1.0:
            v = 0.0
            n += 1.0
    return n


def added_up(y):
    n = 0.0
    for t in np.linspace(0, 10, 20):
        if t > y:
            n += t
    return n


def best_of_a_grid(y):
    at, least = 0.0, 1e9
    for t in np.linspace(0, 10, 20):
        v = (t - y) ** 2
        if v < least:
            least, at = v, t
    return at


def counted(y):
    n = 0.0
    while y > 1:
        y /= 2
        n += 1.0
    return n


def ends_by_a_break(y):
    x = 3.0
    for _ in range(50):
        new = 0.5 * (x + 2.0 / x)
        if abs(new - x) < y:
            break
        x = new
    return x


def ends_by_a_return(y):
    x = 3.0
    for _ in range(50):
        new = 0.5 * (x + 2.0 / x)
        if abs(new - x) < y:
            return new
        x = new
    return x


def ends_by_its_condition(y):
    x, change = 3.0, 1.0
    while change > y * 1e-9:
        new = 0.5 * (x + 2.0 / x)
        change = abs(new - x)
        x = new
    return x


def masked(y):
    s = 0.0
    for t in range(10):
        s = s + np.where(t > y, 1.5 * t, t)
    return s


def with_a_step_of_newtons(y):
    mid = bisection(y)
    return mid - residual(mid, y) / (3 * mid**2 + 1)


OTHERS = (
    spikes, added_up, best_of_a_grid, counted, ends_by_a_break, ends_by_a_return, ends_by_its_condition,
    masked, with_a_step_of_newtons,
)  # fmt: skip


def told(f, backend, *args, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error", **options)(*args)
    return gradient, [str(one.message) for one in caught if one.category is ast_ad.ZeroGradientWarning]


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", SEARCHES)
def test_of_a_search_it_is_told(f, backend):
    gradient, [text] = told(f, backend, 2.5)
    assert gradient == 0.0 and "`y` is zero: it only decides how a search goes on" in text
    slope = (f(2.5 + 1e-4) - f(2.5 - 1e-4)) / 2e-4
    assert abs(slope) > 0.1  # by differences it is none


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize("f", OTHERS)
def test_of_other_comparisons_nothing_is_told(f):
    assert told(f, "numpy", 2.5)[1] == []


def test_the_step_that_the_message_advises_has_the_derivative():
    gradient, texts = told(with_a_step_of_newtons, "numpy", 2.5)
    assert texts == []
    assert gradient == pytest.approx(1.0 / (3.0 * bisection(2.5) ** 2 + 1.0), rel=1e-9)


def test_the_line_is_that_which_decides():
    _, [text] = told(bisection, "numpy", 2.5)
    assert text.endswith("if residual(mid, y) < 0:") and __file__ in text


def test_an_argument_that_nobody_chose():
    def scaled(x, y):
        return x * bisection(y)

    with warnings.catch_warnings():
        warnings.simplefilter("error", ast_ad.ZeroGradientWarning)
        ast_ad.vjp(scaled, 1.0, 2.5)
        assert told(scaled, "numpy", 1.0, 2.5)[1] == []
    assert len(told(scaled, "numpy", 1.0, 2.5, argnums=(0, 1))[1]) == 1


def test_one_part_of_an_argument():
    def of_two(p):
        return p["scale"] * bisection(p["y"])

    gradient, [text] = told(of_two, "numpy", {"scale": 2.0, "y": 2.5})
    assert gradient["y"] == 0.0 and "`p['y']`" in text
