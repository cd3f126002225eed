"""Arrays that may be None by the path taken, and are written where they are there."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
TWO = FOUR[:2]


@program(FOUR, 2, later=[(FOUR, 1), (TWO, 3)])
def the_best_so_far(x, n):
    best = None
    u = x * 1.0
    for i in range(n):
        u = np.sin(u) + x
        if best is None or np.sum(u) > np.sum(best):
            best = u
    best[0] += 1.0
    best *= 2.0
    return np.sum(best * u)


@program(FOUR, 1, later=[(FOUR, 2), (TWO, 3)])
def one_element_of_what_a_branch_made(x, n):
    y = None
    if n > 0:
        y = x * 2.0
    if n > 1:
        y[0] = x[1]
    return np.sum(y * y)


@program(FOUR, 1, later=[(FOUR, 2), (TWO, 1)])
def a_second_name_of_what_may_be_absent(x, n):
    y = None
    if n > 0:
        y = x * 2.0
    z = y
    y *= x
    return np.sum(y * z)


@program(FOUR, 1, later=[(FOUR, 2), (TWO, 1)])
def a_window_of_what_may_be_absent(x, n):
    y = None
    if n > 0:
        y = x * 2.0
    w = y[1:]
    w += x[0]
    y[-1] = x[1]
    return np.sum(w * w) + np.sum(y)


@program(FOUR, 2, later=[(FOUR, 1), (TWO, 3)])
def created_in_the_first_turn(x, n):
    velocity = None
    w = x.copy()
    for _ in range(n):
        g = np.cos(w)
        if velocity is None:
            velocity = g.copy()
        else:
            velocity *= 0.9
            velocity += g
        w -= 0.1 * velocity
    return np.sum(w * velocity)


class Momentum:
    def __init__(self):
        self.v = None

    def step(self, w, g):
        if self.v is None:
            self.v = np.zeros_like(w)
        self.v *= 0.8
        self.v += g
        w -= 0.1 * self.v


@program(FOUR, 2, later=[(FOUR, 1), (TWO, 3), (FOUR, 0)])
def created_by_a_method(x, n):
    m, w = Momentum(), x * 1.0
    for _ in range(n):
        m.step(w, np.cos(w))
    return np.sum(w)


@program(FOUR, 2, later=[(FOUR, 1), (TWO, 3)])
def sorted_and_filled(x, n):
    last = None
    for i in range(n):
        last = x * (i + 0.5)
    last.sort()
    first = np.sum(last * x)
    last.fill(x[0])
    return first + np.sum(last)


@program(FOUR, 2, later=[(FOUR, 1), (TWO, 3)])
def swapped_with_nothing(x, n):
    a, b = x * 1.5, None
    for _ in range(n):
        a, b = (x * 0.5 if b is None else b * x), a
    b[0] = 2.0
    b += a
    return np.sum(a * b)


@program(FOUR, 2, later=[(FOUR, 0), (TWO, 3)])
def written_only_if_it_is_there(x, n):
    y = None
    for i in range(n):
        y = x * (i + 1.0)
    total = x[0]
    if y is not None:
        y[0] = x[1]
        y *= 2.0
        total = total + np.sum(y * x)
    return total


@program(FOUR, 0, later=[(FOUR, 1), (TWO, 0)])
def absent_where_it_is_written(x, n):
    y = None
    if n > 0:
        y = x * 2.0
    try:
        y[0] = x[1]
    except TypeError:
        return x[0] * 3.0
    return np.sum(y * x)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def an_error_of_pythons_own(x, n):
    y = None
    if n > 0:
        y = x * 2.0
    y *= 3.0
    return np.sum(y)


@program(FOUR, 1, later=[(FOUR, 2), (TWO, 1)])
def into_it_by_out(x, n):
    y = None
    if n > 0:
        y = np.zeros_like(x)
    np.multiply(x, x[0], out=y)
    np.copyto(y[:1], 2.0)
    return np.sum(y * x)


@program(FOUR, 2, later=[(FOUR, 1), (TWO, 2)])
def one_of_several_or_none(x, n):
    a, b = x * 1.0, x * 2.0
    y = None
    if n == 1:
        y = a
    elif n == 2:
        y = b
    y[1] = x[0] * 3.0
    return np.sum(a * b)


@program(FOUR, 2, later=[(FOUR, 1), (TWO, 3)])
def in_a_helper_that_keeps_one(x, n):
    def keep(old, new):
        if old is None:
            return new
        old += new
        return old

    total = None
    for i in range(n):
        total = keep(total, np.cos(x * (i + 1.0)))
    return np.sum(total * total)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("absent_where_it_is_written", "numpy", "compiled"): "traced",
    ("absent_where_it_is_written", "numba", "compiled"): "traced",
}
