"""Which list, dict or object is it: one of several, one with two names, one in a list, one from outside?

All must be right; traced is enough, but where a container is only read, or made anew on every path.
"""

import copy

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])


# ----- one of two, by a branch
@program(THREE, 0.7, compiled=False)
def ifexp_append(x, s):
    a = [x[0]]
    b = [x[1], x[2]]
    c = a if s > 0 else b
    c.append(s)
    return sum(a) + sum(b) * s


@program(THREE, 0.7, compiled=False)
def ifexp_append_first(x, s):
    a = [x[0]]
    b = [x[1], x[2]]
    c = a if s > 0 else b
    a.append(s)
    return sum(c) * s


@program(THREE, 0.7, compiled=False)
def branch_set_item(x, s):
    a = [x[0], 1.0]
    b = [x[1], 2.0]
    if s > 0:
        c = a
    else:
        c = b
    c[0] = s * s
    return a[0] * x[1] + b[0]


@program(THREE, 0.7, compiled=False)
def branch_dict_key(x, s):
    a = {"k": x[0]}
    b = {"k": x[1]}
    c = b
    if s > 0:
        c = a
    c["k"] = s * x[2]
    return a["k"] * 2 + b["k"] * 3


@program(THREE, 0.7, compiled=False)
def branch_dict_new_key(x, s):
    a = {"k": x[0]}
    b = {"k": x[1]}
    c = a if s > 0 else b
    c["j"] = s
    return sum(a.values()) + sum(b.values()) * 2


class Box:
    def __init__(self, v):
        self.v = v
        self.h = []

    def put(self, v):
        self.v = v
        self.h.append(v)


@program(THREE, 0.7, compiled=False)
def branch_attribute(x, s):
    a = Box(x[0])
    b = Box(x[1])
    c = a if s > 0 else b
    c.v = s * x[2]
    return a.v * 2 + b.v * 3


@program(THREE, 0.7, compiled=False)
def branch_method(x, s):
    a = Box(x[0])
    b = Box(x[1])
    c = a if s > 0 else b
    c.put(s * x[2])
    return a.v * 2 + b.v * 3 + sum(a.h)


@program(THREE, 0.7, compiled=False)
def branch_inner_list(x, s):
    a = Box(x[0])
    b = Box(x[1])
    a.h.append(s)
    b.h.append(x[1])
    h = (a if s > 0 else b).h
    h[0] = s * x[2]
    return sum(a.h) * 2 + sum(b.h) * 3


@program(THREE, 0.7, compiled=False)
def branch_list_of_lists(x, s):
    a = [[x[0]], [x[1]]]
    b = [[x[2]], [s]]
    c = a if s > 0 else b
    a[0].append(s * x[1])
    return sum(c[0]) + sum(c[1])


@program(THREE, 0.7, compiled=False)
def branch_tuple_of_lists(x, s):
    a = ([x[0]], 1.0)
    b = ([x[2]], 2.0)
    c = a if s > 0 else b
    c[0][0] = s * x[1]
    return a[0][0] * 2 + b[0][0]


def longer(a, b):
    if sum(a) > sum(b):
        return a
    return b


@program(THREE, 0.7, compiled=False)
def helper_returns_one(x, s):
    a = [x[0], s]
    b = [x[1], x[2]]
    longer(a, b).append(s * 3)
    return sum(a) + sum(b) * s


@program(THREE, 0.7, compiled=False)
def lambda_returns_one(x, s):
    a = [x[0], s]
    b = [x[1], x[2]]
    pick = lambda t: a if t > 0 else b
    pick(s)[0] = x[2] * s
    return sum(a) + sum(b) * s


@program(THREE, 0.7, compiled=False)
def or_of_lists(x, s):
    a = [x[0], s]
    n = 1 if s > 0 else 0
    b = a * n
    c = (b if s > 0 else []) or a
    c[0] = s * 5
    return sum(a) * 2 + sum(b)


@program(THREE, 0.7, compiled=False)
def method_of_one(x, s):
    a = [x[0]]
    b = [x[1]]
    push = a.append if s > 0 else b.append
    push(s * x[2])
    return sum(a) + sum(b) * 3


