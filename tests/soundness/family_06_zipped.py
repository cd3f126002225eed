"""`zip` of what is longer or shorter, is known or not, or makes its items when it is asked."""

import numpy as np

from .harness import program

X = np.array([0.3, 1.2, -0.7])
LATER = [(X, 0), (X, 1), (X, 3), (X, 5)]


@program(X, 2, later=[(X, 0), (X, 1), (X, 3)])
def zip_carries(x, n):
    rows = [x * i for i in range(n + 1)]
    box = [x * 3.0]
    a = x * 2.0
    for i1, (b, a) in enumerate(zip(rows, box)):
        pass
    return np.sum(a * x)


@program(X, 2, later=[(X, 0), (X, 1), (X, 3)])
def zip_carries4(x, n):
    rows = [x * i for i in range(n + 1)]
    box = [x * 3.0, x]
    a = x * 2.0
    for b, a in zip(rows, box):
        pass
    return np.sum(a * x)


@program(X, 2, later=LATER)
def zip_range(x, n):
    t = 0.0
    for i, v in zip(range(n), [x[0], x[1], x[2]]):
        t = t + v * (i + 1)
    return t


@program(X, 2, later=LATER)
def zip_range_arrays(x, n):
    t = 0.0
    for i, v in zip(range(1, n + 1), (x, x[1:], x[0])):
        t = t + np.sum(v) * (i + 1)
    return t


@program(X, 2, later=LATER, compiled=False)
def zip_list_unlike(x, n):
    t = 0.0
    l = [x * i for i in range(n)]
    for i, (w, (k, v)) in enumerate(zip(l, [("a", 1.5), ("bcd", 2)])):
        t = t + v * (i + 1) * np.sum(w) * len(k)
    return t


@program(X, 2, later=[(X, 0), (X[:1], 1), (X[:2], 1), (X, 3), (X, 5)])
def zip_array_unlike(x, n):
    t = 0.0
    for w, k in zip(x, ("a", "bcd")):
        t = t + w * w * len(k)
    return t + n


@program(X, 2, later=[(X, 0), (X[:1], 1), (X[:2], 1), (X, 3), (X, 5)])
def zip_strings_range(x, n):
    t = 0.0
    for w, k in zip(range(n), ("a", "bcd")):
        t = t + w * x[0] * len(k)
    return t + n


@program(X, 2, later=[(X, 0), (X[:1], 1), (X[:2], 1), (X, 3), (X, 5)], compiled=False)
def dict_zip(x, n):
    l = [x * i for i in range(n)]
    d = dict(zip(["a", "b"], l))
    return sum(np.sum(v) * len(k) for k, v in d.items()) + x[0]


@program(X, 2, later=[(X, 0), (X[:1], 1), (X[:2], 1), (X, 3), (X, 5)])
def dict_zip_array(x, n):
    d = dict(zip(["a", "b"], x))
    return sum(v * v for v in d.values()) + d.get("b", 2.0) * x[0]


@program(X, 2, later=[(X, 0), (X[:1], 1), (X[:2], 1), (X, 3), (X, 5)])
def zip_sum(x, n):
    return sum(a * b for a, b in zip([2.0, 3.0], x)) + sum(a * i for a, i in zip((2.0, x[0]), range(n)))


@program(X, 2, later=LATER, compiled=False)
def zip_map_effects(x, n):
    log = []

    def f(v):
        log.append(v)
        return v * 2

    t = 0.0
    for a, b in zip(map(f, [x[0], x[1], x[2]]), [x[1], x[2]]):
        t = t + a * b * len(log)
    return t + len(log) * x[0]


@program(X, 2, later=LATER)
def zip_map_effects2(x, n):
    log = []

    def f(v):
        log.append(v)
        return v * 2

    t = 0.0
    for a, b in zip(range(n), map(f, x)):
        t = t + a * b * len(log)
    return t + len(log) * x[0]


@program(X, 2, later=LATER)
def zip_late_list(x, n):
    l = [v for v in x]
    z = zip(l, l[1:])
    l[1] = x[0] * 2
    l.append(x[0])
    return sum(a * b for a, b in z)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def zip_gen_list(x, n):
    k = 1.0
    l = [x * i for i in range(n)]
    t = 0.0
    for a, b in zip((u * k for u in x), l):
        k = k + a
        t = t + np.sum(b) * a
    for a, b in zip(l, (u * k for u in x)):
        k = k - b
        t = t + np.sum(a) * b
    return t * k


