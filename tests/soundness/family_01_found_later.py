"""What one pass of a loop leaves has the length of that pass: is it another one's for the pass that finds it?

The first pass finds nothing: the name has no value yet, or None, and no length from before the loop is known.
"""

import numpy as np

from .harness import program

FOUR = np.array([0.7, 1.3, -0.4, 1.9])
FIVE = np.array([0.2, -1.1, 0.8, 1.4, 0.6])
LATER = [(FOUR, 1), (FIVE, 0), (FIVE, 2)]


@program(FOUR, 1, later=LATER)
def no_value_yet(x, n):
    t = 0.0
    for k in range(3):
        if k == 2 and n < 2:
            t = np.sum(np.ones(k * n) * last)
            break
        last = np.ones(k * n) * x[1]
    return t + np.sum(last)


@program(FOUR, 1, later=LATER)
def none_before(x, n):
    t, last = 0.0, None
    for k in range(1, 3):
        if last is not None and n < 2:
            t = t + np.sum(np.arange(1.0, k * n + 1) * last)
        last = np.ones(k * n) * x[1]
    return t + np.sum(last * x[0])


@program(FOUR, 1, later=LATER)
def else_of_the_loop(x, n):
    t = 0.0
    for k in range(3):
        if k == 2 and n == 1:
            t = np.sum(np.ones(k * n) * last)
            break
        last = np.ones(k * n) * x[1]
    else:
        last = x
    return t + np.sum(last)


@program(FOUR, 1, later=LATER)
def counted_by_hand(x, n):
    t, k = 0.0, 0
    while True:
        k += 1
        if k == 2:
            t = np.sum(np.arange(1.0, k + 1) * last)
            break
        last = np.ones(k) * x[0] * x[1]
    return t + np.sum(last * x[2])


@program(FOUR, 1, later=LATER)
def an_int(x, n):
    t, before = 0.0, None
    for k in range(1, 3):
        if before is not None:
            row, weights = np.ones(before) * x[0], np.arange(1.0, k + 1)
            t = t + np.sum(row * weights) * np.sum(row)
        before = k
    return t


@program(FOUR, 1, later=LATER)
def an_int_without_a_value(x, n):
    t = 0.0
    for k in range(1, 4):
        if k == 2:
            row = np.ones(before) * x[0]
            t = np.sum(row * np.arange(1.0, k + 1)) * np.sum(row)
            break
        before = k
    else:
        before = 5
    return t + before * x[1]


@program(FOUR, 1, later=LATER)
def a_window(x, n):
    t, part = 0.0, None
    for k in range(1, 3):
        if part is not None:
            t = t + np.sum(np.arange(1.0, k + 1) * part * x[1])
        part = x[:k]
    return t + np.sum(part)


@program(FOUR, 1, later=LATER)
def a_pair(x, n):
    t = 0.0
    for k in range(1, 3):
        if k == 2:
            t = np.sum(np.arange(1.0, k + 1) * pair[0]) * pair[1]
            break
        pair = (np.ones(k) * x[1], k * x[0])
    else:
        pair = (x, 1.0)
    return t + pair[1] * np.sum(pair[0])


@program(FOUR, 1, later=LATER)
def a_list(x, n):
    t = 0.0
    for k in range(1, 3):
        if k == 2:
            t = np.sum(np.ones(k * n) * parts[0]) if n < 2 else 0.0
            break
        parts = [np.ones(k * n) * x[1]]
    else:
        parts = [x]
    return t + np.sum(parts[0])


class Kept:
    def __init__(self):
        self.row = None

    def step(self, x, k):
        found = 0.0 if self.row is None else np.sum(np.arange(1.0, k + 1) * self.row)
        self.row = np.ones(k) * x[k]
        return found


@program(FOUR, 1, later=LATER)
def an_attribute(x, n):
    kept, t = Kept(), 0.0
    for k in range(1, 3):
        t = t + kept.step(x, k)
    return t + np.sum(kept.row * x[0])


@program(FOUR, 1, later=LATER)
def a_closure(x, n):
    t = 0.0
    for k in range(1, 3):
        if k == 2:
            t = weigh(np.arange(1.0, k + 1))
            break
        row = np.ones(k) * x[1]
        weigh = lambda v: np.sum(v * row) * x[0]
    return t + np.sum(row)


def times(row, k):
    return np.sum(row * np.arange(1.0, k + 1))


@program(FOUR, 1, later=LATER)
def in_a_helper(x, n):
    t, row = 0.0, None
    for k in range(1, 3):
        t = t + (times(row, k) if row is not None else x[3])
        row = np.ones(k) * x[k]
    return t + np.sum(row)


@program(FOUR, 1, later=LATER)
def within_another_loop(x, n):
    t, row = 0.0, None
    for i in range(1, 3):
        for k in range(1, 3):
            if i == 2 and k == 1:
                t = t + np.sum(np.ones(i * k) * row)
            if i * k == 1:
                row = np.ones(i * k) * x[1]
    return t + np.sum(row)


@program(FOUR, 1, later=LATER)
def written_in_place(x, n):
    t = 0.0
    for k in range(1, 4):
        row = np.ones(k) * x[1]
        if k > 1:
            t = t + np.sum(row * last)
            if k == 2:
                break
        last = row
        row += x[0]
        last *= x[2]
    else:
        last = x
    return t + np.sum(last)


@program(FOUR, 1, later=LATER)
def two_behind(x, n):
    t, one, two = 0.0, None, None
    for k in range(1, 4):
        if one is not None and k == 2:
            t = t + np.sum(one * np.arange(1.0, k + 1) * x[1])
        if two is not None and two.size == 1:
            t = t + np.sum(two * np.arange(1.0, k + 1))
        one, two = np.ones(k) * x[0], one
    return t


@program(FOUR, 1, later=LATER)
def rows_of_a_matrix(x, n):
    t, rows = 0.0, None
    for k in range(1, 3):
        table = np.ones((k, 2)) * x[0]
        if rows is not None:
            t = t + np.sum(table * (np.ones((rows, 2)) * x[1]))
        rows = k
    return t


@program(FOUR, 1, later=LATER)
def a_number_that_gets_an_index(x, n):
    k = 0.5 * np.sum(x)
    rows = [x[0] * k, x[1]]
    for k in range(2):
        rows = [rows[-1], rows[0] + rows[-1] * np.tanh(x[2])]
    return rows[0] * rows[1] + k * x[3]


@program(FOUR, 1, later=LATER)
def zeros_in_a_dict_of_floats(x, n):
    sums = {}
    for i in range(len(x)):
        sums[i % 2] = 0
        sums[i % 2] += x[i] * x[i]
    last = 0.0
    for value in sums.values():
        last = last * 0.5 + np.sin(value)
    return last


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
