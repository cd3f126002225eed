"""Are numbers rounded to integers in kernels as Python and NumPy round them, at the very edges, too?"""

import math

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code

GRID = np.arange(1, 60) * 0.1  # multiples of what is divided by: one bit decides
TABLE = np.sin(np.arange(70.0))


def by_int(x, t):
    total = 0.0
    for v in x:
        i = int(v / 0.1)
        total += t[i] * (v - i * 0.1)
    return total


def by_floor(x, t):
    total = 0.0
    for k in range(len(x)):
        i = math.floor((x[k] - 0.05) / 0.1 + 0.5)
        total += t[i] * x[k]
    return total


def by_ceil(x, t):
    n, total = math.ceil(x[3] * 10.0), 0.0
    for i in range(n):
        total += t[i] * x[i]
    return total


def by_round(x, t):
    total = 0.0
    for k in range(len(x)):
        total += t[round(x[k] / 0.2)] * x[k] * int(-x[k] / 0.3)
    return total


def by_numpy(x, t):
    total = 0.0
    for k in range(len(x)):
        total += t[int(np.floor(x[k] * 10.0))] * x[k]
    return total


def arrays(x, t):
    i = (x / 0.1).astype(int)
    return np.sum(t[i] * (x - 0.1 * i) + np.round(x / 0.2) * x + np.rint(-x / 0.6) * x)


def steps(x, t):
    return np.sum(np.trunc(x / 0.1) * x + np.fix(-x * 10) * x + np.around(x / 0.3) * x + np.nan_to_num(x))


def decimals(x, t):
    return np.sum(np.round(x * 1.005, 2) * x + np.round(100 * x, decimals=-1) * x + np.around(x, 1))


def periodic(x, t):
    d = x[:, None] - x[None, :]
    d -= 0.6 * np.round(d / 0.6)
    return np.sum(d**4)


def parts(x, t):
    fraction, whole = np.modf(x / 0.1)
    quotient, rest = np.divmod(x, 0.1)
    return np.sum(fraction * t[whole.astype(int)] + rest * quotient * x)


def binned(x, t):
    i = np.digitize(x, np.linspace(0.0, 6.0, 61))
    return np.sum(t[i] * x) + np.sum(t[np.digitize(x * x, t[:1] + np.arange(40.0), right=True)] * x)


def signs(x, t):
    return np.sum(np.signbit(x - 1.2) * x + np.logical_xor(x > 1.2, x / 0.1 > 24) * x)


def until(x, t):
    now, total, n = 0.0, 0.0, 0
    while now < x[30]:
        total += t[n] * x[n]
        now = now + 0.1 * x[9]
        n += 1
    return total


def by_a_buffer(x, t):
    y = np.zeros_like(x)
    for k in range(len(x)):
        y[k] = x[0] + k * 0.1
    for k in range(1, len(x)):
        y[k] = y[k] / 0.1
    total = 0.0
    for k in range(1, len(x) - 1):
        total += t[int(y[k])] * x[k]
    return total


PROGRAMS = [by_int, by_floor, by_ceil, by_round, by_numpy, arrays, steps, decimals, periodic, parts, binned,
            signs, until, by_a_buffer]  # fmt: skip


@pytest.mark.drawn(of=6)
@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")  # by NumPy 2.5
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_and_gradients(f, dtype, monkeypatch):
    """Every decision is NumPy's, in kernels only."""
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    x, t = GRID.astype(dtype), TABLE.astype(dtype)
    if f is binned and dtype is np.float32:
        pytest.skip("searches in single precision are NumPy's")
    f(x, t)
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    value, bar = derivative(x, t)
    expected, plain = ast_ad.value_and_grad(f, backend="numpy", check=False)(x, t)
    close = 1e-12 if dtype is np.float64 else 2e-5
    assert value == pytest.approx(f(x, t), rel=close)
    assert np.asarray(value).dtype == np.asarray(expected).dtype and bar.dtype == dtype
    np.testing.assert_allclose(bar, plain, rtol=close, atol=close)
    if dtype is np.float64:  # `total = 0.0` and then a float32 are of two types
        assert "NumPy code" not in derivative.explain()


def number_by_int(s, t):
    return t[int(s / 0.1)] * s


def number_by_floor(s, t):
    return t[math.floor(s / 0.1 * 1.0)] * s + t[int(np.ceil(s / 0.3))]


def number_compared(s, t):
    quotient = s / 0.1
    return s if quotient == round(quotient) else t[3] * s


