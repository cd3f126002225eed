"""Where in an array does an element of it lie when it has another shape?

``np.reshape`` and ``np.ravel`` number the elements in C order, whatever the order in memory. Axes are taken
together in *blocks*, the smallest runs of old and new axes with as many elements: within one, the new place
gives a number, and the number the old place. A block of one axis on either side needs no number.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...ir.dims import count
from ...ir.ops import Arg, Lit, Op, Seq, Var, variables
from ...ir.types import Array, Dim, Scalar
from .. import runtime as kernels
from ..nests.affine_indices import ZERO, Index
from ..nests.body import INT, Body
from ..numbers import row_places
from ..numbers.scalars import NoForm
from .forms import form_of, require_at_least, require_equal, require_not_negative
from .loop_values import Filled, Memory, Place, Value
from .lowering import count_of

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

DIVIDED = 4  # the cost of a place that takes a division

Block = tuple[tuple[int, ...], tuple[int, ...]]  # old axes, new ones


@dataclass(eq=False)
class Reshaped(Value):
    """The elements of ``base`` in another shape; ``blocks``: which of its axes are made of which."""

    base: Value
    blocks: Sequence[Block]

    def __post_init__(self) -> None:
        divided = any(len(old) > 1 for old, _ in self.blocks)
        self.cost, self.work = (n + DIVIDED * divided for n in (self.base.cost, self.base.work))
        self.is_view = self.base.is_view

    def element(self, body: Body, place: Place) -> Arg:
        return self.base.element(body, self.place(body, place))

    def place(self, body: Body, place: Place) -> Place:
        """The place in the base; it is computed in the body."""
        full = [ZERO] * self.base.rank
        for old, new in self.blocks:
            if len(old) == len(new) == 1:
                full[old[0]] = place[new[0]]
                continue
            number = flat_place(body, tuple(place[k] for k in new), tuple(self.lengths[k] for k in new))
            found = unraveled(body, number, tuple(self.base.lengths[k] for k in old))
            for axis, index in zip(old, found, strict=True):
                full[axis] = index
        return tuple(full)

    def reads(self) -> Iterator[Memory]:
        yield from self.base.reads()


def flat_place(body: Body, place: Place, lengths: tuple[Arg, ...]) -> Index:
    """The number of a place among all, row by row."""
    if len(place) == 1:
        return place[0]
    number: Arg = body.number(place[0])
    for i, n in zip(place[1:], lengths[1:], strict=True):
        row = body.op(operator.mul, number, n, type=INT)
        number = body.op(operator.add, row, body.number(i), type=INT)
    return Index.of(number)


def unraveled(body: Body, flat: Index, lengths: tuple[Arg, ...]) -> Place:
    """The place that has a number among all."""
    if len(lengths) == 1:
        return (flat,)
    found: list[Index] = []
    number = body.number(flat)
    for n in lengths[:0:-1]:
        found.insert(0, Index.of(body.op(row_places.column_of, number, n, type=INT)))
        number = body.op(row_places.row_of, number, n, type=INT)
    return (Index.of(number), *found)


def blocks_of(old: Sequence[Dim | int], new: Sequence[Dim | int]) -> list[Block]:
    """The blocks of two shapes with as many elements, axes of length 1 left out; all in one, if need be.

    >>> n = Dim.symbol("n", least=0)
    >>> blocks_of((n, 1, 6, n), (n, 2, 3, n))
    [((0,), (0,)), ((2,), (1, 2)), ((3,), (3,))]
    >>> blocks_of((n,), (Dim.symbol("rows", least=0), 3))
    [((0,), (0, 1))]
    """
    olds, news = ([k for k, n in enumerate(shape) if n != 1] for shape in (old, new))
    found: list[Block] = []
    i = j = 0
    while i < len(olds) and j < len(news):
        a, b = i + 1, j + 1
        while count(old[k] for k in olds[i:a]) != count(new[k] for k in news[j:b]):
            longer = a < len(olds) and (b == len(news) or _is_less(old, olds[i:a], new, news[j:b]))
            a, b = a + longer, b + (not longer)
            if b > len(news):  # nothing tells
                return [*found, (tuple(olds[i:]), tuple(news[j:]))]
        found.append((tuple(olds[i:a]), tuple(news[j:b])))
        i, j = a, b
    if i < len(olds) or j < len(news):
        last = found.pop() if found else ((), ())
        found.append(((*last[0], *olds[i:]), (*last[1], *news[j:])))
    return found


def _is_less(old: Sequence[Dim | int], a: list[int], new: Sequence[Dim | int], b: list[int]) -> bool:
    """Whether axes are taken to have fewer elements than others: numbers tell, else how many axes."""
    one, other = count(old[k] for k in a), count(new[k] for k in b)
    if isinstance(one, int) and isinstance(other, int):
        return one < other
    return len(a) <= len(b) if isinstance(one, int) == isinstance(other, int) else isinstance(one, int)


@form_of(np.reshape, np.ravel)
def _reshape(s: Scalarizer, op: Op) -> None:
    value, type = s.arg(op.args[0]), op.out.type
    if not isinstance(value, (Value, Seq)) and isinstance(type, Array) and not op.kwargs:
        if type.shape is not None and all(d == 1 for d in type.shape):
            s.bind(op.out, Filled(type, (Lit(1),) * len(type.shape), value))
            return
    if not isinstance(value, Value) or not isinstance(type, Array) or not type.shape or op.kwargs:
        raise NoForm("a new shape")
    if len(op.args) > 2 or value.type.shape is None:
        raise NoForm("an order of elements")
    lengths = _lengths(s, op, value, type.shape)
    found = blocks_of(value.type.shape, type.shape)
    if any(not old or not new for old, new in found):
        raise NoForm("a shape of which an axis may have length 1")
    if not s.depth and any(len(old) > 1 for old, _ in found):  # NumPy shows it in no time
        raise NoForm("a new shape")
    s.bind(op.out, Reshaped(type, lengths, value, found))


def _lengths(s: Scalarizer, op: Op, value: Value, dims: Sequence[Dim | int]) -> tuple[Arg, ...]:
    """The new lengths, as many elements as before for certain."""
    asked = _asked(s, op, len(dims))
    same = count(value.type.shape or ()) == count(dims)
    known: list[Arg | None] = [s.extent(d) for d in dims]
    if same and None not in known:
        return tuple(n for n in known if n is not None)
    if not s.waiting.isdisjoint(variables(*value.lengths, *[n for n in asked if n is not None])):
        s.flush()
    total = count_of(s, value.lengths)
    given = [n for n in asked if n is not None]
    product = count_of(s, tuple(given))
    if len(given) == len(asked):
        require_equal(s, product, total)
        return tuple(s.has_length(d, n) for d, n in zip(dims, given, strict=True))
    left = s.body.op(row_places.rows_in, total, product, type=INT)
    if isinstance(product, Var):  # 0, which nothing fits; of no elements nobody may ask for the rows
        require_at_least(s, left, 0)
    return tuple(s.has_length(d, left if n is None else n) for d, n in zip(dims, asked, strict=True))


def _asked(s: Scalarizer, op: Op, rank: int) -> list[Arg | None]:
    """The lengths that the program asks for; None: what is left."""
    if op.fn is np.ravel:
        return [None]
    shape = s.arg(op.args[1])
    items = shape.items if isinstance(shape, Seq) else shape.value if isinstance(shape, Lit) else shape
    items = items if isinstance(items, tuple) else (items,)
    numbers = [Lit(n) if isinstance(n, int) else s.number(n) for n in items]
    if len(numbers) != rank:
        raise NoForm("a shape of unknown rank")
    for n in numbers:
        if isinstance(n, Lit) and (type(n.value) is not int or n.value < -1):
            raise NoForm("a negative length")
        if not isinstance(n, Lit):  # -1, too, is left to NumPy then
            require_not_negative(s, n)
    found = [None if isinstance(n, Lit) and n.value == -1 else n for n in numbers]
    if found.count(None) > 1:
        raise NoForm("two lengths that are left")
    return found


@form_of(np.unravel_index)
def _unravel_index(s: Scalarizer, op: Op) -> None:
    """The place of the element that has a number."""
    shape = s.arg(op.args[1])
    if isinstance(shape, Lit) and isinstance(shape.value, tuple):
        shape = Seq(tuple(map(Lit, shape.value)))
    if not isinstance(shape, Seq) or op.kwargs or len(shape.items) != len(op.outs):
        raise NoForm("places in a shape, called like this")
    lengths, number = tuple(map(s.number, shape.items)), s.number(op.args[0])
    s.flush()
    inside = s.body.op(kernels.position, number, count_of(s, lengths), type=INT)
    positive = s.body.op(operator.ge, number, Lit(0), type=Scalar("bool"))
    s.body.append(Op(kernels.require, (positive,), (), effect=True))
    for out, index in zip(op.outs, unraveled(s.body, Index.of(inside), lengths), strict=True):
        s.env[out] = s.named(s.body.number(index), out)
