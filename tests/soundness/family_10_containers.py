"""Containers whose structure is known at run time only: lists of lists, stacks, dicts, contexts, sorting.

All must be right; traced is enough where a line says ``compiled=False``.
"""

import contextlib
import math

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
NINE = np.array([0.4, -0.9, 1.3, 0.7, 0.25, -0.35, 1.1, -1.4, 0.6])
KEYS = np.array([3, 1, 3, 7, 1, 1, 7, 3, 0])


# ----- lists of lists
@program(NINE, 0.8, later=[(NINE[:4], 0.8), (NINE[:1], 0.8)])
def neighbours(x, r):
    n = len(x)
    near = [[] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i != j and abs(x[i] - x[j]) < r:
                near[i].append(j)
    total = 0.0
    for i in range(n):
        for j in near[i]:
            total += (x[i] - x[j]) ** 2 / len(near[i])
    return total


@program(NINE, 4, later=[(NINE, 2), (NINE, 9)])
def buckets(x, k):
    n = len(x)
    bins = [[] for _ in range(k)]
    for i in range(n):
        bins[i % k].append(x[i] * (i + 1))
    total = 0.0
    for b in bins:
        s = 0.0
        for v in b:
            s += v
        total += s * s
    return total


@program(NINE, 4)
def buckets_sum(x, k):
    bins = [[] for _ in range(k)]
    for i in range(len(x)):
        bins[i % k].append(x[i] ** 2)
    return sum(sum(b) * len(b) for b in bins)


@program(NINE, 4)
def buckets_of_nothing(x, k):
    bins = [[] for _ in range(k)]
    for i in range(len(x)):
        if x[i] > 0:
            bins[1].append(x[i])
    total = 0.0
    for b in bins:
        if b:
            total += b[0] * b[-1] + sum(b) ** 2
        else:
            total += x[0]
    return total


@program(NINE, 4)
def repeated_list(x, n):
    rows = [[]] * n
    for i in range(n):
        rows[i].append(x[i])
    return sum(rows[0]) * len(rows[1]) + rows[2][0]


@program(NINE, 4)
def zeros_by_rows(x, n):
    m = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            m[i][j] = x[i] * x[j] + (x[j] if i > 0 and j > 0 else 1.0)
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            total += m[i][j] * m[j][i]
    return total


@program(NINE, 4)
def zeros_of_one_row(x, n):
    m = [[0.0] * n] * n
    for i in range(n):
        m[i][i] = x[i]
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += m[i][j] * (i + 2 * j + 1)
    return total


@program(NINE, 5)
def edit_distance(x, n):
    d = [[0.0 for _ in range(n + 1)] for _ in range(n + 1)]
    for i in range(1, n + 1):
        d[i][0] = d[i - 1][0] + x[i - 1] ** 2
        d[0][i] = d[0][i - 1] + abs(x[i - 1])
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            d[i][j] = min(d[i - 1][j] + 0.3, d[i][j - 1] + 0.4, d[i - 1][j - 1] + (x[i - 1] - x[n - j]) ** 2)
    return d[n][n]


@program(NINE, 5)
def pascal(x, n):
    rows = [[x[0]]]
    for i in range(n):
        last = rows[-1]
        row = [x[0]]
        for j in range(len(last) - 1):
            row.append(last[j] + x[1] * last[j + 1])
        row.append(x[2])
        rows.append(row)
    return sum(rows[n])


@program(NINE, 4)
def inner_has_a_name(x, n):
    rows = [[] for _ in range(n)]
    r = rows[1]
    for i in range(n):
        r.append(x[i])
    return sum(rows[1]) * x[0] + len(rows[1]) * x[1]


@program(NINE, 4)
def inner_is_shared(x, n):
    rows = [[] for _ in range(n)]
    rows[2] = rows[1]
    for i in range(n):
        rows[i].append(x[i])
    return sum(rows[1]) * sum(rows[2]) + rows[3][0]


@program(NINE, 4)
def inner_is_swapped(x, n):
    rows = [[x[i]] for i in range(n)]
    for i in range(n - 1):
        rows[i], rows[i + 1] = rows[i + 1], rows[i]
        rows[i].append(x[i] * 2)
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows))


