"""What are ``collections``' containers, and the functions of ``heapq`` and ``bisect``, by lists and dicts?"""

from __future__ import annotations

import bisect
import collections
import heapq
from typing import Any

from ..dicts import member
from ..standing import read_for


@read_for(collections.deque)
class deque:
    def __init__(self, iterable=(), maxlen=None):
        self.content = []
        self.maxlen = maxlen
        for item in iterable:
            self.append(item)

    def append(self, x):
        self.content.append(x)
        if self.maxlen is not None and len(self.content) > self.maxlen:
            self.content.pop(0)

    def appendleft(self, x):
        self.content.insert(0, x)
        if self.maxlen is not None and len(self.content) > self.maxlen:
            self.content.pop()

    def extend(self, iterable):
        for item in iterable:
            self.append(item)

    def extendleft(self, iterable):
        for item in iterable:
            self.appendleft(item)

    def pop(self):
        return self.content.pop()

    def popleft(self):
        return self.content.pop(0)

    def clear(self):
        self.content.clear()

    def rotate(self, n=1):
        if len(self.content) > 0:
            k = n % len(self.content)
            self.content = self.content[len(self.content) - k :] + self.content[: len(self.content) - k]

    def reverse(self):
        self.content.reverse()

    def __len__(self):
        return len(self.content)

    def __iter__(self):
        yield from self.content

    def __contains__(self, x):
        return x in self.content

    def __getitem__(self, i):
        return self.content[i]

    def __setitem__(self, i, x):
        self.content[i] = x


class Mapping:
    """What dicts have in common."""

    content: Any

    def __setitem__(self, key, value):
        self.content[key] = value

    def __delitem__(self, key):
        del self.content[key]

    def __contains__(self, key):
        return key in self.content

    def __len__(self):
        return len(self.content)

    def __iter__(self):
        yield from self.content

    def get(self, key, default=None):
        return self.content.get(key, default)

    def setdefault(self, key, default=None):
        return self.content.setdefault(key, default)

    def pop(self, key, *default):
        return self.content.pop(key, *default)

    def keys(self):
        return self.content.keys()

    def values(self):
        return self.content.values()

    def items(self):
        return self.content.items()


@read_for(collections.defaultdict)
class defaultdict(Mapping):
    def __init__(self, default_factory=None, *args, **kwargs):
        self.default_factory = default_factory
        self.content = dict(*args, **kwargs)

    def __getitem__(self, key):
        if key not in self.content:
            self.content[key] = self.default_factory()
        return self.content[key]

    def update(self, *args, **kwargs):
        self.content.update(*args, **kwargs)


@read_for(collections.Counter)
class Counter(Mapping):
    def __init__(self, iterable=()):
        self.content = {}
        self.update(iterable)

    def __getitem__(self, key):
        return self.content.get(key, 0)

    def update(self, iterable=()):
        if isinstance(iterable, dict):
            for key, n in iterable.items():
                self.content[key] = self.content.get(key, 0) + n
        else:
            for key in iterable:
                self.content[key] = self.content.get(key, 0) + 1

    def most_common(self, n=None):
        ordered = sorted(self.content.items(), key=lambda item: -item[1])
        return ordered if n is None else ordered[:n]

    def total(self):
        return sum(self.content.values())


@read_for(set)
class set_of_keys:
    """A set whose members are known when the program runs. It isn't run over: its order is that of hashes.

    As no member is read again, numbers with derivatives may be members: they are compared.
    """

    def __init__(self, iterable=()):
        self.content = {}
        self.update(iterable)

    def add(self, key):
        self.content[member(key)] = True

    def update(self, iterable):
        for key in iterable.content if isinstance(iterable, set_of_keys) else iterable:
            self.content[member(key)] = True

    def discard(self, key):
        if member(key) in self.content:
            del self.content[member(key)]

    def remove(self, key):
        del self.content[member(key)]

    def clear(self):
        self.content = {}

    def union(self, *others):
        found = set_of_keys(self.content)
        for other in others:
            found.update(other)
        return found

    def intersection(self, *others):
        found = set_of_keys(self.content)
        for other in others:
            found = set_of_keys([key for key in set_of_keys(other).content if key in found.content])
        return found

    def difference(self, *others):
        found = set_of_keys(self.content)
        for other in others:
            for key in set_of_keys(other).content:
                found.discard(key)
        return found

    def symmetric_difference(self, other):
        return self.union(other).difference(self.intersection(other))

    def issubset(self, other):
        others = set_of_keys(other).content
        return all([key in others for key in self.content])

    def issuperset(self, other):
        return set_of_keys(other).issubset(self)

    def isdisjoint(self, other):
        return len(self.intersection(other)) == 0

    def copy(self):
        return set_of_keys(self)

    def __or__(self, other):
        return self.union(other) if isinstance(other, (set, frozenset)) else NotImplemented

    def __and__(self, other):
        return self.intersection(other) if isinstance(other, (set, frozenset)) else NotImplemented

    def __sub__(self, other):
        return self.difference(other) if isinstance(other, (set, frozenset)) else NotImplemented

    def __xor__(self, other):
        return self.symmetric_difference(other) if isinstance(other, (set, frozenset)) else NotImplemented

    def __le__(self, other):
        return self.issubset(other) if isinstance(other, (set, frozenset)) else NotImplemented

    def __lt__(self, other):
        return self <= other and len(self.content) < len(set_of_keys(other).content)

    def __ge__(self, other):
        return self.issuperset(other) if isinstance(other, (set, frozenset)) else NotImplemented

    def __gt__(self, other):
        return self >= other and len(self.content) > len(set_of_keys(other).content)

    def __eq__(self, other):
        return self <= other and self >= other if isinstance(other, (set, frozenset)) else NotImplemented

    def __contains__(self, key):
        return member(key) in self.content

    def __len__(self):
        return len(self.content)


# ----- heaps
@read_for(heapq.heappush)
def heappush(heap, item):
    heap.append(item)
    rise(heap, 0, len(heap) - 1)


@read_for(heapq.heappop)
def heappop(heap):
    last = heap.pop()
    if len(heap) == 0:
        return last
    first = heap[0]
    heap[0] = last
    sink(heap, 0)
    return first


@read_for(heapq.heapreplace)
def heapreplace(heap, item):
    first = heap[0]
    heap[0] = item
    sink(heap, 0)
    return first


@read_for(heapq.heappushpop)
def heappushpop(heap, item):
    return heapreplace(heap, item) if len(heap) > 0 and heap[0] < item else item


@read_for(heapq.heapify)
def heapify(x):
    for i in range(len(x) // 2 - 1, -1, -1):
        sink(x, i)


def rise(heap, start, place):
    """Bring an item to its place among those above it."""
    item = heap[place]
    while place > start:
        parent = (place - 1) >> 1
        if not item < heap[parent]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def sink(heap, place):
    """Bring an item to its place among those below it."""
    start = place
    item = heap[place]
    child = 2 * place + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    rise(heap, start, place)


@read_for(heapq.nsmallest)
def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


@read_for(heapq.nlargest)
def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


# ----- places in sorted lists
@read_for(bisect.bisect_left)
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    low = lo
    high = len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            low = middle + 1
        else:
            high = middle
    return low


@read_for(bisect.bisect_right)
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    low = lo
    high = len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            high = middle
        else:
            low = middle + 1
    return low


@read_for(bisect.insort_left)
def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


@read_for(bisect.insort_right)
def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)
