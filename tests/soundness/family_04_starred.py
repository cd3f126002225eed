"""Starred names and starred items, of lists whose length is known at run time only; arrays from iterators."""

import numpy as np

from .harness import program

X = np.array([0.3, 0.4, 0.5])
LATER = [(X, 0), (X, 1), (X, 2)]


@program(X, 2, later=LATER)
def first_and_the_rest(x, n):
    a, *b = list(x)
    return a * len(b) + sum(b)


@program(X, 2, later=LATER)
def both_ends_of_an_array(x, n):
    a, *b, c = x
    return a * len(b) + c * sum(b)


@program(X, 2, later=LATER)
def last_of_a_slice(x, n):
    *b, c = x[:n]
    return c * 2 + sum(b)


@program(X, 2, later=LATER)
def rest_that_grows(x, n):
    a, b, *c = [v * 2 for v in x[:n]]
    c.append(a)
    return sum(c) * b


@program(X, 2, later=LATER)
def rest_is_a_list_of_its_own(x, n):
    items = []
    for i in range(n):
        items.append(x[i] * i)
    a, *b = items
    b[0] = x[2] * 3 if len(b) else 0.0
    return a + sum(b) + sum(items)


@program(X, 2, later=LATER, compiled=False)
def rows_that_are_written(x, n):
    y = np.outer(x, x)[:n]
    a, *b = y
    a[0] = 7 * x[1]
    return np.sum(y) + sum(np.sum(r) for r in b)


@program(X, 2, later=LATER, compiled=False)
def rows_of_the_rest_that_are_scaled(x, n):
    y = np.outer(x, x)[: n + 1]
    a, *b = y
    for r in b:
        r *= 2
    return np.sum(y * x)


@program(X, 2, later=LATER)
def fromiter_of_a_generator(x, n):
    return np.sum(np.fromiter((t * 0.5 for t in x), float) ** 2)


@program(X, 2, later=LATER)
def fromiter_of_an_enumeration(x, n):
    return np.sum(np.fromiter((t * i for i, t in enumerate(x[:n])), float) ** 2)


@program(X, 2, later=LATER)
def fromiter_of_a_map(x, n):
    return np.sum(np.fromiter(map(np.sin, x), float) * x)


@program(X, 2, later=LATER)
def fromiter_of_integers(x, n):
    return np.sum(np.fromiter((i for i in range(n)), int)) * x[0]


@program(X, 2, later=LATER)
def fromiter_to_integers(x, n):
    return np.sum(np.fromiter((v for v in x), int)) * x[0]


@program(X, 2, later=LATER, compiled=False)
def fromiter_of_rows(x, n):
    return np.sum(np.fromiter((r for r in np.outer(x, x)), float))


@program(X, 2, later=LATER)
def fromiter_of_a_filter(x, n):
    return np.sum(np.fromiter((v for v in x if v > 0.35), float) ** 2)


@program(X, 2, later=LATER, compiled=False)
def fromiter_of_so_many(x, n):
    return np.sum(np.fromiter(x, float, 2) ** 2)


@program(X, 2, later=LATER)
def three_ends(x, n):
    a, *b, c, d = x[: n + 2]
    return a * c * d + sum(b)


@program(X, 2, later=LATER, compiled=False)
def rest_of_an_iterator(x, n):
    it = iter(x)
    a, *b = it
    return a + sum(b) * 2 + sum(it)


@program(X, 2, later=LATER)
def starred_in_a_tuple(x, n):
    (a, *b), c = x[: n + 1], x[2]
    return a * c + sum(b)


@program(X, 2, later=LATER)
def starred_targets_of_a_loop(x, n):
    t = 0.0
    for a, *b in [x[: n + 1], x[1:]]:
        t += a * sum(b)
    return t


@program(X, 2, later=LATER, compiled=False)
def list_that_grows_by_display(x, n):
    items = []
    for i in range(n):
        items = [*items, x[i] * i]
    return sum(items) + len(items) * x[0]


@program(X, 2, later=LATER)
def lists_in_a_display(x, n):
    items = [v for v in x[:n]]
    m = [1.0, *items, x[0], *items]
    m[1] = x[2]
    return sum(m) * 2 + sum(items)


@program(X, 2, later=LATER)
def slice_in_a_display(x, n):
    m = [*x[:n], x[0]]
    return sum(m) * m[-1]


@program(X, 2, later=LATER, compiled=False)
def generator_in_a_display(x, n):
    m = [*(v * 2 for v in x if v > 0.35), *range(n)]
    return sum(m) * x[0]


@program(X, 2, later=LATER, compiled=False)
def arrays_in_a_display(x, n):
    items = [np.array([v, 1.0]) for v in x[:n]]
    m = [*items, x]
    m[0] *= 2
    return sum(np.sum(v) for v in items) + np.sum(x)


@program(X, 2, later=LATER, compiled=False)
def lists_in_a_display_of_lists(x, n):
    items = [[v] for v in x[:n]]
    m = [*items, [x[0]]]
    m[0].append(x[1])
    return sum(sum(v) for v in items) + sum(len(v) for v in m)


@program(X, 2, later=LATER)
def keys_and_values_in_a_display(x, n):
    d = {i: x[i] for i in range(n)}
    m = [*d, *d.values()]
    return sum(m) * x[2]


@program(X, 2, later=LATER)
def repeated_list_in_a_display(x, n):
    m = [*x, *[x[0]] * n]
    return np.sum(np.array(m) ** 2)


@program(X, 2, later=LATER)
def largest_of_a_display(x, n):
    m = max([*x[:n], 0.35])
    return m * x[1]


@program(X, 2, later=LATER, compiled=False)
def iterator_in_a_display(x, n):
    it = iter([v * 1 for v in x])
    m = [next(it), *it, *it]
    return sum(m) * len(m)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
