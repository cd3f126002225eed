"""What is a number on one path and an array on the other: who else has it, and who takes it for a number?"""

import math

import numpy as np

import ast_ad

from .harness import program

X = np.array([0.4, -0.9, 1.3, 0.7])
Y = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


# ----- a change in place: an array is changed under all its names, a number is replaced
@program(X, 1, later=[(X, 0), (X[:2], 1), (X.astype("f"), 1), (X.astype("f"), 0)])
def zero_or_the_argument(x, n):
    b = 0.0
    if n:
        b = x
    b += np.tanh(x[0])
    return np.sum(b * b) + np.sum(x)


@program(X, 1, later=[(X, 0), (X[:2], 1)])
def its_first_number_or_all_of_it(x, n):
    g = x
    if not n:
        g = g[0]
    h = g
    g *= np.tanh(x[1])
    return np.sum(g * x) + np.sum(h) * x[2 % len(x)]


@program(X, 1, 1, later=[(X, 0, 1), (X, 1, 0), (X, 0, 0)])
def one_of_two_and_a_number(x, n, m):
    a, b = x * 2.0, np.sin(x)
    c = a if n else b
    if not m:
        c = x[0]
    c *= 3.0
    c += a
    return np.sum(a) + np.sum(b * x) + np.sum(c)


@program(Y, 2, later=[(Y, 1), (Y, 0)])
def matrices_and_rows_and_numbers(y, n):
    v = y if n == 2 else y[0] if n == 1 else y[0, 1]
    w = v
    v *= 1.5
    w += y[1, 2]
    return np.sum(y * y) + np.sum(v) + np.sum(w)


@program(X, 1, later=[(X, 0)])
def an_array_without_axes_of_its_own(x, n):
    v = np.array(x[0]) if n else x[1]
    v *= 3.0
    return v


@program(X, np.array([3, 1, 2]), 1, later=[(X, np.array([3, 1, 2]), 0)])
def integers(x, k, n):
    v = k if n else 2
    w = v
    v += 3
    return np.sum(x[:3] * v) + np.sum(w) + np.sum(k)


@program(X, 4, later=[(X, 0), (X, 1), (X, 2)])
def an_integer_at_first(x, n):
    total, seen = 0, []
    for i in range(n):
        total += x * i if i > 1 else i
        seen.append(total)
        total = total * 1.5
    return np.sum(total) * x[0] + sum(np.sum(s * x) for s in seen)


@program(X, 3, later=[(X, 0), (X, 1)])
def in_nested_loops(x, n):
    v, kept = 0.0, 1.0
    for i in range(n):
        for j in range(i):
            kept = v
            v = v + x * j
            v -= x[0]
        kept *= 0.5
    return np.sum(v * x) + np.sum(kept)


@program(X, 0.2, later=[(X, 2.0), (X, -1.0)])
def until_it_is_large(x, s):
    v, w, turns = s, s, 0
    while np.sum(np.abs(v)) < 3.0:
        w = v
        v = v * 2.0 if turns < 1 else v + np.abs(x)
        w *= 1.5
        turns += 1
        if turns > 4:
            break
    w += 1.0
    return np.sum(v * x) + np.sum(w)


@program(X, 3, later=[(X, 0), (X, 1)])
def the_last_one_of_the_argument(x, n):
    best = 0.0
    for i in range(n):
        if i % 2 == 0:
            best = x
        else:
            best = x[i]
    best *= 2.0
    return np.sum(best * x)


# ----- items of what has more axes on one path
@program(Y, 1, later=[(Y, 0)])
def a_row_or_a_number_of_it(y, n):
    b = y * 1.0 if n else y[0] * 2.0
    c = b
    b[0] *= np.tanh(y[1, 1])
    b[1:] -= y[0, 0]
    b[...] *= 2.0
    return np.sum(b * b) + np.sum(c)


@program(Y, 1, later=[(Y, 0)])
def by_places(y, n):
    b = y * 1.0 if n else y[0] * 2.0
    b[[0, 2]] *= y[1, 1]
    b[b > 0.5] += y[0, 1]
    return np.sum(b * b)


@program(Y, 1, later=[(Y, 0)])
def read_before_and_behind(y, n):
    b = y * 1.0 if n else y[0] * 2.0
    first = np.sum(b[0])
    b[0] += first
    return np.sum(b[0] * first) + np.sum(b)


@program(Y, 1, later=[(Y, 0)])
def a_row_where_a_number_was(y, n):
    b = y * 1.0 if n else y[0] * 2.0
    b[0] += y[1]
    return np.sum(b)


@program(X, 1, later=[(X, 0)])
def an_item_of_a_number(x, n):
    y = x * 2.0 if n else x[0]
    y[0] *= 2.0
    return np.sum(y)


@program(X, 1, later=[(X, 0), (X, 2)])
def a_store_in_a_number(x, n):
    y = x * 2.0 if n == 1 else x[0] if n else 1.0
    y[...] = 2.0 * x[1]
    return np.sum(y)


@program(X, 1, later=[(X, 0)], compiled=False)
def filled(x, n):
    y = x * 2.0 if n == 1 else 2.0
    y.fill(3.0)
    return np.sum(y * x)


@program(X, later=[X[:2]], compiled=False)
def numbers_of_numpys_filled(x):
    """They are not: NumPy fills an array that it makes of them."""
    h, t = np.min(x), np.sum(x) * 2.0
    h.fill(np.tanh(x[1]))
    t.put(0, x[0])
    np.put(t, [0], 7.0)
    return h * t + x[0]


@program(X, 1, later=[(X, 2), (X, 0)], compiled=False)
def a_number_that_loops_make(x, n):
    h = x * 1.0
    for i in range(n):
        h = h * x[i] if i else np.max(h * x)
    h.fill(np.cos(x[0]))
    return np.sum(h) * x[1]


