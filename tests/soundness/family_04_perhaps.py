"""An array that perhaps is another one, and a loop that writes to that other one and hands it on.

All must be right; traced is enough.
"""

import numpy as np

from .harness import program

THREE = np.array([1.0, 2.0, 3.0])


def handed_on(g, n):
    for _ in range(n):
        g = g  # the array itself, which a loop has given back
    return g


def one_or_other(a, b, s):
    return a if s > 0 else b


def scaled(u, s):
    u *= s
    return u


@program(THREE, 1.5, compiled=False, later=[(THREE, -1.5)])
def chosen_by_a_helper(x, s):
    x = x * 1.0
    y = x * s
    g = one_or_other(x, y, s)
    for _ in range(3):
        bag = x
        x = x
        bag *= 2
    return g[0] * s


@program(THREE, 1.5, compiled=False)
def view_of_what_was_handed_on(x, s):
    x = x * 1.0
    h = handed_on(x, 2)[1:]
    for _ in range(3):
        bag = x
        x = x
        bag *= s
    return h[0] * s


@program(THREE, 1.5, compiled=False)
def written_in_a_while(x, s):
    x = x * 1.0
    g = handed_on(x, 2)
    k = 0
    while k < 2:
        bag = x
        x = bag
        bag *= s
        k += 1
    return g[0] * s


@program(THREE, 1.5, compiled=False)
def held_by_a_list(x, s):
    x = x * 1.0
    g = [handed_on(x, 2)]
    for _ in range(3):
        bag = x
        x = x
        bag *= s
    return g[0][1] * s


@program(THREE, 1.5, compiled=False)
def read_by_a_lambda(x, s):
    x = x * 1.0
    g = handed_on(x, 2)
    first = lambda: g[0] * s
    for _ in range(3):
        bag = x
        x = x
        bag *= s
    return first()


@program(THREE, 1.5, compiled=False)
def written_by_a_helper(x, s):
    x = x * 1.0
    g = handed_on(x, 2)
    for _ in range(3):
        x = scaled(x, s)
    return g[0] * s


@program(THREE, 1.5, compiled=False)
def known_by_asarray(x, s):
    x = x * 1.0
    g = handed_on(x, 2)
    for _ in range(3):
        x = np.asarray(x)
        x[1:] *= s
    return g[1] * s


@program(THREE, 1.5, compiled=False, later=[(THREE[:2], 0.5)])
def run_over_while_written(x, s):
    x = x * 1.0
    g = handed_on(x, 2)
    for i, e in enumerate(g):
        bag = x
        x = x
        bag[i:] *= s
        s = s + e
    return s


@program(THREE, 1.5, compiled=False)
def rows_run_over_while_written(x, s):
    rows = np.outer(x, x) * s
    for r in handed_on(rows, 2):
        rows = rows
        rows[1:] *= 2.0
        s = s + r.sum()
    return s


@program(THREE, 1.5, compiled=False, later=[(THREE, 0.5)])
def written_on_one_path(x, s):
    x = x * 1.0
    g = handed_on(x, 2)
    for _ in range(3):
        if s > 1:
            bag = x
            x = x
            bag *= s
        else:
            x = x * 2.0
    return g[0] * s


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
