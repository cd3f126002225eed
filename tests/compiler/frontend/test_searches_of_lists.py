"""What is searched in lists, and removed, if items are known at run time only; methods a list lacks."""

import numpy as np
import pytest

import ast_ad

X = np.array([0.3, -0.5, 0.9, -0.5])


def places(x):
    items = [v * 2 for v in x if v < 5]
    return (
        items.index(items[-1]) * x[0]
        + items.index(x[1] * 2, -len(x), -1) * x[1]
        + items.count(x[1] * 2) * x[2]
    )


def removed(x):
    items = list(x)
    items.remove(x[1])
    while max(items) > 0.5:
        items.remove(max(items))
    return sum(v * (i + 1) for i, v in enumerate(items)) + len(items) * x[0]


def in_branches(x):
    """No branch may raise that NumPy's None can't be called: the user's handler would get it."""
    items = list(x)
    try:
        for v in x:
            items.remove(v) if v < 0 else None
    except TypeError:
        return x[0] * 100
    return sum(items) * x[2]


def missing(x):
    items = list(x)
    try:
        return items.index(100.0) * x[0]
    except ValueError:
        pass
    try:
        items.remove(100.0)
    except ValueError:
        return x[1] * 2


def of_pairs(x):
    rows, pairs = [[v] for v in x], [(1, v) for v in x]
    rows.remove(rows[1])
    pairs.remove((1, x[0]))
    return sum(row[0] for row in rows) + pairs[0][1] * pairs.index((1, x[2]))


def lacking(x):
    total, items, table = 0.0, list(x), {"a": x[0]}
    try:
        items.get("a")
    except AttributeError:
        total += x[0]
    try:
        table.append(x[0])
    except AttributeError:
        total += x[1]
    try:
        (x[0], 1.0).append(x[0])
    except AttributeError:
        total += x[2]
    return total


FOLLOWED = [places, removed, in_branches, missing, of_pairs, lacking]


def hold(f, derivative):
    for x in (X, X[:3], np.append(X, [1.5, 0.7])):
        value, gradient = derivative(x)
        assert value == f(x)
        slopes = [(f(x + d) - f(x - d)) / 2e-6 for d in 1e-6 * np.eye(len(x))]
        np.testing.assert_allclose(gradient, slopes, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("f", FOLLOWED, ids=lambda f: f.__name__)
def test_followed(f):
    hold(f, ast_ad.value_and_grad(f, fallback="error", check=False))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_nan_is_found_if_it_is_the_very_same_one():
    def f(x):
        items = [*x, np.nan]
        items.remove(items[-1])
        return sum(items)

    with pytest.raises(ast_ad.UnsupportedError, match="nan"):
        ast_ad.grad(f, fallback="error", check=False)(X)
    hold(f, ast_ad.value_and_grad(f, check=False))
