# ruff: noqa: UP028
"""Generators: what runs when somebody asks for an item, who leaves whom, what is asked twice."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
SIX = np.array([0.4, -0.9, 1.3, 0.7, 2.1, -0.2])


@program(FOUR, later=[(SIX,), (FOUR[:1],)])
def turns_alternate(x):
    log = [1.0]

    def items():
        for v in x:
            log.append(log[-1] * 0.5 + v)
            yield v * log[-1]
        log.append(2.0)

    total = 0.0
    for t in items():
        log[0] = log[0] * t
        log.append(t)
        total = total + sum(log)
    return total + log[-1] * len(log)


@program(FOUR, 2, later=[(FOUR, 9), (SIX, 0)])
def left_by_break_or_not(x, n):
    ended = [0.0]

    def items():
        for v in x:
            yield v
        ended[0] = 1.0

    total = 0.0
    for k, t in enumerate(items()):
        if k == n:
            break
        total += t * t
    else:
        total = total * 3.0
    return total + ended[0]


@program(FOUR, later=[(-FOUR,), (FOUR * 0.1,)])
def left_by_return(x):
    def items():
        for i in range(len(x)):
            for j in range(i):
                yield x[i] * x[j]

    for t in items():
        if t > 0.2:
            return t * t
    return np.sum(x)


@program(FOUR, 3, later=[(FOUR, 1)])
def endless(x, n):
    def powers(v):
        p = 1.0
        while True:
            yield p
            p = p * v

    total = 0.0
    for k, p in zip(range(n), powers(x[0])):
        total += p * k
    for p, v in zip(powers(x[1]), x):
        total += p * v
    for p in powers(x[2] * 0.5):
        if p < 0.1:
            break
        total = total + p
    return total


@program(FOUR, later=[(SIX,)])
def zip_takes_one_too_many_or_not(x):
    taken = [0.0, 0.0]

    def items(which):
        for v in x:
            taken[which] += 1.0
            yield v

    total = 0.0
    for a, b in zip(items(0), x[:2]):
        total += a * b
    for a, b in zip(x[:2], items(1)):
        total += a * b
    return total * taken[0] + taken[1]


@program(FOUR, later=[(SIX,)])
def any_and_all_stop(x):
    seen = [1.0]

    def tests():
        for v in x:
            seen[0] = seen[0] * 2.0
            yield v > 1.0

    def others():
        for v in x:
            seen[0] = seen[0] + 1.0
            yield v < 0.0

    return x[0] * any(tests()) * seen[0] + all(others()) + seen[0] * x[1]


@program(FOUR, later=[(SIX,)])
def consumed_whole(x):
    def items(scale=1.0):
        for v in x:
            if v > 0:
                yield v * scale

    a = list(items())
    b = list(items(2.0))
    first, *rest = items(scale=x[1])
    c = sorted(items(), key=lambda v: -v)
    return sum(a) * b[0] + max(items()) * min(items()) + first * c[0] + sum(rest) + sum([*items()])


@program(FOUR, compiled=False)
def asked_twice(x):
    def items():
        yield x[0]
        yield x[1] * 2
        yield x[2]

    g = items()
    a = next(g)
    b = next(g)
    return a * b + sum(g)


@program(FOUR, compiled=False)
def asked_again_when_used_up(x):
    def items():
        for v in x:
            yield v

    g = items()
    total = 0.0
    for v in g:
        if v > 1.0:
            break
        total = total + v
    for v in g:
        total = total + v * 10.0
    return total + sum(g) + sum(g)


@program(FOUR)
def never_asked(x):
    log = [x[0]]

    def items():
        log.append(100.0)
        yield x[1]

    g = items()
    h = [items(), items()]
    return sum(log) * len(h) + (g is not None)


@program(FOUR, later=[(FOUR * 0.1,)])
def next_with_and_without_default(x):
    def large(least):
        for v in x:
            if v > least:
                yield v * v

    a = next((v for v in x if v < 0), x[0])
    b = next(large(0.05), 2.0)
    c = next((u * v for u in x for v in x if u * v > 0.5), None)
    d = next(iter(x)) + next(map(np.sin, x)) + next(filter(lambda v: v > 0.01, x))
    return a * b + (0.0 if c is None else c) + d


@program(FOUR, later=[(SIX,)], compiled=False)
def a_tuple_of_them(x):
    def items():
        for v in x:
            if v > 0:
                yield v

    t = tuple(items())
    return t[0] * len(t)


@program(FOUR, later=[(-np.abs(FOUR),)], compiled=False)
def next_without_items(x):
    return next(v * v for v in x if v > 0.0) * x[0]


@program(FOUR, later=[(SIX,)])
def filters(x):
    def large(v):
        return v > x[0] * 0.5

    u = list(filter(large, x))
    w = [v * 2 for v in filter(None, [x[0], 0.0, x[1], 0])]
    total = 0.0
    for k, v in enumerate(filter(lambda v: v < 1.0, x)):
        total += v * k
    total += sum(map(lambda a, b: a * b, filter(large, x), x))
    return total + sum(u) * len(u) + sum(w) * len(w)


@program(FOUR)
def yields_from(x):
    def tree(v, level):
        if level:
            yield from tree(v * 0.5, level - 1)
            yield v
            yield from tree(v + x[1], level - 1)

    def flat():
        n = yield from counted()
        yield n
        yield from x
        yield from (v * v for v in x)
        yield from [x[0], 2.0]

    def counted():
        yield x[2]
        return x[3] * 2

    return sum(v * k for k, v in enumerate(tree(x[0], 3))) + sum(flat())


@program(FOUR, later=[(-FOUR,)])
def what_a_generator_returns(x):
    def counted(v):
        yield v
        if v < 0.0:
            return None
        return v * 2

    def flat():
        n = yield from counted(x[0])
        yield 1.0 if n is None else n
        m = yield from counted(x[2])
        yield x[1] if m is None else m * x[3]

    total = 0.0
    for k, v in enumerate(flat()):
        total += v * (k + 1)
    return total


@program(FOUR, 2)
def late_binding(x, n):
    scale = x[0]

    def items(k):
        for i in range(k):
            yield scale * x[i]

    g = items(n)
    scale = x[1] * 3.0
    total = sum(g)
    n = 0
    return total * scale + n


@program(FOUR, compiled=False)
def arrays_are_yielded(x):
    def windows(a):
        for i in range(len(a) - 1):
            yield a[i : i + 2]

    a = x.copy()
    for w in windows(a):
        w *= 2.0
        w[0] += 1.0
    kept = list(windows(a))
    a[1] = 5.0
    return sum(np.sum(w * x[:2]) for w in kept)


@program(FOUR)
def the_generator_changes_what_it_has_yielded(x):
    def states(u, n):
        for _ in range(n):
            yield u
            u *= 0.5

    total = 0.0
    last = None
    for s in states(x.copy(), 3):
        total = total + np.sum(s * s)
        last = s
    kept = list(states(x.copy(), 2))
    return total + np.sum(last) + np.sum(kept[0] * x)


@program(FOUR, compiled=False)
def closed_early_within_try(x):
    log = [x[0]]

    def items():
        try:
            for v in x:
                yield v
        finally:
            log.append(x[1])

    total = 0.0
    for v in items():
        if v < 0:
            break
        total += v
    total = total * sum(log)
    for v in items():
        total += v
    return total * sum(log)


@program(FOUR, compiled=False)
def handlers_in_the_generator_do_not_see(x):
    def items():
        try:
            yield x[0]
        except KeyError:
            yield x[1]
        yield x[2]

    total = 0.0
    try:
        for v in items():
            total = total + v
            total = total + {"a": v}["b"]
    except KeyError:
        total = total * 5.0
    return total


@program(FOUR, 2, compiled=False)
def raises_in_the_generator(x, n):
    def items():
        for i in range(10):
            yield x[i] * i

    total = 0.0
    try:
        for v in items():
            total = total + v
    except IndexError:
        total = total * 2.0
    return total


class Chain:
    def __init__(self, values):
        self.values = values
        self.asked = 0

    def __iter__(self):
        self.asked += 1
        for v in self.values:
            yield v * self.asked

    def pairs(self):
        previous = None
        for v in self:
            if previous is not None:
                yield previous, v
            previous = v


@program(FOUR, later=[(SIX,)])
def methods_that_yield(x):
    c = Chain(x)
    total = 0.0
    for v in c:
        total += v * v
    for a, b in c.pairs():
        if a > b:
            continue
        total += a * b
    return total * c.asked + sum(c)


@program(FOUR, later=[(SIX,)])
def loops_within_each_other(x):
    def items(k):
        for v in x[k:]:
            yield v

    total = 0.0
    for i, a in enumerate(items(0)):
        for b in items(i):
            if b < 0:
                continue
            if b > 2.0:
                break
            total += a * b
        else:
            total += 1.0
    return total


@program(FOUR, 3, compiled=False)
def generators_in_a_list_run_by_turns(x, n):
    def items(v):
        for i in range(n):
            yield v * i

    total = 0.0
    for a, b in zip(items(x[0]), items(x[1])):
        total += a * b
    pairs = [sum(g) for g in [items(x[2]), items(x[3])]]
    return total + pairs[0] * pairs[1]


@program(FOUR)
def the_list_grows_under_the_generator(x):
    held = [x[0], x[1]]

    def items():
        for v in held:
            yield v * 2

    total = 0.0
    for v in items():
        total = total + v
        if len(held) < 5:
            held.append(v * 0.5 + 1.0)
    for v, w in zip(items(), held):
        total += v * w
    return total


@program(FOUR)
def nothing_is_yielded(x):
    def none():
        if len(x) < 0:
            yield x[1]
        return x[0]

    total = x[2]
    for v in none():
        total = total * v
    return total + sum(none()) + len(list(none())) + next(none(), x[3])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