@program(NINE, 4)
def inner_named_in_the_loop(x, n):
    rows = [[] for _ in range(n)]
    for i in range(len(x)):
        r = rows[i % n]
        r.append(x[i])
        if len(r) > 1:
            r[0] = r[0] * x[i]
    return sum(sum(r) for r in rows)


@program(NINE, 4)
def inner_appended_later(x, n):
    rows = []
    r = [x[0]]
    for i in range(n):
        rows.append(r)
        r.append(x[i])
    return sum(len(q) * q[-1] for q in rows)


@program(NINE, 4)
def inner_made_in_the_pass(x, n):
    rows = []
    for i in range(n):
        r = []
        for j in range(i + 1):
            r.append(x[j] * x[i])
        rows.append(r)
        r.append(x[i])
    return sum(sum(r) ** 2 for r in rows)


@program(NINE, 4)
def inner_grows_while_iterated(x, n):
    rows = [[x[i]] for i in range(n)]
    for r in rows:
        r.append(x[4] * len(r))
    for r in rows:
        for v in r:
            if len(r) < 4:
                r.append(v * x[5])
    return sum(sum(r) for r in rows)


@program(NINE, 4)
def inner_ints_become_floats(x, n):
    rows = [[0] * n for _ in range(n)]
    for i in range(n):
        rows[i][i] = x[i] * 2
    return sum(sum(r) for r in rows) + rows[0][1]


@program(NINE, 4)
def inner_none(x, n):
    rows = [[None] * n for _ in range(n)]
    for i in range(n):
        rows[i][i] = x[i]
    total = 0.0
    for r in rows:
        for v in r:
            if v is not None:
                total += v * v
    return total


@program(NINE, 4)
def inner_out_of_range(x, n):
    rows = [[] for _ in range(n)]
    rows[0].append(x[0])
    return rows[1][0] * x[0]


@program(NINE, 4)
def outer_out_of_range(x, n):
    rows = [[x[0]] for _ in range(n)]
    rows[n].append(x[0])
    return rows[1][0] * x[0]


@program(NINE, 4)
def inner_pop_and_negative(x, n):
    rows = [[x[i], x[i] * 2, x[i + 1]] for i in range(n)]
    total = 0.0
    for i in range(n):
        total += rows[-1 - i].pop() * rows[i][-1] * (i + 1)
    return total + sum(len(r) for r in rows) * x[8]


@program(NINE, 4)
def inner_of_arrays(x, n):
    rows = [[] for _ in range(n)]
    for i in range(len(x)):
        rows[i % n].append(x * x[i])
    total = 0.0
    for r in rows:
        for a in r:
            total += np.sum(a * a)
    return total


@program(NINE, 3)
def three_levels(x, n):
    cells = [[[] for _ in range(n)] for _ in range(n)]
    for i in range(len(x)):
        cells[i % n][(i * i) % n].append(i)
    total = 0.0
    for a in range(n):
        for b in range(n):
            for i in cells[a][b]:
                for j in cells[b][a]:
                    total += x[i] * x[j] * (1 + a)
    return total


def _push(rows, i, v):
    rows[i].append(v)
    return rows[i]


@program(NINE, 3)
def inner_by_helper(x, n):
    rows = [[] for _ in range(n)]
    for i in range(len(x)):
        r = _push(rows, i % n, x[i] ** 2)
        r.append(1.0)
    return sum(sum(r) * len(r) for r in rows)


@program(NINE, 4)
def returns_early(x, n):
    rows = [[] for _ in range(n)]
    for i in range(len(x)):
        rows[i % n].append(x[i])
        if sum(rows[i % n]) > 1.0:
            return sum(rows[0]) * x[i]
    return rows[0][0]


