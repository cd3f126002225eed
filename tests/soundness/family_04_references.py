"""Names that hold what a loop made, or what was there before, while other names hold it, too.

All must be right, and compiled where nothing else is said.
"""

import numpy as np

from .harness import program

X = np.array([1.0, -2.0, 3.0])
Y = np.array([0.5, 0.7, -0.2])
M = np.array([[0.5, 0.7, -0.2], [1.5, -0.3, 0.9], [0.1, 0.4, -1.1]])
LATER = [(X, Y, -0.7), (X * 0.5, Y, 0.4)]
TURNS = [(X, 0, 1.5), (X, 1, 1.5), (X, 4, 0.4)]


class Box:
    def __init__(self, a):
        self.a = a


def put(a, s):
    a[0] *= s
    return {"u": a, "v": a * s}


# ----- what a loop makes, or what was there before
@program(X, 2, 1.5, later=TURNS)
def the_same_until_the_first_turn(x, n, s):
    x = x * 1.0
    w = x
    for _ in range(n):
        w = w * s
    w[0] += 1.0
    x[1] *= 3.0
    return np.sum(w * w) + np.sum(x)


@program(X, 2, 1.5, later=TURNS)
def written_in_each_turn(x, n, s):
    x = x * 1.0
    w = x
    for i in range(n):
        w[i % 3] += s
        w = w * s
        w[0] -= 1.0
    return np.sum(w * w) + np.sum(x * x)


@program(X, 2, 1.5, later=TURNS)
def the_argument_itself_or_its_successor(x, n, s):
    new = old = x
    k = 0
    while np.sum(new**2) > 0.5 and k < n:
        old = new
        new = np.tanh(old) * 0.8
        k += 1
    new[1:] *= s
    old[0] += 2.0
    return np.sum(new * new) + np.sum(old) + np.sum(x)


@program(X, 2, 1.5, later=TURNS)
def exchanged_with_what_is_made(x, n, s):
    a, b = x, x.copy()
    for _ in range(n):
        a, b = b, a * s
        b += 0.5
    a[1:] *= 2.0
    return np.sum(a * b) + np.sum(x * x)


@program(X, 2, 1.5, later=TURNS)
def both_begin_with_the_same(x, n, s):
    a = b = x
    for _ in range(n):
        a, b = b, a * np.tanh(x[1])
        a.fill(np.tanh(b[0]) ** 3)
    return np.sum(a * s) + np.sum(b * b) + np.sum(x)


@program(X, Y, 1.5, later=LATER)
def kept_if_better(x, y, s):
    x, y = x * 1.0, y * 1.0
    best = y
    for i in range(3):
        t = x * (i - 0.5)
        if t[i] > best[i]:
            best = t
        y *= 0.5
        best[0] += s
    return np.sum(best * best) + np.sum(y)


@program(X, Y, 1.5, later=LATER, compiled=False)
def kept_while_its_maker_has_a_name(x, y, s):
    x, y = x * 1.0, y * 1.0
    best = t = y
    for i in range(3):
        t = x * (i - 0.5)
        if t[i] > best[i]:
            best = t
    best[0] += s
    t[1] -= s
    return np.sum(best * best) + np.sum(y) + np.sum(t * x)


@program(X, Y, 1.5, later=LATER)
def lent_on_a_path_then_written(x, y, s):
    g = x.copy()
    w = g.copy()
    for k in range(2):
        if np.sum(x) > k:
            w = g
        np.add(g, np.sin(k + s), out=g)
    return np.sum(w * w) + np.sum(g * y)


@program(X, 2, 1.5, later=TURNS)
def lengths_that_shrink(x, n, s):
    x = x * 1.0
    w = x
    for _ in range(n % 3):
        w = w[1:] * s
        w[0] += 1.0
    w *= 2.0
    return np.sum(w * w) + np.sum(x * x) + len(w)


@program(X, 2, 1.5, later=TURNS, compiled=False)
def nested_turns(x, n, s):
    x = x * 1.0
    w = x
    for _ in range(n):
        v = w
        for _ in range(2):
            v = v * s
            w[0] += 0.1
        w = v
    w[1] = s
    return np.sum(w * w) + np.sum(x * x)


@program(X, 2, 1.5, later=TURNS)
def of_an_object(x, n, s):
    box = Box(x)
    for _ in range(n):
        box.a = box.a * s
        box.a[0] += 1.0
    box.a[1] = s
    return np.sum(box.a) + np.sum(x * x)


# ----- what the last pass leaves
@program(X, 2, 1.5, later=[(X, 1, 1.5), (X, 4, 0.4)])
def an_argument_in_the_last_pass(x, n, s):
    for _ in range(n):
        last = x
        acc = np.sum(last) * s
    last[0] = np.tanh(acc)
    return np.sum(x * x) + acc + np.sum(last)


@program(X, 2, 1.5, later=[(X, 1, 1.5), (X, 4, 0.4)])
def a_dict_of_a_function_in_a_loop(x, n, s):
    for _ in range(n):
        w = put(x, s)
    x[0] = 3.0 * s
    w["u"][1] *= 2.0
    return np.sum(x * x) + np.sum(w["u"]) + np.sum(w["v"])


@program(M, 2, 1.5, later=[(M, 1, 0.5), (M, 3, 0.4)])
def the_last_row(m, n, s):
    m = m * 1.0
    for k in range(n):
        e = m[k]
        acc = np.sum(e)
    e *= s
    m[0] += 1.0
    return np.sum(m * m) + np.sum(e) + acc


@program(M, 2, 1.5, later=[(M, 1, 0.5), (M, 3, 0.4)])
def the_loop_variable_is_a_row(m, n, s):
    m = m * 1.0
    for e in m:
        acc = np.sum(e)
    e *= s
    m[2] += 1.0
    return np.sum(m * m) + np.sum(e) + acc