@program(X, 2, later=[*LATER, (X[:1], 1)])
def zip_gen_effects_last(x, n):
    log = []

    def f(v):
        log.append(v)
        return v

    t = 0.0
    for a, b in zip((f(u) for u in x), range(n)):
        t = t + a * b
    return t * len(log)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def zip_map_runtime_effects_last(x, n):
    log = []

    def f(v):
        log.append(v)
        return v

    t = 0.0
    for a, b in zip(map(f, x), range(n)):
        t = t + a * b
    for a, b in zip(range(n), map(f, x)):
        t = t + a * b
    return t * len(log)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def two_gens(x, n):
    return sum(a * b for a, b in zip((u * 2 for u in x), (v * v for v in x)))


@program(X, 2, later=[*LATER, (X[:1], 1)])
def dict_of_gens(x, n):
    d = dict(zip(["a", "b"], (v * 2 for v in (x[0], x[-1]))))
    e = {k: v for k, v in zip("ab", map(np.sin, [x[0], x[-1]]))}
    return d["a"] * e["b"] + sum(d.values())


@program(X, 2, later=[*LATER, (X[:1], 1)])
def writes_in_zip(x, n):
    y = x.copy()
    t = 0.0
    for v, w in zip(y, [x[0], x[-1]]):
        y[-1] = v * w
        t = t + v
    for v, w in zip(y[::-1], (x[0], 2.0)):
        y[0] += v * w
        t = t + v
    return t + np.sum(y)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def zip_static_with_range_neg(x, n):
    t = 0.0
    for i, v in zip(range(n, 0, -1), (x[0], x, 3.0)):
        t = t + i * np.sum(v)
    for i, v in zip(range(5, n), [x[0], x[-1]]):
        t = t + i * v
    for i, v in zip(range(0, 10, n + 1), [x[0], x[-1], 1.0]):
        t = t + i * v
    return t


@program(X, 2, later=[*LATER, (X[:1], 1)])
def enumerate_zip_static_rows(x, n):
    m = np.outer(x, x)
    a, b = x * 2, x * 3
    t = 0.0
    for i, (r, w) in enumerate(zip(m, [a, b])):
        w += r
        t = t + np.sum(w * i)
        r[0] = t
    return t + np.sum(a * b) + np.sum(m)


@program(X, 2, later=[*LATER, (X[:1], 1)])
def body_changes_what_zip_reads(x, n):
    k = 1.0
    l = [x[0] * i for i in range(n)]
    t = 0.0
    for a, b in zip((u * k for u in x), l):
        k = k + a
        t = t + b * a
    return t * k


@program(X, 2, later=[*LATER, (X[:1], 1)])
def body_changes_what_zip_reads_behind(x, n):
    k = 1.0
    l = [x[0] * i for i in range(n)]
    t = 0.0
    for a, b in zip(l, (u * k for u in x)):
        k = k - b
        t = t + a * b
    return t * k


@program(X, 2, later=[*LATER, (X[:1], 1)])
def zip_extra_raises(x, n):
    t = 0.0
    for a, b in zip((x[i] for i in range(10)), x[:n]):
        t = t + a * b
    return t


@program(X, 2, later=[*LATER, (X[:1], 1)], compiled=False)
def zip_extra_raises_caught(x, n):
    t = 0.0
    try:
        for a, b in zip((x[i] for i in range(n)), x):
            t = t + a * b
    except IndexError:
        t = t + 5 * x[0]
    return t


@program(X, 2, later=[*LATER, (X[:1], 1)])
def zip_three(x, n):
    log = []

    def f(u):
        log.append(u)
        return u

    t = 0.0
    for a, b, c in zip(range(n), (f(u) for u in x), x[:2]):
        t = t + a * b * c
    for i, (a, b) in enumerate(zip(map(f, x), range(n))):
        t = t + i * a * b
    for a in map(lambda p, q: f(p) * q, (f(v) for v in x), range(n)):
        t = t + a
    l = list(zip(map(f, x), range(n)))
    u, v = zip(*[(f(x[0]), 1.0), (x[-1], 2.0)])
    return t * len(log) + sum(a * b for a, b in l) + u[0] * v[1]


@program(X, 2, later=[*LATER, (X[:1], 1)])
def zip_equal_lengths(x, n):
    t = 0.0
    for a, b in zip((np.sin(u) for u in x), x[::-1]):
        t = t + a * b
    return t + sum(a * b for a, b in zip(map(np.exp, x), x))


@program(X, X[:2], later=[(X, X), (X[:1], X), (X[:0], X)])
def zip_args(x, y):
    return sum(a * b for a, b in zip((u * 2 for u in x), y)) + sum(
        a * b for a, b in zip(map(np.sin, x), map(np.cos, y))
    )


@program(X, 2, later=LATER)
def zip_within_a_loop_whose_list_it_changes(x, n):
    def items():
        for v in x:
            yield v * v

    rows = [x[0] * i for i in range(n)]
    t = x[0]
    for r in rows:
        for a, b in zip(items(), x):
            t = t + a * b * r
            if len(rows) < 5:
                rows.append(a)
    return t


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
