"""Loops over columns go along the rows where their turns are independent; the numbers stay."""

import importlib.util
import re

import numpy as np
import pytest

import ast_ad

from .column_programs import column_program

A, W = np.random.default_rng(3).uniform(0.5, 1.5, (2, 23, 21))
ALONG_ROWS = re.compile(r"for k\w* in range\(turns")


def scaled(a, w):
    out = np.zeros_like(a)
    for k in range(a.shape[1]):
        out[:, k] = a[:, k] ** 2 * w[0, k] * (k + 1)
    return np.sum(out * out)


def standardised(a, w):
    """Two sums of each column, and what is made of them, wait for the next statement."""
    out = np.empty_like(a)
    for k in range(a.shape[1]):
        middle = np.mean(a[:, k])
        spread = np.sqrt(np.mean((a[:, k] - middle) ** 2))
        out[:, k] = (a[:, k] - middle) / spread
    return np.sum(out**3 * w)


def triangular(a, w):
    """PolyBench's syrk: each turn adds to one part of a row."""
    c = np.zeros((5, 5)) + w[0, 0]
    for i in range(5):
        for k in range(a.shape[1]):
            c[i, : i + 1] += 0.7 * a[i, k] * a[: i + 1, k]
    return np.sum(c * c)


def both_ways(a, w):
    total = 0.0
    for k in range(a.shape[1]):
        part = a[:, k] @ w[:, k]
        total += part * part - 0.1 * part
        for i in range(a.shape[0]):
            total += a[i, k] * w[i, k] ** 2
    return total


def down_each_column(a, w):
    """A recurrence within a column: its order stays."""
    b = np.zeros_like(a)
    for k in range(a.shape[1]):
        for i in range(1, a.shape[0]):
            b[i, k] = 0.5 * b[i - 1, k] * w[i, k] + a[i, k]
    return np.sum(b * b)


def put_back(a, w):
    """What is kept while a loop overwrites it is put back with something added: that is no addition."""
    b, c = a * 1.0, a * 1.0
    for k in range(a.shape[1]):
        t, u = b[0, k], c[0, k]
        b[:, k] = w[:, k] * 0.5
        b[0, k] = t + w[1, k]
        for i in range(a.shape[0]):
            c[i, k] = a[i, k] * w[i, k]
        c[0, k] = u - w[1, k]
    return np.sum(b**2) + np.sum(c**2)


def from_column_to_column(a, w):
    """A turn needs what the one before has done."""
    b = a.copy()
    for k in range(1, a.shape[1]):
        b[:, k] += 0.5 * b[:, k - 1] * w[:, k]
    return np.sum(b**2)


def whole_row(a, w):
    """Each turn reads what all have written before it."""
    y = np.zeros(a.shape[0])
    for k in range(a.shape[1]):
        y = y * 0.9 + a[:, k] * np.sum(y) * 0.01 + w[:, k]
    return np.sum(y * y)


def differences(function, k, h=1e-6):
    found = np.zeros_like(A)
    for place in [(0, 0), (1, 2), (22, 20), (4, 3), (0, 20), (22, 0)]:
        values = []
        for step in (h, -h):
            args = [A.copy(), W.copy()]
            args[k][place] += step
            values.append(function(*args))
        found[place] = (values[0] - values[1]) / (2 * h)
    return found


INDEPENDENT = [scaled, standardised, triangular, both_ways, down_each_column, put_back]


@pytest.mark.drawn(of=24)
@pytest.mark.parametrize("function", [*INDEPENDENT, from_column_to_column, whole_row])
def test_the_gradient_is_that_of_numpy_code_and_of_differences(function):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba")
    plain = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numpy")
    for args in ((A, W), (A[:6, :5], W[:6, :5]), (A[:5, :1], W[:5, :1]), (W.T[:21].copy(), A.T.copy())):
        (value, bars), (expected, wanted) = derivative(*args), plain(*args)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for bar, one in zip(bars, wanted, strict=True):
            np.testing.assert_allclose(bar, one, rtol=1e-11, atol=1e-11 * np.max(np.abs(one)))
    value, bars = derivative(A, W)
    for k, bar in enumerate(bars):
        slopes = differences(function, k)
        np.testing.assert_allclose(bar[slopes != 0], slopes[slopes != 0], rtol=1e-5, atol=1e-5)
    assert bool(ALONG_ROWS.search(derivative.source)) is (function in INDEPENDENT), derivative.source


def in_order(a, w):
    """What cancels is added in the order that is written."""
    y = np.zeros(a.shape[0])
    for k in range(a.shape[1]):
        y += a[:, k] + 1e16 * w[:, k] - 1e16 * w[:, k]
    return np.sum(y)


def test_sums_that_cancel_stay_in_their_order():
    derivative = ast_ad.value_and_grad(in_order, backend="numba", check=False)
    assert derivative(A, W)[0] == in_order(A, W)


@pytest.mark.drawn(of=96)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("seed", range(24))
def test_random_programs_of_columns(seed, tmp_path):
    path = tmp_path / f"columns_{seed}.py"
    path.write_text(column_program(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function, draw = module.program, np.random.default_rng(seed)
    derivatives = [
        ast_ad.value_and_grad(function, argnums=(0, 1, 2), backend=backend, check=False)
        for backend in ("numba", "numpy")
    ]
    for shape in (4, 5), (3, 20), (7, 1), (25, 18):
        a, w, x = draw.uniform(0.2, 1.2, shape), draw.uniform(0.2, 1.2, shape), draw.uniform(0.2, 1.2, 30)
        (value, bars), (_, wanted) = (derivative(a, w, x) for derivative in derivatives)
        np.testing.assert_allclose(value, function(a.copy(), w.copy(), x.copy()), rtol=1e-10)
        for bar, one in zip(bars, wanted, strict=True):
            np.testing.assert_allclose(bar, one, rtol=1e-10, atol=1e-10 * np.max(np.abs(one), initial=1.0))