@program(THREE, 0.7, compiled=False)
def identity_of_one(x, s):
    a = [x[0]]
    b = [x[0]]
    c = a if s > 0 else b
    return s * x[1] if c is a else s * x[2]


@program(THREE, 0.7, compiled=False)
def cell_of_one(x, s):
    a = [x[0]]
    b = [x[1]]
    if s > 0:
        c = a
    else:
        c = b

    def add(v):
        c.append(v)

    add(s)
    add(s * x[2])
    return sum(a) * 2 + sum(b)


@program(THREE, 0.7, compiled=False)
def one_of_arrays_in_lists(x, s):
    a = [x * s]
    b = [x + s]
    c = a if s > 0 else b
    c[0][1] = s
    return np.sum(a[0] ** 2) + np.sum(b[0])


@program(THREE, 0.7, compiled=False)
def one_of_arrays_in_lists_first(x, s):
    a = [x * s]
    b = [x + s]
    c = a if s > 0 else b
    a[0][1] = s
    return np.sum(c[0] ** 2)


@program(THREE, 0.7, compiled=False)
def early_return(x, s):
    def pick(h):
        if s > 0:
            return h
        h = [x[1]]
        return h

    a = [x[0]]
    pick(a).append(s)
    return sum(a) * 2


@program(THREE, 0.7, compiled=False)
def two_of_the_same(x, s):
    a = [x[0]]
    b = [x[1]]
    e = [x[2]]
    c = a if s > 0 else b
    d = a if s > -1 else e
    a = None
    c.append(s)
    return sum(d) * s


@program(THREE, 0.7, compiled=False)
def try_and_merge(x, s):
    hist = [x[0]]
    last = hist
    if s > 0.5:
        last = [x[1]]
    last += [s]
    return sum(hist) + sum(last) * 3


# ----- by the pass of a loop
@program(THREE, 0.7, 3, compiled=False)
def loop_both_names(x, s, n):
    a = [x[0], x[1]]
    b = [x[2], s]
    for i in range(n):
        a, b = b, b
    a[0] = s * 5
    return sum(b) + sum(a)


@program(THREE, 0.7, 3, compiled=False)
def loop_swap_outer_names(x, s, n):
    a = [x[0], x[1]]
    b = [x[2], s]
    p, q = a, b
    for i in range(n):
        p, q = q, p
    p[0] = s * 5
    return sum(a) + sum(b) * 2


@program(THREE, 0.7, 3)
def loop_swap_buffers(x, s, n):
    p = [x[0], x[1]]
    q = [0.0, 0.0]
    for i in range(n):
        q[0] = p[1] * s
        q[1] = p[0] + x[2]
        p, q = q, p
    return sum(p) + sum(q) * 2


@program(THREE, 0.7, 3, compiled=False)
def loop_swap_objects(x, s, n):
    a, b = Box(x[0]), Box(x[1])
    p, q = a, b
    for i in range(n):
        p, q = q, p
        p.v = p.v * s + i
    return a.v * 2 + b.v * 3


@program(THREE, 0.7, 3, compiled=False)
def loop_previous(x, s, n):
    cur = [x[0], x[1]]
    prev = cur
    t = 0.0
    for i in range(n):
        prev = cur
        cur[0] = cur[0] * s + i
        t += prev[0]
        if i == 1:
            cur = [x[2], s]
    return t + sum(prev) + sum(cur)


@program(THREE, 0.7, 3, compiled=False)
def loop_previous_then_write(x, s, n):
    cur = [x[0], x[1]]
    prev = [0.0, 0.0]
    for i in range(n):
        prev = cur
        cur = [prev[1] * s, prev[0]]
        keep = cur
    keep[0] = 5.0 * s
    prev[1] = s
    return sum(cur) + sum(prev)


@program(THREE, 0.7, 3)
def loop_previous_read(x, s, n):
    cur = [x[0], x[1]]
    prev = cur
    for i in range(n):
        prev = cur
        cur = [prev[1] * s, prev[0] + x[2]]
    return sum(cur) + sum(prev) * 2


