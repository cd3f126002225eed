"""Context managers of the user's own: what they hold, what they change, how their blocks are left.

All must be right; traced is enough.
"""

import contextlib

import numpy as np

from .harness import after, program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])


class Holds:
    def __init__(self, array):
        self.array = array
        self.count = 0

    def __enter__(self):
        self.count += 1
        return self.array

    def __exit__(self, kind, error, trace):
        self.array *= 2.0
        if kind is None:
            self.count += 10
        return True


class Saves(contextlib.AbstractContextManager):
    def __init__(self, items):
        self.items = items

    def __exit__(self, *details):
        self.items.append(len(details))
        assert len(self.items) < 5


class Refuses:
    def __enter__(self):
        raise KeyError("no")

    def __exit__(self, *details):
        return True


OUTSIDE = Holds(np.ones(4))


@contextlib.contextmanager
def doubled(a):
    b = a
    a = a * 2.0
    yield a
    b[0] = 9.0


@contextlib.contextmanager
def perhaps(flag):
    if flag:
        yield 1.0
    else:
        yield 2.0


@contextlib.contextmanager
def swallowing(log):
    try:
        log.append(1.0)
        yield log
        log.append(2.0)
    except IndexError:
        log.append(4.0)
    finally:
        log.append(8.0)


@contextlib.contextmanager
def within(a, log):
    with swallowing(log) as inner, Holds(a) as b:
        inner.append(b[0])
        yield b
        b[1] = 0.5


@program(FOUR, compiled=False)
def held_array_is_written(x):
    u = x.copy()
    with Holds(u) as v:
        v[0] = 3.0
        u = u * x
        u[1] = 5.0
    return np.sum(u * v)


@program(FOUR, 3, compiled=False)
def held_array_in_a_loop(x, n):
    u = x.copy()
    with Holds(u) as v:
        for i in range(n):
            u += x[i]
            u = u * 0.5
    return np.sum(u * v)


@program(FOUR, 3, compiled=False)
def one_for_many(x, n):
    h = Holds(x.copy())
    total = 0.0
    for i in range(n):
        with h as v:
            if i == 1:
                continue
            total += np.sum(v) * x[i]
            if total > 50.0:
                break
        total += h.count
    return total + np.sum(h.array)


@program(FOUR, 1, later=[(FOUR, 7)], compiled=False)
def exits_that_count(x, k):
    log = []
    total = x[0]
    with Saves(log), Holds(x.copy()) as v:
        total = total * v[k]
        log.append(total)
    return total * len(log) + sum(log)


@program(FOUR, compiled=False)
def enter_raises(x):
    with Refuses():
        y = x[0]
    return y


@program(FOUR, compiled=False)
def exit_raises(x):
    log = []
    for v in x:
        with Saves(log):
            log.append(v)
    return sum(log)


def _begin_anew():
    OUTSIDE.array[:] = 1.0
    OUTSIDE.count = 0


@program(after(_begin_anew, FOUR), compiled=False)
def outside_object(x):
    with OUTSIDE as v:
        y = np.sum(v * x)
    return y * OUTSIDE.count


@program(FOUR, compiled=False)
def generator_with_an_alias(x):
    u = x.copy()
    with doubled(u) as v:
        y = u[0] * v[0]
        u = u * 3.0
        v[1] = 0.0
    return y * np.sum(u) + np.sum(v)


@program(FOUR, 3, compiled=False)
def generator_in_a_loop(x, n):
    u = x.copy()
    total = 0.0
    for i in range(n):
        with doubled(u) as v:
            if v[i] < 0:
                continue
            u = u * v
            total += u[i]
    return total + np.sum(u)


@program(FOUR, True, later=[(FOUR, False)], compiled=False)
def generator_by_flag(x, flag):
    with perhaps(flag) as s:
        y = x[0] * s
    return y


@program(FOUR, compiled=False)
def generator_by_value(x):
    with perhaps(x[0] > 0) as s:
        y = x[0] * s
    return y


@program(FOUR, 1, later=[(FOUR, 9)], compiled=False)
def generator_swallows(x, k):
    log = []
    items = [x[0], x[1], x[2]]
    y = x[3]
    with swallowing(log) as kept:
        kept.append(y)
        y = y * items[k]
        kept.append(y)
    return y + sum(log) * x[0]


@program(FOUR, 2, compiled=False)
def returned_from_within(x, n):
    log = []

    def run():
        with swallowing(log):
            for i in range(n + 1):
                if x[i] > 1.0:
                    return x[i] ** 2
            return x[0]

    return run() * sum(log)


@program(FOUR, compiled=False)
def within_each_other(x):
    log = []
    a = x.copy()
    with within(a, log) as b:
        b[2] = 0.1
        log.append(b[3])
    return np.sum(a * x) + sum(log) * x[0]


@program(FOUR, compiled=False)
def suppressed_here(x):
    def local():
        return contextlib.suppress(ValueError, KeyError)

    y = x[0]
    with local(), contextlib.nullcontext(x[1] * 2) as z:
        y = y * z
    return y


@program(FOUR, compiled=False)
def stack_of_contexts(x):
    log = []
    with contextlib.ExitStack() as stack:
        v = stack.enter_context(Holds(x.copy()))
        stack.callback(log.append, 1.0)
        y = np.sum(v * x)
    return y + sum(log) + np.sum(v)


@program(FOUR, compiled=False)
def errors_and_own(x):
    with np.errstate(divide="ignore"), Holds(x.copy()) as v:
        y = np.sum(1.0 / (v - v[0] + 1.0))
    with np.errstate(all="raise"):
        z = x[0] * 2
    return y * z


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
