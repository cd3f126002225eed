"""Lists in lists that have a second name, or may have one: is every change seen under both?

All must be right; traced is enough.
"""

import numpy as np

from .harness import program

NINE = np.array([0.4, -0.9, 1.3, 0.7, 0.25, -0.35, 1.1, -1.4, 0.6])


@program(NINE, 4, 0, later=[(NINE, 4, 1)], compiled=False)
def named_then_written_by_index(x, n, k):
    rows = [[x[i]] for i in range(n)]
    r = rows[0]
    rows[k].append(x[5])
    s = sum(r)
    rows[k][0] = x[6]
    return s * r[0] + sum(rows[1])


@program(NINE, 4, compiled=False)
def in_two_lists(x, n):
    a, b = [], []
    for i in range(n):
        t = [x[i]]
        a.append(t)
        b.append(t)
    a[0].append(x[4])
    return sum(b[0]) * len(b[0]) + sum(a[1])


@program(NINE, 4, compiled=False)
def in_a_tuple(x, n):
    rows = [(i, [x[i]]) for i in range(n)]
    for i in range(n):
        rows[i][1].append(x[i + 1])
    return sum(sum(r) * (k + 1) for k, r in rows)


@program(NINE, 4, compiled=False)
def in_a_dict(x, n):
    rows = [[x[i]] for i in range(n)]
    d = {"a": rows[0]}
    rows[0].append(x[5])
    d["a"].append(x[6])
    return sum(d["a"]) * len(rows[0])


@program(NINE, 4, compiled=False)
def in_a_closure(x, n):
    rows = [[x[i]] for i in range(n)]
    r = rows[0]

    def total():
        return sum(r) * len(r)

    for i in range(n):
        rows[i].append(x[5])
    return total()


class Holder:
    def __init__(self, items):
        self.items = items


@program(NINE, 4, compiled=False)
def in_an_object(x, n):
    rows = [[x[i]] for i in range(n)]
    holder = Holder(rows[1])
    rows[1].append(x[5])
    holder.items.append(x[6])
    return sum(holder.items) + sum(rows[1]) * x[0]


@program(NINE, 4, compiled=False)
def list_of_objects(x, n):
    holders = [Holder([x[i]]) for i in range(n)]
    for i in range(n):
        holders[i].items.append(x[5])
    return sum(sum(h.items) for h in holders)


def _pick(rows, i):
    return rows[i]


def _keep(r, kept=None):
    kept = [] if kept is None else kept
    kept.append(r)
    return kept


@program(NINE, 4, compiled=False)
def picked_by_helper(x, n):
    rows = [[x[i]] for i in range(n)]
    a, b = _pick(rows, 1), _pick(rows, 1)
    a.append(x[5])
    b.append(x[6])
    return sum(a) * sum(rows[1]) + len(b)


@program(NINE, 4, compiled=False)
def kept_by_helper(x, n):
    rows = [[x[i]] for i in range(n)]
    kept = _keep(rows[1])
    kept = _keep(rows[2], kept)
    rows[1].append(x[5])
    kept[1].append(x[6])
    return sum(kept[0]) * sum(rows[2])


@program(NINE, 4, compiled=False)
def first_is_appended(x, n):
    rows = [[x[i]] for i in range(n)]
    rows.append(rows[0])
    rows[-1].append(x[5])
    return sum(rows[0]) * len(rows[0])


@program(NINE, 4, compiled=False)
def extended(x, n):
    rows = [[x[i]] for i in range(n)]
    more = [[x[i] * 2] for i in range(n)]
    rows += more
    rows[n].append(x[5])
    more[1].append(x[6])
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows)) + len(more[0])


@program(NINE, 4, compiled=False)
def popped_and_put_back(x, n):
    rows = [[x[i]] for i in range(n)]
    r = rows.pop()
    r.append(x[5])
    rows.append(r)
    rows[-1].append(x[6])
    return sum(r) * len(rows[-1])


@program(NINE, 4, compiled=False)
def popped_and_changed(x, n):
    rows = [[x[i]] for i in range(n)]
    r = rows.pop()
    r.append(x[5])
    r[0] = x[6] * 2
    return sum(r) * len(rows) + sum(rows[-1])


@program(NINE, 4, compiled=False)
def last_of_a_loop(x, n):
    rows = [[x[i]] for i in range(n)]
    for r in rows:
        kept = r
    rows[-1].append(x[5])
    kept.append(x[6])
    return sum(kept) * len(kept) + sum(rows[n - 1])


@program(NINE, 4, compiled=False)
def the_one_before(x, n):
    rows = [[x[i]] for i in range(n)]
    last = None
    for r in rows:
        if last is not None:
            last.append(r[0] * 2)
        last = r
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows))


@program(NINE, 4, 1, later=[(NINE, 4, -1)], compiled=False)
def one_of_two(x, n, k):
    rows = [[x[i]] for i in range(n)]
    if k > 0:
        r = rows[0]
    else:
        r = rows[1]
    r.append(x[5])
    return sum(rows[0]) * 2 + sum(rows[1]) * len(r)


@program(NINE, 4, compiled=False)
def backwards(x, n):
    rows = [[x[i]] for i in range(n)]
    back = rows[::-1]
    back[0].append(x[5])
    rows.reverse()
    rows[0].append(x[6])
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows)) + len(back)


@program(NINE, 4, compiled=False)
def zipped_with_itself(x, n):
    rows = [[x[i]] for i in range(n)]
    for a, b in zip(rows, rows):
        a.append(x[5])
        b.append(x[6] * len(a))
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows))


