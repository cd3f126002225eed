"""Functions that store in what outlives the call, each with the arguments of three calls and what it leaves.

A case is a function without parameters, which makes everything anew: the function, the calls' arguments, and
what to look at afterwards.
"""

import collections
import contextlib
import dataclasses
import functools
import math
from collections.abc import Callable

import numpy as np

CASES: dict[str, tuple[Callable, bool]] = {}  # by name: the maker, and whether the function is compiled


def case(make=None, *, compiled=True):
    """Register a case; ``compiled``: whether its last call must be answered by compiled code."""
    if make is None:
        return functools.partial(case, compiled=compiled)
    CASES[make.__name__] = make, compiled
    return make


class Box:
    """An object with attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def vector(*numbers):
    return np.array(numbers or (0.4, -0.9, 1.3))


THREE = [(vector(),), (vector(0.2, 0.8, -0.5),), (vector(1.1, 0.6, -0.7),)]
NUMBERS = [(0.7,), (1.3,), (-0.4,)]


# ----- attributes
@case
def counter():
    box = Box(n=0)

    def f(x):
        box.n += 1
        return np.sum(x * x) * box.n

    return f, THREE, lambda: box


@case
def counter_in_a_method():
    class Model:
        def __init__(self):
            self.calls, self.last = 0, None

        def loss(self, x):
            self.note(np.sum(x))
            return np.sum(np.sin(x)) * self.calls

        def note(self, value):
            self.calls += 1
            self.last = float(value)

    model = Model()
    return model.loss, THREE, lambda: model


@case
def value_with_its_derivative():
    box = Box(last=0.0)

    def f(x):
        box.last = x * 2.0
        return box.last * x

    return f, NUMBERS, lambda: box


@case
def read_before_and_after():
    box = Box(last=0.5)

    def f(x):
        before = box.last
        box.last = x * x
        return before * x + box.last

    return f, NUMBERS, lambda: box


@case
def read_by_the_next_call():
    box = Box(h=vector(0.1, 0.2, 0.3))

    def f(x):
        box.h = np.tanh(x + box.h)
        return np.sum(box.h * x)

    return f, THREE, lambda: box


@case
def new_attributes():
    box = Box()

    def f(x):
        box.second = float(np.sum(x))
        box.first = x * 2
        return np.sum(box.first * x) + box.second * 0.0

    return f, THREE, lambda: box


@case
def none_at_first():
    box = Box(best=None)

    def f(x):
        if box.best is None:
            box.best = float(x)
        else:
            box.best = box.best + 1.0
        return x * x * box.best

    return f, NUMBERS, lambda: box


@case
def in_a_branch():
    box = Box(best=np.inf, at=None, misses=0)

    def f(x):
        loss = np.sum(x * x)
        if loss < box.best:
            box.best = loss
            box.at = x.copy()
        else:
            box.misses += 1
        return loss

    return f, THREE, lambda: box


@case
def in_a_branch_only():
    box = Box(kept=vector(1.0, 2.0), n=3)
    other = box.kept

    def f(x):
        if x[0] > 0.3:
            box.kept = x * 2.0
        if x[1] > 0.7:
            box.n = 10
        return np.sum(x * x)

    return f, THREE, lambda: (box, other)


@case
def in_a_loop():
    box = Box(total=0.5, steps=0)

    def f(x):
        for v in x:
            box.total += v * v
            box.steps += 1
        return box.total

    return f, THREE, lambda: box


@case
def in_a_loop_without_turns():
    box = Box(total=0.5, last=None)

    def f(x, n):
        for i in range(n):
            box.total = box.total * x[i]
            box.last = x[i] * i
        return box.total + np.sum(x)

    return f, [(vector(), 2), (vector(), 0), (vector(), 3)], lambda: box


@case
def only_stored_in_a_loop():
    box = Box()

    def f(x):
        for i in range(len(x)):
            box.i = i
            box.square = x[i] ** 2
        return np.sum(x) * box.square

    return f, THREE, lambda: box


@case
def read_in_a_loop_before_it_is_stored():
    box = Box(w=0.5)

    def f(x):
        s = 0.0
        for i in range(3):
            s = s + box.w * x[i]
            if x[i] > 0:
                box.w = x[i] * 2.0
        return s + box.w

    return f, THREE, lambda: box


@case
def in_a_while():
    box = Box(steps=0, r=1.0)

    def f(x):
        while box.r < 20.0 and box.steps < 100:
            box.r = box.r * (1.5 + x * x)
            box.steps += 1
        r, box.r, box.steps = box.r, 1.0, 0
        box.reached = r
        return r

    return f, NUMBERS, lambda: box


@case
def two_names_of_one_object():
    box = Box(n=1.0)
    same = box

    def f(x):
        box.n = x * 2.0
        same.n = same.n * x
        return box.n + same.n

    return f, NUMBERS, lambda: box


@case
def argument_and_global():
    box = Box(n=1.0)

    def f(x, given):
        box.n = x * 2.0
        given.n += x
        return box.n * x

    return f, [(0.7, box), (0.4, Box(n=3.0)), (0.2, box)], lambda: box


@case
def two_arguments_one_object():
    a, b = Box(n=1.0), Box(n=2.0)

    def f(x, one, two):
        one.n = x * 2.0
        two.n = two.n * x
        return one.n + two.n

    return f, [(0.7, a, b), (0.4, a, a), (0.2, b, a)], lambda: (a, b)


@case
def swapped_numbers():
    box = Box(a=1.0, b=2.0)

    def f(x):
        box.a, box.b = box.b, box.a * x
        return box.a * x + box.b

    return f, NUMBERS, lambda: box


@case
def swapped_arrays():
    box = Box(now=vector(1.0, 2.0, 3.0), old=vector(4.0, 5.0, 6.0))
    both = [box.now, box.old]

    def f(x):
        box.now, box.old = box.old, box.now
        return np.sum(box.now * x)

    return f, THREE, lambda: (box, both)


@case
def one_array_in_two_attributes():
    box = Box()

    def f(x):
        box.a = box.b = x * 2.0
        box.a[0] = 7.0
        return np.sum(box.b * x)

    return f, THREE, lambda: box


@case(compiled=False)
def a_view_of_what_is_stored():
    box = Box()

    def f(x):
        y = x * 2.0
        box.a, box.b = y, y[1:]
        return np.sum(y * x)

    return f, THREE, lambda: box


@case
def changed_after_it_was_stored():
    box = Box()

    def f(x):
        y = x * 2.0
        box.y = y
        y[1] = 5.0
        return np.sum(y * x)

    return f, THREE, lambda: box


@case
def the_argument_itself():
    box = Box()

    def f(x):
        box.x = x
        box.first = x[0]
        return np.sum(x * x)

    return f, THREE, lambda: (box.x, box.first)


@case
def structures():
    box = Box()

    def f(x):
        box.pair = (x[0] * 2.0, "text", None)
        box.list = [float(x[1]), x * 2.0]
        box.dict = {"a": x[0], "b": [1, 2.5]}
        return np.sum(box.dict["a"] * x) + box.pair[0]

    return f, THREE, lambda: box


@case
def list_made_and_filled():
    box = Box(items=[1.0])

    def f(x):
        box.items = []
        for v in x:
            box.items.append(v * 2.0)
        return sum(box.items) * x[0]

    return f, THREE, lambda: box


@case
def deleted_by_setting_none():
    box = Box(cache=1.0)

    def f(x):
        found = x if box.cache is None else x * box.cache
        box.cache = None
        return found * x

    return f, NUMBERS, lambda: box


@case
def flag_that_turns():
    box = Box(on=False)

    def f(x):
        box.on = not box.on
        return x * x if box.on else x * 3.0

    return f, NUMBERS, lambda: box


@case
def class_default():
    class Model:
        count = 0
        total = 0.0

        def f(self, x):
            for _ in range(2):
                self.count += 1
                self.total += x * x
            return self.total * x

    model = Model()
    return model.f, NUMBERS, lambda: (model, Model.count, Model.total)


@case
def setattr_and_hasattr():
    box = Box()

    def f(x):
        if hasattr(box, "n"):
            box.n = getattr(box, "n") + 1  # noqa: B009
        else:
            setattr(box, "n", 1)  # noqa: B010
        assert hasattr(box, "n")
        return x * x * box.n

    return f, NUMBERS, lambda: box


@case
def nested_objects():
    box = Box(inner=Box(n=0, w=2.0))

    def f(x):
        box.inner.n += 1
        box.inner.w = box.inner.w * 0.5 + x
        return x * box.inner.w

    return f, NUMBERS, lambda: box


@case
def replaced_inner_object():
    one, two = Box(n=0), Box(n=10)
    box = Box(inner=one, other=two)

    def f(x):
        box.inner, box.other = box.other, box.inner
        box.inner.n += 1
        return x * x * box.inner.n

    return f, NUMBERS, lambda: (box, one, two)


@case
def an_object_made_in_the_call():
    box = Box(state=None)

    def f(x):
        before = 1.0 if box.state is None else box.state.value
        box.state = Box2(x * before)
        return box.state.value * x

    return f, NUMBERS, lambda: box.state.value


class Box2:
    def __init__(self, value):
        self.value = value


# ----- what objects may do about it
@case
def property_setter():
    class Model:
        def __init__(self):
            self._n, self.sets = 1.0, 0

        @property
        def n(self):
            return self._n

        @n.setter
        def n(self, value):
            self._n, self.sets = value * 2.0, self.sets + 1

        def f(self, x):
            self.n = x
            return self.n * x

    model = Model()
    return model.f, NUMBERS, lambda: model


@case
def own_setattr():
    class Model:
        def __init__(self):
            object.__setattr__(self, "log", [])

        def __setattr__(self, name, value):
            self.log.append(name)
            object.__setattr__(self, name, value)

        def f(self, x):
            self.n = 2.0
            return x * x * self.n

    model = Model()
    return model.f, NUMBERS, lambda: model


@case
def slots():
    class Model:
        __slots__ = ("n",)

        def __init__(self):
            self.n = 1

    model = Model()

    def f(x):
        model.n += 1
        return x * x * model.n

    return f, NUMBERS, lambda: model.n


@case
def descriptor():
    class Doubled:
        def __get__(self, instance, owner):
            return instance.__dict__["_n"]

        def __set__(self, instance, value):
            instance.__dict__["_n"] = value * 2.0

    class Model:
        n = Doubled()

    model = Model()

    def f(x):
        model.n = x
        return model.n * x

    return f, NUMBERS, lambda: model


@case(compiled=False)
def frozen_dataclass():
    @dataclasses.dataclass(frozen=True)
    class Settings:
        n: float = 1.0

    settings = Settings()

    def f(x):
        settings.n = 2.0
        return x * x

    return f, NUMBERS, lambda: settings.n


@case
def own_getattr():
    class Model:
        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            return 3.0

    model = Model()

    def f(x):
        before = model.n
        model.n = x * 2.0
        return before * x + model.n

    return f, NUMBERS, lambda: vars(model)


@case
def dataclass_object():
    @dataclasses.dataclass
    class Stats:
        n: int = 0
        mean: float = 0.0

    stats = Stats()
    box = Box(stats=stats)

    def f(x):
        box.stats.n += 1
        box.stats.mean += (x - box.stats.mean) / box.stats.n
        return box.stats.mean * x

    return f, NUMBERS, lambda: (box.stats.n, box.stats.mean)


@case
def through_its_dict():
    box = Box(n=1)

    def f(x):
        box.n = 5
        box.__dict__["n"] += 1
        return x * x * box.n

    return f, NUMBERS, lambda: box


# ----- globals and cells
N, LAST = 0, None


def reset():
    global N, LAST
    N, LAST = 0, None


@case
def global_counter():
    reset()

    def f(x):
        global N, LAST
        N += 1
        LAST = x * N
        return helper(x) + LAST

    def helper(x):
        global N
        N = N + 1
        return x * x * N

    return f, NUMBERS, lambda: (N, LAST)


@case
def new_global():
    globals().pop("MADE", None)

    def f(x):
        global MADE
        MADE = x * 2.0
        return MADE * x

    return f, NUMBERS, lambda: globals().get("MADE")


@case
def nonlocal_counter():
    n, last = 0, 1.0

    def f(x):
        nonlocal n, last
        n += 1
        last = last * x
        return last * n

    return f, NUMBERS, lambda: (n, last)


@case
def nonlocal_of_a_helper():
    n = 0

    def tick():
        nonlocal n
        n += 1
        return n

    def f(x):
        a = tick() * x
        for _ in range(2):
            tick()
        return a + tick() * x * x

    return f, NUMBERS, lambda: n


@case
def local_function_with_a_nonlocal():
    calls = []

    def f(x):
        n = 0

        def tick():
            nonlocal n
            n += 1
            calls.append(n)

        tick()
        tick()
        return x * x * n

    return f, NUMBERS, lambda: calls


# ----- lists and dicts
@case
def history():
    log = []

    def f(x):
        loss = np.sum(x * x)
        log.append(float(loss))
        return loss

    return f, THREE, lambda: log


@case
def history_in_a_loop():
    box = Box(log=[0.5])

    def f(x, n):
        s = 0.0
        for i in range(n):
            s = s + x[i] * x[i]
            box.log.append(float(s))
            if s > 0.5:
                box.log.append(-1.0)
        return s + np.sum(x)

    return f, [(vector(), 3), (vector(), 0), (vector(), 2)], lambda: box


@case
def history_of_arrays():
    log = []

    def f(x):
        y = x * 2.0
        log.append(y)
        log.append((1, "step", float(y[0])))
        return np.sum(y * x)

    return f, THREE, lambda: log


@case
def history_as_a_default():
    def f(x, log=[]):  # noqa: B006
        log.append(float(x))
        log += [1.0, 2.0]
        log.extend((3.0, float(x * x)))
        return x * x

    return f, NUMBERS, lambda: f.__defaults__


@case
def list_in_two_attributes():
    log = [1.0]
    box = Box(a=log, b=log)

    def f(x):
        box.a[0] = x * 2.0
        box.b[0] = box.b[0] * x
        return box.a[0] * x

    return f, NUMBERS, lambda: box


@case
def history_in_two_attributes():
    log = [1.0]
    box = Box(a=log, b=log)

    def f(x):
        box.a.append(float(x))
        return x * x * len(box.b)

    return f, NUMBERS, lambda: box


@case
def read_after_append():
    log = [1.0, 2.0]

    def f(x):
        log.append(x * 2.0)
        found = log[-1] * x
        log.pop()
        return found + log[0]

    return f, NUMBERS, lambda: log


@case
def item_of_a_list():
    state = [1.0, 2, 0.5]

    def f(x):
        state[0] = state[0] * x
        state[1] += 1
        state[-1], state[0] = state[0], state[-1] + x
        return state[0] * state[2] * state[1]

    return f, NUMBERS, lambda: state


@case
def item_of_a_list_in_a_loop():
    state = [1.0, 2.0, 0.5]

    def f(x):
        for i in range(3):
            state[i] = state[i] * x + i
        return state[0] * state[2]

    return f, NUMBERS, lambda: state


@case
def item_of_a_dict():
    stats = {"n": 0, "sum": 0.0}

    def f(x):
        stats["n"] += 1
        stats["sum"] += x
        stats["last"] = x * 2.0
        return stats["sum"] * x + stats["last"] + stats["n"]

    return f, NUMBERS, lambda: stats


@case
def memo():
    cache = {}

    def power(n):
        if n in cache:
            return cache[n]
        cache[n] = 1.0 if n == 0 else power(n - 1) * 2.0
        return cache[n]

    def f(x, n):
        return x * x * power(n)

    return f, [(0.7, 2), (0.7, 2), (0.7, 1)], lambda: cache


@case
def memo_of_an_array():
    cache = {}

    def weights(n):
        if n not in cache:
            cache[n] = np.arange(n) * 0.5
        return cache[n]

    def f(x):
        return np.sum(weights(3) * x * x)

    return f, THREE, lambda: cache


@case
def popped_and_updated():
    d = {"a": 1.0, "b": 2.0}

    def f(x):
        a = d.pop("a")
        d.update(c=x, b=a)
        d["a"] = d.setdefault("e", 4.0) * x
        return d["a"] * d["c"]

    return f, NUMBERS, lambda: d


@case
def dict_in_a_branch():
    d = {"hit": 0, "miss": 0, "last": 0.0}

    def f(x):
        if x > 0.5:
            d["hit"] += 1
            d["last"] = x
        else:
            d["miss"] += 1
        return x * x + d["last"]

    return f, NUMBERS, lambda: d


@case(compiled=False)
def other_containers():
    recent, groups = collections.deque(maxlen=2), collections.defaultdict(list)

    def f(x):
        recent.append(float(x))
        groups["x"].append(float(x))
        return x * x

    return f, NUMBERS, lambda: (list(recent), dict(groups))


# ----- arrays
@case
def buffer():
    box = Box(buffer=np.zeros(3), n=0)
    same = box.buffer

    def f(x):
        box.buffer[:] = box.buffer * 0.5 + x
        box.buffer[0] += 1.0
        return np.sum(box.buffer * x)

    return f, THREE, lambda: (box, same)


@case
def global_array():
    rows = np.zeros((3, 3))

    def f(x, i):
        rows[i] = x * 2.0
        rows[i, 0] = 9.0
        return np.sum(rows * x)

    return f, [(vector(), 0), (vector(), 2), (vector(), 1)], lambda: rows


@case
def array_in_place_in_a_loop():
    box = Box(counts=np.zeros(3), k=np.zeros(2, int))

    def f(x):
        for i in range(3):
            box.counts[i] += x[i] * x[i]
            box.k[i % 2] += 1
        box.counts *= 0.5
        return np.sum(box.counts * x)

    return f, THREE, lambda: box


@case
def view_of_an_array_outside():
    box = Box(table=np.zeros((2, 3)))

    def f(x):
        row = box.table[1]
        row += x
        row[0] = 4.0
        return np.sum(box.table * x)

    return f, THREE, lambda: box


@case
def array_outside_that_is_the_argument_too():
    box = Box(buffer=vector())

    def f(x):
        box.buffer = x * 2.0
        return np.sum(box.buffer * x)

    return f, [(box.buffer,), (vector(),), (vector(),)], lambda: box


@case(compiled=False)
def arrays_outside_that_overlap():
    base = np.zeros(4)
    box = Box(a=base[:3], b=base[1:])

    def f(x):
        box.a += 1.0
        return np.sum(box.b * x)

    return f, THREE, lambda: (box.a, box.b)


@case
def residual_of_a_buffer():
    box = Box(w=vector(1.0, 2.0, 3.0))

    def f(x):
        y = np.sum(box.w * x * x)
        box.w *= 2.0
        return y * y

    return f, THREE, lambda: box


# ----- exceptions
@case
def raised_after_a_store():
    box = Box(n=0, log=[])

    def f(x):
        box.n += 1
        box.log.append(float(x))
        if x < 0:
            raise ValueError("negative")
        box.n += 10
        return x * x

    return f, [(0.7,), (-0.3,), (0.2,)], lambda: box


@case
def index_error_between_stores():
    box = Box(n=0)

    def f(x, i):
        box.n += 1
        y = x[i] * x[0]
        box.n += 10
        return y

    return f, [(vector(), 1), (vector(), 7), (vector(), 2)], lambda: box


@case
def caught_after_a_store():
    box = Box(n=0, errors=0)

    def f(x, s):
        try:
            box.n += 1
            y = x / s
            box.n += 10
        except ZeroDivisionError:
            box.errors += 1
            y = x
        finally:
            box.n += 100
        return y * y

    return f, [(0.7, 2.0), (0.7, 0.0), (0.7, 4.0)], lambda: box


@case
def stored_in_finally():
    box = Box(depth=0, n=0)

    def f(x):
        box.depth += 1
        try:
            return x * x * box.depth
        finally:
            box.depth -= 1
            box.n += 1

    return f, NUMBERS, lambda: box


@case
def assertion_behind_a_store():
    box = Box(n=0)

    def f(x):
        box.n += 1
        assert x > 0, "must be positive"
        box.n += 1
        return math.log(x)

    return f, [(0.7,), (-0.3,), (0.2,)], lambda: box


# ----- and the rest of what programs do
@case
def context_manager():
    box = Box(depth=0, seen=0)

    @contextlib.contextmanager
    def deeper():
        box.depth += 1
        try:
            yield
        finally:
            box.depth -= 1

    def f(x):
        with deeper():
            box.seen = box.depth
            return x * x * box.depth

    return f, NUMBERS, lambda: box


@case(compiled=False)
def printed():
    box = Box(n=0)

    def f(x):
        box.n += 1
        if x > 100.0:
            print("large")
        return x * x * box.n

    return f, NUMBERS, lambda: box


@case(compiled=False)
def opaque_reader():
    box = Box(n=0)

    def reads(x):
        return eval("box.n", {"box": box}) * x

    def f(x):
        box.n += 1
        return reads(x) * x

    return f, NUMBERS, lambda: box


@case(compiled=False)
def cached_helper():
    box = Box(n=0)

    @functools.lru_cache
    def scale(k):
        box.n += 1
        return 2.0 * k

    def f(x):
        return x * x * scale(3)

    return f, NUMBERS, lambda: box


@case
def comprehension_that_stores():
    log = []

    def note(v):
        log.append(float(v))
        return v * 2.0

    def f(x):
        return sum([note(v) for v in x]) * x[0]

    return f, THREE, lambda: log


@case
def integers_and_bools():
    box = Box(i=2, b=True, z=1 + 2j, f32=np.float32(0.5))

    def f(x):
        box.i = box.i * 3 - 1
        box.b = x > 0.5
        box.z = box.z * 2
        box.f32 = box.f32 * np.float32(2)
        return x * x * box.i

    return f, NUMBERS, lambda: box


@case
def large_integer():
    box = Box(i=2**61)

    def f(x):
        box.i = box.i * 2
        return x * x

    return f, NUMBERS, lambda: box


@case
def recursion():
    box = Box(calls=0)

    def power(x, n):
        box.calls += 1
        return x if n == 1 else x * power(x, n - 1)

    def f(x):
        return power(x, 4) + box.calls

    return f, NUMBERS, lambda: box


@case
def lambda_and_local_alias():
    box = Box(n=1.0)

    def f(x):
        alias = box
        g = lambda v: v * alias.n  # noqa: E731
        before = g(x)
        alias.n = x * 3.0
        return before + g(x)

    return f, NUMBERS, lambda: box


@case
def early_return():
    box = Box(n=0, last=None)

    def f(x):
        box.n += 1
        if x < 0.5:
            return x * 3.0
        box.last = x
        return x * x * box.n

    return f, NUMBERS, lambda: box


@case
def break_and_continue():
    box = Box(seen=0, at=-1, log=[])

    def f(x):
        s = 0.0
        for i in range(3):
            if x[i] < 0:
                continue
            box.seen += 1
            s = s + x[i] * x[i]
            if s > 1.0:
                box.at = i
                box.log.append(i)
                break
        return s + x[0] * box.seen

    return f, THREE, lambda: box


@case(compiled=False)
def while_that_asks_a_storing_function():
    box = Box(turns=0)

    def more(limit):
        box.turns += 1
        return box.turns % 4 != limit

    def f(x):
        s = x
        while more(0):
            s = s * x + 1.0
        return s

    return f, NUMBERS, lambda: box


@case
def short_circuit():
    box = Box(asked=0)

    def ask(v):
        box.asked += 1
        return v > 0.5

    def f(x):
        y = x * 2.0 if x > 0 and ask(x) else x * 3.0
        return y if ask(x) or ask(-x) else y * y

    return f, NUMBERS, lambda: box


@case
def callable_object():
    class Loss:
        def __init__(self):
            self.calls = 0

        def __call__(self, x):
            self.calls += 1
            return x * x * self.calls

    loss = Loss()
    return loss, NUMBERS, lambda: loss


@case
def objects_in_a_list():
    boxes = [Box(n=0.0), Box(n=1.0), Box(n=2.0)]
    boxes.append(boxes[0])

    def f(x):
        for k, box in enumerate(boxes):
            box.n += x * k
        return sum(box.n for box in boxes) * x

    return f, NUMBERS, lambda: boxes


@case
def targets_of_all_kinds():
    box, d = Box(a=0, b=0, rest=None, i=-1), {"k": [0.0, 1.0]}

    def f(x):
        box.a, (box.b, d["z"]), *box.rest = x[0], (x[1], 3), x[2], 4
        d["k"][1] += x[0] * x[1]
        for box.i in range(2):
            d["k"][0] += box.i
        return d["k"][1] * box.a + box.b

    return f, THREE, lambda: (box, d)


@case
def in_place_operators_of_attributes():
    box = Box(v=np.zeros(3), w=np.ones(3), items=[1.0])
    others = box.v, box.w, box.items

    def f(x):
        box.v += x
        box.w = box.w + x
        box.items += [float(x[0])]
        np.multiply(box.v, 2.0, out=box.v)
        return np.sum(box.v * box.w * x)

    return f, THREE, lambda: (box, others)


@case
def matrix_outside():
    grid = np.zeros((2, 3))

    def f(x):
        for i in range(2):
            for j in range(3):
                grid[i, j] += x[j] * i + grid[i, 0]
        grid.T[0] *= 0.5
        grid[:, 1:][0] = 1.0
        return np.sum(grid * x)

    return f, THREE, lambda: grid


@case
def methods_of_lists():
    items = [3.0, 1.0, 2.0]

    def f(x):
        items.reverse()
        items.insert(1, float(x))
        last = items.pop()
        del items[0]
        items[0:1] = [last, 5.0]
        return x * x * items[0]

    return f, NUMBERS, lambda: items


@case
def nested_dicts():
    d = {"a": {"n": 0, "v": np.zeros(2)}, "b": [1.0]}

    def f(x):
        d["a"]["n"] += 1
        d["a"]["v"][0] = x
        d["b"].append(x * 1.0)
        d["c"] = {"x": x}
        del d["c"]["x"]
        return d["a"]["v"][0] * x * d["a"]["n"]

    return f, NUMBERS, lambda: d


@case
def argument_that_is_written_too():
    box = Box(seen=None)

    def f(x):
        x[0] = x[0] * 2.0
        box.seen = x
        x[1] = 3.0
        return np.sum(x * x)

    return f, THREE, lambda: box


@case
def generator_and_map():
    box = Box(n=0)

    def tick(v):
        box.n += 1
        return v * v

    def f(x):
        a = sum(tick(v) for v in x)
        b = sum(map(tick, x))
        return a + b * x[0]

    return f, THREE, lambda: box


@case
def walrus_and_global():
    global SEEN
    SEEN = 0

    def f(x):
        global SEEN
        if (SEEN := SEEN + 1) > 1:
            return x * x * SEEN
        return x

    return f, NUMBERS, lambda: SEEN


@case
def wrapper_with_a_count():
    def counted(function):
        calls = 0

        @functools.wraps(function)
        def wrapper(*args):
            nonlocal calls
            calls += 1
            return function(*args) * calls

        wrapper.calls = lambda: calls
        return wrapper

    @counted
    def f(x):
        return x * x

    return f, NUMBERS, lambda: f.calls()


@case
def stored_and_raised_in_a_loop():
    box = Box(n=0, log=[])

    def f(x):
        for i in range(5):
            box.n += 1
            box.log.append(i)
            y = x[i] * 2.0
        return y * x[0]

    return f, THREE, lambda: box


@case(compiled=False)
def caught_in_a_loop():
    box = Box(bad=0, good=0)

    def f(x):
        s = 0.0
        for i in range(4):
            try:
                s = s + x[i] * x[i]
                box.good += 1
            except IndexError:
                box.bad += 1
        return s

    return f, THREE, lambda: box


@case
def running_statistics():
    class Norm:
        def __init__(self):
            self.mean, self.var, self.steps, self.training = np.zeros(3), np.ones(3), 0, True

        def __call__(self, x):
            if self.training:
                mean, var = np.mean(x, axis=0), np.var(x, axis=0)
                self.mean = 0.9 * self.mean + 0.1 * mean
                self.var = 0.9 * self.var + 0.1 * var
                self.steps += 1
            else:
                mean, var = self.mean, self.var
            return (x - mean) / np.sqrt(var + 1e-5)

    norm = Norm()

    def f(x):
        rows = np.stack([x, x * x, np.sin(x)])
        return np.sum(norm(rows) * rows)

    return f, THREE, lambda: norm


@case
def recurrent_state():
    class Cell:
        def __init__(self):
            self.w, self.h = np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.0, 0.5, 0.1]]), np.zeros(3)

        def reset(self):
            self.h = np.zeros(3)

        def step(self, v):
            self.h = np.tanh(self.w @ self.h + v)
            return self.h

    cell = Cell()

    def f(x):
        cell.reset()
        for i in range(3):
            y = cell.step(x * i)
        return np.sum(y * cell.h)

    return f, THREE, lambda: cell


@case
def backward_in_objects():
    class Node:
        def __init__(self, value):
            self.value, self.grad = value, 0.0

    nodes = [Node(float(i)) for i in range(40)]

    def f(x):
        for k, node in enumerate(nodes):
            node.grad += x * k
        return nodes[3].grad * x

    return f, NUMBERS, lambda: nodes


@case
def stack_that_is_left_when_it_raises():
    stack = []

    def f(x, i):
        stack.append(i)
        y = x[i] * x[0]
        stack.pop()
        return y

    return f, [(vector(), 1), (vector(), 7), (vector(), 2)], lambda: stack


@case
def read_under_another_name_for_a_time():
    stack = [1.0]
    box = Box(stack=stack)

    def f(x):
        stack.append(x)
        y = box.stack[-1] * x
        stack.pop()
        return y

    return f, NUMBERS, lambda: (stack, box)


@case
def attribute_of_a_function():
    def remember(x):
        remember.count = getattr(remember, "count", 0) + 1
        remember.last = x * 2.0
        return x * remember.count + remember.last

    def f(x):
        return remember(x) * remember(x * x)

    return f, NUMBERS, lambda: (remember.count, remember.last)


@case
def attribute_of_a_class():
    class Model:
        made, total = 0, 0.0

        def __init__(self, w):
            Model.made += 1
            self.w = w
            type(self).total = type(self).total + w

        @classmethod
        def reset(cls):
            cls.total = 0.5

    class Sub(Model):
        pass

    outer = Sub(1.0)

    def f(x):
        Model.reset()
        a = Model(x)
        b = Sub(x * 2.0)
        for _ in range(2):
            Model.made += 1
        return a.total * x + b.total + outer.made + b.made

    return f, NUMBERS, lambda: (Model.made, Model.total, Sub.made, Sub.total, vars(outer))


@case
def perhaps_attribute_of_a_class():
    class Model:
        best = 0.1

    model = Model()

    def f(x):
        if x > model.best:
            Model.best = x
        return x * x * model.best

    return f, NUMBERS, lambda: (Model.best, vars(model))


@case
def another_name_in_a_loop():
    box = Box(y=None)

    def f(x, n):
        y = x * 2.0
        box.y = y
        for _ in range(n):
            y = y + 1.0
        return np.sum(y * x)

    return f, [(vector(), 2), (vector(), 0), (vector(), 1)], lambda: box


@case
def another_name_that_is_written_behind_a_loop():
    box = Box(y=None)

    def f(x, n):
        y = x * 2.0
        box.y = y
        for _ in range(n):
            y = y + 1.0
        y[0] = 5.0
        return np.sum(y * x)

    return f, [(vector(), 2), (vector(), 0), (vector(), 1)], lambda: box


@case
def another_name_that_is_written_behind_a_branch():
    box, d = Box(y=None), {"y": None}

    def f(x, s):
        y = x * 2.0
        box.y = y
        d["y"] = y
        z = y if s > 0 else x * 3.0
        z[0] = 5.0
        return np.sum(y * x) + z[1]

    return f, [(vector(), 1.0), (vector(), -1.0), (vector(), 1.0)], lambda: (box, d)


@case
def appended_and_changed_in_a_loop():
    log = []

    def f(x, n):
        y = x * 2.0
        log.append(y)
        for _ in range(n):
            y = y * 2.0
        y += 1.0
        return np.sum(y * x)

    return f, [(vector(), 2), (vector(), 0), (vector(), 1)], lambda: log


@case(compiled=False)
def list_of_a_place_under_another_name():
    box = Box(items=None)

    def f(x, s):
        items = [1.0]
        box.items = items
        other = items if s > 0 else [2.0]
        other.append(x[0])
        return sum(box.items) * x[1]

    return f, [(vector(), 1.0), (vector(), -1.0), (vector(), 1.0)], lambda: box


@case(compiled=False)
def counts_by_key():
    counts = {}

    def f(x):
        for v in x:
            key = int(v > 0)
            counts[key] = counts.get(key, 0) + 1
        return np.sum(x * x) * len(counts)

    return f, THREE, lambda: counts


@case(compiled=False)
def one_attribute_becomes_the_other_in_a_loop():
    box = Box(v=vector(), u=vector(0.5, 0.1, 0.2), w=0.0)

    def f(x, n):
        for _ in range(n):
            box.w += np.sum(box.v)
            box.v = box.u
        return np.sum(box.v * x) + box.w

    return f, [(vector(), 2), (vector(), 0), (vector(), 1)], lambda: box


@case(compiled=False)
def a_name_of_an_array_outside_since_a_loop():
    box = Box(v=vector())

    def f(x, n):
        z = x * 2.0
        for i in range(n):
            z = box.v
            z[0] = 5.0 * i
        box.v[1] = 7.0
        return np.sum(z * x)

    return f, [(vector(), 2), (vector(), 0), (vector(), 1)], lambda: box


@case
def own_array_gets_another_shape():
    box = Box(seen=None)

    def f(x):
        a = np.zeros(6)
        a[:3] = x
        a.shape = (2, 3)
        a[1] = a[0] * 2.0
        box.seen = a
        return np.sum(a @ x)

    return f, THREE, lambda: box
