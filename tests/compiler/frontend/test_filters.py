"""Filters of ``scipy.ndimage`` in programs, and library functions that write to an array of the program's."""

import numpy as np
import pytest

import ast_ad

nd = pytest.importorskip("scipy.ndimage")
pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X, W = np.linspace(0.1, 2.0, 7) ** 2, np.array([0.2, 0.5, 0.3])


def smoothed(x, w):
    for size in (2, 3):
        x = nd.uniform_filter1d(x, size, mode="nearest")
    return np.sum(nd.convolve(np.roll(x, 1), w, mode="wrap") ** 2)


def widths(x, w):
    y = nd.gaussian_filter1d(x * x, w[1] + 1.0)
    if w[0] > 0.1:
        y = y + nd.gaussian_filter(np.outer(x, y), (w[0], 1.2)).sum(axis=0)
    return np.sum(y * np.arange(len(x)))


def edges(x, w):
    image = np.outer(x, w * x[:3])
    return np.sum(nd.gaussian_gradient_magnitude(image, 0.8)) + np.sum(nd.sobel(image, 0) * nd.laplace(image))


def of_a_list(x, w):
    rows = [nd.correlate1d(x * a, [w[0], 0.5, w[2]], mode="mirror") for a in w]
    return np.sum(np.stack(rows) ** 2)


def differences(function, args, position):
    def at(k, h):
        moved = [a.copy() for a in args]
        moved[position][k] += h
        return function(*moved)

    return np.array([(at(k, 1e-6) - at(k, -1e-6)) / 2e-6 for k in range(len(args[position]))])


@pytest.mark.drawn(of=7)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [smoothed, widths, edges, of_a_list])
def test_filters_are_compiled(function, backend):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend)
    for args in (
        (X, W),
        (X[:3], W),
        (X[::-1].copy(), np.array([0.05, 0.9, 0.3])),
    ):  # another length, another branch
        value, found = derivative(*args)
        assert derivative.mode == "compiled"
        np.testing.assert_allclose(value, function(*args), rtol=1e-12)
        for position, gradient in enumerate(found):
            expected = differences(function, args, position)
            np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6 * np.max(np.abs(expected)))


def into_an_array(x, w):
    out = np.zeros(len(x))
    nd.correlate1d(x, w, output=out)
    return np.sum(out**2)


def constants_into_an_array(x, w):
    out = np.zeros(len(x))
    nd.correlate1d(np.ones(len(x)), w, -1, out)
    return np.sum(out * x)


def read_behind(x, w):
    out = np.ones_like(x)
    y = nd.gaussian_filter(x, 1.0, 0, out)
    return np.sum(y + out)


@pytest.mark.slow
@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("function", [into_an_array, constants_into_an_array, read_behind])
def test_what_goes_to_an_array_is_refused_and_never_lost(function):
    with pytest.raises(ast_ad.UnsupportedError, match="output="):
        ast_ad.grad(function)(X, W)


def sorted_in_place(x, w):
    middle = w * 1.0
    found = np.median(middle, overwrite_input=True)
    return np.sum(x * found) + middle[0] * x[0]


def test_what_is_overwritten_is_no_value_of_a_program():
    derivative = ast_ad.value_and_grad(sorted_in_place)
    value, found = derivative(X, W[::-1].copy())
    assert value == sorted_in_place(X, W[::-1].copy())
    assert derivative.mode != "compiled"
    np.testing.assert_allclose(found, 0.3 + np.where(np.arange(7) == 0, 0.2, 0.0))


def of_integers(x, w):
    return np.sum(nd.correlate1d(np.ones(len(x), int), w) * x)


def test_a_filter_of_integers_gives_integers():
    weights = np.array([0.5, 1.2, 0.9])
    with pytest.warns(ast_ad.ZeroGradientWarning, match="becomes an integer"):
        value, by_weights = ast_ad.value_and_grad(of_integers, argnums=1)(X, weights)
    assert value == of_integers(X, weights)
    assert not by_weights.any()


def beyond(x, w):
    return np.sum(nd.correlate1d(x, w, mode="constant", cval=x[0]))


@pytest.mark.slow
def test_the_number_beyond_the_edges_has_no_rule():
    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(beyond)(X, W)
