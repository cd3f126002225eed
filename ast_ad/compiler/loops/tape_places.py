"""Where on its arrays is each element of a tape, and how is it written and read there?

The place of an iteration is a tuple of numbers. A loop that runs equally often whenever it runs adds an axis:
its iteration's place in its range. Another begins a new axis: the iterations of all its runs follow each
other; where a run begins is a number that the loop around it saves.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...rules import helpers
from ..arrays.lengths import Bounds, Lengths, Ops, size_of
from ..ir import builtin
from ..ir.ops import Arg, Block, For, If, Lit, Op, Seq, Statement, Var, While
from ..ir.types import Array, Dim, Scalar, Type

if TYPE_CHECKING:
    from .tape_layout import Tape

FIRST_CAPACITY = 16  # entries of an array that grows, at first
INT = Scalar("int")
Path = tuple[tuple[For | While | If, Block], ...]  # statements, each with the block of it that leads on


@dataclass
class Axis:
    """The first axis of what irregular loops record. ``end``: how long arrays have to be at least, a Var
    that is known before ``loop`` or, where ``late``, in its body."""

    loop: For | While
    end: Arg
    late: bool


@dataclass
class Frame:
    """A statement that hands a value on, as a result (the ``position``-th) of its block."""

    op: For | While | If
    block: Block
    position: int
    out: Var

    def set(self, value: Arg) -> None:
        results = list(self.block.results)
        results[self.position + (0 if isinstance(self.op, If) else self.op.stops)] = value
        self.block.results = tuple(results)


@dataclass
class Carried:
    """A value that changes in a nest of loops: in the innermost block it is ``now``."""

    frames: list[Frame]
    now: Var

    @property
    def last(self) -> Var:
        """What it is afterwards."""
        return self.frames[0].out

    def set(self, value: Arg) -> None:
        self.frames[-1].set(value)
        if isinstance(value, Var):
            self.now = value


@dataclass
class Place:
    """Where a loop's iteration is: ``write`` in the loop, ``read`` in its reader; ``lengths`` of the axes.
    ``path``: the loops and branches around the iteration, outermost first.
    ``numbers``: what is saved for each iteration, by dtype, each with what the reader calls it."""

    tape: Tape
    path: Path
    write: tuple[Arg, ...] = ()
    read: tuple[Arg, ...] = ()
    lengths: tuple[Arg, ...] = ()
    axis: Axis | None = None
    numbers: dict[np.dtype, list[tuple[Arg, Var]]] = field(default_factory=dict)

    def save(self, value: Arg, hint: str) -> Arg:
        """Save an integer; its name in the reader."""
        if isinstance(value, Lit):
            return value
        item = Var(INT, hint)
        self.numbers.setdefault(np.dtype(int), []).append((value, item))
        return item


class Places:
    """Finds the places of a tape's elements, and carries values through its loops."""

    def __init__(
        self,
        block: Block,
        tape: Tape,
        lengths: Lengths,
        undefined: set[Var],
        makers: dict[Var, Statement],
    ) -> None:
        self.block, self.tape, self.lengths = block, tape, lengths
        self.undefined, self.makers = undefined, makers
        self.before = lengths.ops
        self.pending: list[tuple[Block, Statement | None, int, Ops]] = []
        self.heads: dict[int, Ops] = {}

    def finish(self) -> None:
        """Put the new statements where they belong."""
        for block, anchor, offset, ops in self.pending:
            at = 0 if anchor is None else next(i for i, o in enumerate(block.ops) if o is anchor) + offset
            block.ops[at:at] = ops.ops
        at = next(i for i, o in enumerate(self.block.ops) if o is self.tape.anchor)
        self.block.ops[at:at] = self.before.ops

    # ----- where new statements go -----

    def ops(self, like: Statement, block: Block, anchor: Statement | None, offset: int = 0) -> Ops:
        """Statements to insert before (``offset`` 1: behind) another, or at the head of the block."""
        made = Ops(span=like.span, adjoint=like.adjoint)
        self.pending.append((block, anchor, offset, made))
        return made

    def head(self, loop: For | While) -> Ops:
        """Statements at the head of the loop's body."""
        if id(loop) not in self.heads:
            self.heads[id(loop)] = self.ops(loop, loop.body, None)
        return self.heads[id(loop)]

    # ----- places -----

    def place(self, tape: Tape, outer: Place | None) -> Place:
        """The place of each iteration of a tape's loop."""
        loop, bounds = tape.loop, tape.bounds
        path = (*(outer.path if outer else ()), *tape.steps, (loop, loop.body))
        if bounds is None or outer is None and len(tape.steps) > 1:
            return self.unbounded(tape, outer, path)
        moved = [self.lengths.move(bound) for bound in bounds]
        if outer is not None and (tape.steps or None in moved):  # rows for each iteration may be far too many
            return self.following(tape, outer, bounds, path)
        if None in moved:
            return self.unbounded(tape, outer, path)
        assert isinstance(loop, For)
        count = self.before.trips(moved)  # type: ignore[arg-type]
        for step, block in tape.steps:
            count = self.chosen(step, block, count)
        written = self.head(loop).place(loop.index, bounds)
        read = self.reading(tape, lambda: count, loop.reverse)
        write, sofar = (outer.write, outer.read) if outer else ((), ())
        lengths = (*(outer.lengths if outer else ()), count)
        return Place(tape, path, (*write, written), (*sofar, read), lengths, outer.axis if outer else None)

    def chosen(self, op: Statement, block: Block, count: Arg) -> Arg:
        """The number of iterations of a loop in a branch: none where another branch is taken."""
        assert isinstance(op, If)
        then, orelse = (Block([], (count if b is block else Lit(0),)) for b in (op.then, op.orelse))
        out = Var(INT)
        self.before.ops.append(If(op.cond, then, orelse, (out,), self.before.span, self.before.adjoint))
        return out

    def following(self, tape: Tape, outer: Place, bounds: Bounds, path: Path) -> Place:
        """The place in a loop that knows beforehand how often it runs, though not always equally often."""
        loop, reader = tape.loop, tape.reader
        assert isinstance(loop, For)
        ahead = self.ops(loop, path[-2][1], loop)
        position = self.carry(path[:-1], Lit(0), integer, "position")
        start, count = position.now, ahead.trips(bounds)
        end = ahead.integer(operator.add, start, count)
        position.set(end)
        begin = outer.save(start, "start")
        total = self.total(outer, position, start) if tape.steps else lambda: count
        read = self.reading(tape, functools.cache(lambda: outer.save(total(), "count")), loop.reverse)
        written = self.head(loop).place(loop.index, bounds)
        written = self.head(loop).integer(operator.add, start, written)
        read = self.head(reader).integer(operator.add, begin, read)
        return Place(tape, path, (written,), (read,), (Lit(FIRST_CAPACITY),), Axis(loop, end, False))

    def unbounded(self, tape: Tape, outer: Place | None, path: Path) -> Place:
        """The place in a loop that does not know beforehand how often it runs."""
        position = self.carry(path, Lit(0), integer, "position")
        now, start = position.now, tape.loop.inits[-1]
        end = self.head(tape.loop).integer(operator.add, now, Lit(1))
        position.set(end)
        begin: Arg = Lit(0)
        count: Callable[[], Arg] = lambda: position.last  # noqa: E731
        if outer is not None:
            begin, total = outer.save(start, "start"), self.total(outer, position, start)
            count = functools.cache(lambda: outer.save(total(), "count"))
        read = self.reading(tape, count, False)
        read = self.head(tape.reader).integer(operator.add, begin, read)
        return Place(tape, path, (now,), (read,), (Lit(FIRST_CAPACITY),), Axis(tape.loop, end, True))

    def total(self, outer: Place, position: Carried, start: Arg) -> Callable[[], Arg]:
        """The number by which a position grows in an iteration of the loop around."""
        frame = position.frames[len(outer.path)]
        block = outer.path[-1][1]
        return lambda: self.ops(frame.op, block, frame.op, 1).integer(operator.sub, frame.out, start)

    def reading(self, tape: Tape, count: Callable[[], Arg], backwards: bool) -> Arg:
        """The place in the recording loop's range (``backwards``: which is run from its end), or its number,
        of the iteration that the reader reads."""
        reader, flip = tape.reader, tape.turned != backwards
        for loop in (tape.loop, reader):
            if isinstance(loop, For) and loop.index.hint in (None, "_"):
                loop.index.hint = "k"
        if reader.range is None:
            reader.range = (Lit(0), count(), Lit(1))
            if flip and len(reader.items) == 1 and not tape.rest():
                reader.reverse, flip = not reader.reverse, False
        ops = self.head(reader)
        place = ops.place(reader.index, reader.range)
        if not flip:
            return place
        last = ops.integer(operator.sub, count(), Lit(1))
        return ops.integer(operator.sub, last, place)

    # ----- carried values -----

    def carry(
        self,
        path: Path,
        init: Arg,
        type: Callable[[], Type],
        hint: str,
        axis: Axis | None = None,
    ) -> Carried:
        """Carry a value through a nest of loops; an array with an ``axis`` grows where that needs it.

        ``type`` makes the type of each Var that holds it: arrays that grow differ in length.
        """
        value = init
        frames: list[Frame] = []
        for op, block in path:
            grows = axis is not None and axis.loop is op
            if grows and axis is not None and not axis.late:
                ops = self.ops(op, frames[-1].block, op)
                value = ops.op(helpers.reserve, (value, axis.end), type(), hint)
            out = Var(type(), hint)
            op.outs += (out,)
            if isinstance(op, If):
                op.then.results += (value,)
                op.orelse.results += (value,)
            else:
                op.inits += (value,)
                value = Var(type(), hint)
                op.params += (value,)
                op.body.results += (value,)
            if frames:
                frames[-1].set(out)
            frames.append(Frame(op, block, len(op.outs) - 1, out))
            if grows and axis is not None and axis.late:
                value = self.head(axis.loop).op(helpers.reserve, (value, axis.end), type(), hint)
                frames[-1].set(value)
        assert isinstance(value, Var)
        return Carried(frames, value)

    def allocate(self, place: Place, lengths: tuple[Arg, ...], dtype: np.dtype, hint: str) -> Carried:
        """An array with the place's axes and more, carried through the loops."""
        shape = (*place.lengths, *lengths)
        dims = tuple(Dim.fresh() if (d := size_of(n)) is None else d for n in shape)
        type_ = Array(dtype, dims)

        def longer() -> Type:
            return Array(dtype, (Dim.fresh(), *dims[1:]))

        made = self.before.op(np.empty, (Seq(shape), Lit(dtype)), type_, hint)
        return self.carry(
            place.path, made, (lambda: type_) if place.axis is None else longer, hint, place.axis
        )


