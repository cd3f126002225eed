"""Calls that no value of these types suits: does the program raise where they are reached, and only there?"""

import math

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3, 0.7])
Y = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


# ----- in a loop that has no pass
@program(X, 0.3, 1, later=[(X, 0.3, 2), (X, 0.3, 3)])
def squares_of_pairs_that_are_left(x, s, n):
    todo = [(x * s, 1)]
    while todo:
        v, k = todo.pop()
        if k < n:
            todo.append((v * 0.5, k + 1))
        t = np.sum(v)
    return t + np.sum(x * x) + sum(np.sum(t * t) for t in todo)


@program(X, 0.3, 2, later=[(X, 0.3, 0), (X, 0.3, 5)])
def squares_of_pairs_some_of_which_are_left(x, s, n):
    todo = [(x * s, 1)]
    for _ in range(n):
        v, k = todo.pop()
        if k < 3:
            todo.append((v * 0.5, k + 1))
        if not todo:
            break
    return np.sum(x * x) + sum(np.sum(t * t) for t in todo)


@program(X, 0.3, later=[(-X, 0.3), (X, -0.3)])
def pairs_of_a_number_of_either_kind(x, s):
    todo = [(x[0], 0)]
    acc = 0.0
    while todo:
        e, k = todo.pop()
        acc = acc * 0.9 + e * e
        if k < 3:
            todo.extend([(np.tanh(x[1]), k + 1)])
            if e > 0.1:
                todo.extend([(math.tanh(s), k + 1)])
    return acc + sum(np.sum(t * t) for t in todo)


@program(X, 0, later=[(X, 2), (X, 0)], compiled=False)  # of two, it raises whatever the rows are
def cosines_of_rows(x, n):
    total = np.sum(x)
    for row in [x, x * 2.0][:n]:
        total += math.cos(row)
    return total


# ----- on a path
@program(X, 0.5, later=[(X, -0.5), (X[:1], 0.5), (X[:1], -0.5)])
def a_cosine_of_an_array_on_a_path(x, s):
    if s < 0:
        return math.cos(x) * s
    return np.sum(x * s)


@program(X, 2, later=[(X, 3), (X, 1)])
def an_index_of_a_number_on_a_path(x, i):
    if i > 2:
        return x[0][1]
    return x[i] * x[i]


@program(X, 0.5, later=[(X, -0.5), (X, 0.2)])
def an_order_of_complex_numbers_on_a_path(x, s):
    z = x[0] + 1j * s
    if s < 0 and complex(z) < 1:
        return s
    return abs(z) * np.sum(x)


@program(X, 2, later=[(X, 9), (X, 4), (X, 5)])
def a_sine_of_what_grows(x, n):
    for i in range(n):
        if i > 3:
            math.sin(x)
        x = x * 1.1
    return np.sum(x)


@program(X, 1, later=[(X, 7), (X, 0)])
def caught_where_it_is_certain(x, n):
    total = np.sum(x)
    try:
        total = total + math.exp(x)
    except TypeError:
        total = total * n
    return total


# ----- where some types suit
@program(X, 0, later=[(X, 2), (X, 0)])
def bits_of_what_may_be_a_float(x, n):
    r = 0
    for _ in range(n):
        r = r + x[0]
    return np.sum(x * (5 ^ r))


@program(X, 0, later=[(X, 2), (X, 0)])
def a_length_that_may_be_a_float(x, n):
    total = 3
    for _ in range(n):
        total = total + x[0]
    return np.sum(x) * np.sum(np.full(total, 0.5))


@program(X, 0, later=[(X, 1), (X, 0)])
def shifts_of_what_may_be_a_float(x, n):
    r = 3
    for i in range(n):
        r = r * x[i]
    return np.sum(x) * (r << 2)


@program(Y, 0, later=[(Y, 1), (Y, 0)])
def a_range_of_what_may_be_a_float(y, n):
    r = 2
    for i in range(n):
        r = r + y[i, 0]
    total = 0.0
    for k in range(r):
        total = total + np.sum(y[k])
    return total