@program(THREE, 0.7, 3, compiled=False)
def loop_rebound_in_branch(x, s, n):
    total = [x[0]]
    acc = total
    for i in range(n):
        if i == 2:
            acc = [x[1]]
        acc.append(s * i)
    return sum(total) * 2 + sum(acc)


@program(THREE, 0.7, 3)
def loop_reset(x, s, n):
    acc = []
    t = 0.0
    for i in range(n):
        if i == 2:
            t += sum(acc) * s
            acc = []
        acc.append(s * i + x[0])
    return sum(acc) + t


@program(THREE, 0.7, 3, compiled=False)
def loop_element_of_static(x, s, n):
    rows = [[x[0]], [x[1]], [x[2]]]
    for i in range(n):
        row = rows[i]
        rows[i].append(s * i)
        row.append(1.0)
    return sum(sum(r) * (k + 1) for k, r in enumerate(rows))


@program(THREE, 0.7, 1, compiled=False)
def element_by_index_kept(x, s, n):
    rows = [[x[0], s], [x[1], s]]
    row = rows[n]
    rows[1][0] = 5.0 * s
    return sum(row)


@program(THREE, 0.7, 1, compiled=False)
def element_by_index_written(x, s, n):
    rows = [[x[0], s], [x[1], s]]
    row = rows[n]
    row[0] = 5.0 * s
    return sum(rows[1]) + sum(rows[0]) * 2


@program(THREE, 0.7, 1, compiled=False)
def object_by_index_written(x, s, n):
    boxes = [Box(x[0]), Box(x[1])]
    boxes[n].v = s * x[2]
    return boxes[0].v + boxes[1].v * 2


@program(THREE, 0.7, 3, compiled=False)
def static_row_kept(x, s, n):
    row = [x[0], x[1]]
    g = []
    for i in range(n):
        row[0] = s * i
        g.append(row)
    return sum(sum(r) for r in g)


@program(THREE, 0.7, 3, compiled=False)
def static_row_kept_then_changed(x, s, n):
    row = [x[0], x[1]]
    g = []
    for i in range(n):
        g.append(row)
    row[1] = s * s
    return sum(sum(r) for r in g)


@program(THREE, 0.7, 3, compiled=False)
def rebound_row_kept(x, s, n):
    row = [s] * n
    g = []
    for i in range(n):
        row = row + [x[i]]
        g.append(row)
    row[0] = s * s
    return sum(sum(r) for r in g)


@program(THREE, 0.7, 3, compiled=False)
def rebound_row_kept_within(x, s, n):
    row = [s] * n
    g = []
    for i in range(n):
        row[0] = row[0] * s
        row = row + [x[i]]
        g.append(row)
    return sum(sum(r) for r in g)


@program(THREE, 0.7, 3, compiled=False)
def object_holds_it_too(x, s, n):
    box = Box(s)
    h = box.h
    for i in range(n):
        if i == 1:
            h = [x[0]]
        h.append(x[i] * s)
    return sum(box.h) * 2 + sum(h)


class Node:
    def __init__(self, v, next=None):
        self.v = v
        self.next = next


@program(THREE, 0.7, compiled=False)
def linked_static(x, s):
    node = head = Node(x[0], Node(x[1], Node(x[2])))
    while node is not None:
        node.v = node.v * s
        node = node.next
    return head.v + head.next.v * 2 + head.next.next.v * 3


@program(THREE, 0.7, 2, compiled=False)
def linked_run_time(x, s, n):
    node = head = Node(x[0], Node(x[1], Node(x[2])))
    for i in range(n):
        node.v = node.v * s
        node = node.next
    return head.v + head.next.v * 2 + head.next.next.v * 3


@program(THREE, 0.7, 5, compiled=False)
def linked_ring(x, s, n):
    a = Node(x[0])
    b = Node(x[1], a)
    a.next = b
    node = a
    for i in range(n):
        node.v = node.v * s + i
        node = node.next
    return a.v + b.v * 2


@program(THREE, 0.7, 2, compiled=False)
def linked_dicts(x, s, n):
    tail = {"v": x[1], "next": None}
    head = {"v": x[0], "next": tail}
    cur = head
    for i in range(n):
        cur["v"] *= s
        cur = cur["next"]
    return head["v"] + tail["v"] * 2