@program(NINE, 4, compiled=False)
def zipped_with_the_next(x, n):
    rows = [[x[i]] for i in range(n)]
    for a, b in zip(rows, rows[1:]):
        a.append(b[0])
        b.append(x[6] * len(a))
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows))


@program(NINE, 4, compiled=False)
def two_names_in_a_pass(x, n):
    rows = [[x[i]] for i in range(n)]
    total = 0.0
    for i in range(n):
        a = rows[i]
        b = rows[i]
        a.append(x[5])
        total += len(b) * b[-1]
        b[0] = x[i] * 2
        total += a[0]
    return total + sum(sum(r) for r in rows)


@program(NINE, 4, compiled=False)
def neighbours_in_a_pass(x, n):
    rows = [[x[i]] for i in range(n)]
    for i in range(1, n):
        a, b = rows[i], rows[i - 1]
        a.append(b[-1] * x[i])
        b.append(a[0])
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows))


@program(NINE, 4, compiled=False)
def arrays_in_them_written(x, n):
    rows = [[x * (i + 1)] for i in range(n)]
    rows[1][0][2] = x[0] ** 2
    a = rows[2][0]
    a *= 2.0
    b = rows[2]
    b[0][0] = x[1]
    return sum(np.sum(r[0] * r[0]) for r in rows)


@program(NINE, 4, compiled=False)
def array_held_and_written(x, n):
    u = x.copy()
    rows = [[] for _ in range(n)]
    for i in range(n):
        rows[i].append(u)
        u *= 0.5
    return sum(np.sum(r[0] * r[0]) * (k + 1) for k, r in enumerate(rows))


@program(NINE, 4, compiled=False)
def array_read_then_list_changed(x, n):
    rows = [[x * (i + 1)] for i in range(n)]
    a = rows[1][0]
    rows[1].append(x)
    rows[1][0] = x * 5
    a[0] = 3.0
    return sum(np.sum(v * v) for r in rows for v in r) + np.sum(a)


@program(NINE, 4, compiled=False)
def array_read_then_written_by_index(x, n):
    rows = [[x * (i + 1)] for i in range(n)]
    r = rows[1]
    a = r[0]
    rows[1][0][0] = x[3] * 2
    rows[1][0] += 1.0
    return np.sum(a * a) + np.sum(r[0])


@program(NINE, 2, compiled=False)
def repeated_rows(x, n):
    a = [[x[0]] * 3]
    b = a * n
    b[0][0] = x[1]
    b[1].append(x[2])
    return sum(a[0]) + sum(b[1]) * len(b[0])


@program(NINE, 4, compiled=False)
def augmented(x, n):
    rows = [[] for _ in range(n)]
    for i in range(len(x)):
        rows[i % n] += [x[i], x[i] * 2]
    for i in range(n):
        rows[i] = rows[i] + [x[0]]
    r = rows[1]
    r += [x[3]]
    return sum(sum(r) * len(r) for r in rows)


@program(NINE, 4, compiled=False)
def asked(x, n):
    rows = [[] for _ in range(n)]
    for i in range(5):
        rows[i % n].append(i)
    total = 0.0
    for r in rows:
        if not r or 4 in r:
            total += x[0]
        if r == [1] or len(r) > 1:
            total += x[1] * r[0]
    return total * x[2]


@program(NINE, 4, compiled=False)
def deleted_from(x, n):
    rows = [[x[i], x[i + 1], x[i + 2]] for i in range(n)]
    for i in range(n):
        del rows[i][0]
        rows[i].insert(1, x[i] * 2)
        rows[i].extend([1.0, x[i]])
    return sum(v * (k + 1) for r in rows for k, v in enumerate(r))


@program(NINE, [[1, 2], [0], [0, 1, 2]], later=[(NINE, [[], [2]])], compiled=False)
def given_by_the_caller(x, edges):
    total = 0.0
    for i in range(len(edges)):
        for j in edges[i]:
            total += x[i] * x[j] * len(edges[i])
    return total


@program(NINE, [[1, 2], [0]], compiled=False)
def given_and_changed(x, edges):
    edges[1].append(2)
    total = 0.0
    for i in range(len(edges)):
        for j in edges[i]:
            total += x[i] * x[j]
    edges[1].pop()
    return total


@program(NINE, 4, compiled=False)
def returned(x, n):
    rows = [[] for _ in range(n)]
    for i in range(len(x)):
        rows[i % n].append(x[i] ** 2)
    kept = rows[1]
    rows = [kept, kept]
    kept.append(x[0])
    return rows[0][0] * sum(rows[1]) + len(rows)


@program(NINE, 3, compiled=False)
def inner_of_inner_is_named(x, n):
    cells = [[[x[i * n + j]] for j in range(n)] for i in range(n)]
    row = cells[1]
    cell = row[2]
    cells[1][2].append(x[0])
    row[2].append(x[1])
    cell.append(x[2])
    cells[1] = [[x[3]]]
    cell.append(x[4])
    return sum(cell) * len(row[2]) + sum(sum(c) for r in cells for c in r)


@program(NINE, 3, compiled=False)
def row_is_moved(x, n):
    cells = [[[x[i * n + j]] for j in range(n)] for i in range(n)]
    cells[0] = cells[1]
    cells[0][0].append(x[8])
    return sum(cells[1][0]) * len(cells[0][0])


@program(NINE, 4, compiled=False)
def changed_behind_a_branch(x, n):
    rows = [[x[i]] for i in range(n)]
    r = rows[1]
    for i in range(n):
        if x[i] > 0:
            rows[i].append(x[i])
        else:
            r.append(x[i] * 3)
    return sum(r) * len(rows[1]) + sum(rows[0])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
