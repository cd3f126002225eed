"""Programs whose copies would take long to choose: is each unsafe write made safe by itself, and soon?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.arrays import in_place

X = np.array([0.3, 1.2, -0.7])


def itself_or_reversed(v):
    if v[0] > 1e9:
        return v[::-1]
    return v


def nested(x):
    y, z, s = x.copy(), x * 2, 0.0
    for i in range(2):
        w = itself_or_reversed(y)
        w[i] += 0.1 * x[i]
        for j in range(2):
            z = itself_or_reversed(z)
            z[j] += w[0]
            s += z[1]
    return s + np.sum(y) + np.sum(z)


def views_of_what_is_written(x):
    y = x * 2
    first, rest = y[:1], y[1:]
    for i in range(3):
        kept = y.copy()
        y[i] = rest[0] * first[0]
        y += kept
        rest = y[1:] * 1.0
    return np.sum(y * x) + np.sum(rest) + first[0]


def swapped(x):
    a, b = x * 1.0, x * 2
    rows = []
    for i in range(4):
        a, b = b, a
        a[i % 3] += b[0]
        rows.append(a)
    return np.sum(a) + np.sum(rows[1] * rows[2])


@pytest.fixture
def few(monkeypatch):
    """All writes that are not safe at first are made so at once; how many rounds there are."""
    rounds = []
    repair = in_place._Pass.repair

    def counted(self, at_once=False):
        rounds.append(at_once)
        return repair(self, at_once)

    monkeypatch.setattr(in_place._Pass, "repair", counted)
    monkeypatch.setattr(in_place, "MOST_LOOKED_AT", -1)
    monkeypatch.setenv("AST_AD_CACHE", "0")
    return rounds


@pytest.mark.slow(beyond=1)
@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [nested, views_of_what_is_written, swapped])
def test_values_and_gradients(function, backend, few):
    derivative = ast_ad.value_and_grad(function, backend=backend, fallback="error")
    for x in (X, X * 2):
        value, gradient = derivative(x.copy())
        assert value == pytest.approx(function(x.copy()), rel=1e-14)
        expected = [(function(x + 1e-6 * e) - function(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    assert all(few) and len(few) <= 2 * 4  # one round that repairs, and one that finds all safe
