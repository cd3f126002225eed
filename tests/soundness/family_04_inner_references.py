"""Lists that are elements of lists and dicts, and have other names: who sees a change?

All must be right, and compiled where nothing else is said.
"""

import numpy as np

from .harness import program

X = np.array([1.0, -2.0, 3.0])
LATER = [(X * 0.5, 2, 0.4), (X, 3, -1.1)]


def total(lists):
    return sum((sum(inner) + len(inner)) * (i + 1) for i, inner in enumerate(lists))


@program(X, 3, 1.5, later=LATER)
def named_and_appended_to(x, n, s):
    rows = []
    for i in range(n):
        row = [s]
        rows.append(row)
        row.append(x[i])
        rows[0].append(s * i)
    row.append(2.0)
    return total(rows) + len(row)


@program(X, 3, 1.5, later=LATER)
def one_list_in_all_places(x, n, s):
    rows = [[s]] * n
    for i in range(n):
        rows[i].append(x[i])
    return total(rows)


@program(X, 3, 1.5, later=LATER)
def moved_to_another_place(x, n, s):
    rows = [[s * i] for i in range(n + 1)]
    rows[0] = rows[1]
    for i in range(n):
        rows[i].append(x[i])
    rows[0][0] = 7.0 * s
    return total(rows)


@program(X, 3, 1.5, later=LATER)
def a_slice_of_them(x, n, s):
    rows = [[s * i] for i in range(n + 1)]
    part = rows[1:]
    for k in range(n):
        part[k].append(x[k])
        rows[k].append(s)
    part.append([s])
    return total(rows) + total(part)


@program(X, 3, 1.5, later=LATER)
def bins_by_an_index(x, n, s):
    bins = [[], [], []]
    for i in range(n):
        bins[i % 2].append(x[i] * s)
        bins[(i + 1) % 3] += [s, x[i]]
    first = bins[0]
    first.append(1.0)
    return total(bins)


@program(X, 3, 1.5, later=LATER)
def pairs_with_lists(x, n, s):
    todo = [([s], 0)]
    done = []
    while todo:
        inner, k = todo.pop()
        if k < n:
            todo.append((inner, k + 1))
        inner.append(x[k % 3])
        done.append(inner)
    return total(done)


@program(X, 3, 1.5, later=LATER)
def the_current_one(x, n, s):
    current = [s]
    rows = [current]
    for i in range(n):
        current.append(x[i])
        if x[i] < 0:
            current = [s * 2]
            rows.append(current)
        current.append(s)
    current.append(1.0)
    return total(rows) + sum(current)


@program(X, 3, 1.5, later=LATER)
def one_of_two_by_a_branch(x, n, s):
    rows = [[s * i] for i in range(n + 1)]
    if x[0] > 0.7:
        row = rows[0]
    else:
        row = rows[1]
    row.append(x[1])
    rows[1].append(s)
    return total(rows) + sum(row)


@program(X, 3, 1.5, later=LATER)
def sorted_popped_and_reversed(x, n, s):
    rows = [[s * (-1) ** i, x[i]] for i in range(n)]
    order = sorted(rows, key=lambda r: r[0])
    order[0].append(s)
    rows.reverse()
    last = rows.pop()
    last[0] = 3.0
    return total(rows) + total(order) + sum(last)


@program(X, 3, 1.5, later=LATER)
def lists_of_a_dict(x, n, s):
    groups = {}
    for i in range(n):
        groups.setdefault(i % 2, []).append(x[i])
        row = groups[i % 2]
        row.append(s)
    row[0] = 5.0
    return sum(sum(v) * (k + 1) for k, v in groups.items())


@program(X, 3, 1.5, later=LATER)
def arrays_in_lists_in_lists(x, n, s):
    rows = [[] for _ in range(n)]
    for i in range(n):
        v = x * i
        for row in rows:
            row.append(v)
        v += s
    rows[0][1] *= 2.0
    return sum(np.sum(v) * (k + 1) for k, row in enumerate(rows) for v in row)


@program(X, 3, 1.5, later=LATER)
def lists_over_which_a_loop_runs(x, n, s):
    rows = [[s, x[i]] for i in range(n)]
    for row in rows:
        for v in list(row):
            row.append(v * s)
    for v in rows[0]:
        if len(rows[0]) < 6:
            rows[0].append(v)
    return total(rows)


@program(X, 3, 1.5, later=LATER)
def one_list_is_run_over_another_one_grows(x, n, s):
    rows = [[s, x[i]] for i in range(n)]
    for v in rows[0]:
        rows[1].append(v)
    for a, b in zip(rows, rows[1:]):
        b.append(a[0])
    return total(rows)


