"""Names that hold one of several arrays by the pass of a loop, while other names hold them, too.

All must be right, and compiled where nothing else is said.
"""

import functools

import numpy as np

from .harness import program

X = np.array([1.0, -2.0, 3.0])
Y = np.array([0.5, 0.7, -0.2])
LATER = [(X, Y, -0.7), (X * 0.5, Y, 0.4)]


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


def exchanged(u, v):
    return v, u


@program(X, Y, 1.5, later=LATER)
def both_are_the_same_then(x, y, s):
    a, b = x * 1.0, y * 1.0
    for _ in range(2):
        b, a = a, a
    a[1:] *= s
    return np.sum(b * b) + np.sum(a)


@program(X, Y, 1.5, later=LATER)
def swapped_while_a_third_holds_one(x, y, s):
    x, y = x * 1.0, y * 1.0
    w = x
    for i in range(3):
        x, y = y, x
        x += s
    return np.sum(w * w) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def two_names_of_an_outer_array(x, y, s):
    x, y = x * 1.0, y * 1.0
    w = v = y
    k = 0
    while k < 2:
        w, v = (x, x)
        k += 1
    w += s
    return np.sum(v * w) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def best_so_far_is_the_array_itself(x, y, s):
    x, y = x * 1.0, y * 1.0
    best = y
    for i in range(3):
        x *= 0.9
        if x[i] > 0:
            best = x
        best[i] += s
    return np.sum(best * best) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def three_names_of_two(x, y, s):
    x, y = x * 1.0, y * 1.0
    a, b, c = x, y, x
    for i in range(4):
        a, b = b, a
        c[i % 3] += s
        a[0] *= 2.0
    return np.sum(a * b) + np.sum(c)


@program(X, Y, 1.5, later=LATER)
def chosen_in_nested_loops(x, y, s):
    x, y = x * 1.0, y * 1.0
    p = x
    for i in range(2):
        for j in range(2):
            p = x if (i + j) % 2 == 0 else y
            p += s
        y[0] = p[1]
    return np.sum(p * p) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def next_of_a_list(x, y, s):
    x, y = x * 1.0, y * 1.0
    l = [x, y]
    cur = l[0]
    for i in range(3):
        cur -= s
        if np.sum(cur) < 0:
            cur = l[1]
    return np.sum(l[0] * l[1]) + np.sum(cur)


@program(X, Y, 1.5, later=LATER)
def kept_or_changed_in_a_turn(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x
    for i in range(3):
        a = a if x[i] > 0 else y
        a[0] += s
        x[1] += 0.7
    return np.sum(a) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER, compiled=False)
def three_arrays(x, y, s):
    x, y, z = x * 1.0, y * 1.0, x * y
    a = x
    b = z
    for i in range(4):
        if i == 1:
            a = y
        elif i == 2:
            a = z
        a *= s
    return np.sum(a * b) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def swapped_until_a_break(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x
    for i in range(3):
        if i > 1:
            break
        a, y = y, a
        a += s
    else:
        a[0] = 0
    return np.sum(a * a * y) + np.sum(x)


@program(X, Y, 1.5, later=LATER)
def swapped_by_a_helper(x, y, s):
    x, y = x * 1.0, y * 1.0
    w = y
    for i in range(3):
        x, y = exchanged(x, y)
        w[i] += s
    return np.sum(x * x) + np.sum(w * y)


@program(X, Y, 1.5, later=LATER)
def swapped_attributes(x, y, s):
    o = Pair(x * 1.0, y * 1.0)
    q = o.a
    for i in range(3):
        o.a, o.b = o.b, o.a
        q += s * i
    return np.sum(o.a * q) + np.sum(o.b)


@program(X, Y, 1.5, later=LATER)
def handed_on_in_a_circle(x, y, s):
    x, y = x * 1.0, y * 1.0
    a, b = x, y
    for i in range(2):
        a = b
        b = x
        a *= s
        b += 1
    return np.sum(a * b) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def old_and_new(x, y, s):
    x = x * 1.0
    old = x
    for i in range(3):
        new = old * s
        old[i] = new[i] + 1
        x, old = old, new
    return np.sum(x * old)


@program(X, Y, 1.5, later=LATER, compiled=False)
def asked_which_it_is(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x
    hist = []
    for _ in range(3):
        a = y if a is x else x
        a += s
        hist.append(a * 1.0)
    return np.sum(hist[0] * hist[2]) + np.sum(a)


@program(X, Y, 1.5, later=LATER)
def rows_of_a_matrix(x, y, s):
    m = np.outer(x, y)
    r = m[0]
    for i in range(3):
        r = m[i] if x[i] > 0 else r
        r *= s
    return np.sum(m * m) + np.sum(r)


@program(X, Y, 1.5, later=LATER)
def of_other_lengths(x, y, s):
    x, y = x * 1.0, np.append(y, s)
    a = x
    b = x
    for i in range(3):
        if i % 2:
            a = y
        a *= s
        z = np.mean(a[1:])
        x[0] += z * len(a)
        if x[1] > 0:
            a = b
    return np.sum(a * a) + np.sum(x) * np.sum(y)


# ----- by what a fold carries
def added_in_place(total, v):
    total[1:] += v
    return total


@program(X, Y, 1.5, later=LATER)
def reduced_into_an_array_with_a_name(x, y, s):
    total = np.zeros(3)
    result = functools.reduce(added_in_place, [v * s for v in x], total)
    result[0] += s
    return np.sum(total**2 * y)


@program(X, Y, 1.5, later=LATER)
def reduced_into_a_view(x, y, s):
    total = x * 1.0
    functools.reduce(added_in_place, y, total[::-1])
    return np.sum(total**2 * s)


@program(X, Y, 1.5, later=LATER, compiled=False)
def reduced_into_a_list_with_a_name(x, y, s):
    total = [s, 0.0]
    functools.reduce(lambda held, v: held.append(v * s) or held, [v for v in x], total)
    return sum(v**2 for v in total)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
