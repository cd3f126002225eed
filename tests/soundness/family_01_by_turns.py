"""Lengths that a turn or a choice decides: items let through, lists that change, cuts and differences."""

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3, 0.7, -0.2])
Y = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


# ----- lengths of what has as many axes as the path decides
@program(X, 1, later=[(X, 0), (X, 2)])
def rows_or_numbers_in_pairs(x, n):
    g = x * 1.0
    for _ in range(1):
        if n > 0:
            g = g * np.ones((2, 1)) * n
    total = np.sum(g)
    for e, d in zip(g, g[1:]):
        total = total + np.sum(e * d)
    return total


# ----- filter
@program(X, 0.5, later=[(X, -2.0), (X, 2.0)])
def a_list_of_what_is_larger(x, s):
    kept = list(filter(lambda t: t > s, x))
    return sum(v * (k + 1) for k, v in enumerate(kept)) + len(kept) * np.sum(x)


@program(X, 0.5, later=[(X, -2.0), (X, 2.0)])
def a_loop_over_what_is_larger(x, s):
    total = last = 0.0
    for v in filter(lambda t: t > s, x):
        if v > 1.0:
            continue
        total += v * v
        last = v
    return total + last * np.sum(x)


@program(X, 2, later=[(X, 5), (X, 0)])
def sums_of_filters(x, n):
    return sum(filter(None, x[:n] * 2.0)) + max(filter(lambda t: t < 1.0, x)) * np.sum(x)


@program(X, 2, later=[(X, 5), (X, 0)])
def filters_of_ranges(x, n):
    return sum(x[i] * i for i in filter(lambda i: i % 2 == 0, range(n))) + x[0] ** 2


@program(X, 0.5, later=[(X, -2.0), (X, 2.0)])
def the_function_of_a_filter_counts(x, s):
    calls = []

    def large(t):
        calls.append(t)
        return t > s

    total = 0.0
    for v in filter(large, x):
        total += v * len(calls)
        if total > 1.0:
            break
    return total + sum(calls)


@program(X, 0.5, later=[(X, -2.0), (X, 2.0)])
def the_limit_of_a_filter_changes(x, s):
    total = 0.0
    for v in filter(lambda t: t > s, x):
        s = s + 0.1
        total += v * s
    return total


# ----- lists that change while a loop runs over them
@program(X, 0.5, later=[(X[:2], 0.5), (X[:1], 0.5)])
def the_first_of_a_reversed_list_is_set(x, s):
    items = [v for v in x]
    total = 0.0
    for v in reversed(items):
        items[0] = v * s
        total += v * items[0]
    return total


@program(Y, 0.5, later=[(Y * 2.0, 0.1)])
def the_first_of_a_static_reversed_list_is_set(y, s):
    items = [y[0], y[1], y[2]]
    total = 0.0
    for row in reversed(items):
        items[0] = row * s
        total += np.sum(row * items[0])
    return total


@program(X, 0.5, later=[(X[:2], 0.5), (X[:0], 0.5)])
def a_list_grows_beside_an_array(x, s):
    items, total = [s], 0.0
    for a, b in zip(items, x):
        items.append(a * b)
        total += a + b
    return total + sum(items)


@program(X, 0.5, later=[(X[:2], 0.5), (X[:0], 0.5)])
def an_array_beside_a_list_that_grows(x, s):
    items, total = [s], 0.0
    for k, (b, a) in enumerate(zip(x, items)):
        if k < 3:
            items.append(a * b)
        total += a * k + b
    return total + len(items) * s


@program(X, 2, later=[(X, 0), (X, 9)])
def the_end_of_a_zipped_list_is_taken(x, n):
    items, total = list(x), 0.0
    for i, v in zip(range(n), items):
        if len(items) > 2:
            total += items.pop() * v
        total += v * i
    return total + sum(items)


@program(X, 2, later=[(X, 1), (X, 9)])
def a_reversed_list_gets_shorter(x, n):
    items, total = list(x), 0.0
    for v in reversed(items):
        total += v * len(items)
        for _ in range(n):
            if items:
                items.pop()
    return total


@program(X, 2, later=[(X, 1), (X, 9)])
def a_reversed_list_gets_longer(x, n):
    items, total = list(x), 0.0
    for v in reversed(items):
        items.append(v * n)
        total += v * items[-1]
    return total + len(items) * x[0]


@program(X, 3, later=[(X, 1), (X, 5)])
def two_lists_exchange_items(x, n):
    a, b, total = list(x), list(x[::-1] * 2.0), 0.0
    for u, v in zip(a, b):
        a[n % 5], b[1] = v, u
        total += u * v
    return total + sum(a) + sum(b)


