"""Who else sees a write: arrays in lists and histories, elements, lists that loops change as they run?

All must be right; traced is enough.
"""

import math

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])
W = np.array([0.2, 0.7, -0.5])
ROWS = np.array([[0.5, 1.2, -0.3], [0.8, -0.6, 1.7], [0.2, 0.9, -1.1]])


@program(THREE, 0.7, 3, compiled=False)
def hist_same_n(x, s, n):
    u = x.copy()
    hist = []
    for i in range(n):
        u += s * i
        hist.append(u)
    return np.sum(hist[0] * hist[1] * hist[2])


@program(THREE, 0.7, 3, compiled=False)
def hist_copy_ok(x, s, n):
    u = x.copy()
    hist = []
    for i in range(n):
        u += s * i
        hist.append(u.copy())
    return np.sum(hist[0] * hist[1] * hist[2])


@program(ROWS, THREE, 0.7, 3, compiled=False)
def rows_write_n(y, x, s, n):
    y = y.copy()
    rows = [y[i] for i in range(n)]
    rows[1][:] = x * s
    return np.sum(y**2)


@program(ROWS, THREE, 0.7, compiled=False)
def rows_write_list(y, x, s):
    y = y.copy()
    rows = list(y)
    rows[1][:] = x * s
    return np.sum(y**2)


@program(THREE, W, 0.7, 3, compiled=False)
def momentum_ok(x, w, s, n):
    v = np.zeros_like(w)
    ws = []
    for i in range(n):
        v = 0.9 * v
        v = v - s * np.cos(w)
        w = w + v
        ws.append(w)
    return sum(np.sum(q * x) * (i + 1) for i, q in enumerate(ws))


@program(ROWS, 0.7, compiled=False)
def swap_views(y, s):
    y = y.copy()
    y[0], y[1] = y[1], y[0]
    return np.sum(y[0] * 3 + y[1] * s)


@program(ROWS, 0.7, compiled=False)
def unpack_array(y, s):
    y = y.copy()
    w1, w2, w3 = y
    w1 -= s * w2
    return np.sum(y * y) + np.sum(w1 * w3)


@program(THREE, W, 0.7, 2, compiled=False)
def ba_aa_n(x, w, s, n):
    a = x.copy()
    b = w.copy()
    for i in range(n):
        b, a = a, a
    a[1:] *= s
    return np.sum(b * b) + np.sum(a * x)


@program(THREE, 3, compiled=False)
def grow_while_iterated(x, n):
    l = [x[0] * 0.5]
    for v in l:
        if len(l) < n:
            l.append(v * x[1])
    return sum(l)


@program(THREE, 3, compiled=False)
def work_list(x, n):
    todo = [(x[0], 0)]
    total = 0.0
    for v, depth in todo:
        total += v
        if depth < n:
            todo.append((v * x[1], depth + 1))
            todo.append((v + x[2], depth + 1))
    return total


@program(THREE, 0.7, 3, compiled=False)
def append_then_write(x, s, n):
    hist = []
    for i in range(n):
        u = x * (i + 1)
        hist.append(u)
        u *= s
    return sum(np.sum(h * h) for h in hist)


@program(THREE, 0.7, 3, compiled=False)
def append_fresh_ok(x, s, n):
    hist = []
    for i in range(n):
        u = x * (i + 1)
        u *= s
        hist.append(u)
    return sum(np.sum(h * h) for h in hist)


@program(THREE, 0.7, 3, compiled=False)
def display_then_write(x, s, n):
    u = x * s
    c = [u, x * 2]
    for i in range(n):
        u += c[0] * s
    return np.sum(c[0] * c[1])


@program(THREE, 0.7, 3, compiled=False)
def setitem_then_write(x, s, n):
    u = x * s
    c = [x] * n
    for i in range(n):
        c[i] = u
        u *= s
    return np.sum(c[0] * c[1]) + np.sum(c[n - 1])


@program(THREE, 0.7, 3, compiled=False)
def read_element_write(x, s, n):
    c = [x * (i + 1) for i in range(n)]
    v = c[1]
    v *= s
    return np.sum(c[0] * c[1]) + np.sum(v)


