"""Which container is it, where the trip count is known at run time only; and which iterators are used up?

All must be right; traced is enough, but where nothing is changed that has two holders.
"""

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])


class Box:
    def __init__(self, v):
        self.v = v
        self.h = []

    def put(self, v):
        self.v = v
        self.h.append(v)


@program(THREE, 0.7, compiled=False)
def same_object_other_type(x, s):
    def keep(d):
        return d

    d = [0, 0]
    t = s
    while t < 3.0:
        d[0] = x[0] * t
        d = keep(d)
        t = t * 1.5
    return d[0] * 2 + d[1]


@program(THREE, 0.7, compiled=False)
def same_object_grows(x, s):
    def push(h, v):
        h["n"] = h["n"] + 1
        h["v"] = v
        return h

    d = {"n": 0, "v": 1}
    t = s
    while t < 3.0:
        d = push(d, t * x[0])
        t = t * 1.5
    return d["v"] * d["n"]


class Tree:
    def __init__(self, v, left=None, right=None):
        self.v = v
        self.left = left
        self.right = right


@program(THREE, 0.7, compiled=False)
def descent_in_a_tree(x, s):
    root = Tree(s, Tree(x[0]), Tree(x[1]))
    for v in x:
        node = root
        while node.left is not None:
            node = node.left if v < node.v else node.right
        node.v = node.v + v
    return root.left.v * 2 + root.right.v * 3


@program(THREE, 0.7, compiled=False)
def child_by_sign(x, s):
    root = Tree(s, Tree(x[0]), Tree(x[1]))
    t = s
    while t < 3.0:
        child = root.left if x[2] > t else root.right
        child.v = child.v * t
        t = t * 1.5
    return root.left.v * 2 + root.right.v * 3


@program(THREE, 0.7, compiled=False)
def key_by_sign(x, s):
    d = {"a": [x[0]], "b": [x[1]]}
    k = "a" if s > 0 else "b"
    d[k].append(s)
    return sum(d["a"]) + sum(d["b"]) * 2


@program(THREE, 0.7, compiled=False)
def one_list_in_two_attributes(x, s):
    b = Box(s)
    b.h = b.g = [x[0]]
    t = s
    while t < 3.0:
        b.h.append(t)
        if t > 1.0:
            b.h = [t]
        t = t * 1.5
    return sum(b.g) + sum(b.h) * 2


@program(THREE, 0.7, compiled=False)
def left_by_break(x, s):
    a, b = [x[0]], [x[1]]
    cur = a
    t = s
    while t < 5.0:
        if t > 2.0:
            cur = b
            break
        t = t * 1.5
    cur.append(s * t)
    return sum(a) + sum(b) * 2


@program(THREE, 0.7, compiled=False)
def returned_from_a_loop(x, s):
    def first(a, b):
        t = s
        while t < 5.0:
            if t * x[2] > 2.0:
                return a
            t = t * 1.5
        return b

    a, b = [x[0]], [x[1]]
    first(a, b).append(s)
    return sum(a) + sum(b) * 2


@program(THREE, 0.7, compiled=False)
def condition_reads_the_other(x, s):
    a = [s]
    b = a if s > 0 else [x[0]]
    while b[0] < 3.0:
        a[0] = a[0] * 1.5
        if s < 0:
            b[0] = 5.0
    return a[0] * x[1]


@program(THREE, 0.7, compiled=False)
def condition_reads_a_cursor(x, s):
    p, q = [s], [x[2]]
    first = p
    while p[0] < 3.0:
        p[0] = p[0] * 1.5 + 0.1
        p, q = q, p
    return first[0] * x[1] + p[0]


@program(THREE, 0.7, compiled=False)
def reversed_in_place(x, s):
    a, b = [x[0], s], [x[1], s]
    c = a if s > 0 else b
    c.reverse()
    return a[0] * 2 + b[0]


@program(THREE, 0.7, compiled=False)
def cleared_and_filled(x, s):
    a, b = [x[0], s], [x[1], s]
    c = a if s > 0 else b
    c.clear()
    c.append(x[2])
    return sum(a) * 2 + sum(b)


@program(THREE, 0.7, compiled=False)
def popped_from_one(x, s):
    a, b = [x[0], s], [x[1], s]
    c = a if s > 0 else b
    v = c.pop()
    return v * sum(a) * 2 + sum(b)