@program(NINE, 4)
def slice_of_outer(x, n):
    rows = [[x[i]] for i in range(n)]
    part = rows[1:]
    part[0].append(x[5])
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows)) + len(part)


@program(NINE, 4)
def copy_of_outer(x, n):
    rows = [[x[i]] for i in range(n)]
    other = list(rows)
    other[1].append(x[5])
    other[2] = [x[6]]
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows))


@program(NINE, 4)
def copies_of_inner(x, n):
    rows = [[x[i]] for i in range(n)]
    other = [list(r) for r in rows]
    for i in range(n):
        other[i].append(x[5] * i)
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows)) + sum(sum(r) for r in other)


# ----- stacks
@program(NINE, 4)
def depth_first(x, depth):
    stack = [(x[0], 0)]
    total = 0.0
    while stack:
        v, level = stack.pop()
        total += v * v
        if level < depth:
            stack.append((v * x[1], level + 1))
            if level % 2 == 0:
                stack.append((v + x[2], level + 1))
    return total


@program(NINE, 9, later=[(NINE, 4)])
def tree_by_numbers(x, n):
    stack = [0]
    total = 0.0
    while stack:
        v = stack.pop()
        total += x[v] * len(stack)
        if 2 * v + 1 < n:
            stack.append(2 * v + 1)
        if 2 * v + 2 < n:
            stack.append(2 * v + 2)
    return total


@program(NINE, 0.05)
def adaptive(x, tol):
    stack = [(0.0, 1.0)]
    total = 0.0
    while len(stack) > 0:
        a, b = stack.pop()
        m = 0.5 * (a + b)
        whole = (b - a) * np.sin(x[0] * m)
        halves = 0.5 * (b - a) * (np.sin(x[0] * 0.5 * (a + m)) + np.sin(x[0] * 0.5 * (m + b)))
        if b - a > tol:
            stack.append((a, m))
            stack.append((m, b))
        else:
            total += halves * x[1] - whole * 0.1
    return total


@program(NINE)
def stack_of_floats(x):
    stack = [x[0]]
    total = 0.0
    while stack:
        v = stack.pop()
        total += v
        if v > 0.01:
            stack.append(v * 0.5)
            stack.append(v * 0.3 * x[3])
    return total


@program(NINE, 5)
def stack_of_arrays(x, n):
    stack = [x]
    total = 0.0
    k = 0
    while stack:
        a = stack.pop()
        total += np.sum(a * a)
        k += 1
        if k < n:
            stack.append(a * 0.5)
            stack.append(a * x[0])
    return total


@program(NINE, 5)
def stack_written(x, n):
    stack = [x.copy()]
    total = 0.0
    k = 0
    while stack:
        a = stack.pop()
        k += 1
        if k < n:
            stack.append(a)
            a *= 0.5
            stack.append(a)
        total += np.sum(a)
        if k > 20:
            break
    return total


@program(NINE)
def pop_of_nothing(x):
    stack = [x[0], x[1]]
    total = 0.0
    for i in range(len(x)):
        total += stack.pop()
    return total


@program(NINE, 3)
def stack_as_queue(x, n):
    queue = [0]
    total = 0.0
    while queue:
        v = queue.pop(0)
        total += x[v] * (len(queue) + 1)
        if 2 * v + 1 < len(x):
            queue.append(2 * v + 1)
            queue.append((2 * v + 2) % len(x) if v < n else len(x) - 1)
        if v == len(x) - 1:
            break
    return total


@program(NINE)
def parentheses(x):
    stack = []
    for v in x:
        if v > 0:
            stack.append(v)
        elif stack:
            top = stack.pop()
            stack.append(top * v)
    return sum(stack) * len(stack)


# ----- slices of lists that grow
@program(NINE, 7, later=[(NINE, 2), (NINE, 3)])
def last_three(x, n):
    hist = [x[0]]
    for i in range(n):
        hist.append(sum(hist[-3:]) * 0.5 + x[i])
    return sum(hist[1:]) + hist[-1]


