"""Items of lists in lists, written in place: tables, pyramids, and who else may see a row."""

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3, 0.7])
Y = np.array([0.5, 1.1, -0.3])
ROWS = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


@program(X, Y, later=[(X[:1], Y), (X[:0], Y), (X * 2.0, X)])
def time_warping(x, y):
    n, m = len(x), len(y)
    d = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            d[i][j] = cost + min(d[i - 1][j], d[i][j - 1], d[i - 1][j - 1]) * (1.0 + 0.1 * j)
    return d[n][m] + np.sum(x)


@program(X, Y, later=[(X[:1], Y), (X * 2.0, X)])
def a_table_of_integers_that_become_floats(x, y):
    n, m = len(x), len(y)
    d = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n):
        d[i + 1][0] = i
        for j in range(m):
            d[i + 1][j + 1] = d[i][j] * y[j] + x[i] if x[i] > y[j] else max(d[i][j + 1], d[i + 1][j])
    return sum(sum(row) for row in d)


@program(X, 3, later=[(X, 1), (X, 0), (X[:2], 5)])
def a_pyramid(x, n):
    t = [[0.0] * (k + 1) for k in range(n + 1)]
    for k in range(1, n + 1):
        for i in range(k):
            t[k][i] = t[k - 1][i] * 0.5 + x[i % len(x)] * k
            t[k][k] += t[k][i] ** 2
    return sum(sum(row) for row in t) + x[0]


@program(X, 3, later=[(X, 1), (X, 2)])
def three_levels(x, n):
    d = [[[0.0] * 3 for _ in range(n)] for _ in range(len(x))]
    for i in range(len(x)):
        for j in range(n):
            for k in range(3):
                d[i][j][k] = x[i] * (j + k) + (d[i - 1][j][k] if i else 0.0)
                d[i][j][0] -= d[i][j][k] * x[0]
    return sum(sum(sum(row) for row in part) for part in d)


@program(X, -1, later=[(X, 0), (X, 2), (X, 3), (X, -4)])
def places_that_may_not_be_there(x, k):
    d = [[v] * 3 for v in x]
    for i in range(len(x)):
        d[i][k] = d[k][i % 3] * x[i]
    return sum(sum(row) for row in d)


@program(X, 1, later=[(X, 4), (X, 9), (X, -5)])
def rows_that_may_not_be_there(x, k):
    d = [[v] * 3 for v in x]
    d[k][1] = x[0] * x[1]
    return sum(sum(row) for row in d)


@program(X, 1, later=[(X, 2), (X, 0)])
def the_row_is_read_before(x, k):
    d = [[v, v * 2.0] for v in x]
    total = 0.0
    for i in range(len(x)):
        row = d[i]
        d[i][0] = row[1] * x[k]
        total += row[0] * d[i - 1][1]
    return total


@program(X, 1, later=[(X, 2), (X, 0)])
def a_copy_of_the_row_stays(x, k):
    d = [[v, v * 2.0] for v in x]
    total = 0.0
    for i in range(len(x)):
        kept = list(d[i])
        d[i][0] = kept[1] * x[k]
        kept[1] += d[i][0]
        total += kept[0] * d[i][0] + kept[1]
    return total + sum(sum(row) for row in d)


@program(X, 1, later=[(X, 2), (X, 0)])
def copies_of_all_rows_stay(x, k):
    d = [[v, v * 2.0] for v in x]
    history = []
    for i in range(len(x)):
        history.append([list(row) for row in d])
        d[i][k % 2] = d[i - 1][0] * x[k]
    return sum(sum(sum(row) for row in table) for table in history) * d[-1][k % 2]


@program(X, 2, later=[(X, 0), (X, 1)])
def rows_that_grow(x, n):
    d = [[v] for v in x]
    for i in range(len(x)):
        for j in range(n):
            d[i].append(d[i][j] * x[j])
            d[i][0] = d[i][-1] + 1.0
    return sum(sum(row) * len(row) for row in d)


@program(X, 2, later=[(X, 0), (X, 1)])
def rows_that_are_replaced(x, n):
    d = [[v, v] for v in x]
    for i in range(len(x)):
        d[i][1] = x[i] * x[n]
        d[i - 1] = [d[i][0], d[i][1] * 2.0]
        d[i][0] = d[i - 1][1] - d[i][1]
    return sum(sum(row) for row in d)


