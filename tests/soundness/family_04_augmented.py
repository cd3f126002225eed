"""``target op= value``, whose value puts another object in the target, or whose target has a setter.

Python reads the target, then computes the value, and then stores in the target, also where an array was
written in place and is the object that was read.
"""

import numpy as np

from .harness import after, program

THREE = np.array([0.4, -0.9, 1.3])
FOUR = np.array([0.4, -0.9, 1.3, 0.7])


class Motion:
    def __init__(self, place):
        self.place = place
        self.parts = {"a": place, "b": [place]}

    def moved(self, step):
        self.place = self.place + step
        return self.place * 2

    def renewed(self, step, key):
        self.parts[key] = step * 3 if key == "a" else [step, step]
        return step if key == "a" else [step]


@program(THREE, 1.5, later=[(FOUR, 0.5)])
def a_method_replaces_the_attribute(x, s):
    body = Motion(x * s)
    first = body.place
    body.place += body.moved(x)
    return np.sum(body.place * x) + s * np.sum(first)


@program(THREE, 1.5, later=[(-THREE, 0.5), (FOUR, 0.5)])
def on_one_path_only(x, s):
    body = Motion(x * s)
    for i in range(len(x)):
        body.place += body.moved(x) if x[i] > 0 else x
    return np.sum(body.place * x)


@program(THREE, 1.5, later=[(FOUR, 0.5)])
def entries_of_a_dict(x, s):
    body = Motion(x * s)
    for key in ("a", "b"):
        body.parts[key] += body.renewed(x, key)
    return np.sum(body.parts["a"]) + sum(np.sum(v) * (i + s) for i, v in enumerate(body.parts["b"]))


@program(THREE, 1.5, later=[(FOUR, 0.5)])
def a_name_of_the_function_around(x, s):
    v, items = x * 0.7, [x]

    def turned(a):
        nonlocal v, items
        if a > 0:
            v = v + s
            items = [x * 5]
        return v * 2

    for i in range(3):
        v += turned(x[i])
        items += [turned(x[i])]
    return np.sum(v * x) + sum(np.sum(q) * (i + 1) for i, q in enumerate(items))


@program(THREE, 1.5, later=[(FOUR, 0.5)])
def a_name_within_the_value(x, s):
    v, items = x * s, [x * s]
    v += (v := x * 3)
    items += (items := [x * 3, x])
    return np.sum(v * x) + sum(np.sum(q) * (i + 1) for i, q in enumerate(items))


@program(THREE, 1.5, later=[(FOUR, 0.5)])
def items_of_a_list_of_any_length(x, s):
    rows = [x * (j + s) for j in range(len(x))]

    def put(i):
        rows[i] = x * 3
        return x

    def pushed():
        rows.insert(0, x * 7)
        return x

    for i in range(1, len(x)):
        rows[i] += put(i)
    rows[1] += pushed()
    return sum(np.sum(row) * (i + 1) for i, row in enumerate(rows))


@program(THREE, 1.5, later=[(FOUR, 0.5)])
def a_key_that_comes_last_now(x, s):
    parts = {"a": x * s, "b": x * 2}
    parts["a"] += parts.pop("a") * 2
    return sum(np.sum(v) * (i + 1) for i, v in enumerate(parts.values()))


@program(THREE, 1.5, later=[(FOUR, 0.5)])
def two_items_change_places(x, s):
    pair = [x * s, x * 2.0]

    def swapped():
        pair[0], pair[1] = pair[1], pair[0]
        return x

    pair[0] += swapped()
    pair[0] *= s
    return np.sum(pair[0] * 3) + np.sum(pair[1] * x)


@program(THREE, 1.5, later=[(FOUR, 0.5)])
def slices_of_lists(x, s):
    items, rows = [v * s for v in x], [[x, x * 2], [x * 3]]
    items[1:] += [x[1]]
    items[0:2] *= 2
    rows[0][1:] += [x]
    rows[1:] += [[x * s]]
    return sum(v * (i + 1) for i, v in enumerate(items)) + sum(
        np.sum(v) * (i + 1) for row in rows for i, v in enumerate(row)
    )


class Doubling:
    def __init__(self, v):
        self.inner, self.count = v, 0

    @property
    def v(self):
        return self.inner

    @v.setter
    def v(self, value):
        self.count += 1
        self.inner = value * 2

    def __getitem__(self, i):
        return self.inner

    def __setitem__(self, i, value):
        self.count += 1
        self.inner = value * 3


@program(THREE, 1.5, later=[(FOUR, 0.5)])
def setters(x, s):
    one = Doubling(x * s)
    for _ in range(2):
        one.v += x
    one[0] *= s
    return np.sum(one.v * x) * one.count


@program(THREE, 1.5, later=[(FOUR, 0.5)], compiled=False)
def an_item_of_a_tuple(x, s):
    pair = (x * s, 1.0)
    try:
        pair[0] += x
    except TypeError:
        return np.sum(pair[0]) * 3
    return np.sum(pair[0] * x)


class Shared:
    table = [1.0]


class Derived(Shared):
    pass


HELD = Derived()
TABLE = [1.0]
ARRAY = np.array([1.0, 2.0, 3.0])


def reset():
    global HELD, TABLE, ARRAY
    HELD, TABLE, ARRAY, Shared.table = Derived(), [1.0], np.array([1.0, 2.0, 3.0]), [1.0]
    if "table" in Derived.__dict__:
        del Derived.table


@program(
    after(reset, THREE, 1.5), later=[after(reset, -THREE, 0.5), after(reset, THREE, 0.5)], compiled=False
)
def what_the_class_has(x, s):
    HELD.table += [x[0]]
    own = Derived()
    own.table += [x[1]]
    Derived.table += [x[2]]
    Shared.table = [s]
    return sum(HELD.table) + 2 * sum(own.table) + 3 * sum(Derived.table)


def replaced(x):
    global ARRAY, TABLE
    ARRAY = x * 3
    TABLE = [x[1]]
    return x


@program(after(reset, THREE, 1.5), later=[after(reset, -THREE, 0.5), after(reset, THREE, 0.5)])
def what_the_module_has(x, s):
    global ARRAY, TABLE
    ARRAY += replaced(x)
    TABLE[0:1] += [x[1]]
    TABLE += list(replaced(x))
    return np.sum(ARRAY * x) + s * sum(TABLE)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}


class Count:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return Count(self.n + other)

    def __iadd__(self, other):
        self.n += other
        return self


COUNT = Count(1.0)


@program(
    after(lambda: setattr(COUNT, "n", 1.0), THREE), later=[after(lambda: setattr(COUNT, "n", 2.5), FOUR)]
)
def an_object_from_outside_changes_itself(x):
    same = COUNT
    same += 2.0
    return np.sum(x) * COUNT.n