@program(THREE, 0.7, 3, compiled=False)
def grown_chain(x, s, n):
    node = None
    for i in range(n):
        node = [x[i] * s, node]
    t = 0.0
    while node is not None:
        t = t * 0.5 + node[0]
        node = node[1]
    return t


@program(THREE, 0.7, 3, compiled=False)
def nested_loops_one_of(x, s, n):
    low, high = [], []
    for i in range(n):
        for j in range(n):
            side = low if x[i] * x[j] < 0 else high
            side.append(x[i] * s)
    return sum(low) + 2 * sum(high)


@program(THREE, 0.7, 3, compiled=False)
def while_one_of_dicts(x, s, n):
    a = {"t": 0.0, "c": 1.0}
    b = {"t": 0.0, "c": 1.0}
    i = 0
    while i < n:
        d = a if x[i] > 0 else b
        d["t"] += x[i] * s
        i += 1
    return a["t"] * 2 + b["t"] * 3


@program(THREE, 0.7, 3, compiled=False)
def best_so_far(x, s, n):
    best = {"v": -10.0}
    cur = {"v": s}
    for i in range(n):
        cur["v"] = cur["v"] * x[i]
        if cur["v"] > best["v"]:
            best = cur
    return best["v"] * 2 + s


@program(THREE, 0.7, 3)
def best_copied(x, s, n):
    best = {"v": -10.0}
    cur = {"v": s}
    for i in range(n):
        cur["v"] = cur["v"] * x[i]
        if cur["v"] > best["v"]:
            best = dict(cur)
    return best["v"] * 2 + s


# ----- copies that are shallow
@program(THREE, 0.7, compiled=False)
def shallow_list(x, s):
    a = [[x[0]], [x[1]]]
    b = list(a)
    b[0].append(s)
    b.append([s])
    return sum(a[0]) + len(a) * s


@program(THREE, 0.7, 3, compiled=False)
def shallow_slice_n(x, s, n):
    a = [[x[i], s] for i in range(n)]
    b = a[:]
    b[0][1] = x[1] * 5
    return sum(a[0]) + sum(b[0]) * 2


@program(THREE, 0.7, 3, compiled=False)
def shallow_dict(x, s, n):
    a = {"h": [x[0]], "b": Box(s)}
    b = dict(a)
    for i in range(n):
        b["h"].append(s * i)
        b["b"].v = b["b"].v * s
    b["h"] = []
    return sum(a["h"]) + a["b"].v


@program(THREE, 0.7, compiled=False)
def shallow_object(x, s):
    a = Box(s)
    b = copy.copy(a)
    b.h.append(x[0])
    b.v = x[1]
    return sum(a.h) + a.v


@program(THREE, 0.7, compiled=False)
def deep_object(x, s):
    a = Box([x[0], s])
    a.h = a.v
    b = copy.deepcopy(a)
    b.h.append(x[0])
    return sum(b.v) + sum(a.v) * 2


@program(THREE, 0.7, compiled=False)
def repeated_inner(x, s):
    g = [[x[0]]] * 3
    g[1].append(s)
    return sum(sum(r) for r in g)


@program(THREE, 0.7, 3, compiled=False)
def comprehension_same_row(x, s, n):
    row = [x[0], x[1]]
    g = [row for i in range(n)]
    row[0] = s
    return sum(sum(r) for r in g)


# ----- changed in place by an operator, or seen while it changes
@program(THREE, 0.7, compiled=False)
def repeated_in_place(x, s):
    a = [x[0], s]
    b = a
    a *= 2
    return sum(b) * s


@program(THREE, 0.7, compiled=False)
def dict_or_in_place(x, s):
    a = {"k": x[0]}
    b = a
    a |= {"k": s * 3}
    return b["k"] * s


@program(THREE, 0.7, compiled=False)
def dict_items_live(x, s):
    d = {"a": x[0], "b": x[1]}
    t = 0.0
    for k, v in d.items():
        d["b"] = s * 5
        t = t * 0.5 + v
    return t