# ----- differences and cuts at run time
@program(X, 2, later=[(X, 0), (X, 1), (X, 4), (X, 7)])
def differences_of_each_order(x, n):
    total = 0.0
    for k in range(n):
        total += np.sum(np.sin(np.diff(x, n=min(k, x.shape[-1]))))
    return total


@program(X, -1, later=[(X, 0), (X, 3)], compiled=False)  # an order that is an argument is a constant
def a_negative_order(x, n):
    order = min(n, len(x))
    return np.sum(np.diff(x, order) ** 2)


@program(X, 1, later=[(X, 0), (X, 4)])
def differences_that_are_the_array(x, n):
    y = x * 2.0
    total = 0.0
    for k in range(n):
        d = np.diff(y, k)
        y = y * 1.5
        total += np.sum(d * d)
    return total


@program(X, 3, later=[(X, 0), (X, 9), (X, -2)])
def parts_at_places(x, k):
    total = 0.0
    for i in range(3):
        a, b = np.split(x, [(k + i) // 2])
        total += np.sum(a) * (i + 1) + np.sum(b * b)
    return total


@program(X, 3, later=[(X, 1), (X, 9), (X, -2)])
def parts_that_are_written(x, k):
    y = x * 1.0
    for i in range(3):
        a, b, c = np.array_split(y, [i, k + i])
        b *= 2.0
        c[:1] = np.sum(a)
    return np.sum(y * x)


@program(Y, 1, later=[(Y, 2), (Y, 0)])
def columns_at_places(y, k):
    total = 0.0
    for i in range(2):
        a, b = np.hsplit(y, [k + i])
        total += np.sum(a) - np.sum(b) * y[0, 0]
    return total


@program(X, 3, later=[(X, 0), (X, 5), (X, 6)])
def a_range_as_an_index(x, n):
    total = np.sum(x)
    for k in range(n):
        w = x[range(min(k, 3))] * total
        total = total + np.sum(w * w)
    return total


@program(X, 3, later=[(X, 0), (X, 4)])
def a_range_as_an_index_of_a_store(x, n):
    y = x * 1.0
    for k in range(n):
        y[range(k % 4)] *= 2.0
    return np.sum(y * x)


MASK = np.array([0, 1, 0, 1, 0])


@program(X, MASK, 2, later=[(X, MASK + 1, 1), (X, MASK * 0, 2), (X[:0], MASK[:0], 0), (X, 1 - MASK, 3)])
def ends_without_zeros(x, mask, n):
    total = np.sum(x)
    for k in range(n):
        inside = np.trim_zeros(x * (mask > k - 1))
        total = total + np.sum(inside * inside) * len(inside) + len(np.trim_zeros(x * mask, "f")) * x[k]
    return total + np.sum(np.trim_zeros(x * mask, trim="b") ** 3)


@program(X, MASK, 2, later=[(X, 1 - MASK, 1), (X, MASK * 0, 2)])
def written_between_the_ends(x, mask, n):
    y = x * mask
    inside = np.trim_zeros(y)
    inside[...] = np.cos(inside + x[1]) * n
    return np.sum(y * x) + np.sum(y)


# ----- lists of arrays
@program(X, 3, later=[(X[:2], 0), (X[:0], 1)])
def lists_of_what_is_chosen(x, n):
    items = np.where(x > 0.3, x, n * x).tolist()
    items.append(items[-1] if items else 0.5)
    return sum(np.sum(v) * (k + 1) for k, v in enumerate(items))


@program(Y, 3, later=[(Y, 0), (Y[:0], 1), (Y[:, :0], 1)])
def lists_of_rows(y, n):
    items = np.where(y > 0.3, y, n * y).tolist()
    items.append([n * 0.5])
    return sum(np.sum(v) * (k + 1) for k, v in enumerate(items))


@program(X, 0.5, later=[(X[:2], 0.5), (X[:0], 0.5)])
def lists_of_booleans(x, s):
    flags = (x > s).tolist()
    return np.sum(x) * (sum(flags) + 1) + (flags[0] + flags[-1] if flags else 0) * s


# ----- indices of which there are too many
@program(X, 3, later=[(X, 0), (X, 4)])
def too_many_indices_on_a_path(x, n):
    total = 0.0
    for k in range(n):
        total += x[k, 0] if k == 3 else x[k]
    return total


@program(X, 3, later=[(X, 0), (X, 4)])
def matrices_that_do_not_fit_are_caught(x, n):
    try:
        scale = np.ones(3) @ np.ones(4)
    except ValueError:
        scale = 2.0
    return np.sum(x) * scale * n


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
