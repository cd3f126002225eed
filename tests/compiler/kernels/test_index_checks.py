"""Are indices checked, where their checks stand before the loops that read by them?"""

import re

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code

X = np.random.default_rng(3).normal(size=40)
TABLE = np.random.default_rng(4).normal(size=(40, 5))


def gathered(x, k):
    return np.sum(np.sin(x[k]) * np.arange(1.0, len(k) + 1.0))


def in_a_loop(x, k):
    total = 0.0
    for i in range(len(k)):
        total += np.sin(x[k[i]]) * x[k[i] - 1]
    return total


def sweeps(x, k):
    y = x.copy()
    for _ in range(3):
        y = np.tanh(y) + 0.1 * y[k] * y[k - 1]
    return np.sum(y)


def sparse_product(x, starts, columns, values):
    out = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        for j in range(starts[i], starts[i + 1]):
            out[i] += values[j] * x[columns[j]]
    return np.sum(out * out)


def triangle(x, k):
    total = 0.0
    for i in range(len(k)):
        for j in range(i):
            total += np.sin(x[k[j]] * x[k[i]])
    return total


def written_between(x, k):
    total = 0.0
    k = k.copy()
    for n in range(3):
        for i in range(len(k)):
            total += np.sin(x[k[i]]) * (n + 1)
        k[0] = k[0] + n
    return total


def written_within(x, k):
    total, k = 0.0, k.copy()
    for i in range(len(k) - 1):
        total += np.sin(x[k[i]])
        k[i + 1] = (k[i + 1] + k[i]) % 40
    return total


def only_where(x, k):
    total = 0.0
    for i in range(len(k)):
        if k[i] < len(x):
            total += np.sin(x[k[i]])
    return total


def rows(x, k):
    y = np.zeros((len(k), x.shape[1]))
    for i in range(len(k)):
        for j in range(x.shape[1]):
            y[i, j] = x[k[i], j] * x[k[i] - 1, j]
    return np.sum(y**3)


def pairs(x, k):
    y = x.copy()
    for _ in range(2):
        y = y - 0.1 * np.sin(y[k[:, 0]] - y[k[:, 1]])
    return np.sum(y * y)


def never(x, k):
    total = np.sum(x * x)
    for _ in range(len(k) - len(k)):
        for i in range(len(k)):
            total += x[k[i]]
    return total


K = np.random.default_rng(5).integers(-39, 40, 40)
STARTS = np.array([0, *np.random.default_rng(6).integers(0, 40, 19), 40])
CSR = np.sort(STARTS), K[::-1].copy(), np.random.default_rng(7).normal(size=40)
PROGRAMS = [
    (gathered, X, K), (in_a_loop, X, K), (sweeps, X, K), (sparse_product, X, *CSR), (triangle, X, K),
    (written_between, X, K), (written_within, X, np.abs(K) % 40),
    (only_where, X, np.concatenate([K, K + 50])),
    (rows, TABLE, K), (pairs, X, np.stack([K, K[::-1]], 1)), (never, X, np.array([99])),
]  # fmt: skip
IDS = [p[0].__name__ for p in PROGRAMS]


@pytest.mark.drawn(of=25)
@pytest.mark.parametrize(("f", "x", "more"), [(f, x, more) for f, x, *more in PROGRAMS], ids=IDS)
@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_values_and_gradients(f, x, more, kind):
    more = [m.astype(kind) if m.dtype.kind == "i" else m for m in more]
    kernels = ast_ad.value_and_grad(f, backend="numba", check=False)
    for _ in range(2):
        value, bar = kernels(x, *more)
        expected, plain = ast_ad.value_and_grad(f, backend="numpy", check=False)(x, *more)
        assert value == pytest.approx(f(x, *more), rel=1e-13)
        np.testing.assert_allclose(bar, plain, rtol=1e-12, atol=1e-13)
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    ends = [f(x + h * v, *more) for h in (1e-6, -1e-6)]
    assert np.sum(bar * v) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-7)


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize(("f", "x", "more"), [(f, x, more) for f, x, *more in PROGRAMS], ids=IDS)
@pytest.mark.parametrize("bad", [40, -41, 1 << 40])
@pytest.mark.parametrize("where", [0, -1])
def test_out_of_bounds(f, x, more, bad, where):
    """A call after a good one: what kernels assumed there does not hold any more."""
    spoilt = [m.copy() for m in more]
    spoilt[-2 if len(more) > 1 else -1].flat[where] = bad
    value_and_grad = ast_ad.value_and_grad(f, backend="numba", check=False)
    before = value_and_grad(x, *more)
    try:
        expected = f(x, *spoilt)
    except IndexError as error:
        with pytest.raises(IndexError, match=re.escape(str(error))):
            value_and_grad(x, *spoilt)
    else:
        assert value_and_grad(x, *spoilt)[0] == pytest.approx(expected, rel=1e-13)
    after = value_and_grad(x, *more)
    assert after[0] == before[0] and np.array_equal(after[1], before[1])


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [sweeps, sparse_product, rows, pairs])
def test_checked_before_loops(f, monkeypatch):
    """No load by an index stops the loop that it is in."""
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    x, *more = next(rest for g, *rest in PROGRAMS if g is f)
    gradient = ast_ad.value_and_grad(f, backend="numba", check=False)
    gradient(x, *more)
    assert "wrapped(" in gradient.source
    assert not re.search(r"= .*\[.*position\(", gradient.source)


def test_no_element_at_all():
    value_and_grad = ast_ad.value_and_grad(in_a_loop, backend="numba", check=False)
    value_and_grad(X, K)
    with pytest.raises(IndexError):
        value_and_grad(X[:0], K)
    value, bar = value_and_grad(X[:0], K[:0])
    assert value == 0.0 and bar.shape == (0,)


OF_ONE_NUMBER = [
    lambda x, k: x[0] + np.zeros(len(x))[k],
    lambda x, k: x[0] * np.full(len(x), 2.0)[-k - 1],
    lambda x, k: x[0] + np.sum(np.zeros((len(x), 2))[k]),
    lambda x, k: x[0] + np.sum(np.zeros((2, len(x)))[:, k]),
    lambda x, k: np.sum(x[0] * np.full(len(x), 2.0)[np.array([0, k])]),
    lambda x, k: sum([x[0] * np.ones(len(x))[i] for i in range(k + 1)]),
    lambda x, k: np.ones(len(x), bool)[k] * x[0],
    lambda x, k: (x > 0)[k] * x[0],
    lambda x, k: x[0] * (np.zeros((len(x), 2)) + 1.0)[k, 1],
]


@pytest.mark.parametrize("f", OF_ONE_NUMBER)
def test_places_of_which_nothing_is_read(f):
    """One number fills the array, or its axis is of one element: the place is checked all the same."""
    value_and_grad = ast_ad.value_and_grad(f, backend="numba", check=False)
    for x, k in ((X[:3], 1), (X[:3], 3), (X[:3], 7), (X[:1], 0), (X[:1], 1), (X[:0], 0)):
        try:
            expected = f(x, k)
        except IndexError:
            with pytest.raises(IndexError):
                value_and_grad(x, k)
        else:
            assert value_and_grad(x, k)[0] == pytest.approx(expected, rel=1e-13)


def test_a_place_that_is_read_for_its_check_alone():
    def f(x, k):
        table = np.full(len(x), 2.0)
        table[k]
        return np.sum(x * x)

    value_and_grad = ast_ad.value_and_grad(f, backend="numba", check=False)
    assert value_and_grad(X, 39)[0] == pytest.approx(np.sum(X * X))
    with pytest.raises(IndexError):
        value_and_grad(X, 40)
