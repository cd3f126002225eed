"""Which item has a range, a slice or ``x.flat``, where its bounds are known at run time only?"""

import numpy as np
import pytest

import ast_ad

P = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])


def halves(p):
    """Lists cut at the items of a range, by their length."""
    items = p.tolist()
    step = int(len(items) / 2)
    cuts = range(0, len(items) + 1, step)
    first, second = (items[cuts[i] : cuts[i + 1]] for i in range(2))
    return first[0] * second[1] + first[-1] ** 2 * len(first)


def backwards(p):
    places = range(len(p) - 1, -1, -1)
    return p[places[0]] * p[places[-1]] ** 2 + places[1] * p[places[-2]]


def in_a_loop(p):
    places = range(1, len(p), 2)
    total = 0.0
    for i in range(len(places)):
        total += p[places[i]] * (i + 1)
    return total


def known(p):
    places = range(0, 6, 2)[1:]
    return sum(p[i] ** 2 for i in places) * len(places) + places.index(4) * p[0] + places.count(4) * p[1]


def cut(p, where):
    rows, columns = where
    x = np.outer(p, p)
    return np.sum(x[where]) * rows.start + columns.stop * p[0] + sum(s.start for s in where) * p[1]


def flat(p):
    a, b, _, c = np.cov(p, p**2, bias=1).flat
    return a * b + c


@pytest.mark.slow
@pytest.mark.parametrize(
    "function, more",
    [
        (halves, ()),
        (backwards, ()),
        (in_a_loop, ()),
        (known, ()),
        (cut, ((slice(1, 3), slice(2, 3)),)),
        (flat, ()),
    ],
)
def test_items(function, more):
    found = ast_ad.grad(function, fallback="error")(P, *more)
    h = 1e-6
    expected = [(function(P + h * e, *more) - function(P - h * e, *more)) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    assert ast_ad.value_and_grad(function)(P, *more)[0] == function(P, *more)


def beyond(p, k):
    items = p.tolist()
    return items[range(0, len(items), int(len(items) / 3))[k]] ** 2


def test_no_such_item():
    square = ast_ad.grad(beyond, fallback="error")
    np.testing.assert_array_equal(square(P, -1), [0, 0, 0, 0, 10, 0])
    with pytest.raises(IndexError):
        beyond(P, 3)
    with pytest.raises(IndexError):
        square(P, 3)