@program(THREE, 0.7, compiled=False)
def inserted_into_one(x, s):
    a, b = [x[0], s], [x[1], s]
    c = a if s > 0 else b
    c.insert(0, s * s)
    return a[0] * 2 + b[0]


@program(THREE, 0.7, compiled=False)
def updated_default(x, s):
    a, b = {"k": x[0]}, {"k": x[1]}
    c = a if s > 0 else b
    c.setdefault("j", []).append(s)
    c.update(k=s * 2)
    return a["k"] + b["k"] * 2 + (a["j"][0] if "j" in a else 0.0)


@program(THREE, 0.7, compiled=False)
def popped_key(x, s):
    a, b = {"k": x[0], "j": s}, {"k": x[1], "j": s}
    c = a if s > 0 else b
    v = c.pop("k")
    return v + len(a) * s + len(b) * x[2]


@program(THREE, 0.7, compiled=False)
def generator_read_twice(x, s):
    g = (v * s for v in x)
    return sum(g) + 2 * sum(g)


@program(THREE, 0.7, compiled=False)
def zip_read_twice(x, s):
    z = zip([x[0], s], [x[1], x[2]])
    t = 0.0
    for a, b in z:
        t += a * b
    for a, b in z:
        t += a + b
    return t


@program(THREE, 0.7, compiled=False)
def map_read_in_a_loop(x, s):
    m = map(lambda v: v * s, [x[0], x[1]])
    t = s
    total = 0.0
    while t < 3.0:
        total = total * 0.5 + sum(m)
        t = t * 1.5
    return total


@program(THREE, 0.7, compiled=False)
def iterator_read_twice(x, s):
    it = iter([x[0], x[1], s])
    t = next(it) * 2
    for v in it:
        t = t * 0.5 + v
    return t + sum(it)


@program(THREE, 0.7, compiled=False)
def iterator_in_pairs(x, s):
    it = iter([x[0], x[1], s, x[2]])
    t = 0.0
    for a, b in zip(it, it):
        t = t * 0.5 + a * b
    return t


@program(THREE, 0.7, compiled=False)
def enumerate_by_two_names(x, s):
    e = enumerate([x[0], x[1], s])
    f = e
    t = 0.0
    for i, v in e:
        t += i * v
    return t + sum(v for _, v in f) * 5


@program(THREE, 0.7)
def generator_in_a_helper(x, s):
    def total(values):
        return sum(values)

    g = (v * s for v in x)
    return total(g) + total(v * v for v in x)


@program(THREE, 0.7, compiled=False)
def array_in_one_of_two_objects(x, s):
    a, b = Box(x * s), Box(x + s)
    c = a if s > 0 else b
    c.v[0] = s
    u = a.v
    u[1] = 2.0 * s
    return np.sum(a.v**2) + np.sum(b.v)


@program(THREE, 0.7, compiled=False)
def array_of_one_of_two_read(x, s):
    a, b = {"u": x * s}, {"u": x + s}
    c = a if s > 0 else b
    u = a["u"]
    u[1] = 2.0 * s
    return np.sum(c["u"] ** 2)


@program(THREE, 0.7, compiled=False)
def array_added_in_place_to_one(x, s):
    a, b = {"u": x * s}, {"u": x + s}
    c = a if s > 0 else b
    c["u"] += s
    return np.sum(a["u"] ** 2) + np.sum(b["u"])


@program(THREE, 0.7, compiled=False)
def array_of_a_cursor(x, s):
    a, b = [x * s, 1.0], [x + s, 2.0]
    p, q = a, b
    t = s
    while t < 3.0:
        p, q = q, p
        p[0] *= t
        t = t * 1.5
    return np.sum(a[0] ** 2) + np.sum(b[0])


@program(THREE, 0.7, compiled=False)
def array_of_a_cursor_read(x, s):
    a, b = [x * s, 1.0], [x + s, 2.0]
    p, q = a, b
    u = a[0]
    t = s
    while t < 3.0:
        p, q = q, p
        u[1] = t
        t = t * 1.5
    return np.sum(p[0] ** 2) + np.sum(q[0])