@program(NINE, 7)
def strided(x, n):
    hist = []
    for i in range(n):
        hist.append(x[i] ** 2)
    total = 0.0
    for v in hist[::2]:
        total += v
    for v in hist[::-1]:
        total = total * 0.9 + v
    return total + sum(hist[:-1]) * len(hist[2:]) + sum(hist[1:4])


@program(NINE, 7)
def pairs_of_neighbours(x, n):
    hist = []
    for i in range(n):
        hist.append(x[i] ** 2)
    total = 0.0
    for a, b in zip(hist, hist[1:]):
        total += (a - b) ** 2
    return total + sum(a * b for a, b in zip(hist[:-1], hist[1:]))


@program(NINE, 7)
def slice_then_changed(x, n):
    hist = []
    for i in range(n):
        hist.append(x[i] ** 2)
    part = hist[2:]
    part[0] = x[0]
    part.append(x[1])
    hist[3] = 0.0
    return sum(part) * sum(hist)


@program(NINE, 7)
def slice_of_arrays(x, n):
    hist = []
    for i in range(n):
        hist.append(x * (i + 1))
    return np.sum(np.array(hist[-2:]) ** 2) + np.sum(hist[1:][0])


@program(NINE, 7)
def slice_assigned(x, n):
    hist = []
    for i in range(n):
        hist.append(x[i])
    hist[1:3] = [x[7], x[8], x[0]]
    return sum(v * (i + 1) for i, v in enumerate(hist))


@program(NINE, 7)
def slice_deleted(x, n):
    hist = []
    for i in range(n):
        hist.append(x[i])
        if len(hist) > 3:
            del hist[0]
    return sum(v * (i + 1) for i, v in enumerate(hist))


@program(NINE, 7, 2)
def window_by_int(x, n, m):
    hist = [0.0] * m
    for i in range(n):
        hist.append(x[i] + 0.5 * sum(hist[-m:]) / m)
    return sum(hist[m:]) + max(hist[-m:])


# ----- dicts with keys known at run time only
@program(NINE, KEYS, later=[(NINE, KEYS[::-1].copy())])
def counted(x, keys):
    counts = {}
    for i in range(len(x)):
        k = int(keys[i])
        counts[k] = counts.get(k, 0.0) + x[i]
    total = 0.0
    for k, v in counts.items():
        total += v * v * (k + 1)
    return total


@program(NINE, KEYS)
def counted_by_numpy_ints(x, keys):
    counts = {}
    for k, v in zip(keys, x):
        counts[k] = counts.get(k, 0.0) + v
    total = 0.0
    for v in counts.values():
        total = total * 0.5 + v * v
    return total


@program(NINE, KEYS)
def grouped(x, keys):
    groups = {}
    for i in range(len(x)):
        k = int(keys[i])
        if k not in groups:
            groups[k] = []
        groups[k].append(x[i])
    total = 0.0
    for k in sorted(groups):
        total = total * 0.5 + sum(groups[k]) ** 2 / len(groups[k])
    return total


@program(NINE, KEYS)
def grouped_by_setdefault(x, keys):
    groups = {}
    for i in range(len(x)):
        groups.setdefault(int(keys[i]), []).append(x[i])
    return sum(sum(g) ** 2 for g in groups.values())


@program(NINE, 6)
def memo(x, n):
    known = {0: x[0], 1: x[1]}
    for i in range(2, n):
        known[i] = known[i - 1] * x[2] + known[i - 2]
    return known[n - 1]


@program(NINE, 5)
def memo_of_pairs(x, n):
    known = {}
    for i in range(n):
        for j in range(n):
            if i == 0 or j == 0:
                known[i, j] = x[i + j]
            else:
                known[i, j] = known[i - 1, j] * 0.5 + known[(i, j - 1)] * x[0]
    return known[n - 1, n - 1] + len(known) * x[1]


