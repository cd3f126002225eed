"""Items that `map` and generator expressions make when they are asked for, and not before."""

import functools

import numpy as np

from .harness import program

X = np.array([0.3, 1.2, -0.7])
LATER = [(X, 0), (X, 1), (X, 3), (X, 5)]


@program(X, 2, later=LATER)
def map_effects_extend(x, n):
    log = []

    def f(v):
        log.append(v)
        return v * 2

    l = [x[0]]
    l.extend(map(f, [x[0], x[1]]))
    return sum(l) + len(log) * x[2]


@program(X, 2, later=LATER)
def map_effects_star(x, n):
    log = []

    def f(v):
        log.append(v)
        return v * 2

    l = [x[0], *map(f, [x[0], x[1]])]
    return sum(l) + len(log) * x[2]


@program(X, 2, later=LATER)
def map_effects_loop(x, n):
    log = [1.0]

    def f(v):
        log.append(log[-1] * 0.5 + v)
        return v * log[-1]

    t = 0.0
    for v in map(f, [x[0], x[1], x[2]]):
        t = t + v
        log[-1] = t
    return t


@program(X, 2, later=LATER)
def map_effects_loop_runtime(x, n):
    log = [1.0]

    def f(v):
        log.append(log[-1] * 0.5 + v)
        return v * log[-1]

    t = 0.0
    for v in map(f, x):
        t = t + v
        log[-1] = t
    return t


@program(X, 2, later=LATER)
def gen_effects_static(x, n):
    log = [1.0]

    def f(v):
        log.append(log[-1] * 0.5 + v)
        return v * log[-1]

    t = 0.0
    for v in (f(u) for u in [x[0], x[1], x[2]]):
        t = t + v
        log[-1] = t
    return t


@program(X, 2, later=LATER)
def gen_effects_runtime(x, n):
    log = [1.0]

    def f(v):
        log.append(log[-1] * 0.5 + v)
        return v * log[-1]

    t = 0.0
    for v in (f(u) for u in x):
        t = t + v
        log[-1] = t
        if t > 1.0:
            break
    return t + len(log)


@program(X, 2, later=LATER)
def map_break(x, n):
    log = []

    def f(v):
        log.append(v)
        return v * 2

    t = 0.0
    for i, v in enumerate(map(f, [x[0], x[1], x[2]])):
        t = t + v
        if i == n:
            break
    return t + len(log) * x[0]


@program(X, 2, later=LATER)
def sorted_map_key_effects(x, n):
    log = []

    def f(v):
        log.append(v)
        return -v

    l = sorted([x[0], x[1], x[2]], key=f)
    m = max([x[0], x[1]], key=f)
    return l[0] * 2 + l[1] + m * len(log)


@program(X, 2, later=LATER)
def map_over_changing(x, n):
    l = [x[0], x[1]]
    it = map(lambda v: v * 2, l)
    l[0] = x[2]
    l.append(x[0])
    return sum(it)


@program(X, 2, later=LATER, compiled=False)
def gen_late_binding(x, n):
    k = 1.0
    g = (v * k for v in x)
    k = x[0]
    s1 = sum(g)
    return s1 + sum(g)


@program(X, 2, later=LATER)
def gen_late_array(x, n):
    y = x.copy()
    g = (v * v for v in y)
    y[0] = 5.0 * x[1]
    return sum(g)


@program(X, 2, later=LATER)
def enumerate_late(x, n):
    l = [x[0] * i for i in range(n)]
    z = enumerate(l)
    l.append(x[1])
    t = 0.0
    for i, v in z:
        t = t + i * v
        if i < 4:
            l.append(v + x[2])
    return t + len(l)


@program(X, 2, later=LATER, compiled=False)
def reversed_changes(x, n):
    l = [x[0] * i for i in range(n)]
    z = reversed(l)
    l.append(x[1])
    t = x[0]
    for v in z:
        t = t * 0.5 + v
        if len(l) > 2:
            l.pop()
    return t


@program(X, 2, later=LATER)
def any_map(x, n):
    log = []

    def f(v):
        log.append(v)
        return v > 1.0

    a = any(map(f, [x[0], x[1], x[2]]))
    b = all(f(v) for v in (x[0], x[1]))
    return len(log) * x[0] + a * x[1] + b


@program(X, 2, later=LATER)
def next_map(x, n):
    log = []

    def f(v):
        log.append(v)
        return v * 3

    a = next(map(f, [x[0], x[1], x[2]]))
    b = next((f(v) for v in x[::-1]), 0.0)
    return len(log) * x[0] + a * x[1] + b


@program(X, 2, later=LATER)
def tuple_map(x, n):
    log = []

    def f(v):
        log.append(v)
        return v * 3

    a, b, c = map(f, x)
    d = tuple(map(f, [a, b]))
    e = list(map(f, (x[0], x[1])))
    g = dict(enumerate(map(f, (x[0], x[1]))))
    h = np.array(list(map(f, d)))
    return len(log) * x[0] + a * c + sum(d) + e[0] * g[1] + np.sum(h)


@program(X, 2, later=LATER)
def max_map(x, n):
    log = []

    def f(v):
        log.append(v)
        return v * 3

    a = max(map(f, [x[0], x[1]]))
    b = sum(map(f, [x[0], x[1]]))
    c = min(f(v) for v in [x[0], x[1]])
    d = sorted(map(f, [x[0], x[1]]))
    e = functools.reduce(lambda u, v: u * v, map(f, [x[0], x[1]]))
    u, *w = map(f, [x[0], x[1], x[2]])
    return len(log) * x[0] + a * b + c * d[0] + e + u * w[-1]


