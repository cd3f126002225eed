"""What of an array that each turn saves does nobody read? What lies before the turn's own row.

``save_what_is_read(kernel) -> None``. Behind ``interchange`` and ``turn``: they like loops that begin at 0.

A factorisation reads less of its matrix in each turn, but a turn saves all of it. If all that is read of the
tape's row ``k`` lies at ``k`` or behind it, by the ranges of the loops, no more need be saved::

    for k in range(n):                          for k in range(n):
        for j in range(n):                          for j in range(k, n):
            tape[k, j] = a[j]                           tape[k, j] = a[j]
    ...                                         ...
            s += tape[k, j + k + 1]                     s += tape[k, j + k + 1]

Nothing hangs on the order of things: a place is written unless no read, of any turn, can name it.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...ir import builtin
from ...ir.ops import Arg, Block, For, Function, Lit, Op, Seq, Statement, Var, blocks, walk
from .. import runtime as kernels
from .axis_order import ACCESSES, own
from .body import INT
from .clamped_places import Form, Known, form_of, number_of, range_of


def save_what_is_read(kernel: Function) -> None:
    """Let loops that do nothing but fill an array leave out what is certainly not read, in place."""
    arrays = own(kernel)
    if not arrays:
        return
    makers = {out: op for op in walk(kernel.body) for out in op.outs}
    uses: dict[Var, _Uses] = defaultdict(_Uses)
    _look(kernel.body, _Around(Known(makers)), arrays, uses)
    for array in sorted(uses, key=lambda v: v.id):
        _narrow(uses[array], makers)


@dataclass
class _Around:
    """Where a statement stands: the loops around it, each with the block that it is in."""

    known: Known
    loops: tuple[tuple[For, Block], ...] = ()

    def within(self, loop: For, block: Block) -> _Around:
        ends = _ends(loop, self.known.makers)
        ranges = self.known.ranges if ends is None else [*self.known.ranges, (loop.index, *ends)]
        return _Around(Known(self.known.makers, ranges), (*self.loops, (loop, block)))


def _ends(loop: For, makers: Mapping[Var, Statement]) -> tuple[Form, Form] | None:
    """The least value of a counter, and what is above all of them."""
    if loop.range is None or not _is(loop.range[2], -1) or loop.stops:
        return range_of(loop, makers)
    start, stop = (form_of(arg, makers) for arg in loop.range[:2])
    one = Form(const=1)
    return None if start is None or stop is None else (stop.plus(one), start.plus(one))


def _is(arg: Arg, number: int) -> bool:
    return isinstance(arg, Lit) and type(arg.value) is int and arg.value == number


@dataclass
class _Uses:
    writes: list[tuple[Op, _Around]] = field(default_factory=list)
    reads: list[tuple[Op, _Around]] = field(default_factory=list)


def _look(block: Block, around: _Around, arrays: set[Var], uses: dict[Var, _Uses]) -> None:
    for op in block.ops:
        if isinstance(op, Op) and op.fn in ACCESSES and op.args[0] in arrays:
            found = uses[op.args[0]]
            (found.reads if op.fn is operator.getitem else found.writes).append((op, around))
        inside = around.within(op, block) if isinstance(op, For) else around
        for inner in blocks(op):
            _look(inner, inside, arrays, uses)


def _narrow(uses: _Uses, makers: Mapping[Var, Statement]) -> None:
    """Narrow the loop that fills an array, if one does, by the first two axes that tell something."""
    if len(uses.writes) != 1 or not uses.reads:
        return
    write, around = uses.writes[0]
    places = _places(write)
    for axis, place in enumerate(places):
        at = next((i for i, (loop, _) in enumerate(around.loops) if loop.index is place), None)
        if at is None or write.fn is not builtin.setitem_ or not _only_fills(around.loops[at][0], write):
            continue
        rows = {loop.index for loop, _ in around.loops[:at] if not _is_short(loop)}
        counters = {loop.index for loop, _ in around.loops[at:]}
        for other, there in enumerate(places):
            row = _row(there, around.known)
            moves = {var for var, _ in row.terms} if row is not None else set[Var]()
            if other == axis or row is None or rows.isdisjoint(moves) or not counters.isdisjoint(moves):
                continue
            if _begin_at(*around.loops[at], row, _least(uses, axis, other)):
                return


def _only_fills(loop: For, write: Op) -> bool:
    """Whether a loop over more than a few places does nothing else."""
    if loop.range is None or loop.stops or loop.items or loop.parallel or _is_short(loop):
        return False
    if not _is(loop.range[0], 0) or not _is(loop.range[2], 1):
        return False
    return all(
        op is write
        or (isinstance(op, Op) and not op.effect)
        or (isinstance(op, For) and not (op.outs or op.stops or op.parallel))
        for op in [loop, *walk(loop.body)]
    )


def _is_short(loop: For) -> bool:
    return loop.range is None or isinstance(loop.range[1], Lit)


def _row(place: Arg, known: Known) -> Form | None:
    """The place as a sum; a place that was checked is what was checked, unless that counts from the end."""
    op = known.makers.get(place) if isinstance(place, Var) else None
    if isinstance(op, Op) and op.fn is kernels.position and known.least(op.args[0], 1, Form()):
        return form_of(op.args[0], known.makers)
    return form_of(place, known.makers)


def _places(op: Op) -> tuple[Arg, ...]:
    assert isinstance(op.args[1], Seq)
    return op.args[1].items


def _least(uses: _Uses, axis: int, other: int) -> int | None:
    """How far before its row an array is read at most; None if that is not known."""
    found: list[int] = []
    for op, around in uses.reads:
        places = _places(op)
        place, row = _row(places[axis], around.known), _row(places[other], around.known)
        least = (
            None
            if place is None or row is None or not row.terms
            else around.known.lowest(place.plus(row, -1))
        )
        if least is None:
            return None
        found.append(least)
    return min(found)


def _begin_at(loop: For, block: Block, row: Form, least: int | None) -> bool:
    """Let a loop begin so many places from a row, if that is known where it stands."""
    made = {out for op in walk(loop.body) for out in op.outs}
    if least is None or any(var in made for var, _ in row.terms):
        return False
    ops: list[Statement] = []
    begin = number_of(row.plus(Form(const=least)), ops)
    first = Var(INT)
    ops.append(Op(max, (begin, Lit(0)), (first,), span=loop.span, adjoint=loop.adjoint))
    assert loop.range is not None
    loop.range = (first, *loop.range[1:])
    at = next(i for i, op in enumerate(block.ops) if op is loop)
    block.ops[at:at] = ops
    return True