@program(THREE, 0.7, compiled=False)
def array_last_in_history(x, s):
    hist = [x * s]
    old = hist
    t = s
    while t < 3.0:
        hist = hist + [hist[-1] * t]
        t = t * 1.5
    old[0][1] = s
    return np.sum(hist[0] ** 2) + np.sum(hist[-1])


@program(THREE, 0.7, compiled=False)
def rows_of_repeated_lists(x, s):
    n = 0
    t = s
    while t < 3.0:
        n += 1
        t = t * 1.5
    g = [[x[0], s]] * n
    g[0][1] = x[2]
    return sum(sum(r) for r in g)


@program(THREE, 0.7, compiled=False)
def tuple_with_a_list(x, s):
    pair = ([x[0]], s)
    kept = pair
    t = s
    while t < 3.0:
        pair[0].append(t)
        pair = (pair[0], t)
        t = t * 1.5
    return sum(kept[0]) + sum(pair[0]) * pair[1]


@program(THREE, 0.7, compiled=False)
def tuples_swapped(x, s):
    u, w = ([x[0]], 1.0), ([x[1]], 2.0)
    p, q = u, w
    t = s
    while t < 3.0:
        p, q = q, p
        p[0][0] = p[0][0] * t
        t = t * 1.5
    return u[0][0] * u[1] + w[0][0] * w[1]


@program(THREE, 0.7, compiled=False)
def callback_of_one(x, s):
    a, b = Box(s), Box(x[0])
    put = a.put if s > 0 else b.put
    t = s
    while t < 3.0:
        put(t * x[1])
        t = t * 1.5
    return a.v * 2 + b.v * 3 + sum(a.h)


@program(THREE, 0.7, compiled=False)
def closures_swapped(x, s):
    a, b = [x[0]], [x[1]]

    def adder(h):
        return lambda v: h.append(v)

    f, g = adder(a), adder(b)
    t = s
    while t < 3.0:
        f, g = g, f
        f(t)
        t = t * 1.5
    return sum(a) + sum(b) * 2


@program(THREE, 0.7, compiled=False)
def star_arguments_changed(x, s):
    def change(*lists):
        lists[0].append(s)
        return sum(lists[1])

    a, b = [x[0]], [x[1]]
    c = a if s > 0 else b
    return change(c, a) + sum(b)


@program(THREE, 0.7, compiled=False)
def nonlocal_one_of_two(x, s):
    cur = [x[0]]
    spare = [x[1]]
    first = cur

    def swap():
        nonlocal cur, spare
        cur, spare = spare, cur

    t = s
    while t < 3.0:
        swap()
        cur.append(t)
        t = t * 1.5
    return sum(first) + sum(cur) * 2


@program(THREE, 0.7, compiled=False)
def sum_of_lists_in_place(x, s):
    a, b = [x[0]], [x[1]]
    c = a if s > 0 else b
    c += a
    return sum(a) * 2 + sum(b)


@program(THREE, 0.7, compiled=False)
def extended_by_itself(x, s):
    a = [x[0], s]
    b = a
    for v in list(b):
        a.append(v * 2)
    a.extend(b)
    return sum(b)


@program(THREE, 0.7, compiled=False)
def run_over_one(x, s):
    a, b = [x[0], s], [x[1], s]
    c = a if s > 0 else b
    t = 0.0
    for v in c:
        t = t * 0.5 + v
        if len(a) < 5:
            a.append(v * 2)
    return t


@program(THREE, 0.7, compiled=False)
def comprehension_changes(x, s):
    a, b = [x[0], s], [x[1], s]
    c = a if s > 0 else b
    d = [a.append(v) or v * 2 for v in b]
    return sum(c) + sum(d)


@program(THREE, 0.7, compiled=False)
def dict_of_views(x, s):
    d = {"a": x[0], "b": x[1]}
    t = 0.0
    for i, (k, v) in enumerate(d.items()):
        d["b"] = s * 5
        t = t * 0.5 + v * (i + 1)
    return t


@program(THREE, 0.7)
def dict_items_enumerated(x, s):
    d = {"a": x[0], "b": x[1]}
    t = 0.0
    for i, (k, v) in enumerate(d.items()):
        t = t * 0.5 + v * (i + 1) * s
    return t + len(d.keys())


