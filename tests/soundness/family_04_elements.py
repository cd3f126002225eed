"""Arrays that are elements of lists and dicts of run-time length, and have other names: who sees a write?

All must be right, and compiled where nothing else is said.
"""

import copy

import numpy as np

from .harness import program

X = np.array([1.0, -2.0, 3.0])
Y = np.array([[0.5, 0.7, -0.2], [1.5, -0.3, 0.9], [0.1, 0.4, -1.1]])
LATER = [(X * 0.5, 2, 0.4), (X, 3, -1.1)]
ROWS = [(Y * 0.5, 2, 0.4), (Y, 3, -1.1)]


def total(arrays):
    return sum(np.sum(a * a) * (i + 1) for i, a in enumerate(arrays))


# ----- windows as elements
@program(X, 3, 1.5, later=LATER)
def windows_written_by_index(x, n, s):
    parts = []
    for i in range(n):
        parts.append(x[: i + 1])
    for i in range(len(parts)):
        parts[i][0] = x[i] * s
    return total(parts) + np.sum(x)


@program(Y, 3, 1.5, later=ROWS)
def rows_written_in_a_loop_over_them(y, n, s):
    ws = list(y)
    for p in ws:
        p *= np.sin(s * p[0])
    p[1] += s
    return total(ws) + np.sum(y)


@program(Y, 2, 1.5, later=ROWS)
def overlapping_windows(y, n, s):
    ws = [y[k, 1:] for k in range(n)]
    vs = [y[k, :2] for k in range(n)]
    for w, v in zip(ws, vs):
        w *= s
        v += w
    ws[0] += vs[-1]
    return total(ws) + total(vs)


@program(X, 3, 1.5, later=LATER)
def the_base_is_written(x, n, s):
    z = x * s
    parts = []
    for i in range(n):
        parts.append(z[i:])
        z[0] += 1.0
    z *= 2.0
    z = z + 1.0
    z[0] = 5.0
    return total(parts) + np.sum(z)


@program(X, 3, 1.5, later=LATER)
def windows_of_windows(x, n, s):
    parts = [x[i:] for i in range(n)]
    inner = [p[:1] for p in parts]
    for a in inner:
        a *= s
        parts[0][-1] += a[0]
    return total(parts) + total(inner)


@program(X, 3, 1.5, later=LATER)
def windows_of_two_arrays(x, n, s):
    z = x * 2.0
    parts = []
    for i in range(n):
        parts.append(x[i:] if i % 2 else z[i:])
    for p in parts:
        p *= s
    return total(parts) + np.sum(x * z)


@program(X, 3, 1.5, later=LATER)
def of_other_steps(x, n, s):
    parts = []
    for i in range(1, n + 1):
        parts.append(x[::i])
    parts[-1][0] = s
    for i in range(n):
        parts.append(x[-1 - i :][:1])
        parts[-1][...] = s * i
    return total(parts)


# ----- arrays that a pass makes
@program(X, 3, 1.5, later=LATER)
def written_after_it_was_appended(x, n, s):
    ws = []
    for i in range(n):
        v = np.zeros(3)
        ws.append(v)
        v += x[i] * s
        v[0] = i
    ws[0] *= s
    return total(ws) + np.sum(v)


@program(X, 3, 1.5, later=LATER)
def appended_twice(x, n, s):
    ws = []
    for i in range(n):
        v = x * i
        ws.append(v)
        ws.append(v)
    for i, w in enumerate(ws):
        w[i % 3] += s * i
    return total(ws)


@program(X, 3, 1.5, later=LATER)
def in_two_lists(x, n, s):
    a, b = [], []
    for i in range(n):
        v = x * (i + 1)
        a.append(v)
        b.insert(0, v)
    for i in range(n):
        a[i] *= s
        b[i][0] += i
    a[0], a[-1] = a[-1], a[0]
    a[0] += 1.0
    return total(a) + 0.5 * total(b)


