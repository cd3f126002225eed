"""Lists that are rearranged: items taken and put in at any place, slices replaced, orders by keys.

All must be right; traced is enough.
"""

import numpy as np

from .harness import program

NINE = np.array([0.4, -0.9, 1.3, 0.7, 0.25, -0.35, 1.1, -1.4, 0.6])
KEYS = np.array([3, 1, 3, 7, 1, 1, 7, 3, 0])


def _grown(x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    return items


@program(NINE, 7, 2, later=[(NINE, 7, -3), (NINE, 7, 0), (NINE, 3, 9)], compiled=False)
def taken_anywhere(x, n, k):
    items = _grown(x, n)
    v = items.pop(k)
    w = items.pop(-2)
    del items[-1]
    return v * w + sum(u * (i + 1) for i, u in enumerate(items))


@program(NINE, KEYS, compiled=False)
def taken_at_places_of_an_array(x, keys):
    items = _grown(x, 9)
    total = 0.0
    for k in keys[:4]:
        total = total * 0.5 + items.pop(int(k) % len(items))
    return total + sum(v * v for v in items)


@program(NINE, 7, 2, later=[(NINE, 7, -3), (NINE, 7, 50), (NINE, 7, -50)], compiled=False)
def put_anywhere(x, n, k):
    items = _grown(x, n)
    items.insert(k, x[0] ** 2)
    items.insert(0, x[1] * 2)
    items.insert(-1, 3)
    for i in range(n):
        items.insert(i * 2, x[i] * x[0])
    return sum(u * (i + 1) for i, u in enumerate(items))


@program(NINE, 7, 2, later=[(NINE, 7, -2), (NINE, 7, 6), (NINE, 0, 0)], compiled=False)
def slices_replaced(x, n, k):
    items = _grown(x, n)
    items[k:4] = [x[0] * 5, x[1]]
    items[-1:] = items[:2]
    items[1:1] = [x[2] ** 2]
    items[3:1] = [x[3] ** 2]
    items[::2] = [v * 2 for v in items[::2]]
    del items[k : k + 1]
    items += items[-2:]
    return sum(u * (i + 1) for i, u in enumerate(items))


@program(NINE, 7, compiled=False)
def wrong_length_of_a_slice(x, n):
    items = _grown(x, n)
    items[::2] = [x[0]]
    return sum(items)


@program(NINE, 7, compiled=False)
def slice_is_itself(x, n):
    items = _grown(x, n)
    items[2:2] = items
    items[:] = items[::-1]
    other = items[:]
    other[0] = 0.0
    items.clear()
    items.append(x[0])
    return sum(other) * items[0] * len(items)


@program(NINE, 5, compiled=False)
def arrays_of_a_slice_written(x, n):
    items = []
    for i in range(n):
        items.append(x * (i + 1))
    part = items[-2:]
    part[0][0] = 5.0
    items[-1] *= 2.0
    return sum(np.sum(a * a) for a in items) + np.sum(part[1])


@program(NINE, 5, compiled=False)
def arrays_taken_and_written(x, n):
    items = []
    for i in range(n):
        items.append(x * (i + 1))
    a = items.pop(1)
    a *= 3.0
    items.insert(0, a)
    items[0][2] = 1.0
    return sum(np.sum(b * b) * (i + 1) for i, b in enumerate(items)) + np.sum(a)


@program(NINE, 5, compiled=False)
def arrays_in_order(x, n):
    items = []
    for i in range(n):
        items.append(x[i:] * (i + 1))
    items.sort(key=np.sum, reverse=True)
    best = max(items, key=len)
    worst = min(items, key=lambda a: a[0])
    worst[0] = 2.0
    return sum(np.sum(b * b) * (i + 1) for i, b in enumerate(items)) + np.sum(best)


@program(NINE, 9, compiled=False)
def stable_both_ways(x, n):
    pairs = []
    for i in range(n):
        pairs.append((i % 3, x[i]))
    pairs.sort(key=lambda p: p[0], reverse=True)
    pairs = sorted(pairs, key=lambda p: p[0] % 2)
    total = 0.0
    for i, (k, v) in enumerate(pairs):
        total += v * (i + 1) * (k + 1)
    return total


@program(NINE, 5, compiled=False)
def keys_are_tuples(x, n):
    items = _grown(x, n)
    items.sort(key=lambda v: (v < 0, v * v))
    return sum(u * (i + 1) for i, u in enumerate(items)) * max(items, key=lambda v: (v > 0, -v))


@program(NINE, 5, compiled=False)
def key_with_memory(x, n):
    items = _grown(x, n)
    seen = []

    def key(v):
        seen.append(v * len(seen))
        return -v

    items.sort(key=key)
    return sum(u * (i + 1) for i, u in enumerate(items)) + sum(seen)


@program(NINE, 5, compiled=False)
def with_nan(x, n):
    items = _grown(x, n)
    items.append(np.nan)
    items.append(x[0])
    order = sorted(range(len(items)), key=lambda i: items[i])
    return items[order[0]] if order[0] != n else x[0]


@program(NINE, KEYS, compiled=False)
def of_a_dict(x, keys):
    d = {}
    for i in range(len(x)):
        k = int(keys[i])
        d[k] = d.get(k, 0.0) + x[i]
    best = max(d, key=d.get)
    total = d[best] * best
    for k, v in sorted(d.items(), key=lambda kv: kv[1]):
        total = total * 0.5 + v * k
    for k in sorted(d.keys(), reverse=True):
        total = total * 0.5 + d[k]
    return total + min(d.values()) * max(d)


@program(NINE, 4, compiled=False)
def of_texts(x, n):
    names = ["b", "a", "d", "c"]
    pairs = []
    for i in range(n):
        pairs.append((names[i], x[i]))
    pairs.sort()
    return sum(p[1] * (i + 1) for i, p in enumerate(pairs))


@program(NINE, 5, compiled=False)
def of_none(x, n):
    items = []
    for i in range(n):
        items.append(x[i] if i % 2 else None)
    items.sort(key=lambda v: 0.0 if v is None else v)
    return sum(v for v in items if v is not None)


@program(NINE, 5, compiled=False)
def of_none_by_itself(x, n):
    items = [None, x[0]]
    for i in range(n):
        items.append(x[i] if i % 2 else None)
    return sorted(items)[0] * 2


@program(NINE, 5, True, later=[(NINE, 5, False)], compiled=False)
def order_by_flag(x, n, down):
    items = sorted(_grown(x, n), reverse=down)
    return sum(u * (i + 1) for i, u in enumerate(items))


@program(NINE, 5, compiled=False)
def sorted_while_run_over(x, n):
    items = _grown(x, n)
    total = 0.0
    for v in items:
        total = total * 0.5 + v
        items.sort()
    return total


@program(NINE, 5, compiled=False)
def nearest_first(x, n):
    todo = [(0.0, 0)]
    known = []
    while todo:
        todo.sort(key=lambda p: p[0], reverse=True)
        distance, v = todo.pop()
        if v in known:
            continue
        known.append(v)
        for w in range(n):
            if w not in known and abs(v - w) < 3:
                todo.append((distance + (x[v] - x[w]) ** 2, w))
    return distance * x[0] + len(known)


@program(NINE, 5, compiled=False)
def queue(x, n):
    todo = [(x[0], 0)]
    total = 0.0
    while len(todo) > 0:
        v, level = todo.pop(0)
        total = total * 0.9 + v * v
        if level < 3:
            todo.append((v * x[1], level + 1))
            todo.insert(0, (v + x[2], level + 1))
    return total


@program(NINE, 0.9, later=[(NINE, 5.0), (NINE, -9.0), (NINE[:1], 0.1)])
def extrema_of_what_is_left_of_an_array(x, s):
    left = x[x > s]
    return max(left, default=s) * np.sum(x) + min(x[1:], default=x[0] * s)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