@program(THREE, 0.7)
def list_rebuilt_in_a_while(x, s):
    p = [x[0], x[1], s]
    t = s
    while t < 3.0:
        p = [v * 0.9 + t * 0.1 for v in p]
        t = t * 1.5
    p[0] = p[0] * 2
    return sum(p)


@program(THREE, 0.7)
def state_object_rebuilt(x, s):
    state = Box(x[0])
    t = s
    while t < 3.0:
        new = Box(state.v * t)
        new.h = [state.v]
        state = new
        t = t * 1.5
    return state.v + state.h[0]


@program(THREE, 0.7)
def best_of_two_objects(x, s):
    best = Box(x[0])
    t = s
    while t < 3.0:
        trial = Box(t * x[1])
        if trial.v > best.v:
            best = trial
        t = t * 1.5
    return best.v * s


@program({"w": THREE, "b": [0.3, 0.2]}, 0.7)
def nested_descent(p, s):
    t = s
    while t < 3.0:
        g = {"w": p["w"] * 0.1, "b": [v * 0.1 for v in p["b"]]}
        p = {"w": p["w"] - g["w"], "b": [v - u for v, u in zip(p["b"], g["b"])]}
        t = t * 1.5
    return np.sum(p["w"]) * p["b"][0] + p["b"][1]


# ----- places that are filled later
@program(THREE, 3, compiled=False)
def pairs_into_nones(x, n):
    c = [None] * n
    for i in range(n):
        c[i] = (x[i], x[0])
    return np.sum(np.array(c) ** 2)


@program(THREE, 3, compiled=False)
def lists_into_nones(x, n):
    c = [None] * n
    for i in range(n):
        c[i] = [x[i] * 2, x[0]]
    return np.sum(np.array(c) ** 2)


@program(THREE, 3, compiled=False)
def pairs_read_one_by_one(x, n):
    c = [None] * n
    for i in range(n):
        c[i] = (x[i], x[0])
    t = 0.0
    for pair in c:
        t += pair[0] * pair[1]
    return t


@program(THREE, 3, compiled=False)
def best_pair(x, n):
    best = None
    for i in range(n):
        if best is None or x[i] > best[0]:
            best = (x[i], x[i] * i)
    return best[0] * best[1]


@program(THREE, 0.7, compiled=False)
def best_pair_in_a_while(x, s):
    best = None
    t = s
    while t < 3.0:
        if t * x[2] > 1.0:
            best = (t, t * x[0])
        t = t * 1.5
    return best[0] * best[1] if best is not None else s


@program(THREE, 0.7, compiled=False)
def optional_pair(x, s):
    pair = (s, x[0] * s) if s > 0 else None
    t = s
    if pair is not None:
        a, b = pair
        t = a * b
    return t * x[1]


@program(THREE, 0.7, compiled=False)
def optional_run_time_list(x, s):
    l = [s]
    t = s
    while t < 3.0:
        l.append(t)
        t = t * 1.5
    found = l if s > 0 else None
    return np.sum(np.array(found)) * x[0] if found is not None else s


@program(THREE, 0.7, compiled=False)
def method_of_the_class(x, s):
    a = [x[0]]
    b = [x[1]]
    c = a if s > 0 else b
    list.append(c, s)
    d = {"k": x[0]}
    dict.update(d, k=s)
    return sum(a) * 2 + sum(b) + d["k"]


@program(THREE, 0.7, compiled=False)
def iterator_of_an_object(x, s):
    b = Box(s)
    b.v = zip([x[0], s], [x[1], s])
    return sum(u * v for u, v in b.v) + sum(u + v for u, v in b.v)


@program(np.array([0.3, 0.4, 0.5]), compiled=False)
def iterator_in_a_list(x):
    held = [zip(x, x * 2.0)]
    first = sum([p * q for p, q in held[0]])
    return first + 10.0 * sum([p * q for p, q in held[0]])


@program(np.array([0.3, 0.4, 0.5]), compiled=False)
def generator_in_a_tuple(x):
    held = (v * v for v in x), 1
    return sum(held[0]) + 10 * sum(held[0])


@program([0.4, -0.9, 1.3], 0.6)
def rest_of_an_iterator_run_over(x, s):
    it = iter(x)
    a = next(it) * s
    for t in it:
        a = a + t * s
    return a


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
