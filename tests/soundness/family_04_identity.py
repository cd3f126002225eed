"""`is` between lists, dicts and arrays: are two names of one element told to be names of two?"""

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3, 0.7])
SHORTER = [(X[:1].copy(), 0.3), (X[:2].copy(), 0.7), (X[:3].copy(), -0.2)]


@program(X, 0.5, later=SHORTER, kernels=False)
def rows_by_their_positions(x, s):
    rows = [[v] for v in x]
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            total += rows[i][0] * rows[j][0] * (s if rows[i] is rows[j] else 2.0)
    return total


@program(X, 0.5, later=SHORTER, kernels=False)
def rows_of_two_loops(x, s):
    rows = [[v] for v in x]
    total = 0.0
    for a in rows:
        for b in rows:
            if a is not b:
                total += a[0] * b[0] * s
    return total + s


@program(X, 0.5, later=SHORTER)
def a_row_with_a_name(x, s):
    rows = []
    row = [s]
    for v in x:
        rows.append([v])
    rows[len(x) // 2] = row
    return np.sum(x) * (s if rows[0] is row else 3.0)


@program(X, 0.5, later=SHORTER)
def one_row_many_times(x, s):
    rows = [[s]] * len(x)
    return np.sum(x) * (s if rows[0] is rows[len(x) - 1] else 3.0)


@program(X, 0.5, later=SHORTER, kernels=False)
def the_largest_row(x, s):
    rows = [[v] for v in x]
    last = rows.pop()
    rows.append(last)
    largest = max(rows, key=lambda row: row[0])
    return np.sum(x) * (s if largest is last else 3.0) * (1.0 if largest is rows[0] else s)


@program(X, 0.5, later=SHORTER)
def an_array_with_a_name(x, s):
    rows = []
    row = x * s
    for i in range(len(x)):
        rows.append(row if i == 2 else x * i)
    return np.sum(x) * (s if rows[len(x) // 2] is row else 3.0)


@program(X, 0.5, later=SHORTER)
def lists_in_a_dict(x, s):
    table = {}
    row = [s]
    for i in range(len(x)):
        table[i // 2] = row
    return np.sum(x) * (s if table[0] is row else 3.0) * (1.0 if table[(len(x) - 1) // 2] is table[0] else s)


@program(np.array([0.3, 0.7]), 2.0)
def numbers_of_other_classes(x, s):
    t = x[0] * 2
    if t is np.pi or x[1] is s:
        t = t * 5
    if s is not np.float64(2.0):
        t = t * x[1]
    return t * (3.0 if t is np.inf else 7.0)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("an_array_with_a_name", "numba", "compiled"): "traced",
    ("an_array_with_a_name", "numpy", "compiled"): "traced",
}