@program(THREE, 0.7, 3, compiled=False)
def iterate_write(x, s, n):
    c = [x * (i + 1) for i in range(n)]
    for v in c:
        v *= s
    return np.sum(c[0] * c[1])


@program(THREE, 0.7, 3, compiled=False)
def repeated_list(x, s, n):
    c = [x * s] * n
    c[0] += x
    return np.sum(c[1] * x)


@program(THREE, 0.7, compiled=False)
def repeated_list_static(x, s):
    c = [x * s] * 3
    c[0] += x
    return np.sum(c[1] * x)


@program(THREE, 0.7, 3, compiled=False)
def tuple_history(x, s, n):
    u = x.copy()
    hist = []
    for i in range(n):
        hist.append((u, s * i))
        u[i] = s
    return sum(np.sum(a) * b for a, b in hist)


@program(THREE, 0.7, 3, compiled=False)
def dict_in_history(x, s, n):
    u = x.copy()
    d = {"u": u}
    for i in range(n):
        d["u"] += s
        u[i] *= 2
    return np.sum(d["u"] * u)


class State:
    def __init__(self, u):
        self.u = u
        self.h = []

    def step(self, s):
        self.u += s
        self.h.append(self.u)

    def step_ok(self, s):
        self.u = self.u + s
        self.h.append(self.u)


@program(THREE, 0.7, 3, compiled=False)
def object_history(x, s, n):
    st = State(x.copy())
    for i in range(n):
        st.step(s * i)
    return np.sum(st.h[0] * st.h[1])


@program(THREE, 0.7, 3, compiled=False)
def object_history_ok(x, s, n):
    st = State(x.copy())
    for i in range(n):
        st.step_ok(s * i)
    return np.sum(st.h[0] * st.h[1])


def bump(v, s):
    v += s
    return v


@program(THREE, 0.7, 3, compiled=False)
def helper_bump(x, s, n):
    u = x.copy()
    hist = []
    for i in range(n):
        hist.append(bump(u, s * i))
    return np.sum(hist[0] * hist[2])


def push(hist, v):
    hist.append(v)


@program(THREE, 0.7, 3, compiled=False)
def helper_push(x, s, n):
    u = x.copy()
    hist = []
    for i in range(n):
        push(hist, u)
        u[0] = s * i
    return np.sum(hist[0] * hist[2])


def first_of(l):
    return l[0]


@program(THREE, 0.7, 3, compiled=False)
def helper_first(x, s, n):
    c = [x * i for i in range(n + 1)]
    v = first_of(c)
    v[:] = x * s
    return np.sum(c[0]) + np.sum(c[1])


@program(THREE, 0.7, 3, compiled=False)
def comp_element(x, s, n):
    u = x.copy()
    c = [u for i in range(n)]
    u *= s
    return np.sum(c[0] * c[1])


@program(THREE, 0.7, 3, compiled=False)
def comp_views(x, s, n):
    u = x.copy()
    c = [u[i:] for i in range(n)]
    u *= s
    return np.sum(c[0]) + np.sum(c[1]) * s


@program(THREE, 0.7, 3, compiled=False)
def comp_views2(x, s, n):
    u = x.copy()
    c = [u[i:] for i in range(n)]
    c[1][:] = s
    return np.sum(u * u)


@program(THREE, 0.7, 3, compiled=False)
def lambda_write(x, s, n):
    u = x.copy()
    c = []

    def keep(v):
        c.append(v)
        return v

    for i in range(n):
        keep(u)
        u *= s
    return np.sum(c[0] * c[1])


@program(THREE, 0.7, 3, compiled=False)
def nested_hist(x, s, n):
    u = x.copy()
    hist = []
    for i in range(n):
        row = []
        for j in range(n):
            u = u * s
            row.append(u)
        u += 1
        hist.append(row[0])
    return sum(np.sum(h * h) for h in hist)


@program(THREE, 0.7, 3, compiled=False)
def nested_hist2(x, s, n):
    u = x.copy()
    hist = []
    for i in range(n):
        for j in range(n):
            u += s
        hist.append(u)
    return sum(np.sum(h * h) * (k + 1) for k, h in enumerate(hist))