@program(THREE, 0.7, compiled=False)
def dict_values_kept(x, s):
    d = {"a": x[0], "b": x[1]}
    values = d.values()
    d["b"] = s * 5
    return sum(values)


@program(THREE, 0.7, compiled=False)
def namespace_of_object(x, s):
    b = Box(x[0])
    b.__dict__["v"] = s * 2
    b.__dict__.update(h=[s])
    return b.v + b.h[0]


@program(THREE, 0.7, compiled=False)
def vars_of_object(x, s):
    b = Box(x[0])
    space = vars(b)
    b.v = s * 3
    return space["v"] * x[1]


class Total:
    def __init__(self, v):
        self.v = v

    def __iadd__(self, other):
        self.v = self.v + other
        return self

    def __add__(self, other):
        return Total(self.v + other)


@program(THREE, 0.7, 3, compiled=False)
def in_place_operator(x, s, n):
    a = Total(s)
    b = a
    for i in range(n):
        a += x[i]
    return b.v * s


@program(THREE, 0.7, compiled=False)
def zip_of_rows(x, s):
    rows = [[s], [s], [s]]
    t = 0.0
    for row, v in zip(rows, x):
        rows[2].append(v)
        t = t * 0.5 + sum(row)
    return t


# ----- arguments
@program([0.3, 0.4], 0.7, compiled=False)
def argument_or_new(l, s):
    c = l if s > 0 else [s]
    c[0] = s * s
    return sum(l) * 2


@program({"w": THREE, "b": 0.3}, 0.7, compiled=False)
def argument_dict_or_new(p, s):
    q = p if s > 0 else {"w": p["w"], "b": s}
    q["b"] = s * s
    return np.sum(p["w"]) * p["b"]


# ----- only read, or made anew: compiled
@program(THREE, 0.7)
def only_read(x, s):
    a = [x[0], s]
    b = [x[1], x[2]]
    c = a if s > 0 else b
    return sum(c) * sum(a) + c[0]


@program(THREE, 0.7)
def made_on_both_paths(x, s):
    if s > 0:
        c = [x[0]]
    else:
        c = [x[1]]
    c.append(s)
    d = c
    d[0] = d[0] * 2
    return sum(c)


@program(THREE, 0.7)
def written_before(x, s):
    a = {"k": x[0]}
    b = {"k": x[1]}
    a["k"] = s * 2
    c = a if s > 0 else b
    return c["k"] * x[2] + a["k"]


@program(THREE, 0.7)
def holders_dead(x, s):
    c = [x[0]] if s > 0 else [x[1], x[2]]
    c.append(s)
    return sum(c)


@program(THREE, 0.7)
def copied_after(x, s):
    a = [x[0], s]
    b = [x[1], x[2]]
    c = list(a if s > 0 else b)
    c[0] = s * s
    return sum(c) + sum(a) * 2 + sum(b)


@program(THREE, 0.7, 3)
def method_in_loop(x, s, n):
    b = Box(x[0])
    for i in range(n):
        if i % 2 == 0:
            b.put(b.v * s)
        else:
            b.v = b.v + x[i]
    return b.v + sum(b.h)


@program(THREE, 0.7, 3)
def helper_in_loop(x, s, n):
    def push(h, v):
        h.append(v)
        return h

    hist = []
    for i in range(n):
        hist = push(hist, x[i] * s)
    return sum(hist)


@program(THREE, 0.7, 3)
def both_names_in_both(x, s, n):
    if s > 0:
        a = [x[0], s]
        c = a
    else:
        a = [x[1], s]
        c = a
    c[0] = c[0] * s
    return sum(a)


# ----- where the trip count can't be made a constant
@program(THREE, 0.7, compiled=False)
def while_both_names(x, s):
    a = [x[0], x[1]]
    b = [x[2], s]
    t = s
    while t < 2.0:
        a, b = b, b
        t = t * 1.5
    a[0] = s * 5
    return sum(b) + sum(a) * t