@program(X, 2, later=LATER)
def nested_call_star(x, n):
    log = []

    def f(v):
        log.append(v)
        return v * 3

    def g(*a):
        return a[0] * a[-1]

    t = g(*map(f, [x[0], x[1]]))
    l = [x[0]]
    l += map(f, [x[1], x[2]])
    l[1:1] = map(f, [x[0]])
    return t + sum(l) + len(log) * x[0]


@program(X, 2, later=[*LATER, (X[:1], 1)])
def any_sub(x, n):
    return x[0] * any(x[i] > 0.5 for i in range(n)) + x[-1] * all(
        1.0 / x[i] > 0 for i in range(min(n, len(x)))
    )


@program(X, 2, later=[*LATER, (X[:1], 1)])
def any_calls(x, n):
    log = []

    def f(v):
        log.append(v)
        return v > 0.5

    a = any(f(v) for v in x)
    b = all(f(v) for v in (x[0], x[-1]))
    c = any(f(v) for v in x if v < 0)
    d = all(f(u) for v in (x[0], x[-1]) for u in (v, v * 2))
    return len(log) * x[0] + a * x[-1] + b + sum(log) + c * 2 + d


@program(X, 2, later=[*LATER, (X[:1], 1)])
def any_maps(x, n):
    log = []

    def f(v):
        log.append(v)
        return v > 0.5

    a = any(map(f, x))
    b = all(map(f, (x[0], x[-1])))
    return len(log) * x[0] + a * x[-1] + b + sum(log)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def body_changes_what_items_read(x, n):
    k = 1.0
    t = 0.0
    for v in (u * k for u in x):
        k = k + v
        t = t + v * v
    return t * k


@program(X, 2, later=[*LATER, (X[:1], 1)])
def body_changes_what_items_read_static(x, n):
    k = 1.0
    t = 0.0
    for v in (u * k for u in (x[0], x[-1], 2.0)):
        k = k + v
        t = t + v * v
        if t > 3.0:
            break
    else:
        t = t + 1.0
    return t * k


@program(X, 2, later=[*LATER, (X[:1], 1)])
def comp_over_gen_nested(x, n):
    k = [1.0]
    out = [v * w for v in (u * k[0] for u in x) for w in (v * j for j in range(n)) if w < 1.0]
    for i, v in enumerate(u * k[0] for u in x if u > 0):
        k[0] = k[0] + v * i
        if i == n:
            continue
        out.append(v)
    return sum(out) + k[0]


@program(X, 2, later=[*LATER, (X[:1], 1)])
def star_of_gen(x, n):
    log = [0.0]

    def f(v):
        log[0] = log[0] + 1
        return v * log[0]

    def g():
        return log[0]

    l = [g(), *(f(v) for v in x), g(), *map(f, (x[0], x[-1])), g()]
    return sum(v * (i + 1) for i, v in enumerate(l))


@program(X, 2, later=[*LATER, (X[:1], 1)])
def gen_arg_to_helper(x, n):
    def use(it):
        t = 0.0
        for v in it:
            t = t * 0.5 + v
            if t > 1.0:
                return t
        return t + 10.0

    return (
        use(v * n for v in x)
        + use(map(np.exp, x))
        + use(v for v in (x[0], x[-1]) if v > 0)
        + use(reversed([v for v in x]))
    )


@program(X, 2, later=[*LATER, (X[:1], 1)])
def sum_of_walrus(x, n):
    k = 0.0
    t = sum((k := k + v) for v in x)
    u = [k * v for v in (x[0], x[-1]) if (k := k + v) > 0]
    return t * k + sum(u)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def gen_in_while(x, n):
    t, k = 1.0, 0
    while k < n:
        for v in (u * t for u in x):
            if v > 1.5:
                break
            t = t + 0.1 * v
        k += 1
    return t


@program(X, 2, later=[*LATER, (X[:1], 1)])
def gen_of_views_written(x, n):
    y = x.copy()
    rows = [y[:1], y[-1:]]
    for r in (q[::-1] for q in rows):
        r *= 2.0
        y[0] += 1.0
    for r in (y[i:] for i in range(n)):
        r += 0.5
    return np.sum(y * y)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def lists_change_under_gen(x, n):
    l = [v for v in x]
    t = 0.0
    for v in (u * 2 for u in l):
        t = t + v
        if len(l) < 6:
            l.append(v + x[0])
    return t * len(l)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def lists_change_under_gen_static(x, n):
    l = [x[0], x[-1]]
    t = 0.0
    for v in (u * 2 for u in l):
        t = t + v
        if len(l) < 6:
            l.append(v + x[0])
    for v in map(lambda u: u * 3, l):
        t = t + v
        if len(l) > 4:
            l.pop()
    return t * len(l)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def reduce_eff(x, n):
    log = []

    def f(v):
        log.append(v)
        return v

    def g(a, b):
        return a * b + len(log)

    return functools.reduce(g, map(f, (x[0], x[-1], 2.0))) + functools.reduce(g, (f(v) for v in x), 1.0)


@program(X, 2, later=[*LATER, (X[:1], 1)], compiled=False)
def except_in_gen_loop(x, n):
    t = 0.0
    try:
        for v in (x[i] for i in range(n)):
            t = t + v
    except IndexError:
        t = t * 2
    return t


@program(X, 2, later=[*LATER, (X[:1], 1)])
def body_changes_what_enumerate_reads(x, n):
    k = 1.0
    t = 0.0
    for a, b in enumerate(u * k for u in x):
        k = k - b
        t = t + a * b
    return t * k


@program(X, 2, later=[*LATER, (X[:1], 1)])
def body_changes_what_map_reads(x, n):
    k = 1.0
    t = 0.0

    def f(u):
        return u * k

    for a, b in enumerate(map(f, x)):
        k = k - b
        t = t + a * b
    return t * k


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