@program(NINE, 8)
def memo_by_recursion(x, n):
    known = {}

    def fib(k):
        if k in known:
            return known[k]
        known[k] = x[k] if k < 2 else fib(k - 1) + x[2] * fib(k - 2)
        return known[k]

    return fib(n)


@program(NINE, KEYS)
def popped_keys(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        if k in d:
            x0 = d.pop(k)
            d[k + 10] = x0 * x[i]
        else:
            d[k] = x[i]
    total = d.pop(99, 0.5)
    for k, v in d.items():
        total = total * 0.7 + v * k
    return total


@program(NINE, KEYS)
def key_error(x, keys):
    d = {}
    for i in range(3):
        d[int(keys[i])] = x[i]
    total = 0.0
    for i in range(len(x)):
        total += d[int(keys[i])]
    return total


@program(NINE, KEYS)
def key_error_caught(x, keys):
    d = {}
    total = 0.0
    for i in range(len(x)):
        try:
            total += d[int(keys[i])] * x[0]
        except KeyError:
            d[int(keys[i])] = x[i]
    return total


@program(NINE, KEYS)
def changes_size_while_iterated(x, keys):
    d = {}
    for i in range(len(x)):
        d[int(keys[i])] = x[i]
    total = 0.0
    for k in d:
        total += d[k]
        d[k + 100] = x[0]
    return total


@program(NINE, KEYS)
def values_change_while_iterated(x, keys):
    d = {}
    for i in range(len(x)):
        d[int(keys[i])] = x[i]
    total = 0.0
    for k in d:
        d[k] = d[k] * x[1]
        total += d[k] * d[3]
    return total


@program(NINE, KEYS)
def dict_has_another_name(x, keys):
    d = {}
    e = d
    for i in range(len(x)):
        d[int(keys[i])] = x[i]
    e[3] = x[0] * x[1]
    return sum(d.values()) * len(e)


@program(NINE, KEYS)
def ints_become_floats(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        if k not in d:
            d[k] = 0
        d[k] += x[i]
    return sum(v * v for v in d.values())


@program(NINE, KEYS)
def dict_of_arrays(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        d[k] = d.get(k, np.zeros(9)) + x * x[i]
    total = 0.0
    for v in d.values():
        total += np.sum(v * v)
    return total


@program(NINE, KEYS)
def dict_of_arrays_written(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        if k not in d:
            d[k] = np.zeros(9)
        d[k] += x * x[i]
    a = d[3]
    a[0] = 5.0
    return sum(np.sum(v * v) for v in d.values())


@program(NINE, 4)
def dict_of_strings(x, n):
    d = {"even": 0.0, "odd": 0.0}
    for i in range(n):
        name = "even" if i % 2 == 0 else "odd"
        d[name] += x[i] ** 2
    return d["even"] * d["odd"]


@program(NINE, 3)
def empty_dict(x, n):
    d = {}
    for i in range(n, 3):
        d[i] = x[i]
    return sum(d.values()) + x[0] + len(d) + d.get(2, x[1])


@program(NINE, KEYS)
def dict_comprehension(x, keys):
    d = {int(k): x[i] * 2 for i, k in enumerate(keys)}
    return sum(v * k for k, v in d.items())


@program(NINE, KEYS)
def got_none(x, keys):
    d = {}
    total = 0.0
    for i in range(len(x)):
        k = int(keys[i])
        v = d.get(k)
        if v is None:
            d[k] = x[i]
        else:
            total += v * x[i]
    return total


@program(NINE, KEYS)
def deleted_keys(x, keys):
    d = {}
    for i in range(len(x)):
        d[int(keys[i])] = x[i]
    for k in [3, 7]:
        del d[k]
    return sum(d.values())


# ----- the user's own context managers
class Scope:
    def __init__(self, value):
        self.value = value
        self.left = 0

    def __enter__(self):
        self.value = self.value * 2.0
        return self

    def __exit__(self, kind, error, trace):
        self.left += 1
        self.value = self.value + 1.0
        return False


class Swallow:
    def __init__(self, what):
        self.what = what

    def __enter__(self):
        return None

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, self.what)


@contextlib.contextmanager
def scaled(s, log):
    log.append(s)
    try:
        yield s * 2.0
    finally:
        log.append(s * 3.0)


@contextlib.contextmanager
def ignoring(kind):
    try:
        yield
    except kind:
        pass


@program(FOUR)
def own_scope(x):
    with Scope(x[0]) as scope:
        y = scope.value * x[1]
    return y * scope.value * scope.left


@program(FOUR)
def own_scope_left_by_return(x):
    scope = Scope(x[0])

    def inner():
        with scope:
            for i in range(4):
                if x[i] > 1.0:
                    return x[i] * scope.value
        return x[0]

    return inner() * scope.value


@program(FOUR)
def own_scope_in_a_loop(x):
    total = 0.0
    for v in x:
        with Scope(v) as s:
            if v < 0:
                continue
            total += s.value
        total *= s.value
    return total


@program(FOUR)
def own_generator(x):
    log = []
    with scaled(x[0], log) as s:
        y = s * x[1]
        log.append(y)
    return y + sum(log)


@program(FOUR)
def swallowed(x):
    y = x[0]
    with Swallow(ZeroDivisionError):
        y = y * 2.0
        y = 1 // int(x[0] * 0.0)
        y = y * 100.0
    return y * x[1]


@program(FOUR, 2, later=[(FOUR, 0)])
def swallowed_perhaps(x, n):
    y = x[0]
    with Swallow(ZeroDivisionError):
        y = y * 2.0
        z = 6 // n
        y = y * z
    return y * x[1]


@program(FOUR, 2, later=[(FOUR, 9)])
def swallowed_index(x, n):
    items = [x[0], x[1], x[2]]
    y = x[3]
    with Swallow(IndexError):
        y = y * items[n]
    return y * x[1]


@program(FOUR)
def not_swallowed(x):
    y = x[0]
    with Swallow(KeyError):
        y = 1 // int(x[0] * 0.0)
    return y * x[1]


@program(FOUR, 2, later=[(FOUR, 0)])
def suppressed(x, n):
    y = x[0]
    with contextlib.suppress(ZeroDivisionError):
        y = y * (6 // n)
    return y * x[1]


@program(FOUR, 2, later=[(FOUR, 0)])
def ignored_by_generator(x, n):
    y = x[0]
    with ignoring(ZeroDivisionError):
        y = y * (6 // n)
    return y * x[1]


@program(FOUR)
def two_scopes(x):
    log = []
    with Scope(x[0]) as a, scaled(x[1], log) as b:
        y = a.value * b
    return y * a.value + sum(log)


@program(FOUR)
def raised_within(x):
    with Swallow(ValueError):
        y = x[0] * 2.0
        if x[1] < 0:
            raise ValueError("negative")
        y = y * 50.0
    return y * x[2]


# ----- sorting
@program(NINE, 5, later=[(NINE, 9), (NINE, 0)])
def sorted_numbers(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    return sum(v * (k + 1) for k, v in enumerate(sorted(items)))


@program(NINE, 5)
def sorted_backwards(x, n):
    items = []
    for i in range(n):
        items.append(x[i] ** 2)
    items.sort(reverse=True)
    return sum(v * (k + 1) for k, v in enumerate(items))


@program(NINE, 5)
def sorted_by_key(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    total = 0.0
    for k, v in enumerate(sorted(items, key=lambda v: -abs(v))):
        total += v * (k + 1)
    items.sort(key=abs)
    return total + items[0] * items[-1] * 3


@program(NINE, 5)
def sorted_pairs(x, n):
    items = []
    for i in range(n):
        items.append((x[i], i))
    items.sort()
    total = 0.0
    for k, (v, i) in enumerate(items):
        total += v * x[i] * (k + 1)
    return total


@program(NINE, 5)
def sorted_pairs_by_key(x, n):
    items = []
    for i in range(n):
        items.append((i % 2, x[i]))
    best = sorted(items, key=lambda p: p[0], reverse=True)
    return sum(p[1] * (k + 1) for k, p in enumerate(best))


@program(NINE, 5)
def sorted_indices(x, n):
    order = sorted(range(n), key=lambda i: x[i])
    total = 0.0
    for k, i in enumerate(order):
        total += x[i] * (k + 1)
    return total


@program(NINE, 5)
def extremes_by_key(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    return min(items, key=lambda v: (v - 0.5) ** 2) * max(items, key=abs) + items[0]


@program(NINE, 5)
def extremes_of_indices(x, n):
    i = min(range(n), key=lambda i: x[i])
    j = max(range(n), key=lambda i: (x[i] - 0.3) ** 2)
    return x[i] * x[j] * (i + 1)


@program(NINE, 5)
def extreme_of_pairs(x, n):
    items = []
    for i in range(n):
        items.append((x[i] ** 2, i))
    v, i = max(items)
    w, j = min(items, key=lambda p: p[0])
    return v * x[j] + w * x[i] * i


@program(NINE, 0)
def extreme_of_nothing(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    return max(items, key=abs) * x[0]


@program(NINE, 0)
def extreme_by_default(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    return max(items, default=x[1]) * x[0] + min(items, key=abs, default=x[2])


@program(NINE, 5)
def sorted_with_ties(x, n):
    items = []
    for i in range(n):
        items.append((i, x[i]))
    items.sort(key=lambda p: p[0] % 2, reverse=True)
    total = 0.0
    for k, p in enumerate(items):
        total = total * 0.5 + p[1] * (k + 1)
    return total


@program(NINE, 5)
def sorted_while_named(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    other = items
    copy = sorted(items)
    items.sort()
    items.append(x[8])
    return other[0] * other[-1] + copy[0] * len(copy)


@program(NINE, 5)
def sorted_rows(x, n):
    rows = []
    for i in range(n):
        rows.append([x[i], x[i + 1]])
    rows.sort(key=lambda r: r[1])
    rows[0].append(x[8])
    return sum(r[0] * (k + 1) + len(r) for k, r in enumerate(rows))


# ----- lists of arrays of different lengths
@program(NINE, 4)
def growing_arrays(x, n):
    rows = []
    for i in range(n):
        rows.append(x[: i + 1] * x[i])
    return sum(np.sum(r * r) * len(r) for r in rows)


@program(NINE, 4)
def array_of_odd_lengths(x, n):
    rows = [x[:1] * 2, x[:2] * 3]
    for i in range(n):
        rows.append(rows[-1] * x[i] if i % 2 else x[i:] * x[0])
    total = 0.0
    for r in rows:
        total += np.mean(r) * r[0] + math.sqrt(np.sum(r * r))
    return total


@program(NINE, 4)
def concatenated_odd_lengths(x, n):
    rows = []
    for i in range(n):
        rows.append(np.sin(x[i:]))
    return np.sum(np.concatenate(rows) ** 2) + np.sum(rows[2] * rows[2])


@program(NINE, 4)
def written_odd_lengths(x, n):
    rows = []
    for i in range(n):
        rows.append(np.zeros(i + 1))
    for i in range(n):
        rows[i][i] = x[i] ** 2
        rows[i] += x[0]
    return sum(np.sum(r * r) for r in rows)


@program(NINE, 4)
def ranks_differ(x, n):
    rows = []
    for i in range(n):
        rows.append(x[:2] if i % 2 else x[:4].reshape(2, 2))
    return sum(np.sum(r * r) for r in rows)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("inner_grows_while_iterated", "numpy", "compiled"): "traced",
    ("inner_grows_while_iterated", "numba", "compiled"): "traced",
    ("key_error_caught", "numpy", "compiled"): "traced",
    ("key_error_caught", "numba", "compiled"): "traced",
}
