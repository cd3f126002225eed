"""``at`` of ufuncs: one element after the other, with values that may lie in the array that is written."""

import numpy as np

from .harness import program

X = np.array([0.7, 1.2, -0.4, 2.0])
LATER = [(X * 1.5,), (X + 1,)]
PLACES = np.array([0, 2, 2, 1])


@program(X, later=LATER)
def factors_at_repeated_places(x):
    y = x * 2
    np.multiply.at(y, PLACES, x)
    return np.sum(y * x)


@program(X, later=LATER)
def extrema_and_quotients(x):
    y = x * 2
    np.maximum.at(y, PLACES, x * 3)
    np.divide.at(y, [0, 0], x[1])
    return np.sum(y * x)


@program(X, later=LATER)
def factors_out_of_the_array_itself(x):
    y = x * 2
    np.multiply.at(y, [0, 1, 1], y[1:])
    np.minimum.at(y, PLACES, y[::-1])
    return np.sum(y * x)


@program(X, later=LATER)
def columns_in_a_loop(x):
    y = np.outer(x, x)
    for i in range(2):
        np.multiply.at(y, (slice(None), [i, i]), x[i])
    return np.sum(y * y)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