@program(X, 3, 1.5, later=LATER)
def helper_that_appends(x, n, s):
    def add(row, v):
        row.append(v)
        return row

    rows = []
    for i in range(n):
        rows.append(add([x[i]], s))
        add(rows[-1], i * s)
    kept = add(rows[0], 1.0)
    kept[0] = s
    return total(rows)


@program(X, 3, 1.5, later=LATER)
def changed_on_one_path(x, n, s):
    rows = [[s * i] for i in range(n + 1)]
    row = rows[0]
    for i in range(n):
        if x[i] > 0:
            rows[i].append(x[i])
            row.append(s)
        else:
            row = rows[i]
    row.append(x[0])
    return total(rows)


@program(X, 3, 1.5, later=LATER)
def rows_exchanged(x, n, s):
    rows = [[s * i] for i in range(n)]
    rows[0], rows[-1] = rows[-1], rows[0]
    a, b = rows[0], rows[1]
    a.append(x[0])
    b += a
    rows[1][0] = s
    return total(rows) + sum(b)


@program(X, 3, 1.5, later=LATER)
def emptied_and_filled_again(x, n, s):
    rows, row = [], []
    for i in range(n):
        row.append(x[i])
        if i % 2:
            rows.append(row)
            row = []
    rows.append(row)
    row.append(s)
    rows[0].clear()
    rows[0].append(s)
    return total(rows)


@program(X, 3, 1.5, later=LATER)
def in_a_tuple(x, n, s):
    rows = [[s], [x[0]]]
    pair = (rows[0], rows[1])
    for i in range(n):
        pair[i % 2].append(x[i])
        rows[0].append(s)
    return total(rows) + sum(pair[1])


@program(X, 3, 1.5, later=[(X, 0, 1.5), *LATER])
def perhaps_no_turn(x, n, s):
    rows = [[s]]
    for i in range(n):
        row = [x[i]]
        rows.append(row)
        rows[-2].append(s)
    rows[-1].append(s)
    last = rows[-1]
    last[0] = 2.0 * s
    return total(rows)


@program(X, 3, 1.5, later=[(X, 5, 1.5)])
def a_row_that_is_not_there(x, n, s):
    rows = [[s * i] for i in range(4)]
    rows[1] = rows[0]
    rows[n].append(x[0])
    return total(rows)


@program(X, 3, 1.5, later=LATER)
def of_an_argument(x, n, s, rows=([1.0], [2.0])):
    mine = [list(r) for r in rows]
    for i in range(n):
        mine[i % 2].append(x[i] * s)
    both = [mine[0], mine[1], mine[0]]
    for i in range(n):
        both[i].append(s)
    return total(mine) + total(both)


@program(X, 3, 1.5, later=LATER, compiled=False)
def a_row_in_a_tuple_from_pass_to_pass(x, n, s):
    rows, pair = [], ([s], 0)
    for i in range(n):
        row = [s]
        rows.append(row)
        if i > 0:
            pair[0].append(x[i])
        pair = (row, i)
    return total(rows)


@program(X, 3, 1.5, later=LATER, compiled=False)
def a_row_in_a_tuple_that_the_first_pass_lacks(x, n, s):
    rows = []
    for i in range(n):
        row = [s]
        if i > 0:
            pair[0].append(x[i])
            pair[0][0] = x[0]
        pair = (row, i)
        rows.append(row)
    return total(rows)


@program(X, 3, 1.5, later=LATER, compiled=False)
def a_row_in_a_tuple_behind_the_loop(x, n, s):
    rows = []
    for i in range(n):
        row = [s]
        rows.append(row)
        rows[0].append(x[i])
        pair = (row, i)
    pair[0].append(2.0)
    return total(rows) + len(row)


@program(X, 3, 1.5, later=LATER, compiled=False)
def a_row_in_a_list_of_two(x, n, s):
    rows = []
    for i in range(n):
        row = [s]
        if i > 0:
            both[0].append(x[i])
        both = [row, [s]]
        rows.append(row)
    return total(rows)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("the_current_one", "numpy", "compiled"): "traced",
    ("the_current_one", "numba", "compiled"): "traced",
    ("arrays_in_lists_in_lists", "numpy", "compiled"): "traced",
    ("arrays_in_lists_in_lists", "numba", "compiled"): "traced",
    ("lists_over_which_a_loop_runs", "numpy", "compiled"): "traced",
    ("lists_over_which_a_loop_runs", "numba", "compiled"): "traced",
    ("one_list_is_run_over_another_one_grows", "numpy", "compiled"): "traced",
    ("one_list_is_run_over_another_one_grows", "numba", "compiled"): "traced",
    ("emptied_and_filled_again", "numpy", "compiled"): "traced",
    ("emptied_and_filled_again", "numba", "compiled"): "traced",
}
