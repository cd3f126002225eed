"""Operands with effects: is each evaluated when Python evaluates it, and only if it does?"""

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3])
Y = np.array([0.4, -0.9, 1.3, 0.2])
LATER = [(Y, 0.55), (-X, 1.93), (Y, -3.05), (X, 0.31)]


class Counter:
    def __init__(self):
        self.n = 0

    def tick(self, by=1):
        self.n += by
        return self.n

    @property
    def next(self):
        self.n += 1
        return self.n


@program(X, 1.45, later=LATER)
def chains_count(x, s):
    c = Counter()
    held = c.tick() < c.tick() * s < c.tick()
    for _ in range(4):
        if 0 < s < c.next < 3:
            held += s * c.n
        elif s > 1 > c.tick(2) - 3:
            held -= c.n
    return np.sum(x) * c.n + held * s


@program(X, 1.45, later=LATER)
def chains_keep_from_raising(x, s):
    i = int(s * 2)
    if s > 1:
        bound = 2.0
    try:
        held = 1 < s < bound
    except UnboundLocalError:
        held = 7
    return np.sum(x) * s + (0 <= i < 3 > x[i]) + held


@program(X, 1.45, later=LATER)
def chains_end_in_an_array(x, s):
    return np.sum(x * (0 < s < x)) * s


@program(X, 1.45, later=LATER)
def chains_of_numbers(x, s):
    n = 0
    for v in x:
        if -s < v < s:
            n += 1
        if -s < v * 2 <= s * v < 1 + n:
            n += 2
        if 0 <= n - 1 < len(x) - 1 != 7:
            n += 1
    held = 1 < s < (t := s * 2) < 4 and t > 2.5
    return np.sum(x) * n * (1 + held) * s


@program(X, 1.45, later=LATER)
def keys_come_before_their_values(x, s):
    c = Counter()
    parts = {c.tick(): c.tick() * s, c.tick(): x * c.tick(), "z": c.next, **{c.tick(): c.tick()}}
    made = {c.tick(): c.tick() * s for _ in range(2)}
    return sum(v if k == "z" else np.sum(k * v) for k, v in parts.items()) + sum(
        k * v for k, v in made.items()
    )


@program(0.5, later=[(-0.5,)])
def item_at_no_place(x):
    both = [x, (x, 1.0)]
    if x < 0:
        return both[np.nan]
    return both[0] * x


@program(0.5, later=[(-0.5,)])
def item_at_no_place_caught(x):
    both = (x, [x, 1.0])
    if x < 0:
        try:
            return both["a"]
        except TypeError:
            return x * 3
    return both[0] * x


@program(0.5, 0.9, later=[(1.5, 0.9)])
def items_of_numbers(x, y):
    h = np.hypot(x, y)
    try:
        if h > 9:
            h[h > 1] = -h
        t = x, h
        t[0] = 2.0
    except (TypeError, AttributeError):
        h = h * x
    if x > y:
        h[0] = y
    return h


@program(0.5, 0.9, later=[(1.5, 0.9)])
def items_of_a_text(x, y):
    name = "height"
    if x > y:
        name[0] = y
    return x * y


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
