"""Names that a function within another one changes, where no other statement reads them."""

import numpy as np

from .harness import program

X = np.array([0.7, -0.3, 1.1])
LATER = [(X, 0), (X, 1), (X, 3)]


@program(X, 2, later=LATER)
def added_to_by_a_nested_function(x, n):
    c = x + 0.5
    k = 1.0
    if n > 1:
        k = 2.0

    def g1(p):
        nonlocal c
        c *= 1.5
        return p * k

    return np.sum(g1(x))


@program(X, 2, later=LATER)
def changed_in_a_loop_of_a_nested_function(x, n):
    total = 0.0
    count = 0
    for v in x:

        def add(w):
            nonlocal total, count
            total += w * v
            count += 1
            return total

        if v > 0:
            r = add(v)
    return r * n


@program(X, 2, later=LATER)
def deleted_by_a_nested_function(x, n):
    c = x * 2.0
    if n > 1:
        x = x * 1.5

    def g(w):
        nonlocal c
        del c
        return w

    return np.sum(g(x))


@program(X, 2, later=LATER)
def counted_by_a_method(x, n):
    count = 0
    scale = 1.0
    for i in range(n):
        scale = scale * x[0]

    class Counter:
        def tick(self, w):
            nonlocal count
            count += 1
            return w * scale

    c = Counter()
    return np.sum(c.tick(x)) + c.tick(x)[0]


@program(X, 2, later=LATER)
def two_deep(x, n):
    c = 1.0
    while n > 1:
        n -= 1
        x = x * 1.1

    def outer(w):
        def inner(u):
            nonlocal c
            c -= 0.5
            return u * 2.0

        return inner(w) + inner(w)

    return np.sum(outer(x))


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
