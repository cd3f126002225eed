"""What is an array while loops are generated for it? Memory, or a formula for its elements.

A formula is computed where an element is wanted; only what is needed as memory becomes memory. ``lengths``
are the extents of the axes: known numbers or integer Vars.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...ir.ops import Arg, Lit, Op, Var, reads, variables
from ...ir.types import Array, Scalar
from ..nests.affine_indices import ZERO, Index
from ..nests.body import Body
from ..numbers import selections

Place = tuple[Index, ...]
CHEAP = {
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.lt, operator.le,
    operator.gt, operator.ge, operator.eq, operator.ne, operator.and_, operator.or_, operator.not_,
}  # fmt: skip
OF_COUNTERS = {operator.add, operator.sub, operator.neg, selections.maximum, selections.minimum}
"""What indices of neighbours are made of: it costs less to compute than to read."""


@dataclass(eq=False)
class Value:
    """An array; ``element`` writes what computes the element at a place."""

    type: Array
    lengths: tuple[Arg, ...]

    @property
    def rank(self) -> int:
        return len(self.lengths)

    def element(self, body: Body, place: Place) -> Arg:
        raise NotImplementedError

    def reads(self) -> Iterator[Memory]:
        """The memory that its elements are computed from."""
        yield from ()

    of_counters = False  # whether its elements are sums of places and bounds of such
    cost = 0  # operations per element: 1 for arithmetic, more for the rest
    work = 0  # the same with what is read from memory
    is_view = False  # whether it shows memory, or nothing, and so follows writes to it
    gathers = False  # whether it reads elements that arrays of indices choose


@dataclass(eq=False)
class Memory(Value):
    """An array in memory; ``group``: what it may share memory with."""

    var: Var
    group: object
    is_view = True
    work = 1

    def element(self, body: Body, place: Place) -> Arg:
        return body.load(self.var, self.group, place)

    def reads(self) -> Iterator[Memory]:
        yield self


@dataclass(eq=False)
class Filled(Value):
    """The same number everywhere."""

    value: Arg
    is_view = True

    def element(self, body: Body, place: Place) -> Arg:
        return self.value


@dataclass(eq=False)
class Mapped(Value):
    """Elements of another array: ``where`` turns a place into one of the other's."""

    base: Value
    where: Callable[[Place], Place]

    def element(self, body: Body, place: Place) -> Arg:
        return self.base.element(body, self.where(place))

    def reads(self) -> Iterator[Memory]:
        yield from self.base.reads()

    @property
    def cost(self) -> int:  # type: ignore[override]
        return self.base.cost

    @property
    def work(self) -> int:  # type: ignore[override]
        return self.base.work

    @property
    def is_view(self) -> bool:  # type: ignore[override]
        return self.base.is_view


@dataclass(eq=False)
class Sliding(Value):
    """Elements of another array at places that are sums, of numbers that ``where`` gives for each axis."""

    base: Value
    where: Callable[[Place], tuple[Place, ...]]
    is_view = True

    def element(self, body: Body, place: Place) -> Arg:
        return self.base.element(body, tuple(_total(body, parts) for parts in self.where(place)))

    def reads(self) -> Iterator[Memory]:
        yield from self.base.reads()


def _total(body: Body, parts: Place) -> Index:
    """The sum of numbers of which several may move with loops."""
    if sum(part.loop is not None for part in parts) <= 1:
        return functools.reduce(Index.plus, parts)
    first, *others = map(body.number, parts)
    for other in others:
        first = body.op(operator.add, first, other, type=Scalar("int"))
    return Index.of(first)


@dataclass(eq=False)
class Formula(Value):
    """``compute(body, place)`` of each place, from ``parts``."""

    parts: Sequence[Value]
    compute: Callable[[Body, Place], Arg]
    own_cost: int = 1

    def __post_init__(self) -> None:
        self.cost = min(self.own_cost + sum(part.cost for part in self.parts), 10_000)
        self.work = min(self.own_cost + sum(part.work for part in self.parts), 10_000)
        self.gathers = any(part.gathers for part in self.parts)

    def element(self, body: Body, place: Place) -> Arg:
        return self.compute(body, place)

    def reads(self) -> Iterator[Memory]:
        for part in self.parts:
            yield from part.reads()


def reads_place(value: Value, axis: int) -> bool:
    """Whether elements depend on where they are along an axis: not so where one number fills the array."""
    if isinstance(value, Memory):
        return True
    body, place = Body(accesses=[]), Var(Scalar("int"))
    found = value.element(body, tuple(Index.of(place) if k == axis else ZERO for k in range(value.rank)))
    needed = set(variables(found))
    for op in reversed(body.ops):
        if not isinstance(op, Op) or not needed.isdisjoint(op.outs):
            needed.update(reads(op))
    return place in needed


def stretched(value: Value, place: Place) -> Place:
    """The place in an operand that belongs to a place in the broadcast result."""
    own = place[len(place) - value.rank :]
    return tuple(
        ZERO if isinstance(n, Lit) and n.value == 1 else i for n, i in zip(value.lengths, own, strict=True)
    )


def is_stretched(value: Value, lengths: Sequence[Arg]) -> bool:
    """Whether elements of the value are read more than once where it is broadcast to these lengths."""
    if value.rank < len(lengths):
        return True
    ones = [isinstance(n, Lit) and n.value == 1 for n in value.lengths]
    return any(
        one and not (isinstance(n, Lit) and n.value == 1) for one, n in zip(ones, lengths, strict=True)
    )


def elementwise(
    fn: Callable[..., Any], operands: Sequence[Arg | Value], type: Array, lengths: tuple[Arg, ...], cost: int
) -> Value:
    """``fn`` of every element of the broadcast operands."""
    element = Scalar(type.kind, type.dtype)

    def compute(body: Body, place: Place) -> Arg:
        args = [o.element(body, stretched(o, place)) if isinstance(o, Value) else o for o in operands]
        return body.op(fn, *args, type=element)

    parts = [o for o in operands if isinstance(o, Value)]
    formula = Formula(type, lengths, parts, compute, cost)
    if fn in OF_COUNTERS and all(part.of_counters for part in parts):
        formula.of_counters, formula.cost, formula.work = True, 1, 1
    return formula
