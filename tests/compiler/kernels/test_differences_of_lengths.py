"""Are kernels right where an array is shorter than what is taken from its length? It was a negative number.

A slice ``x[30:]`` had the length ``n - 30``, and so had ``np.zeros(len(x) - 30)``: of 25 elements, -5 was a
summand of other lengths, and memory was written to that was not there.
"""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")


def joined(x):
    return np.sum(np.sin(np.concatenate([x[30:], x])))


def joined_from_both_ends(x):
    return np.sum(np.sin(np.concatenate([x[30:-5], x[:-30], x])))


def spread(x):
    return np.sum(np.outer(x[30:], x)) + np.sum(np.tile(x[30:], 2) ** 2)


def after_zeros(x):
    return np.sum(np.cos(np.concatenate([np.zeros(len(x) - 30), x])))


def among_ones(x):
    return np.sum(np.ones((len(x) - 30, len(x))) * x)


def product_of_polynomials(x):
    return np.sum(np.polymul(x, x[len(x) - 30 :]) ** 2)


def filled(x):
    y = np.full(2 * len(x) - 60, x[0])
    return np.sum(y * y) + np.sum(x)


FUNCTIONS = [
    joined,
    joined_from_both_ends,
    spread,
    after_zeros,
    among_ones,
    product_of_polynomials,
    filled,
]


def outcome(function, *args):
    try:
        return function(*args)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_arrays_that_are_too_short(function):
    kernels = ast_ad.value_and_grad(function, backend="numba", check=False)
    plain = ast_ad.value_and_grad(function, check=False)
    kernels(np.linspace(0.1, 1.0, 40))
    assert kernels.source.startswith("# kernels") and ".shape[0]" in kernels.source
    for n in (41, 25, 30, 29, 40):
        x = 0.5 + 0.4 * np.cos(np.arange(n))
        expected, found = outcome(function, x), outcome(kernels, x)
        if isinstance(expected, str):
            assert found == expected
            continue
        np.testing.assert_allclose(found[0], expected, rtol=1e-12)
        np.testing.assert_allclose(found[1], plain(x)[1], rtol=1e-12)
