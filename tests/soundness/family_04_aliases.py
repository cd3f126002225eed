"""Arrays that several names, lists or views hold: is a write through one seen by all, and by no other?

All must be right; traced is enough.
"""

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])
ROWS = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


# ----- the page's own
@program(THREE, 0.6, compiled=False)
def history_of_one_array(x, s):
    u = x.copy()
    hist = []
    for i in range(3):
        u += s * i
        hist.append(u)
    return sum(np.sum(h * h * (k + 1.0)) for k, h in enumerate(hist))


@program(THREE, ROWS, 0.6, compiled=False)
def row_in_a_list_written(x, y, s):
    y = y * 1.0
    rows = [y[i] for i in range(3)]
    rows[1][:] = x * s
    return np.sum(y * y)


@program(THREE, THREE * 0.5, 0.6, 3, compiled=False)
def momentum_with_a_history(w, v, s, n):
    w, v = w.copy(), v.copy()
    ws = []
    for _ in range(n):
        v *= 0.9
        v -= s * np.cos(w)
        w += v
        ws.append(w)
    return sum(np.sum(np.sin(p) * (i + 1.0)) for i, p in enumerate(ws))


@program(ROWS, 0.6, compiled=False)
def rows_swapped_in_a_list(y, s):
    rows = list(y)
    rows[0], rows[1] = rows[1], rows[0]
    return np.sum(rows[0] * s) + np.sum(rows[1] ** 2) + np.sum(y[0] * y[2])


@program(ROWS, 0.6, compiled=False)
def rows_unpacked_and_written(y, s):
    y = y * 1.0
    w1, w2, w3 = list(y)
    w1 -= s * w2
    return np.sum(y * y) + np.sum(w3)


@program(THREE, ROWS[1].copy(), 0.6, compiled=False)
def names_swapped_then_written(a, b, s):
    a, b = a * 1.0, b * 1.0
    for i in range(2):
        b, a = a, a
    a[1:] *= s
    return np.sum(b * b) + np.sum(a)


@program(0.4, compiled=False)
def list_grows_while_iterated(x):
    l = [x]
    total = 0.0
    for v in l:
        total = total + v * v
        if len(l) < 5:
            l.append(v * 1.5 + 0.1)
    return total


@program(THREE, ROWS, compiled=False)
def rows_of_a_reversed_view(x, y):
    h = np.zeros_like(y)
    for k, g in enumerate(h[::-1]):
        x, x = x, g
        g[1:] = y[k, :-1]
    return np.sum(h * h) + np.sum(x)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("history_of_one_array", "numpy", "right"): "bits of the value",
    ("history_of_one_array", "numba", "right"): "numbers of the value",
    ("row_in_a_list_written", "numpy", "right"): "bits of the value",
    ("row_in_a_list_written", "numba", "right"): "numbers of the value",
    ("momentum_with_a_history", "numpy", "right"): "bits of the value",
    ("momentum_with_a_history", "numba", "right"): "numbers of the value",
    ("rows_swapped_in_a_list", "numpy", "right"): "bits of the value",
    ("rows_swapped_in_a_list", "numba", "right"): "numbers of the value",
    ("rows_unpacked_and_written", "numpy", "right"): "bits of the value",
    ("rows_unpacked_and_written", "numba", "right"): "numbers of the value",
    ("names_swapped_then_written", "numpy", "right"): "bits of the value",
    ("names_swapped_then_written", "numba", "right"): "numbers of the value",
    ("list_grows_while_iterated", "numpy", "right"): "bits of the value",
    ("list_grows_while_iterated", "numba", "right"): "numbers of the value",
    ("rows_of_a_reversed_view", "numpy", "right"): "raises KeyError where the function raises nothing",
    ("rows_of_a_reversed_view", "numba", "right"): "raises KeyError where the function raises nothing",
}
