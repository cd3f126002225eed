"""Is the first pass of a loop told from the others where it finds what kernels don't know, and only then?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code

RNG = np.random.default_rng(1)


def sums(x, n):
    s = 0
    for i in range(1, n):
        s += x[i] * x[i - 1]
    return np.sum(s)


def nothing(x, n):
    h = None
    for i in range(n):
        h = x[i] if h is None else np.tanh(h * x[i])
        if np.sum(h) < 0.5:
            return np.sum(h) * 2
    return np.sum(h) if h is not None else 1.0


def nested(x, n):
    total = 0.0
    for k in range(n):
        s = 0
        for i in range(k, n):
            s = s + x[i] * x[k]
        total += np.sum(s)
    return total


def best(x, n):
    y, best, at = x.copy(), None, 0
    for i in range(n):
        y[i] = y[i - 1] * 0.5 + y[i]
        v = y[i].sum()
        if best is None or v > best:
            best, at = v, i
    return best * y[at, 0] if best is not None else y.sum()


def differences(x, n):
    before, parts = None, []
    for row in x[:n]:
        parts.append(row if before is None else row - before)
        before = row
    return sum([np.sum(part**3) for part in parts])


def zipped(x, n):
    s = 0
    for i, (p, q) in enumerate(zip(x[:n], x[1:], strict=False)):
        s = s + p * q * i
    return np.sum(s)


def swapped(x, n):
    a, b = 0, 1.0
    for i in range(n):
        a, b = b * x[i], a
        b = b + x[i]
    return np.sum(a) + np.sum(b)


def left(x, n):
    for i in range(n // 2):
        y = x[i] * (i + 1)
    return np.sum(y**2)


def stored(x, n):
    state = {"s": 0}
    for i in range(n):
        state["s"] = state["s"] + x[i]
    return np.sum(state["s"] ** 2)


def branching(x, n):
    s = 0
    for i in range(n):
        if x[i, 0] > 0.3:
            continue
        s = s + x[i]
    return np.sum(s)


def stopping(x, n):
    s = 0
    for i in range(n - 1, -1, -1):
        if x[i, 0] > 0.8:
            break
        s = s + np.sin(x[i])
    else:
        s = s * 2
    return np.sum(s) * 3


def leapfrog(x, n):
    q, p = x[:, 0], x[:, 1]
    for _ in range(n):
        a = -np.sin(q)
        p = p + 0.1 * a
        q = q + 0.1 * p
    return np.sum(p**2) + np.sum(a * q)


WHOLE = [sums, nothing, nested, best, differences, zipped, swapped, left, stored, leapfrog]


def differences_of(f, x, n):
    found = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        e = np.zeros_like(x)
        e[i] = 1e-6
        found[i] = (f(x + e, n) - f(x - e, n)) / 2e-6
    return found


def check(kernels, f, n):
    x = RNG.random((7, 3))
    try:
        f(x, n)
    except Exception as problem:
        with pytest.raises(type(problem)):
            kernels(x, n)
        return
    np.testing.assert_allclose(kernels(x, n), differences_of(f, x, n), atol=1e-6)


@pytest.mark.drawn(of=12)
@pytest.mark.parametrize("f", [*WHOLE, branching, stopping])
def test_counts_that_vary(f, monkeypatch):
    """One derivative, called with loops of none, one and more passes."""
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    kernels = ast_ad.grad(f, backend="numba")
    check(kernels, f, 5)
    assert ("NumPy code" in kernels.explain()) == (f not in WHOLE)
    for n in (5, 3, 1, 0, 2, 6, 1, 4):
        check(kernels, f, n)


@pytest.mark.core
def test_what_is_asked_of_the_count_is_told():
    kernels = ast_ad.grad(sums, backend="numba")
    kernels(RNG.random((7, 3)), 5)
    assert "n >= 2" in kernels.explain()
    plain = ast_ad.grad(sums)
    plain(RNG.random((7, 3)), 5)
    assert "n >= 2" not in plain.explain()
