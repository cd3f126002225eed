"""Are ``itertools``, ``collections``, ``heapq``, ``bisect`` and sets compiled, whatever their items are?"""

import bisect
import collections
import functools
import heapq
import itertools
import math

import numpy as np
import pytest

from ast_ad import grad

from .checking import X, hold_compiled, hold_traced

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def products(x):
    pairs = sum(a * b for a, b in itertools.product(x, x)) + sum(
        a * b**2 for a, b in itertools.combinations(x, 2)
    )
    triples = sum(a * b**2 * c**3 for a, b, c in itertools.permutations(x, 3))
    bits = sum(x[i] * x[j] ** 2 for i, j in itertools.product(range(2), repeat=2))
    return pairs + triples + bits + sum(a * b for a, b in itertools.combinations_with_replacement(x, 2))


def accumulations(x):
    running = list(itertools.accumulate(x, lambda a, b: a * b))
    return (
        sum(itertools.accumulate(v**2 for v in x)) + running[-1] + max(itertools.accumulate(x, initial=x[1]))
    )


def chains(x):
    both = sum(v * w for v, w in zip(itertools.chain(x, x**2), range(8), strict=False))
    return (
        both + sum(itertools.chain.from_iterable([x, x * 3])) + sum(v for v in itertools.chain([x[0]], x[2:]))
    )


def slices(x):
    every = sum(v**2 for v in itertools.islice(x, 0, None, 2)) + sum(itertools.islice((v**2 for v in x), 2))
    return (
        every
        + sum(v for v in itertools.islice(x, 1, 3))
        + sum(itertools.islice(itertools.count(1), 3)) * x[0]
    )


def neighbours(x):
    return sum((b - a) ** 2 for a, b in itertools.pairwise(x)) + sum(
        a * b for a, b in zip(x, x[1:], strict=False)
    )


def endless(x):
    counted = sum(a * i for i, a in zip(itertools.count(1, 2), x, strict=False))
    repeated = sum(a * b for a, b in zip(x, itertools.repeat(2.0), strict=False))
    return counted + repeated + sum(a**2 * b for a, b in zip(x, itertools.cycle([1.0, 2.0]), strict=False))


def conditions(x):
    first = sum(v**2 for v in itertools.takewhile(lambda v: v < 1, x))
    rest = sum(itertools.dropwhile(lambda v: v < 1, x)) * x[0]
    others = sum(itertools.filterfalse(lambda v: v < 1, x)) + sum(itertools.compress(x, [1, 0, 1, 0]))
    return first + rest + others + sum(itertools.starmap(lambda a, b: a * b, zip(x, x, strict=True)))


def uneven(x):
    return sum(a * b for a, b in itertools.zip_longest(x, x[:2], fillvalue=1.5))


def groups(x):
    s = 0.0
    for k, members in itertools.groupby(range(4), key=lambda i: i // 2):
        s += sum(x[i] for i in members) ** 2 * (k + 1)
    return s


def folds(x):
    return functools.reduce(lambda a, b: a * b, (v + 1 for v in x)) + math.prod(v for v in x) * math.hypot(
        *x[:2]
    )


def with_defaults(x):
    totals, lists = collections.defaultdict(float), collections.defaultdict(list)
    for i, v in enumerate(x):
        totals[i % 2] += v**2
        lists[i // 2].append(v)
    return totals[0] * totals[1] + sum(totals.values()) + sum(sum(v) ** 2 for v in lists.values())


def counted(x):
    c = collections.Counter([1, 2, 2, 3])
    s = sum(x[k] * n for k, n in c.items())
    return s + c[2] * x[0] + c[7] * x[1] + sum(n * x[k] for k, n in c.most_common(1))


def ordered(x):
    d = collections.OrderedDict()
    d["a"] = x[0]
    d["b"] = x[1] * x[0]
    return sum(d.values()) * d["a"]


def queues(x):
    q = collections.deque([x[0], x[1]])
    q.append(x[2])
    q.appendleft(x[3])
    first, last = q.popleft(), q.pop()
    q.extend([first**2, last])
    q.rotate(1)
    return first * last + q[0] ** 3 + sum(q) * len(q)


def windows(x):
    q, s = collections.deque(maxlen=2), 0.0
    for v in x:
        q.append(v)
        s += sum(q) ** 2 / len(q)
    return s


def heaps(x):
    h, s = [], 0.0
    for v in x:
        heapq.heappush(h, v)
    while h:
        s = s * x[0] + heapq.heappop(h)
    return s + sum(heapq.nlargest(2, x)) * heapq.nsmallest(1, x)[0]


def places(x):
    edges, s = [0.5, 1.0], 0.0
    for v in x:
        s += v * (bisect.bisect(edges, v) + 1) + bisect.bisect_left(edges, v) * v**2
    return s


def seen(x):
    found, s = set(), 0.0
    for i in [0, 1, 1, 3, 0]:
        if i in found:
            s += x[i] ** 2
        found.add(i)
    return s + len(found) * x[2]


PROGRAMS = [
    products,
    accumulations,
    chains,
    slices,
    neighbours,
    endless,
    conditions,
    uneven,
    groups,
    folds,
    with_defaults,
    counted,
    ordered,
    queues,
    windows,
    heaps,
    places,
    seen,
]


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f):
    hold_compiled(f)


@pytest.mark.parametrize("f", PROGRAMS)
def test_traced(f):
    hold_traced(f)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [products, with_defaults, heaps])
def test_kernels(f):
    hold_compiled(f, "numba")


def test_the_order_of_a_set_is_its_own():
    """Compiled code knows the members of a set that it fills, and not in which order Python gives them."""

    def f(x):
        members = set()
        for i in [3, 1]:
            members.add(i)
        s = 0.0
        for i in members:
            s = s * x[0] + x[i] ** 2
        return s

    wanted = [X[1] ** 2, 2 * X[0] * X[1], 0.0, 2 * X[3]]
    np.testing.assert_allclose(grad(f)(X.copy()), wanted)


def test_an_item_is_not_made_before_it_is_asked_for():
    def f(x):
        def parts():
            yield x[0] ** 2
            yield x[1]
            yield 1.0 / (x[2] - x[2])

        return sum(itertools.islice(parts(), 2))

    np.testing.assert_allclose(grad(f)(X.copy()), [0.6, 1.0, 0.0, 0.0])
