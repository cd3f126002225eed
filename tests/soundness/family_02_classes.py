"""What a loop makes is of another class than what there was before it, with the same attributes."""

from collections import namedtuple

import numpy as np

from .harness import program

V5, V4, V3 = (
    np.array([0.4, -0.7, 1.3, 0.2, -0.1]),
    np.array([-0.3, 0.9, 0.6, 1.7]),
    np.array([1.1, 0.5, -0.8]),
)
LATER = [(V4, 0.3, 0), (V3, 0.4, 3), (V5, -0.2, 1)]
Pair = namedtuple("Pair", "left right")
Swapped = namedtuple("Swapped", "right left")


class Slow:
    rate = 0.3

    def __init__(self, v):
        self.v = v

    def step(self, a):
        return self.v + a * self.rate


class Fast(Slow):
    rate = 0.9

    def step(self, a):
        return super().step(0.5 * a)


class Other:
    def __init__(self, v):
        self.v = v

    def step(self, a):
        return self.v * a


@program(V5, 0.3, 2, later=LATER)
def a_subclass(x, s, n):
    body = Slow(x)
    for i in range(n):
        body = Fast(x * i)
    return np.sum(body.step(s))


@program(V5, 0.3, 2, later=LATER)
def an_unrelated_class(x, s, n):
    body = Slow(x)
    for i in range(n):
        body = Other(body.v * (i + s))
    return np.sum(body.step(s)) + (s if isinstance(body, Other) else 2.0)


@program(V5, 0.3, 2, later=LATER, compiled=False)
def by_a_while_loop(x, s, n):
    body, i = Fast(x), 0
    while i < n:
        body = Slow(body.v * s)
        i += 1
        if np.sum(body.v) > 5.0:
            break
    return np.sum(body.step(s)) + body.rate


@program(V5, 0.3, 2, later=LATER)
def within_a_tuple(x, s, n):
    held = (Slow(x), 1.0)
    for i in range(n):
        held = (Fast(x * i), s)
    return np.sum(held[0].step(s)) * held[1]


@program(V5, 0.3, 2, later=LATER)
def as_an_attribute(x, s, n):
    body = Other(Slow(x))
    for i in range(n):
        body.v = Fast(x + i)
    return np.sum(body.v.step(s))


@program(V5, 0.3, 2, later=LATER)
def named_tuples_in_another_order(x, s, n):
    pair = Pair(x, s)
    for i in range(n):
        pair = Swapped(x * i, x + s)
    return np.sum(pair.left) - 2.0 * np.sum(pair.right)


@program(V5, 0.3, 2, later=LATER, compiled=False)
def a_tuple_without_names(x, s, n):
    pair = Pair(x, s)
    for i in range(n):
        pair = (x * i, s)
    return np.sum(pair.left) - 2.0 * np.sum(pair[1])


@program(V5, 0.3, 2, later=LATER)
def a_dict_or_an_object(x, s, n):
    held = {"v": x}
    for i in range(n):
        held = Slow(x * i)
    return np.sum(held["v"] if isinstance(held, dict) else held.v * s)


@program(V5, 0.3, 2, later=LATER)
def of_one_class(x, s, n):
    body, pair = Slow(x), Pair(x, s)
    for i in range(n):
        body = Slow(body.v * (s + i))
        pair = Pair(body.v, pair.right * s)
    return np.sum(body.step(s)) + np.sum(pair.left * pair.right)


@program(V5, 0.3, 2, later=LATER)
def classes_of_the_function(x, s, n):
    class Near:
        def __init__(self, v):
            self.v = v

        def far(self):
            return self.v * s

    class Far(Near):
        def far(self):
            return self.v * 2.0

    def made(v, i):
        return Far(v) if i else Near(v)

    body = Near(x)
    for _ in range(n):
        body = Far(x + 1.0)
    return np.sum(body.far()) + np.sum(made(x, 1).far())


KNOWN: dict[tuple[str, str, str], str] = {}