def number_of_turns(s, t):
    total, turns = 0.0, 0
    while turns < s / 0.1:
        total += t[turns] * s
        turns += 1
    return total


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", [number_by_int, number_by_floor, number_compared, number_of_turns])
def test_numbers_of_python(f, monkeypatch):
    """Their division looks for a zero: another operation than that of NumPy's numbers."""
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    plain = ast_ad.value_and_grad(f, backend="numpy", check=False)
    for s in (GRID * 1.0).tolist():
        (value, bar), (expected, right) = derivative(s, TABLE), plain(s, TABLE)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-12), s
        assert bar == pytest.approx(right, rel=1e-12, abs=1e-12), s


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("x", [math.nan, math.inf, 1e19, -1e300])
@pytest.mark.parametrize("fn", [int, round, math.floor, math.ceil, math.trunc])
def test_what_is_no_index(fn, x):
    """Infinities raise what Python raises; large numbers are Python's integers."""

    def f(a, t):
        n, total = 0, 0.0
        for k in range(len(a)):
            n = fn(a[k])
            total += a[k] * (n % 7) if abs(n) > 5 else a[k]
        return total

    derivative = ast_ad.grad(f, backend="numba", check=False)
    derivative(GRID, TABLE)
    bad = GRID.copy()
    bad[20] = x
    try:
        expected = ast_ad.grad(f, backend="numpy", check=False)(bad, TABLE)
    except (ValueError, OverflowError) as error:
        with pytest.raises(type(error), match="cannot convert float"):
            derivative(bad, TABLE)
    else:
        np.testing.assert_array_equal(derivative(bad, TABLE), expected)


@pytest.mark.parametrize(
    "bins", [np.linspace(6, 0, 20), np.array([0.0, 3.0, 2.0]), np.array([0.0, math.nan]), np.array([])]
)
def test_bins_that_do_not_ascend(bins):
    def f(x, b):
        return np.sum(np.digitize(x, b) * x)

    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    derivative(GRID, np.linspace(0, 6, 20))
    try:
        expected = f(GRID, bins)
    except ValueError:
        with pytest.raises(ValueError, match="monoton"):
            derivative(GRID, bins)
    else:
        assert derivative(GRID, bins)[0] == pytest.approx(expected, rel=1e-13)


def test_single_precision_within_a_double_is_no_defect():
    """The sum in single precision is another one in kernels, by more than doubles may differ."""

    def f(x):
        z = np.abs(x).astype(np.float32)
        return np.sum(x) + np.sum(z * z)

    derivative = ast_ad.value_and_grad(f, backend="numba", fallback="error")
    assert derivative(np.linspace(0.3, 4.2, 30))[0] == pytest.approx(f(np.linspace(0.3, 4.2, 30)), rel=1e-6)


def larger_in_a_table(p):
    """The price of an American option on a lattice of few steps."""
    s, d, u = p[0], p[1], 1.0 + p[2]
    v = np.zeros(4)
    for j in range(4):
        v[j] = max(100.0 - s * u ** (2 * j - 3), 0.0)
    for i in range(2, -1, -1):
        for j in range(i + 1):
            v[j] = max(d * (0.6 * v[j + 1] + 0.4 * v[j]), 100.0 - s * u ** (2 * j - i), -1.0 - s * u)
    return v[0] + min(s * u - 3.0, p[1] * s * u * 7.0)


@pytest.mark.parametrize("ask", [ast_ad.linearize, ast_ad.vjp], ids=["linearize", "vjp"])
def test_one_of_several_numbers_is_the_largest_though_they_are_rounded_anew(ask):
    """Kernels round ``100 - s * q`` once or twice; the cotangent goes to one of the numbers nevertheless."""
    plain = ast_ad.grad(larger_in_a_table, backend="numpy")
    kernels = ask(ast_ad.grad(larger_in_a_table), backend="numba", check=False)
    for p in np.random.default_rng(0).uniform((95.0, 0.9, 0.05), (105.0, 0.99, 0.2), (40, 3)):
        expected = plain(p)
        found, _ = kernels(p)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def slope(x, a):
    total = 0.0
    for k in range(len(x)):
        total += (x[k] * a) * 0.7 * x[k] * 0.3
    return total


def by_inner_derivative(x, a, t):
    """What a sweep has stored decides, too, where it is that of a derivative within the program."""
    g, total = ast_ad.grad(slope)(x, a), 0.0
    for k in range(len(x)):
        total += t[int(g[k] / 0.1) % len(t)] * x[k]
    return total


def by_inner_derivatives(x, a, t):
    total = 0.0
    for _ in range(2):
        g = ast_ad.grad(slope)(x, a)
        for k in range(len(x)):
            total += t[int(g[k] / 0.021) % len(t)] * x[k]
    return total


@pytest.mark.parametrize("f", [by_inner_derivative, by_inner_derivatives])
def test_derivatives_that_decide_are_rounded_as_in_numpy_code(f):
    compiled, plain = (ast_ad.value_and_grad(f, (0, 2), backend=b) for b in ("numba", "numpy"))
    for scale in range(1, 60):
        x = np.arange(1, 40) * (scale / 10)
        (value, gradients), (expected, bars) = (ask(x, 1 / 0.42, TABLE) for ask in (compiled, plain))
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for g, bar in zip(gradients, bars, strict=True):
            np.testing.assert_allclose(g, bar, rtol=1e-12, atol=1e-12)
    assert "_kernel" in compiled.source
