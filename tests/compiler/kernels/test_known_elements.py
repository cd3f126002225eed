"""Elements are read once, and saved once; what may be written in between is read again."""

import re

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

RNG = np.random.default_rng(3)
X = RNG.uniform(0.5, 1.5, (12, 9))


def eliminated(x, a):
    """The rows above are read for the factor, and again for the right-hand side behind the factor's write."""
    p, q = np.zeros(x.shape), np.zeros(x.shape)
    for i in range(1, x.shape[0]):
        p[i, :] = a / (2.0 + a * p[i - 1, :])
        q[i, :] = (x[i, :] - a * q[i - 1, :]) / (2.0 + a * p[i - 1, :])
    return np.sum(q**2)


def swept(x, a):
    """The same in sweeps, so that what is read is saved."""
    u, p, q = x.copy(), np.zeros(x.shape), np.zeros(x.shape)
    for _ in range(3):
        for i in range(1, x.shape[0]):
            p[i, :] = a * u[i, :] / (2.0 + a * p[i - 1, :])
            q[i, :] = (x[i, :] - a * q[i - 1, :]) / (2.0 + a * p[i - 1, :])
        u = u * p + q
    return np.sum(u**2)


def same_place(x, a):
    """One of the writes hits what is read again, at the last turn or in each."""
    s, n = x * a, x.shape[1]
    for i in range(x.shape[0]):
        for j in range(n):
            before = s[i, j]
            s[i, n - 1 - j] = before * 1.5 + s[i, j]
            s[i, j] += before * s[i, j]
    return np.sum(s * x)


def by_indices(x, a):
    """Places that are told by numbers of an array."""
    s, where = x * a, np.array([1, 0, 3, 3, 2, 8, 1])
    for i in range(x.shape[0]):
        for k in range(6):
            first = s[i, where[k]]
            s[i, where[k + 1]] = first * 0.9 + 0.1 * s[i, where[k]]
            first = s[i, where[k]] * first
            s[i, k] = first + s[i, where[k]]
    return np.sum(s**2)


def from_the_end(x, a):
    """The place before the first one is the last one."""
    s = x.copy()
    for i in range(x.shape[0]):
        last = s[i - 1, 0]
        s[i, 0] = last * a + s[i - 1, 0]
        s[-1, 1] = s[0, 1] + a * s[i, 1] * last
        s[i, 2] = s[-1, 1] + s[x.shape[0] - 1, 1]
    return np.sum(s * s)


def branches(x, a):
    s = x * 1.0
    for i in range(1, x.shape[0]):
        for j in range(x.shape[1]):
            y = s[i - 1, j]
            if y > a:
                s[i, j] = y * a
                s[i - 1, j] = 2.0 * y
            s[i, j] = 0.5 * s[i, j] + 0.1 * s[i - 1, j] * np.sin(y)
            for _ in range(2):
                s[i - 1, j] *= a
            s[i, j] += s[i - 1, j]
    return np.sum(s * x)


def of_integers(x, a):
    """What is stored is rounded to the array's numbers."""
    counts, total = np.zeros(x.shape, int), 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            counts[i, j] = x[i, j] * 10.0
            total += counts[i, j] * a * x[i, j]
    return total


PROGRAMS = [eliminated, swept, same_place, by_indices, from_the_end, branches, of_integers]


@pytest.mark.drawn(of=8)
@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-11), (np.float32, 5e-4)])
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_gradients_are_those_of_numpy_code(f, dtype, tolerance):
    x, a = X.astype(dtype), dtype(0.7)
    compiled = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba", fallback="error")
    value, (g, g_a) = compiled(x, a)
    assert np.isclose(value, f(x, a), rtol=tolerance)
    expected, (wanted, wanted_a) = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numpy")(x, a)
    assert np.isclose(value, expected, rtol=tolerance)
    np.testing.assert_allclose(g, wanted, rtol=tolerance, atol=tolerance * np.max(np.abs(wanted)))
    np.testing.assert_allclose(g_a, wanted_a, rtol=10 * tolerance)


@pytest.mark.drawn(of=4)
@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("f", [p for p in PROGRAMS if p is not of_integers])
def test_gradients_are_those_of_differences(f):
    direction, h = RNG.normal(size=X.shape), 1e-6
    derivative = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba", fallback="error")
    _, (g, g_a) = derivative(X, np.float64(0.7))  # the program that is compared above
    along = (f(X + h * direction, 0.7) - f(X - h * direction, 0.7)) / (2 * h)
    assert np.isclose(np.sum(g * direction), along, rtol=1e-6)
    assert np.isclose(g_a, (f(X, 0.7 + h) - f(X, 0.7 - h)) / (2 * h), rtol=1e-6)


def test_a_row_is_read_once_forth_and_once_back():
    derivative = ast_ad.value_and_grad(eliminated, argnums=(0, 1), backend="numba")
    derivative(X, 0.7)
    assert len(re.findall(r"= p\[i_minus_1, \w+\]\n", derivative.source)) == 2
    assert derivative.source.count("p[i_minus_1") == 2


def test_what_is_read_once_is_saved_once():
    derivative = ast_ad.value_and_grad(swept, argnums=(0, 1), backend="numba")
    derivative(X, 0.7)
    # One of the two, which the whole array that is saved afterwards has not.
    assert len(re.findall(r"tape\w*\[k, i_minus_1, i_1\] = ", derivative.source)) == 1
    assert len(re.findall(r"= tape\w*\[k, i_minus_1, i_1\]\n", derivative.source)) == 2
