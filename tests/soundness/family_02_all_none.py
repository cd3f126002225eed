"""Elements of lists and dicts of run-time length that are None, all of them; changes that Python refuses."""

import numpy as np

from .harness import program

V5, V4, V3 = (
    np.array([0.4, -0.7, 1.3, 0.2, -0.1]),
    np.array([-0.3, 0.9, 0.6, 1.7]),
    np.array([1.1, 0.5, -0.8]),
)
LATER = [(V4, 0.3, 1), (V3, 0.4, 3), (V5, -0.2, 1)]


@program(V5, 0.3, 2, later=LATER)
def of_a_list(x, s, n):
    found = [None] * n
    if found[n - 1] is None:
        return x[0] * s
    return x[1]


@program(V5, 0.3, 2, later=LATER)
def in_tuples(x, s, n):
    pairs = [(None, s)] * n
    first, second = pairs[n - 1]
    return np.sum(x) * second if first is None else x[0]


@program(V5, 0.3, 2, later=LATER)
def in_turn(x, s, n):
    found = []
    for _ in range(n):
        found.append(None)
    total = s
    for one in found:
        total = total * 2.0 + (x[1] if one is not None else x[0] * s)
    return total


@program(V5, 0.3, 2, later=LATER)
def popped(x, s, n):
    found = [None for _ in range(n)]
    last = found.pop()
    return s * np.sum(x) if last is None else s


@program(V5, 0.3, 2, later=LATER)
def of_a_dict(x, s, n):
    memo = {i: None for i in range(n)}
    if memo[n - 1] is not None:
        return x[1]
    return sum(s if v is None else x[0] for v in memo.values())


@program(V5, 0.3, 2, later=LATER)
def by_a_key_of_the_path(x, s, n):
    memo = dict.fromkeys("abc")
    if memo.get("b" if n > 1 else "a") is None:
        memo["a"] = memo.get("a") or x[0] * s
    memo.setdefault(f"k{x.size % 3}", x[1])
    return sum(v for v in memo.values() if v is not None)


@program(V5, 0.3, 2, later=LATER)
def filled_on_demand(x, s, n):
    memo = {i: None for i in range(n)}

    def at(i):
        if memo[i] is None:
            memo[i] = np.sin(x[i] * s)
        return memo[i]

    return sum(at(i % n) for i in range(2 * n))


@program(V5, 0.3, 2, later=LATER)
def as_truth(x, s, n):
    found = [None] * n
    return np.sum(x) * (found[0] or s) if not found[-1] and found[n - 1] == None else x[0]  # noqa: E711


@program(V5, 0.3, 2, later=LATER, compiled=False)
def a_store_beyond_the_end(x, s, n):
    found = [s, 2.0]
    try:
        found[3] = x[0]
    except TypeError:
        return s
    except LookupError:
        found[1] = x[1] * s
    return found[0] * found[1]


@program(V5, 0.3, 2, later=LATER, compiled=False)
def a_pair_of_stores(x, s, n):
    found = [s, 2.0]
    try:
        found[0], found[2] = x[0], x[1]
    except IndexError:
        found[1] *= s
    return found[0] * found[1]


@program(V5, 0.3, 2, later=LATER)
def a_key_that_is_not_there(x, s, n):
    found = {"a": s}
    try:
        del found["b"]
    except KeyError:
        return s * x[0]
    return s


@program(V5, 0.3, 2, later=LATER)
def items_that_are_not_there(x, s, n):
    found, total = [s, x[0]], 0.0
    try:
        del found[2]
    except IndexError:
        total = total + s * x[1]
    try:
        found.pop(4)
    except IndexError:
        total = total * s
    try:
        found[::2] = [1.0, s]
    except ValueError:
        total = total + found[0] ** 2
    return total + found[1]


@program(V5, 0.3, 2, later=LATER)
def no_item_at_all(x, s, n):
    found = []
    found.append(x[0])
    return [x[1], s].pop(n) if n < 2 else s * found[0]


@program(V5, 0.3, 2, later=LATER)
def deleted_and_nothing_caught(x, s, n):
    found = {"a": s * x[0]}
    if n == 2:
        del found["b"]
    return found["a"]


@program(V5, 0.3, 2, later=LATER)
def numbers_joined_with_arrays(x, s, n):
    parts = []
    for _ in range(n):
        parts.append(np.hstack([s, x[1:]]))
    scaled = {i: (v, None) for i, v in enumerate(x)}
    for i, (v, q) in scaled.items():
        scaled[i] = v * s, q
    return sum(np.sum(p * 1) for p in parts) + sum(v for v, q in scaled.values() if q is None)


@program(V5, 0.3, 2, later=LATER, compiled=False)
def a_list_that_loops_read_and_drop(x, s, n):
    found = [None]
    same = found
    total = 0.0
    for i in range(1, len(x)):
        for _ in range(n):
            found.append(x[i])
            total = total + sum(s if v is None else v * 0.5 for v in same)
        found = []
    return total


@program(V5, 0.3, 2, later=LATER)
def beside_arrays_on_a_path(x, s, n):
    b = x[0] if n > 1 else None
    total = s
    if n > 2:
        total = total + np.sum(np.where(x > 0, x, b))
    return total * (x[1] if b is None else np.sum(b))


KNOWN: dict[tuple[str, str, str], str] = {}
