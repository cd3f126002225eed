"""Do programs whose arrays shrink, whose branches read elements, and the like, stay in kernels, and right?"""

import numpy as np
import pytest

import ast_ad

rng = np.random.default_rng(11)


def lattice(start, rate):
    """A binomial tree: in each turn one value fewer."""
    v = np.maximum(start * np.linspace(0.5, 2.0, 31) - 1.0, 0.0)
    for _ in range(30):
        v = np.exp(-rate / 30) * (0.45 * v[:-1] + 0.55 * v[1:])
    return v[0]


def lattice_with_exercise(start, rate):
    v = start * np.arange(12, -1, -1)
    total = 0.0
    while v.shape[0] > 1:
        v = np.maximum(rate * (v[:-1] + 0.5 * v[1:]), 1.5 * start)
        total += v[-1]
    return total * v[0]


def growing(x, s):
    v = x[:1] * s
    for i in range(1, x.shape[0]):
        w = np.zeros(i + 1)
        w[:-1] = v
        w[1:] += v * x[i]
        v = w
    return np.sum(v**2)


def pairs(weight, bonus):
    """Elements of a table that branches overwrite: it is not saved as a whole."""
    n = weight.shape[0]
    table = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if i + 1 < n and i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + weight[i] * weight[j] * bonus[i, j])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table[0, n - 1]


def relaxed(a, b):
    a = a.copy()
    n = a.shape[0]
    for i in range(1, n):
        for j in range(1, n):
            if a[i, j] > b[i]:
                a[i, j] = a[i - 1, j] * a[i, j - 1] + np.sin(a[i, j])
            elif j % 2:
                a[i, j] *= a[i - 1, j - 1] * b[j]
            else:
                a[j, i] = a[i, j] ** 2 * 0.5
    return np.sum(a**2)


def alignment(sim, gap):
    n, m = sim.shape
    F = np.zeros((n + 1, m + 1))
    F[1:, 0] = -gap * np.arange(1, n + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            F[i, j] = max(F[i - 1, j - 1] + sim[i - 1, j - 1], F[i - 1, j] - gap, F[i, j - 1] - gap)
    return F[n, m]


WIDTH = 3  # of each half of the state: a constant of kernels, as lengths are


def slopes(y, stiffness):
    x, v = y[:WIDTH], y[WIDTH:]
    pull = np.roll(x, 1) - 2.0 * x + np.roll(x, -1)
    return np.concatenate([v, pull - stiffness * x**3])


def adaptive(y, stiffness):
    """Steps whose length depends on the error: Python's numbers or NumPy's, by which of two is larger."""
    t, h = 0.0, 0.2
    while 1.0 - t > 1e-10:
        h = min(h, 1.0 - t)
        k1 = slopes(y, stiffness)
        k2 = slopes(y + h * k1, stiffness)
        norm = np.sqrt(np.mean((0.5 * h * (k2 - k1)) ** 2)) / 1e-2
        if norm <= 1.0:
            t, y = t + h, y + 0.5 * h * (k1 + k2)
        h = h * min(2.0, max(0.3, 0.9 * norm**-0.5))
    return np.sum(y**2) * h


def stacks(a, c):
    r, q, p = a.shape
    b = np.reshape(np.reshape(a, (r, q, 1, p)) @ c, (r, q, p))
    return np.sum((b @ c) ** 2) + np.sum(a[:0] @ c)


PROGRAMS = {
    lattice: (1.1, 0.05),
    lattice_with_exercise: (0.4, 0.7),
    growing: (rng.normal(size=6), 0.8),
    pairs: (rng.normal(size=9), rng.normal(size=(9, 9))),
    relaxed: (rng.normal(size=(6, 6)), rng.normal(size=6)),
    alignment: (rng.normal(size=(7, 6)), 0.3),
    adaptive: (rng.normal(size=6), rng.uniform(0.5, 1.0, 3)),
    stacks: (rng.normal(size=(3, 4, 5)), rng.normal(size=(5, 5))),
}


def differences(f, args, position):
    x = np.asarray(args[position])
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        e = np.zeros(x.shape)
        e[place] = 1e-6

        def at(sign, e=e):
            moved = x + sign * e
            return f(*args[:position], moved if x.ndim else float(moved), *args[position + 1 :])

        found[place] = (at(1) - at(-1)) / 2e-6
    return found


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_in_kernels(f):
    args = PROGRAMS[f]
    derivative = ast_ad.value_and_grad(f, (0, 1), backend="numba", check=False)
    for _ in range(2):
        value, found = derivative(*args)
    np.testing.assert_allclose(value, f(*args), rtol=1e-12)
    others = ast_ad.value_and_grad(f, (0, 1), backend="numpy", check=False)(*args)[1]
    for position, (mine, other) in enumerate(zip(found, others, strict=True)):
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(mine, differences(f, args, position), rtol=1e-5, atol=1e-6)
    told = derivative.explain()
    assert "did not hold" not in told
    if f is not stacks:  # whose products are BLAS's
        assert "NumPy code at" not in told
    if f in (pairs, relaxed):
        assert "2-d float64 array; copied" not in told