@program(X, 3, 1.5, later=LATER)
def carried_and_in_a_list(x, n, s):
    u = x * 1.0
    hist = []
    for i in range(n):
        u += s
        hist.append(u)
        u = u * 0.5
        hist.append(u)
    u[0] = 7.0
    hist[0][1] = s
    return total(hist) + np.sum(u)


@program(X, 3, 1.5, later=LATER)
def momentum_with_a_history(x, n, s):
    v, w, ws = np.zeros(3), x.copy(), []
    for _ in range(n):
        v *= 0.9
        v -= s * np.cos(w)
        w += v
        ws.append(w)
    return total(ws) + np.sum(v)


@program(X, 3, 1.5, later=LATER)
def the_last_one_is_changed_in_the_next_pass(x, n, s):
    ws = [x * 1.0]
    for i in range(n):
        last = ws[-1]
        ws.append(last * s)
        last[0] += i
    ws[-1] -= ws[0]
    return total(ws)


@program(X, 3, 1.5, later=LATER)
def appended_on_one_path(x, n, s):
    ws = [x]
    for i in range(n):
        v = x * i
        if v[0] > 0.3:
            ws.append(v)
        v += s
        if i % 2:
            v = ws[0]
        v[1] -= 1.0
    return total(ws)


@program(X, 4, 1.5, later=LATER)
def made_in_an_outer_pass(x, n, s):
    kept = []
    for i in range(n):
        g = x * (i + 1)
        parts = []
        for j in range(i % 3 + 1):
            parts.append(g[j:])
            if j == 1:
                kept.append(g)
        for p in parts:
            p *= s
        g[0] += 1.0
    return total(kept) + np.sum(g) + total(parts)


@program(X, 3, 1.5, later=LATER)
def best_so_far(x, n, s):
    u = x * 1.0
    best = u
    for i in range(n):
        u = u * s
        if np.sum(u) > 1.0:
            best = u
        best[0] += 1.0
    u[1] = 9.0
    return np.sum(best * best) + np.sum(u)


@program(X, 4, 1.5, later=LATER)
def the_one_before_and_the_list(x, n, s):
    before = None
    ws = []
    for i in range(n):
        now = x * i
        ws.append(now)
        if before is not None:
            before += now
        before = now
    return total(ws)


@program(X, 4, 0.5, later=LATER)
def two_that_change_places(x, n, s):
    a, b, log = x * 1.0, x * 2.0, []
    for i in range(n):
        log.append(a)
        a, b = b, a * s
        a[0] += i
    log[-1][2] = 4.0
    return total(log) + np.sum(a * b)


# ----- what lists do with their elements
@program(X, 3, 1.5, later=LATER)
def slices_copies_and_sums(x, n, s):
    ws = [x * i for i in range(n + 1)]
    more = ws[1:] + ws.copy() + ws * 2
    more[0] += s
    more.reverse()
    more[0] *= s
    del more[1]
    more.pop(0)[0] = 3.0
    return total(ws) + total(more)


@program(X, 3, 1.5, later=LATER)
def one_array_in_all_places(x, n, s):
    ws = [x * s] * n
    ws[0] += 1.0
    ws[-1][0] = s
    ws[0] = ws[0] + 1.0
    return total(ws)


@program(X, 3, 1.5, later=LATER)
def sorted_by_a_key(x, n, s):
    ws = [x * (-1) ** i * i for i in range(n + 1)]
    order = sorted(ws, key=lambda w: np.sum(w))
    order[0] *= s
    max(ws, key=len)[0] += 1.0
    return total(ws) + total(order)


@program(X, 3, 1.5, later=LATER)
def pairs_as_elements(x, n, s):
    todo = [(x * 1.0, 0)]
    done = []
    while todo:
        w, k = todo.pop()
        if k < n:
            todo.append((w * s, k + 1))
        w += k
        done.append((k, w))
        w[0] = s
    done[0][1][1] = 8.0
    return sum(np.sum(w * w) * k for k, w in done)


@program(X, 3, 1.5, later=LATER)
def values_of_a_dict(x, n, s):
    d = {}
    for i in range(n + 2):
        v = x * i
        d.setdefault(i % 3, v)
        d[i % 3] += s
        v[0] = 1.0
    d[0] = d[1]
    d[1] *= 2.0
    return sum(np.sum(v * v) for v in d.values())


