"""A branch within a branch raises: what the other paths go on with holds the arrays that it held before."""

import numpy as np

from .harness import program

X = np.array([0.3, -1.2, 0.7])
LATER = [(-X,), (2 * X,)]


def magnitude(value):
    if value > 0:
        return value
    if value < -5:
        raise ValueError(value)
    return -value


@program(X, later=LATER)
def arrays_of_a_pair_are_the_named_ones(x):
    u = x * 2
    pair = (u, u)
    if x[0] > 0:
        w = x[0]
    else:
        if x[0] < -5:
            raise ValueError(x)
        w = -x[0]
    pair[0][0] = w
    return np.sum(pair[1] * x) + (1.0 if u is pair[1] else 200.0)


@program(X, later=LATER)
def array_of_a_list_in_a_pair(x):
    pair = (x * 2, [x * 3])
    same = pair
    if x[0] > 0:
        w = x[0]
    else:
        if x[0] < -5:
            raise ValueError(x)
        pair[1][0][0] = 7.0
        w = -x[0]
    pair[1][0][1] = w
    return np.sum(same[1][0] * x) + (1.0 if same is pair else 50.0)


@program(X, later=LATER)
def pairs_that_are_still_to_come(x):
    u, v = np.zeros(3), np.ones(3)
    pairs = zip((u, v), (1.0, 2.0), strict=True)
    if x[0] > 0:
        w = x[0]
    else:
        if x[0] < -5:
            raise ValueError(x)
        w = -x[0]
    for a, c in pairs:
        a[1] = w * c
    return np.sum(u * x) + np.sum(v * x)


def fill(rows, count, value_of):
    for i in range(count):
        for row, value in zip(rows, (value_of(i), 2.0), strict=True):
            row[i] = value
    return rows


@program(X, later=LATER)
def rows_that_a_helper_fills(x):
    u, v = np.zeros(3), np.zeros(3)
    rows = fill((u, v), 3, lambda i: magnitude(x[i]))
    return np.sum(u * x) + np.sum(rows[0] * rows[1])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
