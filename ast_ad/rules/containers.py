"""How do values flow through lists whose length is known at run time only?

A list that grows in a loop is a value like any other: every operation returns a new list, and each has a
rule. Generated code appends in place where the old list is dead.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from . import helpers
from .helpers import broadcast_like, list_from_array, unbroadcast, zero_like
from .registry import nondifferentiable, vjp


def list_append(xs: list[Any], v: Any) -> list[Any]:
    """``xs`` with ``v`` at its end.

    >>> list_append([1.0], 2.0)
    [1.0, 2.0]
    """
    return [*xs, v]


def list_pop(xs: list[Any]) -> tuple[list[Any], Any]:
    """``xs`` without its last element, and that element.

    >>> list_pop([1.0, 2.0])
    ([1.0], 2.0)
    """
    return xs[:-1], xs[-1]


def list_remove(xs: list[Any], i: int) -> tuple[list[Any], Any]:
    """``xs`` without its element ``i``, and that element.

    >>> list_remove([1.0, 2.0, 3.0], 0)
    ([2.0, 3.0], 1.0)
    """
    rest = list(xs)
    item = rest.pop(i)
    return rest, item


def list_put(xs: list[Any], i: int, v: Any) -> list[Any]:
    """The list of which ``list_remove(..., i)`` makes ``xs`` and ``v``.

    >>> list_put([2.0, 3.0], 0, 1.0), list_put([2.0], -1, 1.0)
    ([1.0, 2.0, 3.0], [2.0, 1.0])
    """
    out = list(xs)
    out.insert(i if i >= 0 else len(xs) + 1 + i, v)
    return out


def list_place(xs: list[Any], i: int) -> int:
    """Where ``xs.insert(i, v)`` puts ``v``.

    >>> list_place([1.0, 2.0], -1), list_place([1.0, 2.0], 7)
    (1, 2)
    """
    return min(i, len(xs)) if i >= 0 else max(i + len(xs), 0)


def list_start(xs: list[Any], start: int | None) -> int:
    """Where ``xs[start:]`` begins.

    >>> list_start([1.0, 2.0], -1)
    1
    """
    return slice(start, None).indices(len(xs))[0]


def list_stop(xs: list[Any], start: int, stop: int | None) -> int:
    """Where ``xs[start:stop]`` ends, if it begins at ``start``.

    >>> list_stop([1.0, 2.0, 3.0], 2, 1)
    2
    """
    return max(start, slice(None, stop).indices(len(xs))[1])


def list_extreme(xs: list[Any], largest: bool) -> int:
    """The position of the first of the least elements of ``xs``, or of the largest.

    >>> list_extreme([2.0, 1.0, 1.0], False)
    1
    """
    places = range(len(xs))
    return max(places, key=xs.__getitem__) if largest else min(places, key=xs.__getitem__)


def list_get(xs: list[Any], i: int) -> Any:
    """``xs[i]``.

    >>> list_get([1.0, 2.0], -1)
    2.0
    """
    return xs[i]


def list_set(xs: list[Any], i: int, v: Any) -> list[Any]:
    """``xs`` with ``xs[i] = v``.

    >>> list_set([1.0, 2.0], 0, 5.0)
    [5.0, 2.0]
    """
    out = list(xs)
    out[i] = v
    return out


def list_add_at(xs: list[Any], i: int, v: Any) -> list[Any]:
    """``xs`` with ``v`` added to its element ``i``.

    >>> list_add_at([1.0, 2.0], 1, 5.0)
    [1.0, 7.0]
    """
    out = list(xs)
    out[i] = add(out[i], v)
    return out


def list_slice(xs: list[Any], start: int | None, stop: int | None, step: int | None) -> list[Any]:
    """``xs[start:stop:step]``.

    >>> list_slice([1.0, 2.0, 3.0], None, None, 2)
    [1.0, 3.0]
    """
    return xs[start:stop:step]


def list_set_slice(
    xs: list[Any], start: int | None, stop: int | None, step: int | None, v: list[Any]
) -> list[Any]:
    """``xs`` with ``xs[start:stop:step] = v``, which must not change its length.

    >>> list_set_slice([1.0, 2.0, 3.0], 1, None, None, [5.0, 6.0])
    [1.0, 5.0, 6.0]
    """
    out = list(xs)
    out[start:stop:step] = v
    if len(out) != len(xs):
        raise ValueError(f"the assignment changes the length of the list from {len(xs)} to {len(out)}")
    return out


def list_concat(a: list[Any], b: list[Any]) -> list[Any]:
    """``a + b``.

    >>> list_concat([1.0], [2.0])
    [1.0, 2.0]
    """
    return a + b


def list_repeat(xs: list[Any], n: int) -> list[Any]:
    """``xs * n``.

    >>> list_repeat([1.0, 2.0], 2)
    [1.0, 2.0, 1.0, 2.0]
    """
    return xs * n


def list_reverse(xs: list[Any]) -> list[Any]:
    """``xs`` backwards.

    >>> list_reverse([1.0, 2.0])
    [2.0, 1.0]
    """
    return xs[::-1]


def list_order(xs: list[Any], descending: bool = False) -> list[int]:
    """The positions in ``xs`` of the elements of ``sorted(xs, reverse=descending)``.

    >>> list_order([2.0, 1.0, 2.0])
    [1, 0, 2]
    """
    return sorted(range(len(xs)), key=xs.__getitem__, reverse=descending)


def list_permuted(xs: list[Any], places: list[int]) -> list[Any]:
    """``[xs[i] for i in places]``, where ``places`` has every index once.

    >>> list_permuted([1.0, 2.0], [1, 0])
    [2.0, 1.0]
    """
    return [xs[i] for i in places]


def list_len(xs: list[Any]) -> int:
    """``len(xs)``.

    >>> list_len([1.0, 2.0])
    2
    """
    return len(xs)


def list_zeros_like(xs: list[Any]) -> list[Any]:
    """The zero cotangent of a list, or of the 0.0 that is the cotangent of a list that was not made.

    >>> list_zeros_like([1.0, np.ones(2)])
    [0.0, array([0., 0.])]
    """
    return [zero_like(item) for item in xs] if isinstance(xs, (list, tuple)) else 0.0


def list_add(a: list[Any], b: list[Any]) -> list[Any]:
    """The sum of two lists of equal length, element by element; 0.0 stands for a list that was not made.

    >>> list_add([1.0, 2.0], [3.0, 4.0]), list_add(0.0, [3.0])
    ([4.0, 6.0], [3.0])
    """
    both = isinstance(a, list) and isinstance(b, list)
    return [add(x, y) for x, y in zip(a, b, strict=True)] if both else _of_one(a, b)


def _of_one(a: Any, b: Any) -> Any:
    """The sum of two cotangents where one is 0.0: a list or tuple and 0.0, or 0.0 twice."""
    made, other = (a, b) if isinstance(a, (list, tuple)) else (b, a)
    if isinstance(other, (list, tuple)) or other != 0.0:
        raise TypeError(f"a cotangent of {type(a).__name__} and one of {type(b).__name__}, of one value")
    return type(made)(made)


def add(a: Any, b: Any) -> Any:
    """``a + b`` for numbers, arrays, and the lists and tuples of them that cotangents are; None is zero.

    >>> add((1.0, [2.0]), (3.0, [4.0]))
    (4.0, [6.0])
    >>> add(((0.0, 0.0), 1.0), (None, 2.0))
    ((0.0, 0.0), 3.0)
    """
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return type(a)(add(x, y) for x, y in zip(a, b, strict=True))
    return _of_one(a, b) if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)) else a + b


def list_fill(xs: Any, g: Any) -> Any:
    """``g`` for each element of ``xs`` (a list, or the rows of an array), summed down to its shape.

    >>> list_fill([1.0, 2.0], 3.0)
    [3.0, 3.0]
    """
    if isinstance(xs, np.ndarray):
        return np.broadcast_to(g, xs.shape)
    return type(xs)(unbroadcast(g, item) for item in xs)


def array_from_list(xs: list[Any], dtype: Any = None) -> Any:
    """``np.array(xs)``.

    >>> array_from_list([1.0, 2.0])
    array([1., 2.])
    """
    return np.array(xs, dtype=dtype)


def list_given(xs: list[Any]) -> list[Any]:
    """The list itself: what a program is given, as one of its own that it does not change."""
    return xs


def list_column(xs: list[Any], k: int) -> list[Any]:
    """What stands at a place of all tuples in a list that a program is given.

    >>> list_column([(1, 2.5), (3, 4.5)], 1)
    [2.5, 4.5]
    """
    return [row[k] for row in xs]


def own_column(xs: list[Any], k: int, dtype: Any) -> Any:
    """``own_numbers(list_column(xs, k), dtype)``.

    >>> own_column([(1, 2.5), (3, 4.5)], 1, np.dtype(float))
    array([2.5, 4.5])
    """
    return own_numbers([row[k] for row in xs], dtype)


def own_numbers(xs: list[Any], dtype: Any) -> Any:
    """``np.array(xs, dtype)`` of Python's ints or floats, all of them.

    >>> own_numbers([1, 2], np.dtype(int))
    array([1, 2])
    """
    kind = int if np.dtype(dtype).kind == "i" else float
    if not all([type(x) is kind for x in xs]):
        raise TypeError(f"a list with something else in it than {kind.__name__}s")
    return np.array(xs, dtype=dtype)


@vjp(list_append)
def list_append_rule(g, ans, xs, v):
    rest, last = list_pop(g)
    return rest, last


@vjp(list_pop)
def list_pop_rule(g, ans, xs):
    rest, last = g
    return list_append(rest, last)


@vjp(list_remove)
def list_remove_rule(g, ans, xs, i):
    rest, item = g
    return list_put(rest, i, item), None


@vjp(list_put)
def list_put_rule(g, ans, xs, i, v):
    rest, item = list_remove(g, i)
    return rest, None, item


@vjp(list_get)
def list_get_rule(g, ans, xs, i):
    return list_set(list_zeros_like(xs), i, g), None


@vjp(list_set)
def list_set_rule(g, ans, xs, i, v):
    return list_set(g, i, zero_like(list_get(xs, i))), None, list_get(g, i)


@vjp(list_add_at)
def list_add_at_rule(g, ans, xs, i, v):
    return g, None, list_get(g, i)


@vjp(list_slice)
def list_slice_rule(g, ans, xs, start, stop, step):
    return list_set_slice(list_zeros_like(xs), start, stop, step, g), None, None, None


@vjp(list_set_slice)
def list_set_slice_rule(g, ans, xs, start, stop, step, v):
    part = list_slice(g, start, stop, step)
    rest = list_set_slice(g, start, stop, step, list_zeros_like(part))
    return rest, None, None, None, part


@vjp(list_concat)
def list_concat_rule(g, ans, a, b):
    n = list_len(a)
    return list_slice(g, None, n, None), list_slice(g, n, None, None)


@vjp(list_repeat)
def list_repeat_rule(g, ans, xs, n):
    m = list_len(xs)
    total = list_zeros_like(xs)
    for k in range(n):
        total = list_add(total, list_slice(g, k * m, (k + 1) * m, None))
    return total, None


@vjp(list_reverse)
def list_reverse_rule(g, ans, xs):
    return list_reverse(g)


@vjp(list_permuted)
def list_permuted_rule(g, ans, xs, places):
    return list_permuted(g, list_order(places)), None


@vjp(list_add, add)
def list_add_rule(g, ans, a, b):
    return g, g


@vjp(list_fill)
def list_fill_rule(g, ans, xs, v):
    return None, broadcast_like(builtins.sum(g), v)


@vjp(array_from_list)
def array_from_list_rule(g, ans, xs, dtype=None):
    return list_from_array(g, xs), None


nondifferentiable(list_len, list_order, list_zeros_like, list_place, list_start, list_stop, list_extreme)
helpers.METADATA.update({list_len: 0, list_zeros_like: 0, list_fill: 0})
helpers.SHAPED_LIKE.update(
    dict.fromkeys(
        (
            list_set,
            list_add_at,
            list_slice,
            list_repeat,
            list_set_slice,
            list_reverse,
            list_permuted,
            list_concat,
            list_zeros_like,
            list_add,
        ),
        (0, ()),
    )
)
helpers.ITEMS.add(list_get)


# ----- the parts of an array -----


def array_split_in(ary: Any, sections: int) -> list[Any]:
    """``np.array_split(ary, sections)`` into a number of parts that is known at run time only.

    >>> [part.tolist() for part in array_split_in(np.arange(5), 3)]
    [[0, 1], [2, 3], [4]]
    """
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, more = divmod(len(ary), sections)
    return [ary[i * each + min(i, more) : (i + 1) * each + min(i + 1, more)] for i in range(sections)]


def split_in(ary: Any, sections: int) -> list[Any]:
    """``np.split(ary, sections)`` into a number of parts that is known at run time only."""
    if len(ary) % sections:
        raise ValueError("array split does not result in an equal division")
    return array_split_in(ary, sections)
