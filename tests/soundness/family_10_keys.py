"""Dicts whose keys are of several types, or booleans: look-ups are exact, and of a key nothing is known."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
FIVE = np.linspace(-1.0, 2.0, 5)


@program(FOUR, 0.5, later=[(FIVE, 1.5), (FOUR, -2.0)])
def a_number_beside_strings(x, s):
    seen = {}
    for j in range(len(x) - 1):
        key = "a" if j % 2 else "b"
        q = seen.get(key)
        seen[key] = x[j] if q is None else q * s
    acc = 0.0
    for _, q in sorted(seen.items(), reverse=True):
        acc = acc * 0.7 + q
        seen[7] = q
    return acc + len(seen) + seen[7] * seen["b"]


@program(FOUR, 0.5, later=[(FIVE, 1.5), (FOUR, 2.0)])
def pairs_strings_ints_and_truth_values(x, s):
    d = {}
    for i in range(len(x)):
        d[i % 2] = x[i] * s
    if s > 1.0:
        d["a"] = x[0]
    t = 0.0
    for k, v in d.items():
        t = t * 0.5 + v * d[k]
    e = {}
    for k in d:
        e[k] = d[k] * 2.0
    d[(1, 2)] = x[1]
    t = t + d.pop(1) + len(d) + sum(e.values())
    d.setdefault(True, t)
    d.setdefault(0, t)
    if (1, 2) in d:
        t = t * d[1, 2]
    return t + d.get("b", 0.5) + sum(d.values()) * d[x[0] > -5.0]


@program(FOUR, 3, later=[(FIVE, 1), (FIVE, 4)])
def lists_under_unlike_keys(x, n):
    d = {}
    for i in range(len(x)):
        d[i % 2] = [x[i] * n]
        d["a"] = [x[0]]
    for i in range(n):
        d[i % 2].append(x[i])
    d[1].append(d["a"][0] * 2.0)
    return sum([sum(v) for v in d.values()]) * len(d[0]) + d[0][-1]


@program(FOUR, 3, later=[(FIVE, 4), (FIVE, 0)])
def arrays_under_truth_values(x, n):
    d = {}
    for i in range(n):
        d[x[i] > 0.6] = x * i
    total = np.sum(x)
    for flag in (True, False):
        if flag in d:
            y = d[flag]
            y[0] = total * 2.0
            total = total + np.sum(d[flag] ** 2)
    return total * (1 + len(d)) + (np.sum(d[1]) if 1 in d else 0.0)


@program(FOUR, 3, later=[(FIVE, 4)], compiled=False)
def computes_with_such_keys(x, n):
    d = {}
    for i in range(n):
        d[x[i] > 0.6] = x[i]
        d[i + 2] = x[0]
    t = 0.0
    for k in d:
        t = t * 0.5 + k * d[k]
    return t


@program(FOUR, 3, later=[(FIVE, 4)], compiled=False)
def asks_for_the_type_of_a_key(x, n):
    d = {}
    for i in range(n):
        d["a" if x[i] > 0.6 else i] = x[i]
    return sum([d[k] * (2.0 if isinstance(k, str) else 3.0) for k in d])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
