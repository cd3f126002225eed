"""Lists, dicts and objects outside that are changed: is it as if the function had run once?

All must be right; traced is enough where something outside is changed.
"""

import copy

import numpy as np

from .harness import after, program

THREE = np.array([0.4, -0.9, 1.3])


# ----- lists and dicts outside that are changed
def restore(*containers):
    """What sets module-level containers back to what they hold now."""
    kept = copy.deepcopy(containers)

    def again():
        for container, content in zip(containers, copy.deepcopy(kept), strict=True):
            container.clear()
            container.extend(content) if isinstance(container, list) else container.update(content)

    return again


def pushed(v, acc=[]):  # noqa: B006
    acc.append(v)
    return acc


@program(after(restore(pushed.__defaults__[0]), THREE, 3), compiled=False)
def default_appended_in_a_loop(x, n):
    for i in range(n):
        acc = pushed(x[i] * i)
    return sum(acc)


@program(after(restore(pushed.__defaults__[0]), THREE), compiled=False)
def default_appended_in_a_while(x):
    t = x[0]
    while t < 3.0:
        pushed(t)
        t = t * 1.5
    return sum(pushed(t))


@program(after(restore(pushed.__defaults__[0]), THREE, 0.7), compiled=False)
def default_appended_in_a_branch(x, s):
    if s > 1.0:
        v = s
    else:
        pushed(x[0])
        v = x[1]
    return sum(pushed(v))


LOG = []


def logged(v):
    LOG.append(v)
    return v * v


@program(after(restore(LOG), THREE, 3), compiled=False)
def module_list_in_a_loop(x, n):
    t = 0.0
    for i in range(n):
        t = t + logged(x[i])
    return t * len(LOG)


@program(after(restore(LOG), THREE), compiled=False)
def module_list_in_a_while(x):
    t = x[0]
    while t < 3.0:
        t = t * 1.5 + logged(x[1])
    return t * len(LOG)


CACHE = {}


def cached(k, v):
    if k not in CACHE:
        CACHE[k] = v * v
    return CACHE[k]


@program(after(restore(CACHE), THREE), compiled=False)
def module_dict_filled(x):
    t = x[0]
    while t < 3.0:
        t = t * 1.5 + cached("a", x[1])
    return t + cached("b", t)


class Counted:
    seen = []
    table = {"n": 0.5}

    def __init__(self, v):
        self.v = v

    def note(self):
        self.seen.append(self.v)
        return len(self.seen)


@program(after(restore(Counted.seen), THREE), compiled=False)
def class_list_appended(x):
    t = x[0]
    c = Counted(t)
    while t < 3.0:
        t = t * 1.5 + c.note()
    return t + sum(Counted.seen)


@program(after(restore(Counted.table), THREE, 0.7), compiled=False)
def class_dict_set_in_one_of_two(x, s):
    own = {"n": x[0]}
    d = Counted.table if s > 0 else own
    d["n"] = s * 2
    return Counted(s).table["n"] * x[1]


STEPS = [0.5, 1.5]


@program(after(restore(STEPS), THREE, 0.7), compiled=False)
def module_list_or_own(x, s):
    steps = STEPS if s > 0 else [s]
    steps.append(s)
    return sum(STEPS) * x[0]


@program(after(restore(STEPS), THREE, 0.7), compiled=False)
def module_list_swapped(x, s):
    p, q = STEPS, [s, s]
    t = s
    while t < 3.0:
        p, q = q, p
        t = t * 1.5
    p[0] = t
    return sum(STEPS) * x[0]


NESTED = {"rows": [[1.0, 2.0], [3.0]]}


@program(after(restore(NESTED), THREE, 0.7), compiled=False)
def module_nested_changed(x, s):
    rows = list(NESTED["rows"])
    t = s
    while t < 3.0:
        rows[1].append(t)
        t = t * 1.5
    return sum(NESTED["rows"][1]) * x[0]


@program(after(restore(NESTED), THREE, 0.7), compiled=False)
def module_nested_put_back(x, s):
    rows = NESTED["rows"]
    rows.append([s])
    t = len(NESTED["rows"]) * s
    rows.pop()
    return t * x[0]


SAME = STEPS


@program(after(restore(STEPS), THREE, 0.7), compiled=False)
def module_list_by_two_names(x, s):
    STEPS.append(s)
    t = sum(SAME) * x[0]
    STEPS.pop()
    return t


@program(after(restore(STEPS), THREE, 0.7))
def module_list_copied(x, s):
    steps = list(STEPS) if s > 0 else [s]
    steps.append(s)
    return sum(STEPS) * x[0] + sum(steps)


@program(after(restore(NESTED), THREE, 0.7))
def module_list_of_two(x, s):
    row = NESTED["rows"][0] if s > 0 else NESTED["rows"][1]
    return sum(row) * x[0] * s


class Holder:
    def __init__(self):
        self.steps = []


HOLDER = Holder()


@program(after(restore(HOLDER.steps), THREE), compiled=False)
def attribute_appended_in_a_while(x):
    t = x[0]
    while t < 3.0:
        HOLDER.steps.append(t)
        t = t * 1.5
    return sum(HOLDER.steps) * x[1]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