@program(THREE, 0.7, compiled=False)
def while_swap_outer_names(x, s):
    a = [x[0], x[1]]
    b = [x[2], s]
    p, q = a, b
    t = s
    while t < 2.0:
        p, q = q, p
        t = t * 1.5
    p[0] = s * 5
    return sum(a) + sum(b) * 2 * t


@program(THREE, 0.7, compiled=False)
def while_written_within(x, s):
    a = [x[0], x[1]]
    p = a
    t = s
    while t < 2.0:
        p[0] = p[0] * t
        p = [p[1], p[0]]
        t = t * 1.5
    return sum(a) + sum(p) * 2 * t


@program(THREE, 0.7, compiled=False)
def while_objects(x, s):
    a, b = Box(x[0]), Box(x[1])
    p, q = a, b
    t = s
    while t < 3.0:
        p, q = q, p
        p.v = p.v * t
        t = t * 1.5
    return a.v * 2 + b.v * 3


@program(THREE, 0.7)
def while_buffers(x, s):
    p = [x[0], x[1]]
    q = [s, s]
    t = s
    while t < 3.0:
        q[0] = p[1] * s
        q[1] = p[0] + x[2]
        p, q = q, p
        t = t * 1.5
    return sum(p) + sum(q) * 2


@program(THREE, 0.7, compiled=False)
def while_pair_of_lists(x, s):
    a, b = [x[0], s], [x[1], s]
    pair = [a, b]
    t = s
    while t < 3.0:
        pair = [pair[1], pair[0]]
        pair[0][0] = pair[0][0] * t
        t = t * 1.5
    return sum(a) + sum(b) * 2


@program(THREE, 0.7, compiled=False)
def while_nested_swap(x, s):
    p, q = {"v": x[0]}, {"v": x[1]}
    t = s
    while t < 3.0:
        r = p
        while r["v"] < t:
            p, q = q, p
            r["v"] = r["v"] + 1.0
            t = t * 1.01
        t = t * 1.5
    return p["v"] + q["v"] * 2 + r["v"] * 3


@program(THREE, 0.7, compiled=False)
def while_two_late_names(x, s):
    t = s
    while t < 3.0:
        u = [x[0] * t, x[1]]
        w = u
        t = t * 1.5
    w[0] = s
    return sum(u) + sum(w) * 2


@program(THREE, 0.7, compiled=False)
def while_late_and_carried(x, s):
    cur = [x[0], x[1]]
    t = s
    while t < 3.0:
        new = [cur[1] * t, cur[0]]
        cur = new
        t = t * 1.5
    new[0] = s * s
    return sum(cur) + sum(new) * 2


@program(THREE, 0.7, compiled=False)
def while_attribute_and_name(x, s):
    box = Box(s)
    t = s
    h = [x[0], s]
    while t < 3.0:
        box.h = h
        h = [h[1] * t, h[0]]
        t = t * 1.5
        box.h[0] = t
    return sum(box.h) + sum(h) * 2


@program(THREE, 0.7, compiled=False)
def while_kept_in_dict(x, s):
    d = {"last": [x[0], s], "best": [x[1], s]}
    t = s
    while t < 3.0:
        d["last"] = [t * x[0], t]
        if x[2] > t:
            d["best"] = d["last"]
        t = t * 1.5
    d["last"][0] = s * 5
    return sum(d["best"]) + sum(d["last"])


@program(THREE, 0.7, compiled=False)
def while_best_in_dict(x, s):
    d = {"last": [x[0], s], "best": [x[1], s]}
    t = s
    while t < 3.0:
        d["last"] = [t * x[0], t]
        if x[2] * 2 > t:
            d["best"] = d["last"]
        t = t * 1.5
        d["last"][1] = t * t
    return sum(d["best"]) + sum(d["last"])


@program(THREE, 0.7, compiled=False)
def while_rows_appended(x, s):
    g = []
    row = [s, x[0]]
    t = s
    while t < 3.0:
        row = [row[1], t]
        g.append(row)
        t = t * 1.5
    row[0] = s * s
    return sum(sum(r) for r in g)


@program(THREE, 0.7, compiled=False)
def while_row_appended_twice(x, s):
    g, h = [], []
    t = s
    while t < 3.0:
        row = [x[0], t]
        g.append(row)
        h.append(row)
        t = t * 1.5
    h[0][0] = s * s
    return sum(sum(r) for r in g)


