"""Arrays whose rank depends on the path, and conditions that ask for it."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
TWO = FOUR[:2]


@program(FOUR, 2, later=[(FOUR, 0), (TWO, 1), (FOUR, 3)])
def a_matrix_from_the_second_turn_on(x, n):
    y = x
    for _ in range(n):
        if 1 != y.ndim:
            y = y @ x
        else:
            y = np.outer(y, y) * 0.5
    return np.sum(y * y)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def written_where_its_rank_is_known(x, n):
    y = x * 1.0
    if n > 0:
        y = np.outer(x, x)
    z = y
    if y.ndim == 1:
        y[1] = x[0] * 3.0
    else:
        y[0, 1] = x[1]
    return np.sum(y * z) + np.sum(z)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def a_view_from_before_the_question(x, n):
    y = x * 1.0
    if n > 0:
        y = np.outer(x, x)
    first = y[0]
    if y.ndim == 2:
        y[0, 0] = x[1] * 2.0
        y[1] = x
    return np.sum(first) + np.sum(y * y)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 2)])
def a_new_array_where_it_is_asked(x, n):
    y = x[0] * np.ones((2, 2)) if n == 1 else x
    if y.ndim == 1:
        y = np.convolve(y, x)
        if y.ndim == 1:
            y = y[1:] * x[0]
    return np.sum(np.sin(y))


def flat(y, x):
    return np.dot(y, x) if y.ndim == 1 else np.dot(y.ravel()[: x.size], x)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def asked_in_a_helper(x, n):
    y = x
    if n:
        y = np.outer(x, x)
    return flat(y, x) + flat(x, x)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def asked_in_a_lambda(x, n):
    y = x
    if n:
        y = np.outer(x, x)
    rows = (lambda a: a if a.ndim == 2 else a.reshape(1, -1))(y)
    return sum(np.dot(row, row) * (i + 1.0) for i, row in enumerate(rows))


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def not_a_vector(x, n):
    y = x
    if n:
        y = np.outer(x, x) + x
    if not y.ndim == 1:
        total = np.trace(y)
    else:
        total = np.sum(y[::-1] * x)
    return total * x[0]


@program(FOUR, 3, later=[(FOUR, 0), (TWO, 1), (FOUR, 2)])
def changed_after_it_was_asked(x, n):
    y = x * 1.0
    total = 0.0
    for i in range(n):
        if y.ndim == 1:
            y *= 1.5
            total += np.dot(y, x)
            y = np.outer(y, x)
            total += y[0, 1]
        else:
            y = y[i % 2]
            total += y[0]
    return total + np.sum(y)


@program(FOUR, 0, later=[(FOUR, 1), (TWO, 0)])
def a_number_or_a_vector(x, n):
    y = np.sum(x) if n else x
    if np.ndim(y) == 1:
        y = y[1] * x[0]
    return y * 2.0


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 2)])
def three_ranks(x, n):
    y = x
    for _ in range(n):
        y = y[:, None] * x if y.ndim == 1 else np.stack([y, y * x])
    if y.ndim == 3:
        return np.sum(y[0] - y[1] * 2.0)
    if y.ndim == 2:
        return np.sum(y @ y.T)
    return np.dot(y, y)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 2)])
def the_same_array_under_two_names(x, n):
    y = np.outer(x, x) if n else x * 2.0
    z = y
    if z.ndim == 1:
        y[0] = 1.5
        total = np.dot(z, x)
    else:
        z[0] = x
        total = np.sum(y @ x)
    return total + np.sum(z * y)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("a_view_from_before_the_question", "numpy", "compiled"): "traced",
    ("asked_in_a_lambda", "numpy", "compiled"): "traced",
    ("three_ranks", "numpy", "compiled"): "traced",
    ("a_view_from_before_the_question", "numba", "compiled"): "traced",
    ("asked_in_a_lambda", "numba", "compiled"): "traced",
    ("three_ranks", "numba", "compiled"): "traced",
}
