"""What are the lengths of arrays that are made of numbers, repeated or reshaped?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....rules import helpers
from ...ir import dims as terms
from ...ir.dims import Int, length, smallest
from ...ir.ops import Arg, Lit, Seq, Var
from ...ir.spans import absolute, reshaped
from ...ir.types import ListOf, kind_of
from .shape_rules import (
    NONE,
    OneOf,
    Shape,
    Untold,
    at_least,
    broadcast,
    certain_dims,
    dims,
    is_none,
    number,
    position,
    replaced,
    shape_argument,
    shape_of,
    size,
    static,
    without_ones,
)


# ----- made of numbers
@shape_of(np.zeros, np.ones, np.empty, np.full)
def _new(shape: Arg, fill_value: Arg = NONE, dtype: Arg = NONE) -> Shape:
    return shape_argument(shape)


@shape_of(np.zeros_like, np.ones_like, np.empty_like)
def _like(a: Arg, dtype: Arg = NONE, order: Arg = NONE, subok: Arg = NONE, shape: Arg = NONE) -> Shape:
    return dims(a) if is_none(shape) else shape_argument(shape)


@shape_of(np.full_like)
def _full_like(a: Arg, fill: Arg, dtype: Arg = NONE, shape: Arg = NONE) -> Shape:
    return _like(a, shape=shape)


@shape_of(np.arange)
def _arange(start: Arg, stop: Arg = NONE, step: Arg = NONE) -> Shape:
    first, last = (Lit(0), start) if is_none(stop) else (start, stop)
    by = Lit(1) if is_none(step) else step
    if all(isinstance(a, Lit) for a in (first, last, by)):
        return np.arange(static(first), static(last), static(by)).shape
    low, high, stride = (number(_whole(a)) for a in (first, last, by))
    if not isinstance(stride, int) or not stride:
        raise Untold
    return (length(high - low if stride == 1 else 0 - terms.floordiv(low - high, stride)),)


def _whole(arg: Arg) -> Arg:
    value = arg.value if isinstance(arg, Lit) else None
    return Lit(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 2**50 else arg


@shape_of(np.linspace, np.logspace, np.geomspace)
def _linspace(
    start: Arg,
    stop: Arg,
    num: Arg = Lit(50),
    endpoint: Arg = NONE,
    *rest: Arg,
    axis: Arg = Lit(0),
    retstep: Arg = NONE,
) -> Shape:
    if static(retstep) or rest and static(rest[0]) is True:  # it returns two values
        raise Untold
    inner = broadcast(dims(start), dims(stop))
    if inner and (rest or static(axis) != 0):
        raise Untold
    return (number(num), *inner)


@shape_of(np.eye, np.tri)
def _eye(rows: Arg, columns: Arg = NONE, k: Arg = NONE, M: Arg = NONE) -> Shape:
    columns = M if is_none(columns) else columns
    n = length(number(rows))
    return n, n if is_none(columns) else length(number(columns))


@shape_of(np.identity)
def _identity(n: Arg) -> Shape:
    return number(n), number(n)


@shape_of(np.diag)
def _diag(v: Arg, k: Arg = Lit(0)) -> Shape:
    shape, offset = dims(v), number(k)
    if len(shape) == 1:
        n = shape[0] + absolute(offset)
        return n, n
    return (_diagonal_length(shape[0], shape[1], offset),)


def _diagonal_length(rows: Int, columns: Int, offset: Int) -> Int:
    return length(smallest(rows + smallest(offset, 0), columns - terms.largest(offset, 0)))


@shape_of(np.diagonal)
def _diagonal(a: Arg, offset: Arg = Lit(0), axis1: Arg = Lit(0), axis2: Arg = Lit(1)) -> Shape:
    shape = dims(a)
    first, second = (position(static(x), len(shape)) for x in (axis1, axis2))
    rest = [n for k, n in enumerate(shape) if k not in (first, second)]
    return (*rest, _diagonal_length(shape[first], shape[second], number(offset)))


@shape_of(np.linalg.diagonal)
def _last_diagonal(x: Arg, offset: Arg = Lit(0)) -> Shape:
    return _diagonal(x, offset, Lit(-2), Lit(-1))


@shape_of(np.diagflat)
def _diagflat(v: Arg, k: Arg = Lit(0)) -> Shape:
    n = size(v) + absolute(number(k))
    return n, n


@shape_of(np.vander)
def _vander(x: Arg, N: Arg = NONE, increasing: Arg = NONE) -> Shape:
    (n,) = dims(x)
    return n, n if is_none(N) else number(N)


# ----- reshaped, broadcast, repeated
@shape_of(np.reshape)
def _reshape(a: Arg, shape: Arg = NONE, order: Arg = NONE, newshape: Arg = NONE) -> Shape:
    return reshaped(dims(a), shape_argument(newshape if is_none(shape) else shape))


@shape_of(np.ravel)
def _ravel(a: Arg, order: Arg = NONE) -> Shape:
    return (size(a),)


@shape_of(np.atleast_1d)
def _atleast_1d(*arys: Arg) -> Any:
    return _each([dims(a) or (1,) for a in arys])


@shape_of(np.atleast_2d)
def _atleast_2d(*arys: Arg) -> Any:
    return _each([(*(1,) * (2 - len(shape)), *shape) for shape in map(dims, arys)])


@shape_of(np.atleast_3d)
def _atleast_3d(*arys: Arg) -> Any:
    found = [((1, 1, 1), (1, *shape, 1), (*shape, 1), shape)[min(len(shape), 3)] for shape in map(dims, arys)]
    return _each(found)


def _each(shapes: Sequence[Shape]) -> Any:
    return shapes[0] if len(shapes) == 1 else shapes


@shape_of(np.squeeze)
def _squeeze(a: Arg, axis: Arg = NONE) -> Shape | OneOf:
    shape, chosen = certain_dims(a), static(axis)
    if chosen is None:
        return without_ones(shape)
    axes = {position(x, len(shape)) for x in (chosen if isinstance(chosen, tuple) else (chosen,))}
    return tuple(n for k, n in enumerate(shape) if k not in axes)


@shape_of(np.broadcast_to)
def _broadcast_to(array: Arg, shape: Arg, subok: Arg = NONE) -> Shape:
    return shape_argument(shape)


@shape_of(np.broadcast_arrays)
def _broadcast_arrays(*arrays: Arg) -> Any:
    return [broadcast(*map(dims, arrays))] * len(arrays)


@shape_of(np.where)
def _where(condition: Arg, *options: Arg) -> Shape:
    if not options:
        raise Untold
    return broadcast(*map(dims, (condition, *options)))


@shape_of(np.choose)
def _choose(a: Arg, choices: Arg, mode: Arg = NONE) -> Shape:
    if not isinstance(choices, Seq):
        return broadcast(dims(a), dims(choices)[1:])
    return broadcast(dims(a), *map(dims, choices.items))


@shape_of(helpers.safe_product, helpers.exact_product, np.clip)
def _broadcast_all(*arrays: Arg) -> Shape:
    return broadcast(*map(dims, arrays))


@shape_of(np.tile)
def _tile(a: Arg, reps: Arg) -> Shape:
    shape, times = dims(a), shape_argument(reps)
    rank = max(len(shape), len(times))
    factors = (1,) * (rank - len(times)) + times
    pairs = zip(at_least(shape, rank), factors, strict=True)
    return tuple(None if t is None else terms.product(n, t) for n, t in pairs)


@shape_of(np.repeat)
def _repeat(a: Arg, repeats: Arg, axis: Arg = NONE) -> Shape:
    along = static(axis)
    shape = dims(a) if along is not None else (size(a),)
    place = position(0 if along is None else along, len(shape))
    if not dims(repeats):
        return replaced(shape, place, terms.product(shape[place], number(repeats)))
    times = static(repeats)
    if len(times) == 1:
        return replaced(shape, place, terms.product(shape[place], int(times[0])))
    return replaced(shape, place, int(sum(times)))


@shape_of(np.resize)
def _resize(a: Arg, new_shape: Arg) -> Shape:
    return shape_argument(new_shape)


@shape_of(np.pad)
def _pad(array: Arg, pad_width: Arg, mode: Arg = NONE, *rest: Arg, **options: Arg) -> Shape:
    shape, pairs = dims(array), _pairs(pad_width, len(dims(array)))
    return tuple(n + before + after for n, (before, after) in zip(shape, pairs, strict=True))


def _pairs(widths: Arg, rank: int) -> list[tuple[Int, Int]]:
    """How much is put before and after each axis."""
    if isinstance(widths, Lit) and isinstance(widths.value, (tuple, list)):
        return [(int(a), int(b)) for a, b in np.broadcast_to(np.array(widths.value), (rank, 2))]
    if not isinstance(widths, Seq):
        return [(number(widths), number(widths))] * rank
    if all(isinstance(i, Seq) and len(i.items) == 2 for i in widths.items):
        pairs = [(number(i.items[0]), number(i.items[1])) for i in widths.items if isinstance(i, Seq)]
        if len(pairs) in (1, rank):
            return pairs * rank if len(pairs) == 1 else pairs
    elif len(widths.items) == 2 and not any(isinstance(i, Seq) for i in widths.items):
        return [(number(widths.items[0]), number(widths.items[1]))] * rank
    raise Untold


@shape_of(np.meshgrid)
def _meshgrid(*xi: Arg, indexing: Arg = Lit("xy"), sparse: Arg = Lit(False), copy: Arg = NONE) -> Any:
    sizes = [size(x) for x in xi]
    if static(sparse):
        raise Untold
    if static(indexing) == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return [tuple(sizes)] * len(xi)


@shape_of(np.ix_)
def _ix(*args: Arg) -> Any:
    """Each along an axis of its own; of booleans as many as are true."""
    lengths = [dims(x)[0] if _holds_numbers(x) else None for x in args]
    ones = [1] * len(args)
    return [(*ones[:i], n, *ones[i + 1 :]) for i, n in enumerate(lengths)]


def _holds_numbers(arg: Arg) -> bool:
    if isinstance(arg, Seq):
        return all(map(_holds_numbers, arg.items))
    if isinstance(arg, Lit):
        return np.asarray(arg.value).dtype.kind in "iufc"
    if not isinstance(arg, Var):
        return False
    kind = kind_of(arg.type.element if isinstance(arg.type, ListOf) else arg.type)
    return kind in ("int", "float", "complex")


@shape_of(np.lib.stride_tricks.sliding_window_view)
def _sliding(x: Arg, window_shape: Arg, axis: Arg = NONE, **options: Arg) -> Shape:
    windows, along = shape_argument(window_shape), static(axis)
    out: list[Any] = list(dims(x))
    along = tuple(range(len(out))) if along is None else along if isinstance(along, tuple) else (along,)
    for k, w in zip(along, windows, strict=True):
        out[k] = None if w is None or out[k] is None else out[k] - w + 1
    return (*out, *windows)