@program(X, 3, 1.5, later=LATER)
def exchanged_elements(x, n, s):
    rows = [x[k:] * s for k in range(n)]
    rows[0], rows[1] = rows[1], rows[0]
    a = rows[1]
    rows[0][0] = 7.0
    rows[1] = a[:1]
    a[0] = s
    return total(rows) + np.sum(a)


@program(X, 3, 1.5, later=LATER)
def stacked_and_written(x, n, s):
    ws = [x * k for k in range(n)]
    m = np.stack(ws)
    ws[1] += s
    m[0] += ws[1]
    c = np.concatenate(ws)
    ws[-1][...] = 0.0
    return np.sum(m * m) + np.sum(c * c) + total(ws)


@program(X, 3, 1.5, later=LATER)
def a_helper_writes(x, n, s):
    def put(a, k):
        a[k] += s
        return a

    ws = []
    for i in range(n):
        ws.append(put(x[i:], 0))
        put(ws[-1], -1)
    a = put(ws[0], 1)
    a *= 2.0
    return total(ws) + np.sum(x)


@program(X, 3, 1.5, later=LATER)
def a_list_that_is_begun_by_hand(x, n, s):
    ws = [x, x[1:], x * 1.0]
    for i in range(n):
        ws.append(ws[i])
        ws[-1][0] += s
    ws[2] *= 2.0
    return total(ws) + np.sum(x)


@program(X, 3, 1.5, later=[(X, 1, 1.5), (X, 9, 1.5)])
def an_index_that_is_not_there(x, n, s):
    ws = []
    for i in range(3):
        ws.append(x[i:])
    ws[n - 1][0] += s
    return total(ws)


@program(X, 3, 1.5, later=LATER)
def the_argument_is_one_of_them(x, n, s):
    ws = [x]
    for i in range(n):
        ws.append(ws[-1] if i % 2 else ws[-1] * s)
        ws[-1][i % 3] = i
    x[0] += 1.0
    return total(ws)


@program(X, 3, 1.5, later=[(X, 0, 1.5), *LATER])
def none_at_all(x, n, s):
    ws = []
    for i in range(n):
        ws.append(x[i:])
    for w in ws:
        w *= s
    u = x * s
    for w in ws:
        u = w
    u[0] += 1.0
    return total(ws) + np.sum(u)


@program(X, 4, 1.5, later=LATER)
def returned_from_within(x, n, s):
    def find(arrays):
        for a in arrays:
            if a[0] > 1.2:
                return a
        return arrays[0]

    ws = [x * i for i in range(n)]
    a = find(ws)
    a += s
    return total(ws) + np.sum(a)


@program(X, 4, 1.5, later=LATER)
def entry_and_element(x, n, s):
    box = {"a": x * 1.0}
    ws = []
    for i in range(n):
        ws.append(box["a"])
        if i % 2:
            box["a"] = box["a"] * s
        box["a"][0] += 1.0
    return total(ws) + np.sum(box["a"])


@program(X, 3, 1.5, later=LATER)
def elements_that_are_one(x, n, s):
    ws = []
    for i in range(n):
        v = x * i
        ws.append(v)
        ws.append(v)
    ws[0] += s
    a, b = ws[2], ws[3]
    return total(ws) * (2.0 if a is b else 1.0) * (1.0 if ws[0] is ws[2] else s)


@program(X, 3, 1.5, later=LATER)
def deep_copies(x, n, s):
    ws = [x[i:] * 1.0 for i in range(n)]
    more = copy.deepcopy(ws)
    flat = copy.copy(ws)
    flat[0] += s
    more[0] *= 3.0
    return total(ws) + total(more) + total(flat)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("elements_that_are_one", "numpy", "compiled"): "traced",
    ("elements_that_are_one", "numba", "compiled"): "traced",
    ("deep_copies", "numpy", "compiled"): "traced",
    ("deep_copies", "numba", "compiled"): "traced",
}