@program(X, 2, later=[(X, 0), (X, 1), (X, 4)])
def written_on_a_path(x, n):
    d = [[v, v * v] for v in x]
    for i in range(n):
        if d[i][0] > 0.5:
            d[i][1] = d[i][0] * d[i - 1][1]
        elif d[i][1] > 0.5:
            d[i][0] = 2.0
            continue
        d[0][1] *= x[i]
    return sum(row[0] * row[1] for row in d)


@program(X, 2, later=[(X, 0), (X, 3)])
def one_row_many_times(x, n):
    d = [[0.5] * 3] * 4
    for i in range(n):
        d[i][i % 3] = x[i]
    return sum(sum(row) for row in d) * x[0]


@program(X, 2, later=[(X, 0), (X, 3)])
def equal_rows_that_are_several(x, n):
    first = [0.5] * 3
    d = [list(first) for _ in x]
    d.append(list(d[0]))
    for i in range(n):
        d[i][i % 3] = x[i] * d[-1][0]
    return sum(sum(row) for row in d) + sum(first) * x[0]


@program(ROWS, 2, later=[(ROWS, 0), (ROWS, 3)])
def arrays_in_lists_in_lists(y, n):
    d = [[y[i], y[i] * 2.0] for i in range(len(y))]
    for i in range(n):
        d[i][1] = d[i][0] * d[i - 1][1]
        d[i][0] = np.outer(d[i][1], d[i][1])[0]
    return sum(np.sum(part) for row in d for part in row)


@program(ROWS, 2, later=[(ROWS, 0), (ROWS, 3)])
def arrays_of_other_lengths(y, n):
    d = [[y[i, : i + 1], y[i]] for i in range(len(y))]
    for i in range(n):
        d[i][0] = d[i][1] * 0.5
        d[i][1] = d[i - 1][0][:1]
    return sum(np.sum(part * part) for row in d for part in row)


@program(X, 2, later=[(X, 0), (X, 3)])
def a_table_that_a_helper_fills(x, n):
    def fill(table, i):
        for j in range(len(table[i])):
            table[i][j] = x[j] * i + table[i - 1][j]

    d = [[0.0] * 3 for _ in range(4)]
    for i in range(n):
        fill(d, i)
    return sum(sum(row) for row in d) * x[0]


@program([[0.5, 1.5], [2.5, -0.5]], X, later=[([[0.5, 1.5], [2.5, -0.5]], X[:2])])
def a_table_that_is_an_argument(rows, x):
    d = [list(row) for row in rows]
    for i in range(len(x)):
        d[i % 2][0] = d[i % 2][1] * x[i]
        d[1][i % 2] += d[0][0]
    return d[0][0] + d[1][1] * 2.0


@program(X, 3, later=[(X, 0), (X, 2)])
def the_table_is_the_result_of_a_while(x, n):
    d = [[v, 0.0] for v in x]
    while n > 0 and d[n][0] < 5.0:
        d[n - 1][1] = d[n][0] + d[n][1]
        d[n][0] *= 3.0
        n -= 1
    return sum(row[0] * row[1] for row in d) + d[0][1]


@program(X, 2, later=[(X, 0), (X, 4)])
def lists_of_one_level(x, n):
    c, best = [0.0] * (n + 1), [0] * (n + 1)
    for i in range(n):
        c[i + 1] = np.minimum(c[i], x[i]) * c[i - 1] + x[i]
        best[i] = c[i] * c[i + 1]
        c[0] = best[i]
    return sum(c) + sum(best)


@program(X, 0.4, later=[(X[:1], 0.4), (X[:2], -0.4)])
def the_last_row_is_read_behind_the_loop(x, s):
    d = [[0, 1] for _ in range(min(len(x), 3))]
    inner = d[0]
    for k in range(min(len(x), 3)):
        inner = d[k]
        inner.append(np.cos(x[k]) * s)
        d[k][0] = inner[-1] * 0.5
    return np.sum(x) * d[0][0] * d[-1][-1] + sum([np.sum(t) for t in inner])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("arrays_of_other_lengths", "numpy", "compiled"): "traced",
    ("arrays_of_other_lengths", "numba", "compiled"): "traced",
}
