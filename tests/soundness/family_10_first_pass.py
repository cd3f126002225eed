"""Loops that run at least once, whose first pass leaves another structure than it finds.

Right whatever the trip count is; what the first pass leaves by is left by it, too.
"""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
FIVE = np.linspace(-1.0, 2.0, 5)


def steps(x, n):
    k = 0
    for i in range(n):
        k += int(x[i % len(x)] > 0.1)
    return k


@program(FOUR, 4, later=[(FOUR, 0), (FIVE, 5), (FIVE, 1)])
def a_key_is_added(x, n):
    params = {"w": x, "b": x[0] * x[1]}
    for it in range(max(steps(x, n) - 1, 1)):
        params.setdefault("n", 0)
        params["n"] += np.tanh(x[it % 2])
    return sum([np.sum(v) for v in params.values()]) * len(params) + it


@program(FOUR, 4, later=[(FOUR, 0), (FIVE, 5), (FIVE, 2)])
def the_first_pass_may_leave_the_loop(x, n):
    config = {"w": x * 2.0}
    total = x[1]
    for i in range(max(steps(x, n), 1)):
        config["t"] = total * x[i]
        if config["t"] > 0.3:
            break
        total = total + config["t"] + i
    else:
        total = total * 3.0
    return total * config["t"] + np.sum(config["w"]) + i


@program(FOUR, 4, later=[(FOUR, 0), (FIVE, 5), (FIVE, 2)])
def the_first_pass_may_return(x, n):
    config = {}
    for i in range(max(steps(x, n), 1)):
        config["y"] = np.sin(x) * (i + 1)
        if x[1] * n > 0.5:
            return np.sum(config["y"] ** 2)
        if i % 2:
            continue
        config["y"][0] = x[2] * i
    return np.sum(config["y"]) * len(config)


@program(FOUR, 4, later=[(FOUR, 0), (FIVE, 5)])
def a_loop_within_one(x, n):
    total = x[0]
    for i in range(1 + steps(x, n)):
        seen = {"a": total}
        for j in range(max(i, 1)):
            if "b" not in seen:
                seen["b"] = x[j % 3] * total
            seen["b"] = seen["b"] * 0.5 + seen["a"]
        total = total * 0.3 + seen["b"]
    return total


@program(FOUR, 4, later=[(FOUR, 0), (FIVE, 5)])
def the_key_that_is_added_last_is_run_over(x, n):
    d = {"a": x[0]}
    for i in range(max(steps(x, n), 0), -1, -1):
        d["b"] = d.get("b", x[1]) * d["a"] + i
    acc = 0.0
    for key, v in d.items():
        acc = acc * 0.5 + v * (2.0 if key == "a" else 1.0)
    return acc


@program(FOUR, 4, later=[(FOUR, 0), (FIVE, 5)], compiled=False)
def a_key_is_added_in_the_second_pass(x, n):
    d = {"a": x[0]}
    for i in range(max(steps(x, n), 1)):
        if i == 1:
            d["b"] = x[1]
        d["a"] = d["a"] * 0.5 + len(d)
    return sum([v * 2.0 for v in d.values()])


@program(FOUR, 4, later=[(FOUR, 0), (FIVE, 5)], compiled=False)
def perhaps_no_pass(x, n):
    d = {"a": x[0]}
    for i in range(steps(x, n)):
        d["b"] = x[i]
    return sum([v * 2.0 for v in d.values()]) * len(d)


@program(FOUR, 3, later=[(FIVE, 2), (FOUR, 1)])
def a_read_of_what_may_be_none(x, n):
    prev = None
    total = x[0]
    for e in np.outer(x, x):
        if prev is not None:
            total = total + np.sum(e * prev) * prev[n]
        prev = e
    return total * prev[n - 1] + sum([t * i for i, t in enumerate(prev)])


@program(FOUR, 3, later=[(FIVE, 2), (FOUR, 0)])
def one_number_is_left_out(x, n):
    y = np.delete(x * 2.0, n - n)
    return np.mean(y * y[0]) + np.sum(np.delete(x, n - 3 if n >= 3 else 0) ** 2)


@program(FOUR, 4, later=[(FOUR, 0), (FIVE, 5)])
def one_array_in_all_places(x, n):
    u, seen, last = x.copy(), [], ()
    for i in range(x.shape[0] + 1):
        u += x * i
        seen.append(u)
        last = (u[0] * n,)
    return np.sum(seen[0]) + last[0]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