@program(X, 1, later=[(X, 0)], compiled=False)
def put_into_a_number(x, n):
    y = x * 2.0 if n else 2.0
    np.put(y, 0, x[1])
    return np.sum(y * x)


@program(X, later=[X[:2]], compiled=False)
def put_into_a_number_of_pythons(x):
    np.put(2.0, 0, x[1])
    return np.sum(x)


@program(X, later=[X[:2]], compiled=False)
def put_into_a_list(x):
    np.put([x[0], 2.0], 0, x[1])
    return np.sum(x)


@program(X, 1, later=[(X, 0)], compiled=False)
def added_at_places(x, n):
    y = x * 2.0 if n else np.sum(x)
    np.add.at(y, 0, x[1])
    return np.sum(y * x)


@program(X, 1, later=[(X, 0)], compiled=False)
def sorted_where_it_is(x, n):
    y = x * 2.0 if n else np.sum(x)
    y.sort()
    return np.sum(y * x)


@program(X, 1, later=[(X, 0)])
def copied_to(x, n):
    y = x * 2.0 if n else x[0]
    np.copyto(y, x[0])
    return np.sum(y * x)


# ----- functions of numbers
@program(X, 0, later=[(X, 1), (X[:1], 0), (X, 2), (X.astype("f"), 0)])
def of_a_number(x, n):
    y = x if n == 1 else np.sum(x) if n == 0 else np.array(x[1])
    return math.tanh(y) * x[0]


@program(X, 0, later=[(X, 1), (X, 2)])
def of_nothing_that_is_read(x, n):
    y = x if n == 1 else np.sum(x) if n == 0 else 2.0
    math.tanh(y)
    return np.sum(x * y)


@program(X, 0, later=[(X, 1), (X, 2)])
def lengths_of_what_is_a_number(x, n):
    y = x if n == 1 else np.sum(x) if n == 0 else np.array(2.0 * x[2])
    k = math.floor(y) + int(y) + math.ceil(y)
    return np.sum(np.ones(k + 1) * x[0]) * math.sin(y)


@program(X, 0, later=[(X, 1), (X, 2)])
def converted(x, n):
    y = x if n == 1 else np.sum(x) if n == 0 else np.array(2.0 * x[2])
    z = complex(float(y), y)
    return (z * z).real * x[0] + math.atan2(y, x[2])


@program(X, 0, later=[(X, 1)])
def the_item_of_what_is_a_vector(x, n):
    u = x if not n else 1.09
    acc = u[0]
    for i in range(3):
        acc *= math.cos(u[i])
    return acc


@program(X, 2, later=[(X, 0), (X, 1)])
def within_a_loop(x, n):
    u, total = x[0], 0.0
    for i in range(n):
        total += math.sin(u)
        u = x * u if i else u + 1.0
    return total + np.sum(u)


# ----- as the limit of a loop
@program(X, 1, later=[(X, 0), (X, 2)])
def a_limit(x, n):
    v = 2 if n == 1 else x * 0.0 + 1.0 if n == 2 else 3
    for i in range(2 ** (v % 3)):
        p = x[i % 4] * 2.0
    return p + i


@program(X, 1, later=[(X, 0), (X, 2)])
def a_limit_below(x, n):
    v = 0 if n == 1 else np.array([3, 4]) if n == 2 else np.array(3)
    total = 0.0
    for i in range(4, v, -1):
        p = x[i % 4] * 2.0
        total += p
    return total + p * i


@program(X, 0, later=[(X, 1)])
def mapped(x, n):
    u = x if not n else np.outer(x, x)
    return sum(map(math.sin, u)) * x[0] + sum([math.exp(e) for e in u])


# ----- gradients of gradients: what is added to a number's cotangent is not added to another's
def of_sums_after_a_loop(x, s):
    a = np.sum(x)
    v = np.full(x.shape, 1.43)
    for _ in range(2):
        if s < -0.61:
            continue
        v = x[2]
    b = np.sum(v) + np.sum(v) * a
    return np.sin(b)


def of_sums_after_a_branch(x, s):
    v = x * x
    if s > 0:
        v = x[2] * x[1]
    a, b, c = np.sum(v), np.mean(v), np.sum(v) * x[0]
    return np.sin(a * b + c) * a


SUMS_AFTER_A_LOOP = ast_ad.grad(of_sums_after_a_loop)
SUMS_AFTER_A_BRANCH = ast_ad.grad(of_sums_after_a_branch)


@program(X, 0.2, X * 2 + 1, later=[(X, -0.7, X), (X[:3], 0.3, X[1:])], wrt=(0,))
def gradient_of_sums_after_a_loop(x, s, direction):
    return np.sum(SUMS_AFTER_A_LOOP(x, s) * direction)


@program(X, 0.2, X * 2 + 1, later=[(X, -0.7, X), (X[:3], 0.3, X[1:])], wrt=(0,))
def gradient_of_sums_after_a_branch(x, s, direction):
    return np.sum(SUMS_AFTER_A_BRANCH(x, s) * direction)


@program(X, 2, later=[(X, 3), (X[:2], 4), (X, 2)])
def sum_that_numbers_do_not_have(x, n):
    h = x[0]
    if n > 1:
        h = x * 0.6
    return math.fsum(h) + np.sum(x) * n


@program(Y, 0, later=[(Y, 2), (Y[:1], 1)], compiled=False)
def axes_that_are_not_there(y, n):
    v = 0
    for _ in range(n):
        v = v + y
    try:
        return np.sum(y) * np.size(v, 1) + np.size(y, -1) + np.size(y, 2)
    except (IndexError, ValueError):
        return np.sum(y) * np.size(y, 0)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