def is_missing(arg: Arg, makers: Mapping[Var, Statement]) -> bool:
    """Whether the argument says that there is no value on this path."""
    maker = makers.get(arg) if isinstance(arg, Var) else None
    return (
        isinstance(arg, Lit) and arg.value is None or isinstance(maker, Op) and maker.fn is builtin.undefined
    )


def within(
    value: Var, undefined: set[Var], makers: Mapping[Var, Statement], steps: Path = ()
) -> tuple[Path, Var]:
    """The branches that lead to where a value is made that some paths don't have, and the value there."""
    op = makers.get(value) if value in undefined else None
    if isinstance(op, If):
        for block in (op.then, op.orelse):
            inner = block.results[op.outs.index(value)]
            if isinstance(inner, Var) and not is_missing(inner, makers):
                return within(inner, undefined, makers, (*steps, (op, block)))
    return steps, value


def lift(value: Arg, steps: Path) -> Arg:
    """A number that a branch computes, behind that branch; 0 where another is taken."""
    for op, block in reversed(steps):
        assert isinstance(op, If)
        for branch in (op.then, op.orelse):
            branch.results += (value if branch is block else Lit(0),)
        value = Var(INT)
        op.outs += (value,)
    return value


def integer() -> Type:
    return INT


def index_of(at: tuple[Arg, ...]) -> Arg:
    return at[0] if len(at) == 1 else Seq(at)