@program(THREE, 0.7, 3, compiled=False)
def prev_alias(x, s, n):
    u = x.copy()
    prev = u
    for i in range(n):
        prev = u
        u += s * prev
    return np.sum(prev * u)


@program(THREE, 0.7, 3, compiled=False)
def prev_alias2(x, s, n):
    u = x.copy()
    prev = x
    t = 0.0
    for i in range(n):
        t = t + np.sum(prev * u)
        prev = u
        u = u * s
        prev *= 2
    return np.sum(prev * u) + t


@program(THREE, W, 0.7, 3, compiled=False)
def rotate(x, w, s, n):
    a, b, c = x.copy(), w.copy(), x * w
    for i in range(n):
        a, b, c = b, c, a
        a += s * b
    return np.sum(a * 2 + b * 3 + c * 5)


@program(THREE, W, 0.7, 3, compiled=False)
def swap_buffers(x, w, s, n):
    a, b = x.copy(), np.zeros(3)
    for i in range(n):
        b[:] = a * s + w
        a, b = b, a
    return np.sum(a * a)


@program(THREE, 0.7, compiled=False)
def enumerate_grow(x, s):
    l = [s]
    for i, v in enumerate(l):
        if i < 3:
            l.append(v * x[i])
    return sum(l)


@program(THREE, 0.7, 3, compiled=False)
def enumerate_grow_n(x, s, n):
    l = [s]
    for i, v in enumerate(l):
        if i < n:
            l.append(v * x[1])
    return sum(l)


@program(THREE, 0.7, compiled=False)
def zip_grow(x, s):
    l = [s]
    for v, w in zip(l, x):
        l.append(v * w)
    return sum(l)


@program(THREE, 0.7, compiled=False)
def zip_grow2(x, s):
    l = [s]
    for w, v in zip(x, l):
        l.append(v * w)
    return sum(l)


@program(THREE, 0.7, compiled=False)
def reversed_grow(x, s):
    l = [s, s * s, s + 1]
    t = 0.0
    for v in reversed(l):
        l.append(v * 2)
        t += v
    return sum(l) + t


@program(THREE, 0.7, 3, compiled=False)
def reversed_grow_n(x, s, n):
    l = [s * i for i in range(n)]
    t = 0.0
    for v in reversed(l):
        l.append(v * 2)
        t += v
    return sum(l) + t


@program(THREE, 0.7, compiled=False)
def set_ahead(x, s):
    l = [s, s * s, s + 1]
    t = 0.0
    for i, v in enumerate(l):
        if i < 2:
            l[i + 1] = v * 2
        t += v
    return sum(l) + t


@program(THREE, 0.7, 3, compiled=False)
def set_ahead_n(x, s, n):
    l = [s * i for i in range(n)]
    t = 0.0
    for i, v in enumerate(l):
        if i < n - 1:
            l[i + 1] = v * 2 + x[0]
        t += v
    return sum(l) + t


@program(THREE, 0.7, 3, compiled=False)
def set_ahead_array(x, s, n):
    l = x.copy()
    t = 0.0
    for i, v in enumerate(l):
        if i < 2:
            l[i + 1] = v * 2 + s
        t += v
    return sum(l) + t


@program(THREE, 0.7, compiled=False)
def pop_iterated(x, s):
    l = [s, s * s, s + 1, x[0]]
    t = 0.0
    for v in l:
        t = t * 0.5 + v
        l.pop()
    return t + sum(l)


@program(THREE, 0.7, 4, compiled=False)
def pop_iterated_n(x, s, n):
    l = [s * i + x[0] for i in range(n)]
    t = 0.0
    for v in l:
        t = t * 0.5 + v
        l.pop()
    return t + sum(l)


@program(THREE, 0.7, compiled=False)
def rebound_iterated(x, s):
    l = [s, s * s, s + 1, x[0]]
    t = 0.0
    for v in l:
        t = t * 0.5 + v
        l = l + [v]
    return t + sum(l)


@program(THREE, 0.7, 3, compiled=False)
def map_grow(x, s, n):
    l = [s]
    t = 0.0
    for v in map(lambda q: q * s, l):
        if len(l) < n:
            l.append(v + x[0])
        t += v
    return t


