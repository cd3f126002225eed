"""When do the names of a pattern get their values, and what do guards do that say no?"""

import numpy as np
import pytest

import ast_ad

X = np.array([0.4, -1.1, 0.7])


class Held:
    def __init__(self, v):
        self.v = v


def not_bound_where_the_pattern_fails(x, n):
    k, q = x[0], x[1]
    match n:
        case (1 | 2) as k:
            t = x[2]
        case _:
            t = k * 2
    match (x[2], n):
        case (q, 1):
            t += q
        case _:
            t += q * 3
    return t + k * q


def bound_where_the_guard_fails(x, n):
    q = x[0]
    match (x[1], n):
        case (q, 2 | 3) if q > 100:
            t = x[2]
        case _:
            t = q * 2
    return t * q


def guards_that_note(x, n):
    notes = []

    def note(k, v):
        notes.append(k)
        return v

    match n:
        case 1 | 2 as k if note(5, False):
            t = x[0]
        case k if note(7, k > 1):
            t = x[1] * k
        case _:
            t = x[2]
    return t + sum(k * (i + 1) for i, k in enumerate(notes)) * x[0]


def the_first_that_matches(x, n):
    match (n, 2):
        case (1, q) | (q, 2):
            t = q * x[0]
    match (1, n):
        case (1, q) | (q, 2):
            t += q * x[1]
    return t


def in_loops(x, n):
    t = 0.0
    for i in range(n + 2):
        match (i, x[i % 2]):
            case (0, v) | (1, v):
                t += v
            case (2, v) if v > 0:
                t += v * x[2]
            case (k, v):
                t += k * v * 2
    return t


def parts(x, n):
    match {"a": x[0], "b": n, "c": x[1]}:
        case {"a": q, "b": 1, **rest}:
            t = q + rest["c"]
        case {"c": q, **rest} if len(rest) == 2:
            t = q * 3 + rest["a"]
    match Held(x[2]):
        case Held(v=float(q)) if q > 5:
            t += q
        case Held(v=q):
            t += q * 3
    match [x[0], x[1], n]:
        case [a, *b, 1]:
            t += a * b[0]
        case [a, *b]:
            t += a + b[0] * 5
    return t


PROGRAMS = [
    not_bound_where_the_pattern_fails,
    bound_where_the_guard_fails,
    guards_that_note,
    the_first_that_matches,
    in_loops,
    parts,
]


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(f):
    derivative = ast_ad.value_and_grad(f, fallback="error", check=False)
    for n in (0, 1, 2, 3):
        value, gradient = derivative(X, n)
        slopes = [(f(X + d, n) - f(X - d, n)) / 2e-6 for d in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(value, f(X, n), rtol=1e-15)
        np.testing.assert_allclose(gradient, slopes, atol=1e-8)