@program(THREE, 0.7, compiled=False)
def while_in_helper(x, s):
    def settle(h, t):
        while t < 3.0:
            h[0] = h[0] * t
            if t > 1.0:
                h = [h[1], h[0]]
            t = t * 1.5
        return h

    a = [x[0], x[1]]
    b = settle(a, s)
    return sum(a) + sum(b) * 2


@program(THREE, 0.7, compiled=False)
def while_closure(x, s):
    cur = [x[0], s]
    first = cur

    def step(t):
        nonlocal cur
        cur[0] = cur[0] + t
        if t > 1.0:
            cur = [cur[1], cur[0]]

    t = s
    while t < 3.0:
        step(t)
        t = t * 1.5
    return sum(cur) + sum(first) * 2


@program(THREE, 0.7, compiled=False)
def while_array_in_list(x, s):
    a = [x * s]
    p = a
    t = s
    while t < 3.0:
        p[0][1] = t
        if t > 1.0:
            p = [x * t]
        t = t * 1.5
    return np.sum(a[0] ** 2) + np.sum(p[0])


@program(THREE, 0.7, compiled=False)
def while_array_in_object(x, s):
    a, b = Box(x * s), Box(x + s)
    p, q = a, b
    t = s
    while t < 3.0:
        p, q = q, p
        p.v[0] = t
        t = t * 1.5
    return np.sum(a.v**2) + np.sum(b.v**3)


@program(THREE, 0.7, compiled=False)
def while_optional_list(x, s):
    best = None
    cur = [s, x[0]]
    t = s
    while t < 3.0:
        cur.append(t * x[1])
        if t > 1.0:
            best = cur
        t = t * 1.5
    cur.append(s)
    return sum(best) + sum(cur)


@program(THREE, 0.7, compiled=False)
def optional_list(x, s):
    a = [x[0]]
    t = s
    while t < 3.0:
        a.append(t)
        t = t * 1.5
    c = a if s > 0 else None
    a.append(s * s)
    return sum(c) if c is not None else s


@program(THREE, 0.7, compiled=False)
def optional_dict(x, s):
    a = {"k": x[0]}
    c = None
    if s > 0:
        c = a
    a["k"] = s * s
    return c["k"] if c is not None else s


@program(THREE, 0.7, compiled=False)
def while_cursor_over_lists(x, s):
    ring = [[x[0], 1.0], [x[1], 2.0]]
    cur, other = ring
    t = s
    while t < 3.0:
        cur.append(t)
        cur, other = other, cur
        t = t * 1.5
    return sum(ring[0]) + 2 * sum(ring[1])


@program(THREE, 0.7)
def while_only_read(x, s):
    a = [x[0], x[1]]
    b = [x[2], s]
    p, q = a, b
    t = s
    while t < 3.0:
        p, q = q, p
        t = t * 1.5 + p[0] * 0.01
    return sum(p) + sum(a) * t


@program(THREE, 0.7)
def while_appended(x, s):
    h = []
    t = s
    while t < 3.0:
        h.append(t * x[0])
        t = t * 1.5
    return sum(h) + h[0]


@program(THREE, 0.7)
def while_reset(x, s):
    acc = [x[0]]
    t = s
    while t < 3.0:
        if t > 1.0:
            acc = [s]
        acc.append(t * x[0])
        t = t * 1.5
    return sum(acc)


@program(THREE, 0.7)
def while_object_updated(x, s):
    box = Box(s)
    while box.v < 3.0:
        box.put(box.v * 1.5)
    return sum(box.h) + box.v * x[0]


@program(THREE, 0.7)
def dict_items_changed_in_turn(x, s):
    d = {"a": x[0], "b": x[1]}
    for k, v in d.items():
        d[k] = v * s
    return d["a"] + d["b"] * 2


@program({"w": THREE, "b": 0.3}, 0.7)
def descent_on_a_dict(p, s):
    t = s
    while t < 3.0:
        p = {k: v - 0.1 * t * v for k, v in p.items()}
        t = t * 1.5
    return np.sum(p["w"]) * p["b"]


