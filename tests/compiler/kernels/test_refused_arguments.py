"""Do kernels raise what NumPy's functions raise, of arguments that are known when they run?"""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")


def slopes(x, k):
    return np.sum(np.gradient(x) ** 2)


def slopes_of_second_order(x, k):
    return np.sum(np.gradient(x, 0.5, edge_order=2) ** 2)


def counts(x, k):
    return np.sum(np.bincount(np.arange(len(x)) % 3, weights=x, minlength=k) ** 2)


def rows(x, k):
    return np.sum(np.sin(x.reshape(k, -1)))


def smoothed(x, k):
    return np.sum(np.convolve(x, x[:k]) ** 2)


def spaced(x, k):
    return np.sum(np.linspace(0.0, x[-1], k) ** 2)


def weighted(x, k):
    return np.average(x, weights=x * k)


def repeated(x, k):
    return np.sum(np.broadcast_to(x, (k, len(x))) ** 2)


def slopes_by_places(x, k):
    return np.sum(np.gradient(x, x[k - 2 :]) ** 2)


def with_edges(x, k):
    return np.sum(np.pad(x, k, mode="edge") ** 2)


def in_order(x, k):
    return np.sum(x[np.lexsort((x[k - 2 :], x))] * np.arange(len(x)))


EMPTY, X = np.zeros(0), np.linspace(0.1, 1.0, 6)
REFUSED = {
    slopes: [(EMPTY, 2)],
    slopes_of_second_order: [(EMPTY, 2), (X[:2], 2)],
    counts: [(X, -1)],
    rows: [(X, 4), (X, 0), (EMPTY, 0), (X, -2)],
    smoothed: [(X, 0), (EMPTY, 3)],
    spaced: [(X, -1), (EMPTY, 3)],
    weighted: [(X, 0), (EMPTY, 3)],
    slopes_by_places: [(X, 3), (X[:3], 3), (X, 8)],
    with_edges: [(EMPTY, 1), (X, -1)],
    in_order: [(X, 3), (X[:1], 3), (X, 8)],
    repeated: [(X, -1), (EMPTY, -1)],
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_numpy_refuses_kernels_refuse(function):
    gradient = ast_ad.value_and_grad(function, backend="numba", check=False)
    value, slope = gradient(X, 2)
    np.testing.assert_allclose(value, function(X, 2), rtol=1e-12)
    ways = [(function(X + h, 2) - function(X - h, 2)) / 2e-6 for h in 1e-6 * np.eye(6)]
    np.testing.assert_allclose(slope, ways, rtol=1e-6, atol=1e-8)
    assert gradient.source.startswith("# kernels")
    for given in REFUSED[function]:
        with pytest.raises(Exception) as raised:
            function(*given)
        with pytest.raises(type(raised.value)) as found:
            gradient(*given)
        assert str(found.value) == str(raised.value)
