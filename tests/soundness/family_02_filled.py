"""Lists that begin as None many times and are filled in a loop: what do NumPy's functions make of them?"""

import numpy as np

from .harness import program

V5, V4, V3 = (
    np.array([0.4, -0.7, 1.3, 0.2, -0.1]),
    np.array([-0.3, 0.9, 0.6, 1.7]),
    np.array([1.1, 0.5, -0.8]),
)
LATER = [(V4, 2, 0.3), (V3, 3, 0.4), (V5, 1, -0.2)]


@program(V5, 4, 0.3, later=LATER)
def an_array_of_numbers(x, n, s):
    squares = [None] * n
    for i in range(n):
        squares[i] = x[i % len(x)] ** 2 * s
    return np.sum(np.array(squares) * np.arange(n))


@program(V5, 4, 0.3, later=LATER)
def an_array_of_rows(x, n, s):
    rows = [None] * n
    for i in range(n):
        rows[i] = x * (i + s)
    return np.sum(np.array(rows) ** 2)


@program(V5, 4, 0.3, later=LATER)
def filled_from_the_end(x, n, s):
    left = [None] * (n + 1)
    left[n] = x[0] * s
    for i in reversed(range(n)):
        left[i] = left[i + 1] * 0.5 + x[i % len(x)]
    return np.sum(np.asarray(left) ** 2)


@program(V5, 4, 0.3, later=LATER)
def stacked_below_each_other(x, n, s):
    rows = [None] * n
    for i in range(n):
        rows[i] = np.sin(x) * s * i
    return np.sum(np.vstack(rows) @ x)


@program(V5, 4, 0.3, later=LATER)
def a_matrix_row_by_row(x, n, s):
    rows = [None] * n
    for i in range(n):
        rows[i] = np.array([x[i % len(x)] * np.cos(j * s) for j in range(n)])
    a = np.array(rows)
    return np.sum(a @ a)


@program(V5, 4, 0.3, later=LATER)
def of_a_dtype(x, n, s):
    items = [None] * n
    for i in range(n):
        items[i] = x[i % len(x)] * s
    return np.sum(np.array(items, dtype=float) ** 3)


@program(V5, 4, 0.3, later=LATER)
def not_always_full(x, n, s):
    items = [None] * 3
    for i in range(min(n, 3)):
        items[i] = x[i] * s
    return len(items) * s + sum(v for v in items if v is not None)


KNOWN: dict[tuple[str, str, str], str] = {}
