"""How often, and in which order, does code run whose runs show: in caches, np.vectorize, decorators?"""

import functools

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.4, -1.1, 0.7])


def cached_with_notes(x):
    notes = []
    of = functools.lru_cache(lambda k: notes.append(k) or k * x[0])
    return of(1) + of(1) + of(2) + len(notes) * x[1]


def cached_and_rebound(x):
    k = x[0]

    @functools.cache
    def of(v):
        return v * k

    first = of(2)
    k = x[1]
    return first + of(2) + of(3) * x[2]


def cached_and_written(x):
    row = [x[0]]

    def part(v):
        return v * row[0]

    @functools.cache
    def of(v):
        return part(v)

    first = of(2)
    row[0] = x[1]
    return first + of(2)


def cached_in_a_loop(x):
    k, total = x[0], 0.0

    @functools.cache
    def of(v):
        return v * k

    for i in range(3):
        total += of(1) * (i + 1)
        k = k * x[1]
    return total


def vectorized_with_notes(x):
    notes = []
    found = np.vectorize(lambda v: notes.append(v) or v * len(notes))(x)
    return np.sum(found * x) + len(notes) * x[0]


def vectorized_with_a_counter(x):
    count = 0

    def counted(v):
        nonlocal count
        count += 1
        return v * count

    return np.sum(np.vectorize(counted)(x) * x)


TRACED = [
    cached_with_notes,
    cached_and_rebound,
    cached_and_written,
    cached_in_a_loop,
    vectorized_with_notes,
    vectorized_with_a_counter,
]


def decorated(x):
    notes = []

    def note(k, v):
        notes.append(k)
        return v

    @note(1, lambda f: lambda v: f(v) * x[1])
    @note(2, lambda f: f)
    def of(v, w=note(3, x[0])):  # noqa: B008
        return note(4, v * w)

    return of(2.0) + sum(k * (i + 1) for i, k in enumerate(notes)) * x[2]


def cached_recursion(x):
    @functools.cache
    def of(k):
        return x[0] if k < 2 else of(k - 1) + of(k - 2) * x[1]

    return sum(of(i) for i in range(5)) + of(4)


def vectorized_of_types(x):
    notes = []
    found = np.vectorize(lambda v: notes.append(v) or v * len(notes), otypes=[float])(x)
    return np.sum(found) + len(notes) * x[0] + np.sum(np.vectorize(lambda v: v * x[1])(x))


FOLLOWED = [decorated, cached_recursion, vectorized_of_types]


def hold(f, derivative):
    for x in (X, X[::-1].copy()):
        value, gradient = derivative(x)
        slopes = [(f(x + d) - f(x - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(value, f(x), rtol=1e-14)
        np.testing.assert_allclose(gradient, slopes, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("f", TRACED, ids=lambda f: f.__name__)
def test_right_if_not_followed(f):
    hold(f, ast_ad.value_and_grad(f, check=False))


@pytest.mark.slow
@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_followed(f):
    hold(f, ast_ad.value_and_grad(f, fallback="error", check=False))


def test_nothing_tells_no_type():
    derivative = ast_ad.grad(lambda x, n: np.vectorize(lambda v: v * v)(x[:n]).sum(), check=False)
    np.testing.assert_allclose(derivative(X, 2), [0.8, -2.2, 0.0])
    with pytest.raises(ValueError, match="size 0 inputs"):
        derivative(X, 0)
