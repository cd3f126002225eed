"""Cotangents that several values have at once: what one of them gets the others don't."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
OTHER = np.array([1.1, 0.2, -0.6, 0.5])


@program(FOUR, later=[(OTHER,)])
def a_sum_with_a_copy_of_itself(x):
    y = x.copy()
    z = x * 1.0
    x = x + y
    return x[1] + z[2]


@program(FOUR, later=[(OTHER,)])
def a_sum_with_a_copy_of_itself_in_place(x):
    y = x.copy()
    seen = x[:2]
    z = x * 1.0
    x += y
    return seen[1] + z[2]


@program(FOUR, OTHER, later=[(OTHER, FOUR)])
def read_by_an_operation_between(x, w):
    z = x * 1.0
    y = w * 3.0
    x = x + y
    return x[1] * x[3] + z[2]


@program(FOUR, OTHER, later=[(OTHER, FOUR)])
def added_to_before_the_dense_contribution(x, w):
    z = x * 1.0
    t = x[3] * w[0]
    u = x + w
    return u[1] * u[2] + t + z[2] * z[0]


@program(FOUR, OTHER, OTHER, later=[(OTHER, FOUR, FOUR)])
def the_cotangent_of_three(x, w, v):
    z = w * 1.0
    u = x - (w + v)
    return np.sum(u[1:3]) * x[0] + z[2] * z[1]


@program(FOUR, OTHER, 3, later=[(OTHER, FOUR, 2), (FOUR, OTHER, 0)])
def in_every_turn(x, w, n):
    total = 0.0
    for k in range(n):
        z = x * 1.0
        u = x + w
        total += u[k] * u[3] + z[2]
        x = u
    return total


@program(FOUR, OTHER, True, later=[(OTHER, FOUR, False)])
def on_one_side(x, w, flag):
    z = x * 1.0
    if flag:
        u = x + w
        r = u[1] * u[0]
    else:
        v = x - w
        r = v[2]
    return r * z[2] + z[3]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
