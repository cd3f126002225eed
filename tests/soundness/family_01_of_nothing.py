"""Lists of integers that may be empty: of nothing NumPy makes an array of floats."""

import numpy as np

from .harness import program

TWO = np.array([1.5, 2.5])
NONE = [(TWO, 0), (TWO, 2), (TWO, 0)]


def below(n):
    return [k for k in range(n)]


@program(TWO, 3, later=NONE, compiled=False)
def dtype_of_an_array(x, n):
    return np.sum(x) * (2.0 if np.array(below(n)).dtype.kind == "i" else 1.0)


@program(TWO, 3, later=NONE, compiled=False)
def class_of_a_sum(x, n):
    return np.sum(x) * (2.0 if isinstance(np.sum(below(n)), np.integer) else 1.0)


@program(TWO, 3, later=NONE, compiled=False)
def running_sums(x, n):
    sums = np.cumsum(below(n))
    return np.sum(x) * (3.0 if sums.dtype == int else x[0])


@program(TWO, 3, later=NONE, compiled=False)
def flags(x, n):
    chosen = np.asarray([k > 1 for k in range(n)])
    return np.sum(x) * (2.0 if chosen.dtype == bool else x[1])


@program(TWO, 3, later=NONE, compiled=False)
def grown(x, n):
    found = []
    for i in range(n):
        if i != 1:
            found.append(i)
    return np.sum(x * x) * (2.0 if np.unique(found).dtype.kind == "i" else 0.5)


@program(TWO, 3, later=NONE, compiled=False)
def halves(x, n):
    widths = np.array(below(n)) + np.array([1, 2])[:1]
    return np.sum(widths // 2 * x[0]) + (1.0 if widths.dtype.kind == "i" else x[1])


@program(TWO, 3, later=NONE, compiled=False)
def among_floats(x, n):
    return np.sum(np.array(below(n)) * x[0]) + np.mean(np.append(below(n), x))


@program(TWO, 3, later=NONE)
def dtype_that_is_given(x, n):
    return np.sum(x) * (2.0 if np.array(below(n), dtype=int).dtype.kind == "i" else 1.0)


@program(TWO, 2, later=[(TWO, 0), (TWO, 1)])
def picked(x, n):
    return np.sum(x[below(n)]) * x[0]


class Bins:
    def __init__(self):
        self.items = []

    def counts(self, n):
        self.items = [k * k for k in range(n)]
        return np.asarray(self.items)


@program(TWO, 3, later=NONE, compiled=False)
def in_a_method(x, n):
    return np.prod(x) * (1.0 if Bins().counts(n).dtype.kind == "i" else x[0])


@program(TWO, 3, later=NONE, compiled=False)
def rows_of_integers(x, n):
    table = np.array([[k, k + 1] for k in range(n)])
    return np.sum(x) * (2.0 if table.dtype.kind == "i" else x[0])


@program(TWO, 3, later=[(TWO, 1), (TWO, 2)], compiled=False)
def in_nested_loops(x, n):
    total = 0.0
    for i in range(n):
        before = [j for j in range(i)]
        total = total + (x[0] if np.sum(before).dtype.kind == "i" else x[1] * x[1])
    return total


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