@program(M, 2, 1.5, later=[(M, 1, 0.5), (M, 3, 0.4)])
def views_of_a_view_in_the_last_pass(m, n, s):
    m = m * 1.0
    for k in range(n):
        a = m.T
        b = a[k][1:]
        acc = np.sum(b)
    b *= s
    a[0] += 1.0
    return np.sum(m * m) + np.sum(b) + acc


@program(X, Y, 1.5, later=LATER)
def a_choice_in_the_last_pass(x, y, s):
    x, y = x * 1.0, y * 1.0
    for i in range(3):
        c = x if x[i] > 0 else y
        c[i] += s
    c *= 2.0
    return np.sum(x * y) + np.sum(c * c)


@program(X, 2, 1.5, later=[(X, 1, 1.5), (X, 4, 0.4)])
def fresh_in_the_last_pass_under_two_names(x, n, s):
    for k in range(n):
        a = x * (k + s)
        b = a
        c = a[1:]
    b[1] += 1.0
    c *= 2.0
    return np.sum(a * a) + np.sum(b * x) + np.sum(c)


# ----- what only one path makes
def first_and_last(x, s):
    places = np.argwhere(x > s)
    if places.size == 0:
        low = high = np.zeros(1)
    else:
        low, high = places.min(axis=0) * 1.0, places.max(axis=0) * 1.0
    return low, high


@program(X, Y, 0.5, later=[(X, Y, 5.0), (X, Y, -5.0)])
def one_object_or_two(x, y, s):
    low, high = first_and_last(x, s)
    high += 1.0
    low *= s
    return np.sum(x) * high[0] + np.sum(y * y) * low[0]


@program(X, Y, 1.5, later=LATER)
def made_with_a_view_on_a_path(x, y, s):
    x, y = x * 1.0, y * 1.0
    if s > 0:
        a = x * s
        b = a[1:]
    else:
        a, b = y, x[:2]
    b *= 2.0
    a[2] += s
    return np.sum(a * a) + np.sum(b) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def chosen_twice_on_a_path(x, y, s):
    x, y = x * 1.0, y * 1.0
    w = y
    if x[0] > 0:
        if s > 0:
            t = x * 2.0
            w = t
        else:
            t = y
    else:
        t = x
    w[0] = s
    t[1] += 1.0
    return np.sum(w * w) + np.sum(t * t) + np.sum(x * y)


# ----- what is there on one path only
@program(X, Y, 1, 1.5, later=[(X, Y, 5, 1.5), (X, Y, 2, -0.5)])
def a_row_that_may_not_be_there(x, y, i, s):
    m, y = np.outer(x, x), y * 1.0
    z = y
    if i < 3:
        r = m[i]
    else:
        r = y
    r[0] += s
    return np.sum(m * m) + np.sum(z * z) + np.sum(r)


@program(X, Y, 1.5, 2, later=[(X, -Y, -0.5, 0), (X, Y * 0.1, 1.5, 1), (X, -Y, 1.5, 3)])
def chosen_before_two_loops(x, y, s, n):
    a, b, c, d = x * 1.0, y * 1.0, x, y
    if b[0] < 0.1:
        if n > 1:
            d = a
            c = a
        else:
            a = b[::-1]
        c, a = a, c
    for _ in range(3):
        a = a * 1.5
    c *= a
    for _ in range(3):
        d = a.copy()
        for _ in range(n):
            d[1] = c[1]
            a = np.sin(d)
            c = b * s
    return np.sum(a * a) + 2 * np.sum(b * b) + 3 * np.sum(c * c) + 5 * np.sum(d * d) + np.sum(x * x)


@program(X, Y, 2, later=[(X, Y, 0), (X, Y, 1), (X, Y, 3)])
def its_own_before_and_never_again(x, y, n):
    a, b, c = x * 1.0, y * 1.0, x
    d = a
    for _ in range(3):
        a = np.sin(d)
        b *= 0.9
    d[2] = b[1]
    for i in range(n + 1):
        if i == 2:
            b = a
            b[2] *= a[1]
        else:
            b = c
            a = b
            a, b = b, a
        d = c.copy()
        c[2] = b[1]
    return 2 * np.sum(b * b) + 3 * np.sum(c * c) + 5 * np.sum(d * d) + np.sum(x * x)


@program(np.array([0.3, 1.2]), 2, later=[(np.array([0.4, 0.9]), 3), (np.array([0.4, 0.9]), 0)])
def swapped_and_squared_with_the_first_read_after(x, n):
    m = np.array([3.0, 2.0]) * x[0]
    now = m
    other = m.copy()
    for _ in range(n):
        before = now
        now = other
        other = before
        now *= now
    return np.sum(m * x) + x[1]


@program(np.array([0.3, 1.2]), 2, later=[(np.array([0.4, 0.9]), 3), (np.array([0.4, 0.9]), 0)])
def swapped_arrays_that_nothing_hangs_on(x, n):
    m = np.array([3.0, 1.0])
    now = m
    other = m.copy()
    for _ in range(n):
        now, other = other, now
        now *= now
    return np.sum(m) * x[1]


@program(np.array([0.3, 1.2]), 2, later=[(np.array([0.4, 0.9]), 3), (np.array([0.4, 0.9]), 0)])
def three_in_a_ring_of_which_one_is_read_after(x, n):
    a = x * 2.0
    one, two, three = a, x.copy(), x + 1.0
    for k in range(n):
        one, two, three = two, three, one
        one[k % 2] *= 1.5
        two += a
    return np.sum(a * x) + one[0] - three[1]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
