"""Elements that may be None are taken out of lists and dicts: what is the cotangent of what is left?"""

import numpy as np

from .harness import program

V5, V4, V3 = (
    np.array([0.4, -0.7, 1.3, 0.2, -0.1]),
    np.array([-0.3, 0.9, 0.6, 1.7]),
    np.array([1.1, 0.5, -0.8]),
)
LATER = [(V4, 2, 0.3), (V3, 4, 0.4), (V5, 1, -0.2)]


@program(V5, 3, 0.3, later=LATER)
def the_first_on_a_path(x, n, s):
    rows = [None if i == 1 else x * i for i in range(n)]
    if len(rows) > 2:
        rows.pop(0)
    return s * sum(np.sum(row * 0.1) for row in rows if row is not None)


@program(V5, 3, 0.3, later=LATER)
def the_last_is_kept(x, n, s):
    rows = [None if i == 1 else x * i for i in range(n)]
    rows.append(x * s)
    last = rows.pop() if x[0] > 0 else None
    total = s * sum(np.sum(row * 0.1) for row in rows if row is not None)
    return total if last is None else total + np.sum(last)


@program(V5, 3, 0.3, later=LATER)
def deleted_and_stored(x, n, s):
    rows = [None if i == 1 else x * i for i in range(n)]
    if len(rows) > 2:
        del rows[0]
    rows[0] = x * s
    if x[0] > 0:
        rows[-1] = None
    return s * sum(np.sum(row * 0.1) for row in rows if row is not None) + s


@program(V5, 3, 0.3, later=LATER)
def a_queue(x, n, s):
    work = [None if i == 1 else x * i for i in range(n)]
    total = 0.0
    while len(work) > 1:
        head = work.pop(0)
        if head is None:
            continue
        total += np.sum(head) * s
    return total + s


@program(V5, 3, 0.3, later=LATER)
def out_of_a_dict(x, n, s):
    rows = {i: (None if i == 1 else x * i) for i in range(n)}
    first = rows.pop(0)
    if n > 2:
        rows.pop(1, None)
        rows[7] = first
    return s * sum(np.sum(row * 0.1) for row in rows.values() if row is not None) + np.sum(first)


@program(V5, 3, 0.3, later=[(V4, 2, 0.3), (V3, 2, 0.4), (V5, 0, -0.2)])
def the_least_key_first(x, n, s):
    rows = {}
    for i in range(n):
        rows[i] = None if x[i] < 0 else x * x[i]
    total = s
    while rows:
        row = rows.pop(min(rows))
        total += 0.5 if row is None else np.sum(row) * s
    return total


@program(V5, 3, V5, later=[(V4, 2, V4), (V3, 4, V3)])
def given_or_none(x, n, start):
    def pick(a, b=None):
        return b if b is not None else a

    rows = [np.zeros_like(x) for _ in x]
    if not rows:
        for _ in range(2):
            start = None
    if n == 2:
        rows += [pick(x * 2, start)]
    if len(rows) > 2:
        rows.pop(0)
    return sum(np.sum(row * 0.1) for row in rows)


@program(V5, 3, 0.3, later=LATER)
def numbers(x, n, s):
    seen = [None if i == 1 else s * i for i in range(n)]
    if len(seen) > 2:
        seen.pop(n // 2)
    seen.insert(1, s)
    seen.append(None)
    return s * sum(v * 0.1 for v in seen if v is not None) + np.sum(x)


@program(V5, 3, 0.3, later=LATER)
def moved_to_the_front(x, n, s):
    slots = [None] * 5
    for i in range(n):
        slots[i] = x * (s + i)
    got = slots.pop(1)
    slots.insert(0, got)
    slots[2], slots[3] = slots[3], slots[2]
    return sum(np.sum(v) * (i + 1) for i, v in enumerate(slots) if v is not None)


@program(V5, 3, 0.3, later=LATER)
def of_two_lists(x, n, s):
    class Store:
        def __init__(self):
            self.full, self.gone = [], []

        def put(self, v):
            self.full.append(v if v[0] > 0 else None)

        def drop(self):
            v = self.full.pop()
            if v is not None:
                self.gone.append(v * s)

    store = Store()
    for i in range(n):
        store.put(x * (i - 1.5))
    while len(store.full) > 1:
        store.drop()
    return sum(np.sum(v) for v in store.gone) + sum(v[0] for v in store.full if v is not None) + s


# ----- lists whose items are None only, made in a loop
TABLE = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
LESS = [(TABLE[:, :1], 1, 0.5), (TABLE, 2, -0.4)]


@program(TABLE, 3, 0.3, later=LESS)
def none_takes_the_place(y, n, s):
    kept = [y.max(axis=0), None]
    for _ in range(n - 1, 0, -1):
        kept = [None]
    return s * sum(np.sum(v * (i + 1)) for i, v in enumerate(kept) if v is not None)


@program(TABLE, 3, 0.3, later=LESS)
def in_an_inner_loop(y, n, s):
    rows = []
    for i in range(n):
        row = [y[0] * i * s, None]
        for _ in range(i % 2):
            row = [None]
        rows.append(row)
    return sum(np.sum(v) for row in rows for v in row if v is not None)


@program(TABLE, 3, 0.3, later=LESS)
def in_tuples_and_dicts(y, n, s):
    best, parts = [(0, None)], {"p": y.max(axis=0) * s, "q": None}
    for i in range(n):
        best = [(i, y[0] * s), *best] if y[0, 0] * i > 0.6 else [(i, None)]
        if i > 1:
            parts = {"p": None, "q": None}
    return sum(np.sum(v * (i + 1)) for i, v in best if v is not None) + sum(
        np.sum(v) for v in parts.values() if v is not None
    )


@program(TABLE, 3, 0.3, later=LESS)
def lists_of_ints_or_floats(y, n, s):
    kept, steps = [1, 2], 0
    while steps < n:
        kept = [y[0, 0], s * steps]
        for j in range(steps - 1):
            kept = [j]
        steps += 1
    return s * sum(v * (i + 1) for i, v in enumerate(kept)) + np.sum(y)


KNOWN: dict[tuple[str, str, str], str] = {}
