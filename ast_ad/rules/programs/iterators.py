"""What do the iterators of ``itertools`` give, one item after the other?

Those that look at several items at once take a list of them, unless the user's code makes the items: it may
do more than that, so that it must not run before an item is asked for. What is endless comes from ``count``,
``cycle``, ``repeat`` and generators, and ends with ``zip``, ``islice`` or ``takewhile``.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

from ..numpy.gather import refuse
from ..standing import is_made_on_demand, read_for


@read_for(itertools.count)
def count(start=0, step=1):
    n = start
    while True:
        yield n
        n = n + step


@read_for(itertools.repeat)
def repeat(object, times=None):
    if times is None:
        while True:
            yield object
    else:
        for _ in range(times):
            yield object


@read_for(itertools.cycle)
def cycle(iterable):
    items = []
    if is_made_on_demand(iterable):
        for item in iterable:
            items.append(item)
            yield item
    else:
        items = list(iterable)
    while len(items) > 0:
        yield from items


@read_for(itertools.chain)
def chain(*iterables):
    for iterable in iterables:
        yield from iterable


@read_for(itertools.chain.from_iterable)
def chain_from_iterable(iterables):
    for iterable in iterables:
        yield from iterable


@read_for(itertools.islice)
def islice(iterable, *args):
    start = 0 if len(args) == 1 or args[0] is None else args[0]
    stop = args[0] if len(args) == 1 else args[1]
    step = 1 if len(args) < 3 or args[2] is None else args[2]
    if stop is None:
        for i, item in enumerate(iterable):
            if i >= start and (i - start) % step == 0:
                yield item
    elif stop > start:
        for i, item in enumerate(iterable):
            if i >= start and (i - start) % step == 0:
                yield item
            if i + 1 >= stop:
                break


@read_for(itertools.takewhile)
def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            break
        yield item


@read_for(itertools.dropwhile)
def dropwhile(predicate, iterable):
    dropping = True
    for item in iterable:
        if dropping and not predicate(item):
            dropping = False
        if not dropping:
            yield item


@read_for(itertools.filterfalse)
def filterfalse(predicate, iterable):
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


@read_for(itertools.compress)
def compress(data, selectors):
    for item, selected in zip(data, selectors, strict=False):
        if selected:
            yield item


@read_for(itertools.starmap)
def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


@read_for(functools.reduce)
def reduce(function, sequence):
    """Of an iterator that makes its items on demand, or a list whose length is known at run time only."""
    if is_made_on_demand(sequence):
        begun = False
        for value in itertools.accumulate(sequence, function):
            total, begun = value, True
        if not begun:
            raise TypeError("reduce() of empty iterable with no initial value")
        return total
    if len(sequence) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    value = sequence[0]
    for i in range(1, len(sequence)):
        value = function(value, sequence[i])
    return value


@read_for(itertools.accumulate)
def accumulate(iterable, func=None, *, initial=None):
    if initial is not None:
        total = initial
        yield total
        for item in iterable:
            total = total + item if func is None else func(total, item)
            yield total
    elif is_made_on_demand(iterable):
        begun = False
        for item in iterable:
            if begun:
                total = total + item if func is None else func(total, item)
            else:
                total = item
                begun = True
            yield total
    else:
        items = list(iterable)
        if len(items) > 0:
            total = items[0]
            yield total
            for item in items[1:]:
                total = total + item if func is None else func(total, item)
                yield total


@read_for(itertools.pairwise)
def pairwise(iterable):
    if is_made_on_demand(iterable):
        before: Any = []
        for item in iterable:
            if len(before) > 0:
                yield before[0], item
            before = [item]
    else:
        items = list(iterable)
        for i in range(len(items) - 1):
            yield items[i], items[i + 1]


@read_for(itertools.zip_longest)
def zip_longest(*iterables, fillvalue=None):
    if any([is_made_on_demand(iterable) for iterable in iterables]):
        refuse_reading_ahead("zip_longest")
    lists = tuple([list(iterable) for iterable in iterables])
    most = max([len(items) for items in lists])
    for i in range(most):
        yield tuple([items[i] if i < len(items) else fillvalue for items in lists])


@read_for(itertools.groupby)
def groupby(iterable, key=None):
    if is_made_on_demand(iterable):
        refuse_reading_ahead("groupby")
    items = list(iterable)
    keys = items if key is None else [key(item) for item in items]
    begin = 0
    while begin < len(items):
        end = begin + 1
        while end < len(items) and keys[end] == keys[begin]:
            end = end + 1
        yield keys[begin], items[begin:end]
        begin = end


def refuse_reading_ahead(name):
    refuse(
        f"{name}() of a generator or of a map", "it would run before its items are asked for", "make a list"
    )


@read_for(itertools.product)
def product(*iterables, repeat=1):
    pools = tuple([list(iterable) for iterable in iterables]) * repeat
    yield from of_each(pools)


def of_each(pools):
    """One item of each pool."""
    if len(pools) == 0:
        yield ()
    else:
        for item in pools[0]:
            for rest in of_each(pools[1:]):
                yield (item, *rest)


@read_for(itertools.combinations)
def combinations(iterable, r):
    pool = list(iterable)
    yield from chosen(pool, r, 0, 1)


@read_for(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable, r):
    pool = list(iterable)
    yield from chosen(pool, r, 0, 0)


def chosen(pool, r, start, step):
    """So many items of the pool, from a place on; ``step``: how far behind one the next may be."""
    if r == 0:
        yield ()
    else:
        for i in range(start, len(pool)):
            for rest in chosen(pool, r - 1, i + step, step):
                yield (pool[i], *rest)


@read_for(itertools.permutations)
def permutations(iterable, r=None):
    pool = list(iterable)
    yield from ordered(pool, len(pool) if r is None else r, ())


def ordered(pool, r, used):
    """So many items of the pool in every order, without those that are used."""
    if r == 0:
        yield ()
    else:
        for i in range(len(pool)):
            if i not in used:
                for rest in ordered(pool, r - 1, (*used, i)):
                    yield (pool[i], *rest)
