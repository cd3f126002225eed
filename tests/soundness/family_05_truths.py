"""A truth value is a mask without axes: what it chooses of an array is a copy, with one axis more."""

import numpy as np

from .harness import program

SIGNS = [(0.7,), (-0.3,), (0.2,)]


@program(0.7, later=SIGNS)
def array_without_axes(x):
    y = np.asarray(x)
    made = np.empty_like(y)
    small = np.isclose(y, 0)
    made[~small] = np.sin(y[~small])
    made[~small] += y[~small] ** 2
    made[small] = 0
    return np.sum(made)


@program(0.7, later=SIGNS)
def all_or_nothing(x):
    y = np.array([x, 2 * x, x * x])
    y[x > 0] *= 3.0
    y[0, x > 0] += x
    y[x < 0, 1:] -= np.sin(x)
    return np.sum(y**2)


@program(0.7, later=SIGNS)
def copies(x):
    y = np.array([x, 2 * x, x * x])
    w = y[True]
    w[0] = 5.0
    u = y[x > 0, 1:]
    u *= 7.0
    v = y[np.True_, ...]
    v += 1.0
    return np.sum(y) + np.sum(w**2) + np.sum(u) + np.sum(v * x)


@program(0.7, later=SIGNS)
def in_a_loop(x):
    y = np.array([x, 2 * x, x * x])
    for k in range(3):
        lit = y[k] > 0.5
        w = y[lit]
        w *= k
        y[lit] -= 0.25 * x
        y = y + np.sum(w)
    return np.sum(y**2)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
