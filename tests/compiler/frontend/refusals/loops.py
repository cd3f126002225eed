"""Loops, and values from outside, that are refused."""

from __future__ import annotations

import numpy as np

from .case import X, refused


@refused("it begins at the item that was the last one then", X)
def reversed_of_a_changed_list(x):
    items = [v for v in x]
    back = reversed(items)
    items.append(x[0])
    total = 0.0
    for v in back:  # here
        total += v
    return total


@refused("there is no end in sight", X)
def list_that_grows_for_ever(x):
    items = [x[0]]
    for v in items:
        items.append(v)  # here
    return items[0]


@refused("the value of an expression, which differs", X)
def function_on_each_path(x):
    fn = np.cos if x[0] > 0 else np.sin  # here
    return np.sum(fn(x))


@refused("what is returned, which differs", X)
def result_of_one_path(x):
    if x[0] > 0:
        return np.sum(x)
    return (x, 1.0)  # here


@refused("a container that is in itself", X)
def ring_in_a_loop(x):
    ring = [x[0]]
    ring.append(ring)
    for v in x:
        ring[0] = v  # here
    return ring[0]


@refused("unrolled, the program gets too long", X)
def loop_over_many(x):
    total = 0.0
    for name in ("a",) * 20001:  # here
        total += x[0] * len(name)
    return total


@refused("a function that raises whatever", X)
def function_that_always_raises(x):
    raise ValueError("always")  # here


@refused("the length of a tuple changes", X)
def tuple_in_tuple(x):
    parts = (1.0,)
    for _ in range(1000):
        parts = (parts, 1.0)  # here
    return np.sum(x)


@refused("its types change in every pass", X)
def floats_that_are_handed_on(x):
    a = b = c = d = e = f = g = h = i = j = 0
    for _ in range(1000):
        b, c, d, e, f, g, h, i, j = a, b, c, d, e, f, g, h, i
        a = a * x[0] + 0.5  # here
    return j


@refused("another object in each pass", X)
def slice_that_changes(x):
    part, total = slice(0, 3), 0.0
    for v in range(1000):
        total += np.sum(x[part])
        part = slice(0, v % 2)  # here
    return total


@refused("while `zip` runs over it", X)
def filter_of_a_list_that_grows(x):
    items, total = [v for v in x], 0.0
    for v, w in zip(items, filter(None, items), strict=False):
        total += v * w
        items.append(v)  # here
    return total


@refused("while a generator expression runs over it", X)
def expression_over_a_list_that_grows(x):
    items, total = [v for v in x], 0.0
    for _, v in enumerate(v * 2.0 for v in items):
        total += v
        items.append(v)  # here
    return total


@refused("`zip` of what makes its items when asked", X)
def rows_for_columns(x):
    above = [v for v in x if v > 0]
    a, b = zip(*zip(map(abs, x), above, strict=False), strict=False)  # here
    return a[0] + b[0]


@refused("the structure of a dict changes", X)
def dict_whose_keys_get_lost(x):
    found, lists = {}, {0: [x[0]]}
    for i in range(len(x)):
        found[i] = [x[i]]
    for _ in range(1000):
        lists = found  # here
    return lists[0][0]


@refused("a loop carries it on in a container", X)
def row_in_a_tuple_from_pass_to_pass(x):
    rows, pair = [], ([x[0]], 0)
    for i in range(len(x)):
        row = [x[i]]
        rows.append(row)
        pair[0].append(x[0])
        pair = (row, i)  # here
    return sum([sum(row) for row in rows])


@refused("a loop carries it on in a container", X)
def row_in_a_tuple_behind_a_loop(x):
    rows = []
    for i in range(len(x)):
        row = [x[i]]
        rows.append(row)
        rows[0].append(x[i])
        pair = (row, i)  # here
    pair[0].append(2.0)
    return sum([sum(row) for row in rows])


@refused("another one than those that the loop was read with", X)
def array_in_a_tuple_that_a_later_pass_finds_in_a_list(x):
    kept, rows = x * 2.0, []
    pair, before = (np.cos(x), 1.0), kept
    for i in range(len(x)):
        kept[0] += np.sum(pair[0])
        pair = (before, 2.0)
        row = x * i
        rows.append(row)
        before = row
        row += 1.0  # here
    return np.sum(kept) + np.sum(rows[0])


@refused("it may be an array, a number or None", X)
def number_in_a_tuple_that_a_later_pass_finds_in_a_list(x):
    kept, rows = x * 2.0, []
    pair, before, last = (1.5, 1.0), kept, np.cos(x)
    for i in range(len(x)):
        kept[0] += np.sum(pair[0])
        pair = (before, 2.0)
        before = last
        row = x * i
        rows.append(row)
        last = row
        row += 1.0  # here
    return np.sum(kept) + np.sum(rows[0])


@refused("an array gets a place at the end of its passes", X)
def dict_of_fixed_keys_in_place_of_one_of_others(x):
    found = {}
    for i in range(len(x)):
        found[i] = x * i
    for i in range(len(x)):
        found[0] += 1.0
        row = x * i
        found = {0: row}
        row += 1.0  # here
    return np.sum(found[0])