@program(THREE, 0.7, 3, compiled=False)
def array_from_history(x, s, n):
    u = x.copy()
    hist = [u]
    for i in range(n):
        u = u * s
        hist.append(u)
    u[0] = s
    return np.sum(np.array(hist) ** 2)


@program(THREE, 0.7, 3, compiled=False)
def stack_history_ok(x, s, n):
    u = x.copy()
    hist = []
    for i in range(n):
        u = u * s
        hist.append(u)
    h = np.stack(hist)
    h[0] *= 2
    return np.sum(h**2)


@program(ROWS, 0.7, compiled=False)
def rows_by_loop(y, s):
    y = y.copy()
    t = 0.0
    for row in y:
        row *= s
        t += np.sum(y)
    return t


@program(ROWS, 0.7, compiled=False)
def rows_kept(y, s):
    y = y.copy()
    keep = []
    for row in y:
        keep.append(row)
    y *= s
    return np.sum(keep[0] * keep[1])


@program(ROWS, 0.7, compiled=False)
def last_row(y, s):
    y = y.copy()
    last = y[0]
    for i in range(1, 3):
        y[i] += s * last
        last = y[i]
    last *= 2
    return np.sum(y * y)


@program(ROWS, 0.7, compiled=False)
def prev_row(y, s):
    y = y.copy()
    last = y[0]
    for i in range(1, 3):
        last *= s
        last = y[i]
    return np.sum(y * y)


@program(THREE, 0.7, 3, compiled=False)
def zeros_list_inplace(x, s, n):
    acc = [np.zeros(3) for _ in range(n)]
    for i in range(n):
        acc[i] += x * s
    for i in range(n):
        acc[i][0] = s
    return sum(np.sum(a * a) for a in acc)


@program(THREE, 0.7, 3, compiled=False)
def pop_and_write(x, s, n):
    c = [x * i for i in range(n)]
    d = c[n - 1]
    v = c.pop()
    v *= s
    return np.sum(d) + np.sum(c[0])


@program(THREE, 0.7, 3, compiled=False)
def extend_alias(x, s, n):
    u = x * s
    c = []
    for i in range(n):
        c += [u]
    u[0] = 1.0
    return np.sum(c[0] * c[1])


@program(THREE, 0.7, 3, compiled=False)
def concat_alias(x, s, n):
    c = [x * i for i in range(n)]
    d = c + c
    d[0][1] = s
    return np.sum(c[0]) + np.sum(c[1])


@program(THREE, 0.7, 3, compiled=False)
def slice_alias(x, s, n):
    c = [x * i for i in range(n)]
    d = c[:2]
    d[0][1] = s
    return np.sum(c[0]) + np.sum(c[1])


@program(THREE, 0.7, 3, compiled=False)
def tuple_elements(x, s, n):
    c = [(x * i, s) for i in range(n)]
    a, b = c[1]
    a += b
    return np.sum(c[1][0] * x)


@program(THREE, 0.7, compiled=False)
def kept_in_closure(x, s):
    u = x.copy()

    def look():
        return np.sum(u * u)

    for i in range(3):
        u[i] = s * look()
    return look()


@program(THREE, 0.7, 2, compiled=False)
def one_of(x, s, n):
    a = x * s
    b = x + s
    c = [a, b]
    v = c[n - 1]
    v *= 2
    return np.sum(a) * np.sum(b)


@program(THREE, 0.7, 2, compiled=False)
def ifexp_alias(x, s, n):
    a = x * s
    b = x + s
    v = a if n > 1 else b
    v *= 2
    return np.sum(a) * np.sum(b)


@program(THREE, 0.7, 3, compiled=False)
def elem_old_read(x, s, n):
    c = [x * i for i in range(n)]
    v = c[1]
    c[1] = x * 5 * s
    return np.sum(v) + np.sum(c[1] * v)


@program(THREE, 0.7, 3, compiled=False)
def elem_write_then_read(x, s, n):
    c = [x * i for i in range(n)]
    v = c[1]
    c[1][0] = s
    return np.sum(v) * s


@program(THREE, 0.7, 3, compiled=False)
def elem_write_in_loop(x, s, n):
    c = [x * i for i in range(n)]
    v = c[1]
    t = 0.0
    for i in range(n):
        t = t + np.sum(v)
        c[i] += s
    return t


