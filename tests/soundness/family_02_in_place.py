"""``op=`` of what is a number at first and an array later: is the one replaced and the other written?"""

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3, 0.7])
Y = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


@program(X, 2, later=[(X, 0), (X, 1), (X, 3)])
def a_sum_that_begins_with_zero(x, n):
    total = 0
    for _ in range(n):
        total -= x * x
    return np.sum(total) * x[0]


@program(X, 3, later=[(X, 0), (X, 1), (X.astype("f"), 3)])
def momentum_from_zero(x, n):
    w, vel = x.copy(), 0.0
    for _ in range(n):
        vel *= 0.9
        vel = vel - 0.2 * np.sin(w)
        w += vel
    return np.sum(w * w) + np.sum(vel)


@program(X, 3, later=[(X, 0), (X, 1)])
def momentum_from_an_integer(x, n):
    w, vel = x.copy(), 0
    for _ in range(n):
        vel *= 0.9
        vel = vel - 0.2 * np.sin(w)
        w += vel
    return np.sum(w * w) + np.sum(vel)


@program(X, 3, later=[(X, 0), (X, 1)])
def a_sum_of_a_number_and_rows(x, n):
    total = 1.0
    for i in range(n):
        if i % 2:
            total += x
        else:
            total += x[i]
    return np.sum(total * total)


@program(Y, 2, later=[(Y, 0), (Y, 1), (Y, 3)])
def ever_more_axes(y, n):
    total = 0.0
    for i in range(n):
        if i == 0:
            total += y[0, 0]
        elif i == 1:
            total += y[1]
        else:
            total += y
    return np.sum(total) * y[0, 1]


@program(X, 2, later=[(X, 0), (X, 1), (X, 3)])
def a_length_that_does_not_fit(x, n):
    total = 0.0
    for i in range(n):
        total += x[i:] if i > 1 else x
    return np.sum(total)


@program(X, 2, later=[(X, 0), (X, 1), (X, 3)])
def a_row_that_would_be_stretched(x, n):
    total = 0.0
    for i in range(n):
        total += x[:1] if i == 0 else x
    return np.sum(total * x)


@program(X, 0.5, later=[(X, -0.5), (X.astype("f"), 0.5), (X.astype("f"), -0.5)])
def either_a_number_or_an_array(x, s):
    v = x * s if s > 0 else s
    v *= 2.0
    v += np.sum(x)
    v /= x + 2.0
    return np.sum(v)


@program(X, 0.5, later=[(X, -0.5)])
def written_to_an_array_of_its_shape(x, s):
    v = x * s if s > 0 else s
    w = np.ones_like(x)
    w += v
    w *= v
    return np.sum(w)


@program(X, 0.5, later=[(X, -0.5), (X, 1.5)])
def written_to_an_array_that_is_too_small(x, s):
    v = np.outer(x, x) if s > 1 else x * s if s > 0 else s
    w = np.ones_like(x)
    w += v
    return np.sum(w)


@program(X, 0.5, later=[(X, -0.5), (X, 1.5)])
def other_names_see_it(x, s):
    v = x * s if s > 0 else s
    u = v
    v *= 2.0
    return np.sum(u) + np.sum(v)


@program(X, 2, later=[(X, 0), (X, 1), (X, 3)])
def an_integer_array_does_not_take_floats(x, n):
    total = 0
    for i in range(n):
        total += np.arange(4) if i == 0 else x
    return np.sum(total * x)


@program(X, 2, later=[(X, 0), (X, 1)])
def powers_and_quotients(x, n):
    total = 2.0
    for i in range(n):
        total /= x + 3.0
        total **= 2
        total -= 1.0
    return np.sum(total)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("other_names_see_it", "numpy", "compiled"): "traced",
    ("other_names_see_it", "numba", "compiled"): "traced",
}