@program(THREE, 0.7, 3, compiled=False)
def iterator_over_list(x, s, n):
    l = [x[0], x[1]]
    it = iter(l)
    l.append(s)
    t = 0.0
    for v in it:
        t = t * 0.5 + v
    return t


@program(THREE, 0.7, compiled=False)
def same_list_in_two_arguments(x, s):
    def both(a, b):
        if s > 0:
            a = b
        a.append(s)
        return sum(b)

    l = [x[0]]
    return both([x[1]], l) + both(l, l) * 2


@program(THREE, 0.7, compiled=False)
def keyword_arguments_of_a_dict(x, s):
    def change(**kw):
        kw["a"] = s * 5
        kw["h"].append(s)
        return kw["a"]

    d = {"a": x[0], "h": [x[1]]}
    return change(**d) + d["a"] + sum(d["h"])


@program(THREE, 0.7, compiled=False)
def starred_rest(x, s):
    a = [[x[0]], [x[1]], [x[2]]]
    first, *rest = a
    rest[0].append(s)
    rest.append([s])
    return sum(a[1]) + len(a) * s


@program(THREE, 0.7, compiled=False)
def slice_assigned(x, s):
    a = [x[0], x[1], x[2]]
    c = a if s > 0 else [s, s, s]
    c[:2] = [s]
    return sum(a) * len(a)


@program(THREE, 0.7, compiled=False)
def deleted_item(x, s):
    a = {"k": x[0], "j": x[1]}
    c = a if s > 0 else {"k": s, "j": s}
    del c["k"]
    return sum(a.values())


@program(THREE, 0.7, compiled=False)
def attribute_by_setattr(x, s, name="v"):
    a, b = Box(x[0]), Box(x[1])
    c = a if s > 0 else b
    setattr(c, name, s * 3)
    return a.v + b.v * 2


@program(THREE, 0.7, compiled=False)
def item_of_an_object(x, s):
    class Table:
        def __init__(self):
            self.d = {"k": x[0]}

        def __setitem__(self, k, v):
            self.d[k] = v

    a, b = Box(Tagged()), Box(Tagged())
    c = a if s > 0 else b
    c.v["k"] = s * 2
    return a.v.d["k"] + b.v.d["k"] * x[0]


class Tagged:
    def __init__(self):
        self.d = {"k": 0.5}

    def __setitem__(self, k, v):
        self.d[k] = v


@program(THREE, 0.7, compiled=False)
def property_of_one(x, s):
    a, b = Watched(x[0]), Watched(x[1])
    c = a if s > 0 else b
    c.v = s * 2
    return a.v + b.v * x[0]


class Watched:
    def __init__(self, v):
        self._v = v

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        self._v = value * 2


@program(THREE, 0.7, compiled=False)
def generator_over_one(x, s):
    a, b = [x[0]], [x[1]]
    c = a if s > 0 else b
    lazy = (v * s for v in c)
    a.append(s)
    return sum(lazy)


@program(THREE, 0.7, compiled=False)
def zip_made_before(x, s):
    a, b = [x[0], x[1]], [s, s]
    c = a if s > 0 else b
    pairs = zip(c, x)
    a[1] = s * s
    return sum(u * v for u, v in pairs)


@program(THREE, 0.7, compiled=False)
def comparison_after_change(x, s):
    a, b = [1, 2], [3, 4]
    c = a if s > 0 else b
    a[0] = 7
    return s * x[0] if c[0] == 7 else s * x[1]


@program(THREE, 0.7, compiled=False)
def length_after_change(x, s):
    a, b = [1], [3]
    c = a if s > 0 else b
    a.append(5)
    return s * len(c)


@program(THREE, 0.7, compiled=False)
def truth_after_change(x, s):
    a, b = [], []
    c = a if s > 0 else b
    a.append(5)
    return s * x[0] if c else s * x[1]


@program(THREE, 0.7, compiled=False)
def returned_after_change(x, s):
    a, b = [x[0]], [x[1]]
    c = a if s > 0 else b
    a.append(s)
    return np.sum(np.array(c))


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
