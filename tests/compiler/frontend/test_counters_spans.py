"""Is what is known of a loop's counter true: how long slices at it are, also beyond ends and backwards?"""

import numpy as np
import pytest

import ast_ad

A = np.random.default_rng(0).normal(size=(7, 6))


def triangles(a, k):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(i + 1, a.shape[0]):
            s = s + np.sum(a[i:j] ** 2 * a[j : j + 1]) + np.sum(a[i : i + 1] * a[j - 1 : j])
    return s


def blocks(a, k):
    s = 0.0
    for b in range(0, a.shape[0], 3):
        s = s + np.sum(a[b : b + 1] * a) + np.sum(a[b : b + 3] ** 2)
    return s


def backwards(a, k):
    s = 0.0
    for b in range(k, -1, -1):
        s = s + np.sum(a[b : b + 1] * a[: b + 1])
    return s


def backwards_in_steps(a, k):
    s = 0.0
    for b in range(len(a) - 1, k, -2):
        s = s + np.sum(a[b : b + 1] * a[b - 1 : b + 1])
    return s


def beyond_the_end(a, k):
    s = 0.0
    for b in range(k):
        s = s + np.sum(a[b : b + 1] * a[0:1])
    return s


def from_before_the_beginning(a, k):
    s = 0.0
    for b in range(-k, k):
        s = s + np.sum(a[b : b + 1] ** 3) + np.sum(a[b:][:1])
    return s


def changed_in_the_body(a, k):
    s = 0.0
    for b in range(k):
        b = b - 1
        s = s + np.sum(a[b : b + 1] ** 2)
    return s + np.sum(a[b : b + 1] ** 2)


def a_bound_that_shrinks(a, k):
    s, n = 0.0, a.shape[0]
    for b in range(n):
        n = n - 1
        s = s + np.sum(a[b : b + 1] * a[n : n + 1])
    return s


def columns(a, k):
    out = np.zeros_like(a)
    for b in range(a.shape[1]):
        out[:, b : b + 1] += a[:, b : b + 1] * a[:, :b].sum(axis=1, keepdims=True)
    return np.sum(out**2)


def three_deep(a, k):
    s = 0.0
    for i in range(2, k):
        for j in range(i):
            for m in range(j, i):
                s = s + np.sum(a[j:m] * a[j : j + 1]) * a[m, 0] + np.sum(a[m:i, 1])
    return s


PROGRAMS = [
    triangles,
    blocks,
    backwards,
    backwards_in_steps,
    beyond_the_end,
    from_before_the_beginning,
    changed_in_the_body,
    a_bound_that_shrinks,
    columns,
    three_deep,
]


def differences(f, a, k):
    found = np.zeros_like(a)
    for place in np.ndindex(a.shape):
        e = np.zeros_like(a)
        e[place] = 1e-5
        found[place] = (f(a + e, k) - f(a - e, k)) / 2e-5
    return found


@pytest.mark.drawn(of=5)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_slices_at_counters(f, backend):
    derivative = ast_ad.value_and_grad(f, backend=backend, check=False)
    for k, rows in ((5, 7), (3, 7), (9, 7), (1, 7), (3, 4), (1, 1)):  # of one derivative
        a = A[:rows].copy()
        try:
            expected = f(a, k)
        except (IndexError, ValueError, UnboundLocalError) as error:
            with pytest.raises(type(error)):
                derivative(a, k)
            continue
        value, found = derivative(a, k)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        np.testing.assert_allclose(found, differences(f, a, k), rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_a_part_of_one_column_stays_in_a_kernel():
    """``wt[:, b:b + 1]`` is stretched, and not of the length of what it meets."""

    def blended(shapes, points, wt):
        at = np.zeros((points.shape[0], 3))
        for b in range(shapes.shape[0]):
            at += wt[:, b : b + 1] * (points @ shapes[b].T)[:, :3]
        return np.sum(at**2)

    rng = np.random.default_rng(1)
    args = rng.normal(size=(6, 4, 3)), rng.normal(size=(40, 3)), rng.uniform(size=(40, 6))
    derivative = ast_ad.grad(blended, (0, 1, 2), backend="numba", check=False)
    for found, expected in zip(derivative(*args), ast_ad.grad(blended, (0, 1, 2))(*args), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert "dropped" not in derivative.explain() and "NumPy code at" not in derivative.explain()
