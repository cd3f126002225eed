"""Arrays that are one of two, by the path taken, and have other names: reads and writes of either.

All must be right, and compiled.
"""

import numpy as np

from .harness import program

X = np.array([1.0, -2.0, 3.0])
Y = np.array([0.5, 0.7, -0.2])
LATER = [(X, Y, -0.7), (X[:2], Y[:2], 0.4)]


@program(X, Y, 1.5, later=LATER)
def written_under_the_third_name(x, y, s):
    x, y = x * 1.0, y * 1.0
    if s > 0:
        a = x
    else:
        a = y
    a += s
    return np.sum(x * x) + np.sum(y) * 2


@program(X, Y, 1.5, later=LATER)
def one_is_new(x, y, s):
    x = x * 1.0
    a = x if s > 0 else y * s
    a[1:] *= s
    x[0] = 3 * s
    return np.sum(a * a) + np.sum(x)


@program(X, Y, 1.5, later=LATER[:1])
def windows_of_one_array(x, y, s):
    x = x * s
    r = x[0:2] if s > 0 else x[1:3]
    r *= 2
    x += 1
    return np.sum(r * r) + np.sum(x)


@program(X, Y, 1.5, later=LATER)
def one_of_one_of_two(x, y, s):
    x, y = x * 1.0, y * 1.0
    both = [x, y]
    a = both[0] if s > 0 else both[1]
    a *= s
    b = a if s > 1 else x
    b -= 0.5
    return np.sum(both[0] * both[0]) + np.sum(both[1]) + np.sum(a * b)


@program(X, Y, 1.5, later=LATER)
def chosen_before_a_loop(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x if s > 0 else y
    for i in range(len(x)):
        a[i] += s * i
        x *= 1.1
    return np.sum(a * a) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def chosen_in_a_loop(x, y, s):
    x, y = x * 1.0, y * 1.0
    for _ in range(3):
        a = x if x[0] < y[0] else y
        a += s
    return np.sum(a * a) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER[:1])
def chosen_in_a_while(x, y, s):
    x, y = x * 1.0, y * 1.0
    k = 0
    while k < 3:
        if x[k] > 0:
            small = x
        else:
            small = y
        small[k] -= s
        k += 1
    return np.sum(small) + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def a_view_of_the_chosen(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x if s > 0 else y
    v = a[1:]
    v *= s
    w = a[::-1]
    w[0] = s
    return np.sum(a * a) + np.sum(x * y) + np.sum(v * w[1:])


def pick(u, v, s):
    if s > 0:
        return u
    return v


@program(X, Y, 1.5, later=LATER)
def picked_by_a_helper(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = pick(x, y, s)
    b = pick(y, x, s)
    a += b * s
    b *= 2
    return np.sum(a * a) + np.sum(x * y) + np.sum(b)


class Pair:
    def __init__(self, u, v):
        self.u, self.v = u, v

    def larger(self):
        return self.u if np.sum(self.u) > np.sum(self.v) else self.v

    def scale(self, s):
        self.larger()[:] *= s
        return self


@program(X, Y, 1.5, later=LATER)
def chosen_by_a_method(x, y, s):
    pair = Pair(x * 1.0, y * 1.0).scale(s).scale(-s)
    return np.sum(pair.u * pair.v) + np.sum(pair.u)


@program(X, Y, 1.5, later=LATER)
def kept_in_a_list(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x if s > 0 else y
    hist = [a, x]
    for i in range(2):
        hist[0][i] += s
    return np.sum(hist[0] * hist[1]) + np.sum(y * x)


@program(X, Y, 1.5, later=LATER)
def two_choices_exchanged(x, y, s):
    x, y = x * 1.0, y * 1.0
    if s > 0:
        a, b = x, y
    else:
        a, b = y, x
    a[0] = s
    b[1] = s * s
    a, b = b, a
    a *= 2
    return np.sum(x * x * y) + np.sum(a - b)


@program(X, Y, 1.5, later=LATER)
def swapped_on_one_path(x, y, s):
    x, y = x * 1.0, y * 1.0
    w = x
    if s > 0.5:
        x, y = y, x
    x -= s * w
    w *= 2.0
    return np.sum(x * y) + np.sum(w)


@program(X, Y, 1.5, later=LATER)
def read_by_a_comprehension(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x if s > 0 else y
    x *= 2
    y += 1
    return sum([t * s for t in a]) + np.sum(x * y)


@program(X, 1.5, 2, later=[(X, 1.5, 3), (X * 9.0, 0.5, 2)], compiled=False)
def window_that_a_path_opened(x, s, n):
    x = x * 1.0
    for _ in range(1, n):
        if x[2] > 5:
            return np.sum(x) * s
        v = x
        for i in range(1):
            if n == 2:
                v = x[i:]
            np.add(x, v, out=x)
    w = x
    w[...] = np.cos(w)
    return np.sum(v) * s


@program(X, Y, 1.5, later=LATER)
def three_rows_in_turn(x, y, s):
    x, y = x * 1.0, y * 1.0
    rows = [x, y, x * y]
    a = rows[0]
    for i in range(2):
        if rows[i][0] > 0.7:
            a = rows[i]
        rows[i][1] += s
    a *= s
    return sum(np.sum(v * v) for v in rows) + np.sum(a)


@program(X, Y, 1.5, later=LATER)
def reshaped_and_transposed(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x if s > 0 else y
    b = a.reshape(1, -1)
    b *= s
    c = a if s > 1 else b[0]
    c += 1
    d = a.T
    d[0] = 0.5
    return np.sum(b * x) + np.sum(c * y) + np.sum(a)


@program(X, Y, 1.5, later=LATER)
def read_on_both_paths(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x if s > 0 else y
    x[0] += s
    if s > 1:
        t = np.sum(a * 2)
    else:
        t = np.sum(a) * s
    return np.sum(a * a) + t + np.sum(x * y)


@program(X, Y, 1.5, later=LATER)
def written_on_one_path_only(x, y, s):
    x, y = x * 1.0, y * 1.0
    a = x if s > 0 else y
    y[1] *= s
    if s > 1:
        a[0] += 1
        r = a[0] * s
    elif s < 0:
        y[0] = 3
        r = a[1]
    else:
        r = a[1] * 2.0
        x = a
    return np.sum(a * a) + r + np.sum(x * y)


class Held:
    def __init__(self, a):
        self.a = a


@program(X, 0.2, later=[(-X, 0.2), (Y, 5.0)])
def a_view_of_one_of_two_held_under_two_names(x, b):
    o, p = Held(x * 1.0), Held(x * 2.0)
    for s in x:
        y, z = x.copy(), x * 2.0
        w = y if s > b else z
        o.a = w[::-1]
        p = o
    return np.sum(o.a * p.a * x)


@program(X, 0.2, later=[(-X, 0.2), (Y, 5.0)])
def a_view_of_one_of_two_written_under_another_name(x, b):
    o, p = Held(x * 1.0), Held(x * 2.0)
    y, z = x.copy(), x * 2.0
    for s in x:
        w = y if s > b else z
        o.a = w[::-1]
        p = o
        p.a[1] = b * s
    return np.sum(o.a * p.a * x) + np.sum(y * y)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
