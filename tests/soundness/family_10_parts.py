"""How many parts, how much padding, which key: known at run time only."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
NINE = np.linspace(-1.0, 2.0, 9)


def steps(x, n):
    k = 0
    for i in range(n):
        k += int(x[i % len(x)] > 0.0)
    return k


@program(FOUR, 4, later=[(FOUR, 1), (NINE, 9), (NINE, 3)])
def padded_by_what_a_loop_counts(x, n):
    y = np.pad(x, steps(x, n)) + x[0]
    return np.mean(y**2) + len(y)


@program(FOUR, 4, later=[(FOUR, 2), (NINE, 9)])
def padded_on_one_side(x, n):
    k = steps(x, n)
    y = np.pad(np.outer(x, x), ((k, 0), (1, k)), constant_values=2.0)
    return np.std(np.sin(y)) * y[-1, -k - 1] + np.sum(y[0] * x[0])


@program(FOUR, 4, later=[(FOUR, 1), (NINE, 2)])
def padded_by_the_edge(x, n):
    y = np.pad(x, steps(x, n), mode="edge")
    return np.sum(y * np.arange(len(y))) / len(y)


@program(FOUR, 1, later=[(FOUR, 4), (FOUR, 1)], compiled=False)
def padded_by_less_than_nothing(x, n):
    return np.sum(np.pad(x, steps(x, n) - 1) ** 2)


@program(FOUR, 0, later=[(FOUR, 4)], compiled=False)
def cut_into_no_parts(x, n):
    return np.sum(np.array_split(x, steps(x, n))[0] ** 2)


@program(FOUR, 4, later=[(NINE, 9), (NINE, 2), (FOUR, 1)])
def cut_into_parts(x, n):
    parts = np.array_split(np.sin(x), max(steps(x, n), 1))
    total = parts[-1][0] * len(parts)
    for i, part in enumerate(parts):
        total = total + np.sum(part) * np.mean(part) * i
    return total


@program(FOUR, 4, later=[(NINE, 9), (NINE, 1)])
def a_part_is_a_view(x, n):
    y = x * 2.0
    parts = np.array_split(y, steps(y, n))
    parts[0] *= x[1]
    first = parts[0]
    first[0] = 3.0 * x[0]
    return np.sum(y**2) + np.sum(parts[-1])


@program(FOUR, 4, later=[(NINE, 9), (FOUR, 1)])
def rows_are_cut(x, n):
    parts = np.array_split(np.outer(x, np.cos(x)), steps(x, n))
    return np.sum(parts[0] @ x) + np.sum(parts[-1][:, 0])


@program(FOUR, 4, later=[(FOUR, 1), (FOUR, 3), (NINE, 9)], compiled=False)
def cut_evenly(x, n):
    k = 1 + steps(x, n) // 3
    return sum(np.sum(part) ** 2 for part in np.split(x[:6], 2 * k)) + k


@program(FOUR, 0.3, later=[(FOUR, -2.0), (NINE, 0.2)])
def chosen_by_a_truth_value(x, s):
    total = x[0] * s
    table = {True: total**2, False: np.sum(x)}
    other = {False: x, 1: x * 2.0, "a": 3.0}
    y = other[np.max(x) * s > 0.1]
    y[0] = total
    return table[total > 0.1] * other["a"] + np.sum(other[False]) + table[1] * np.sum(other[total < 0.0])


@program(FOUR, 0.3, later=[(FOUR, -2.0), (FOUR, 0.3)], compiled=False)
def a_truth_value_that_is_no_key(x, s):
    table = {True: x[0] * s, "b": x[1]}
    try:
        r = table[x[0] * s > 0.0]
    except KeyError:
        r = x[2]
    return r * table[x[0] > 0.0]


@program(FOUR, 3, later=[(FOUR, 0), (NINE, 9)])
def sorted_entries_with_lists(x, n):
    seen = {}
    for i in range(n):
        seen.setdefault(int(x[i % len(x)] > 0.6), []).append(x[i % len(x)])
    acc = x[0]
    for key, rows in sorted(seen.items(), reverse=True):
        acc = acc * 0.7 + sum(rows) * (key + 1)
    for rows in sorted([*seen.values()]):
        acc = acc * rows[0] + len(rows)
    return acc


@program(FOUR, 3, later=[(FOUR, 0), (FOUR, 1)])
def a_condition_reads_what_may_be_unbound(x, n):
    for i in range(n):
        last = i
    step, cur = 0, x[0]
    while np.sum(cur**2) > 0.01 and step < max(2 ** (last % 3), 1):
        cur = np.tanh(cur) * 0.8
        step += 1
    return cur * x[1] + step * last


@program(FOUR, 3, later=[(FOUR, 0)])
def an_attribute_that_no_number_has(x, n):
    k = steps(x, n)
    return np.sum(x) * (k if k >= 1 else (1).missing)


@program(FOUR, 3, later=[(FOUR, 1)])
def another_kind_behind_a_loop(x, n):
    k = x[0] * 2.0
    t = 0.0
    for k in range(4):
        t += x[k % 2]
    j = x[1]
    while True:
        j = n
        t = t * x[j]
        if t < 9.0:
            break
    return t * k * x[k - 3] * x[j - 1]


@program(FOUR, 2)
def read_in_the_next_pass_as_another_kind(x, n):
    k = x[0] * 2.0
    t = 0.0
    for i in range(3):
        t = t + k * x[1]
        k = i
    return t * (k + 1) * x[2]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
