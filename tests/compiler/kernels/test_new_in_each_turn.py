"""Is an array that each turn of a loop makes anew one of its own, and only then?"""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")
DRAW = np.random.default_rng(0)


def in_parts(a, b, w):
    for t in range(len(w)):
        r = np.sin(a) * w[t]
        r[1:-1] += a[:-2] * b[2:]
        a = r
    return np.sum(a * b)


def change_places(a, b, w):
    """Of two arrays each is what the other was a turn before."""
    for t in range(len(w)):
        r = np.sin(a) * w[t]
        r[1:-1] += a[:-2] * b[2:]
        a, b = b, r
    return np.sum(a * b)


def old_or_new(a, b, w):
    """By the branch a turn leaves what it began with, and has written to that."""
    for t in range(len(w)):
        r = np.cos(b) * a
        r[1:] -= a[:-1] * w[t]
        if w[t] > 0:
            r = a
        r[:-1] *= b[1:]
        a = r
    return np.sum(a**2)


def view_of_new(a, b, w):
    for t in range(len(w)):
        r = np.concatenate([a, b]) * w[t]
        r[1:-1] += r[2:] * 0.5 + r[:-2]
        a = r[: len(a)]
        a[::2] += b[::2]
    return np.sum(a**3)


def on_a_list(a, b, w):
    rows = []
    for t in range(len(w)):
        r = a * w[t]
        rows.append(r)
        r[1:] += a[:-1] * b[1:]
        a = r
    return np.sum(rows[0] * rows[-1]) + np.sum(a)


def loops_within(a, b, w):
    """The inner loop leaves an array of its own turns, which the outer one writes to."""
    for t in range(len(w)):
        r = a * b
        for _ in range(3):
            q = r.copy()
            q[1:-1] = r[:-2] + a[2:] * w[t]
            r = q
        r[:-1] += a[1:] - r[1:] * 0.1
        a = r
    return np.sum(np.tanh(a))


def begun_with(a, b, w):
    """What the loop began with is read in it, and behind it."""
    start = a
    for t in range(len(w)):
        r = np.sin(a) * w[t]
        r[2:] += a[:-2] * start[1:-1] * b[2:]
        r[0] = start[-1] * a[1]
        a = r
    return np.sum(a * start)


PROGRAMS = [in_parts, change_places, old_or_new, view_of_new, on_a_list, loops_within, begun_with]


@pytest.mark.drawn(of=9)
@pytest.mark.slow(beyond=1)
@pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_kernels_agree_with_numpy_code(function):
    kernels = ast_ad.value_and_grad(function, argnums=(0, 1, 2), backend="numba", fallback="error")
    plain = ast_ad.value_and_grad(function, argnums=(0, 1, 2), backend="numpy")
    for n, turns in ((30, 4), (5, 3)):
        args = tuple(0.7 * DRAW.normal(size=k) for k in (n, n, turns))
        value, gradients = kernels(*args)
        expected, others = plain(*args)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for got, other in zip(gradients, others, strict=True):
            np.testing.assert_allclose(got, other, rtol=1e-11, atol=1e-13)
