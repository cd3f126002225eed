"""Are sets put in order whose members are known at run time only? Where no two members are alike.

In which order a set is run over, its hashes tell; by a key, two members may be alike and stay in that order.
"""

import numpy as np
import pytest

import ast_ad

KEYS = np.array([2, 1, 2, 0, 1])
X = np.linspace(0.2, 1.7, 5)


def seen_before(x, keys):
    seen, total = set(), 0.0
    for key, v in zip(keys, x, strict=True):
        if key not in seen:
            seen.add(key)
            total += v * len(seen)
    for n, key in enumerate(sorted(seen)):
        total += x[key] * (n + 1)
    return total


def both_ends(x, keys):
    found, total = set(keys.tolist()), 0.0
    for key in sorted(found | {3}, reverse=True):
        total = total * 0.7 + x[key] ** 2
    return total + x[max(found)] * x[min(found - {0})]


def of_pairs(x, keys):
    total = 0.0
    for a, b in sorted({(int(a), int(b)) for a, b in zip(keys, keys[::-1], strict=True)}):
        total += x[a] * x[b] * total + x[a]
    return total


def as_an_index(x, keys):
    places = np.array(sorted({int(key) for key in keys if key > 0}))
    return np.sum(x[places] ** 2)


def of_nothing(x, keys):
    return np.sum(x) * (1 + len(sorted({int(key) for key in keys if key > 7})))


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", [seen_before, both_ends, of_pairs, as_an_index, of_nothing])
def test_sorted_and_the_extremes(f, backend):
    gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    for keys in (KEYS, KEYS[::-1], np.array([4, 3, 4, 4, 1])):
        value, found = gradient(X, keys)
        assert value == pytest.approx(f(X, keys), rel=1e-14)
        slopes = [(f(X + step, keys) - f(X - step, keys)) / 2e-6 for step in 1e-6 * np.eye(5)]
        np.testing.assert_allclose(found, slopes, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, keys: np.sum(x) + sum(sorted(set(x.tolist()))),
        lambda x, keys: max({(v, 1) for v in x})[0],
        lambda x, keys: sum(x[key] for key in sorted(set(keys.tolist()), key=lambda k: k % 2)),
        lambda x, keys: sum(x[key] for key in set(keys.tolist())),
    ],
)
def test_members_with_a_derivative_and_orders_of_hashes_are_refused(f):
    with pytest.raises(ast_ad.UnsupportedError, match="set_of_keys"):
        ast_ad.grad(f, fallback="error")(X, KEYS)
