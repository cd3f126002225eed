"""Dicts whose keys are known at run time only: aliases, changes while they are run over, keys of many types.

All must be right; traced is enough.
"""

import numpy as np

import ast_ad

from .harness import program

NINE = np.array([0.4, -0.9, 1.3, 0.7, 0.25, -0.35, 1.1, -1.4, 0.6])
KEYS = np.array([3, 1, 3, 7, 1, 1, 7, 3, 0])


@program(NINE, KEYS, compiled=False)
def added_while_run_over(x, keys):
    d = {int(k): x[i] for i, k in enumerate(keys)}
    total = 0.0
    for k in d:
        total += d[k]
        if k == 1:
            d[99] = x[0]
    return total


@program(NINE, compiled=False)
def added_to_static_keys(x):
    d = {1: x[0], 2: x[1]}
    total = 0.0
    for k in d:
        total += d[k]
        d[k + 10] = x[2]
    return total


@program(NINE, 2, compiled=False)
def added_by_an_int(x, n):
    d = {1: x[0], 2: x[1]}
    total = 0.0
    for k in d:
        total += d[k]
        for i in range(n):
            d[i + 1] = d[i + 1] * 2.0
    return total


@program(NINE, KEYS, compiled=False)
def removed_while_run_over(x, keys):
    d = {int(k): x[i] for i, k in enumerate(keys)}
    total = 0.0
    for k, v in d.items():
        total += v
        if k == 7:
            d.pop(k)
    return total


@program(NINE, KEYS, compiled=False)
def removed_from_a_copy_of_keys(x, keys):
    d = {int(k): x[i] for i, k in enumerate(keys)}
    total = 0.0
    for k in list(d):
        total += d.pop(k) * (k + 1)
        if k == 1:
            d[50] = total
    return total + sum(d.values())


