"""Elements and windows that are there on one path only, under names that a loop carries."""

import numpy as np

from .harness import program

X = np.array([0.7, -0.3, 1.1])
LATER = [(X, 0), (X, 1), (X, 3), (X, 5)]


@program(X, 2, later=LATER)
def of_a_dict_and_a_list(x, n):
    a = x * 2.0
    b = x.copy()
    c = x + 0.5
    s = np.sum(x)
    box = [x * 3.0]
    tab = {}
    for i in range(n):
        tab[i % 2] = x * (i + 1)
    if s > 0.5:
        for i1 in reversed(range(n)):
            for i2 in range(2):
                d = a * 1.5
                tab[2 % 2] = b
            tab[0 % 2][0] *= 0.5
        a = box[-1]
    for i4 in range(n):
        d = c = a
    return np.sum(c * 0.5) + np.sum(b) + sum(np.sum(v * v) for v in box)


@program(X, 2, later=LATER)
def of_a_dict_before_a_loop(x, n):
    a = x * 2.0
    b = x.copy()
    c = x + 0.5
    d = np.sin(x)
    s = np.sum(x)
    tab = {}
    for i in range(n):
        tab[i % 2] = x * (i + 1)
    if s > 0.5:
        for i1 in range(n):
            for i2 in range(2):
                d = a * 1.5
                tab[0] = b
            tab[0][0] *= 0.5
        a = x * 3.0
    for i4 in range(n):
        d = c = a
    return np.sum(d * 0.8)


@program(X, 2, later=LATER)
def of_a_dict_where_there_is_none(x, n):
    a = x * 2.0
    b = x.copy()
    c = x + 0.5
    d = np.sin(x)
    t = 0.0
    s = np.sum(x)
    box = [x * 3.0]
    tab = {}
    m = np.outer(x, x) + 1.0
    for i in range(n):
        tab[i % 2] = x * (i + 1)
    if s > 0.5:
        for i1 in reversed(range(n)):
            for i2 in range(2):
                d = a * 1.5
                tab[2 % 2] = b
            tab[0 % 2][0] *= 0.5
        a = box[-1]
    for i4 in range(n):
        d = c = a
    return np.sum(d * 0.8) * (1 + 0.1 * s)


@program(X, 2, later=LATER)
def windows_before_a_loop(x, n):
    # windows that exist on one path only, before a loop that carries the name
    y = x * 2.0
    w = y
    if n > 1:
        w = y[n - 1 :]
        w = y[n:][:1] if n < 3 else w
    v = w
    for i in range(n):
        w = v
        v = x * i
        w[:1] += 1.0
    v[:1] *= 2.0
    return np.sum(y) + np.sum(w) + np.sum(v)


@program(X, 2, later=LATER)
def rows_before_a_loop_that_swaps(x, n):
    m = np.outer(x, x)
    r = m[0]
    if n < 3:
        r = m[n]
    q = x * 1.0
    for i in range(n):
        r, q = q, r
        r[0] += 1.0
    q[1] = 5.0 * x[0]
    return np.sum(m * m) + np.sum(q * r)


@program(X, 2, later=LATER)
def elements_before_a_loop(x, n):
    l = [x * i for i in range(n)]
    r = x * 3.0
    if n > 0:
        r = l[n - 1]
    for i in range(n):
        q = r
        r = l[i]
        r += 1.0
        q[0] = 2.0 * x[1]
    r[-1] *= 2.0
    return np.sum(r) + sum(np.sum(v * v) for v in l)


@program(X, 2, later=LATER)
def elements_and_others(x, n):
    l = [x * i for i in range(n)]
    r = x * 3.0
    k = r
    if n > 0:
        r = l[0]
        if n > 1:
            r = l[1]
    for i in range(n):
        if i == 1:
            r = k
        elif i == 2:
            r = x * 2.0
        r += 1.0
    return np.sum(r) + sum(np.sum(v * v) for v in l) + np.sum(k)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