@program(THREE, 0.7, 3, compiled=False)
def elem_swap(x, s, n):
    c = [x * i for i in range(n)]
    for i in range(n - 1):
        c[i], c[i + 1] = c[i + 1], c[i]
    return np.sum(c[0] * s) + np.sum(c[1] * c[2])


@program(THREE, 0.7, 3, compiled=False)
def elem_two_windows(x, s, n):
    c = [x * i for i in range(n)]
    a = c[0]
    b = c[1]
    a += s
    b *= s
    return np.sum(c[0] * c[1])


@program(THREE, 0.7, 3, compiled=False)
def elem_branch_write(x, s, n):
    c = [x * i for i in range(n)]
    for i in range(n):
        if i % 2:
            c[i][0] = s
        else:
            c[i] += x
    return sum(np.sum(q * q) for q in c)


@program(THREE, 0.7, 3, compiled=False)
def grid_of_numbers(x, s, n):
    g = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            g[i][j] += x[j] * s * i
    return sum(sum(r) for r in g)


@program(THREE, 0.7, 3, compiled=False)
def grid_same_row(x, s, n):
    g = [[0.0] * n] * n
    for i in range(n):
        g[i][0] += x[i] * s
    return sum(sum(r) for r in g)


@program(THREE, 0.7, 3, compiled=False)
def buckets(x, s, n):
    b = [[] for _ in range(n)]
    for i in range(3 * n):
        b[i % n].append(x[i % 3] * s * i)
    return sum(sum(q) * (k + 1) for k, q in enumerate(b))


@program(THREE, 0.7, 3, compiled=False)
def row_named(x, s, n):
    g = [[0.0] * n for _ in range(n)]
    for i in range(n):
        row = g[i]
        for j in range(n):
            row[j] = x[j] * s
    return sum(sum(r) for r in g)


@program(THREE, 0.7, 3, compiled=False)
def row_appended_then_changed(x, s, n):
    g = []
    row = [0.0] * n
    for i in range(n):
        row[i] = x[i] * s
        g.append(row)
    return sum(sum(r) for r in g)


@program(THREE, 0.7, 3, compiled=False)
def if_rebind_inplace(x, s, n):
    v = x.copy()
    v = v if n > 2 else v * 2
    v += s
    return np.sum(v * v)


@program(THREE, 0.7, 3, compiled=False)
def default_out(x, s, n):
    out = None
    for i in range(n):
        if out is None:
            out = np.zeros(3)
        out += x * s
    return np.sum(out * out)


@program(THREE, compiled=False)
def popped_and_put_back(x):
    stack = [x.copy()]
    for _ in range(4):
        top = stack.pop()
        stack.append(top)
    top[...] = np.cos(top)
    return sum([np.sum(v) for v in stack])


@program(THREE, 3, later=[(THREE, 1)], compiled=False)
def two_that_change_places(x, n):
    pair = [x * 1.0, x * 2.0]
    for _ in range(n):
        first, second = pair
        pair[0], pair[1] = second, first
    second *= 3.0
    return np.sum(pair[0] * x) + np.sum(pair[1])


@program(THREE, later=[(THREE - 2.0,)], compiled=False)
def appended_until_a_break(x):
    u = x * 1.0
    seen = [u.copy()]
    for _ in range(2):
        u[-1:] += math.cos(u[-1])
        seen.append(u)
        if np.sum(x) > 0:
            break
    v = u
    v.flat[0] = 7.0 * x[0]
    return sum([np.sum(h * h) for h in seen])


@program(THREE, 0.5, later=[(THREE, -0.5)])
def one_list_or_a_longer_one(x, s):
    u = x * 1.0
    kept = [u]
    if s > 0:
        u *= s
        kept.append(x * 2.0)
        kept.append(u)
    u[1] = s * x[0]
    return sum([np.sum(h * x) for h in kept])


@program(np.array([0.4, -0.9, 1.3]), 0.6)
def list_to_which_an_array_is_added(x, s):
    first, *rest = x
    before = rest
    rest += x[1:] * s
    numbers = [s, s * first]
    numbers += np.float64(2.0) * s
    return np.sum(rest**2) + before[0] * len(before) + np.sum(numbers * x[:2])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
