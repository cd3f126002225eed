"""Names that hold one of two arrays with other names, where the two differ in their axes, or one is none."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
TWO = FOUR[:2]
NINE = np.outer([0.4, -0.9, 1.3], [1.1, 0.6, -0.7])


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 3)])
def an_array_or_a_number(x, n):
    y = x * 2.0
    z = y
    u = y if n > 2 else np.sum(x)
    z *= 1.5
    return np.sum(u * x) + np.sum(y)


@program(NINE, 3, later=[(NINE, 1), (NINE[:2], 3)])
def an_array_or_a_row_of_it(y, n):
    g = y
    if n > 2:
        g = g[0]
    y[0] = np.sin(y[1])
    return np.sum(g * y) + np.sum(y)


@program(NINE, 3, later=[(NINE, 1), (NINE[:2], 4)])
def a_row_that_is_written_through(y, n):
    z = y
    g = y if n < 2 else y[n % 2]
    g *= 1.5
    z += 1.0
    g -= 0.25
    return np.sum(g * g) + np.sum(z * z)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 3), (TWO, 0)])
def a_number_is_replaced_and_an_array_written(x, n):
    y = x * 2.0
    z = y
    u = y if n > 2 else np.sum(x)
    w = u
    u += 1.5 * x[0]
    u *= u
    return np.sum(u * x) + np.sum(z) * 0.3 + np.sum(w * w)


@program(FOUR, 3, later=[(FOUR, 2), (TWO, 1)])
def an_array_a_table_or_a_number(x, n):
    y = x * 2.0
    z = y
    if n > 2:
        w = y
    elif n > 1:
        w = np.outer(y, y)
    else:
        w = 3.0
    w *= 2.0
    y[1:] -= 1.0
    w -= np.sum(x)
    return np.sum(z * x) + np.sum(w * x)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 3)])
def an_integer_array_or_a_float_one(x, n):
    counts = np.arange(len(x))
    y = x * 1.0
    held = [counts, y]
    u = counts if n < 2 else y
    u += 2
    return np.sum(held[0] * x) + np.sum(held[1] * y) + np.sum(u * x)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4)])
def what_only_one_path_opened(x, n):
    y = x * 2.0
    z = y
    if n > 2:
        w = np.flip(y, 0)
    y[0] += 3.0
    t = 0.0
    if n > 2:
        w *= 1.5
        t = np.sum(w * x)
    return t + np.sum(z * y)


@program(FOUR, 1, later=[(FOUR, 2), (TWO, 0), (FOUR, 5)])
def an_index_that_is_there_on_one_path(x, n):
    rows = np.outer(x, x)
    again = rows
    k = n * 2
    if k < len(x):
        row = rows[k]
    rows *= 2.0
    if k < len(x):
        row[0] -= 1.0
        again[k] += row
    return np.sum(rows * again)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 3)])
def what_was_opened_is_not_bound(x, n):
    y = x * 2.0
    z = y
    if n > 2:
        w = y[1:]
    z *= 2.0
    w += 1.0
    return np.sum(z * w[0])


@program(FOUR, 1, later=[(FOUR, 2), (TWO, 3)])
def the_other_path_raises(x, n):
    y = x * 2.0
    z = y
    if n > 2:
        raise ValueError
    else:
        w = y[::-1] if n > 1 else y[1:]
    z *= 2.0
    w += 1.0
    return np.sum(z * z)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 3)])
def the_best_is_none_or_another_name(x, n):
    y = x * 2.0
    z = y
    best = None
    if n > 2:
        best = y
    y[0] += 3.0
    if best is not None:
        best += x
    return np.sum(z * x) + (0.0 if best is None else np.sum(best * y))


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 3)])
def a_view_of_what_is_none_perhaps(x, n):
    y = x * 2.0
    z = y
    v = None
    if n > 2:
        v = y
    w = v[::-1]
    w *= np.sin(x)
    v[0] = 2.0
    return np.sum(z * w)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 3)])
def what_a_helper_returns(x, n):
    def part(a):
        if n > 2:
            return a
        return np.max(a)

    y = x * 2.0
    z = [y]
    u = part(y)
    u *= 0.5
    y -= x[0]
    u += z[0][1]
    return np.sum(u * y) + np.sum(z[0])


@program(FOUR, NINE, 3, later=[(FOUR[:3], NINE, 1), (FOUR[:3], NINE, 3)])
def a_choice_between_arguments(x, y, n):
    for i in range(0, 1, 2):
        if n < 2:
            u = y
            break
    else:
        u = np.var(x)
    c = np.sum(u)
    y[...] += x[0]
    return np.sum(u) * c + np.sum(x)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4), (TWO, 0)])
def a_choice_that_passes_make(x, n):
    y = x * 2.0
    total = 0.0
    for i in range(n):
        u = y if i % 2 else y[i % len(x)]
        u *= 1.1
        total = total + np.sum(u * x)
    return total + np.sum(y * y)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4)])
def a_number_whose_cotangent_comes_twice(x, n):
    w = np.var(x)
    u = x if n > 2 else w
    v = x if n > 3 else w
    return np.sum(u) + np.sum(v * u)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
