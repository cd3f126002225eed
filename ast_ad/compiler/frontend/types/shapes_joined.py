"""What are the lengths of arrays that are joined, or cut into pieces?"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ...ir import dims as terms
from ...ir.dims import Int, count, length
from ...ir.ops import Arg, Lit, Seq, Slice, Var
from ...ir.spans import sliced
from ...ir.types import ListOf
from .dummies import InferenceError, int_size
from .shape_rules import (
    NONE,
    Shape,
    Untold,
    at_least,
    broadcast,
    dims,
    is_integer,
    is_none,
    number,
    one_of,
    position,
    replaced,
    shape_of,
    size,
    static,
)


def _parts(arrays: Arg) -> list[tuple[Int, ...]]:
    if isinstance(arrays, Seq):
        return [dims(item) for item in arrays.items]
    shape = dims(arrays)
    if not shape or not isinstance(shape[0], int):
        raise Untold
    return [shape[1:]] * shape[0]


def _joined(parts: list[tuple[Int, ...]], axis: object) -> Shape:
    if axis is None:
        return (_total([count(p) for p in parts]),)
    place = position(axis, len(parts[0]))
    if any(len(p) != len(parts[0]) for p in parts):
        raise Untold
    others = [one_of([p[k] for p in parts]) for k in range(len(parts[0]))]
    return replaced(others, place, _total([p[place] for p in parts]))


def _total(lengths: list[Int]) -> Int:
    total: Int = 0
    for n in lengths:
        total = total + n
    return total


# ----- joined
@shape_of(np.concatenate)
def _concatenate(arrays: Arg, axis: Arg = Lit(0)) -> Shape:
    return _joined(_parts(arrays), static(axis))


@shape_of(np.stack)
def _stack(arrays: Arg, axis: Arg = Lit(0)) -> Shape:
    parts = _parts(arrays)
    place = position(static(axis), len(parts[0]) + 1)
    shape = tuple(one_of([p[k] for p in parts]) for k in range(len(parts[0])))
    return (*shape[:place], len(parts), *shape[place:])


@shape_of(np.vstack)
def _vstack(tup: Arg) -> Shape:
    return _joined([at_least(p, 2) for p in _parts(tup)], 0)


@shape_of(np.hstack)
def _hstack(tup: Arg) -> Shape:
    parts = [at_least(p, 1) for p in _parts(tup)]
    return _joined(parts, 0 if len(parts[0]) == 1 else 1)


@shape_of(np.column_stack)
def _column_stack(tup: Arg) -> Shape:
    return _joined([p if len(p) > 1 else ((*p, 1) if p else (1, 1)) for p in _parts(tup)], 1)


@shape_of(np.dstack)
def _dstack(tup: Arg) -> Shape:
    parts = [at_least(p, 2) for p in _parts(tup)]
    return _joined([(*p, 1) if len(p) == 2 else p for p in parts], 2)


@shape_of(np.append)
def _append(arr: Arg, values: Arg, axis: Arg = NONE) -> Shape:
    return _joined([dims(arr), dims(values)], static(axis))


@shape_of(
    np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.copy, np.asarray_chkfinite,
    np.asfortranarray,
)  # fmt: skip
def _array(a: Arg, *rest: Arg, ndmin: Arg = Lit(0), **options: Arg) -> Shape:
    return at_least(dims(a), static(ndmin))


@shape_of(builtins.sum)
def _sum(iterable: Arg, start: Arg = Lit(0)) -> Shape:
    shape = dims(iterable)
    if len(shape) > 1 and not terms.reaches(shape[0], 1):  # the sum of no rows is the number 0
        if isinstance(iterable, Var) and isinstance(iterable.type, ListOf):
            raise Untold  # whether there is one is asked where the program runs
        raise InferenceError("whether there is a row is not known")
    return broadcast(shape[1:], dims(start))


# ----- cut
def _cuts(n: Int, cuts: Arg, even: bool) -> list[Int]:
    """The lengths of the parts that ``np.split`` makes."""
    if isinstance(cuts, Seq) or isinstance(cuts, Lit) and not is_integer(cuts):
        places = list(map(number, cuts.items)) if isinstance(cuts, Seq) else [int(c) for c in cuts.value]
        bounds: list[Any] = [0, *places, None]
        return [sliced(n, a, b, None) for a, b in zip(bounds, bounds[1:], strict=False)]
    parts = static(cuts)
    if type(parts) is not int or parts < 1:
        raise Untold
    if even:
        return [terms.floordiv(n, parts)] * parts
    return [terms.floordiv(n + (parts - 1 - k), parts) for k in range(parts)]


def _split_along(ary: Arg, cuts: Arg, axis: object, even: bool = True) -> Any:
    shape = dims(ary)
    place = position(axis, len(shape))
    return [replaced(shape, place, n) for n in _cuts(shape[place], cuts, even)]


@shape_of(np.split)
def _split(ary: Arg, indices_or_sections: Arg, axis: Arg = Lit(0)) -> Any:
    return _split_along(ary, indices_or_sections, static(axis))


@shape_of(np.array_split)
def _array_split(ary: Arg, indices_or_sections: Arg, axis: Arg = Lit(0)) -> Any:
    return _split_along(ary, indices_or_sections, static(axis), False)


@shape_of(np.hsplit)
def _hsplit(ary: Arg, indices_or_sections: Arg) -> Any:
    return _split_along(ary, indices_or_sections, min(1, len(dims(ary)) - 1))


@shape_of(np.vsplit)
def _vsplit(ary: Arg, indices_or_sections: Arg) -> Any:
    return _split_along(ary, indices_or_sections, 0)


@shape_of(np.dsplit)
def _dsplit(ary: Arg, indices_or_sections: Arg) -> Any:
    return _split_along(ary, indices_or_sections, 2)


@shape_of(np.delete)
def _delete(arr: Arg, obj: Arg, axis: Arg = NONE) -> Shape:
    along = static(axis)
    shape = dims(arr) if along is not None else (size(arr),)
    place = position(0 if along is None else along, len(shape))
    n = shape[place]
    if isinstance(obj, Lit) and isinstance(obj.value, slice):
        obj = Slice(Lit(obj.value.start), Lit(obj.value.stop), Lit(obj.value.step))
    if isinstance(obj, Slice):
        bounds: list[Any] = [int_size(p) for p in (obj.start, obj.stop, obj.step)]
        if ... in bounds or 0 in bounds[2:]:
            raise Untold
        return replaced(shape, place, n - sliced(n, *bounds))
    return replaced(shape, place, n - 1 if is_integer(obj) else None)


@shape_of(np.insert)
def _insert(arr: Arg, obj: Arg, values: Arg, axis: Arg = NONE) -> Shape:
    along = static(axis)
    shape = dims(arr) if along is not None else (size(arr),)
    place = position(0 if along is None else along, len(shape))
    if isinstance(obj, Slice) or len(shape) > 1 and dims(values):
        return replaced(shape, place, None)
    places = dims(obj)
    more = size(obj) if places and places != (1,) else size(values) if len(shape) == 1 else 1
    return replaced(shape, place, shape[place] + more)


@shape_of(np.diff)
def _diff(
    a: Arg, n: Arg = Lit(1), axis: Arg = Lit(-1), prepend: Arg | None = None, append: Arg | None = None
) -> Shape:
    shape = dims(a)
    place = position(static(axis), len(shape))
    total = shape[place]
    for more in (prepend, append):
        if more is not None:
            total = total + (dims(more)[place] if dims(more) else 1)
    return replaced(shape, place, length(total - number(n)))


@shape_of(np.ediff1d)
def _ediff1d(ary: Arg, to_end: Arg = NONE, to_begin: Arg = NONE) -> Shape:
    more = [size(x) for x in (to_end, to_begin) if not is_none(x)]
    return (_total([length(size(ary) - 1), *more]),)