@program(NINE, KEYS, compiled=False)
def order_of_removed_keys(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        if k in d:
            del d[k]
        d[k] = x[i]
    total = 0.0
    for k, v in d.items():
        total = total * 0.5 + v * (k + 1)
    return total


@program(NINE, KEYS, compiled=False)
def two_names(x, keys):
    d = {}
    e = d
    for i in range(len(x)):
        d[int(keys[i])] = x[i]
        e[int(keys[0])] = x[i] * 2
    e = dict(d)
    e[3] = x[0]
    return sum(d.values()) * sum(e.values()) + len(d)


@program(NINE, KEYS, 1, later=[(NINE, KEYS, -1)], compiled=False)
def one_of_two(x, keys, n):
    d, e = {}, {}
    for i in range(len(x)):
        d[int(keys[i])] = x[i]
        e[int(keys[i]) + 1] = x[i] * 2
    if n > 0:
        f = d
    else:
        f = e
    f[100] = x[0] * x[1]
    return sum(d.values()) * sum(e.values()) + sum(f.values())


@program(NINE, KEYS, compiled=False)
def in_a_helper(x, keys):
    def count(table, k, v):
        table[k] = table.get(k, 0.0) + v
        return table

    d = {}
    for i in range(len(x)):
        e = count(d, int(keys[i]), x[i])
    e[3] = 5.0 * x[0]
    return sum(v * v for v in d.values())


@program(NINE, KEYS, compiled=False)
def list_has_another_name(x, keys):
    d = {}
    for i in range(len(x)):
        d.setdefault(int(keys[i]), []).append(x[i])
    r = d[3]
    d[3].append(x[0])
    r.append(x[1])
    d[1] = r
    d[1].append(x[2])
    return sum(r) * len(d[3]) + sum(sum(v) for v in d.values())


@program(NINE, KEYS, compiled=False)
def one_list_for_all(x, keys):
    d = {}
    one = []
    for i in range(len(x)):
        d.setdefault(int(keys[i]), one).append(x[i])
    return sum(d[3]) * len(d[1])


@program(NINE, KEYS, compiled=False)
def one_array_for_all(x, keys):
    d = {}
    one = np.zeros(3)
    for i in range(len(x)):
        d.setdefault(int(keys[i]), one)
        d[int(keys[i])][0] += x[i]
    return d[3][0] * d[1][0]


@program(NINE, KEYS, compiled=False)
def array_read_then_replaced(x, keys):
    d = {}
    for i in range(len(x)):
        d[int(keys[i])] = x * x[i]
    a = d[3]
    b = d[3]
    d[3] = x * 2
    a[0] = 7.0
    return np.sum(a) + np.sum(b * b) + np.sum(d[3])


@program(NINE, KEYS, compiled=False)
def array_put_and_written(x, keys):
    d = {}
    u = x.copy()
    for i in range(len(x)):
        d[int(keys[i])] = u
        u *= 0.9
    return np.sum(d[3] * d[1])


@program(NINE, KEYS, compiled=False)
def keys_of_two_types(x, keys):
    d = {}
    for i in range(len(x)):
        if i % 2:
            d[int(keys[i])] = x[i]
        else:
            d[str(i)] = x[i]
    return sum(d.values()) * len(d)


@program(NINE, KEYS, compiled=False)
def ints_of_two_types(x, keys):
    d = {}
    for i in range(len(x)):
        d[i] = x[i]
        d[keys[i]] = x[0] * x[i]
    total = 0.0
    for k in d:
        total = total * 0.5 + d[k] * k
    return total


@program(NINE, compiled=False)
def bools_as_keys(x):
    d = {}
    for i in range(len(x)):
        d[bool(x[i] > 0)] = d.get(bool(x[i] > 0), 0.0) + x[i]
    return d[True] * d[False] + d[1]


@program(NINE, 4, compiled=False)
def tuples_as_keys(x, n):
    d = {}
    for i in range(n):
        for j in range(n):
            d[i, j] = x[i] * x[j]
    total = 0.0
    for (i, j), v in d.items():
        total += v * (i + 2 * j)
        if (j, i) in d and i != j:
            total += d[j, i] * d.get((i, j + 1), x[0])
    return total


@program(NINE, 3, compiled=False)
def a_node_by_name(x, n):
    edges = {"a": ["b", "c"], "b": ["c"], "c": []}
    cost = {"a": 0.0}
    todo = ["a"]
    k = 0
    while todo:
        v = todo.pop()
        for w in edges[v]:
            new = cost[v] + x[k] ** 2
            k += 1
            if w not in cost or new < cost[w]:
                cost[w] = new
                todo.append(w)
    return cost["c"] * x[8]


@program(NINE, KEYS, compiled=False)
def dict_of_dicts(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        if k not in d:
            d[k] = {}
        d[k][i % 2] = x[i]
    return sum(sum(e.values()) * len(e) for e in d.values())


@program(NINE, KEYS, compiled=False)
def list_of_dicts(x, keys):
    ds = [{} for _ in range(3)]
    for i in range(len(x)):
        ds[i % 3][int(keys[i])] = x[i]
    return sum(sum(d.values()) * len(d) for d in ds)


@program(NINE, KEYS, compiled=False)
def returned(x, keys):
    d = {}
    for i in range(len(x)):
        d[int(keys[i])] = x[i]
    e = d
    d = {}
    d[1] = x[0]
    return sum(e.values()) + sum(d.values()) * len(e)


@program(NINE, KEYS, compiled=False)
def none_as_default(x, keys):
    d = {}
    last = None
    for i in range(len(x)):
        k = int(keys[i])
        before = d.get(k)
        if before is not None and last is not None:
            d[k] = before * x[i] + last
        else:
            d[k] = x[i]
        last = before
    return sum(d.values())


@program(NINE, KEYS, compiled=False)
def active_default(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        d[k] = d.get(k, x[0] * i) * x[i] + d.pop(k + 1, x[1])
    total = 0.0
    for v in d.values():
        total = total * 0.3 + v
    return total


@program(NINE, KEYS, compiled=False)
def updated(x, keys):
    d, e = {}, {}
    for i in range(len(x)):
        d[int(keys[i])] = x[i]
        e[i] = x[i] * 2
    d.update(e)
    d |= {3: x[0]}
    d.update({1: x[1], 20: x[2]})
    e.clear()
    f = {**d}
    return sum(v * k for k, v in d.items()) + len(e) + sum(f.values())


@program(NINE, KEYS, compiled=False)
def empty_and_missing(x, keys):
    d = {}
    total = 0.0
    for i in range(len(x)):
        if d:
            total += x[i]
        if len(d) > 2 and not d.get(3, 0.0):
            total += x[0]
        if x[i] > 1.0:
            d[int(keys[i])] = x[i]
    return total + d[3] * d.get(5, 2.0)


@program(NINE, KEYS, compiled=False)
def missing(x, keys):
    d = {}
    for i in range(len(x)):
        if x[i] > 100.0:
            d[int(keys[i])] = x[i]
    return x[0] + d[3]


@program(NINE, KEYS, compiled=False)
def left_early(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        if k in d:
            return d[k] * x[i] + len(d)
        d[k] = x[i] ** 2
    return x[0]


@program(NINE, KEYS, compiled=False)
def left_in_the_loop_over_it(x, keys):
    d = {int(k): x[i] for i, k in enumerate(keys)}
    total = 0.0
    for k, v in d.items():
        if k == 1:
            continue
        total += v * v
        if k == 7:
            break
    else:
        total = x[0]
    return total


@program({"a": 0.3, "b": NINE}, 2, compiled=False)
def dict_of_the_caller(p, n):
    q = dict(p)
    q["a"] = q["a"] * 2.0
    total = 0.0
    for k in q:
        total += np.sum(q[k]) * n
    return total


@program({1: 0.3, 2: 0.7}, KEYS, compiled=False)
def dict_of_the_caller_by_key(p, keys):
    total = 0.0
    for k in keys:
        total += p.get(int(k), 0.5) * total + p[1]
    return total


@program(NINE, KEYS, compiled=False)
def second_dict_of_keys(x, keys):
    place = {}
    values = []
    for i in range(len(x)):
        k = int(keys[i])
        if k not in place:
            place[k] = len(values)
            values.append(x[i])
        else:
            values[place[k]] += x[i] ** 2
    return sum(v * (place[3] + 1) for v in values)


@program(NINE.astype(np.float32), KEYS, compiled=False)
def single_precision(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        d[k] = d.get(k, 0) + x[i]
    return d[3] * d[1] + d.get(77, 1.5)


# ----- gradients of gradients: what is put into a dict or list holds no float yet
def of_lists_by_key(x):
    table = {}
    for i in range(len(x)):
        if i % 3 not in table:
            table[i % 3] = []
        table[i % 3].append(x[i] ** 3)
    return sum(sum(items) * items[-1] for items in table.values())


def of_new_lists_by_key(x):
    table = {}
    for i in range(len(x)):
        k = i % 2, i
        table[k] = []
        table[k].append(x[i] * x[0])
    table[0, 0] = []
    total = 0.0
    for _, items in list(table.items()):
        total = total * x[1] + sum(items)
    return total


def of_integers_by_key(x):
    table = {}
    for i in range(len(x)):
        table[i % 2] = [0, 1]
        table[i % 2].append(x[i] ** 3)
    return sum(sum(items) * items[-1] for items in table.values())


def of_defaults_by_key(x):
    table = {}
    for i in range(len(x)):
        table.setdefault(i % 2, []).append(x[i] ** 3)
    table[7] = []
    return sum(sum(items) ** 2 * len(items) for items in table.values())


def of_lists_replaced(x):
    rows = [[x[i] ** 2] for i in range(len(x))]
    for i in range(len(x) - 1):
        rows[i] = []
        rows[i].append(x[i + 1] ** 3)
    return sum(sum(row) * len(row) for row in rows)


def of_lists_appended(x):
    rows = [[x[0] * x[1]]]
    for _ in range(len(x)):
        rows.append([1, 2])
        rows.insert(0, [])
    rows.pop()
    return sum(sum(row) ** 2 * len(row) for row in rows)


LISTS_BY_KEY = ast_ad.grad(of_lists_by_key)
NEW_LISTS_BY_KEY = ast_ad.grad(of_new_lists_by_key)
INTEGERS_BY_KEY = ast_ad.grad(of_integers_by_key)
DEFAULTS_BY_KEY = ast_ad.grad(of_defaults_by_key)
LISTS_REPLACED = ast_ad.grad(of_lists_replaced)
LISTS_APPENDED = ast_ad.grad(of_lists_appended)
SHORTER = [(NINE[2:7],), (NINE[:3],)]


@program(NINE, later=SHORTER)
def gradient_of_lists_by_key(x):
    return np.sum(LISTS_BY_KEY(x) ** 2)


@program(NINE, later=SHORTER)
def gradient_of_new_lists_by_key(x):
    return np.sum(NEW_LISTS_BY_KEY(x) ** 2)


@program(NINE, later=SHORTER)
def gradient_of_integers_by_key(x):
    return np.sum(INTEGERS_BY_KEY(x) ** 2)


@program(NINE, later=SHORTER)
def gradient_of_defaults_by_key(x):
    return np.sum(DEFAULTS_BY_KEY(x) ** 2)


@program(NINE, later=SHORTER)
def gradient_of_lists_replaced(x):
    return np.sum(LISTS_REPLACED(x) ** 2)


@program(NINE, later=SHORTER)
def gradient_of_lists_appended(x):
    return np.sum(LISTS_APPENDED(x) ** 2)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
