"""Two names of an array that an inner loop makes, read and written behind the outer one.

All must be right; traced is enough.
"""

import numpy as np

from .harness import program

SQUARE = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


@program(SQUARE, 1.5, compiled=False)
def two_names(y, s):
    for i in range(2):
        for _ in range(i + 1):
            cur = y.copy()
            t = cur
    t -= 0.3
    return np.sum(cur) * s


@program(SQUARE, 1.5, compiled=False)
def not_in_the_first_turn(y, s):
    for i in range(2):
        for _ in range(i):
            cur = y * s
            t = cur
    t -= 0.3
    return np.sum(cur) * s


@program(SQUARE, 1.5, compiled=False)
def three_loops_deep(y, s):
    for _ in range(3):
        for j in range(2):
            for _ in range(j):
                cur = y.copy()
                t = cur
                both = [cur, t]
    t -= 0.3
    return np.sum(cur) * s + np.sum(both[0]) * 2 + np.sum(both[1])


def made(y, n):
    for _ in range(n + 1):
        a = y * 2.0
        b = a
    return a, b


@program(SQUARE, 1.5, compiled=False)
def in_a_helper_and_handed_on(y, s):
    for i in range(2):
        a, b = made(y * s, i)
        c, d = b, a
    c -= 0.3
    d *= 2.0
    return np.sum(a) * s + np.sum(b) + np.sum(c) + np.sum(d)


class Holder:
    def __init__(self, a):
        self.a = a


@program(SQUARE, 1.5, compiled=False)
def held_by_an_object(y, s):
    for i in range(2):
        for _ in range(i + 1):
            o = Holder(y * s)
            t = o.a
    t -= 0.3
    return np.sum(o.a) * s


@program(SQUARE, 1.5, compiled=False)
def under_a_while(y, s):
    k = 0
    while k < 2:
        for _ in range(k + 1):
            cur = y.copy()
            d = {"a": cur}
        k += 1
    d["a"] -= 0.3
    return np.sum(cur) * s


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