# ----- conditions of other kinds
@program(X, 0.3, later=[(-X, 0.3), (X[::-1], 0.9)])
def a_list_and_its_last_item(x, s):
    work, total = [], 0.0
    for e in x:
        while work and work[-1] < e:
            total = total + work.pop() * s
        work.append(e)
    return total + sum(work)


@program(X, 3, later=[(X, 0), (X, 1)])
def a_list_or_a_number(x, n):
    todo, total = [x[0]], 0.0
    while todo or n > 0:
        if todo:
            total = total + todo.pop() ** 2
        n = n - 1
        if n > 1:
            todo.append(total * x[1])
    return total


@program(X, 3, later=[(X, 0), (X, 1)])
def not_a_list_and_a_number(x, n):
    todo, total = [v for v in x[1:] if v > 0.5], 1.0
    if not (todo and n):
        return total * np.sum(x)
    return total * sum(todo) * n


@program(X, 3, later=[(X, 0), (X, 1)])
def a_dict_and_its_entry(x, n):
    seen = {}
    for i in range(n):
        seen[i % 2] = x[i]
    return np.sum(x) * (seen[0] if seen and n > 1 and seen[0] > 0.5 else 2.0)


@program(X, 3, later=[(X, 0), (X, 1)])
def an_operand_is_the_value(x, n):
    best = (n and x[n - 1]) or 2.5
    return np.sum(x) * best


# ----- powers of integers
@program(X, 2, later=[(X, 1), (X, 5), (X, 0)])
def powers_of_two_and_ten(x, n):
    total = 0.0
    for k in range(n):
        total = total + np.sum(x) * 2 ** (3 - k % 3) + 10 ** (k - 2) * x[0]
    return total


@program(X, 1, later=[(X, 3), (X, 4), (X, 2)])
def a_power_that_is_a_length(x, n):
    m = min(n, 3)
    for k in range(n):
        x = x + np.sum(x[: 2 ** (m - k)]) * 2 ** (-k - 1)
    return np.sum(x)


@program(X, 1, later=[(X, 2), (X, 3), (X, 4)])
def a_power_that_is_an_index(x, n):
    total = 0.0
    for k in range(n):
        total = total + x[2 ** (1 - k)]
    return total


@program(X, 3, later=[(X, 0), (X, 6)])
def a_negative_power_of_a_negative(x, n):
    total = 0.0
    for k in range(n):
        total = total + (-2) ** (1 - k) * x[k % 4] + (k - 4) ** (k - 2) * x[0]
    return total


@program(X, 0.3, 1, later=[(X, 0.3, 0), (X, 0.3, 2)], compiled=False)
def arrays_that_are_not_written_to(x, s, n):
    shown, fixed = np.broadcast_to(2, x.shape), np.ones(len(x), dtype=int)
    fixed.flags.writeable = False
    total = np.sum(x) * s
    for target in (shown, fixed):
        try:
            if n:
                target += x
            else:
                np.maximum(target, x * s, out=target)
        except ValueError:
            total = total * x[n]
        except TypeError:
            total = total * s
    return total


@program(X, 0.3, compiled=False)
def a_broadcast_number_that_is_added_to(x, s):
    kept = np.broadcast_to(2, x.shape)
    kept += s
    return np.sum(kept * x)


@program(X, 0.3)
def an_item_of_a_number(x, s):
    first = next(iter(x))
    return first.item(0) * s + x[-1].item(-1) * np.sum(x).item()


@program(X, 0.3, compiled=False)
def an_item_that_a_number_has_not(x, s):
    return x[0].item(len(x)) * s


@program(X, 0.3, later=[(X[:2], 0.3), (X, 1.3)], compiled=False)
def an_append_to_a_tuple(x, s):
    kept = x, x * s
    if len(x) < 3:
        kept.append(x)
    return np.sum(kept[-1] * x)


@program(X, 0.3, compiled=False)
def an_operation_into_too_few_axes(x, s):
    kept = x * s
    np.add(kept, x[None], out=kept, where=x > 0.1)
    return np.sum(kept)


@program(X, 0.3, compiled=False)
def an_operation_where_into_integers(x, s):
    kept = np.arange(len(x))
    np.add(kept, x * s, out=kept, where=x > 0.1)
    return np.sum(kept * x)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
