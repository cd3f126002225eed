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
from ...ir.ops import Arg, Lit, Op, Seq, variables
from ...ir.types import Array, Dim, Scalar
from .. import runtime as kernels
from ..nests.affine_indices import ZERO, Index
from ..nests.body import INT, Body
from ..numbers.scalars import NoForm
from .forms import form_of, require_equal
from .loop_values import Memory, Place, Value

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
        full = [ZERO] * self.base.rank
        for old, new in self.blocks:
            if len(old) == len(new) == 1:
                full[old[0]] = place[new[0]]
                continue
            number = _number(body, [body.number(place[k]) for k in new], [self.lengths[k] for k in new])
            for axis in reversed(old):
                rest = number
                if axis != old[0]:
                    number, rest = _divided(body, number, self.base.lengths[axis])
                full[axis] = Index.of(rest)
        return self.base.element(body, tuple(full))

    def reads(self) -> Iterator[Memory]:
        yield from self.base.reads()


def _number(body: Body, places: Sequence[Arg], lengths: Sequence[Arg]) -> Arg:
    """The number of an element of a block, in C order."""
    number, *others = places
    for place, length in zip(others, lengths[1:], strict=True):
        number = body.op(operator.add, body.op(operator.mul, number, length, type=INT), place, type=INT)
    return number


def _divided(body: Body, number: Arg, length: Arg) -> tuple[Arg, Arg]:
    """Quotient and remainder of what is not negative."""
    return (
        body.op(operator.floordiv, number, length, type=INT),
        body.op(operator.mod, number, length, type=INT),
    )


def blocks_of(old: Sequence[Dim | int], new: Sequence[Dim | int]) -> list[Block]:
    """The blocks of two shapes with as many elements, axes of length 1 left out; all in one, if need be.

    >>> n = Dim.symbol("n", least=0)
    >>> blocks_of((n, 1, 6, n), (n, 2, 3, n))
    [((0,), (0,)), ((2,), (1, 2)), ((3,), (3,))]
    >>> blocks_of((n,), (n // 3, 3))
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
    if not isinstance(value, Value) or not isinstance(type, Array) or not type.shape or op.kwargs:
        raise NoForm("a new shape")
    if len(op.args) > 2 or value.type.shape is None:
        raise NoForm("an order of elements")
    lengths = _lengths(s, op, value, type.shape)
    found = blocks_of(value.type.shape, type.shape)
    if any(not old or not new for old, new in found):
        raise NoForm("a shape of which an axis may have length 1")
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
    total = _product(s, value.lengths)
    given = [n for n in asked if n is not None]
    product = _product(s, given)
    if len(given) == len(asked):
        require_equal(s, product, total)
        return tuple(s.has_length(d, n) for d, n in zip(dims, given, strict=True))
    positive = s.body.op(operator.gt, product, Lit(0), type=Scalar("bool"))
    s.body.append(Op(kernels.require, (positive,), (), effect=True))
    left = s.body.op(operator.floordiv, total, product, type=INT)
    require_equal(s, s.body.op(operator.mul, left, product, type=INT), total)
    return tuple(s.has_length(d, left if n is None else n) for d, n in zip(dims, asked, strict=True))


def _product(s: Scalarizer, numbers: Sequence[Arg]) -> Arg:
    constant, found = 1, None
    for n in numbers:
        if isinstance(n, Lit):
            constant *= n.value
        else:
            found = n if found is None else s.body.op(operator.mul, found, n, type=INT)
    if found is None or constant == 1:
        return Lit(constant) if found is None else found
    return s.body.op(operator.mul, found, Lit(constant), type=INT)


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
        if not isinstance(n, Lit) and not s.bounds.not_negative(s.bounds.affine(n)):
            raise NoForm("a length that may be negative")
    return [None if isinstance(n, Lit) and n.value == -1 else n for n in numbers]
